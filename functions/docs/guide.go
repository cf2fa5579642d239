package docs

import (
	"embed"
	"regexp"
	"strings"
)

// guides are the pages for authors of add-ons and for operators. They are Markdown, readable where they lie. A
// paragraph that is nothing but a link to a program's source is shown as that source.
//
//go:embed begin.md conventions.md webhooks.md sync.md import-a-file.md frontend.md cli.md developer.md changelog.md
//go:embed one-machine.md operator.md operations.md scale.md performance.md reliability.md
var guides embed.FS

// programs are for readers to copy, in several languages: receivers take and verify webhooks, frameworks hand webhooks
// on to a receiver, installs get tokens, syncs keep a copy of a shop, imports bring in a file. Their tests run them.
//
//go:embed receivers frameworks installs syncs imports
var programs embed.FS

// guide makes the body of a page from a Markdown file. A table of contents comes first.
func guide(name string) string {
	title, rest, _ := strings.Cut(markdown(source(name)), "</h1>\n")
	return title + "</h1>\n" + contents(parts.FindAllStringSubmatch(rest, -1)) + rest
}

// source is the Markdown of a guide.
func source(name string) string {
	text, err := guides.ReadFile(name)
	if err != nil {
		panic("docs: " + err.Error()) // the guides are parts of the program
	}
	return string(text)
}

// parts are the headings that a page's list of contents leads to.
var parts = regexp.MustCompile(`<h2 id="([^"]+)">(.*?)</h2>`)

// contents is a list of links to a page's parts, each a match with an anchor and a text.
func contents(parts [][]string) string {
	var b strings.Builder
	b.WriteString("<nav class=\"contents\" aria-label=\"On this page\">\n<ul>\n")
	for _, p := range parts {
		b.WriteString(`<li><a href="#` + p[1] + `">` + p[2] + "</a></li>\n")
	}
	return b.String() + "</ul>\n</nav>\n"
}
