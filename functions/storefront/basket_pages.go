package storefront

import (
	"net/http"
	"slices"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/frontend"
	"eshop/shared/page"
	"eshop/shared/people/customer"
)

// The forms on the basket, and the page that shows it.
var (
	addForm      = answers{page: door.addedPage, done: func(*visit, api.Outcome) string { return "/basket" }}
	basketForm   = answers{page: door.basketPage, done: addForm.done, gone: true}
	basketAnswer = answers{page: door.basketPage}
)

// addedPage is the product's page again, with why the product could not be put into the basket. A form may name a
// product that has no page; then it is an error page.
func (d door) addedPage(c *api.Call, v *visit, o api.Outcome) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	s, err := d.productPage(c, v, o.Form.Get("productId"), "", o)
	if p, is := problem.As(err); is && p.Status == http.StatusNotFound {
		return d.refused(c, v, o.Refused)
	}
	return s, err
}

// basketPage is the basket as a command has left it. If a command was refused, it is the basket as it is, with what was
// typed and what was wrong beside the field: the coupon's code, or the quantity of its line.
func (d door) basketPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	if err := d.priceBasket(c, v); err != nil {
		return response{}, err
	}
	// Where to say what was wrong: beside the coupon, beside a line's quantity, or above the basket.
	code, fault, notice := "", "", ""
	if p := outcome.Refused; p != nil {
		notice = languageOf(v.shop.Locale).notice(p)
		if outcome.Form.Has("code") {
			code, fault, notice = outcome.Form.Get("code"), notice, ""
		}
	}
	shows := frontend.Page{Type: frontend.BasketPage, Path: "/basket"}
	if outcome.Status() == http.StatusNotFound {
		shows.Type = frontend.Other // as any 404
	}
	p := d.view(v, shows).basket(v.shownBasket, code, fault, notice)
	i := slices.IndexFunc(p.Lines, func(l Line) bool { return l.ID == c.PathValue("id") })
	if i >= 0 && outcome.Form.Has("quantity") {
		p.Lines[i].Quantity, p.Lines[i].Fault, p.Notice = outcome.Form.Get("quantity"), notice, ""
	}
	return response{page: p}, nil
}

// priceBasket reads the basket at the prices of now, unless a command has answered it so, and what every page shows.
func (d door) priceBasket(c *api.Call, v *visit) error {
	if !v.priced {
		if _, err := d.showBasket(c); err != nil {
			return err
		}
	}
	return d.readVisitor(c, v)
}

// The form of a checkout, and the page that shows it.
var (
	checkoutForm = answers{page: door.checkoutPage,
		done: func(v *visit, o api.Outcome) string {
			return strings.TrimPrefix(o.Body.(*OrderConfirmation).Confirmation, v.website)
		}}
	checkoutAnswer = answers{page: door.checkoutPage}
)

// checkoutPage is the form of an order, filled with what a signed-in customer has said before. For an empty basket
// there is no form: a GET leads to the basket.
func (d door) checkoutPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	if err := d.priceBasket(c, v); err != nil {
		return response{}, err
	}
	b, view := v.shownBasket, d.view(v, frontend.Page{Type: frontend.Checkout, Path: "/checkout"})
	switch {
	case len(b.Items) > 0:
	case outcome.Refused == nil:
		return to(http.StatusSeeOther, "/basket"), nil
	default: // the page says that it is empty: nothing else matters of the form
		return response{page: view.basket(b, "", "", "")}, nil
	}
	p := view.checkout(b, sentForm(view.lang(), outcome, func(s page.Sent) page.Sent { return fillOwn(s, v.customer) }))
	if outcome.Refused != nil {
		p.blame(view.lang(), b, outcome.Refused)
	}
	return response{page: p}, nil
}

// fillOwn fills a form with what a customer has said of themself: the fields of the account, and of an order's
// addresses. What they have left out stays empty.
func fillOwn(sent page.Sent, c *customer.Customer) page.Sent {
	if c == nil {
		return sent
	}
	set := func(name, value string) {
		if value != "" {
			sent.Values[name] = []string{value}
		}
	}
	set("email", string(c.Email))
	set("firstName", string(c.FirstName))
	set("lastName", string(c.LastName))
	set("phone", string(c.Phone))
	for _, before := range []string{"", "billingAddress."} { // of the account, and of an order
		set(before+"company", string(c.Company))
		set(before+"companyId", string(c.CompanyID))
		set(before+"vatId", string(c.VATID))
	}
	for name, a := range map[string]*customer.Address{"billingAddress.": c.BillingAddress,
		"deliveryAddress.": c.DeliveryAddress} {
		if a != nil {
			set(name+"street", string(a.Street))
			set(name+"city", string(a.City))
			set(name+"zip", string(a.Zip))
			set(name+"country", a.Country)
		}
	}
	return sent
}
