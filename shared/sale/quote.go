package sale

import (
	"net/http"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// Quote is a basket price quote: for one line of a basket, once, a product at a price that an add-on has calculated
// (contract, "Basket price quotes"). It is shown to the access that registered it.
type Quote struct {
	record.Head
	QuoteFields
	ImageIDs  []string    `json:"imageIds"`
	Status    QuoteStatus `json:"status" enum:"issued,used,expired,revoked"`
	ExpiresAt field.Time  `json:"expiresAt"`
	OrderID   string      `json:"orderId,omitempty" doc:"The id of the order that it was sold with"`

	Access    string   `json:"-"` // that registered it
	Package   string   `json:"-"` // of the access
	Hash      string   `json:"-"` // of its token
	ImageKeys []string `json:"-"` // the public keys of its images: see images.URL
}

// QuoteRef is what must be known of a quote to write a change of it without reading it.
type QuoteRef struct {
	ID         string     `json:"id"`
	Access     string     `json:"access"`
	ExternalID field.Line `json:"externalId,omitempty"`
}

// Ref is the quote's.
func (q Quote) Ref() QuoteRef { return QuoteRef{q.ID, q.Access, q.ExternalID} }

// QuoteFields are what a quote is for. They never change.
type QuoteFields struct {
	ProductID  string      `json:"productId"`
	VariantID  string      `json:"variantId,omitempty" doc:"The id of the variant, needed when the product has some"`
	UnitPrice  field.Money `json:"unitPrice" doc:"The price of one piece, with VAT, in the shop's currency" example:"1234.50"`
	Note       field.Line  `json:"note,omitempty" maxLength:"500" doc:"The note that basket and order show"`
	ExternalID field.Line  `json:"externalId,omitempty" doc:"Your own id of the quote, unique among the issued quotes of your access"`
}

// QuoteNew is the body of a POST.
type QuoteNew struct {
	QuoteFields
	ImageIDs  []string `json:"imageIds" required:"false" maxItems:"20" doc:"The ids of images of your access that belong to no quote yet"`
	ExpiresIn int64    `json:"expiresIn" required:"false" minimum:"60" maximum:"2592000" doc:"How many seconds the token can be used for: a day unless it is said. A line that it was used for keeps its price as long as its basket lives" example:"86400"`
}

// Defaults are the values of what a new quote does not say.
func (n *QuoteNew) Defaults() { n.ExpiresIn = int64((24 * time.Hour).Seconds()) }

// QuoteIssued is the answer to the access that registered a quote. The token is nowhere else: it is derived from the
// id, and stored as a hash.
type QuoteIssued struct {
	ID        string      `json:"id"`
	Token     string      `json:"quoteToken" doc:"The token that the browser sends with the add-to-basket request, once; nothing is to be read in it"`
	ExpiresAt field.Time  `json:"expiresAt"`
	Status    QuoteStatus `json:"status" enum:"issued,used,expired,revoked"`
	Version   string      `json:"-"`
}

// QuoteStatus is what has become of a quote.
type QuoteStatus string

// The statuses. An issued quote whose time is over is expired without having been written.
const (
	QuoteStatusIssued  QuoteStatus = "issued"
	QuoteStatusUsed    QuoteStatus = "used"
	QuoteStatusExpired QuoteStatus = "expired"
	QuoteStatusRevoked QuoteStatus = "revoked"
)

// quoteLife is how long a quote can be read after it ended unsold, and how long its images stay.
const quoteLife = 30 * 24 * time.Hour

// MaxQuoteImages is how many images a quote can have.
const MaxQuoteImages = 20

// At is the quote as it is at a moment. The end of its time is a change that nobody has written: it moves `changed` and
// the version in ETags. So only the quote as it was read can be written, and never this one.
func (q Quote) At(now time.Time) Quote {
	if q.Status == QuoteStatusIssued && field.At(now) >= q.ExpiresAt {
		q.Status, q.Changed, q.Version = QuoteStatusExpired, q.ExpiresAt, q.Version+"-expired"
	}
	return q
}

// Sells is nil when the quote can be used for the product or variant now, else the storefront's refusal (contract,
// "Basket price quotes"). packageActive says whether the quote's Package is active on the shop.
func (q Quote) Sells(productID, variantID string, now time.Time, packageActive bool) error {
	status := q.At(now).Status
	switch {
	// A token of another product, of a package that is switched off, and one that was revoked look the same as none.
	case q.ProductID != productID, q.VariantID != variantID, !packageActive, status == QuoteStatusRevoked:
		return NoQuote()
	case status == QuoteStatusUsed:
		return quoteUsed()
	case status == QuoteStatusExpired:
		return &problem.Problem{Status: http.StatusGone, Code: "quote_expired",
			Detail: "The time of this price is over: ask for a new one."}
	}
	return nil
}

// NoQuote is the refusal of a token that is no quote of the shop, and of everything that must look the same: one code,
// so that nobody can find out which tokens exist.
func NoQuote() *problem.Problem {
	return problem.Refused("quote_invalid", "This price is not valid for this product: ask for a new one.")
}

// quoteUsed is the refusal of a token that has bought already.
func quoteUsed() *problem.Problem {
	return problem.Conflict("quote_used", "This quote was already used: each is sold once.")
}

// Images are the quote's images as a line of a basket or an order has them.
func (q Quote) Images(base string) []OrderImage {
	shown := func(key string) OrderImage { return OrderImage{ID: images.IDOf(key), URL: images.URL(base, key)} }
	return each.Of(q.ImageKeys, shown)
}
