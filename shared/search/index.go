package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/guard"
	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// Follower is the name by which the indexer follows the feed of a table, where that is in the same process: the name of
// the function. Searches wait for it.
const Follower = "indexer"

// Index is the index of words of all shops.
type Index struct {
	Main store.Table // the records
	Rows store.Table // the index
}

// Update makes the index say what the records are now that changes are about. What it did not do to the end it does
// when it is called again.
func (x Index) Update(ctx context.Context, changes []events.Change) error {
	touched := map[whose]map[string]bool{}
	for _, c := range changes {
		for _, record := range c.Records {
			for _, k := range searchables {
				if k.of != record.Kind || !k.changed(record) {
					continue
				}
				of := whose{k, c.Shop}
				if touched[of] == nil {
					touched[of] = map[string]bool{}
				}
				touched[of][record.ID] = true
			}
		}
	}
	for of, ids := range touched {
		for some := range slices.Chunk(slices.Sorted(maps.Keys(ids)), together) {
			if err := x.index(ctx, batch{whose: of, ids: some}); err != nil {
				return err
			}
		}
	}
	return nil
}

// whose records of which kind.
type whose struct {
	kind *Searchable
	shop string
}

// batch is records to be indexed.
type batch struct {
	whose
	ids  []string
	anew bool // what the index should have already is written, too
}

// together is how many records are indexed side by side. They are few, because in the one process all writes share
// commits: other writes wait for a commit of these.
const together = 16

// maxRounds is how often records are looked at again that are changed while they are indexed.
const maxRounds = 10

// index makes the index say what the records are now. Others may do the same beside it with what they have read before
// or after. So whatever it has written it looks at again, until there is nothing left to write: then the last one to
// write has also read last.
func (x Index) index(ctx context.Context, b batch) error {
	for range maxRounds {
		entries, err := x.entries(ctx, b)
		if err != nil {
			return err
		}
		records, err := b.kind.read(ctx, x.Main, b.shop, b.ids)
		if err != nil {
			return err
		}
		again := batch{whose: b.whose}
		ops := make([][]store.Op, len(b.ids))
		for i, id := range b.ids {
			if ops[i] = b.difference(id, entries[i], records[i]); len(ops[i]) > 0 {
				again.ids = append(again.ids, id)
			}
		}
		if len(again.ids) == 0 {
			return nil
		}
		errs := guard.Each(ctx, len(ops), func(i int) error { return x.write(ctx, ops[i]) })
		if err := guard.First(errs); err != nil {
			return err
		}
		b = again
	}
	return fmt.Errorf("search: %s of shop %s did not settle in %d rounds: %v", b.kind.of, b.shop, maxRounds, b.ids)
}

// entries are what the index says of the records.
func (x Index) entries(ctx context.Context, b batch) ([]state, error) {
	keys := each.Of(b.ids, func(id string) store.Key { return b.kind.entryKey(b.shop, id) })
	items, err := store.GetAll(ctx, x.Rows, keys)
	if err != nil {
		return nil, err
	}
	all := make([]state, len(items))
	for i, item := range items {
		if item == nil {
			continue
		}
		all[i].version, all[i].sortKey = item.Version, item.Index1.SK
		if all[i].document, err = documentIn(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// difference is what makes the index say now of a record what it did not say before: rows that are another now, and
// whose words or lists are new. The entry comes last: what it says there are rows for.
func (b batch) difference(id string, before, now state) (ops []store.Op) {
	kind, shop := b.kind, b.shop
	has := kind.rows(shop, id, now.document)
	kept := map[store.Key]bool{}
	for _, row := range has {
		kept[row.Key] = true
	}
	had := map[store.Key][]byte{}
	for _, row := range kind.rows(shop, id, before.document) {
		if had[row.Key] = row.Doc; !kept[row.Key] {
			ops = append(ops, store.Delete(row.Key))
		}
	}
	for _, row := range has {
		if b.anew || !bytes.Equal(had[row.Key], row.Doc) {
			ops = append(ops, store.Put(row))
		}
	}
	switch {
	case now.version == "":
		if before.version != "" {
			ops = append(ops, store.Delete(kind.entryKey(shop, id)))
		}
	case len(ops) > 0 || before.version == "" || now.under != "" && before.version != now.version ||
		kind.sortKey != nil && before.sortKey != now.sortKey:
		ops = append(ops, store.Put(kind.entry(shop, id, now)))
	}
	return ops
}

// write writes the operations, as many at once as a write can have.
func (x Index) write(ctx context.Context, ops []store.Op) error {
	for some := range slices.Chunk(ops, store.MaxOperations) {
		if _, err := x.Rows.Write(ctx, events.Nothing, some...); err != nil {
			return err
		}
	}
	return nil
}

// Forget takes a record out of the index, whether or not it is there still: what goes for good is forgotten first,
// since nothing would lead to its words afterwards.
func (x Index) Forget(ctx context.Context, shop string, of events.RecordKind, id string) error {
	for _, k := range searchables {
		if k.of != of {
			continue
		}
		b := batch{whose: whose{k, shop}, ids: []string{id}}
		had, err := x.entries(ctx, b)
		if err != nil {
			return err
		}
		return x.write(ctx, b.difference(id, had[0], state{}))
	}
	return nil
}

// Rebuilt is how far the index of a shop has been made anew.
type Rebuilt struct {
	Indexed int    // records
	Next    string // where Rebuild goes on; "" when it is done
}

// Rebuild writes what the index should have of the shop's records, the next few of them from a place that it has
// returned, at first from "". What the index has of records that are not there any more stays, and no search shows it.
// Searches and changes go on beside it.
func (x Index) Rebuild(ctx context.Context, shop, from string) (Rebuilt, error) {
	kind, after := searchables[0], ""
	if from != "" {
		letter, place := from[:1], from[1:]
		n := slices.IndexFunc(searchables, func(k *Searchable) bool { return k.letter == letter })
		if n < 0 {
			return Rebuilt{}, problem.InvalidAt("from", problem.BadFormat, "must be next of an answer before")
		}
		kind, after = searchables[n], place
	}
	asked := record.Asked{After: after, Limit: together}
	all, next, err := record.Page(ctx, kind.all(x.Main, shop), asked, idsOf)
	if err != nil {
		return Rebuilt{}, err
	}
	if err := x.index(ctx, batch{whose: whose{kind, shop}, ids: all, anew: true}); err != nil {
		return Rebuilt{}, err
	}
	r := Rebuilt{Indexed: len(all)}
	n := slices.Index(searchables, kind)
	switch {
	case next != "":
		r.Next = kind.letter + next
	case n+1 < len(searchables):
		r.Next = searchables[n+1].letter
	}
	return r, nil
}

// IsOld says whether the index of a shop's products was made before all products stood in a list, so that storefronts
// or their shops find nothing by it until Rebuild has made it anew. It reads one entry.
func (x Index) IsOld(ctx context.Context, shop string) (bool, error) {
	page, err := x.Rows.Query(ctx, store.Query{Index: store.Index1, PK: Products.byName(shop), Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return false, err
	}
	entries, err := x.Rows.Get(ctx, page.Items[0].Key)
	if err != nil || entries[0] == nil {
		return false, err
	}
	d, err := documentIn(entries[0])
	return len(d.Lists) == 0, err
}

// idsOf are the ids of records by their index entries, whose sort keys end with them.
func idsOf(_ context.Context, rows []store.Item) ([]record.Shown[string], error) {
	return each.Of(rows, func(row store.Item) record.Shown[string] {
		sk := row.Index1.SK
		return record.Shown[string]{Record: sk[len(sk)-ids.Size:]}
	}), nil
}
