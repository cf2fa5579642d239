package addondata

import (
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
	due := job.Head{Version: u.NextVersion(""), Due: u.Now().Add(Retention).Truncate(time.Millisecond)}
	return store.Put(Ends.Item(due, u.Shop+"#"+pkg, store.Item{Key: endKey(u.Shop, pkg)}))
}

// Return is the operation by which the data stay of a package that is activated on the shop.
func Return(shop, pkg string) store.Op { return store.Delete(endKey(shop, pkg)) }

// ending is the shop and the package of an item of Hide.
func ending(i *store.Item) (shop, pkg string) {
	return strings.TrimSuffix(strings.TrimPrefix(i.PK, "S#"), "#DATA"), i.SK
}
