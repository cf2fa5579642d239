package storefront

import (
	"cmp"
	"html/template"
	"strings"

	"eshop/shared/catalog/shelf"
	"eshop/shared/images"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// Card is a product in a list: its picture, name, price and address.
type Card struct {
	Picture
	Name, Path, Price string
	Gone              bool // nothing of it is in stock
}

// cardBytes is about how many bytes a card takes, for one allocation of a whole list.
const cardBytes = 256

// cards are the products of a list, side by side. Each card is made once and kept under its product's version; "" for
// an empty list.
func (s Setting) cards(list *shelf.List) template.HTML {
	var cards strings.Builder
	cards.Grow(len(list.Products) * cardBytes)
	for _, p := range list.Products {
		at := piece{lang: s.lang(), what: "card", shop: s.Shop.ID, of: p.ID, version: p.Version, seller: s.seller()}
		cards.WriteString(string(s.Pages.piece(at, func() any { return s.card(p) })))
	}
	return template.HTML(cards.String())
}

// card is a product in a list. Its price is the lowest of its variants, with "from" before it if they differ.
func (s Setting) card(p *shelf.ListedProduct) Card {
	price, others, sold := p.PriceAt(s.Level)
	c := Card{Picture: pictureOf(p.Name, p.Image), Name: p.Name, Path: "/" + p.Slug, Gone: !p.InStock}
	if sold {
		c.Price = s.money(price)
	}
	if others {
		c.Price = s.lang().say("from") + page.NBSP + c.Price
	}
	return c
}

// HomePage is the shop's first page.
type HomePage struct {
	Layout
	Preview  bool // it is not what is saved
	Welcome  string
	Hero     Picture       // without a URL: there is none
	Products template.HTML // cards
	Roots    template.HTML
}

// RootCategory is a root category on the first page.
type RootCategory struct {
	page.Link
	Letters string // of its tile
}

// looking is the setting with a look as the admin's form has it (page.Note).
func (s Setting) looking(as map[string]string) Setting {
	own := &s.Shop.Look
	s.Shop.Name, own.Accent, own.Welcome = field.Name(as["name"]), as["accent"], as["welcome"]
	if as["deleteLogo"] == "true" {
		own.Logo = shop.Picture{}
	}
	if as["deleteHero"] == "true" {
		own.Hero = shop.Picture{}
	}
	return s
}

// home is the shop's first page: the newest products, and the first root categories.
func (s Setting) home(newest *shelf.List) *HomePage {
	p := &HomePage{Layout: s.titled("home", ""), Products: s.cards(newest),
		Welcome: cmp.Or(s.Shop.Look.Welcome, s.lang().say("welcome"))}
	if key := images.KeyOf(s.Shop.Look.Hero.URL); key != "" {
		p.Hero.URL = images.URL("", key)
		p.Hero.Set = images.Set(p.Hero.URL)
	}
	p.About.Canonical, p.About.Description = s.Website+"/", p.Welcome
	p.Roots = s.roots()
	store := map[string]any{"@context": "https://schema.org", "@type": "OnlineStore", "name": p.ShopName,
		"url": p.About.Canonical}
	if p.Logo.URL != "" {
		store["logo"] = s.Website + p.Logo.URL
	}
	p.About.Data = linked(store)
	return p
}

// TextPage is a page that the shop has written.
type TextPage struct {
	Layout
	Heading string
	Text    template.HTML
}

// textNames are the names of these pages' headings, by their addresses.
var textNames = map[string]string{"contact": "pageContact", "terms": "terms", "privacy": "privacy"}

// text is the page of a text.
func (s Setting) text(name string, text template.HTML) *TextPage {
	heading := s.lang().say(textNames[name])
	return &TextPage{Layout: s.titled("text", heading).at(s, nil, page.Link{Text: heading}), Heading: heading,
		Text: text}
}

// roots shows the first root categories; "" where there are none.
func (s Setting) roots() template.HTML {
	if s.Menu == nil || len(s.Menu.Roots) == 0 {
		return ""
	}
	at := piece{lang: s.lang(), what: "roots", shop: s.Shop.ID, menu: s.Menu.Version}
	return s.Pages.piece(at, func() any { return rootsOf(s.Menu) })
}

// rootsOf are the first root categories.
func rootsOf(m *shelf.Menu) (roots []RootCategory) {
	for _, link := range linksOf(m.Roots, menuLength, "") {
		roots = append(roots, RootCategory{link, initials(link.Text)})
	}
	return roots
}

// CategoryPage is one page of the products of a category and of those below it, with the categories inside it and the
// way back.
type CategoryPage struct {
	Layout
	Chosen
	Name   string
	Inside []page.Link
}

// category is one page of a category. Only the first page has the category's own address as canonical; each further one
// has its own, so that search engines find the products on it. What is sorted or sifted they leave alone.
func (s Setting) category(at *shelf.MenuEntry, f *foundProducts) *CategoryPage {
	p := &CategoryPage{Layout: s.titled("category", at.Name).at(s, at.Path()), Name: at.Name,
		Chosen: s.chosen(f, byNewest, byPrice, byPriceDown)}
	p.Inside = linksOf(at.Children, len(at.Children), "")
	// A page behind the first one has an address of its own.
	if p.Query = f.query(f.from); p.Query != "" {
		p.About.Canonical += "?" + p.Query
	}
	if f.Sort != "" || f.sifted() {
		p.About.Canonical = ""
	}
	p.About.Data = linked(p.crumbs(s))
	return p
}

// CategoriesPage shows all categories.
type CategoriesPage struct {
	Layout
	Tree template.HTML
}

// categories is the page of all categories.
func (s Setting) categories() *CategoriesPage {
	heading := s.lang().say("allCategories")
	p := &CategoriesPage{Layout: s.titled("categories", heading).at(s, nil, page.Link{Text: heading})}
	at := piece{lang: s.lang(), what: "tree", shop: s.Shop.ID, menu: s.Menu.Version}
	p.Tree = s.Pages.piece(at, func() any { return s.Menu.Roots })
	return p
}
