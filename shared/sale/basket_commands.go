package sale

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Baskets are the commands on baskets. Each answers the basket, and what it shows counts as shown last. Add-ons are
// told nothing of baskets (contract, "Baskets and checkout").
type Baskets struct {
	Ordering
	Packages Packages // of the accesses that register price quotes
	BaseURL  string   // the platform's, without a slash at its end: where images are

	// Begin is asked before a basket gets its first row, perhaps several times by one command; its error refuses that.
	// nil: nobody is.
	Begin func(context.Context) error
}

// Packages says of an access whether its package is active on the shop.
type Packages interface {
	PackageActive(ctx context.Context, shop, access string) (bool, error)
}

// Show is the basket at the prices of now. It is written only if it shows something else than last time, or if its time
// goes on.
func (b Baskets) Show(ctx context.Context, u *change.Unit, s Shopper) (*Basket, error) {
	return b.edit(ctx, u, s, func(basket *Basket) error { return b.refresh(ctx, u, s, basket) })
}

// SetQuantity sets how many pieces a line has; not_found if there is no such line.
func (b Baskets) SetQuantity(
	ctx context.Context, u *change.Unit, s Shopper, line string, quantity int64,
) (*Basket, error) {
	return b.edit(ctx, u, s, func(basket *Basket) error {
		i := basket.find(line)
		if i < 0 {
			return problem.NotFound()
		}
		basket.Items[i].Quantity = quantity
		basket.computeTotals(u.Now())
		return basket.checkQuantity(i)
	})
}

// Remove takes a line out of the basket; a problem not_found when there is no such line. The quote of a quoted line
// stays used.
func (b Baskets) Remove(ctx context.Context, u *change.Unit, s Shopper, line string) (*Basket, error) {
	return b.edit(ctx, u, s, func(basket *Basket) error {
		i := basket.find(line)
		if i < 0 {
			return problem.NotFound()
		}
		basket.Items = slices.Delete(basket.Items, i, i+1)
		basket.computeTotals(u.Now())
		return nil
	})
}

// SetCoupon puts the coupon of a code into the basket, in place of the one that is there. It is the problem
// coupon_invalid if the coupon does not apply to the basket.
func (b Baskets) SetCoupon(ctx context.Context, u *change.Unit, shopper Shopper, code field.Code) (*Basket, error) {
	return record.Retry(ctx, func() (*Basket, error) {
		items, err := u.Table.Get(ctx, BasketKey(u.Shop, shopper.Basket), CodeKey(u.Shop, code))
		if err != nil {
			return nil, err
		}
		basket, err := BasketOf(items[0], b.Currency, u.Now())
		if err != nil {
			return nil, err
		}
		// The claim of a code names its coupon, which is a second read: coupons are stored by their id.
		owner := record.Owner(items[1])
		coupon, err := couponOf(ctx, u, owner, code)
		if err != nil {
			return nil, err
		}
		reason := CouponUnknown
		if coupon != nil {
			reason = coupon.Refuses(basket.Totals.Items, u.Now())
		}
		if reason != "" {
			return nil, couponInvalid("body.code", code, reason)
		}
		basket.coupon = coupon.inBasket()
		basket.computeTotals(u.Now())
		return &basket, b.save(ctx, u, shopper, &basket, &basket)
	})
}

// couponOf is the coupon of an id, if it has the code; nil if there is none, or it has another code by now.
func couponOf(ctx context.Context, u *change.Unit, id string, code field.Code) (*Coupon, error) {
	if id == "" {
		return nil, nil
	}
	items, err := u.Table.Get(ctx, CouponKey(u.Shop, id))
	if err != nil {
		return nil, err
	}
	return couponIn(items[0], code)
}

// couponIn is the coupon of an item; nil if it is none, or has got another code meanwhile.
func couponIn(item *store.Item, code field.Code) (*Coupon, error) {
	if record.Missing(item) {
		return nil, nil
	}
	c, err := Coupons.Decode(item)
	if err != nil || FoldCode(c.Code) != FoldCode(code) {
		return nil, err
	}
	return &c, nil
}

// RemoveCoupon takes the coupon out of the basket; of a basket without one it changes nothing.
func (b Baskets) RemoveCoupon(ctx context.Context, u *change.Unit, s Shopper) (*Basket, error) {
	return b.edit(ctx, u, s, func(basket *Basket) error {
		basket.coupon = nil
		basket.computeTotals(u.Now())
		return nil
	})
}

// edit reads the basket, and saves what change makes of it. If another request has written the basket meanwhile, it
// begins anew.
func (b Baskets) edit(
	ctx context.Context, u *change.Unit, shopper Shopper, change func(*Basket) error,
) (*Basket, error) {
	return record.Retry(ctx, func() (*Basket, error) {
		basket, err := b.read(ctx, u, shopper)
		if err != nil {
			return nil, err
		}
		if err := change(basket); err != nil {
			return nil, err
		}
		return basket, b.save(ctx, u, shopper, basket, basket)
	})
}

// read is the basket as it was shown last.
func (b Baskets) read(ctx context.Context, u *change.Unit, s Shopper) (*Basket, error) {
	items, err := u.Table.Get(ctx, BasketKey(u.Shop, s.Basket))
	if err != nil {
		return nil, err
	}
	basket, err := BasketOf(items[0], b.Currency, u.Now())
	return &basket, err
}

// save stores what the basket shows, with more operations. Without any, it writes only what is not stored already.
// result is the command's answer; nil if that is a problem.
func (b Baskets) save(
	ctx context.Context, u *change.Unit, shopper Shopper, basket *Basket, result any, more ...store.Op,
) error {
	// So a basket that is only looked at costs no write.
	if len(more) == 0 && basket.isStored(u.Now()) {
		return nil
	}
	if basket.version == "" && b.Begin != nil {
		if err := b.Begin(ctx); err != nil {
			return err
		}
	}
	put := basket.put(u.Shop, shopper.Basket, u.NextVersion(basket.version), u.Now())
	_, err := u.Write(ctx, result, events.Nothing, append([]store.Op{put}, more...)...)
	return err
}

// refresh makes the basket show what its products cost now, and what its coupon takes off now. It takes one Get, and
// one more if a variant has moved.
func (b Baskets) refresh(ctx context.Context, u *change.Unit, shopper Shopper, basket *Basket) error {
	keys := partKeys(u.Shop, basket.Items)
	for _, l := range basket.Items {
		keys = append(keys, catalog.ProductKey(u.Shop, l.ProductID))
	}
	if basket.coupon != nil {
		keys = append(keys, CouponKey(u.Shop, basket.coupon.ID))
	}
	had, err := store.GetByKey(ctx, u.Table, keys)
	if err != nil {
		return err
	}
	heads, variants := make([]*catalog.Head, len(basket.Items)), make([]string, len(basket.Items))
	for i, l := range basket.Items {
		if heads[i], err = catalog.HeadOf(had[catalog.ProductKey(u.Shop, l.ProductID)]); err != nil {
			return err
		}
		variants[i] = l.VariantID
	}
	sold, err := catalog.VariantsOf(ctx, u.Table, heads, variants, had)
	if err != nil {
		return err
	}
	basket.reprice(heads, sold, shopper.Level)
	if was := basket.coupon; was != nil {
		now, err := couponIn(had[CouponKey(u.Shop, was.ID)], was.Code)
		if err != nil {
			return err
		}
		// A coupon that is gone stays in the basket and takes nothing off, so that the shopper sees why the sum has
		// changed.
		was.Active = false // one that is gone takes nothing off
		if now != nil {
			basket.coupon = now.inBasket()
		}
	}
	basket.computeTotals(u.Now())
	return nil
}
