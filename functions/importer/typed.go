package importer

import (
	"strings"

	"eshop/shared/slug"
)

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
