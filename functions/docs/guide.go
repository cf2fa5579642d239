package docs

import (
	"embed"
	"html"
	"regexp"
	"strings"
)

// guides are the pages for add-on authors and for operators, readable where they lie: a receiver that a paragraph links to alone is shown on the
// page.
//
//go:embed conventions.md webhooks.md frontend.md operator.md operations.md
var guides embed.FS

//go:embed receivers
var receivers embed.FS

// guide is the body of the page that a file of Markdown is, with a list of its parts.
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

var (
	receiver = regexp.MustCompile(`^\[([^\]]+)\]\((receivers/[^)]+)\)$`)
	listed   = regexp.MustCompile(`^(-|\d+\.) `)
)

// markdown is the part of Markdown that the guides are written in: headings, paragraphs, lists of one level whose points are
// one line each, tables and fenced code; within a line code and links.
func markdown(text string) string {
	var b strings.Builder
	for block := range blocks(text) {
		switch first, _, _ := strings.Cut(block, "\n"); {
		case strings.HasPrefix(block, "```"):
			preformatted(&b, strings.TrimSuffix(strings.TrimPrefix(block, first+"\n"), "\n```"))
		case strings.HasPrefix(block, "#"):
			heading(&b, block)
		case strings.HasPrefix(block, "|"):
			table(&b, strings.Split(block, "\n"))
		case listed.MatchString(block):
			list(&b, strings.Split(block, "\n"))
		case receiver.MatchString(block):
			listing(&b, receiver.FindStringSubmatch(block))
		default:
			b.WriteString("<p>" + inline(block) + "</p>\n")
		}
	}
	return b.String()
}

// blocks are what blank lines part, and code whole.
func blocks(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for text = strings.Trim(text, "\n"); text != ""; text = strings.TrimLeft(text, "\n") {
			end := "\n\n"
			if strings.HasPrefix(text, "```") {
				end = "\n```\n"
			}
			block, rest, _ := strings.Cut(text+"\n", end)
			if text = rest; !yield(strings.TrimSuffix(block, "\n")) {
				return
			}
		}
	}
}

func preformatted(b *strings.Builder, text string) {
	b.WriteString("<pre>" + escaped(text) + "</pre>\n")
}

// heading is one with an anchor, so that it can be linked to.
func heading(b *strings.Builder, block string) {
	level, text, anchor := headed(block)
	tag := "h" + string(rune('0'+level))
	b.WriteString("<" + tag + ` id="` + html.EscapeString(anchor) + `">` + inline(text) + "</" + tag + ">\n")
}

// headed is what a heading says: its level, its text, and where it is on the page.
func headed(block string) (level int, text, anchor string) {
	text = strings.TrimLeft(block, "#")
	level = len(block) - len(text)
	text = strings.TrimSpace(text)
	return level, text, strings.ReplaceAll(strings.ToLower(text), " ", "-")
}

func list(b *strings.Builder, points []string) {
	tag := "ul"
	if points[0][0] != '-' {
		tag = "ol"
	}
	b.WriteString("<" + tag + ">\n")
	for _, p := range points {
		b.WriteString("<li>" + inline(listed.ReplaceAllString(p, "")) + "</li>\n")
	}
	b.WriteString("</" + tag + ">\n")
}

// table is one whose second line parts its head from its rows.
func table(b *strings.Builder, lines []string) {
	b.WriteString("<table>\n")
	for i, line := range lines {
		if i == 1 {
			continue
		}
		cell := "td"
		if i == 0 {
			cell = "th"
		}
		b.WriteString("<tr>")
		for text := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			b.WriteString("<" + cell + ">" + inline(strings.TrimSpace(text)) + "</" + cell + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
}

// listing shows a file, by its name.
func listing(b *strings.Builder, link []string) {
	text, err := receivers.ReadFile(link[2])
	if err != nil {
		panic("docs: " + err.Error()) // the guide and its files are parts of the program
	}
	name := strings.TrimPrefix(link[2], "receivers/")
	b.WriteString("<details><summary>" + html.EscapeString(link[1]) + ": <code>" + html.EscapeString(name) + "</code></summary>")
	preformatted(b, string(text))
	b.WriteString("</details>\n")
}
