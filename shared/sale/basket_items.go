package sale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// BasketKey is the basket's item.
func BasketKey(shop, basket string) store.Key { return store.Key{PK: "S#" + shop + "#B#" + basket, SK: "A"} }

// OrderSecretKey is the claim of an order's secret, by which its page is found. Only the secret's hash is kept.
func OrderSecretKey(shop, secret string) store.Key {
	sum := sha256.Sum256([]byte(secret))
	return store.Key{PK: "S#" + shop + "#=L#" + hex.EncodeToString(sum[:]), SK: "A"}
}

// OrderBySecret is the order of a secret, with the basket that it was made of; a problem not_found when no order of the
// shop has it.
func OrderBySecret(ctx context.Context, t store.Table, shop, secret string) (*Order, error) {
	item, err := Orders.Find(ctx, t, shop, OrderSecretKey(shop, secret))
	if err != nil {
		return nil, err
	}
	if item == nil {
		return nil, problem.NotFound()
	}
	o, err := Orders.Decode(item)
	return &o, err
}

// lastOrder is the text of a basket's item that names the last order made of it.
const lastOrder = "order"

// keptBasket is what the item of a basket holds: what it showed last, and what it takes to show it anew.
type keptBasket struct {
	Currency string     `json:"currency"`
	Lines    []keptLine `json:"lines"`
	Coupon   *keptOff   `json:"coupon,omitempty"`
}

type keptLine struct {
	BasketLine
	Part  int    `json:"part,omitempty"`
	Quote *Quote `json:"quote,omitempty"`
}

// keptOff is a coupon as it was read last, and what it took off.
type keptOff struct {
	Coupon
	Discount string `json:"discount"`
}

// BasketOf reads the item of a basket as it was shown last. One that is not there, or whose time is over, is empty.
func BasketOf(item *store.Item, currency string, now time.Time) (Basket, error) {
	panic("to be written")
}

// kept is what the item holds of the basket.
func (b *Basket) kept() keptBasket {
	lines := make([]keptLine, len(b.Items))
	for i, l := range b.Items {
		lines[i] = keptLine{BasketLine: l, Part: l.part, Quote: l.quote}
	}
	_ = slices.Clone(lines)
	_ = record.Document
	return keptBasket{Currency: b.Currency, Lines: lines}
}
