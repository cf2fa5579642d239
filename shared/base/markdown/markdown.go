// Package markdown makes safe HTML of Markdown that vendors and merchants have written.
//
// One text is converted in milliseconds, whoever wrote it, because bounds are held before and while it is parsed: the
// parser itself cannot be stopped in the middle. The HTML of a text is at most MaxHTML. What breaks a bound is shown as
// it was typed.
package markdown

import (
	"bytes"
	"context"
	"crypto/sha256"
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

	"eshop/shared/base/remember"
)

// parsed and parsedByLine make HTML of a text. HTML in it is left out, links lead to the web, to mail and to telephones
// only, and pictures come from the web only.
var (
	parsed       = parserWith()                     // lines of a paragraph flow into each other
	parsedByLine = parserWith(html.WithHardWraps()) // a line stays a line
)

func parserWith(options ...renderer.Option) goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(tables{}), goldmark.WithRendererOptions(options...),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(cautious{}, 1_000))))
}

// Bounds on what is read as Markdown. maxBrackets, maxStars and maxBars are more brackets, more marks of emphasis, and
// more escaped bars of tables, than a text has that people write. nested matches a line of quotes or lists within each
// other, 30 deep. The parser needs time in the square of such a text's length, or worse.
const (
	maxBrackets = 500
	maxStars    = 4_000
	maxBars     = 1_000
)

var nested = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-+*]|[0-9]{1,9}[.)])){30}`)

// The bounds of a text (contract, "Bounds"). Together the tables of a text have at most MaxCells, so that many tables
// are not what one may not be.
const (
	MaxColumns = 100
	MaxCells   = 20_000
	MaxHTML    = 1_000_000 // bytes
)

// maxGrown is how many bytes of HTML a text may have that grow much faster than what was typed: a row that is shorter
// than its table's head is filled with empty cells, each use of a reference repeats its address and title, and a quote
// is one mark. All else grows to less than 20 times its length. cellBytes is an empty cell with its alignment,
// quoteBytes a quote, maxEscape how long a byte of an address or a title becomes at most.
const (
	maxGrown   = 512 << 10
	cellBytes  = len(`<td align="center"></td>` + "\n")
	quoteBytes = len("<blockquote>\n</blockquote>\n")
	maxEscape  = len("&quot;")
)

// Texts makes HTML of texts and remembers what it made: a page that everybody reads is converted once. It is safe for
// concurrent use.
type Texts struct {
	made remember.Last[typed, template.HTML]
}

// typed is a text and what reads it: its hash, because a text may be long.
type typed struct {
	hash [sha256.Size]byte
	by   goldmark.Markdown
}

// How much HTML is remembered: bytes, and texts, which are mostly short.
const (
	textsBytes = 16 << 20
	maxTexts   = 2_000
)

// New makes HTML of texts of which it has made none yet.
func New() *Texts {
	return &Texts{remember.NewLast[typed, template.HTML](maxTexts).
		Weigh(func(made template.HTML) int { return len(made) }, textsBytes)}
}

// HTML is a text of at most 64 KiB as safe HTML, which stands below the one h1 of its page: its headings are one level
// lower. A text that breaks a bound is shown as it was typed, escaped. Once ctx has ended, only texts that are
// remembered are returned; for others the error is ctx's.
func (t *Texts) HTML(ctx context.Context, source string) (template.HTML, error) {
	return t.make(ctx, source, parsed)
}

// Lines is HTML of a text whose lines stay lines, as those of an address do.
func (t *Texts) Lines(ctx context.Context, source string) (template.HTML, error) {
	return t.make(ctx, source, parsedByLine)
}

func (t *Texts) make(ctx context.Context, source string, by goldmark.Markdown) (template.HTML, error) {
	key := typed{sha256.Sum256([]byte(source)), by}
	if made, has := t.made.Get(key); has {
		return made, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	made, ok := convert(by, source)
	if !ok {
		made = template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>")
	}
	t.made.Set(key, made)
	return made, nil
}

// convert is the text's HTML; not ok if the text breaks a bound.
func convert(by goldmark.Markdown, source string) (made template.HTML, ok bool) {
	stars := strings.Count(source, "*") + strings.Count(source, "_")
	if stars > maxStars || strings.Count(source, "[") > maxBrackets ||
		strings.Count(source, `\|`) > maxBars || nested.MatchString(source) {
		return "", false
	}
	parsing, typed := parser.NewContext(), []byte(source)
	doc := by.Parser().Parse(text.NewReader(typed), parser.WithContext(parsing))
	if growthOf(parsing).tooBig {
		return "", false
	}
	var b bytes.Buffer
	err := by.Renderer().Render(&b, typed, doc)
	return template.HTML(b.String()), err == nil && b.Len() <= MaxHTML
}

// growth is how much larger than its text the HTML becomes, by what nobody has typed.
type growth struct {
	cells, grown int
	tooBig       bool // the text breaks a bound: what is parsed of it is not shown
}

var growthKey = parser.NewContextKey()

func growthOf(c parser.Context) *growth {
	return c.ComputeIfAbsent(growthKey, func() any { return &growth{} }).(*growth)
}

// by counts so many more bytes, and says whether the text is within its bounds still.
func (g *growth) by(n int) bool {
	g.grown += n
	g.tooBig = g.tooBig || g.grown > maxGrown
	return !g.tooBig
}

// tables adds tables to Markdown, whose cells are counted before one is made.
type tables struct{}

// Extend is goldmark's.
func (tables) Extend(m goldmark.Markdown) {
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)).Extend(m)
	// Before the extension's own transformer of paragraphs, which has the priority 200.
	m.Parser().AddOptions(parser.WithParagraphTransformers(util.Prioritized(counted{}, 199)))
}

// counted looks at paragraphs before tables are made of them.
type counted struct{}

// Transform takes a paragraph out of its text if a table that is too large could be made of it, and marks the text. A
// table is made at the first line that can stand below a head; any line that looks like it is counted as if it were.
func (counted) Transform(paragraph *ast.Paragraph, reader text.Reader, parsing parser.Context) {
	grows, lines, cells := growthOf(parsing), paragraph.Lines(), 0
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		columns := columnsOf(line.Value(reader.Source()))
		grows.tooBig = grows.tooBig || columns > MaxColumns
		cells = max(cells, columns*(lines.Len()-i)) // the head counts, the line below it does not
	}
	grows.cells += cells
	grows.tooBig = !grows.by(cells*cellBytes) || grows.cells > MaxCells
	if grows.tooBig {
		paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
	}
}

// columnsOf is how many columns of a table a line makes that stands below its head; 0 if the line cannot stand there.
func columnsOf(line []byte) int {
	if line = bytes.TrimSpace(line); !bytes.ContainsRune(line, '-') || len(bytes.Trim(line, "-:| \t")) > 0 {
		return 0
	}
	return bytes.Count(bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|")), []byte("|")) + 1
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
func (cautious) Transform(doc *ast.Document, reader text.Reader, parsing parser.Context) {
	var plain []ast.Node
	grows := growthOf(parsing)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Blockquote:
			if !grows.by(quoteBytes) {
				return ast.WalkStop, nil
			}
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
		case *ast.Link:
			if !grows.by(maxEscape * (len(n.Destination) + len(n.Title))) {
				return ast.WalkStop, nil
			}
			if !leads(n.Destination, linked) {
				plain = append(plain, n)
			}
			n.SetAttributeString("rel", []byte("noreferrer nofollow"))
		case *ast.Image:
			if !grows.by(maxEscape * (len(n.Destination) + len(n.Title))) {
				return ast.WalkStop, nil
			}
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
