// Package words says what the words of a text are, and which texts a search for the beginnings of words finds
// (contract, section 10, "Search"). It knows no records and no store: package search keeps the index of words.
package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"eshop/shared/slug"
)

// maxWord is how many bytes of a word count: codes and most e-mail addresses are shorter.
const maxWord = 64

// Of are the words of texts, each once, in their order: runs of letters and digits, without case or accents.
func Of(texts ...string) (words []string) {
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(slug.Fold(text), isBetween) {
			if w = shortened(w); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// isBetween says whether the letter is part of no word.
func isBetween(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// shortened is as much of the word as counts.
func shortened(w string) string {
	if len(w) <= maxWord {
		return w
	}
	end := maxWord
	for !utf8.RuneStart(w[end]) {
		end--
	}
	return w[:end]
}

// Number are the ways in which people write a telephone number, as texts: as it is, without spaces, and without the
// prefix of Czechia or Slovakia.
func Number(phone string) []string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, phone)
	all := []string{phone, digits}
	for _, prefix := range []string{"420", "421"} {
		if national, has := strings.CutPrefix(digits, prefix); has && len(national) == nationalDigits {
			all = append(all, national)
		}
	}
	return all
}

// nationalDigits is how many digits a Czech or Slovak number has without its prefix.
const nationalDigits = 9

// Asked is what a search asks for: words, of which each is the beginning of one of the words that it finds. The zero
// Asked finds nothing.
type Asked struct{ words []string }

// Ask reads a search.
func Ask(text string) Asked {
	words := Of(text)
	// A number in groups of digits is asked for whole: 601 123 456.
	if whole := strings.Join(words, ""); len(whole) >= nationalDigits && !strings.ContainsFunc(whole, isNoDigit) {
		words = []string{whole}
	}
	return Asked{words}
}

// isNoDigit says whether the letter is none of 0 to 9.
func isNoDigit(r rune) bool { return r < '0' || r > '9' }

// Finds says whether each word that is asked for is the beginning of one of these, which are words as Of returns them.
func (a Asked) Finds(words []string) bool {
	for _, asked := range a.words {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, asked) }) {
			return false
		}
	}
	return len(a.words) > 0
}

// Longest is the longest of the words that are asked for, which few texts have; "" when there is none.
func (a Asked) Longest() (longest string) {
	for _, w := range a.words {
		if len(w) > len(longest) {
			longest = w
		}
	}
	return longest
}
