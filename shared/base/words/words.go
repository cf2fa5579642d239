// Package words says what the words of a text are, and which texts a search for the beginnings of words finds
// (contract, "Search"). It knows no records and no store: package search keeps the index of words.
package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"eshop/shared/base/slug"
)

// MaxAsked is how many words a search may have, with spaces between them, and MaxText how many characters (contract,
// "Search").
const MaxAsked, MaxText = 5, 100

// maxWord is how many bytes of a word count: codes and most e-mail addresses are shorter.
const maxWord = 64

// Most is how many words a record is found by at most (contract, "Search"): its first ones.
const Most = 1_000

// In are the words of texts, each once, in their order, and Most of them: runs of letters and digits, without case or
// accents.
func In(texts ...string) (words []string) {
	has := map[string]bool{}
	for _, text := range texts {
		for w := range strings.FieldsFuncSeq(slug.Fold(text), isBetween) {
			if w = cut(w); has[w] {
				continue
			}
			if len(words) == Most {
				return words
			}
			has[w], words = true, append(words, w)
		}
	}
	return words
}

// Code is a code as a text of which In makes one word, whatever stands between its letters and digits; only a space
// parts it, and what has an @ is no code. "EB-10/2" is "eb102", which who asks for "EB-10" or "eb10" finds.
func Code(code string) string {
	typed := strings.Fields(code)
	for i, t := range typed {
		typed[i] = cmp.Or(one(t), t)
	}
	return strings.Join(typed, " ")
}

// one is a text as one word; "" of an e-mail address, which is looked up by its longest part.
func one(text string) string {
	if strings.Contains(text, "@") {
		return ""
	}
	return cut(strings.Join(strings.FieldsFunc(slug.Fold(text), isBetween), ""))
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
	digits := strings.Join(strings.FieldsFunc(phone, isNoDigit), "")
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

// Cut is a text of at most so many characters, and … behind it where there are more.
func Cut(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}

// Asked is what a search asks for: groups, each of which it finds as one word or by all of its parts. The zero Asked
// finds nothing.
type Asked struct {
	groups []group
	looser [][]group // without endings of long words, and of short ones, too; nil: endings count
}

// group is what somebody has typed without spaces, or a number in groups: 601 123 456.
type group struct {
	parts []string // its words
	whole string   // all of them as one; "" if there is one, or it is an e-mail address
}

// Ask reads a search.
func Ask(text string) (asked Asked) {
	typed := strings.Fields(text)
	if number := one(text); len(number) >= nationalDigits && !strings.ContainsFunc(number, isNoDigit) {
		typed = []string{text}
	}
	for _, t := range typed {
		g := group{parts: In(t), whole: one(t)}
		if len(g.parts) == 0 {
			continue
		}
		if g.whole == g.parts[0] {
			g.whole = ""
		}
		asked.groups = append(asked.groups, g)
	}
	return asked
}

// Loosely is what a person asks for, to whom the endings of Czech and Slovak words are no obstacle: "konvičky" also
// finds "konvička", "porcelánová" also "porcelánový".
func (a Asked) Loosely() Asked {
	for _, shortest := range []int{longWord, 0} {
		var groups []group
		for _, g := range a.groups {
			stems := make([]string, len(g.parts))
			for i, w := range g.parts {
				if stems[i] = w; len(w) >= shortest {
					stems[i] = stem(w)
				}
			}
			groups = append(groups, group{parts: stems, whole: g.whole})
		}
		a.looser = append(a.looser, groups)
	}
	return a
}

// longWord is how many letters a word has at least whose ending is no obstacle (contract, "Search"). Of a shorter one
// too little is left: it is found without its ending only if nothing else is.
const longWord = 6

// stem is a word without its ending. Three letters stay at least, so a word of six loses three at most; a word with a
// digit stays as it is.
func stem(word string) string {
	if strings.ContainsFunc(word, unicode.IsDigit) {
		return word
	}
	for size := 3; size > 0; size-- {
		if n := len(word) - size; n >= 3 && slices.Contains(endings, word[n:]) {
			return word[:n]
		}
	}
	return word
}

// endings are those of cases and possessives, without accents: Czech ones as the light stemmer of Dolamic and Savoy
// removes them ("Indexing and stemming approaches for the Czech language", 2009), Slovak ones as stemm-sk does, which
// was made after it. Both have a few longer ones.
var endings = strings.Fields("ach ama ami ata aty ech eho emi emu ete eti ich iho imi imu och ove ovi ych ymi " +
	"am at ej em es im in mi om os ou ov um us uv ym a e i o u y")

// isNoDigit says whether the letter is none of 0 to 9.
func isNoDigit(r rune) bool { return r < '0' || r > '9' }

// How near a text is to what is asked for.
const (
	Exact  = iota // each word that is asked for begins one of the text's
	Ending        // but for the endings of long words
	Alike         // but for those of short ones, too
)

// Finds says whether these words, which are as In returns them, are what is asked for, with all endings.
func (a Asked) Finds(words []string) bool { return finds(a.groups, words) }

// Near says how near the words are to what is asked for; false: they are something else.
func (a Asked) Near(words []string) (distance int, found bool) {
	distance = slices.IndexFunc(append([][]group{a.groups}, a.looser...),
		func(groups []group) bool { return finds(groups, words) })
	return distance, distance >= 0
}

// finds says whether each group is the beginning of one of the words, or has parts which all are.
func finds(groups []group, words []string) bool {
	begins := func(asked string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, asked) })
	}
	lacks := func(g group) bool {
		return (g.whole == "" || !begins(g.whole)) &&
			slices.ContainsFunc(g.parts, func(part string) bool { return !begins(part) })
	}
	return len(groups) > 0 && !slices.ContainsFunc(groups, lacks)
}

// Leads are the words by which what is asked for is looked up, in their order: if too much begins with one, or nothing
// is found by it, the next one is tried. They are at most two, and where endings are no obstacle one more: if too much
// begins with the first one's stem, what has its ending, too, must not be missed.
func (a Asked) Leads() []string {
	leads := leadsOf(a.groups)
	if a.looser == nil || len(leads) == 0 {
		return leads
	}
	stems := leadsOf(a.looser[len(a.looser)-1])
	return slices.Compact(slices.Insert(stems, 1, leads[0]))
}

// leadsOf are two words at most. A group comes first as one word, as codes are found; a name that has its parts is
// found where no code is. Long words come next, because few texts have them.
func leadsOf(groups []group) (leads []string) {
	var first group // the longest of those with several parts
	for _, g := range groups {
		if len(g.whole) > len(first.whole) {
			first = g
		}
	}
	leads = slices.Clone(first.parts)
	for _, g := range groups {
		if g.whole == "" {
			leads = append(leads, g.parts...)
		}
	}
	slices.SortStableFunc(leads, func(a, b string) int { return len(b) - len(a) })
	if first.whole != "" {
		leads = slices.Insert(leads, 0, first.whole)
	}
	return leads[:min(len(leads), 2)]
}
