package sale

import (
	"context"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// Coupons are the discount coupons of shops as records. What an order counts lies beside the document, so that counting
// one moves nothing else: the number "used", and the text "rev", which every change but a use moves.
var Coupons = &record.Kind[Coupon, CouponFields]{
	PublishedAs: events.Coupons,
	Key:         CouponKey,
	List:        func(shop string) string { return "S#" + shop + "#D" },
	Split:       func(c *Coupon) (*record.Head, *CouponFields) { return &c.Head, &c.CouponFields },
	Check:       CouponFields.check,
	Claims:      couponClaims,
	Filters: []record.Filter[Coupon]{{Name: "code", Most: 64, Doc: "The coupon with this code, compared without case",
		Claim: func(shop, code string) store.Key { return CodeKey(shop, field.Code(code)) },
		Has:   func(c Coupon, code string) bool { return FoldCode(c.Code) == FoldCode(field.Code(code)) }}},
	Load: func(c *Coupon, item *store.Item) { c.Used, c.Rev = item.Num[used], item.Text[rev] },
	Save: func(_ string, c Coupon, item *store.Item) {
		item.Num, item.Text = map[string]int64{used: c.Used}, map[string]string{rev: c.Version}
	},
}

// Names of what lies beside a coupon's document.
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
func couponClaims(shop string, f CouponFields) []record.Claim {
	return []record.Claim{{Key: CodeKey(shop, f.Code),
		Taken: problem.Conflict("code_taken", "Another coupon of this shop has this code.")}}
}

// Use is the operation that counts one order at the coupon as it was read, and the record of that. It fails if the
// coupon was changed or deleted meanwhile, if it was used in the version's millisecond or later, or if other orders
// have used up its usageLimit. Earlier uses do not matter. version is the coupon's next.
func (c Coupon) Use(shop, version string) (store.Op, events.Record) {
	c.SetVersion(version)
	index := record.IndexKey(Coupons.List(shop), c.Version, c.ID)
	conds := []store.Condition{store.TextIs(rev, c.Rev), record.VersionRises(version)}
	if c.UsageLimit != nil {
		conds = append(conds, store.AtMost(used, *c.UsageLimit-1))
	}
	to := store.Set{Version: version, Index1: &index, Add: map[string]int64{used: 1}}
	return store.Update(CouponKey(shop, c.ID), to, conds...),
		events.Record{Kind: events.Coupons, ID: c.ID, Did: events.Changed, Version: version}
}

// OrderStates are the order states of shops as records. A deleted one is marked: it leaves the collection and can still
// be read by its id.
var OrderStates = &record.Kind[OrderState, OrderStateFields]{
	PublishedAs: events.States,
	Key:         StateKey,
	List:        func(shop string) string { return "S#" + shop + "#OS" },
	Split:       func(s *OrderState) (*record.Head, *OrderStateFields) { return &s.Head, &s.OrderStateFields },
	Deletion: &record.Deletion[OrderState]{
		Mark:   func(s *OrderState, at field.Time) { s.Deleted, s.DeletedAt = true, &at },
		Marked: func(s OrderState) bool { return s.Deleted },
		Frozen: problem.Conflict("state_deleted", "The order state is deleted: it cannot be changed."),
	},
	Along: []record.Along[OrderState]{{Extend: countStates, Explain: whyNoState}},
}

func init() { OrderStates.Fill = fillPosition } // not above: it reads states

// StateKey is the order state's item. All of a shop are in one partition: one query reads them.
func StateKey(shop, id string) store.Key { return store.Key{PK: statesPK(shop), SK: id} }

// statesPK is the partition of a shop's order states.
func statesPK(shop string) string { return "S#" + shop + "#STATES" }

// lastState sorts behind all states of the partition, and before what else is in it: ids begin with 0 to 7, LIVE with
// L.
const lastState = "8"

// liveKey is the item that counts the shop's states that are not deleted, in its number "live". So of two requests that
// delete the last two at once, one is refused.
func liveKey(shop string) store.Key { return store.Key{PK: statesPK(shop), SK: "LIVE"} }

// live is the name of that number.
const live = "live"

// AllStates are the shop's order states, deleted ones included, by id: one query.
func AllStates(ctx context.Context, t store.Table, shop string) ([]OrderState, error) {
	items, err := store.QueryAll(ctx, t, store.Query{PK: statesPK(shop), To: lastState}, maxMarked+maxStates)
	if err != nil {
		return nil, err
	}
	all := make([]OrderState, 0, len(items))
	for i := range items {
		s, err := OrderStates.Decode(&items[i])
		if err != nil {
			record.LogUnreadable(ctx, items[i].Key, err)
			continue
		}
		all = append(all, s)
	}
	return all, nil
}
