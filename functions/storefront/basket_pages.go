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
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// The forms on the basket, and the page that shows it.
var (
	addForm      = answers{page: door.addedPage, done: func(*visit, api.Outcome) string { return "/basket" }}
	basketForm   = answers{page: door.basketPage, done: addForm.done, gone: true}
	basketAnswer = answers{page: door.basketPage}
)

// addedPage is the product's page again, with why the product could not be put into the basket. A form may name a
// product that has no page; then it is an error page.
func (d door) addedPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	s, err := d.productPage(c, v, outcome.Form.Get("productId"), "", outcome)
	if p, is := problem.As(err); is && p.Status == http.StatusNotFound {
		return d.refused(c, v, outcome.Refused)
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
		done: func(v *visit, outcome api.Outcome) string {
			return strings.TrimPrefix(outcome.Body.(*OrderConfirmation).Confirmation, v.website)
		}}
	checkoutAnswer = answers{page: door.checkoutPage}
)

// checkoutPage is the form of an order, filled with what a signed-in customer has said before: in the account, or else
// with the last order. For an empty basket there is no form: a GET leads to the basket.
func (d door) checkoutPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	if err := d.priceBasket(c, v); err != nil {
		return response{}, err
	}
	basket, view := v.shownBasket, d.view(v, frontend.Page{Type: frontend.Checkout, Path: "/checkout"})
	switch {
	case len(basket.Items) > 0:
	case outcome.Refused == nil:
		return to(http.StatusSeeOther, "/basket"), nil
	default: // the page says that it is empty: nothing else matters of the form
		return response{page: view.basket(basket, "", "", "")}, nil
	}
	last, err := d.lastOrder(c, v, outcome)
	if err != nil { // a comfort, for which nobody is to lose a sale
		d.Log.WarnContext(c, "a checkout is not filled with the last order", "requestId", c.RequestID, "error", err)
	}
	sent := sentForm(view.lang(), outcome)
	if outcome.Form == nil {
		sent = fillOwn(fillLast(sent, v.customer, last), v.customer)
	}
	p := view.checkout(basket, sent)
	for i, way := range v.shop.Look.Ways.Delivery {
		if p.Ways.Notes[i], err = d.Texts.Lines(c, string(way.Note)); err != nil {
			return response{}, err
		}
	}
	if outcome.Refused != nil {
		p.blame(view.lang(), basket, outcome.Refused)
	}
	return response{page: p}, nil
}

// lastOrder is the last order of who is signed in, if a form that was not sent yet needs it: the account says no phone
// or no address. nil: none is needed, or there is none.
func (d door) lastOrder(c *api.Call, v *visit, outcome api.Outcome) (*sale.Order, error) {
	if outcome.Form != nil || v.customer == nil || v.customer.Phone != "" && v.customer.BillingAddress != nil {
		return nil, nil
	}
	return sale.LastOrderBy(c, d.Main, v.shop.ID, v.customer.ID)
}

// fill gives a form's field a value; "" leaves it as it is.
func fill(sent page.Sent, name, value string) {
	if value != "" {
		sent.Values[name] = []string{value}
	}
}

// fillLast fills a checkout with what the last order said and the account does not: the phone, and each address as a
// whole.
func fillLast(sent page.Sent, account *customer.Customer, last *sale.Order) page.Sent {
	if last == nil {
		return sent
	}
	address := func(before string, a sale.OrderAddress) {
		if account.Company == "" && account.CompanyID == "" && account.VATID == "" { // never parts of two companies
			fill(sent, before+"company", string(a.Company))
			fill(sent, before+"companyId", string(a.CompanyID))
			fill(sent, before+"vatId", string(a.VATID))
		}
		fillAddress(sent, before,
			customer.Address{Street: field.Name(a.Street), City: a.City, Zip: a.Zip, Country: a.Country})
	}
	fill(sent, "phone", string(last.Phone))
	if a := last.BillingAddress; a != nil && account.BillingAddress == nil {
		address("billingAddress.", *a)
	}
	if a := last.DeliveryAddress; a != nil && account.DeliveryAddress == nil {
		address("deliveryAddress.", *a)
		fill(sent, "deliveryAddress.firstName", string(a.FirstName))
		fill(sent, "deliveryAddress.lastName", string(a.LastName))
	}
	return sent
}

// fillAddress fills the fields of a postal address.
func fillAddress(sent page.Sent, before string, a customer.Address) {
	fill(sent, before+"street", string(a.Street))
	fill(sent, before+"city", string(a.City))
	fill(sent, before+"zip", string(a.Zip))
	fill(sent, before+"country", a.Country)
}

// fillOwn fills a form with what a customer has said of themself: the fields of the account, and of an order's
// addresses. What they have left out stays as it is.
func fillOwn(sent page.Sent, account *customer.Customer) page.Sent {
	if account == nil {
		return sent
	}
	fill(sent, "email", string(account.Email))
	fill(sent, "firstName", string(account.FirstName))
	fill(sent, "lastName", string(account.LastName))
	fill(sent, "phone", string(account.Phone))
	for _, before := range []string{"", "billingAddress."} { // of the account, and of an order
		fill(sent, before+"company", string(account.Company))
		fill(sent, before+"companyId", string(account.CompanyID))
		fill(sent, before+"vatId", string(account.VATID))
	}
	for before, a := range map[string]*customer.Address{"billingAddress.": account.BillingAddress,
		"deliveryAddress.": account.DeliveryAddress} {
		if a != nil {
			fillAddress(sent, before, *a)
		}
	}
	return sent
}
