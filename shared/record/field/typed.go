package field

import (
	"regexp"
	"strings"
)

// amount is an amount as people type it, without space: 100, 99,90, 99,9, 1234.50 or 129,-. With a point it has two
// places, as the API wants it.
var amount = regexp.MustCompile(`^(\d+)(?:[.,](\d\d)|,(\d)|,[-–])?$`)

// NormalizeAmount is an amount or a rate as people type it, with a comma, without its two places, or with space
// between its thousands, as JSON has it. Any other text stays as it is: the rules refuse it.
func NormalizeAmount(text string) string {
	digits := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\u00a0' || r == '\u202f' {
			return -1
		}
		return r
	}, text)
	parts := amount.FindStringSubmatch(digits)
	if parts == nil {
		return text
	}
	return parts[1] + "." + (parts[2] + parts[3] + "00")[:2]
}
