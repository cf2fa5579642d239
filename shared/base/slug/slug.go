// Package slug makes the last part of a shop's addresses from names, by one ruleset for Czech and Slovak (contract,
// "Custom URLs").
package slug

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Max is the length of a slug, its suffix included.
const Max = 150

// letters are those that no decomposition brings down to ASCII, or not as people here write them; capitals likewise.
var letters = strings.NewReplacer(
	"ä", "a", "ö", "o", "ü", "u", "ő", "o", "ű", "u", "ß", "ss", "đ", "d", "ł", "l", "ø", "o", "æ", "ae", "œ", "oe",
	"þ", "th", "ð", "d", "ı", "i", "²", "2", "³", "3", "¹", "1",
	"Ä", "a", "Ö", "o", "Ü", "u", "Ő", "o", "Ű", "u", "ẞ", "ss", "Đ", "d", "Ł", "l", "Ø", "o", "Æ", "ae", "Œ", "oe",
	"Þ", "th", "Ð", "d",
)

// Make is the slug of a text: lower-case letters, digits and single hyphens, at most Max; "" when nothing is left. The
// slug of a slug is itself.
func Make(s string) string {
	return cut(hyphened(Fold(s)), Max)
}

// Fold is the text without case or accents, as people here leave them out: Žluťoučký is zlutoucky.
func Fold(s string) string {
	s = letters.Replace(norm.NFC.String(s))
	return strings.ToLower(letters.Replace(withoutMarks(norm.NFKD.String(s))))
}

// WithSuffix is the slug followed by a hyphen and the suffix, shortened so far that both fit; without a suffix the slug
// alone, shortened likewise.
func WithSuffix(slug, suffix string) string {
	if suffix != "" {
		suffix = "-" + suffix
	}
	return cut(slug, Max-len(suffix)) + suffix
}

// QuotesPrefix is how the first segment of each path of the API of basket price quotes begins: no slug begins so.
const QuotesPrefix = "basket-price-"

func withoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, s)
}

// hyphened has one hyphen for each run of anything but letters and digits, and none at the ends.
func hyphened(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

// cut keeps whole words of the slug, as many as fit; of one word that does not fit, its beginning.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if text[most] == '-' {
		return text[:most]
	}
	if end := strings.LastIndexByte(text[:most], '-'); end > 0 {
		return text[:end]
	}
	return text[:most]
}
