package importer

import (
	"regexp"
	"strings"

	values "eshop/shared/field"
)

// typedAmount is an amount or a rate as people type it, with a comma and what it is of behind it, as JSON has it.
func typedAmount(cell string) string {
	cell = strings.TrimSpace(cell)
	for _, unit := range []string{"Kč", "CZK", "€", "EUR", "%"} {
		cell = strings.TrimSpace(strings.TrimSuffix(cell, unit))
	}
	cell = strings.TrimSuffix(strings.TrimSuffix(cell, ",-"), ",–")
	if onePlace.MatchString(cell) {
		cell += "0"
	}
	return values.NormalizeAmount(cell)
}

// onePlace is an amount as spreadsheets write 129,50: without its last zero. 129.5 is none: the API wants two places.
var onePlace = regexp.MustCompile(`^[\d\s\x{00a0}\x{202f}]+,\d$`)

// truths are yes and no as people type them, without case and accents.
var truths = map[string]bool{"ano": true, "yes": true, "ne": false, "nie": false, "no": false}
