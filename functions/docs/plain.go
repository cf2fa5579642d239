package docs

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	tables "github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"eshop/shared/api"
)

// Programs that read, agents above all, get each page as Markdown: at its address with .md behind it, or at its own
// address if they accept text/markdown. /llms.txt lists the pages (llmstxt.org).
const (
	markdownType = "text/markdown; charset=utf-8"
	plainEnd     = ".md"
	listPath     = "/llms.txt"
)

// acceptsMarkdown says whether a request would rather have Markdown than a page.
func acceptsMarkdown(r *http.Request) bool {
	for accepted := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		kind, _, _ := strings.Cut(accepted, ";")
		switch strings.TrimSpace(kind) {
		case "text/markdown":
			return true
		case "text/html", "*/*": // whoever comes first
			return false
		}
	}
	return false
}

// markdowns are the pages as Markdown, each made at the first request for it.
type markdowns struct {
	pages map[string]file
	made  sync.Map // files by the pages' addresses
}

// of is a page as Markdown; false if there is no such page.
func (p *markdowns) of(at string) (file, bool) {
	if f, has := p.made.Load(at); has {
		return f.(file), true
	}
	_, body, isPage := bytes.Cut(p.pages[at].body, []byte("<main>\n"))
	if !isPage {
		return file{}, false
	}
	body, _, _ = bytes.Cut(body, []byte("</main>"))
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		tables.NewTablePlugin()))
	text, err := c.ConvertString(string(body))
	if err != nil {
		panic("docs: " + err.Error()) // the pages are parts of the program
	}
	f := newFile(markdownType, shortly, append([]byte(text), '\n'))
	p.made.Store(at, f)
	return f, true
}

// index is /llms.txt: what this is, and where each page is as Markdown. base is the platform's address.
func index(base string, groups []sitePage) []byte {
	var b strings.Builder
	b.WriteString("# E-shop platform API\n\n> Read and change the data of hosted e-shops over HTTP, get signed " +
		"webhooks about every change, sell configured products at quoted prices, and put code into storefronts.\n\n" +
		"All operations with their schemas are in " + base + "/openapi.json (OpenAPI 3.1), for the newest version. " +
		"Each version has a document of its own:\n\n")
	for _, v := range api.Versions {
		b.WriteString("- [" + v.Name + "](" + base + documentAddress(v) + ")\n")
	}
	b.WriteString("\nWhat authors of add-ons do with test shops and packages of their own is in " + base +
		api.DevelopersDocument + ".\n")
	list := func(title string, pages []sitePage) {
		b.WriteString("\n## " + title + "\n\n")
		for _, l := range pages {
			b.WriteString("- [" + l.name + "](" + base + l.at + plainEnd + ")")
			if about := l.about(); about != "" {
				b.WriteString(": " + about)
			}
			b.WriteByte('\n')
		}
	}
	list("Guides", guidance)
	list("Reference", groups)
	return []byte(b.String())
}

// about is what a page is about, in a line: of a guide its first paragraph.
func (l sitePage) about() string {
	if l.section != nil {
		return strings.ReplaceAll(l.section.Doc, "\n", " ")
	}
	if l.file == "" {
		return ""
	}
	_, rest, _ := strings.Cut(source(l.file), "\n\n")
	first, _, _ := strings.Cut(rest, "\n\n")
	return strings.ReplaceAll(first, "\n", " ")
}
