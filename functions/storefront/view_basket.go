package storefront

import (
	"cmp"
	"html/template"
	"path"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/page"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// Line is a line of a basket or an order in words, as a page shows it. Path is "" where it leads nowhere.
type Line struct {
	ID, Name, Path, Quantity, Pieces, Price, Total, Note, Fault string
	Picture
}

// Totals are sums in words.
type Totals struct{ Items, Discount, Total string } // Discount: "" none

// BasketPage is the page of the basket: lines, sums, the coupon's field, and what was wrong with a form.
type BasketPage struct {
	Layout
	Lines   []Line
	Totals  Totals
	Coupons []sale.BasketCoupon
	Coupon  string // that was sent and does not apply
	Fault   string // of the coupon
	Notice  string // on the whole
	Stuck   bool   // a checkout would refuse one of the lines
}

// lines are the lines and sums of a basket or an order, in words. A discount is shown as a negative amount, and none as
// no row at all.
func (s Setting) lines(of []sale.BasketLine, sums sale.OrderTotals) ([]Line, Totals) {
	lang, lines := s.lang(), make([]Line, len(of))
	for i, sold := range of {
		line := Line{ID: sold.ID, Name: sold.Name, Note: string(sold.Note),
			Quantity: strconv.FormatInt(sold.Quantity, 10), Pieces: lang.pieces(sold.Quantity),
			Price: s.money(sold.UnitPrice), Total: s.money(sold.Total),
			Picture: pictureOf(sold.Name, sold.Picture)}
		if sold.Slug != "" {
			line.Path = "/" + sold.Slug
		}
		// A line that is sold at a price quote shows that quote's image, at the shop's own host: a page loads nothing
		// from elsewhere.
		if len(sold.Images) > 0 {
			line.Picture = Picture{URL: images.URL(s.Website, path.Base(sold.Images[0].URL)), Alt: lang.say("picture")}
		}
		// What a checkout would refuse is said before anybody tries.
		switch sold.Refused {
		case "":
		case sale.Short:
			line.Fault = lang.insufficient(sold.Left)
		default:
			line.Fault = lang.faultIn("", sold.Refused)
		}
		lines[i] = line
	}
	t := Totals{Items: s.money(sums.Items), Total: s.money(sums.Total)}
	if sums.Discount != 0 {
		t.Discount = s.money(-sums.Discount)
	}
	return lines, t
}

// basket is the page of the basket. coupon is the code that was sent, and fault why it does not apply; notice is about
// the whole basket.
func (s Setting) basket(b *sale.Basket, coupon, fault, notice string) *BasketPage {
	p := &BasketPage{Layout: s.titled("basket", s.lang().say("basket")), Coupons: b.Coupons, Coupon: coupon,
		Fault: fault, Notice: notice, Stuck: stuck(b)}
	p.Lines, p.Totals = s.lines(b.Items, b.Totals)
	return p
}

// stuck says whether a checkout would refuse a line of the basket. Then there is no button to order it.
func stuck(b *sale.Basket) bool {
	return slices.ContainsFunc(b.Items, func(l sale.BasketLine) bool { return l.Refused != "" })
}

// CheckoutPage is the form of an order, beside what is ordered.
type CheckoutPage struct {
	Layout
	page.Form
	Lines     []Line
	Totals    Totals
	Coupons   []sale.BasketCoupon
	Contact   []page.Field
	Billing   []page.Field
	Company   []page.Field
	Delivery  []page.Field // the other address
	Ways      WayField
	Payments  WayField
	Note      page.Field
	IsCompany bool
	Elsewhere bool
	Stuck     bool // a line would be refused
}

// WayField is the choice of a way, and what the shop says of each.
type WayField struct {
	page.Field
	Notes []template.HTML
}

// wayField is the choice of the ways that are on. The first one is chosen where none of them was.
func wayField(f *page.Filler, name string, ways shop.WayList) WayField {
	if len(ways) == 0 {
		return WayField{}
	}
	d := f.Named(name, name, "off")
	if ways.Named(d.Value).Key == "" {
		d.Value = string(ways[0].Name)
	}
	var options []page.Option
	for _, w := range ways {
		options = append(options, page.Option{Value: string(w.Name), Text: string(w.Name)})
	}
	return WayField{d.OneOf(options...), make([]template.HTML, len(ways))}
}

// checkout is the form of an order. The company's fields and another delivery address are folded unless they are
// filled. Which street is needed, only the chosen delivery says where the shop has one that is picked up.
func (s Setting) checkout(b *sale.Basket, sent page.Sent) *CheckoutPage {
	lang := s.lang()
	filler := lang.form(sent)
	p := &CheckoutPage{Layout: s.titled("checkout", lang.say("checkout")), Coupons: b.Coupons, Stuck: stuck(b)}
	p.Lines, p.Totals = s.lines(b.Items, b.Totals)
	p.Contact = append([]page.Field{filler.Email(), filler.Phone(page.Must)}, filler.Names()...)
	p.Billing = filler.Address("billingAddress", "billing", page.Must)
	p.Company = filler.Company("billingAddress.", "billing")
	p.Delivery = append([]page.Field{filler.Named("deliveryAddress.firstName", "firstName", "shipping given-name"),
		filler.Named("deliveryAddress.lastName", "lastName", "shipping family-name")},
		filler.Address("deliveryAddress", "shipping", page.May)...)
	ways := s.Shop.Look.Ways
	p.Ways, p.Payments = wayField(filler, "delivery", ways.Delivery), wayField(filler, "payment", ways.Payment)
	if slices.ContainsFunc(ways.Delivery, func(w shop.Way) bool { return w.Pickup }) {
		street := &p.Billing[0] // which only the chosen way says whether it must be there
		*street = street.Depending().Hinted(lang.say("streetIs"))
		street.Required = page.May
	}
	p.Note = filler.Long("note", 2000, page.May)
	p.IsCompany, p.Elsewhere = page.Filled(p.Company), page.Filled(p.Delivery)
	p.Form = filler.Done()
	return p
}

// blame writes beside each line what is wrong with it: faults at `body.items[n]`, and too little stock. A problem that
// names no line changes none.
func (p *CheckoutPage) blame(lang language, b *sale.Basket, refused *problem.Problem) {
	faults, short := lang.lineFaults(refused.Errors), refused.Code == sale.Short
	// A problem of a product without variants names none; its line has "" there, too.
	variant, _ := refused.More["variantId"].(string)
	for i, l := range b.Items {
		if len(faults) > 0 || short {
			p.Lines[i].Fault = faults[i]
		}
		if short && refused.More["productId"] == l.ProductID && variant == l.VariantID {
			p.Lines[i].Fault = lang.insufficient(available(refused))
		}
	}
}

// OrderRow is an order in a list, and what its page says of it first.
type OrderRow struct{ Number, Path, Ordered, Stage, Total string }

// OrderPage confirms an order that was made, or shows one to its customer, to whom Crumbs are the way back.
type OrderPage struct {
	Layout
	OrderRow
	Lines     []Line
	Totals    Totals
	Addresses []PostalAddress // none once they are shown no more
	Facts     []Fact
	Email     string
	ComesHow  template.HTML // how it comes, as the shop says; "": it says nothing
	PayHow    template.HTML // how to pay it, likewise
	Transfer  *Transfer     // nil: it is not paid to an account
	Off       bool          // it was cancelled, or its goods came back: there is nothing to thank for
}

// PostalAddress is an address under its heading, line by line.
type PostalAddress struct {
	Heading string
	Lines   []string
}

// orderRow is an order in a list.
func (s Setting) orderRow(o *ShopperOrder) OrderRow {
	return OrderRow{Number: o.Number, Path: ordersPath + "/" + o.ID, Stage: o.State,
		Ordered: s.lang().Date(o.Created.Go()), Total: money(o.Total, o.Currency)}
}

// order is the page of an order, without who has ordered, where it goes and how to pay it.
func (s Setting) order(o *ShopperOrder) *OrderPage {
	t := s.lang()
	p := &OrderPage{OrderRow: s.orderRow(o), Off: o.state.Returns()}
	title := t.say("thanks")
	if p.Off {
		title = t.say("order") + " " + o.Number
	}
	p.Layout = s.titled("order", title)
	sold := o.of.Shown()
	for i := range sold {
		sold[i].Picture = o.pictures[sold[i].ProductID]
	}
	p.Lines, p.Totals = s.lines(sold, o.of.Totals)
	return p
}

// wholeOrder is the page of an order with all that it shows. Parts that are empty have no heading either.
func (s Setting) wholeOrder(o *ShopperOrder) *OrderPage {
	lang, p := s.lang(), s.order(o)
	p.Email, p.ComesHow, p.PayHow, p.Transfer = string(o.of.Email), o.comesHow, o.payHow, o.transfer
	for _, a := range []PostalAddress{{lang.say("billingAddress"), lang.addressLines(o.of.BillingAddress)},
		{lang.say("deliveryAddress"), lang.addressLines(o.of.DeliveryAddress)}} {
		if len(a.Lines) > 0 {
			p.Addresses = append(p.Addresses, a)
		}
	}
	link := given(o.Shipping.TrackingLink)
	for _, f := range []Fact{{Name: lang.say("delivery"), Value: given(o.Shipping.Delivery)},
		{Name: lang.say("payment"), Value: given(o.Shipping.Payment)},
		{lang.say("tracking"), cmp.Or(given(o.Shipping.TrackingNumber), link), link}} {
		if f.Value != "" {
			p.Facts = append(p.Facts, f)
		}
	}
	return p
}

// given is a text that may be missing; "" then.
func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// addressLines are the lines of an address that have something in them.
func (l language) addressLines(a *sale.OrderAddress) (lines []string) {
	if a == nil {
		return nil
	}
	for _, line := range []string{strings.TrimSpace(string(a.FirstName) + " " + string(a.LastName)),
		string(a.Company), string(a.Street),
		strings.TrimSpace(string(a.Zip) + " " + string(a.City)), cmp.Or(l.say(a.Country), a.Country)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// OrdersPage lists what a customer has ordered, newest first.
type OrdersPage struct {
	Layout
	Orders     []OrderRow
	Next, Home string // "": there is no next page, or this is the first
}

// orders is the page of a customer's orders. more says that there are others behind them, and onward that there are
// some before them.
func (s Setting) orders(list []ShopperOrder, more, onward bool) *OrdersPage {
	p := &OrdersPage{Layout: s.ownTitled("orders", s.lang().say("orders"))}
	for i := range list {
		p.Orders = append(p.Orders, s.orderRow(&list[i]))
	}
	if more {
		p.Next = ordersPath + "?after=" + list[len(list)-1].ID
	}
	if onward {
		p.Home = ordersPath
	}
	return p
}

// ownOrder is the page of an order for its customer.
func (s Setting) ownOrder(o *ShopperOrder) *OrderPage {
	p := s.wholeOrder(o)
	p.Layout = s.ownTitled("order", s.lang().say("order")+" "+o.Number,
		page.Link{Text: s.lang().say("orders"), Path: ordersPath})
	return p
}

// ownTitled is the layout of a page below the account, behind these pages.
func (s Setting) ownTitled(name, title string, behind ...page.Link) Layout {
	f := s.titled(name, title)
	f.Crumbs = append([]page.Link{{Text: s.lang().say("account"), Path: "/account"}}, behind...)
	f.Crumbs = append(f.Crumbs, page.Link{Text: title, Current: true})
	return f
}
