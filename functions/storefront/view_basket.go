package storefront

import (
	"cmp"
	"html/template"
	"strconv"

	"eshop/shared/catalog"
	"eshop/shared/field"
	"eshop/shared/page"
	"eshop/shared/problem"
	"eshop/shared/sale"
)

// Lines are a basket or an order, as a page is made of them.
type Lines struct {
	Items     []Item
	Discount  field.Money
	Of, Total field.Money // of the items, and what is to pay
	Coupons   []string    // codes
}

// Item is a line of a basket or an order, with what is wrong with it now.
type Item struct {
	ID, ProductID, VariantID string
	Code, Name, Path         string // Path: "" leads nowhere
	Quantity                 int64
	Price, Sum               field.Money // for one, and for all of it
	Note                     string
	Images                   []string // addresses
	Picture                  catalog.Image
	Fault                    string
}

// Line is an Item in words, as a page shows it.
type Line struct {
	ID, Code, Name, Path, Quantity, Pieces, Price, Total, Note, Fault string
	Picture
}

// blame writes beside each line what is wrong with it: faults at `body.items[n]`, and too little stock. A problem that
// names no line changes none.
func (l Lines) blame(t language, p *problem.Problem) {
	faults := t.lineFaults(p.Errors)
	if len(faults) == 0 && p.Code != sale.Short {
		return
	}
	// A problem of a product without variants names none; its line has "" there, too.
	variant, _ := p.More["variantId"].(string)
	for i := range l.Items {
		item := &l.Items[i]
		item.Fault = faults[i]
		if p.Code == sale.Short && p.More["productId"] == item.ProductID && variant == item.VariantID {
			item.Fault = t.insufficient(available(p))
		}
	}
}

// Totals are sums in words.
type Totals struct{ Items, Discount, Total string } // Discount: "" none

// BasketPage is the page of the basket: lines, sums, the coupon's field, and what was wrong with a form.
type BasketPage struct {
	Layout
	Lines   []Line
	Totals  Totals
	Coupons []string
	Coupon  string // that was sent and does not apply
	Fault   string // of the coupon
	Notice  string // on the whole
}

// lines are the lines and sums of a basket or an order, in words. A discount is shown as a negative amount, and none as
// no row at all.
func (v Setting) lines(l Lines) ([]Line, Totals) {
	lines := make([]Line, len(l.Items))
	for i, item := range l.Items {
		line := Line{ID: item.ID, Code: item.Code, Name: item.Name, Path: item.Path, Note: item.Note, Fault: item.Fault,
			Quantity: strconv.FormatInt(item.Quantity, 10), Pieces: v.lang().pieces(item.Quantity),
			Price: v.money(item.Price),
			Total: v.money(item.Sum), Picture: pictureOf(item.ProductID, item.Picture)}
		// A line that is sold at a price quote shows that quote's image.
		if len(item.Images) > 0 && field.WebAddress(item.Images[0]) {
			line.Picture = Picture{URL: item.Images[0], Alt: v.lang().say("picture")}
		}
		lines[i] = line
	}
	t := Totals{Items: v.money(l.Of), Total: v.money(l.Total)}
	if l.Discount != 0 {
		t.Discount = v.money(-l.Discount)
	}
	return lines, t
}

// basket is the page of the basket. coupon is the code that was sent, and fault why it does not apply; notice is about
// the whole basket.
func (v Setting) basket(l Lines, coupon, fault, notice string) *BasketPage {
	p := &BasketPage{Layout: v.titled(pageBasket, v.lang().say("basket")), Coupons: l.Coupons, Coupon: coupon,
		Fault: fault, Notice: notice}
	p.Lines, p.Totals = v.lines(l)
	return p
}

// CheckoutPage is the form of an order, beside what is ordered.
type CheckoutPage struct {
	Layout
	page.Form
	Lines     []Line
	Totals    Totals
	Coupons   []string
	Contact   []page.Field
	Billing   []page.Field
	Company   []page.Field
	Delivery  []page.Field // the other address
	Ways      page.Field
	Payments  page.Field
	Note      page.Field
	IsCompany bool
	Elsewhere bool
}

// checkout is the form of an order. The company's fields and another delivery address are folded unless they are
// filled.
func (v Setting) checkout(l Lines, s page.Sent) *CheckoutPage {
	t := v.lang()
	f := t.form(s)
	p := &CheckoutPage{Layout: v.titled(pageCheckout, t.say("checkout")), Coupons: l.Coupons}
	p.Lines, p.Totals = v.lines(l)
	p.Contact = append([]page.Field{f.Email(), f.Phone(page.Must)}, f.Names()...)
	p.Billing = f.Address("billingAddress", "billing", page.Must)
	p.Company = f.Company("billingAddress.", "billing")
	p.Delivery = append([]page.Field{f.Named("deliveryAddress.firstName", "firstName", "shipping given-name"),
		f.Named("deliveryAddress.lastName", "lastName", "shipping family-name")},
		f.Address("deliveryAddress", "shipping", page.May)...)
	// Delivery and payment are free texts of the contract. The page offers two of each, and the order gets the chosen
	// one in the shop's language.
	p.Ways = f.Choice("delivery", "deliveryHome", "deliveryPickUp")
	p.Payments = f.Choice("payment", "paymentTransfer", "paymentOnTake")
	p.Note = f.Long("note", 2000, page.May)
	p.IsCompany, p.Elsewhere = page.Filled(p.Company), page.Filled(p.Delivery)
	p.Form = f.Done()
	return p
}

// OrderPage confirms an order that was made, or shows one to its customer, to whom Crumbs are the way back.
type OrderPage struct {
	Layout
	Number, Ordered, Stage string // Stage: the name of its state
	Lines                  []Line
	Totals                 Totals
	Addresses              []PostalAddress // none once they are shown no more
	Facts                  []Fact
	Email                  string
	PayHow                 template.HTML // how to pay it, as the shop says; "": it says nothing
	Off                    bool          // it was cancelled, or its goods came back: there is nothing to thank for
}

// PostalAddress is an address under its heading, line by line.
type PostalAddress struct {
	Heading string
	Lines   []string
}

// Order is an order as its page is made of it.
type Order struct {
	Lines
	Number, State, Email, Delivery, Payment string
	Ordered                                 field.Time
	Billing, Shipping                       []string // lines of the addresses
	Tracking, TrackingLink                  string   // "": there is none, or it is not shown
	PayHow                                  template.HTML
	Off                                     bool // it was cancelled, or its goods came back
}

// order is the page of an order. Parts that are empty, as addresses are after 24 h, have no heading either.
func (v Setting) order(o Order) *OrderPage {
	t := v.lang()
	title := t.say("thanks")
	if o.Off {
		title = t.say("order") + " " + o.Number
	}
	p := &OrderPage{Layout: v.titled(pageOrder, title), Number: o.Number, Stage: o.State,
		Ordered: t.date(o.Ordered.Go()), Email: o.Email, PayHow: o.PayHow, Off: o.Off}
	p.Lines, p.Totals = v.lines(o.Lines)
	for _, a := range []PostalAddress{{t.say("billingAddress"), o.Billing}, {t.say("deliveryAddress"), o.Shipping}} {
		if len(a.Lines) > 0 {
			p.Addresses = append(p.Addresses, a)
		}
	}
	for _, f := range []Fact{{Name: t.say("delivery"), Value: o.Delivery}, {Name: t.say("payment"), Value: o.Payment},
		{t.say("tracking"), cmp.Or(o.Tracking, o.TrackingLink), o.TrackingLink}} {
		if f.Value != "" {
			p.Facts = append(p.Facts, f)
		}
	}
	return p
}

// OrdersPage lists what a customer has ordered, newest first.
type OrdersPage struct {
	Layout
	Orders     []OrderRow
	Next, Home string // "": there is no next page, or this is the first
}

// OrderRow is an order in the list.
type OrderRow struct{ Number, Path, Ordered, Stage, Total string }

// orders is the page of a customer's orders. more says that there are others behind them, and onward that there are
// some before them.
func (v Setting) orders(list []ShopperOrder, more, onward bool) *OrdersPage {
	p := &OrdersPage{Layout: v.ownTitled(pageOrders, v.lang().say("orders"))}
	for _, o := range list {
		p.Orders = append(p.Orders, OrderRow{Number: o.Number, Path: ordersPath + "/" + o.ID, Stage: o.State,
			Ordered: v.lang().date(o.Created.Go()), Total: money(o.Total, o.Currency)})
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
func (v Setting) ownOrder(o Order) *OrderPage {
	p := v.order(o)
	p.Layout = v.ownTitled(pageOrder, v.lang().say("order")+" "+o.Number,
		page.Link{Text: v.lang().say("orders"), Path: ordersPath})
	return p
}

// ownTitled is the layout of a page below the account, behind these pages.
func (v Setting) ownTitled(name, title string, behind ...page.Link) Layout {
	f := v.titled(name, title)
	f.Crumbs = append([]page.Link{{Text: v.lang().say("account"), Path: "/account"}}, behind...)
	f.Crumbs = append(f.Crumbs, page.Link{Text: title, Current: true})
	return f
}
