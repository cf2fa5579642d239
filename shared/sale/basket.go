package sale

import (
	"slices"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// Basket is a shopper's basket as answers show it. It stores what it has shown last. So a page shows it without reading
// a product; and a checkout charges what was shown, or says that prices have changed.
type Basket struct {
	Items    []BasketLine   `json:"items"`
	Coupons  []BasketCoupon `json:"coupons"`
	Totals   OrderTotals    `json:"totals"`
	Currency string         `json:"currency" example:"CZK"`

	LastOrder string `json:"-"` // the id of the last order that was made of it; "" without one

	coupon  *Coupon // as inBasket makes it; nil without one
	version string  // of its row; "" without one
	expires int64   // of its row in unix seconds; 0 without one, or when its time is over
	stored  []byte  // the document of its row
}

// BasketLine is a line of a basket. If its variant has a name, the line is named by both: "Tričko – červené".
type BasketLine struct {
	ID        string       `json:"id"`
	ProductID string       `json:"productId"`
	VariantID string       `json:"variantId,omitempty"`
	Code      field.Code   `json:"code" doc:"The code of the product, or of its variant where the line has one"`
	Name      string       `json:"name" doc:"The name of the product, with that of its variant behind a dash" example:"Tričko – červené"`
	Quantity  int64        `json:"quantity"`
	UnitPrice field.Money  `json:"unitPrice"`
	Total     field.Money  `json:"total"`
	Quoted    bool         `json:"quoted" doc:"Whether the line is sold at the unit price of a price quote, which stays"`
	Note      field.Text   `json:"note,omitempty" doc:"The note of the line's price quote"`
	Images    []OrderImage `json:"images" doc:"The images of the line's price quote"`

	Slug    string        `json:"-"` // of its product, once it was priced; "" of one that is not sold
	Picture catalog.Image `json:"-"` // the first image of its product, once it was priced

	// Refused is why a checkout would refuse the line, once it was priced: the code of a fault, or Short, of which Left
	// are left; "": it would not. Answers do not show it.
	Refused string `json:"-"`
	Left    int64  `json:"-"`

	part  int        // the part of the product in which its variant was found last
	quote *lineQuote // that it is sold at; nil without one
}

// Short is the code of a line of which there is too little; an order has it as a problem's code.
const Short = "insufficient_stock"

// lineQuote is what a line stores of its quote, which is used already: enough to note the order at the quote without
// reading the quote.
type lineQuote struct {
	QuoteRef
	Version string `json:"version"`
}

// BasketCoupon is what the coupon takes off the basket. A coupon that does not apply any more stays, with "0.00": so
// the shopper sees why the total has changed, and a checkout says what is wrong with it.
type BasketCoupon struct {
	Code     field.Code  `json:"code"`
	Discount field.Money `json:"discount"`
}

// BasketNew is the body of a POST of an item. Prices, names and notes are the platform's.
type BasketNew struct {
	ProductID string `json:"productId"`
	VariantID string `json:"variantId,omitempty" doc:"The id of the variant, needed when the product has some"`
	Quantity  int64  `json:"quantity" minimum:"1" maximum:"1000000"`
	// QuoteToken is nil of who names none. An empty one is a wrong one: the item must not be sold at another price.
	QuoteToken *string `json:"quoteToken,omitempty" maxLength:"255" doc:"The token of the price quote that the item is sold at"`
}

// quoteToken is the token that is named; "" when none is.
func (n BasketNew) quoteToken() string {
	if n.QuoteToken == nil {
		return ""
	}
	return *n.QuoteToken
}

// Shopper is who a basket belongs to, by what a door knows of them.
type Shopper struct {
	Basket   string // the basket's id: the SHA-256 of the cookie's random part in lower-case hex
	Customer string // the id of the customer who is signed in; "" of nobody
	Level    string // the price level at which they are sold to; "" is the default level
}

// The items that an order is written with, in one transaction, beside its products and its quotes.
const (
	orderItems    = 3 // of each order: itself, the claim of its number, and the answer that an Idempotency-Key keeps
	checkoutItems = 2 // of one that is made of a basket besides: the basket, and the coupon
)

// The bounds of a basket. A checkout writes each of its products and each of its quotes once, in one transaction, so a
// basket holds no more of both than one has room for.
const (
	maxBasketLines  = 90
	maxBasketWrites = store.MaxOperations - orderItems - checkoutItems
	maxBasketPieces = 1_000_000 // of one line
)

// maxBasket is how many bytes the document of a basket may have: with what a checkout adds (a note of 64 KiB,
// addresses) it must fit into maxOrder.
const maxBasket = 200 << 10

// find is the index of the line of an id; -1 when there is none.
func (b *Basket) find(line string) int {
	return slices.IndexFunc(b.Items, func(l BasketLine) bool { return l.ID == line })
}

// add puts a line behind the others, or adds its pieces to the line of the same product or variant, which is then sold
// as the new one is. It returns the line's index. A quoted line always stays a line of its own: its price is for what
// was quoted.
func (b *Basket) add(line BasketLine) int {
	// The pieces go to one line, so that a product is not in the basket twice at one price.
	i := slices.IndexFunc(b.Items, func(has BasketLine) bool {
		return !has.Quoted && !line.Quoted && has.ProductID == line.ProductID && has.VariantID == line.VariantID
	})
	if i < 0 {
		b.Items = append(b.Items, line)
		return len(b.Items) - 1
	}
	line.ID, line.Quantity = b.Items[i].ID, line.Quantity+b.Items[i].Quantity
	b.Items[i] = line
	return i
}

// checkSize refuses a basket that has more than one order can have.
func (b *Basket) checkSize() error {
	products, quoted := map[string]bool{}, 0
	for _, l := range b.Items {
		products[l.ProductID] = true
		if l.Quoted {
			quoted++
		}
	}
	if len(b.Items) > maxBasketLines || len(products)+quoted > maxBasketWrites {
		return problem.InvalidAt("", problem.TooMany, "would make a line more than one order can have")
	}
	return b.tooHeavy()
}

// checkQuantity refuses a quantity that a shopper has set for the line at an index, if a line or a total cannot be that
// much.
func (b *Basket) checkQuantity(i int) error {
	l := b.Items[i]
	switch {
	case l.Quantity < 1:
		return problem.InvalidAt("quantity", problem.TooSmall, "must be at least 1")
	case l.Quantity > maxBasketPieces:
		return problem.InvalidAt("quantity", problem.TooBig, "is more than the 1,000,000 pieces that a line can have")
	case l.UnitPrice > 0 && l.Quantity > int64(MaxMoney/l.UnitPrice):
		return problem.InvalidAt("quantity", problem.TooBig, "makes the line's total longer than 12 digits")
	case b.sum() > MaxMoney:
		return problem.InvalidAt("quantity", problem.TooBig, "makes the basket's total longer than 12 digits")
	}
	return nil
}

// sell gives the line the name, the code and, unless it is quoted, the price at which the product is sold now.
func (l *BasketLine) sell(h *catalog.Head, v catalog.Variant, level string) {
	l.Code, l.Name = h.Code(), string(h.Name())
	if l.VariantID != "" {
		l.Code, l.Name = v.Code, catalog.FullName(h.Name(), v.Name)
	}
	if !l.Quoted {
		l.UnitPrice = h.PriceOf(v, level)
	}
}

// quoteAs makes the line one that is sold at the quote, with its images as they are shown.
func (l *BasketLine) quoteAs(q Quote, images []OrderImage, version string) {
	l.Quoted, l.UnitPrice, l.Note, l.Images = true, q.UnitPrice, field.Text(q.Note), images
	l.quote = &lineQuote{q.Ref(), version}
}

// reprice gives the lines the names and prices at which their products are sold now. heads and variants are in the
// order of the lines. A line whose product or variant is gone or inactive stays as it was shown last: the shopper sees
// what it was, and a checkout refuses it.
func (b *Basket) reprice(heads []*catalog.Head, variants []catalog.Variant, level string) {
	// Several lines may sell the same variant: one at its own price, others at quotes. Together they must be in stock.
	taken := map[[2]string]int64{}
	for i := range b.Items {
		line := &b.Items[i]
		var f problem.Faults
		if refuseProduct(&f, "", heads[i], line.VariantID); len(f) == 0 {
			refuseVariant(&f, "", line.VariantID, variants[i])
		}
		if len(f) > 0 {
			line.Refused = f[0].Code
			continue
		}
		// Noted for the next reading: the variant can then be read together with the heads (see partKeys).
		line.part = max(0, heads[i].PartOf(line.VariantID))
		line.sell(heads[i], variants[i], level)
		line.Slug = heads[i].Address.Active
		line.Picture = heads[i].FirstImage()
		stock, _ := heads[i].StockOf(line.VariantID)
		of := [2]string{line.ProductID, line.VariantID}
		if taken[of] += line.Quantity; taken[of] > stock.Quantity {
			line.Refused, line.Left = Short, stock.Quantity
		}
	}
}

// inBasket is the coupon as a basket stores it, without what other orders change of it. A coupon that is used up is
// stored as switched off, until the next refresh.
func (c Coupon) inBasket() *Coupon {
	// Used and Rev are left out: each use by another order moves them, and would make every basket with the coupon
	// differ from what is stored.
	kept := &Coupon{CouponFields: c.CouponFields}
	kept.ID = c.ID
	if c.UsageLimit != nil && c.Used >= *c.UsageLimit {
		kept.Active = false
	}
	return kept
}

// computeTotals computes the totals of lines and basket, and what the coupon takes off. No total is more than money can
// be. Prices that rose meanwhile may come to more; a checkout refuses that.
func (b *Basket) computeTotals(now time.Time) {
	for i := range b.Items {
		l := &b.Items[i]
		// The division tells whether the product overflows before it is made.
		if l.Total = MaxMoney; l.UnitPrice == 0 || l.Quantity <= int64(MaxMoney/l.UnitPrice) {
			l.Total = l.UnitPrice * field.Money(l.Quantity)
		}
	}
	var off field.Money
	sum := min(b.sum(), MaxMoney)
	if c := b.coupon; c != nil && c.Refuses(sum, now) == "" {
		off = Discounts(sum, []Coupon{*c})[0]
	}
	b.setTotals(sum, off)
}

// sum is what the lines come to.
func (b *Basket) sum() (sum field.Money) {
	for _, l := range b.Items {
		sum += l.Total
	}
	return sum
}

// setTotals sets the totals by the sum of the lines and what the coupon takes off it.
func (b *Basket) setTotals(sum, off field.Money) {
	b.Coupons = []BasketCoupon{}
	if b.coupon != nil {
		b.Coupons = []BasketCoupon{{Code: b.coupon.Code, Discount: off}}
	}
	b.Totals = OrderTotals{Items: sum, Discount: off, Total: sum - off}
}

// prices are what a checkout would charge: the unit prices, and what the coupon takes off.
func (b *Basket) prices() []field.Money {
	prices := make([]field.Money, 0, len(b.Items)+1)
	for _, l := range b.Items {
		prices = append(prices, l.UnitPrice)
	}
	return append(prices, b.Totals.Discount)
}
