// Package markdown makes safe HTML of Markdown that vendors and merchants have written.
package markdown

import (
	"bytes"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parsed makes HTML of a text: HTML in it is left out, links lead to the web, to mail and to telephones only, and
// pictures come from the web only.
var parsed, parsedByLine = parserWith(), parserWith(html.WithHardWraps())

func parserWith(options ...renderer.Option) goldmark.Markdown {
	tables := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	return goldmark.New(goldmark.WithExtensions(tables), goldmark.WithRendererOptions(options...),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(cautious{}, 1_000))))
}

// Bounds on what is read as Markdown. maxBrackets and maxStars are more brackets, and more marks of emphasis, than a
// text has that people write. nested matches a line of quotes or lists within each other, 30 deep. The parser needs
// time in the square of such a text's length, or worse, so that text is shown as it is.
const (
	maxBrackets = 500
	maxStars    = 4_000
)

var nested = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-+*]|[0-9]{1,9}[.)])){30}`)

// HTML is a text as safe HTML, which stands below the one h1 of its page: its headings are one level lower. Text that
// is so nested that no person has written it is shown as it is, unparsed.
func HTML(source string) (template.HTML, error) { return convert(parsed, source) }

// Lines is HTML of a text whose lines stay lines, as those of an address do.
func Lines(source string) (template.HTML, error) { return convert(parsedByLine, source) }

func convert(by goldmark.Markdown, source string) (template.HTML, error) {
	stars := strings.Count(source, "*") + strings.Count(source, "_")
	if stars > maxStars || strings.Count(source, "[") > maxBrackets || nested.MatchString(source) {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>"), nil
	}
	var b bytes.Buffer
	if err := by.Convert([]byte(source), &b); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}

// The schemes of addresses that a text may have.
var (
	linked   = []string{"https", "http", "mailto", "tel"}
	pictured = []string{"https", "http"}
)

// cautious takes out of a text what is not safe in a page of ours: a link or a picture to anything else is its text.
type cautious struct{}

// Transform lowers headings by one level, because the page has its own first one, and puts a link's or a picture's text
// in its place if its address is none that a page of ours may lead to.
func (cautious) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var plain []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
		case *ast.Link:
			if !leads(n.Destination, linked) {
				plain = append(plain, n)
			}
			n.SetAttributeString("rel", []byte("noreferrer nofollow"))
		case *ast.Image:
			if !leads(n.Destination, pictured) {
				plain = append(plain, n)
			}
			n.SetAttributeString("referrerpolicy", []byte("no-referrer"))
			n.SetAttributeString("loading", []byte("lazy"))
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkURL && !leads(n.URL(reader.Source()), linked) {
				plain = append(plain, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range plain {
		unlink(n, reader.Source())
	}
}

// leads says whether an address is a whole one and has one of the schemes.
func leads(address []byte, schemes []string) bool {
	u, err := url.Parse(string(address))
	return err == nil && slices.Contains(schemes, u.Scheme) &&
		(u.Host != "" || u.Opaque != "" && !strings.HasPrefix(u.Scheme, "http"))
}

// unlink puts what a link or a picture holds in its place.
func unlink(n ast.Node, source []byte) {
	parent := n.Parent()
	if auto, is := n.(*ast.AutoLink); is {
		parent.ReplaceChild(parent, n, ast.NewString(auto.Label(source)))
		return
	}
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		parent.InsertBefore(parent, n, c)
		c = next
	}
	parent.RemoveChild(parent, n)
}
