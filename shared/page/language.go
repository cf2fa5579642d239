package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eshop/shared/record/field"
)

// Language is one that pages are written in.
type Language int

// The languages that code names. Fallback has each text, and stands in for a language that lacks one.
const (
	Czech Language = iota
	Slovak
	English

	Fallback = Czech
)

// languages are all languages, and how each writes what is no text. Another language is a row here, its texts in the
// files texts/<code>.json of each package that shows pages, and, if shops sell in it, its locale in field.Locales.
var languages = [...]struct {
	code, name   string // as HTML names it; what it calls itself
	point, group string // in a number: before the places, between groups of three digits
	percent      string // behind a share in percent
	date, day    string // layouts (package time): a day with its month in words, a short one for lists
	codeFirst    bool   // an amount begins with the currency's code; false: its symbol follows
}{
	Czech:  {"cs", "Čeština", ",", NBSP, NBSP + "%", inWords, inNumbers, false},
	Slovak: {"sk", "Slovenčina", ",", NBSP, NBSP + "%", inWords, inNumbers, false},
	English: {"en", "English", ".", ",", "%", "2" + NBSP + "January" + NBSP + "2006",
		"2" + NBSP + "Jan" + NBSP + "2006", true},
}

const (
	inWords   = "2." + NBSP + "January" + NBSP + "2006"
	inNumbers = "2." + NBSP + "1." + NBSP + "2006"
)

// Languages are all of them.
var Languages = func() (all []Language) {
	for l := range languages {
		all = append(all, Language(l))
	}
	return all
}()

// OfShops are the languages of the pages of shops.
var OfShops = func() (all []Language) {
	for _, locale := range field.Locales {
		all = append(all, LanguageOf(locale))
	}
	return all
}()

// Code is the language as HTML names it.
func (l Language) Code() string { return languages[l].code }

// Name is what the language calls itself.
func (l Language) Name() string { return languages[l].name }

// Coded is the language of this Code; false when there is none.
func Coded(code string) (Language, bool) {
	for _, l := range Languages {
		if l.Code() == code {
			return l, true
		}
	}
	return 0, false
}

// LanguageOf is the language of a shop's locale.
func LanguageOf(locale field.Locale) Language {
	code, _, _ := strings.Cut(string(locale), "_")
	l, _ := Coded(code)
	return l
}

// NBSP keeps a number with its symbol, and its groups of three digits, on one line.
const NBSP = "\u00a0"

// Number is a number with its digits in groups of three.
func (l Language) Number(n int64) string {
	s := strconv.FormatInt(n, 10)
	if len(s) <= 3 {
		return s
	}
	var b strings.Builder
	for i, digit := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteString(languages[l].group)
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// Money is an amount as people write it: 119 Kč, 1 234,50 Kč, 12,90 €; in English CZK 1,234.50. Whole crowns have no
// places, but in English.
func (l Language) Money(amount field.Money, currency string) string {
	sign := ""
	if amount < 0 {
		sign, amount = "−", -amount
	}
	places := fmt.Sprintf("%s%02d", languages[l].point, amount%100)
	symbol := currency
	switch {
	case languages[l].codeFirst:
		return sign + currency + NBSP + l.Number(int64(amount/100)) + places
	case currency == "CZK":
		symbol = "Kč"
		if amount%100 == 0 {
			places = ""
		}
	case currency == "EUR":
		symbol = "€"
	}
	return sign + l.Number(int64(amount/100)) + places + NBSP + symbol
}

// Decimal is an amount without its currency, as people type it: 1234,50.
func (l Language) Decimal(m field.Money) string {
	return strings.Replace(m.String(), ".", languages[l].point, 1)
}

// Date is a day as people write it: 22. listopadu 2026, 22 November 2026.
func (l Language) Date(t time.Time) string {
	t = t.In(field.Zone())
	months := strings.Fields(Common().Say(l, "months"))
	return strings.Replace(t.Format(languages[l].date), t.Month().String(), months[t.Month()-1], 1)
}

// Moment is a day and its time to the minute, short enough for a list: 22. 11. 2026 14:05, 22 Nov 2026 14:05.
func (l Language) Moment(t time.Time) string {
	return t.In(field.Zone()).Format(languages[l].day + " 15:04")
}

// Second is Moment to the second.
func (l Language) Second(t time.Time) string {
	return t.In(field.Zone()).Format(languages[l].day + " 15:04:05")
}

// Percent is a share in percent as people write it: 15 %, 12,5 %; in English 12.5%.
func (l Language) Percent(p field.Money) string {
	text := strings.TrimSuffix(strings.TrimRight(p.String(), "0"), ".")
	return strings.Replace(text, ".", languages[l].point, 1) + languages[l].percent
}
