package sale

import (
	"eshop/events"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Coupons are the discount coupons of shops as records. What an order counts lies beside the document, so that counting one
// moves nothing else: the number "used", and the text "rev", which every change but a use moves.
var Coupons = &record.Kind[Coupon, CouponFields]{
	Tells:  events.Coupons,
	Key:    CouponKey,
	List:   func(shop string) string { return "S#" + shop + "#D" },
	Parts:  func(c *Coupon) (*record.Head, *CouponFields) { return &c.Head, &c.CouponFields },
	Check:  CouponFields.check,
	Claims: couponClaims,
	Load:   func(c *Coupon, item *store.Item) { c.Used, c.Rev = item.Num[used], item.Text[rev] },
	Keep: func(c Coupon, item *store.Item) {
		item.Num, item.Text = map[string]int64{used: c.Used}, map[string]string{rev: c.Version}
	},
}

const (
	used = "used"
	rev  = "rev"
)

// CouponKey is the coupon's item.
func CouponKey(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#D#" + id, SK: "A"} }

// CodeKey is the claim of a coupon's code.
func CodeKey(shop string, code field.Code) store.Key {
	return store.Key{PK: "S#" + shop + "#=D#" + FoldCode(code), SK: "A"}
}

// couponClaims are the values that no other coupon of the shop may have.
func couponClaims(shop string, f CouponFields) []unique.Claim {
	return []unique.Claim{{Key: CodeKey(shop, f.Code),
		Taken: problem.Conflict("code_taken", "Another coupon of this shop has this code.")}}
}

// Use is the operation that counts one order, of the coupon as it was read, and its record. It does not hold when the
// coupon was changed or deleted meanwhile, or has a usageLimit that other orders have used up; other uses do not matter.
// version is the coupon's next.
func (c Coupon) Use(shop, version string) (store.Op, events.Record) {
	c.At(version)
	place := Coupons.Place(shop, c.Head)
	conds := []store.Condition{store.TextIs(rev, c.Rev)}
	if c.UsageLimit != nil {
		conds = append(conds, store.AtMost(used, *c.UsageLimit-1))
	}
	return store.Update(CouponKey(shop, c.ID), store.Set{Version: version, Index1: &place, Add: map[string]int64{used: 1}}, conds...),
		events.Record{Kind: events.Coupons, ID: c.ID, Did: events.Changed, Version: version}
}
