package storefront

import (
	"html/template"
	"strings"

	"eshop/shared/api"
	"eshop/shared/frontend"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// orderPage confirms an order to whoever knows its address, which nobody can guess. Addresses and e-mail are on it for
// 24 h; then it shows number, lines and state only (contract, "Storefront"), because links are passed on and kept.
//
// To the browser whose basket became the order, and to no other, the page also tells orderSubmitted.
func (d door) orderPage(c *api.Call, v *visit, _ api.Outcome) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	end := c.PathValue("secret")
	keys := append([]store.Key{shop.FaceKey(v.shop.ID)}, sale.OrderPageKeys(v.shop.ID, end)...)
	items, err := d.Main.Get(c, keys...)
	if err != nil {
		return response{}, err
	}
	o, err := sale.OrderOfPage(end, items[1:])
	if err != nil {
		return response{}, err
	}
	face, err := shop.FaceOf(items[0])
	if err != nil {
		return response{}, err
	}
	states, err := d.states(c)
	if err != nil {
		return response{}, err
	}
	order := shopperOrder(o, states)
	d.readPictures(c, &order)
	// Only the browser whose basket it was tells the order to scripts; a link that was passed on tells nothing.
	if o.Basket == v.basket {
		v.confirms = order.told()
	}
	view := d.view(v, frontend.Page{Type: frontend.OrderConfirmed})
	if !o.ShowsAddresses(d.Now()) {
		return response{page: view.order(&order)}, nil
	}
	order.payHow, err = d.payHow(c, v, &order, face.Payment)
	return response{page: view.wholeOrder(&order)}, err
}

// payHow is how to pay an order, as the shop says of the way that was chosen: the order has that in words, of the
// language that the shop had then. Nothing is to be paid of an order that has reached the end of its way.
func (d door) payHow(c *api.Call, v *visit, o *ShopperOrder, says shop.Payment) (template.HTML, error) {
	if o.state.Final {
		return "", nil
	}
	var text field.Text
	for _, l := range page.OfShops {
		switch given(o.Shipping.Payment) {
		case language(l).say("paymentTransfer"):
			text = says.Transfer
		case language(l).say("paymentOnTake"):
			text = says.OnDelivery
		}
	}
	ofOrder := strings.NewReplacer("{number}", o.Number, "{total}", money(o.Total, o.Currency))
	return d.Texts.Lines(c, ofOrder.Replace(string(text)))
}

// told is what orderSubmitted tells scripts of an order (contract, "Frontend contract").
func (o *ShopperOrder) told() *frontend.Order {
	return &frontend.Order{ID: o.ID, Number: o.Number, Currency: o.Currency, Total: o.Total.String(),
		Discount: o.Discount.String(), Coupons: toldCoupons(o.Coupons), Items: toldLines(o.of.Shown())}
}
