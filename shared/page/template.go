package page

import (
	"embed"
	"html/template"
	"io/fs"

	"eshop/shared/page/stylesheet"
)

// formFiles are the templates that forms have in common.
//
//go:embed templates
var formFiles embed.FS

// icon is the template "icon", the line of a page's head with the icon of all sites.
const icon = `{{define "icon"}}<link rel="icon" href="` + stylesheet.Icon + `">{{end}}`

// Templates reads the templates below the folder "templates" of some files, and those of forms beside them, once for
// each of the languages. In them [[name]] stands for a text and [[asset:name]] for the address of something static.
// What is wrong with one is a fault of the program, which panics.
func Templates(files fs.FS, texts Texts, languages []Language,
	asset func(name string) string) map[Language]*template.Template {
	all := map[Language]*template.Template{}
	for _, language := range languages {
		made := template.Must(template.New("").Parse(icon))
		for _, in := range []fs.FS{formFiles, files} {
			names, err := fs.Glob(in, "templates/*.html")
			if err != nil {
				panic(err)
			}
			for _, name := range names {
				text, err := fs.ReadFile(in, name)
				if err != nil {
					panic(err)
				}
				template.Must(made.Parse(texts.Put(language,
					assetPlaceholder.ReplaceAllStringFunc(string(text), func(placeholder string) string {
						return asset(placeholder[len("[[asset:") : len(placeholder)-len("]]")])
					}))))
			}
		}
		all[language] = made
	}
	return all
}
