package storefront

import (
	"cmp"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/paycode"
	"eshop/shared/frontend"
	"eshop/shared/ports/store"
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
	stored, err := sale.OrderOfPage(end, items[1:])
	if err != nil {
		return response{}, err
	}
	face, err := shop.FaceOf(items[0], v.shop.Locale)
	if err != nil {
		return response{}, err
	}
	states, err := d.states(c)
	if err != nil {
		return response{}, err
	}
	order := shopperOrder(stored, states)
	d.readPictures(c, &order)
	// Only the browser whose basket it was tells the order to scripts; a link that was passed on tells nothing.
	if stored.Basket == v.basket {
		v.confirms = order.told()
	}
	view := d.view(v, frontend.Page{Type: frontend.OrderConfirmed})
	if !stored.ShowsAddresses(d.Now()) {
		return response{page: view.order(&order)}, nil
	}
	err = d.readWays(c, &order, face.Ways)
	return response{page: view.wholeOrder(&order)}, err
}

// readWays says what the shop says of the ways that an order names: how it comes, and how it is paid. An order has them
// in words, so one whose way was named otherwise since has nothing of it. Nothing is to be done any more for an order
// that has reached the end of its way.
func (d door) readWays(c *api.Call, o *ShopperOrder, ways shop.Ways) (err error) {
	if o.state.Final {
		return nil
	}
	delivery, payment := ways.Delivery.Named(given(o.Shipping.Delivery)), ways.Payment.Named(given(o.Shipping.Payment))
	if o.comesHow, err = d.Texts.Lines(c, string(delivery.Note)); err != nil {
		return err
	}
	ofOrder := strings.NewReplacer("{number}", o.Number, "{total}", money(o.Total, o.Currency))
	if o.payHow, err = d.Texts.Lines(c, ofOrder.Replace(string(payment.Note))); err != nil {
		return err
	}
	o.transfer, err = transferOf(o, payment, string(visitOf(c).shop.Name))
	return err
}

// Transfer is a transfer by which an order is paid, in words and as the QR code that a bank's app reads.
type Transfer struct {
	Account, Amount, Symbol string
	Code                    string // the path of its dark modules
	Side                    int    // of the code, in modules
}

// transferOf is how an order is paid to the account of a way; nil where there is no account or nothing to pay.
func transferOf(o *ShopperOrder, way shop.Way, name string) (*Transfer, error) {
	if way.IBAN == "" || o.Total <= 0 {
		return nil, nil
	}
	iban, symbol := string(way.IBAN), o.Number[max(0, len(o.Number)-longestSymbol):]
	text, err := paycode.Transfer{IBAN: iban, Name: name, Amount: o.Total.String(), Currency: o.Currency,
		Symbol: symbol}.Text()
	if err != nil {
		return nil, err
	}
	t := &Transfer{Account: cmp.Or(paycode.Local(iban), paycode.Grouped(iban)), Amount: money(o.Total, o.Currency),
		Symbol: symbol}
	t.Code, t.Side, err = paycode.Draw(text)
	return t, err
}

// longestSymbol is how many digits a variable symbol has at most. The last ones of a number tell orders apart.
const longestSymbol = 10

// told is what orderSubmitted tells scripts of an order (contract, "Frontend contract").
func (o *ShopperOrder) told() *frontend.Order {
	return &frontend.Order{ID: o.ID, Number: o.Number, Currency: o.Currency, Total: o.Total.String(),
		Discount: o.Discount.String(), Coupons: toldCoupons(o.Coupons), Items: toldLines(o.of.Shown())}
}
