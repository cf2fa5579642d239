package sale

import (
	"slices"
	"time"

	"eshop/shared/catalog"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/record"
)

// Basket is a shopper's basket as answers show it. What was shown last is what it keeps: a page shows it without
// reading a product, and a checkout charges it, or says that prices have changed.
type Basket struct {
	Items    []BasketLine   `json:"items"`
	Coupons  []BasketCoupon `json:"coupons"`
	Totals   OrderTotals    `json:"totals"`
	Currency string         `json:"currency" example:"CZK"`

	LastOrder string `json:"-"` // the id of the last order that was made of it; "" without one

	version string // of its row; "" without one
	expires int64  // of its row, unix seconds
	coupon  *Coupon
}

// BasketLine is a line of a basket. One with a variant that has a name is named by both: "Tričko – červené".
type BasketLine struct {
	ID        string       `json:"id"`
	ProductID string       `json:"productId"`
	VariantID string       `json:"variantId,omitempty"`
	Code      field.Code   `json:"code" doc:"The variant's of a line with one"`
	Name      string       `json:"name"`
	Quantity  int64        `json:"quantity"`
	UnitPrice field.Money  `json:"unitPrice"`
	Total     field.Money  `json:"total"`
	Quoted    bool         `json:"quoted" doc:"Sold at the unit price of a price quote, which stays"`
	Note      field.Text   `json:"note,omitempty" doc:"That of its price quote"`
	Images    []OrderImage `json:"images" doc:"Those of its price quote"`

	part  int // the part of the product in which its variant was found last
	quote *Quote
}

// BasketCoupon is what the coupon takes off the basket: "0.00" of one that does not apply any more. It stays in the
// basket then, so that the shopper sees why the total is not what it was; a checkout says what is wrong with it.
type BasketCoupon struct {
	Code     field.Code  `json:"code"`
	Discount field.Money `json:"discount"`
}

// BasketNew is the body of a POST of an item. Prices, names and notes are the platform's.
type BasketNew struct {
	ProductID  string `json:"productId"`
	VariantID  string `json:"variantId,omitempty" doc:"Needed when the product has variants"`
	Quantity   int64  `json:"quantity" minimum:"1" maximum:"1000000"`
	QuoteToken string `json:"quoteToken,omitempty" maxLength:"255" doc:"Of the price quote that the item is sold at"`
}

// Shopper is who a basket belongs to, by what a door knows of them.
type Shopper struct {
	Basket   string // the basket's id: the SHA-256 of the cookie's random part in lower-case hex
	Customer string // the id of the customer who is signed in; "" of nobody
	Level    string // the price level at which they are sold to; "" is the default level
}

// level is the price level at which the shopper is sold to.
func (s Shopper) level() string {
	if s.Level == "" {
		return catalog.DefaultLevel
	}
	return s.Level
}

// The bounds of a basket. A checkout is one transaction of at most 100 items: those of the order (four: itself, its
// number, its secret, its coupon), the basket, the kept answer, each product and each quote.
const (
	maxBasketLines  = 90
	maxBasketShares = 94 // products and quoted lines
	maxBasketPieces = 1_000_000
)

// maxBasket is the most that a basket may weigh, in bytes: what it becomes an order with (a note of 64 KiB, addresses)
// must fit into maxOrder.
const maxBasket = 200 << 10

// The row of a basket is kept for basketLife from its last use. Showing it writes it for that reason alone when less
// than basketFresh is left, so that a shopper who looks at pages all day costs one write.
const (
	basketLife  = 30 * 24 * time.Hour
	basketFresh = 29 * 24 * time.Hour
)

// line is the line of an id, nil when there is none.
func (b *Basket) line(id string) *BasketLine {
	if i := slices.IndexFunc(b.Items, func(l BasketLine) bool { return l.ID == id }); i >= 0 {
		return &b.Items[i]
	}
	return nil
}

// add puts a line behind the others, or raises the quantity of the line that has the same product or variant. A quoted
// line is one of its own: its price is for what was quoted.
func (b *Basket) add(l BasketLine) (*BasketLine, error) {
	i := slices.IndexFunc(b.Items, func(has BasketLine) bool {
		return !has.Quoted && !l.Quoted && has.ProductID == l.ProductID && has.VariantID == l.VariantID
	})
	if i < 0 {
		b.Items = append(b.Items, l)
		return &b.Items[len(b.Items)-1], b.full()
	}
	l.ID, l.Quantity = b.Items[i].ID, l.Quantity+b.Items[i].Quantity
	b.Items[i] = l
	return &b.Items[i], nil
}

// full is the fault of a basket that has more lines than one order can have.
func (b *Basket) full() error {
	products, quoted := map[string]bool{}, 0
	for _, l := range b.Items {
		products[l.ProductID] = true
		if l.Quoted {
			quoted++
		}
	}
	if len(b.Items) > maxBasketLines || len(products)+quoted > maxBasketShares {
		return problem.InvalidAt("", problem.TooMany, "the basket has as many items as one order can have")
	}
	return nil
}

// sells makes the line one of a product as it is sold now: name, code and, unless it is quoted, price.
func (l *BasketLine) sells(d catalog.ProductDetails, v catalog.Variant, level string) {
	l.Code, l.Name = d.Code, string(d.Name)
	if l.VariantID != "" {
		l.Code = v.Code
		if v.Name != "" {
			l.Name += " – " + string(v.Name)
		}
	}
	if !l.Quoted {
		l.UnitPrice = catalog.PriceOf(d, v.VariantDetails, level)
	}
}

// bounded is the fault of a quantity that no line has: too many pieces, or more than money can be.
func (l *BasketLine) bounded() error {
	switch {
	case l.Quantity < 1:
		return problem.InvalidAt("quantity", problem.TooSmall, "must be at least 1")
	case l.Quantity > maxBasketPieces:
		return problem.InvalidAt("quantity", problem.TooBig, "a line has at most 1,000,000 pieces")
	case l.UnitPrice > 0 && l.Quantity > int64(MaxMoney/l.UnitPrice):
		return problem.InvalidAt("quantity", problem.TooBig, "makes the line's total longer than 12 digits")
	}
	return nil
}

// count gives the lines their totals and the basket its own, and shows what the coupon takes off. No total is more than
// money can be: prices that rise meanwhile may make it so, and a checkout refuses that.
func (b *Basket) count(now time.Time) {
	var sum field.Money
	for i := range b.Items {
		l := &b.Items[i]
		if l.Total = MaxMoney; l.UnitPrice == 0 || l.Quantity <= int64(MaxMoney/l.UnitPrice) {
			l.Total = l.UnitPrice * field.Money(l.Quantity)
		}
		sum = min(sum+l.Total, MaxMoney)
	}
	var off field.Money
	if c := b.coupon; c != nil && c.Refuses(sum, now) == "" {
		off = Discounts(sum, []Coupon{*c})[0]
	}
	b.show(sum, off)
}

// show sets what the basket shows of its sum and its discount.
func (b *Basket) show(sum, off field.Money) {
	b.Coupons = []BasketCoupon{}
	if b.coupon != nil {
		b.Coupons = []BasketCoupon{{Code: b.coupon.Code, Discount: off}}
	}
	b.Totals = OrderTotals{Items: sum, Discount: off, Total: sum - off}
}

// tooHeavy is the fault of a basket that could not become an order; nil when it can.
func (b *Basket) tooHeavy() error {
	if len(record.Document(b.kept())) <= maxBasket {
		return nil
	}
	return problem.InvalidAt("", problem.TooBig, "the basket would be larger than 200 KiB: order what is in it first")
}
