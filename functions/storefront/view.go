package storefront

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/images"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// MenuLink is a root category in the menu, with those inside it.
type MenuLink struct {
	page.Link
	Inside []page.Link
}

// Menu is what the menu shows of a shop's categories.
type Menu struct {
	Links []MenuLink
	More  bool // there are others, which the page of all categories has
}

// menuOf are the first root categories and what is inside them. More says that the shop has other categories.
func menuOf(m *shelf.Menu, current string) (menu Menu) {
	shown := 0
	for i, link := range linksOf(m.Roots, menuLength, current) {
		inside := linksOf(m.Roots[i].Children, insideLength, "")
		menu.Links = append(menu.Links, MenuLink{link, inside})
		shown += 1 + len(inside)
	}
	menu.More = shown < len(m.All())
	return menu
}

// linksOf are the first of these categories as links.
func linksOf(categories []*shelf.MenuEntry, most int, current string) []page.Link {
	links := make([]page.Link, 0, most)
	for _, p := range categories[:min(len(categories), most)] {
		links = append(links, page.Link{Text: p.Name, Path: "/" + p.Slug, Current: p.Slug == current})
	}
	return links
}

// Setting is what a page is made for: the shop, its menu, and what is known of the visitor. Its methods make the pages.
type Setting struct {
	Shop    shop.Shop
	Website string // the storefront's address without a slash at its end
	Path    string // of the request, without the query
	Pages   *Pages
	Menu    *shelf.Menu
	Level   string // the visitor's price level; "" is the default one
	Chosen  string // the id of the variant that the address of a product's page names; "": none
	Pieces  int64  // in the visitor's basket
	Total   field.Money
	// SignedIn is whether the visitor has an account here, and Name is what to call the visitor; "": nobody.
	SignedIn   bool
	Name       string
	AskConsent bool // whether the visitor has not answered yet

	State template.HTML // the frontend contract's state and script, first in the head
	Codes Codes
}

// Codes are the merchant's own code, by its place in the page. It is not escaped and runs as it is: that is what it is
// for (contract, "Custom codes and cleanup orders").
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

// Outline is the part of a layout that many pages share: equal outlines become the same text, which is made once.
type Outline struct {
	Lang, ShopName string
	Test           bool // the shop is a developer's test shop: search engines are told to pass over it
	About          About
	Nav, Foot      template.HTML
	Known          bool // whether the visitor is signed in
	AskConsent     bool
	Path           string
	Query          string // what the page is of beside its path; "": nothing
	Asked          string // what was searched for

	Logo                    Logo // zero: the shop's name stands in its place
	Accent                  string
	Contact, Terms, Privacy bool // whether the shop has such a page
}

// Logo is a shop's logo: a path on the shop's own host, and the size of its picture in pixels.
type Logo struct {
	URL           string
	Width, Height int
}

// Palette is the style of the shop's own colour.
func (o Outline) Palette() template.HTML { return palette(o.Accent) }

// Here is the page to which the answer to the banner leads back.
func (o Outline) Here() string {
	if o.Query == "" {
		return o.Path
	}
	return o.Path + "?" + o.Query
}

// ConsentPath is the address at which the page shows the consent banner again, for the link in the footer.
func (o Outline) ConsentPath() string {
	path := o.Path + "?consent=again"
	if o.Query != "" {
		path += "&" + o.Query
	}
	return path + "#consent"
}

// Corner is what a page says of its visitor. The zero Corner is that of visitors who are not signed in and have nothing
// in their basket.
type Corner struct {
	SignedIn      bool
	FirstName     string
	Pieces, Total string // of the basket
}

// About is what a page says of itself to search engines and to whoever shares it.
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
	insideLength = 12 // of each of these
	footerLength = 24
)

// layout makes whatever embeds a Layout a content.
func (f *Layout) layout() *Layout { return f }

// lang is the language of the shop.
func (s Setting) lang() language { return languageOf(s.Shop.Locale) }

// money is an amount in the shop's currency.
func (s Setting) money(m field.Money) string { return money(m, s.Shop.Currency) }

// seller is what prices depend on: the currency, and the price level of the visitor.
func (s Setting) seller() string { return s.Shop.Currency + " " + s.Level }

// titled is the layout of a page with this title. "" stands for the shop's first page, whose title is the shop's name.
func (s Setting) titled(name, title string) Layout {
	l := s.lang()
	f := Layout{visit: s, name: name, State: s.State, Codes: s.Codes,
		Corner: Corner{SignedIn: s.SignedIn, FirstName: s.Name},
		Outline: Outline{Lang: l.Code(), ShopName: string(s.Shop.Name), Test: s.Shop.Developer != "",
			Known: s.SignedIn, AskConsent: s.AskConsent, Path: s.Path, Accent: s.Shop.Look.Accent}}
	f.shopsOwn(s.Shop.Look)
	// A page without a canonical address is marked as not to be indexed (the template of the head). at gives the
	// address, so only pages that pass through at are found by search engines.
	f.About = About{Title: f.ShopName, Kind: "website"}
	if title != "" {
		f.About.Title = title + " | " + f.ShopName
	}
	if s.Pieces > 0 {
		// An empty basket stays a zero Corner: the corner then is the same text for all such visitors.
		f.Pieces, f.Total = grouped(s.Pieces), s.money(s.Total)
	}
	return f
}

// shopsOwn gives the outline the shop's logo and the links to what the shop has written.
func (o *Outline) shopsOwn(l shop.Look) {
	if key := images.KeyOf(l.Logo.URL); key != "" {
		o.Logo = Logo{images.URL("", key) + "?w=320", l.Logo.Width, l.Logo.Height}
	}
	o.Contact, o.Terms, o.Privacy = slices.Contains(l.Pages, "contact"), slices.Contains(l.Pages, "terms"),
		slices.Contains(l.Pages, "privacy")
}

// at is the layout of a page below these categories. Search engines are told its address.
func (f Layout) at(view Setting, path []*shelf.MenuEntry, more ...page.Link) Layout {
	f.About.Canonical = view.Website + view.Path
	crumbs := []page.Link{{Text: view.lang().say("home"), Path: "/"}}
	for _, p := range path {
		crumbs = append(crumbs, page.Link{Text: p.Name, Path: "/" + p.Slug})
	}
	if len(path) > 0 {
		// The menu has only root categories, so the root above the page is the marked one.
		f.About.Current = path[0].Slug
	}
	f.Crumbs = append(crumbs, more...)
	// There is always a last one: the way begins with the first page.
	f.Crumbs[len(f.Crumbs)-1].Current = true
	return f
}

// Picture is what stands for a product: its image, or else the first letters of its name.
type Picture struct {
	URL, Alt string // "": it has none
	Set      string // its widths, as an srcset; "": it has one
	Letters  string // of the tile; "": there is none behind the image
}

// pictureOf is the picture of a product of this name. An image that was sent to the platform is shown at the shop's own
// host. One from elsewhere may not be there: the tile is behind it.
func pictureOf(name string, image catalog.Image) Picture {
	if key := images.KeyOf(image.URL); key != "" {
		url := images.URL("", key)
		return Picture{URL: url, Alt: string(image.Alt), Set: images.Set(url)}
	}
	p := Picture{Letters: initials(name)}
	if field.WebAddress(image.URL) {
		p.URL, p.Alt = image.URL, string(image.Alt)
	}
	return p
}

// initials are the first letters of a name's first two words, as capitals: "Darjeeling First Flush" is DF. A name of
// signs alone has a dot.
func initials(name string) (letters string) {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words[:min(len(words), 2)] {
		first, _ := utf8.DecodeRuneInString(word)
		letters += string(unicode.ToUpper(first))
	}
	return cmp.Or(letters, "·")
}

// crumbs are the way to a page through the categories, as search engines read it (schema.org).
func (f Layout) crumbs(view Setting) map[string]any {
	items := make([]map[string]any, len(f.Crumbs))
	for i, c := range f.Crumbs {
		items[i] = map[string]any{"@type": "ListItem", "position": i + 1, "name": c.Text}
		if c.Path != "" {
			items[i]["item"] = view.Website + c.Path
		}
	}
	return map[string]any{"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items}
}

// ErrorPage says what went wrong, with any status of a refusal that shows no form again.
type ErrorPage struct {
	Layout
	Heading, Text string
}

// refused is the error page of a status: not found, too many tries, our fault, or anything else that was refused.
func (s Setting) refused(status int) *ErrorPage {
	name := "refused"
	switch {
	case status == 404 || status == 410:
		name = "notFound"
	case status == 429:
		name = "tooMany"
	case status >= 500:
		name = "failed"
	}
	l := s.lang()
	return &ErrorPage{Layout: s.titled("error", l.say(name)), Heading: l.say(name), Text: l.say(name + "Is")}
}
