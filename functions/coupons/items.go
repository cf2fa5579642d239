package coupons

import (
	"context"
	"encoding/json"
	"time"

	"eshop/events"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Key is the coupon's item. Its number "used" counts the orders, its text "rev" names its last change but for uses.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#D#" + id, SK: "A"} }

// OfShop is the partition of Index1 with the coupons of a shop, by (changed, id).
func OfShop(shop string) string { return "S#" + shop + "#D" }

// CodeKey is the claim of a code.
func CodeKey(shop string, code api.Code) store.Key {
	return store.Key{PK: "S#" + shop + "#=D#" + Fold(code), SK: "A"}
}

const (
	used = "used"
	rev  = "rev"
)

// claims are the values that no other coupon of the shop may hold.
func claims(shop string, f Fields) []unique.Claim {
	return []unique.Claim{{Key: CodeKey(shop, f.Code), Taken: api.Conflict("code_taken", "Another coupon of this shop has this code.")}}
}

// of is where the shop's coupons are, by their ids.
func of(shop string) func(id string) store.Key {
	return func(id string) store.Key { return Key(shop, id) }
}

// document is what the item holds as JSON: all that an order does not count.
type document struct {
	ID      string   `json:"id"`
	Created api.Time `json:"created"`
	Fields  Fields   `json:"fields"`
}

func (c Coupon) doc() []byte {
	b, err := json.Marshal(document{c.ID, c.Created, c.Fields})
	if err != nil {
		panic("coupons: " + err.Error()) // a coupon holds nothing that JSON cannot
	}
	return b
}

// item is a new coupon as it is stored.
func (c Coupon) item(shop string) store.Item {
	return store.Item{Key: Key(shop, c.ID), Version: c.Version, Doc: c.doc(), Index1: c.place(shop),
		Text: map[string]string{rev: c.Rev}, Num: map[string]int64{used: c.Used}}
}

// place is where the coupon lies among the shop's.
func (c Coupon) place(shop string) store.Key {
	return store.Key{PK: OfShop(shop), SK: c.Version[:10] + "#" + c.ID}
}

// Use is the operation that counts one order, of the coupon as it was read, and its record. It does not hold when the
// coupon was changed or deleted meanwhile, or has a usageLimit that other orders have used up; other uses do not matter.
// version is the coupon's next.
func (c Coupon) Use(shop, version string) (store.Op, events.Record) {
	c = c.at(version)
	place := c.place(shop)
	conds := []store.Condition{store.TextIs(rev, c.Rev)}
	if c.UsageLimit != nil {
		conds = append(conds, store.AtMost(used, *c.UsageLimit-1))
	}
	return store.Update(Key(shop, c.ID), store.Set{Version: version, Index1: &place, Add: map[string]int64{used: 1}}, conds...),
		c.record(events.Changed)
}

// Of reads a coupon's item, which is no tombstone.
func Of(item *store.Item) (Coupon, error) {
	var d document
	err := item.Into(&d)
	c := Coupon{ID: d.ID, Fields: d.Fields, Created: d.Created, Used: item.Num[used], Rev: item.Text[rev]}
	return c.at(item.Version), err
}

// Read is the shop's coupon of this id, a problem not_found when there is none or it was deleted.
func Read(ctx context.Context, table store.Table, shop, id string) (Coupon, error) {
	items, err := table.Get(ctx, Key(shop, id))
	if err != nil {
		return Coupon{}, err
	}
	if unique.Gone(items[0]) {
		return Coupon{}, api.NotFound()
	}
	return Of(items[0])
}

// at gives the coupon a version and the moment that goes with it.
func (c Coupon) at(version string) Coupon {
	c.Version, c.Changed = version, access.Changed(version)
	return c
}

// record is what happened to the coupon.
func (c Coupon) record(did events.Did) events.Record {
	return events.Record{Kind: events.Coupons, ID: c.ID, Did: did, Version: c.Version}
}

// show is the coupon of an item for a page; a tombstone is none.
func show(item *store.Item) (Coupon, time.Time, bool, error) {
	if unique.Gone(item) {
		return Coupon{}, time.Time{}, false, nil
	}
	c, err := Of(item)
	return c, c.Changed.Go(), true, err
}
