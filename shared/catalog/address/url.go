package address

import (
	"context"
	"errors"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// The most URLs that an owner has: those made by a POST, those that renames have left, and its system URL are far fewer
// than MaxURLs, which leaves room for what was made before there were bounds.
const (
	maxPosted = 100
	maxFormer = 100
	MaxURLs   = 10_000
)

// URL is one address of an owner, as its item keeps it, which lies in the owner's partition.
type URL struct {
	ID string `json:"id"`
	Owner
	Slug    string     `json:"slug"`
	System  bool       `json:"system"` // kind: system or custom
	Active  bool       `json:"active"`
	Posted  bool       `json:"posted"` // made by a POST, not left by a rename
	Created field.Time `json:"created"`
	Version string     `json:"-"`
}

// Stored is the URL as it is stored.
func (u URL) Stored(shop string) store.Item {
	return store.Item{Key: u.Key(shop), Version: u.Version, Doc: record.Document(u),
		Index1: record.IndexKey(URLs(shop), u.Version, u.ID), Index2: store.Key{PK: idIndex(shop, u.ID), SK: "A"}}
}

// urlOf reads a URL's item. Whether its owner is still there, the owner's item says: a deletion of many URLs may leave
// some behind.
func urlOf(i *store.Item) (u URL, err error) {
	err = i.Into(&u)
	u.Version = i.Version
	return u, err
}

// eventRecord is the record of what happened to the URL, for the change feed.
func (u URL) eventRecord(did events.Did) events.Record {
	return events.Record{Kind: events.URLs, ID: u.ID, Did: did, Version: u.Version}
}

// URLsOf are all URLs of an owner, oldest first, and its item; nil when there is none or it was deleted. They are read
// side by side, and once more when they are not of one write.
func URLsOf(ctx context.Context, t store.Table, shop string, o Owner) (*store.Item, []URL, error) {
	if !id.Valid(o.Item) {
		return nil, nil, nil
	}
	key := o.Key(shop)
	for range record.Rounds(ctx) {
		var heads []*store.Item
		var reading guard.Group
		reading.Go(ctx, func() (err error) { heads, err = t.Get(ctx, key); return err })
		rows, err := store.QueryAll(ctx, t, store.Query{PK: key.PK, From: rowPrefix, To: rowPrefix + "~"}, MaxURLs)
		if err := errors.Join(reading.Wait(), err); err != nil {
			return nil, nil, err
		}
		urls, err := Among(rows)
		if err != nil || record.Missing(heads[0]) {
			return nil, nil, err
		}
		if Decode(heads[0]).agrees(urls) {
			return heads[0], urls, nil
		}
	}
	return nil, nil, store.ErrUnavailable
}

// agrees says whether the URLs are those that an item with this address goes with: one system URL, one active.
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

// Among are the URLs among the items of an owner's partition.
func Among(items []store.Item) (urls []URL, err error) {
	for i := range items {
		if !strings.HasPrefix(items[i].SK, rowPrefix) {
			continue
		}
		u, err := urlOf(&items[i])
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}

// Deletion makes the operations and records that delete the URLs of an owner that is deleted. Their claims are free
// then, as the owner leaves a tombstone, and are released behind it.
func Deletion(shop string, urls []URL, version string) (ops []store.Op, records []events.Record) {
	for _, u := range urls {
		ops = append(ops, store.Delete(u.Key(shop)))
		u.Version = version
		records = append(records, u.eventRecord(events.Deleted))
	}
	return ops, records
}

func withSlug(urls []URL, slug string) *URL {
	return first(urls, func(u URL) bool { return u.Slug == slug })
}

// first is the first URL that is so, nil when none is.
func first(urls []URL, is func(URL) bool) *URL {
	if i := slices.IndexFunc(urls, is); i >= 0 {
		return &urls[i]
	}
	return nil
}
