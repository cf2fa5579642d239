package sale

import (
	"context"

	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// adding is a line on its way into a basket. What it reads is read in two waves: the basket, the product and the claim
// of the quote's token; then the variant and the quote.
type adding struct {
	Baskets
	unit    *change.Unit
	shopper Shopper
	want    BasketNew

	basket  Basket
	head    *catalog.Head
	first   map[store.Key]*store.Item
	quoteID string
	variant catalog.Variant
	quote   *store.Item
}

// Add puts a product or a variant into the basket, at its present price, or at the price of the quote whose token is
// named. The token is used in the same transaction: of everybody who has the token, one adds the product. Too little
// stock is no reason to refuse.
func (b Baskets) Add(ctx context.Context, u *change.Unit, s Shopper, item BasketNew) (*Basket, error) {
	a := &adding{Baskets: b, unit: u, shopper: s, want: item}
	return record.Retry(ctx, func() (*Basket, error) { return a.try(ctx) })
}

// try adds the product once: it reads, judges, and writes. Each reason to refuse comes as early as what it needs is
// read, so that a refused request reads no more than that.
func (a *adding) try(ctx context.Context) (*Basket, error) {
	if err := a.read(ctx); err != nil {
		return nil, err
	}
	var f problem.Faults
	refuseProduct(&f, "", a.head, a.want.VariantID)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := a.readMore(ctx); err != nil {
		return nil, err
	}
	refuseVariant(&f, "", a.want.VariantID, a.variant)
	if err := f.Err(); err != nil {
		return nil, err
	}
	l := BasketLine{ID: a.unit.NewID(), ProductID: a.head.ID, VariantID: a.want.VariantID, Quantity: a.want.Quantity,
		Images: []OrderImage{}, part: max(0, a.head.PartOf(a.want.VariantID))}
	// The token is used by the basket's own write: a line that is refused after this leaves it unused (contract,
	// section 4).
	using, err := a.useQuote(ctx, &l)
	if err != nil {
		return nil, err
	}
	l.sell(a.head.Details(), a.variant, a.shopper.Level)
	// The line goes in first, because the bounds are those of the whole basket. Nothing is stored before they hold.
	i := a.basket.add(l)
	a.basket.computeTotals(a.unit.Now())
	if err := a.basket.checkQuantity(i); err != nil {
		return nil, err
	}
	if err := a.basket.checkSize(); err != nil {
		return nil, err
	}
	return &a.basket, a.save(ctx, a.unit, a.shopper, &a.basket, &a.basket, using...)
}

// read is the first wave, in one call.
func (a *adding) read(ctx context.Context) error {
	shop, now := a.unit.Shop, a.unit.Now()
	items, err := store.GetByKey(ctx, a.unit.Table, a.want.Reads(shop, a.shopper.Basket))
	if err != nil {
		return err
	}
	if a.basket, err = BasketOf(items[BasketKey(shop, a.shopper.Basket)], a.Currency, now); err != nil {
		return err
	}
	// A token that no quote has gives no owner, and useQuote then refuses it.
	a.first, a.quoteID = items, record.Owner(items[QuoteClaimKey(shop, a.want.quoteToken())])
	a.head, err = catalog.HeadOf(items[catalog.ProductKey(shop, a.want.ProductID)])
	return err
}

// Reads are the items that Add reads first to put this into a basket.
func (n BasketNew) Reads(shop, basket string) []store.Key {
	keys := []store.Key{BasketKey(shop, basket)}
	if id.Valid(n.ProductID) {
		keys = append(keys, catalog.ProductKey(shop, n.ProductID))
	}
	if n.QuoteToken != nil {
		keys = append(keys, QuoteClaimKey(shop, n.quoteToken()))
	}
	return keys
}

// ReadsThen are the items that Add reads next, by the items of Reads: the variant, and the quote.
func (n BasketNew) ReadsThen(shop string, items map[store.Key]*store.Item) ([]store.Key, error) {
	head, err := catalog.HeadOf(items[catalog.ProductKey(shop, n.ProductID)])
	if err != nil || head == nil {
		return nil, err
	}
	var keys []store.Key
	if part := head.PartOf(n.VariantID); part >= 0 {
		keys = append(keys, catalog.PartKey(shop, head.ID, part))
	}
	if quote := record.Owner(items[QuoteClaimKey(shop, n.quoteToken())]); quote != "" {
		keys = append(keys, QuoteKey(shop, quote))
	}
	return keys, nil
}

// readMore is the second wave, in one call; without a variant and a quote it asks the store nothing.
func (a *adding) readMore(ctx context.Context) error {
	shop := a.unit.Shop
	keys, err := a.want.ReadsThen(shop, a.first)
	if err != nil {
		return err
	}
	items, err := store.GetByKey(ctx, a.unit.Table, keys)
	if err != nil {
		return err
	}
	a.quote = items[QuoteKey(shop, a.quoteID)]
	variants, err := catalog.VariantsOf(
		ctx, a.unit.Table, []*catalog.Head{a.head}, []string{a.want.VariantID}, items)
	if err == nil {
		a.variant = variants[0]
	}
	return err
}

// useQuote makes the line one of the quote whose token is named, if there is one, and returns the operations that use
// the quote.
func (a *adding) useQuote(ctx context.Context, l *BasketLine) ([]store.Op, error) {
	if a.want.QuoteToken == nil {
		return nil, nil
	}
	if record.Missing(a.quote) {
		return nil, NoQuote()
	}
	q, err := Quotes.Decode(a.quote)
	if err != nil {
		return nil, err
	}
	// A package that was deactivated sells no more: its prices are nobody's any longer.
	active, err := a.Packages.PackageActive(ctx, a.unit.Shop, q.Access)
	if err != nil {
		return nil, err
	}
	now := a.unit.Now()
	if err := q.Sells(l.ProductID, l.VariantID, now, active); err != nil {
		return nil, err
	}
	version := a.unit.NextVersion(q.Version)
	l.quoteAs(q, q.Images(a.BaseURL), version)
	return q.Use(a.unit.Shop, version, now), nil
}
