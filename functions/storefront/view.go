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
	"eshop/shared/shop"
)

// pages are the templates. Each of them is in one language when it is parsed: [[name]] stands for a text (texts.go), and
// [[asset:name]] for the address of something static.
//
//go:embed templates
var pages embed.FS

// StaticFiles are what pages load: files that have addresses by their content.
//
//go:embed static
var StaticFiles embed.FS

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

var pageNames = []string{pageHome, pageCategory, pageProduct, pageBasket, pageCheckout, pageOrder, pageAccount, pageRegister,
	pageSignIn, pageSetPassword, pageError}

// templates are the pages of each language.
type templates [2]map[string]*template.Template

// parse reads the templates; asset is the address of a static file.
func parse(asset func(name string) string) templates {
	var all templates
	for l := range all {
		read := func(name string) string {
			b, err := pages.ReadFile("templates/" + name + ".html")
			if err != nil {
				panic(err)
			}
			worded := language(l).word(string(b))
			for _, file := range []string{"storefront.css"} {
				worded = strings.ReplaceAll(worded, "[[asset:"+file+"]]", asset(file))
			}
			return worded
		}
		frame := template.Must(template.New("page").Parse(read("page") + read("parts")))
		all[l] = map[string]*template.Template{}
		for _, name := range pageNames {
			all[l][name] = template.Must(template.Must(frame.Clone()).Parse(read(name)))
		}
	}
	return all
}

// render writes a page. What it is made of is plain data; all of it is escaped but what is template.HTML, which is the
// merchant's own code or made here.
func (t *templates) render(w io.Writer, l language, page string, data any) error {
	return t[l][page].ExecuteTemplate(w, "page", data)
}

// Link is an address with its text.
type Link struct {
	Text, Path string
	Current    bool
}

// Visit is what a page is made for: the shop, its menu, and what is known of the visitor.
type Visit struct {
	Shop    shop.Shop
	Website string // the storefront's address without a slash at its end
	Path    string // of the request, without the query
	Menu    *catalog.Menu
	Level   string // the visitor's price level
	Pieces  int64  // in the visitor's basket
	Total   field.Money
	// SignedIn is whether the visitor has an account here, and Name is what to call the visitor; "": nobody.
	SignedIn   bool
	Name       string
	AskConsent bool // whether the visitor has not answered yet

	State template.HTML // the frontend contract's state and script, first in the head
	Codes Codes
}

// Codes are the merchant's own code, by its place in the page.
type Codes struct{ Head, BodyEnd, OrderConfirmed template.HTML }

// Frame is what every page has around its content.
type Frame struct {
	Lang, ShopName string
	Title          string // of the window
	Description    string
	Canonical      string // "" of pages that search engines are to leave alone
	Kind, Image    string // Open Graph's
	Data           template.HTML
	State          template.HTML
	Codes          Codes
	Menu, Footer   []Link
	Crumbs         []Link // the last one is the page itself
	Pieces, Total  string // of the basket, "": empty
	Label          string // of the basket, for who does not see it
	SignedIn       bool
	Visitor        string
	AskConsent     bool
	Path           string
}

// How many categories the head and the foot of a page show.
const (
	menuLength   = 8
	footerLength = 24
)

func (v Visit) lang() language { return languageOf(v.Shop.Locale) }

func (v Visit) money(m field.Money) string { return money(m, v.Shop.Currency) }

// frame is that of a page of this title; "" is the shop's first page.
func (v Visit) frame(title string) Frame {
	l := v.lang()
	f := Frame{Lang: l.code(), ShopName: string(v.Shop.Name), Title: string(v.Shop.Name), Kind: "website", State: v.State,
		Codes: v.Codes, SignedIn: v.SignedIn, Visitor: v.Name, AskConsent: v.AskConsent, Path: v.Path, Label: l.say("basket")}
	if title != "" {
		f.Title = title + " | " + f.ShopName
	}
	if v.Pieces > 0 {
		f.Pieces, f.Total = grouped(v.Pieces), v.money(v.Total)
		f.Label += ": " + l.pieces(v.Pieces) + ", " + f.Total
	}
	if v.Menu != nil {
		for i, p := range v.Menu.Roots {
			link := Link{Text: p.Name, Path: "/" + p.Slug}
			if i < menuLength {
				f.Menu = append(f.Menu, link)
			}
			if i < footerLength {
				f.Footer = append(f.Footer, link)
			}
		}
	}
	return f
}

// at is the frame of a page below those places, of which search engines are told the address.
func (f Frame) at(v Visit, path []*catalog.Place, more ...Link) Frame {
	f.Canonical = v.Website + v.Path
	f.Crumbs = []Link{{Text: v.lang().say("home"), Path: "/"}}
	for _, p := range path {
		f.Crumbs = append(f.Crumbs, Link{Text: p.Name, Path: "/" + p.Slug})
		for i := range f.Menu {
			f.Menu[i].Current = f.Menu[i].Current || f.Menu[i].Path == "/"+p.Slug
		}
	}
	f.Crumbs = append(f.Crumbs, more...)
	f.Crumbs[len(f.Crumbs)-1].Current = true
	return f
}

// Picture is what stands for a product: its image, or a drawing when it has none.
type Picture struct {
	URL, Alt string // "": it has none
	Art      string // the classes of the drawing
}

// pictureOf is a product's first picture. Which drawing and which tint one without gets, its id and category tell, so
// that it is the same on all pages.
func pictureOf(id string, categories []string, image catalog.Image) Picture {
	if field.WebAddress(image.URL) {
		return Picture{URL: image.URL, Alt: string(image.Alt)}
	}
	tint := id
	if len(categories) > 0 {
		tint = categories[0]
	}
	return Picture{Art: fmt.Sprintf("a%d t%d", hashed(id, 6), hashed(tint, 6))}
}

func hashed(s string, n uint32) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32() >> 4 % n
}

// Card is a product in a list.
type Card struct {
	Picture
	Name, Path, Price string
	Gone              bool // nothing of it is in stock
}

func (v Visit) cards(list *catalog.List) []Card {
	cards := make([]Card, len(list.Products))
	for i, p := range list.Products {
		price, others, sold := p.PriceAt(v.Level)
		c := Card{Picture: pictureOf(p.ID, p.CategoryIDs, p.Image), Name: p.Name, Path: "/" + p.Slug, Gone: !p.InStock}
		if sold {
			c.Price = v.money(price)
		}
		if others {
			c.Price = v.lang().say("from") + nbsp + c.Price
		}
		cards[i] = c
	}
	return cards
}

// HomePage is the shop's first page.
type HomePage struct {
	Frame
	Products []Card
	Rooms    []Room
}

// Room is a root category on the first page.
type Room struct {
	Link
	Art string
}

func (v Visit) home(newest *catalog.List) HomePage {
	p := HomePage{Frame: v.frame(""), Products: v.cards(newest)}
	p.Canonical, p.Description = v.Website+"/", v.lang().say("welcome")
	if v.Menu != nil {
		for _, root := range v.Menu.Roots[:min(len(v.Menu.Roots), menuLength)] {
			p.Rooms = append(p.Rooms, Room{Link{Text: root.Name, Path: "/" + root.Slug},
				fmt.Sprintf("a%d t%d", hashed(root.Name, 6), hashed(root.ID, 6))})
		}
	}
	p.Data = linked(map[string]any{"@context": "https://schema.org", "@type": "OnlineStore", "name": p.ShopName,
		"url": p.Canonical})
	return p
}

// CategoryPage is a page of a category.
type CategoryPage struct {
	Frame
	Name       string
	Inside     []Link
	Products   []Card
	Next, Home string // "": there is no next page, or this is the first
}

func (v Visit) category(at *catalog.Place, list *catalog.List, after string) CategoryPage {
	p := CategoryPage{Frame: v.frame(at.Name).at(v, at.Path()), Name: at.Name, Products: v.cards(list)}
	for _, child := range at.Children {
		p.Inside = append(p.Inside, Link{Text: child.Name, Path: "/" + child.Slug})
	}
	if after != "" {
		p.Home = v.Path
		p.Canonical += "?after=" + url.QueryEscape(after)
	}
	if list.Next != "" {
		p.Next = v.Path + "?after=" + url.QueryEscape(list.Next)
	}
	p.Data = linked(p.crumbs(v))
	return p
}

// crumbs are the way to a page, as search engines read it.
func (f Frame) crumbs(v Visit) map[string]any {
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
	Frame
	Heading, Text string
}

func (v Visit) refused(status int) ErrorPage {
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
	return ErrorPage{Frame: v.frame(l.say(name)), Heading: l.say(name), Text: l.say(name + "Is")}
}

// unknownHost is the page of a host that no shop has (contract, section 6): in English, for it is nobody's.
const unknownHost = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No shop here</title>
<style>body{font:1.125rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1.5rem;color:#1f2722}</style></head>
<body><h1>There is no shop here</h1><p>No shop on this platform has this address. Please check how it is spelled.</p>
<p>For developers: the <a href="/docs">reference of the API</a>.</p></body>
</html>
`

// robots is what crawlers are told: all but what is each visitor's own.
func robots(website string) string {
	var b bytes.Buffer
	b.WriteString("User-agent: *\n")
	for _, path := range []string{"/account$", "/account?", "/account/", "/basket$", "/basket?", "/basket/", "/checkout$", "/checkout?",
		"/consent$", "/order/"} { // and not what begins like them: /basketball
		b.WriteString("Disallow: " + path + "\n")
	}
	fmt.Fprintf(&b, "\nSitemap: %s/sitemap.xml\n", website)
	return b.String()
}
