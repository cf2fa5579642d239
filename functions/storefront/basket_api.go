package storefront

import (
	"context"
	"sync"

	"eshop/shared/api"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// registerBasket registers the operations on the visitor's basket (contract, "Baskets and checkout"). Each one answers
// the basket as it is then. The basket is the cookie's, so no path names one, and an Idempotency-Key belongs to it.
func (d door) registerBasket(a *api.API) {
	const tag = "Storefront"
	api.Add(a, d.op(api.Op{Route: "GET /basket", ID: "readBasket", Tag: tag, Summary: "Read the basket",
		Doc: "What it shows, at the prices of now, is what a checkout charges."}, basketAnswer), d.readBasket)
	api.Add(a, d.op(api.Op{Route: "POST /basket/items", ID: "addToBasket", Tag: tag,
		Summary: "Put a product into the basket",
		Doc: "The product is sold at its own price, or with `quoteToken` at that of a price quote, which is used " +
			"then. The browser never sends a price. 422 `quote_invalid`, 409 `quote_used`, 410 `quote_expired`; 422 " +
			"`too_many` at `body` when the basket is full; 429 `too_many_tries` when an address makes too many new " +
			"baskets, or changes under a new `Idempotency-Key`.",
		Refuses: []int{410, 429}}, addForm), d.addToBasket)
	api.Add(a, d.op(api.Op{Route: "PATCH /basket/items/{id}", ID: "changeBasketItem", Tag: tag,
		Summary: "Change a quantity in the basket",
		Doc:     "Sets the quantity of a line. 429 as of an item, when there is an `Idempotency-Key`.",
		Refuses: []int{429}}, basketForm), d.changeBasketItem)
	api.Add(a, d.op(api.Op{Route: "DELETE /basket/items/{id}", ID: "removeBasketItem", Tag: tag,
		Status:  200,
		Summary: "Take a line out of the basket"},
		basketForm), d.removeBasketItem)
	api.Add(a, d.op(api.Op{Route: "POST /basket/coupon", ID: "setBasketCoupon", Tag: tag,
		Status:  200,
		Summary: "Put a coupon into the basket",
		Doc:     "It replaces the one there. 422 `coupon_invalid` with `reason`; 429 as of an item.",
		Refuses: []int{429}}, basketForm), d.setCoupon)
	api.Add(a, d.op(api.Op{Route: "DELETE /basket/coupon", ID: "removeBasketCoupon", Tag: tag,
		Status:  200,
		Summary: "Take the coupon out of the basket"},
		basketForm), d.removeCoupon)
	api.Add(a, d.op(api.Op{Route: "GET /checkout", ID: "readCheckout", Tag: tag, Summary: "Read what would be ordered",
		Doc: "Shows the basket as it would be ordered."}, checkoutAnswer), d.readBasket)
	api.Add(a, d.op(api.Op{Route: "POST /checkout", ID: "checkout", Tag: tag,
		Summary: "Order what is in the basket",
		Doc: "Makes the order: it takes stock, uses the coupon and empties the basket, all or nothing, and tells " +
			"receivers by `orderChange` and `productChange`. 409 `basket_empty`; 409 `prices_changed` with the " +
			"`basket` as it is now, which the next checkout charges; 409 `insufficient_stock`; 422 `coupon_invalid`; " +
			"429 `too_many_tries` when an address, or one basket, is checked out too often.",
		Refuses: []int{429}}, checkoutForm), d.checkout)
}

// baskets are the commands on baskets of the visitor's shop. A command that makes a new basket is counted once, however
// often it begins anew.
func (d door) baskets(c *api.Call) sale.Baskets {
	counted := sync.OnceValue(func() error { return d.countBasket(c) })
	return sale.Baskets{Ordering: d.Ordering(visitOf(c).shop.Currency), Packages: d.Accesses, BaseURL: d.BaseURL,
		Begin: func(context.Context) error { return counted() }}
}

// basket runs a command on the visitor's basket and answers the basket as it is then. An Idempotency-Key that was not
// seen before is counted, whatever comes of the command: its kept answer is a row.
func (d door) basket(
	c *api.Call, command func(b sale.Baskets, u *change.Unit, s sale.Shopper) (*sale.Basket, error),
) (*api.Plain[sale.Basket], error) {
	baskets := d.baskets(c)
	if c.KeepsAnswer() {
		if err := baskets.Begin(c); err != nil {
			return nil, err
		}
	}
	s, err := d.readShopper(c)
	if err != nil {
		return nil, err
	}
	made := func(b *sale.Basket) *api.Plain[sale.Basket] { return api.PlainOf(*b) }
	answer, err := api.Do(c, made, func(u *change.Unit) (*sale.Basket, error) { return command(baskets, u, s) })
	if err == nil { // the page shows what was written just now, not what another request has made of it since
		v := visitOf(c)
		v.shownBasket, v.priced = &answer.Body, true
	}
	return answer, err
}

// nothing is the input of an operation whose visitor says it all.
type nothing struct{}

// readBasket answers the basket at the prices of now. That answer counts as shown: a checkout charges these prices.
func (d door) readBasket(c *api.Call, _ *nothing) (*api.Plain[sale.Basket], error) {
	b, err := d.showBasket(c)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(*b), nil
}

// showBasket is the visitor's basket at the prices of now. What it shows, it notes in the basket: a checkout charges
// that.
func (d door) showBasket(c *api.Call) (*sale.Basket, error) {
	s, err := d.readShopper(c)
	if err != nil {
		return nil, err
	}
	b, err := d.baskets(c).Show(c, c.Unit(), s)
	if err != nil {
		return nil, err
	}
	v := visitOf(c)
	v.shownBasket, v.priced = b, true
	return b, nil
}

// addToBasket puts a product into the basket. Its price is the product's own or, with a quoteToken, the quoted one; the
// token is used up. Stock is not looked at, because only a checkout takes some (contract, "Baskets and checkout").
func (d door) addToBasket(c *api.Call, in *api.Create[sale.BasketNew]) (*api.Plain[sale.Basket], error) {
	return d.basket(c, func(b sale.Baskets, u *change.Unit, s sale.Shopper) (*sale.Basket, error) {
		return b.Add(c, u, s, in.Body)
	})
}

// changeItem is the input of a PATCH of a line.
type changeItem struct {
	api.ByID
	Body BasketItemQuantity
}

// BasketItemQuantity is the body of a PATCH of a line: how many pieces there are to be.
type BasketItemQuantity struct {
	Quantity int64 `json:"quantity" minimum:"1" maximum:"1000000"`
}

// changeBasketItem sets the quantity of one line.
func (d door) changeBasketItem(c *api.Call, in *changeItem) (*api.Plain[sale.Basket], error) {
	return d.basket(c, func(b sale.Baskets, u *change.Unit, s sale.Shopper) (*sale.Basket, error) {
		return b.SetQuantity(c, u, s, in.ID, in.Body.Quantity)
	})
}

// removeBasketItem takes one line out. The token of a quoted line stays used.
func (d door) removeBasketItem(c *api.Call, in *api.ByID) (*api.Plain[sale.Basket], error) {
	return d.basket(c, func(b sale.Baskets, u *change.Unit, s sale.Shopper) (*sale.Basket, error) {
		return b.Remove(c, u, s, in.ID)
	})
}

// BasketCouponNew is the body of a POST of a coupon.
type BasketCouponNew struct {
	Code field.Code `json:"code"`
}

// setCoupon puts a coupon in, in place of the one that is there. A coupon that does not apply is 422 and changes
// nothing.
func (d door) setCoupon(c *api.Call, in *api.Create[BasketCouponNew]) (*api.Plain[sale.Basket], error) {
	return d.basket(c, func(b sale.Baskets, u *change.Unit, s sale.Shopper) (*sale.Basket, error) {
		return b.SetCoupon(c, u, s, in.Body.Code)
	})
}

// removeCoupon takes the coupon out.
func (d door) removeCoupon(c *api.Call, _ *nothing) (*api.Plain[sale.Basket], error) {
	return d.basket(c, func(b sale.Baskets, u *change.Unit, s sale.Shopper) (*sale.Basket, error) {
		return b.RemoveCoupon(c, u, s)
	})
}

// OrderConfirmation is the answer of a checkout: the order, and the address of the page that confirms it.
type OrderConfirmation struct {
	OrderID      string `json:"orderId"`
	Number       string `json:"number" example:"2026000123"`
	Confirmation string `json:"confirmationUrl" doc:"The page that confirms the order: whoever knows it sees the order"`
}

// checkout makes an order of the basket. Prices that are not those shown last
// are 409 `prices_changed`, with the basket as it is now: a shopper never pays what they have not seen.
func (d door) checkout(c *api.Call, in *api.Create[sale.Checkout]) (*api.Plain[OrderConfirmation], error) {
	delivery := visitOf(c).shop.Look.Ways.Delivery.Named(string(in.Body.Delivery))
	if err := in.Body.Check(delivery.Pickup); err != nil {
		return nil, err
	}
	if err := d.countCheckout(c); err != nil {
		return nil, err
	}
	shopper, err := d.readShopper(c)
	if err != nil {
		return nil, err
	}
	website := visitOf(c).website
	made := func(o *sale.Order) *api.Plain[OrderConfirmation] {
		return api.PlainOf(OrderConfirmation{OrderID: o.ID, Number: o.Number,
			Confirmation: website + "/order/" + o.Page})
	}
	return api.Do(c, made, func(u *change.Unit) (*sale.Order, error) {
		return d.baskets(c).Checkout(c, u, shopper, in.Body)
	})
}
