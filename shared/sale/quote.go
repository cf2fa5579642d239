package sale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

var _ context.Context

// Quote is a price quote: a product or variant at a price of its own, sold once.
type Quote struct {
	record.Head
	ProductID string       `json:"productId"`
	VariantID string       `json:"variantId,omitempty"`
	UnitPrice field.Money  `json:"unitPrice"`
	Note      field.Text   `json:"note,omitempty"`
	Images    []OrderImage `json:"images"`
	Access    string       `json:"access"`
	ExpiresAt field.Time   `json:"expiresAt"`
	Status    string       `json:"-"`
	OrderID   string       `json:"-"`
}

// QuoteFields are what a client can write of a quote.
type QuoteFields struct{}

// Quotes are the price quotes of shops as records.
var Quotes = &record.Kind[Quote, QuoteFields]{
	Key:   QuoteKey,
	List:  func(shop string) string { return "S#" + shop + "#Q" },
	Split: func(q *Quote) (*record.Head, *QuoteFields) { return &q.Head, &QuoteFields{} },
	Load:  func(q *Quote, item *store.Item) { q.Status, q.OrderID = item.Text["status"], item.Text["order"] },
	Keep: func(_ string, q Quote, item *store.Item) {
		item.Text = map[string]string{"status": q.Status}
		item.Num = map[string]int64{"until": int64(q.ExpiresAt)}
	},
}

// QuoteKey is the quote's item.
func QuoteKey(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#Q#" + id, SK: "A"} }

// QuoteClaimKey is the claim of a quote's token, which names the quote.
func QuoteClaimKey(shop, token string) store.Key {
	sum := sha256.Sum256([]byte(token))
	return store.Key{PK: "S#" + shop + "#=Q#" + hex.EncodeToString(sum[:]), SK: "A"}
}

// quoteInvalid is the one answer to all tokens that are not this shop's, this product's, or not valid any more.
func quoteInvalid() *problem.Problem {
	return problem.Refused("quote_invalid", "The price quote is not valid for this item.")
}

// Sells is why the quote does not sell the product or variant; nil when it does.
func (q Quote) Sells(product, variant string, now time.Time, packageActive bool) error {
	switch {
	case q.ProductID != product || q.VariantID != variant || !packageActive || q.Status == "revoked":
		return quoteInvalid()
	case q.Status == "used":
		return problem.Conflict("quote_used", "This quote token was already used.")
	case field.At(now) >= q.ExpiresAt:
		return &problem.Problem{Status: 410, Code: "quote_expired", Detail: "The price quote has expired."}
	}
	return nil
}

// Use makes the quote used, on condition that it is still issued and its time not over.
func (q Quote) Use(shop, version string, now time.Time) store.Op {
	place := record.Place(Quotes.List(shop), version, q.ID)
	return store.Update(QuoteKey(shop, q.ID), store.Set{Version: version, Index1: &place, Text: map[string]string{"status": "used"}},
		store.VersionIs(q.Version), store.TextIs("status", "issued"), store.AtLeast("until", now.UnixMilli()+1))
}

// Sold notes the order that the quote was sold with.
func (q Quote) Sold(shop, orderID, version string) store.Op {
	place := record.Place(Quotes.List(shop), version, q.ID)
	return store.Update(QuoteKey(shop, q.ID), store.Set{Version: version, Index1: &place, Text: map[string]string{"order": orderID}}, store.Present())
}
