package docs

import (
	"html"
	"path"
	"regexp"
	"strings"
)

// program matches a paragraph that is nothing but a link to a program; listed is how a list's point begins.
var (
	program = regexp.MustCompile(`^\[([^\]]+)\]\(((?:receivers|frameworks|installs|syncs|imports)/[^)]+)\)$`)
	listed  = regexp.MustCompile(`^(-|\d+\.) `)
)

// markdown is the part of Markdown that the guides use: headings, paragraphs, lists of one level with one line for each
// point, tables, and fenced code; within a line code and links. A whole library would understand more than anybody
// writes here.
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
		case program.MatchString(block):
			listing(&b, program.FindStringSubmatch(block))
		default:
			b.WriteString("<p>" + inline(block) + "</p>\n")
		}
	}
	return b.String()
}

// blocks are the parts of a text between blank lines. Fenced code is one block, whatever blank lines are in it.
func blocks(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for text = strings.Trim(text, "\n"); text != ""; text = strings.TrimLeft(text, "\n") {
			end := "\n\n"
			// A fence ends the block, and no blank line does.
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

// preformatted writes a block of code.
func preformatted(b *strings.Builder, text string) {
	b.WriteString(`<pre tabindex="0">` + escaped(text) + "</pre>\n")
}

// heading writes a heading with an anchor, so that it can be linked to.
func heading(b *strings.Builder, block string) {
	level, text, anchor := headed(block)
	tag := "h" + string(rune('0'+level))
	b.WriteString("<" + tag + ` id="` + html.EscapeString(anchor) + `">` + inline(text) + "</" + tag + ">\n")
}

// headed takes a heading apart: its level, its text, and its anchor on the page.
func headed(block string) (level int, text, anchor string) {
	text = strings.TrimLeft(block, "#")
	level = len(block) - len(text)
	text = strings.TrimSpace(text)
	return level, text, strings.ReplaceAll(strings.ToLower(text), " ", "-")
}

// list writes a list, which is numbered if its first point is.
func list(b *strings.Builder, points []string) {
	tag, start := "ol", ""
	switch first := strings.TrimRight(listed.FindString(points[0]), ". "); first {
	case "-":
		tag = "ul"
	case "1":
	default: // code came in between
		start = ` start="` + first + `"`
	}
	b.WriteString("<" + tag + start + ">\n")
	for _, p := range points {
		b.WriteString("<li>" + inline(listed.ReplaceAllString(p, "")) + "</li>\n")
	}
	b.WriteString("</" + tag + ">\n")
}

// table writes a table: the first line is its head, the second parts that from the rows.
func table(b *strings.Builder, lines []string) {
	b.WriteString("<table tabindex=\"0\">\n")
	for i, line := range lines {
		// The line of dashes below the head.
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

// listing writes the source of a program under the file's name.
func listing(b *strings.Builder, link []string) {
	text, err := programs.ReadFile(link[2])
	if err != nil {
		panic("docs: " + err.Error()) // the guide and its files are parts of the program
	}
	name := path.Base(link[2])
	b.WriteString("<details><summary>" + html.EscapeString(link[1]) + ": <code>" + html.EscapeString(name) +
		"</code></summary>")
	preformatted(b, string(text))
	b.WriteString("</details>\n")
}

// marks are what is marked within a line: code, and links, whose text may have code in it.
var (
	marks      = regexp.MustCompile("`[^`]+`|\\[[^\\]]+\\]\\([^)]+\\)")
	codeInLink = regexp.MustCompile("`([^`]+)`")
)

// prose is Markdown's paragraphs, code and links; a code that the errors' page explains leads there.
func prose(s string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(s, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph == "" {
			continue
		}
		b.WriteString("<p>" + inline(paragraph) + "</p>")
	}
	return b.String()
}

// inline is a text with its code and its links as HTML, and all else of it escaped.
func inline(text string) string {
	var b strings.Builder
	// What lies between two marks is plain text and escaped; the marks escape themselves.
	at := 0
	for _, m := range marks.FindAllStringIndex(text, -1) {
		b.WriteString(html.EscapeString(text[at:m[0]]))
		b.WriteString(mark(text[m[0]:m[1]]))
		at = m[1]
	}
	b.WriteString(html.EscapeString(text[at:]))
	return b.String()
}

// mark is one link or one code as HTML. A code that the errors' page explains leads there.
func mark(s string) string {
	if text, address, link := strings.Cut(strings.Trim(s, "[)"), "]("); link {
		return `<a href="` + html.EscapeString(address) + `">` +
			codeInLink.ReplaceAllString(html.EscapeString(text), "<code>$1</code>") + `</a>`
	}
	word := strings.Trim(s, "`")
	shown := "<code>" + html.EscapeString(word) + "</code>"
	if known(word) {
		return `<a href="/docs/errors#` + word + `">` + shown + `</a>`
	}
	return shown
}
