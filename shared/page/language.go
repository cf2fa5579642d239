package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eshop/shared/field"
)

// Language is one that pages are written in.
type Language int

// The languages, in the order in which Words have their texts.
const (
	Czech Language = iota
	Slovak
	English
)

// Languages are all of them.
var Languages = []Language{Czech, Slovak, English}

// Code is the language as HTML names it.
func (l Language) Code() string { return [...]string{"cs", "sk", "en"}[l] }

// Name is what the language calls itself.
func (l Language) Name() string { return [...]string{"Čeština", "Slovenčina", "English"}[l] }

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
func LanguageOf(locale string) Language {
	if locale == "sk_SK" {
		return Slovak
	}
	return Czech
}

// NBSP keeps a number with its symbol, and its groups of three digits, on one line.
const NBSP = "\u00a0"

// Number is a number with its digits in groups of three.
func (l Language) Number(n int64) string {
	s := strconv.FormatInt(n, 10)
	if len(s) <= 3 {
		return s
	}
	between := NBSP
	if l == English {
		between = ","
	}
	var b strings.Builder
	for i, digit := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteString(between)
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// Money is an amount as people write it: 119 Kč, 1 234,50 Kč, 12,90 €; in English CZK 1,234.50. Whole crowns have no
// places.
func (l Language) Money(m field.Money, currency string) string {
	sign := ""
	if m < 0 {
		sign, m = "−", -m
	}
	point := ","
	if l == English {
		point = "."
	}
	places := fmt.Sprintf("%s%02d", point, m%100)
	symbol := currency
	switch {
	case l == English:
		return sign + currency + NBSP + l.Number(int64(m/100)) + places
	case currency == "CZK":
		symbol = "Kč"
		if m%100 == 0 {
			places = ""
		}
	case currency == "EUR":
		symbol = "€"
	}
	return sign + l.Number(int64(m/100)) + places + NBSP + symbol
}

// months are the months as dates name them.
var months = [...][12]string{
	{"ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října",
		"listopadu", "prosince"},
	{"januára", "februára", "marca", "apríla", "mája", "júna", "júla", "augusta", "septembra", "októbra",
		"novembra", "decembra"},
	{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"},
}

// Date is a day as people write it: 22. listopadu 2026, 22 November 2026.
func (l Language) Date(t time.Time) string {
	t = t.In(field.Zone())
	dot := "."
	if l == English {
		dot = ""
	}
	return fmt.Sprintf("%d%s%s%s%s%d", t.Day(), dot, NBSP, months[l][t.Month()-1], NBSP, t.Year())
}

// Moment is a day and its time to the minute, short enough for a list: 22. 11. 2026 14:05, 22 Nov 2026 14:05.
func (l Language) Moment(t time.Time) string { return l.moment(t, "15:04") }

// Second is Moment to the second.
func (l Language) Second(t time.Time) string { return l.moment(t, "15:04:05") }

func (l Language) moment(t time.Time, clock string) string {
	day := "2." + NBSP + "1." + NBSP + "2006 "
	if l == English {
		day = "2" + NBSP + "Jan" + NBSP + "2006 "
	}
	return t.In(field.Zone()).Format(day + clock)
}

// Percent is a share in percent as people write it: 15 %, 12,5 %; in English 12.5%.
func (l Language) Percent(p field.Money) string {
	text := strings.TrimSuffix(strings.TrimRight(p.String(), "0"), ".")
	if l == English {
		return text + "%"
	}
	return strings.Replace(text, ".", ",", 1) + NBSP + "%"
}
