package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"eshop/events"
	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/base/words"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Head is what every record has beside what clients write. Version is what its ETag holds, and its time is Changed.
type Head struct {
	ID      string     `json:"id"`
	Created field.Time `json:"created"`
	Changed field.Time `json:"changed"`
	Version string     `json:"-"`
}

// SetVersion gives the head a version and the moment of that version. A head without Created is new, and created then.
func (h *Head) SetVersion(version string) {
	h.Version, h.Changed = version, ChangedAt(version)
	if h.Created == 0 {
		h.Created = h.Changed
	}
}

// ChangedAt is the moment of a version: what `changed` shows.
func ChangedAt(version string) field.Time { return field.At(ids.Time(version)) }

// Kind describes a kind of records. R is a record as it is stored, which is JSON, and as it is shown; F is what clients
// write of one.
type Kind[R, F any] struct {
	PublishedAs events.RecordKind               // what its changes are published as; "" when they are not
	Key         func(shop, id string) store.Key // of a record's item
	List        func(shop string) string        // the partition of index 1 with the shop's records, by (changed, id)
	Split       func(*R) (*Head, *F)            // where a record has its head and what clients write

	// What follows may be nil.

	Claims  func(shop string, f F) []Claim           // the values that no other record may have
	Hold    func(R) time.Duration                    // for how long a value that it had stays its own; 0: not at all
	Filters []Filter[R]                              // values by which one is found in a list
	Subsets []Subset[R]                              // values that many records may have, by which a list is narrowed
	Words   func(R) []string                         // by which a search finds a record, as words.In has them
	Groups  func(before, after F) []events.Group     // what a change touched, as X-Webhook-Changed names it
	Check   func(F) error                            // what contradicts what, whatever is stored
	Init    func(r *R)                               // gives a new record what the platform says of it from the start
	Load    func(r *R, item *store.Item)             // reads what the item has beside its document
	Save    func(shop string, r R, item *store.Item) // writes it

	// Deletion marks a deleted record instead of leaving a tombstone.
	Deletion *Deletion[R]

	// Erased says that a deletion leaves no tombstone: for records whose partition is read whole, and for those that
	// others name by their keys and take for gone when there is no item.
	Erased bool

	// Of limits the kind to the records of one owner: reads, lists and changes find no others. nil: all of them.
	Owned *Owned[R]

	// Fill gives fields what the platform decides where the client did not; id is "" of a new record.
	Fill func(ctx context.Context, u *change.Unit, id string, f *F) error
	// Along is what belongs to each step beside the record itself.
	Along []Along[R]
}

// Along is what belongs to a step beside the record itself. Each of its functions may be nil.
type Along[R any] struct {
	// Extend adds to a step: it appends to Ops, Records and Notices.
	Extend func(context.Context, *change.Unit, *Step[R]) error
	// Explain makes the caller's error of a refused condition that Extend has added. To retry the write it returns
	// refused unchanged.
	Explain func(u *change.Unit, s *Step[R], refused error) error
	// AfterTry is called once a step was written (err nil) or refused, before it may be planned anew.
	AfterTry func(ctx context.Context, u *change.Unit, s *Step[R], err error)
}

// Owned is the part of a kind that one owner has.
type Owned[R any] struct {
	List  string           // the partition of index 2 with the owner's records, by (changed, id), as Save writes it
	Owner string           // the owner's id; "" has none
	In    func(*R) *string // where a record has the id of its owner
}

// Has says whether a record is the owner's.
func (o *Owned[R]) Has(r R) bool { return o.Owner != "" && *o.In(&r) == o.Owner }

// OwnedBy is the kind for commands of one owner, whose new records are the owner's.
func (k *Kind[R, F]) OwnedBy(of Owned[R], along Along[R]) *Kind[R, F] {
	own := k.With(along)
	own.Owned = &of
	return own
}

// With is the kind for commands along whose steps more is done, behind all that belongs to each step of the kind. A
// refused write is explained by the last one first.
func (k *Kind[R, F]) With(along Along[R]) *Kind[R, F] {
	more := *k
	more.Along = append(slices.Clip(k.Along), along)
	return &more
}

// Deletion is how the records of a kind are marked as deleted; all of it is needed.
type Deletion[R any] struct {
	Mark   func(r *R, at field.Time)
	Marked func(r R) bool
	Frozen *problem.Problem // why a marked record cannot be changed; nil: to who changes it, it is not there any more
}

// frozen is why the record cannot be changed; nil when it can.
func (k *Kind[R, F]) frozen(r R) error {
	switch {
	case k.Deletion == nil || !k.Deletion.Marked(r):
		return nil
	case k.Deletion.Frozen == nil:
		return problem.NotFound()
	}
	return k.Deletion.Frozen
}

// Filter is a query parameter that finds at most one record of a collection, by a value that no other record has.
type Filter[R any] struct {
	Name, Doc string
	Most      int                                // characters of a value
	Claim     func(shop, value string) store.Key // of the value
	Has       func(r R, value string) bool       // whether the record has it
}

// Subset is a query parameter by which a collection is narrowed to the records that have a value, which many may have:
// they have a partition of index 2 of their own, by (changed, id), or one of what searches find (package search).
type Subset[R any] struct {
	Name, Doc string
	Most      int                             // characters of a value
	Partition func(shop, value string) string // the partition; "" of a value that no record has. nil: searches find it
	Has       func(r R, value string) bool    // whether the record has it
}

// Search is where records of a kind with Words are found (package search), as Listing is where all of them are.
type Search struct {
	Words func(shop string, asked words.Asked) Listing
	Under func(shop, value string) Listing // of a Subset without a Partition
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
	if Missing(items[0]) {
		return *new(R), problem.NotFound()
	}
	r, err := k.Decode(items[0])
	if err == nil && k.Owned != nil && !k.Owned.Has(r) {
		return *new(R), problem.NotFound()
	}
	return r, err
}

// Decode reads a record's item, which is no tombstone.
func (k *Kind[R, F]) Decode(item *store.Item) (R, error) {
	var r R
	if err := item.Into(&r); err != nil {
		return r, fmt.Errorf("record: %s: %w", k.PublishedAs, err)
	}
	head, _ := k.Split(&r)
	head.SetVersion(item.Version)
	if k.Load != nil {
		k.Load(&r, item)
	}
	return r, nil
}

// Item is a record as it is stored.
func (k *Kind[R, F]) Item(shop string, r R) store.Item {
	head, _ := k.Split(&r)
	item := store.Item{Key: k.Key(shop, head.ID), Version: head.Version, Doc: Document(r),
		Index1: IndexKey(k.List(shop), head.Version, head.ID)}
	if k.Save != nil {
		k.Save(shop, r, &item)
	}
	item.Parts = Extent(0, size(&item))
	return item
}

// IndexKey is the key of an item's entry in a partition of an index that goes by (changed, id).
func IndexKey(partition, version, id string) store.Key {
	return store.Key{PK: partition, SK: version[:10] + "#" + id}
}

// Document is what an item holds of a record: JSON without the escapes for HTML, which would make items larger than
// what was sent.
func Document(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("record: " + err.Error()) // records hold nothing that JSON cannot
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Listing is where the shop's records are listed, by (changed, id); Show shows one.
func (k *Kind[R, F]) Listing(t store.Table, shop string) Listing {
	if k.Owned != nil {
		return InPartitions(t, store.Index2, k.Owned.List)
	}
	return InPartitions(t, store.Index1, k.List(shop))
}

// Show is the record of an item for a list, and when it changed; false of a tombstone.
func (k *Kind[R, F]) Show(item *store.Item) (R, time.Time, bool, error) {
	if Missing(item) {
		return *new(R), time.Time{}, false, nil
	}
	r, err := k.Decode(item)
	head, _ := k.Split(&r)
	return r, head.Changed.Go(), true, err
}

// Find is the item of the shop's record that holds the value of a claim; nil when none does.
func (k *Kind[R, F]) Find(ctx context.Context, t store.Table, shop string, claim store.Key) (*store.Item, error) {
	claims, err := t.Get(ctx, claim)
	if err != nil || claims[0] == nil {
		return nil, err
	}
	items, err := t.Get(ctx, k.Key(shop, Owner(claims[0])))
	if err != nil || Missing(items[0]) {
		return nil, err
	}
	if k.Owned != nil {
		if r, err := k.Decode(items[0]); err != nil || !k.Owned.Has(r) {
			return nil, err
		}
	}
	return items[0], nil
}

// claims are the values of the fields that no other record of the kind may have.
func (k *Kind[R, F]) claims(shop string, f F) []Claim {
	if k.Claims == nil {
		return nil
	}
	return k.Claims(shop, f)
}
