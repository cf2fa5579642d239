package page

import (
	"html"
	"regexp"
	"strings"
)

// Words are the texts of pages by the names that templates ([[name]]) and code use, each in the languages that those
// pages are written in, in the order of Language.
type Words map[string][]string

// With are these words and others beside them; of a name that both have, the other's.
func (w Words) With(others ...Words) Words {
	all := Words{}
	for _, words := range append([]Words{w}, others...) {
		for name, texts := range words {
			all[name] = texts
		}
	}
	return all
}

// Say is a text by its name; "" of a name that is not there.
func (w Words) Say(l Language, name string) string {
	texts := w[name]
	if int(l) >= len(texts) {
		return ""
	}
	return texts[l]
}

// assetPlaceholder matches the place of an address of something static in a template, textPlaceholder that of a text.
var (
	assetPlaceholder = regexp.MustCompile(`\[\[asset:[a-z.]+\]\]`)
	textPlaceholder  = regexp.MustCompile(`\[\[([A-Za-z._-]+)\]\]`)
)

// Put puts the texts of a language into a template, escaped for HTML. A name that is not there is a fault of the
// program, which panics.
func (w Words) Put(l Language, template string) string {
	return textPlaceholder.ReplaceAllStringFunc(template, func(placeholder string) string {
		name := strings.Trim(placeholder, "[]")
		text := w.Say(l, name)
		if text == "" {
			panic("page: no text " + name + " in " + l.Code())
		}
		return html.EscapeString(text)
	})
}
