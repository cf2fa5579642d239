package storefront

import (
	"cmp"
	"html/template"
	"path"
	"strings"

	"eshop/shared/api"
	"eshop/shared/field"
	"eshop/shared/frontend"
	"eshop/shared/images"
	"eshop/shared/sale"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// orderPage confirms an order to whoever knows its address, which nobody can guess. Addresses and e-mail are on it for
// 24 h; then it shows number, lines and state only (contract, section 6), because links are passed on and kept.
//
// To the browser whose basket became the order, and to no other, the page also tells orderSubmitted.
func (d door) orderPage(c *api.Call, v *visit, _ api.Outcome) (response, error) {
	var o *sale.Order
	var states []sale.OrderState
	var face shop.Face
	end := c.PathValue("secret")
	keys := append([]store.Key{shop.FaceKey(v.shop.ID)}, sale.OrderPageKeys(v.shop.ID, end)...)
	err := d.gather(c, v, func(items []*store.Item) (err error) {
		if face, err = shop.FaceOf(items[0]); err != nil {
			return err
		}
		if o, err = sale.OrderOfPage(end, items[1:]); err == nil {
			states, err = d.states(c)
		}
		return err
	}, keys...)
	if err != nil {
		return response{}, err
	}
	// Only the browser whose basket it was tells the order to scripts; a link that was passed on tells nothing.
	if o.Basket == v.basket {
		v.confirms = submittedOrder(v, o)
	}
	state, _ := sale.FindState(states, o.StateID)
	shows := orderShown(v, o, string(state.Name))
	if o.ShowsAddresses(d.Now()) {
		shows = orderWhole(v, o, shows.State)
		if shows.PayHow, err = d.payHow(c, v, o, states, face.Payment); err != nil {
			return response{}, err
		}
	}
	shows.Off = state.Returns()
	view := d.view(v, frontend.Page{Type: frontend.OrderConfirmed})
	return response{page: view.order(shows)}, nil
}

// stateName is the name of the order state with this id. It is "" if the shop has no such state any more.
func stateName(all []sale.OrderState, id string) string {
	s, _ := sale.FindState(all, id)
	return string(s.Name)
}

// orderShown is an order as a page shows it to whoever has its address.
func orderShown(v *visit, o *sale.Order, state string) Order {
	return Order{Number: o.Number, Ordered: o.Created, State: state, Lines: orderLines(v, o)}
}

// orderWhole is an order as a page shows it to who has made it: with the addresses, and where it is.
func orderWhole(v *visit, o *sale.Order, state string) Order {
	shows, lang := orderShown(v, o, state), languageOf(v.shop.Locale)
	shows.Email, shows.Billing, shows.Shipping = string(o.Email), addressLines(lang, o.BillingAddress),
		addressLines(lang, o.DeliveryAddress)
	shows.Delivery, shows.Payment = given(o.Shipping.Delivery), given(o.Shipping.Payment)
	shows.Tracking, shows.TrackingLink = given(o.Shipping.TrackingNumber), given(o.Shipping.TrackingLink)
	return shows
}

// payHow is how to pay an order, as the shop says of the way that was chosen. Nothing is to be paid of an order that
// has reached the end of its way.
func (d door) payHow(c *api.Call, v *visit, o *sale.Order, states []sale.OrderState,
	says shop.Payment) (template.HTML, error) {
	if state, _ := sale.FindState(states, o.StateID); state.Final {
		return "", nil
	}
	lang, text := languageOf(v.shop.Locale), field.Text("")
	switch given(o.Shipping.Payment) {
	case lang.say("paymentTransfer"):
		text = says.Transfer
	case lang.say("paymentOnTake"):
		text = says.OnDelivery
	}
	ofOrder := strings.NewReplacer("{number}", o.Number, "{total}", money(o.Totals.Total, o.Currency))
	return d.Texts.Lines(c, ofOrder.Replace(string(text)))
}

// given is a text that may be missing; "" then.
func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// pictures are the addresses of a quote's images at the shop's own host, so that a page loads nothing from elsewhere.
func (v *visit) pictures(ofQuote []sale.OrderImage) (addresses []string) {
	for _, i := range ofQuote {
		addresses = append(addresses, images.URL(v.website, path.Base(i.URL)))
	}
	return addresses
}

// orderLines are an order's lines and sums. They are a snapshot: nothing is looked up in the catalog.
func orderLines(v *visit, o *sale.Order) Lines {
	l := Lines{Discount: o.Totals.Discount, Of: o.Totals.Items, Total: o.Totals.Total}
	for _, i := range o.Items {
		l.Items = append(l.Items, Item{ID: i.ID, ProductID: i.ProductID, VariantID: i.VariantID,
			Code: string(i.Code), Name: i.FullName(),
			Quantity: i.Quantity, Price: i.UnitPrice, Sum: i.Total, Note: string(i.Note), Images: v.pictures(i.Images)})
	}
	return l
}

// addressLines are the lines of an address that have something in them.
func addressLines(l language, a *sale.OrderAddress) (lines []string) {
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

// submittedOrder is what orderSubmitted tells scripts of an order (contract, section 6).
func submittedOrder(v *visit, o *sale.Order) *frontend.Order {
	t := &frontend.Order{ID: o.ID, Number: o.Number, Currency: o.Currency, Total: o.Totals.Total.String(),
		Discount: o.Totals.Discount.String()}
	for _, c := range o.DiscountCoupons {
		t.Coupons = append(t.Coupons, frontend.Coupon{Code: string(c.Code), Discount: c.Discount.String()})
	}
	for _, l := range orderLines(v, o).Items {
		t.Items = append(t.Items, frontend.Line{ProductID: l.ProductID, VariantID: l.VariantID, Code: l.Code,
			Name: l.Name, Quantity: l.Quantity,
			UnitPrice: l.Price.String()})
	}
	return t
}
