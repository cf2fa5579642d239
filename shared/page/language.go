package page

import "strings"

// Language is one that pages speak.
type Language string

// The languages: the storefront speaks its shop's, Czech or Slovak, the admin all three.
const (
	Czech   Language = "cs"
	Slovak  Language = "sk"
	English Language = "en"
)

// OfLocale is the language of a shop's locale.
func OfLocale(locale string) Language {
	if strings.HasPrefix(locale, string(Slovak)) {
		return Slovak
	}
	return Czech
}

// Text is one text in all languages. A door that does not speak English leaves it empty.
type Text struct{ Czech, Slovak, English string }

// In is the text in a language.
func (t Text) In(l Language) string {
	switch l {
	case Slovak:
		return t.Slovak
	case English:
		return t.English
	}
	return t.Czech
}
