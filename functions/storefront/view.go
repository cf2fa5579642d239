package storefront

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"net/url"
	"strings"

	"eshop/shared/catalog"
	"eshop/shared/field"
	"eshop/shared/page"
	"eshop/shared/remember"
	"eshop/shared/shop"
)

// templateFiles are the templates. Each of them is in one language when it is parsed: [[name]] stands for a text
// (texts.go), and [[asset:name]] for the address of something static.
//
//go:embed templates
var templateFiles embed.FS

// The names of pages.
const (
	pageHome        = "home"
	pageCategory    = "category"
	pageProduct     = "product"
	pageBasket      = "basket"
	pageCheckout    = "checkout"
	pageOrder       = "order"
	pageAccount     = "account"
	pageRegister    = "register"
	pageSignIn      = "sign-in"
	pageSetPassword = "set-password"
	pageError       = "error"
)

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

// piece names a piece of a page, and all that it was made of: another version is another piece.
type piece struct {
	lang                            language
	what, shop, of, version, seller string // seller: the currency and price level, where there is a price
	menu                            string // the menu's version, where the menu is in it
}

// productKey names the page of a product: it has the shop's address and name in it, too.
type productKey struct {
	piece
	website, name string
}

// outlineKey names an outline by all that it is made of.
type outlineKey struct {
	lang language
	Outline
}

// gap is where an outline leaves room for what Write puts there. No text has it: a template writes another character
// for it.
const gap = "\x00"

// Gap is what the template of outlines says at its gaps.
func (Outline) Gap() template.HTML { return gap }

// NewPages reads the templates; asset is the address of a static file.
func NewPages(asset func(name string) string) *Pages {
	p := &Pages{pieces: remember.NewLast[piece, template.HTML](maxPieces),
		products: remember.NewLast[productKey, productShown](maxProducts),
		outlines: remember.NewLast[outlineKey, template.HTML](maxOutlines)}
	p.templates = page.Templates(templateFiles, texts, []page.Language{page.Czech, page.Slovak}, asset)
	return p
}

// content is what a page is made of: plain data. All of it is escaped but what is template.HTML, which is the
// merchant's own code or made by a template before.
type content interface{ layout() *Layout }

// Write writes a page: its outline, and in the gaps of that, in their order, what is this page's or this visitor's own.
func Write(w io.Writer, p content) error {
	f := p.layout()
	v, pages := f.visit, f.visit.Pages
	if f.Content == "" {
		f.Content = pages.make(v.lang(), f.name, p)
	}
	if v.Menu != nil && len(v.Menu.Roots) > 0 {
		at := piece{lang: v.lang(), what: "nav", shop: v.Shop.ID, of: f.About.Current, menu: v.Menu.Version}
		f.Nav = pages.piece(at, func() any { return menuOf(v.Menu, menuLength, f.About.Current) })
		at.what, at.of = "foot", ""
		f.Foot = pages.piece(at, func() any { return menuOf(v.Menu, footerLength, "") })
	}
	own := []template.HTML{f.State, f.Codes.Head, pages.corner(v.lang(), f.Corner), f.Content, f.Codes.BodyEnd, ""}
	n := 0
	for around := range strings.SplitSeq(string(pages.outline(v.lang(), f.Outline)), gap) {
		for _, text := range []string{around, string(own[n])} {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		n++
	}
	return nil
}

// outline is what the pages of equal outlines have around what is their own. It is kept for those that search engines
// are told of: of all others the address may be a secret, or anything.
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

// corner is the visitor's corner of a page. It is kept for who has nothing in it, as most have.
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

// make is what a template makes of data. What is wrong with one, tests find.
func (p *Pages) make(l language, name string, data any) template.HTML {
	var b strings.Builder
	if err := p.templates[page.Language(l)].ExecuteTemplate(&b, name, data); err != nil {
		panic("storefront: " + err.Error())
	}
	return template.HTML(b.String())
}

// menuOf are the first root categories as links.
func menuOf(m *catalog.Menu, most int, current string) []page.Link {
	links := make([]page.Link, 0, most)
	for _, p := range m.Roots[:min(len(m.Roots), most)] {
		links = append(links, page.Link{Text: p.Name, Path: "/" + p.Slug, Current: p.Slug == current})
	}
	return links
}

// Setting is what a page is made for: the shop, its menu, and what is known of the visitor.
type Setting struct {
	Shop    shop.Shop
	Website string // the storefront's address without a slash at its end
	Path    string // of the request, without the query
	Pages   *Pages
	Menu    *catalog.Menu
	Level   string // the visitor's price level; "" is the default one
	Pieces  int64  // in the visitor's basket
	Total   field.Money
	// SignedIn is whether the visitor has an account here, and Name is what to call the visitor; "": nobody.
	SignedIn   bool
	Name       string
	AskConsent bool // whether the visitor has not answered yet

	State template.HTML // the frontend contract's state and script, first in the head
	Codes Codes
}

// Codes are the merchant's own code, by its place in the page. It runs as it is.
type Codes struct{ Head, BodyEnd, OrderConfirmed template.HTML }

// Layout is what every page has around its content.
type Layout struct {
	visit Setting
	name  string // of the template
	Outline
	Corner
	Crumbs  []page.Link // the way to the page; the last one is the page itself
	State   template.HTML
	Codes   Codes
	Content template.HTML // "" until it is made
}

// Outline is what the layouts of many pages are made of alike: equal outlines are the same text.
type Outline struct {
	Lang, ShopName string
	About          About
	Nav, Foot      template.HTML
	Known          bool // whether the visitor is signed in
	AskConsent     bool
	Path           string
	Query          string // what the page is of beside its path; "": nothing
}

// Here is where who answers the banner goes on.
func (o Outline) Here() string {
	if o.Query == "" {
		return o.Path
	}
	return o.Path + "?" + o.Query
}

// ConsentPath is the address at which the page shows the consent banner again.
func (o Outline) ConsentPath() string {
	path := o.Path + "?consent=again"
	if o.Query != "" {
		path += "&" + o.Query
	}
	return path + "#consent"
}

// Corner is what a page says of its visitor; the zero one of who is not signed in and has nothing in the basket.
type Corner struct {
	SignedIn      bool
	FirstName     string
	Pieces, Total string // of the basket
	Label         string // of the basket, for who does not see it
}

// About is what a page says of itself.
type About struct {
	Title       string // of the window
	Description string
	Canonical   string // "" of pages that search engines are to leave alone
	Kind, Image string // Open Graph's
	Data        template.HTML
	Current     string // the slug of the root category that it is in
}

// How many categories the head and the foot of a page show.
const (
	menuLength   = 8
	footerLength = 24
)

func (f *Layout) layout() *Layout { return f }

func (v Setting) lang() language { return languageOf(v.Shop.Locale) }

func (v Setting) money(m field.Money) string { return money(m, v.Shop.Currency) }

// seller is what prices go by.
func (v Setting) seller() string { return v.Shop.Currency + " " + v.Level }

// titled is the layout of a page with this title; "" is the shop's first page.
func (v Setting) titled(name, title string) Layout {
	l := v.lang()
	f := Layout{visit: v, name: name, State: v.State, Codes: v.Codes,
		Corner: Corner{SignedIn: v.SignedIn, FirstName: v.Name},
		Outline: Outline{Lang: l.code(), ShopName: string(v.Shop.Name), Known: v.SignedIn, AskConsent: v.AskConsent,
			Path: v.Path}}
	f.About = About{Title: f.ShopName, Kind: "website"}
	if title != "" {
		f.About.Title = title + " | " + f.ShopName
	}
	if v.Pieces > 0 {
		f.Pieces, f.Total = grouped(v.Pieces), v.money(v.Total)
		f.Label = l.say("basket") + ": " + l.pieces(v.Pieces) + ", " + f.Total
	}
	return f
}

// at is the layout of a page below these categories, of which search engines are told the address.
func (f Layout) at(v Setting, path []*catalog.MenuEntry, more ...page.Link) Layout {
	f.About.Canonical = v.Website + v.Path
	crumbs := []page.Link{{Text: v.lang().say("home"), Path: "/"}}
	for _, p := range path {
		crumbs = append(crumbs, page.Link{Text: p.Name, Path: "/" + p.Slug})
	}
	if len(path) > 0 {
		f.About.Current = path[0].Slug
	}
	f.Crumbs = append(crumbs, more...)
	f.Crumbs[len(f.Crumbs)-1].Current = true
	return f
}

// Picture is what stands for a product: its image, or a drawing when it has none.
type Picture struct {
	URL, Alt string // "": it has none
	Art      string // the classes of the drawing
}

// pictureOf is a product's picture. Which drawing in which tint one without gets, its id tells, so that it is the same
// on all pages.
func pictureOf(id string, image catalog.Image) Picture {
	if field.WebAddress(image.URL) {
		return Picture{URL: image.URL, Alt: string(image.Alt)}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	n := h.Sum32() ^ h.Sum32()>>15
	return drawing(n, n/drawings)
}

// drawings is how many drawings the styles have, and how many tints.
const drawings = 6

func drawing(n, tint uint32) Picture {
	return Picture{Art: fmt.Sprintf("a%d t%d", n%drawings, tint%drawings)}
}

// Card is a product in a list.
type Card struct {
	Picture
	Name, Path, Price string
	Gone              bool // nothing of it is in stock
}

// cardBytes is about what a card takes.
const cardBytes = 256

// cards are the products of a list, each of which was made when it was shown first; "" of an empty list.
func (v Setting) cards(list *catalog.List) template.HTML {
	var cards strings.Builder
	cards.Grow(len(list.Products) * cardBytes)
	for _, p := range list.Products {
		at := piece{lang: v.lang(), what: "card", shop: v.Shop.ID, of: p.ID, version: p.Version, seller: v.seller()}
		cards.WriteString(string(v.Pages.piece(at, func() any { return v.card(p) })))
	}
	return template.HTML(cards.String())
}

func (v Setting) card(p *catalog.ListedProduct) Card {
	price, others, sold := p.PriceAt(v.Level)
	c := Card{Picture: pictureOf(p.ID, p.Image), Name: p.Name, Path: "/" + p.Slug, Gone: !p.InStock}
	if sold {
		c.Price = v.money(price)
	}
	if others {
		c.Price = v.lang().say("from") + page.NBSP + c.Price
	}
	return c
}

// HomePage is the shop's first page.
type HomePage struct {
	Layout
	Products template.HTML // cards
	Rooms    template.HTML
}

// Room is a root category on the first page.
type Room struct {
	page.Link
	Picture
}

func (v Setting) home(newest *catalog.List) *HomePage {
	p := &HomePage{Layout: v.titled(pageHome, ""), Products: v.cards(newest)}
	p.About.Canonical, p.About.Description = v.Website+"/", v.lang().say("welcome")
	if v.Menu != nil && len(v.Menu.Roots) > 0 {
		at := piece{lang: v.lang(), what: "rooms", shop: v.Shop.ID, menu: v.Menu.Version}
		p.Rooms = v.Pages.piece(at, func() any { return roomsOf(v.Menu) })
	}
	p.About.Data = linked(map[string]any{"@context": "https://schema.org", "@type": "OnlineStore", "name": p.ShopName,
		"url": p.About.Canonical})
	return p
}

// roomsOf are the first root categories, each with a drawing of its own.
func roomsOf(m *catalog.Menu) (rooms []Room) {
	for i, link := range menuOf(m, menuLength, "") {
		rooms = append(rooms, Room{link, drawing(uint32(2*i+i/3+2), uint32(i))})
	}
	return rooms
}

// CategoryPage is a page of a category.
type CategoryPage struct {
	Layout
	Name       string
	Inside     []page.Link
	Products   template.HTML // cards
	Next, Home string        // "": there is no next page, or this is the first
}

func (v Setting) category(at *catalog.MenuEntry, list *catalog.List, after string) *CategoryPage {
	p := &CategoryPage{Layout: v.titled(pageCategory, at.Name).at(v, at.Path()), Name: at.Name, Products: v.cards(list)}
	for _, child := range at.Children {
		p.Inside = append(p.Inside, page.Link{Text: child.Name, Path: "/" + child.Slug})
	}
	if after != "" {
		p.Home, p.Query = v.Path, "after="+url.QueryEscape(after)
		p.About.Canonical += "?" + p.Query
	}
	if list.Next != "" {
		p.Next = v.Path + "?after=" + url.QueryEscape(list.Next)
	}
	p.About.Data = linked(p.crumbs(v))
	return p
}

// crumbs are the way to a page, as search engines read it.
func (f Layout) crumbs(v Setting) map[string]any {
	items := make([]map[string]any, len(f.Crumbs))
	for i, c := range f.Crumbs {
		items[i] = map[string]any{"@type": "ListItem", "position": i + 1, "name": c.Text}
		if c.Path != "" {
			items[i]["item"] = v.Website + c.Path
		}
	}
	return map[string]any{"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items}
}

// ErrorPage says what went wrong. It is of any status but those that show a form again.
type ErrorPage struct {
	Layout
	Heading, Text string
}

func (v Setting) refused(status int) *ErrorPage {
	name := "refused"
	switch {
	case status == 404 || status == 410:
		name = "notFound"
	case status == 429:
		name = "tooMany"
	case status >= 500:
		name = "failed"
	}
	l := v.lang()
	return &ErrorPage{Layout: v.titled(pageError, l.say(name)), Heading: l.say(name), Text: l.say(name + "Is")}
}

// robots is what crawlers are told: all but what is each visitor's own.
func robots(website string) string {
	var b bytes.Buffer
	b.WriteString("User-agent: *\n")
	for _, path := range []string{"/account$", "/account?", "/account/", "/basket$", "/basket?", "/basket/",
		"/checkout$", "/checkout?",
		"/consent$", "/order/"} { // and not what begins like them: /basketball
		b.WriteString("Disallow: " + path + "\n")
	}
	fmt.Fprintf(&b, "\nSitemap: %s/sitemap.xml\n", website)
	return b.String()
}
