package sale

import (
	"context"

	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Add puts a product or a variant into the basket, at its present price, or at the price of the quote whose token is
// named. The token is used in the same transaction: of everybody who has the token, one adds the product. Too little
// stock is no reason to refuse.
func (b Baskets) Add(ctx context.Context, u *change.Unit, s Shopper, item BasketNew) (*Basket, error) {
	return record.Retry(ctx, func() (*Basket, error) { return b.tryAdd(ctx, u, s, item) })
}

// tryAdd adds the product once: it reads, judges, and writes. Each reason to refuse comes as early as what it needs is
// read, so that a refused request reads no more than that.
func (b Baskets) tryAdd(ctx context.Context, u *change.Unit, shopper Shopper, want BasketNew) (*Basket, error) {
	keys := []store.Key{BasketKey(u.Shop, shopper.Basket)}
	if id.Valid(want.ProductID) {
		keys = append(keys, catalog.ProductKey(u.Shop, want.ProductID))
	}
	if want.QuoteToken != nil {
		keys = append(keys, QuoteClaimKey(u.Shop, want.quoteToken()))
	}
	items, err := store.GetByKey(ctx, u.Table, keys)
	if err != nil {
		return nil, err
	}
	basket, err := BasketOf(items[BasketKey(u.Shop, shopper.Basket)], b.Currency, u.Now())
	if err != nil {
		return nil, err
	}
	head, err := catalog.HeadOf(items[catalog.ProductKey(u.Shop, want.ProductID)])
	if err != nil {
		return nil, err
	}
	var faults problem.Faults
	if refuseProduct(&faults, "", head, want.VariantID); len(faults) > 0 {
		return nil, faults.Err()
	}
	variants, err := catalog.VariantsOf(ctx, u.Table, []*catalog.Head{head}, []string{want.VariantID}, nil)
	if err != nil {
		return nil, err
	}
	if refuseVariant(&faults, "", want.VariantID, variants[0]); len(faults) > 0 {
		return nil, faults.Err()
	}
	line := BasketLine{ID: u.NewID(), ProductID: head.ID, VariantID: want.VariantID, Quantity: want.Quantity,
		Images: []OrderImage{}, part: max(0, head.PartOf(want.VariantID))}
	var using []store.Op
	if want.QuoteToken != nil {
		// The token is used by the basket's own write: a line that is refused after this leaves it unused (contract,
		// "Basket price quotes").
		claim := items[QuoteClaimKey(u.Shop, want.quoteToken())]
		if using, err = b.useQuote(ctx, u, record.Owner(claim), &line); err != nil {
			return nil, err
		}
	}
	line.sell(head, variants[0], shopper.Level)
	// The line goes in first, because the bounds are those of the whole basket. Nothing is stored before they hold.
	i := basket.add(line)
	basket.computeTotals(u.Now())
	if err := basket.checkQuantity(i); err != nil {
		return nil, err
	}
	if err := basket.checkSize(); err != nil {
		return nil, err
	}
	return &basket, b.save(ctx, u, shopper, &basket, &basket, using...)
}

// useQuote makes the line one of the quote of an id ("": of a token that no quote has), and returns the operations that
// use the quote.
func (b Baskets) useQuote(ctx context.Context, u *change.Unit, quote string, line *BasketLine) ([]store.Op, error) {
	quoted, err := Quotes.Read(ctx, u.Table, u.Shop, quote)
	if problem.Is(err, "not_found") { // as the id "" is
		err = NoQuote()
	}
	if err != nil {
		return nil, err
	}
	// A package that was deactivated sells no more: its prices are nobody's any longer.
	active, err := b.Packages.PackageActive(ctx, u.Shop, quoted.Access)
	if err != nil {
		return nil, err
	}
	if err := quoted.Sells(line.ProductID, line.VariantID, u.Now(), active); err != nil {
		return nil, err
	}
	version := u.NextVersion(quoted.Version)
	line.quoteAs(quoted, quoted.Images(b.BaseURL), version)
	return quoted.Use(u.Shop, version, u.Now()), nil
}
