package importer

import (
	"strings"

	"eshop/shared/base/slug"
	values "eshop/shared/record/field"
)

// units are what stands behind amounts and rates in people's files.
var (
	currencies = []string{"Kč", "CZK", "€", "EUR"}
	percent    = []string{"%"}
)

// typedAmount is an amount or a rate as people type it, with what it is of behind it, as JSON has it.
func typedAmount(cell string, units []string) string {
	cell = strings.TrimSpace(cell)
	for _, unit := range units {
		cell = strings.TrimSpace(strings.TrimSuffix(cell, unit))
	}
	return values.NormalizeAmount(cell)
}

// typedRules say what a cell must hold. They stand in for the record's rules, which speak of JSON.
var typedRules = map[cell]string{
	priced: "must be an amount such as 1290.50 or 1 290,50 Kč: not negative, with at most two decimal places and 12 " +
		"digits before them",
	rate:  "must be a percentage from 0 to 100 with at most two decimal places, such as 21 or 21 %",
	truth: "must be true or false, or yes or no",
}

// truths are yes and no as people type them, without case and accents.
var truths = map[string]bool{"ano": true, "yes": true, "ne": false, "nie": false, "no": false}

// countries are the codes of countries by the names that people type in place of them, without case and accents.
var countries = map[string]string{"cesko": "CZ", "ceska republika": "CZ", "czechia": "CZ", "czech republic": "CZ",
	"slovensko": "SK", "slovenska republika": "SK", "slovakia": "SK", "nemecko": "DE", "germany": "DE",
	"rakousko": "AT", "rakusko": "AT", "austria": "AT", "polsko": "PL", "poland": "PL", "madarsko": "HU",
	"hungary": "HU"}

// typedCountry is a country as people type it, as its code. Any other text stays as it is.
func typedCountry(cell string) string {
	cell = strings.TrimSpace(cell)
	if code := countries[slug.Fold(cell)]; code != "" {
		return code
	}
	if len(cell) == 2 {
		return strings.ToUpper(cell)
	}
	return cell
}
