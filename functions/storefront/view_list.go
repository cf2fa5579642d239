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
func (v Setting) cards(list *shelf.List) template.HTML {
	var cards strings.Builder
	cards.Grow(len(list.Products) * cardBytes)
	for _, p := range list.Products {
		at := piece{lang: v.lang(), what: "card", shop: v.Shop.ID, of: p.ID, version: p.Version, seller: v.seller()}
		cards.WriteString(string(v.Pages.piece(at, func() any { return v.card(p) })))
	}
	return template.HTML(cards.String())
}

// card is a product in a list. Its price is the lowest of its variants, with "from" before it if they differ.
func (v Setting) card(p *shelf.ListedProduct) Card {
	price, others, sold := p.PriceAt(v.Level)
	c := Card{Picture: pictureOf(p.Name, p.Image), Name: p.Name, Path: "/" + p.Slug, Gone: !p.InStock}
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
func (v Setting) looking(as map[string]string) Setting {
	own := &v.Shop.Look
	v.Shop.Name, own.Accent, own.Welcome = field.Name(as["name"]), as["accent"], as["welcome"]
	if as["deleteLogo"] == "true" {
		own.Logo = shop.Picture{}
	}
	if as["deleteHero"] == "true" {
		own.Hero = shop.Picture{}
	}
	return v
}

// home is the shop's first page: the newest products, and the first root categories.
func (v Setting) home(newest *shelf.List) *HomePage {
	p := &HomePage{Layout: v.titled(pageHome, ""), Products: v.cards(newest),
		Welcome: cmp.Or(v.Shop.Look.Welcome, v.lang().say("welcome"))}
	if key := images.KeyOf(v.Shop.Look.Hero.URL); key != "" {
		p.Hero.URL = images.URL("", key)
		p.Hero.Set = images.Set(p.Hero.URL)
	}
	p.About.Canonical, p.About.Description = v.Website+"/", p.Welcome
	if v.Menu != nil && len(v.Menu.Roots) > 0 {
		at := piece{lang: v.lang(), what: "roots", shop: v.Shop.ID, menu: v.Menu.Version}
		p.Roots = v.Pages.piece(at, func() any { return rootsOf(v.Menu) })
	}
	store := map[string]any{"@context": "https://schema.org", "@type": "OnlineStore", "name": p.ShopName,
		"url": p.About.Canonical}
	if p.Logo.URL != "" {
		store["logo"] = v.Website + p.Logo.URL
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
func (v Setting) text(name string, text template.HTML) *TextPage {
	heading := v.lang().say(textNames[name])
	return &TextPage{Layout: v.titled(pageText, heading).at(v, nil, page.Link{Text: heading}), Heading: heading,
		Text: text}
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
func (v Setting) category(at *shelf.MenuEntry, f *foundProducts) *CategoryPage {
	p := &CategoryPage{Layout: v.titled(pageCategory, at.Name).at(v, at.Path()), Name: at.Name,
		Chosen: v.chosen(f, byNewest, byPrice, byPriceDown)}
	p.Inside = linksOf(at.Children, len(at.Children), "")
	// A page behind the first one has an address of its own.
	if p.Query = f.query(f.from); p.Query != "" {
		p.About.Canonical += "?" + p.Query
	}
	if f.Sort != "" || f.sifted() {
		p.About.Canonical = ""
	}
	p.About.Data = linked(p.crumbs(v))
	return p
}

// CategoriesPage shows all categories.
type CategoriesPage struct {
	Layout
	Tree template.HTML
}

// categories is the page of all categories.
func (v Setting) categories() *CategoriesPage {
	heading := v.lang().say("allCategories")
	p := &CategoriesPage{Layout: v.titled(pageCategories, heading).at(v, nil, page.Link{Text: heading})}
	at := piece{lang: v.lang(), what: "tree", shop: v.Shop.ID, menu: v.Menu.Version}
	p.Tree = v.Pages.piece(at, func() any { return v.Menu.Roots })
	return p
}
