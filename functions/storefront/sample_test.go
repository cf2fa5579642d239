package storefront

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/base/remember"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/host/hosttest"
	"eshop/shared/page"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// stand is a shop with a catalog that pages are made of.
type stand struct {
	t       testing.TB
	catalog catalog.Catalog
	unit    *change.Unit
	shelf   *shelf.Shelf
	rooms   []string // ids of categories
}

func newStand(t testing.TB) *stand {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	table, random, now := db.Table("main"), hosttest.Random(), hosttest.Start
	clock := func() time.Time { now = now.Add(time.Second); return now }
	return &stand{t: t, catalog: catalog.Catalog{Log: slog.New(slog.DiscardHandler)},
		unit:  &change.Unit{Shop: "shop", Request: "r", Table: table, Now: clock, Random: random},
		shelf: shelf.New(table, clock, remember.For(clock, 0))}
}

func (s *stand) category(name, parent string) string {
	k, err := s.catalog.CreateCategory(s.t.Context(), s.unit,
		catalog.CategoryFields{Name: field.Name(name), Parent: parent})
	require.NoError(s.t, err)
	return k.ID
}

// product makes one with so many variants.
func (s *stand) product(change func(*catalog.ProductNew), variants ...string) *catalog.Whole {
	var p catalog.ProductNew
	p.Defaults()
	p.Name, p.Code = "Product", field.Code(fmt.Sprint("P", s.unit.NewID()))
	p.PriceLevels = []catalog.Price{{Level: catalog.DefaultLevel, Price: 12900}}
	p.Stock.Quantity = 40
	if change != nil {
		change(&p)
	}
	for i, name := range variants {
		var v catalog.VariantFields
		v.Defaults()
		v.Name, v.Code, v.Stock.Quantity = field.Name(name), p.Code+field.Code(fmt.Sprint("-", i)), int64(3*i)
		v.PriceLevels = []catalog.Price{{Level: catalog.DefaultLevel, Price: field.Money(8900 + 7000*i)}}
		p.Variants = append(p.Variants, v)
	}
	w, err := s.catalog.CreateProduct(s.t.Context(), s.unit, p)
	require.NoError(s.t, err)
	return w
}

// fill puts the goods of a tea shop on the stand.
func (s *stand) fill() {
	s.rooms = []string{s.category("Čaje", ""), s.category("Káva", ""), s.category("Porcelán a doplňky", "")}
	s.category("Zelené čaje", s.rooms[0])
	s.category("Černé čaje", s.rooms[0])
	goods := []string{"Ľubovníkový čaj 2×50g", "Darjeeling First Flush*", "Assam TGFOP*", "Sencha Fukamushi*",
		"Earl Grey s bergamotem", "Mátový čaj sypaný", "Rooibos pomeranč", "Pu-erh sedm let zrající",
		"Dárková kazeta šesti čajů",
		"Etiopie Yirgacheffe*", "Kolumbie Huila*", "Espresso U Zvonu*", "Káva bez kofeinu", "Filtrační papíry č. 2",
		"Ruční mlýnek na kávu", "Hrnek se zvonkem 300 ml*", "Konvice litinová 0,8 l", "Sítko na čaj nerezové",
		"Miska na matcha chawan", "Metlička bambusová chasen", "Cukřenka s víčkem",
		"Dóza na čaj 100 g", "Sencha do sáčku",
		"Gunpowder", "Lapsang souchong"}
	for i, name := range goods {
		room := s.rooms[0]
		if i >= 9 && i < 15 {
			room = s.rooms[1]
		} else if i >= 15 && i < 22 {
			room = s.rooms[2]
		}
		var variants []string
		if strings.HasSuffix(name, "*") {
			variants = []string{"50 g", "100 g", "250 g"}
		}
		s.product(func(p *catalog.ProductNew) {
			p.Name, p.CategoryIDs = field.Name(strings.TrimSuffix(name, "*")), []string{room}
			p.PriceLevels[0].Price = field.Money(6900 + 1000*i*i)
			p.ShortDescription = "První jarní sklizeň, květinová vůně."
			p.Manufacturer, p.EAN = "Čajovna U Zvonu", "8591234567890"
			p.Description = "Sklízí se ručně koncem března.\n\nZalijte vodou o 85 °C a nechte tři " +
				"minuty.\nDruhý nálev snese i čtyři."
			if i%8 == 5 {
				p.Stock.Quantity = 0
			}
		}, variants...)
	}
}

// visit is of somebody with things in the basket; locale is the shop's.
func (s *stand) visit(locale field.Locale) Setting {
	menu, err := s.shelf.Menu(s.t.Context(), "shop")
	require.NoError(s.t, err)
	currency := "CZK"
	if locale == "sk_SK" {
		currency = "EUR"
	}
	face, err := shop.FaceOf(nil, locale)
	require.NoError(s.t, err)
	return Setting{Shop: shop.Shop{Head: record.Head{ID: "shop"},
		Fields: shop.Fields{Name: "Čajovna U Zvonu", Locale: locale, Currency: currency},
		Look:   shop.Look{Ways: face.Ways}},
		Website: "https://cajovna.example", Path: "/", Menu: menu, Pages: testPages, Level: "default", Pieces: 3,
		Total: 123450, AskConsent: true,
		State: `<script>window.dataLayer=[{}]</script>`,
		Codes: Codes{Head: "<!--head-->", BodyEnd: "<!--bodyEnd-->", OrderConfirmed: "<!--confirmed-->"}}
}

func (s *stand) basket(n int) *sale.Basket {
	b := &sale.Basket{Totals: sale.OrderTotals{Items: 123450, Discount: 12345, Total: 111105},
		Coupons: []sale.BasketCoupon{{Code: "VITEJTE10", Discount: 12345}}}
	for i := range n {
		line := sale.BasketLine{ID: fmt.Sprint("L", i), ProductID: fmt.Sprint("P", i),
			Name: "Darjeeling First Flush, 100 g", Slug: "darjeeling", Quantity: int64(i + 1), UnitPrice: 15900,
			Total: field.Money(15900 * (i + 1))}
		if i == 1 {
			line.Name, line.Note = "Hrnek se zvonkem 300 ml", "Nápis: Babičce\nBarva: modrá"
		}
		b.Items = append(b.Items, line)
	}
	return b
}

// sent is a form with every kind of fault.
func sent() page.Sent {
	return page.Sent{Values: url.Values{"email": {"jana@"}, "firstName": {"Jana"}, "billingAddress.city": {"Brno"},
		"note":                   {"Zvonit dvakrát"},
		"billingAddress.country": {"FR"}}, Faults: []problem.Fault{{Location: "body.email", Code: problem.BadFormat},
		{Location: "body.lastName", Code: problem.Required}, {Location: "body.password", Code: problem.TooSmall},
		{Location: "body.currentPassword", Code: problem.BadFormat},
		{Location: "body.deliveryAddress.zip", Code: problem.Required},
		{Location: "body.companyId", Code: problem.TooLong}, {Location: "body.payment", Code: problem.TooLong},
		{Location: "body.billingAddress.companyId", Code: problem.TooLong}}}
}

// sample is a page of a name, in a state.
type sample struct {
	name string
	data content
}

// samples are all pages in their states, for one language.
func (s *stand) samples(locale field.Locale) []sample {
	v, ctx := s.visit(locale), s.t.Context()
	newest, err := s.shelf.Newest(ctx, "shop")
	require.NoError(s.t, err)
	menu := v.Menu
	tea := menu.Entry(s.rooms[0])
	list, err := s.shelf.InCategory(ctx, "shop", tea.ID)
	require.NoError(s.t, err)
	read := func(id string) *catalog.Whole {
		w, err := catalog.ReadProduct(ctx, s.unit.Table, "shop", id)
		require.NoError(s.t, err)
		return w
	}
	var plain, chosen, gone *catalog.Whole
	none := &shelf.List{}
	for _, p := range newest.Products {
		switch {
		case p.Choice:
			chosen = read(p.ID)
		case p.InStock:
			plain = read(p.ID)
		default:
			gone = read(p.ID)
		}
	}
	with := func(change func(*Setting)) Setting { w := v; change(&w); return w }
	quiet := with(func(v *Setting) { v.AskConsent = false })
	signed := with(func(v *Setting) { v.SignedIn, v.Name, v.AskConsent = true, "Jana Nováková", false })
	empty := with(func(v *Setting) { v.Pieces, v.AskConsent = 0, false })
	room := quiet
	room.Path = "/" + tea.Slug
	sold := sale.Order{Number: "2026000123", Email: "jana@example.com", Currency: "CZK",
		Totals: sale.OrderTotals{Items: 123450, Discount: 12345, Total: 111105},
		BillingAddress: &sale.OrderAddress{FirstName: "Jana", LastName: "Nováková", Street: "Dlouhá 1",
			Zip: "110 00", City: "Praha", Country: "CZ"},
		Shipping: sale.OrderShipping{Delivery: new("Osobní odběr"), Payment: new("Bankovním převodem"),
			TrackingNumber: new("DR1"), TrackingLink: new("https://tracking.example/DR1")}}
	sold.ID, sold.Created = "01KAJ", field.At(hosttest.Start)
	for _, l := range s.basket(2).Items {
		sold.Items = append(sold.Items, sale.OrderLine{ProductID: l.ProductID, Name: field.Name(l.Name),
			Quantity: l.Quantity, UnitPrice: l.UnitPrice, Total: l.Total, Note: l.Note})
	}
	order := shopperOrder(&sold, nil)
	order.State = "Nová"
	paid := order
	paid.comesHow, paid.payHow = "<p>Údolní 12</p>", "<p>Děkujeme.</p>"
	account := shop.Way{WayFields: shop.WayFields{IBAN: "CZ6508000000192000145399"}}
	paid.transfer, err = transferOf(&order, account, "Čaj")
	require.NoError(s.t, err)
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("Velikost %d", i)
	}
	wrong := page.Sent{Values: url.Values{"variantId": {"nonsense"}, "quantity": {"-1"}}, Faults: []problem.Fault{
		{Location: "body.quantity", Code: problem.TooSmall}, {Location: "body.variantId", Code: "not_found"}}}
	return []sample{
		{"home", v.home(newest)},
		{"home-empty", empty.home(&shelf.List{})},
		{"search", room.search(&foundProducts{searchQuery: searchQuery{q: "čaj", Min: "10", InStock: true}, cut: true,
			count: 5_000, products: list.Products, next: shelf.ListSize})},
		{"search-nothing", room.search(&foundProducts{searchQuery: searchQuery{q: "nic"}})},
		{"search-cut", room.search(&foundProducts{searchQuery: searchQuery{q: "nic", Max: "1"}, cut: true})},
		{"search-empty", room.search(&foundProducts{})},
		{"category", room.category(tea, &foundProducts{searchQuery: searchQuery{from: 24}, count: 90,
			products: list.Products, next: 48})},
		{"category-sifted", room.category(tea, &foundProducts{searchQuery: searchQuery{Sort: byPrice, Max: "1"}})},
		{"category-empty", room.category(tea, &foundProducts{})},
		{"categories", quiet.categories()},
		{"product", quiet.product(plain, list, page.Sent{})},
		{"product-choices", quiet.product(chosen, none, page.Sent{})},
		{"product-gone", quiet.product(gone, none, page.Sent{})},
		{"product-fault", signed.product(chosen, list, wrong)},
		{"product-many", quiet.product(s.product(func(p *catalog.ProductNew) {
			p.Name, p.Active = field.Name(strings.Repeat("Dlouhé jméno ", 19)), false
			p.Images = []catalog.Image{{URL: "https://img.example/a.jpg"},
				{URL: "https://img.example/b.jpg", Alt: "Zezadu"}}
		}, many...), none, wrong)},
		{"basket", signed.basket(s.basket(3), "", "", "")},
		{"basket-coupon", quiet.basket(func() *sale.Basket {
			b := s.basket(90)
			b.Coupons, b.Totals.Discount = nil, 0
			b.Items[2].Refused, b.Items[2].Left = sale.Short, 1
			return b
		}(), "LETO", v.lang().say("coupon.expired"), v.lang().say("pricesChanged"))},
		{"basket-empty", empty.basket(&sale.Basket{}, "", "", "")},
		{"checkout", quiet.checkout(s.basket(2), page.Sent{})},
		{"checkout-faults", quiet.checkout(s.basket(2), sent())},
		{"order", empty.wholeOrder(&order)},
		{"order-own", signed.ownOrder(&paid)},
		{"orders", signed.orders([]ShopperOrder{order}, true, true)},
		{"orders-none", signed.orders(nil, false, false)},
		{"account", signed.account(page.Sent{Values: url.Values{"firstName": {"Jana"}, "lastName": {"Nováková"},
			"email":                 {"jana@example.com"},
			"billingAddress.street": {"Dlouhá 1"}}, Saved: true})},
		{"account-faults", signed.account(sent())},
		{"register", empty.register(page.Sent{To: "/checkout"})},
		{"register-faults", empty.register(sent())},
		{"sign-in", empty.signIn(page.Sent{To: "/account"})},
		{"sign-in-failed", empty.signIn(page.Sent{Values: url.Values{"email": {"jana@example.com"}},
			Notice: v.lang().say("sign_in_failed")})},
		{"set-password", empty.setPassword(page.Sent{Token: "token"})},
		{"set-password-over", empty.setPassword(page.Sent{Notice: v.lang().say("link_invalid")})},
		{"not-found", empty.refused(404)},
		{"failed", empty.refused(500)},
		{"too-many", empty.refused(429)},
		{"refused", empty.refused(405)},
	}
}

// testPages are the templates with addresses as the storefront gives them.
var testPages = NewPages(func(name string) string { return "/static/0123456789abcdef/" + name })

// rendered is the page as it is sent.
func (s sample) rendered(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, s.data))
	return b.String()
}

var locales = field.Locales

// BenchmarkPage is what a page takes from what was read of it to its bytes.
func BenchmarkPage(b *testing.B) {
	s := newStand(b)
	s.fill()
	v := s.visit("cs_CZ")
	newest, err := s.shelf.Newest(b.Context(), "shop")
	require.NoError(b, err)
	tea := v.Menu.Entry(s.rooms[0])
	var w *catalog.Whole
	for _, p := range newest.Products {
		if p.Choice {
			w, _ = catalog.ReadProduct(b.Context(), s.unit.Table, "shop", p.ID)
		}
	}
	for name, make := range map[string]func() content{
		"home":     func() content { return v.home(newest) },
		"category": func() content { return v.category(tea, &foundProducts{products: newest.Products}) },
		"product":  func() content { return v.product(w, newest, page.Sent{}) },
		"basket":   func() content { return v.basket(s.basket(3), "", "", "") },
		"checkout": func() content { return v.checkout(s.basket(3), page.Sent{}) },
		"error":    func() content { return v.refused(404) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, Write(io.Discard, make()))
			}
		})
	}
}
