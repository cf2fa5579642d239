package addondata

import (
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
)

// partition is where all packages keep what they have of a record.
func partition(shop string, kind events.RecordKind, id string) string {
	return "S#" + shop + "#DATA#" + string(kind) + "#" + id
}

// key is the item of one package's data of a record.
func (o Of) key(pkg string) store.Key { return store.Key{PK: partition(o.Shop, o.Kind, o.ID), SK: pkg} }

// list is the partition of index 1 with all data of a package on a shop, by (changed, record and package).
func list(shop, pkg string) string { return "S#" + shop + "#DATA#" + pkg }

// item is the data of a package as they are stored.
func (o Of) item(pkg string, d Data) store.Item {
	return store.Item{Key: o.key(pkg), Version: d.Version, Doc: d.Object, Parts: record.Extent(0, len(d.Object)),
		Index1: record.IndexKey(list(o.Shop, pkg), d.Version, string(o.Kind)+"#"+o.ID+"#"+pkg)}
}

// decode reads an item; nil is that of data without fields.
func decode(i *store.Item) Data {
	if i == nil {
		return Data{Version: none}
	}
	return Data{i.Doc, i.Version}
}

// Ends are when the data go of packages that were deactivated.
var Ends = job.Kind{Name: "DATA", Shards: 1}

// Ending is the partition with what is due on a shop.
func Ending(shop string) string { return "S#" + shop + "#DATA" }

func endKey(shop, pkg string) store.Key { return store.Key{PK: Ending(shop), SK: pkg} }

// Hide is the operation by which the data of a package that is deactivated on the unit's shop are deleted after the
// Retention.
func Hide(u *change.Unit, pkg string) store.Op {
	return store.Put(endItem(u.Shop, pkg, u.NextVersion(""), u.Now().Add(Retention)))
}

func endItem(shop, pkg, version string, due time.Time) store.Item {
	head := job.Head{Version: version, Due: due.Truncate(time.Millisecond)}
	return Ends.Item(head, shop+"#"+pkg, store.Item{Key: endKey(shop, pkg)})
}

// PutOff lets the data stay until the Retention behind a later time, by the item of Hide.
func PutOff(ctx context.Context, u *change.Unit, item *store.Item, later time.Time) error {
	shop, pkg := Ended(item)
	later = later.Add(Retention)
	_, err := u.Table.Write(ctx, events.Nothing, store.Put(endItem(shop, pkg, u.NextVersion(item.Version), later),
		store.VersionIs(item.Version)))
	return err
}

// EndsAt is when the data of a package go that is deactivated on the shop; zero: it is not, or they are gone.
func EndsAt(ctx context.Context, t store.Table, shop, pkg string) (time.Time, error) {
	items, err := t.Get(ctx, endKey(shop, pkg))
	if err != nil || items[0] == nil {
		return time.Time{}, err
	}
	return Ends.DueAt(items[0]), nil
}

// Return is the operation by which the data stay of a package that is activated on the shop.
func Return(shop, pkg string) store.Op { return store.Delete(endKey(shop, pkg)) }

// Ended is the shop and the package of an item of Hide.
func Ended(i *store.Item) (shop, pkg string) {
	return strings.TrimSuffix(strings.TrimPrefix(i.PK, "S#"), "#DATA"), i.SK
}
