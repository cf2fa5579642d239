package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/store"
)

// ItemKind is what a URL belongs to: the type of its urlItem.
type ItemKind string

// The kinds of items (contract, section 4, "Custom URLs").
const (
	KindProduct  ItemKind = "product"
	KindCategory ItemKind = "category"
)

// The most URLs that a product or category has: those made by a POST, those that renames have left, and its system URL
// are far fewer than maxURLs, which leaves room for what was made before there were bounds.
const (
	maxPosted = 100
	maxFormer = 100
	maxURLs   = 10_000
)

// URL is one address of a product or category, as its item keeps it. Its item lies in the partition of what it
// belongs to.
type URL struct {
	ID       string     `json:"id"`
	ItemKind ItemKind   `json:"of"`
	Item     string     `json:"item"` // the product's or category's id
	Slug     string     `json:"slug"`
	System   bool       `json:"system"` // kind: system or custom
	Active   bool       `json:"active"`
	Posted   bool       `json:"posted"` // made by a POST, not left by a rename
	Created  field.Time `json:"created"`
	Version  string     `json:"-"`
}

// Key is that of the URL's item.
func (u URL) Key(shop string) store.Key {
	return store.Key{PK: headKey(shop, ownerOf(u.ItemKind, u.Item)).PK, SK: u.row()}
}

// row is the sort key of the URL's item: those of an item lie in the order in which they were made.
func (u URL) row() string { return urlPrefix + id.Stamp(u.Created.Go()) + "#" + u.ID }

// inRow is when the URL of a sort key was made, and its id.
func inRow(row string) (created field.Time, url string) {
	stamp, url, _ := strings.Cut(strings.TrimPrefix(row, urlPrefix), "#")
	return record.ChangedAt(stamp + "0000000000000000"), url // a time is read of a whole id
}

// Stored is the URL as it is stored.
func (u URL) Stored(shop string) store.Item {
	return store.Item{Key: u.Key(shop), Version: u.Version, Doc: record.Document(u),
		Index1: record.IndexKey(URLs(shop), u.Version, u.ID), Index2: urlIDIndex(shop, u.ID)}
}

// URLOf reads a URL's item. Whether what it belongs to is still there, its head says: a deletion of many URLs may leave
// some behind.
func URLOf(i *store.Item) (u URL, err error) {
	err = i.Into(&u)
	u.Version = i.Version
	return u, err
}

// Owner is how claims name what the URL belongs to.
func (u URL) Owner() string { return ownerOf(u.ItemKind, u.Item) }

// eventRecord is the record of what happened to the URL, for the change feed.
func (u URL) eventRecord(did events.Did) events.Record {
	return events.Record{Kind: events.URLs, ID: u.ID, Did: did, Version: u.Version}
}

// URLsOf are all URLs of a product or category, oldest first, and its head; nil when there is none or it was deleted.
// Head and URLs are read side by side, and once more when they are not of one write.
func URLsOf(ctx context.Context, t store.Table, shop string, kind ItemKind, item string) (*store.Item, []URL, error) {
	if !id.Valid(item) {
		return nil, nil, nil
	}
	key := headKey(shop, ownerOf(kind, item))
	for range record.Rounds(ctx) {
		var heads []*store.Item
		var reading guard.Group
		reading.Go(ctx, func() (err error) { heads, err = t.Get(ctx, key); return err })
		rows, err := store.QueryAll(ctx, t, store.Query{PK: key.PK, From: urlPrefix, To: urlPrefix + "~"}, maxURLs)
		if err := errors.Join(reading.Wait(), err); err != nil {
			return nil, nil, err
		}
		urls, err := urlsIn(rows)
		if err != nil || record.Missing(heads[0]) {
			return nil, nil, err
		}
		if AddressOf(heads[0]).agrees(urls) {
			return heads[0], urls, nil
		}
	}
	return nil, nil, store.ErrUnavailable
}

// agrees says whether the URLs are those that a head with this address goes with: one system URL, one active.
func (a Address) agrees(urls []URL) bool {
	var systems, actives []string
	for _, u := range urls {
		if u.System {
			systems = append(systems, u.Slug)
		}
		if u.Active {
			actives = append(actives, u.Slug)
		}
	}
	return slices.Equal(systems, []string{a.System}) && slices.Equal(actives, []string{a.Active})
}

// urlsIn are the URLs among the items of a partition.
func urlsIn(items []store.Item) (urls []URL, err error) {
	for i := range items {
		if !strings.HasPrefix(items[i].SK, urlPrefix) {
			continue
		}
		u, err := URLOf(&items[i])
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}

// planDeleteURLs are the operations and records of the URLs of something deleted.
func planDeleteURLs(shop string, urls []URL, version string) (ops []store.Op, records []events.Record) {
	for _, u := range urls {
		ops = append(ops, store.Delete(u.Key(shop)))
		u.Version = version
		records = append(records, u.eventRecord(events.Deleted))
	}
	return ops, records
}
