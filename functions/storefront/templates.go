package storefront

import (
	"embed"
	"html/template"
	"io"
	"strings"

	"eshop/shared/base/remember"
	"eshop/shared/page"
)

// templateFiles are the templates. Each of them is in one language when it is parsed: [[name]] stands for a text
// (texts/), and [[asset:name]] for the address of something static.
//
//go:embed templates
var templateFiles embed.FS

// Pages are the templates of each language, and what was made of them that many pages show. It is safe for concurrent
// use.
type Pages struct {
	templates map[page.Language]*template.Template
	pieces    remember.Last[piece, template.HTML]
	products  remember.Last[productKey, productShown]
	outlines  remember.Last[outlineKey, template.HTML]
}

// How many pieces of pages are kept, and how many pages of products and outlines, which are larger.
const (
	maxPieces   = 5_000
	maxProducts = 500
	maxOutlines = 500
)

// piece is the key under which a made piece of a page is kept: all that the piece is made of. A new version of a
// product or menu has a new key, so no piece is ever outdated; the oldest are forgotten when there are too many.
type piece struct {
	lang                            language
	what, shop, of, version, seller string // seller: the currency and price level, where there is a price
	menu                            string // the menu's version, where the menu is in it
}

// productKey is the key of a product's page, which also shows the shop's address and name, and one variant chosen.
type productKey struct {
	piece
	website, name, chosen string
}

// outlineKey is the key of an outline: all that it is made of.
type outlineKey struct {
	lang language
	Outline
}

// gap is where an outline leaves room for what Write puts there. A NUL cannot be in any text of a page, because a
// template writes U+FFFD in its place.
const gap = "\x00"

// Gap is what the template of outlines says at its gaps.
func (Outline) Gap() template.HTML { return gap }

// NewPages reads the templates; asset is the address of a static file.
func NewPages(asset func(name string) string) *Pages {
	p := &Pages{pieces: remember.NewLast[piece, template.HTML](maxPieces),
		products: remember.NewLast[productKey, productShown](maxProducts),
		outlines: remember.NewLast[outlineKey, template.HTML](maxOutlines)}
	p.templates = page.Templates(templateFiles, texts, page.OfShops, asset)
	return p
}

// content is what a page is made of: plain data. The templates escape all of it but template.HTML, which is the
// merchant's own code, or was made by a template before.
type content interface{ layout() *Layout }

// Write writes a page: its outline, and in the outline's gaps, in their order, what is this page's or this visitor's
// own.
//
// Most of a page is the same for all visitors, so the outline, the menus and the products' cards are made once and
// kept. The order of `own` below is the order of the gaps in the template "page".
func Write(w io.Writer, p content) error {
	// What the page itself says, then what many pages share, and at last the two together.
	f := p.layout()
	view, pages := f.visit, f.visit.Pages
	if f.Content == "" {
		f.Content = pages.make(view.lang(), f.name, p)
	}
	if view.Menu != nil && len(view.Menu.Roots) > 0 {
		at := piece{lang: view.lang(), what: "nav", shop: view.Shop.ID, of: f.About.Current, menu: view.Menu.Version}
		f.Nav = pages.piece(at, func() any { return menuOf(view.Menu, f.About.Current) })
		at.what, at.of = "foot", ""
		f.Foot = pages.piece(at, func() any { return linksOf(view.Menu.Roots, footerLength, "") })
	}
	own := []template.HTML{f.State, f.Codes.Head, pages.corner(view.lang(), f.Corner), f.Content, f.Codes.BodyEnd, ""}
	n := 0
	for around := range strings.SplitSeq(string(pages.outline(view.lang(), f.Outline)), gap) {
		for _, text := range []string{around, string(own[n])} {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		n++
	}
	return nil
}

// outline is what is around the page's own content. It is kept only if the page has a canonical address, which search
// engines are told. Any other address may hold a secret, or be anything that somebody has typed, and would push out
// what is worth keeping.
func (p *Pages) outline(l language, o Outline) template.HTML {
	at := outlineKey{l, o}
	made, has := p.outlines.Get(at)
	if !has {
		made = p.make(l, "page", o)
		if o.About.Canonical != "" {
			p.outlines.Set(at, made)
		}
	}
	return made
}

// corner is the visitor's corner of a page: the basket, and who is signed in. The empty one, which most visitors see,
// is kept.
func (p *Pages) corner(l language, c Corner) template.HTML {
	if c == (Corner{}) {
		return p.piece(piece{lang: l, what: "corner"}, func() any { return c })
	}
	return p.make(l, "corner", c)
}

// piece is a piece of pages, made of data unless it was made before.
func (p *Pages) piece(at piece, data func() any) template.HTML {
	made, has := p.pieces.Get(at)
	if !has {
		made = p.make(at.lang, at.what, data())
		p.pieces.Set(at, made)
	}
	return made
}

// make fills a template with data. It panics if they do not fit: that is a fault of the program, which tests find.
func (p *Pages) make(l language, name string, data any) template.HTML {
	var b strings.Builder
	if err := p.templates[l.Language].ExecuteTemplate(&b, name, data); err != nil {
		panic("storefront: " + err.Error())
	}
	return template.HTML(b.String())
}
