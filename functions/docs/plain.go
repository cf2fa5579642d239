package docs

import (
	"net/http"
	"strings"

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

// index is /llms.txt: what this is, and where each page is as Markdown. base is the platform's address.
func index(base string, groups []sitePage) []byte {
	var b strings.Builder
	b.WriteString("# E-shop platform API\n\n> " + purpose + "\n\n" +
		"All operations with their schemas are in " + base + "/openapi.json (OpenAPI 3.1), for the newest version. " +
		"Each version has a document of its own:\n\n")
	for _, v := range api.Versions {
		b.WriteString("- [" + v.Name + "](" + base + documentAddress(v) + ")\n")
	}
	b.WriteString("\nWhat authors of add-ons do with test shops and packages of their own is in " + base +
		api.DevelopersDocument + ".\n")
	for _, p := range partsWith(groups) {
		b.WriteString("\n## " + p.title + "\n\n")
		for _, l := range p.pages {
			b.WriteString("- [" + l.name + "](" + base + l.at + plainEnd + ")")
			if about := l.about(); about != "" {
				b.WriteString(": " + about)
			}
			b.WriteByte('\n')
		}
	}
	return []byte(b.String())
}

// about is what a page is about, in a line of Markdown: of a guide its first paragraph.
func (l sitePage) about() string {
	if l.section != nil {
		return strings.ReplaceAll(l.section.Doc, "\n", " ")
	}
	if l.file == "" {
		return l.tells
	}
	_, rest, _ := strings.Cut(source(l.file), "\n\n")
	first, _, _ := strings.Cut(rest, "\n\n")
	return strings.ReplaceAll(first, "\n", " ")
}

// description is what search engines show of a page: what it is about, at most 160 bytes of it, which end with a word.
func (l sitePage) description() string {
	text := plain(l.about())
	if len(text) <= 160 {
		return text
	}
	return text[:strings.LastIndexByte(text[:156], ' ')] + " …"
}
