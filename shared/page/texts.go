package page

import (
	"cmp"
	"embed"
	"html"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json" // refuses a name that stands twice
)

// Texts are the texts of pages: by language, and by the names that templates ([[name]]) and code use.
type Texts map[Language]map[string]string

// ReadTexts reads texts/<code>.json, an object of texts by their names, for each language that has such a file. A file
// of no language, a name that stands twice and a text that a template would run as code are faults of the program,
// which panics.
func ReadTexts(files fs.FS) Texts {
	names, err := fs.Glob(files, "texts/*.json")
	must(err)
	all := Texts{}
	for _, name := range names {
		language, is := Coded(strings.TrimSuffix(path.Base(name), ".json"))
		if !is {
			panic("page: " + name + " is of no language")
		}
		file, err := fs.ReadFile(files, name)
		must(err)
		texts := map[string]string{}
		must(json.Unmarshal(file, &texts))
		for key, text := range texts {
			if strings.Contains(text, "{{") {
				panic("page: " + name + ": the text " + key + " would be code of a template")
			}
		}
		all[language] = texts
	}
	return all
}

// must ends the program at its start: texts are a part of it.
func must(err error) {
	if err != nil {
		panic("page: " + err.Error())
	}
}

//go:embed texts
var commonTexts embed.FS

// Common are the texts that all pages share: those of forms, and the months.
var Common = sync.OnceValue(func() Texts { return ReadTexts(commonTexts) })

// With are these texts and others beside them. A name that both have is a fault of the program, which panics.
func (t Texts) With(others Texts) Texts {
	all := Texts{}
	for _, l := range Languages {
		all[l] = map[string]string{}
		for _, texts := range []Texts{t, others} {
			for name, text := range texts[l] {
				if all[l][name] != "" {
					panic("page: two texts " + name + " in " + l.Code())
				}
				all[l][name] = text
			}
		}
	}
	return all
}

// Say is a text by its name, in Fallback if the language lacks it; "" if that lacks it, too.
func (t Texts) Say(l Language, name string) string { return cmp.Or(t[l][name], t[Fallback][name]) }

// assetPlaceholder matches the place of an address of something static in a template, textPlaceholder that of a text.
var (
	assetPlaceholder = regexp.MustCompile(`\[\[asset:[a-z.]+\]\]`)
	textPlaceholder  = regexp.MustCompile(`\[\[([A-Za-z._-]+)\]\]`)
)

// Put puts the texts of a language into a template, escaped for HTML. A name that is not there is a fault of the
// program, which panics.
func (t Texts) Put(l Language, template string) string {
	return textPlaceholder.ReplaceAllStringFunc(template, func(placeholder string) string {
		name := strings.Trim(placeholder, "[]")
		text := t.Say(l, name)
		if text == "" {
			panic("page: no text " + name)
		}
		return html.EscapeString(text)
	})
}
