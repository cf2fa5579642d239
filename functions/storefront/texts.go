package storefront

import (
	"embed"

	"eshop/shared/page"
	"eshop/shared/record/field"
)

// language is one that pages are written in, with their texts.
type language struct{ page.Language }

// languageOf is the language of a shop's locale.
func languageOf(locale field.Locale) language { return language{page.LanguageOf(locale)} }

//go:embed texts
var textFiles embed.FS

// texts are all texts of the pages, by the names that templates ([[name]]) and code use.
var texts = page.Common().With(page.ReadTexts(textFiles))

// say is a text by its name. A name that does not exist is a fault of the program, which a test finds.
func (l language) say(name string) string { return texts.Say(l.Language, name) }

// faultIn says in words what is wrong with a field.
func (l language) faultIn(name, code string) string { return texts.FaultIn(l.Language, name, code) }

// pieces is a number of pieces in words: 1 kus, 2 kusy, 5 kusů. Both languages have the same three forms.
func (l language) pieces(n int64) string {
	form := "piece.many"
	switch {
	case n == 1:
		form = "piece.one"
	case n >= 2 && n <= 4:
		form = "piece.few"
	}
	return grouped(n) + page.NBSP + l.say(form)
}

// grouped is a number with its digits in groups of three, as both languages have them.
func grouped(n int64) string { return page.Czech.Number(n) }

// money is an amount as people write it in both languages.
func money(m field.Money, currency string) string { return page.Czech.Money(m, currency) }
