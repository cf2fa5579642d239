// Package words says what the words of a text are, and which texts a search for the beginnings of words finds
// (contract, section 10, "Search"). It knows no records and no store: package search keeps the index of words.
package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"eshop/shared/slug"
)

// MaxAsked is how many words a search may have, with spaces between them, and MaxText how many characters (contract,
// section 10).
const MaxAsked, MaxText = 5, 100

// maxWord is how many bytes of a word count: codes and most e-mail addresses are shorter.
const maxWord = 64

// Of are the words of texts, each once, in their order: runs of letters and digits, without case or accents.
func Of(texts ...string) (words []string) {
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(slug.Fold(text), isBetween) {
			if w = cut(w); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// isBetween says whether the letter is part of no word.
func isBetween(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// cut is as much of the word as counts.
func cut(w string) string { return cutTo(w, maxWord) }

// cutTo is the beginning of a text, of whole letters and at most so many bytes.
func cutTo(w string, most int) string {
	if len(w) <= most {
		return w
	}
	end := most
	for !utf8.RuneStart(w[end]) {
		end--
	}
	return w[:end]
}

// maxOrder is how many bytes of a text count for its place in an order.
const maxOrder = 200

// czech are the letters that the Czech and Slovak alphabets have behind another one; "~" comes behind all letters that
// Fold leaves.
var czech = strings.NewReplacer("~", " ", "ch", "h~", "č", "c~", "ř", "r~", "š", "s~", "ž", "z~")

// Order is a text whose bytes have the order in which people here look for the text: without case and accents, but č
// behind c and ch behind h, and numbers by their value, so that 50 g comes before 100 g.
func Order(text string) string {
	text = slug.Fold(czech.Replace(strings.ToLower(norm.NFC.String(text))))
	var b strings.Builder
	for len(text) > 0 && b.Len() < maxOrder {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		letter, size := utf8.DecodeRuneInString(text)
		switch {
		case digits > 0: // a number with more digits is larger
			number := strings.TrimLeft(text[:digits], "0")
			fmt.Fprintf(&b, " %d%s ", min(len(number), 9), number)
			size = digits
		case letter != '~' && isBetween(letter):
			b.WriteByte(' ')
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return cutTo(strings.Join(strings.Fields(b.String()), " "), maxOrder)
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

// Shortened is as much of a text as a search takes, for people, who are not refused for more.
func Shortened(text string) string {
	all := strings.Fields(text)
	text = strings.Join(all[:min(len(all), MaxAsked)], " ")
	if letters := []rune(text); len(letters) > MaxText {
		return string(letters[:MaxText])
	}
	return text
}

// Asked is what a search asks for: words, of which each is the beginning of one of the words that it finds. The zero
// Asked finds nothing.
type Asked struct {
	words  []string
	number string // the text without what is between its digits, where it is a number in groups: 601 123 456
}

// Ask reads a search.
func Ask(text string) Asked {
	a := Asked{words: Of(text)}
	whole := strings.Join(strings.FieldsFunc(slug.Fold(text), isBetween), "")
	if len(a.words) > 1 && len(whole) >= nationalDigits && len(whole) <= maxWord &&
		!strings.ContainsFunc(whole, isNoDigit) {
		a.number = whole
	}
	return a
}

// Looser is what is asked for without the endings that Czech and Slovak words take: "čaje" also finds "čaj", "zelený"
// also "zelená". It finds more than was meant, so it is for who has found nothing. It is false
// if no word has an ending.
func (a Asked) Looser() (looser Asked, ok bool) {
	for _, w := range a.words {
		s := stem(w)
		looser.words = append(looser.words, s)
		ok = ok || s != w
	}
	return looser, ok
}

// stem is a word without its ending; a word of three letters, or with a digit, stays as it is.
func stem(w string) string {
	if strings.ContainsFunc(w, unicode.IsDigit) {
		return w
	}
	for _, ending := range endings {
		if s, has := strings.CutSuffix(w, ending); has && len(s) >= 3 {
			return s
		}
	}
	return w
}

// endings of words without accents, the long ones first.
var endings = strings.Fields("ovymi ovych oveho ymi imi emi ami ach ich ych eho emu ove ova ovy ho mu ou um am em " +
	"im ym a e i o u y")

// isNoDigit says whether the letter is none of 0 to 9.
func isNoDigit(r rune) bool { return r < '0' || r > '9' }

// Finds says whether each word that is asked for is the beginning of one of these, which are words as Of returns them.
// A number in groups is also found whole.
func (a Asked) Finds(words []string) bool {
	begins := func(asked string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, asked) })
	}
	if a.number != "" && begins(a.number) {
		return true
	}
	return len(a.words) > 0 && !slices.ContainsFunc(a.words, func(asked string) bool { return !begins(asked) })
}

// Leads are the words by which what is asked for is looked up, at most two: if too much begins with the first, or
// nothing is found by it, the second is tried. Long words come first, because few texts have them.
func (a Asked) Leads() []string {
	leads := slices.Clone(a.words)
	slices.SortStableFunc(leads, func(a, b string) int { return len(b) - len(a) })
	if a.number != "" {
		leads = slices.Insert(leads, 0, a.number)
	}
	return leads[:min(len(leads), 2)]
}
