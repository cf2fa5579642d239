package record

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	ids "eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Head is what every record has beside what clients write. Version is what its ETag holds, and its time is Changed.
type Head struct {
	ID      string     `json:"id"`
	Created field.Time `json:"created"`
	Changed field.Time `json:"changed"`
	Version string     `json:"-"`
}

// At gives the head a version and the moment that goes with it, which is Created, too, of a head that has none yet.
func (h *Head) At(version string) {
	h.Version, h.Changed = version, ChangedAt(version)
	if h.Created == 0 {
		h.Created = h.Changed
	}
}

// ChangedAt is the moment of a version: what `changed` shows.
func ChangedAt(version string) field.Time { return field.At(ids.Time(version)) }

// Kind describes a kind of records. R is a record as it is kept, which is JSON, and as it is shown; F is what clients write
// of one.
type Kind[R, F any] struct {
	Tells events.Kind                     // what its changes are told as; "" when nobody is told of records of this kind
	Key   func(shop, id string) store.Key // of a record's item
	List  func(shop string) string        // the partition of index 1 with the shop's records, by (changed, id)
	Parts func(*R) (*Head, *F)            // where a record has its head and what clients write

	Claims func(shop string, f F) []unique.Claim                            // the values that no other record may have; nil: none
	Groups func(before, after F) []events.Group                             // what a change touched, as X-Webhook-Changed names it; nil: no groups
	Check  func(F) error                                                    // what contradicts what, whatever is stored; nil: nothing can
	Load   func(r *R, item *store.Item)                                     // reads what the item has beside its document; nil: nothing
	Keep   func(r R, item *store.Item)                                      // writes it; nil: nothing
	Mark   func(r *R, at field.Time)                                        // a deletion marks the record instead of leaving a tombstone; nil: it leaves one
	Marked func(r R) bool                                                   // whether the record is: with Mark
	Frozen error                                                            // why a marked record cannot be changed
	Fill   func(ctx context.Context, u *change.Unit, id string, f *F) error // gives fields what the platform decides where the client did not; id is "" of a new record
	Along  func(context.Context, *change.Unit, *Step[R]) error              // adds to a step what else belongs to it
	Lost   func(u *change.Unit, s *Step[R], refused error) error            // why a condition of what went along did not hold; refused itself to try again
	After  func(ctx context.Context, u *change.Unit, s *Step[R], err error) // begins with what follows from each try to write a step, which came to err; nil: nothing does
}

// Read is the shop's record of this id; a problem not_found when there is none or it was deleted.
func (k *Kind[R, F]) Read(ctx context.Context, t store.Table, shop, id string) (R, error) {
	if !ids.Valid(id) {
		return *new(R), problem.NotFound()
	}
	items, err := t.Get(ctx, k.Key(shop, id))
	if err != nil {
		return *new(R), err
	}
	if unique.Gone(items[0]) {
		return *new(R), problem.NotFound()
	}
	return k.Of(items[0])
}

// Of reads a record's item, which is no tombstone.
func (k *Kind[R, F]) Of(item *store.Item) (R, error) {
	var r R
	if err := item.Into(&r); err != nil {
		return r, fmt.Errorf("record: %s: %w", k.Tells, err)
	}
	head, _ := k.Parts(&r)
	head.At(item.Version)
	if k.Load != nil {
		k.Load(&r, item)
	}
	return r, nil
}

// Item is a record as it is stored.
func (k *Kind[R, F]) Item(shop string, r R) store.Item {
	doc, err := json.Marshal(r)
	if err != nil {
		panic("record: " + err.Error()) // records hold nothing that JSON cannot
	}
	head, _ := k.Parts(&r)
	item := store.Item{Key: k.Key(shop, head.ID), Version: head.Version, Doc: doc, Index1: k.Place(shop, *head)}
	if k.Keep != nil {
		k.Keep(r, &item)
	}
	return item
}

// Place is where a record lies among the shop's.
func (k *Kind[R, F]) Place(shop string, h Head) store.Key {
	return store.Key{PK: k.List(shop), SK: h.Version[:10] + "#" + h.ID}
}

// Show is the record of an item for a list, and when it changed; false of a tombstone.
func (k *Kind[R, F]) Show(item *store.Item) (R, time.Time, bool, error) {
	if unique.Gone(item) {
		return *new(R), time.Time{}, false, nil
	}
	r, err := k.Of(item)
	head, _ := k.Parts(&r)
	return r, head.Changed.Go(), true, err
}

// Find is the item of the shop's record that holds the value of a claim; nil when none does.
func (k *Kind[R, F]) Find(ctx context.Context, t store.Table, shop string, claim store.Key) (*store.Item, error) {
	return unique.Find(ctx, t, claim, k.of(shop))
}

// of is where the shop's records are, by their ids.
func (k *Kind[R, F]) of(shop string) func(id string) store.Key {
	return func(id string) store.Key { return k.Key(shop, id) }
}

func (k *Kind[R, F]) claims(shop string, f F) []unique.Claim {
	if k.Claims == nil {
		return nil
	}
	return k.Claims(shop, f)
}
