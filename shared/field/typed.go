package field

import (
	"regexp"
	"strings"
)

// amount is an amount as people type it, without the space between its thousands: 100, 99,90 or 1234.50.
var amount = regexp.MustCompile(`^(\d+)(?:[.,](\d\d))?$`)

// NormalizeAmount is an amount or a rate as people type it, with a comma, without its two places, or with space between
// its thousands, as JSON has it. Any other text stays as it is: the rules refuse it.
func NormalizeAmount(text string) string {
	digits := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\u00a0' || r == '\u202f' {
			return -1
		}
		return r
	}, text)
	parts := amount.FindStringSubmatch(digits)
	switch {
	case parts == nil:
		return text
	case parts[2] == "":
		return parts[1] + ".00"
	}
	return parts[1] + "." + parts[2]
}
