package sale

import (
	"bytes"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// BasketKey is the basket's item.
func BasketKey(shop, basket string) store.Key {
	return store.Key{PK: "S#" + shop + "#B#" + basket, SK: "A"}
}

// lastOrder is the text of a basket's item that names the last order made of it.
const lastOrder = "order"

// The row of a basket lives for basketLife from its last use, to the end of that day. So all uses of a day set the same
// end, and a basket that is only shown is written once a day at most.
const (
	basketLife = 30 * day
	day        = 24 * time.Hour
)

// basketEnds is when the row of a basket that is used now expires, in unix seconds.
func basketEnds(now time.Time) int64 { return now.Add(basketLife).Truncate(day).Add(day).Unix() }

// storedBasket is what the item of a basket holds: what was shown last, and what is needed to show it anew.
type storedBasket struct {
	Lines    []storedLine  `json:"lines"`
	Coupon   *storedCoupon `json:"coupon,omitempty"`
	Discount field.Money   `json:"discount"`
}

// storedLine is a line as the basket's item holds it.
type storedLine struct {
	BasketLine
	Part  int        `json:"part,omitempty"`
	Quote *lineQuote `json:"quote,omitempty"`
}

// storedCoupon is a coupon as a basket stores it.
type storedCoupon struct {
	ID string `json:"id"`
	CouponFields
}

// BasketOf reads a basket's item as it was shown last, in the shop's currency. A basket that does not exist, or whose
// time is over, is empty.
func BasketOf(item *store.Item, currency string, now time.Time) (Basket, error) {
	basket := Basket{Items: []BasketLine{}, Currency: currency}
	basket.stored = basket.document()
	var doc storedBasket
	if item != nil {
		basket.version = item.Version
	}
	// An expired row still gives its version, over which the next one is written.
	if item != nil && !item.Expired(now.Unix()) {
		if err := item.Into(&doc); err != nil {
			return basket, err
		}
		basket.LastOrder, basket.expires, basket.stored = item.Text[lastOrder], item.Expires, item.Doc
	}
	var sum field.Money
	for _, l := range doc.Lines {
		l.BasketLine.part, l.BasketLine.quote = l.Part, l.Quote
		basket.Items = append(basket.Items, l.BasketLine)
		sum += l.Total
	}
	if c := doc.Coupon; c != nil {
		basket.coupon = &Coupon{Head: record.Head{ID: c.ID}, CouponFields: c.CouponFields}
	}
	basket.setTotals(min(sum, MaxMoney), doc.Discount)
	return basket, nil
}

// document is what the item holds of the basket.
func (b *Basket) document() []byte {
	doc := storedBasket{Lines: make([]storedLine, len(b.Items)), Discount: b.Totals.Discount}
	for i, l := range b.Items {
		doc.Lines[i] = storedLine{BasketLine: l, Part: l.part, Quote: l.quote}
	}
	if c := b.coupon; c != nil {
		doc.Coupon = &storedCoupon{ID: c.ID, CouponFields: c.CouponFields}
	}
	return record.Document(doc)
}

// isStored says whether the basket's row holds what the basket shows, and lives long enough. An empty basket that never
// had a row needs none.
func (b *Basket) isStored(now time.Time) bool {
	return !b.due(now) && bytes.Equal(b.stored, b.document())
}

// due says whether the end of the row is to be moved, because the basket is used.
func (b *Basket) due(now time.Time) bool {
	return b.expires != 0 && b.expires < basketEnds(now)
}

// Extend is the operation that lets the basket's row last as long as a new one; false if that is not due. It fails if
// the row is gone. It leaves the row's version alone, so that a change made meanwhile need not begin anew. From then on
// the basket's own end is the new one, so it is due once.
func (b *Basket) Extend(shop, id string, now time.Time) (op store.Op, due bool) {
	ends := basketEnds(now)
	if due = b.due(now); due {
		b.expires = ends
	}
	return store.Update(BasketKey(shop, id), store.Set{Expires: &ends}, store.Present()), due
}

// put is the operation that stores what the basket shows over the row that it was read from; version is the basket's
// next. It fails if another request has written the row meanwhile.
func (b *Basket) put(shop, id, version string, now time.Time) store.Op {
	was := store.Absent()
	if b.version != "" {
		was = store.VersionIs(b.version)
	}
	item := store.Item{Key: BasketKey(shop, id), Version: version, Doc: b.document(), Expires: basketEnds(now)}
	if b.LastOrder != "" {
		item.Text = map[string]string{lastOrder: b.LastOrder}
	}
	b.expires = item.Expires
	return store.Put(item, was)
}

// tooHeavy is the fault of a basket that could not become an order; nil when it can.
func (b *Basket) tooHeavy() error {
	if len(b.document()) <= maxBasket {
		return nil
	}
	return problem.InvalidAt("", problem.TooBig, "would make the basket larger than 200 KiB: order what is in it first")
}

// partKeys are the keys of the parts of products in which the lines' variants were found last, so that they can be read
// together with their heads. A variant that is in another part by now costs one more read.
func partKeys(shop string, lines []BasketLine) (keys []store.Key) {
	for _, l := range lines {
		if l.VariantID != "" {
			keys = append(keys, catalog.PartKey(shop, l.ProductID, l.part))
		}
	}
	return keys
}
