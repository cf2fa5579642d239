package storefront

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/frontend"
	"eshop/shared/page"
	"eshop/shared/sale"
)

// response is how a person is answered: by a page, or by where to go on.
type response struct {
	status   int // 0: that of the outcome
	location string
	header   http.Header // beside those of every page
	page     content
}

// to leads to another address.
func to(status int, location string) response { return response{status: status, location: location} }

// answers are how an operation answers people.
type answers struct {
	// page is what a GET shows, and a form that is shown again with its faults.
	page func(d door, c *api.Call, v *visit, outcome api.Outcome) (response, error)
	// done is where a form leads that did what it says.
	done func(v *visit, outcome api.Outcome) string
	// back says that a browser may keep the page for the way back to it. Its script then tells what has changed
	// meanwhile.
	back bool
	// gone says that the page is also shown where what a form is about is not found any more.
	gone bool
}

// op makes an operation one for people, too: JSON for programs, and for browsers the answers of `with`.
func (d door) op(op api.Op, with answers) api.Op {
	op.People = d.people(with)
	return op
}

// people lets visitors in by their host and cookies, and shows them what came of a request.
func (d door) people(with answers) *api.People {
	return &api.People{Enter: d.enter,
		Show: func(c *api.Call, w http.ResponseWriter, outcome api.Outcome) error {
			return d.show(c, w, outcome, with)
		}}
}

// show answers a person with a page or with where to go on. A host that is no shop's gets a plain page in English,
// because there is no shop whose language and look it could have.
func (d door) show(c *api.Call, w http.ResponseWriter, outcome api.Outcome, with answers) error {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	if strings.HasPrefix(c.HTTP().URL.Path, "/order/") { // the address is a secret, which other sites must not be told
		header.Set("Referrer-Policy", "same-origin")
	}
	page.Protect(header)
	v := visitOf(c)
	if v == nil {
		return page.Shopless(w, outcome.Refused.Status)
	}
	res, err := d.answer(c, v, outcome, with)
	if err != nil {
		return err
	}
	if res.location != "" {
		header.Set("Location", res.location)
		header.Del("Content-Type")
		w.WriteHeader(res.status)
		return nil
	}
	if with.back && res.status == http.StatusOK {
		header.Set("Cache-Control", "private, no-cache")
		header.Set("Vary", "Accept, Cookie")
	}
	maps.Copy(header, res.header)
	w.WriteHeader(res.status)
	return Write(w, res.page)
}

// answer chooses how the person is answered. A form that did what it says leads on (303), so that a reload does not
// send it again. A refusal that its sender can mend shows the form again with its faults; any other is an error page.
// If making the page fails, that failure has its error page, too.
func (d door) answer(c *api.Call, v *visit, outcome api.Outcome, with answers) (res response, err error) {
	reads := c.HTTP().Method == http.MethodGet || c.HTTP().Method == http.MethodHead
	switch {
	case outcome.Refused == nil && !reads:
		return to(http.StatusSeeOther, with.done(v, outcome)), nil
	case reads && outcome.Status() == http.StatusMethodNotAllowed && strings.HasPrefix(v.path, "/basket/"):
		return to(http.StatusSeeOther, "/basket"), nil // a tab is still at the address of a form that was refused
	case with.gone && outcome.Status() == http.StatusNotFound, outcome.Refused == nil,
		with.page != nil && page.Mendable(outcome.Refused):
		made := func() (err error) { res, err = with.page(d, c, v, outcome); return }
		err = guard.Do(c, made, "requestId", c.RequestID)
	default:
		res, err = d.refused(c, v, outcome.Refused)
	}
	switch {
	case err != nil && c.HungUp(): // nobody waits for a page
		return res, err
	case err != nil:
		return d.refused(c, v, c.Problem(err))
	}
	res.status = cmp.Or(res.status, outcome.Status())
	return res, nil
}

// refused is the error page of a refusal, with the shop's menu and the visitor's basket. If the store cannot be read,
// the page has neither.
func (d door) refused(c *api.Call, v *visit, p *problem.Problem) (response, error) {
	if err := guard.Do(c, func() error { return d.readVisitor(c, v) }); err != nil && !c.HungUp() {
		d.Log.WarnContext(c, "a page of a refusal was made without what the shop has", "error", err)
	}
	return response{status: p.Status, header: p.Header,
		page: d.view(v, frontend.Page{Type: frontend.Other}).refused(p.Status)}, nil
}

// view is what templates are filled with, for a visitor who was read. shown is what the page shows. Its path is the
// request's unless it says another one: a form that is shown again stands at the form's page, not at the operation.
func (d door) view(v *visit, shown frontend.Page) Setting {
	if shown.Path == "" {
		shown.Path = v.path
	}
	view := Setting{Shop: *v.shop, Website: v.website, Path: shown.Path, Pages: d.pages, Menu: v.menu, Level: v.level(),
		AskConsent: v.askConsent}
	if v.customer != nil {
		view.SignedIn, view.Name = true, string(v.customer.FirstName)
	}
	if v.shownBasket != nil {
		view.Total = v.shownBasket.Totals.Total
		for _, l := range v.shownBasket.Items {
			view.Pieces += l.Quantity
		}
	}
	view.Codes = Codes{Head: template.HTML(v.codes[addon.InHead]), BodyEnd: template.HTML(v.codes[addon.AtBodyEnd]),
		OrderConfirmed: template.HTML(v.codes[addon.OnOrderConfirmed])}
	view.State = v.state(shown).Head(d.Now())
	return view
}

// state is what the page tells scripts (contract, "Frontend contract"): `window.dataLayer[0].eshop`, and for our own
// script what was told before. Unread says that basket or shopper could not be read: the script then compares nothing.
func (v *visit) state(p frontend.Page) frontend.PageState {
	of := frontend.Shop{ID: v.shop.ID, Locale: string(v.shop.Locale), Currency: v.shop.Currency}
	state := frontend.PageState{Shop: of, Page: p}
	if v.customer != nil {
		state.User = frontend.User{LoggedIn: true, CustomerID: v.customer.ID}
		state.Told.SignIn = v.session.Mark
	}
	state.Basket = frontend.Basket{Currency: v.shop.Currency, Totals: frontend.Totals{Total: "0.00"}}
	if b := v.shownBasket; b != nil {
		state.Told.Ordered, state.Basket.Totals.Total = b.LastOrder, b.Totals.Total.String()
		state.Basket.Items, state.Basket.Coupons = toldLines(b.Items), toldCoupons(b.Coupons)
	}
	state.Told.Order = v.confirms
	state.Unread = v.basket == "" || v.shownBasket == nil || !v.known
	return state
}

// toldLines are lines as scripts are told of them.
func toldLines(lines []sale.BasketLine) []frontend.Line {
	told := make([]frontend.Line, len(lines))
	for i, l := range lines {
		told[i] = frontend.Line{ID: l.ID, ProductID: l.ProductID, VariantID: l.VariantID, Code: string(l.Code),
			Name: l.Name, Quantity: l.Quantity, UnitPrice: l.UnitPrice.String(), Quoted: l.Quoted}
	}
	return told
}

// toldCoupons are coupons as scripts are told of them.
func toldCoupons(coupons []sale.BasketCoupon) (told []frontend.Coupon) {
	for _, c := range coupons {
		told = append(told, frontend.Coupon{Code: string(c.Code), Discount: c.Discount.String()})
	}
	return told
}

// sentForm is a form as it was sent, with its faults; an empty one if none was sent.
func sentForm(l language, outcome api.Outcome) page.Sent {
	sent := page.SentForm(outcome.Form, outcome.Refused, l.notice)
	if outcome.Form == nil {
		sent.Values = url.Values{}
	}
	return sent
}
