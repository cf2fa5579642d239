// Package addondata is what packages keep beside the customers, products and orders of a shop (contract, "Data of an
// add-on"): one JSON object of each package for each record, seen by that package alone. It is no part of the record:
// it moves neither its version nor its place in lists, and nobody is told.
//
// It ends with the record, whoever deletes that: Follow hears of each deletion from the stream of changes, and nothing
// is written once the record is gone. It ends with its package, too, a while after the deactivation: Hide notes when,
// Return forgets that, and the sweeper calls End.
package addondata

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/each"
	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// maxBytes is how long the JSON is at most that a package keeps of a record.
const maxBytes = 4 << 10

// Retention is how long the data of a package are kept that was deactivated.
const Retention = 7 * 24 * time.Hour

// kinds are the records of which packages keep data.
var kinds = []events.RecordKind{events.Customers, events.Products, events.Orders}

// Of is the record of which data are kept.
type Of struct {
	Shop string
	Kind events.RecordKind
	ID   string
	Key  store.Key // of the record's own item
}

// Data are what a package keeps of a record. Version is none while it keeps nothing.
type Data struct {
	Object  field.Object
	Version string
}

const none = "0"

// Read is what the package keeps of the record; the problem not_found when there is no such record.
func Read(ctx context.Context, t store.Table, of Of, pkg string) (Data, error) {
	if !ids.Valid(of.ID) {
		return Data{}, problem.NotFound()
	}
	items, err := t.Get(ctx, of.Key, of.key(pkg))
	if err == nil && record.Missing(items[0]) {
		err = problem.NotFound()
	}
	if err != nil {
		return Data{}, err
	}
	return decode(items[1]), nil
}

// ReadAll is what the package keeps of some records, in their order. The keys of the records are not needed.
func ReadAll(ctx context.Context, t store.Table, of []Of, pkg string) ([]field.Object, error) {
	items, err := store.GetAll(ctx, t, each.Of(of, func(one Of) store.Key { return one.key(pkg) }))
	return each.Of(items, func(item *store.Item) field.Object { return decode(item).Object }), err
}

// Write keeps an object of the record for the package, in place of what it kept before; nothing, if it has no fields.
// The record must be there still when it is written, which says nothing of the record's own version.
func Write(ctx context.Context, u *change.Unit, of Of, pkg string, object field.Object) (Data, error) {
	if len(object) > maxBytes {
		return Data{}, problem.InvalidAt("", problem.TooBig, "is longer than 4096 bytes")
	}
	return record.Retry(ctx, func() (Data, error) {
		was, err := Read(ctx, u.Table, of, pkg)
		if err == nil {
			err = u.Match(was.Version)
		}
		if err != nil || bytes.Equal(was.Object, object) {
			return was, err
		}
		held, last := store.VersionIs(was.Version), was.Version
		if was.Version == none {
			held, last = store.Absent(), ""
		}
		now, op := Data{Version: none}, store.Delete(of.key(pkg), held)
		if object != nil {
			now = Data{object, u.NextVersion(last)}
			op = store.Put(of.item(pkg, now), held)
		}
		_, err = u.Write(ctx, now, events.Nothing, op,
			store.Check(of.Key, store.Present(), store.TextIs("deleted", "")))
		return now, err
	})
}

// Purge deletes what all packages keep of a record.
func Purge(ctx context.Context, t store.Table, shop string, kind events.RecordKind, id string) error {
	return record.Purge(ctx, t, partition(shop, kind, id))
}

// Follow purges the records that changes have deleted. It may be called again with the same ones.
func Follow(ctx context.Context, t store.Table, changes []events.Change) error {
	for _, c := range changes {
		for _, r := range c.Records {
			if r.Did != events.Deleted || !slices.Contains(kinds, r.Kind) {
				continue
			}
			if err := Purge(ctx, t, c.Shop, r.Kind, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// End deletes the data of a package whose time is over, by the item of Hide, up to most: the item is due until nothing
// is left. Once that item is gone, because the package was activated meanwhile, nothing more is deleted.
func End(ctx context.Context, t store.Table, item *store.Item, most int) error {
	shop, pkg := Ended(item)
	held := store.VersionIs(item.Version)
	for page, err := range store.Pages(ctx, t, store.Query{Index: store.Index1, PK: list(shop, pkg)}) {
		if err != nil {
			return err
		}
		for some := range slices.Chunk(page.Items, store.MaxOperations-1) {
			ops := []store.Op{store.Check(item.Key, held)}
			for _, row := range some {
				ops = append(ops, store.Delete(row.Key))
			}
			if _, err := t.Write(ctx, events.Nothing, ops...); err != nil {
				return err
			}
			if most -= len(some); most <= 0 || change.Late(ctx) {
				return nil
			}
		}
	}
	_, err := t.Write(ctx, events.Nothing, store.Delete(item.Key, held))
	return err
}

// MostCounted is how far Count counts.
const MostCounted = 10_000

// Count is of how many records the package keeps data on a shop.
func Count(ctx context.Context, t store.Table, shop, pkg string) (n int, err error) {
	q := store.Query{Index: store.Index1, PK: list(shop, pkg), Limit: MostCounted}
	for page, err := range store.Pages(ctx, t, q) {
		if n += len(page.Items); err != nil || n >= MostCounted {
			return min(n, MostCounted), err
		}
	}
	return n, nil
}

// Kept are data as the export of a whole shop has them: whose they are, of which record.
type Kept struct {
	Package string            `json:"packageId"`
	Type    events.RecordKind `json:"type"`
	ID      string            `json:"id"`
	Changed field.Time        `json:"changed"`
	Data    field.Object      `json:"data"`
}

// Listing is where the data of some packages on a shop are listed; Show shows them.
func Listing(t store.Table, shop string, packages []string) record.Listing {
	of := func(pkg string) string { return list(shop, pkg) }
	return record.InPartitions(t, store.Index1, each.Of(packages, of)...)
}

// Show is the data of an item for a list, and when they changed.
func Show(item *store.Item) (Kept, time.Time, bool, error) {
	parts := strings.Split(item.PK, "#") // S, shop, DATA, kind, id
	k := Kept{item.SK, events.RecordKind(parts[3]), parts[4], record.ChangedAt(item.Version), item.Doc}
	return k, k.Changed.Go(), true, nil
}
