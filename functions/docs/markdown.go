package docs

import (
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"eshop/functions/docs/openapi"
)

// content is what a page says: Markdown, which programs that read are served as it is, and the HTML of it. The HTML
// also has what only a page needs: columns, tabs, parts that open at a click.
type content struct{ markdown, html strings.Builder }

// write adds Markdown.
func (c *content) write(markdown string) { c.add(markdown, toHTML(markdown)) }

// writeAnchored adds Markdown whose headings can be linked to.
func (c *content) writeAnchored(markdown string) { c.add(markdown, convert(anchored, markdown)) }

// add adds Markdown with HTML of its own.
func (c *content) add(markdown, html string) {
	c.markdown.WriteString(strings.TrimSpace(markdown) + "\n\n")
	c.frame(html)
}

// frame adds HTML that says nothing: where an element begins or ends.
func (c *content) frame(html string) { c.html.WriteString(html) }

// within adds Markdown in a div with these attributes.
func (c *content) within(attributes, markdown string) {
	c.frame("<div " + attributes + ">\n")
	c.write(markdown)
	c.frame("</div>\n")
}

// fold adds Markdown that opens at a click on its title, a line of Markdown.
func (c *content) fold(title, markdown string) {
	c.add(title+":\n\n"+markdown, "<details><summary>"+inline(title)+"</summary>"+toHTML(markdown)+"</details>\n")
}

// anchored makes HTML of guides, whose headings can be linked to; unanchored of all else, where what stands around a
// heading has the anchor.
var (
	anchored   = converter(parser.WithAutoHeadingID())
	unanchored = converter()
)

func converter(options ...parser.Option) goldmark.Markdown {
	// Cells are aligned by an attribute: a page may have no styles within it.
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	return goldmark.New(goldmark.WithExtensions(table, extension.DefinitionList),
		goldmark.WithParserOptions(options...),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(code{}, 1))))
}

// toHTML is Markdown as HTML.
func toHTML(markdown string) string { return convert(unanchored, markdown) }

// inline is one line of Markdown as HTML without a paragraph around it.
func inline(line string) string {
	return strings.TrimSuffix(strings.TrimPrefix(toHTML(line), "<p>"), "</p>\n")
}

func convert(by goldmark.Markdown, markdown string) string {
	var b strings.Builder
	ids := parser.NewContext(parser.WithIDs(anchors{}))
	if err := by.Convert([]byte(markdown), &b, parser.WithContext(ids)); err != nil {
		panic("docs: " + err.Error()) // a Builder takes everything
	}
	return marked(b.String())
}

// marked lets the keyboard scroll tables, and gives lists of fields their look. Text is escaped, so it has no tags.
var marked = strings.NewReplacer("<table>", `<table tabindex="0">`, "<dl>", `<dl class="facts">`).Replace

// anchors are those of headings: their words with dashes between them. They must stay as they are, since others link to
// them.
type anchors struct{}

// Generate is parser.IDs'.
func (anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	return []byte(anchor(string(heading)))
}

// Put is parser.IDs'.
func (anchors) Put([]byte) {}

func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(heading)), " ", "-")
}

// code writes code: blocks, which the keyboard can scroll, and words. A code that the errors' page explains leads
// there, and a method has its colour in lists of operations.
type code struct{}

// RegisterFuncs is renderer.NodeRenderer's.
func (code) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, block)
	r.Register(ast.KindCodeSpan, span)
}

func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(preformatted(string(n.Lines().Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

// preformatted is a block of code as HTML.
func preformatted(text string) string {
	return `<pre tabindex="0">` + escaped(text) + "</pre>\n"
}

func span(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	word := ""
	for c := node.FirstChild(); c != nil; c = c.NextSibling() {
		word += string(c.(*ast.Text).Value(source))
	}
	shown := "<code>" + escaped(word) + "</code>"
	switch word {
	case "GET", "POST", "PATCH", "DELETE":
		shown = `<code class="method ` + word + `">` + word + "</code>"
	}
	if openapi.IsCode(word) && node.Parent().Kind() != ast.KindLink {
		shown = `<a href="/docs/errors#` + word + `">` + shown + "</a>"
	}
	_, _ = w.WriteString(shown)
	return ast.WalkSkipChildren, nil
}

// escaped escapes a text between tags. Quotes stay: between tags they are safe, and examples are full of them.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace

// fenced is code in a language as Markdown.
func fenced(language, source string) string {
	return "```" + language + "\n" + strings.TrimSuffix(source, "\n") + "\n```"
}

// link is a link as Markdown.
func link(text, address string) string { return "[" + text + "](" + address + ")" }

// attribute is an attribute of an element, with the blank before it.
func attribute(name, value string) string { return " " + name + `="` + html.EscapeString(value) + `"` }
