package catalog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/slug"
	"eshop/shared/store"
)

// Of is what a URL belongs to.
type Of string

// What URLs belong to (contract, section 4, "Custom URLs").
const (
	OfProduct  Of = "product"
	OfCategory Of = "category"
)

// URL is one address of a product or category, as its item keeps it. Its item lies in the partition of what it
// belongs to.
type URL struct {
	ID      string     `json:"id"`
	Of      Of         `json:"of"`
	Item    string     `json:"item"` // the product's or category's id
	Slug    string     `json:"slug"`
	System  bool       `json:"system"` // kind: system or custom
	Active  bool       `json:"active"`
	Posted  bool       `json:"posted"` // made by a POST, not left by a rename
	Created field.Time `json:"created"`
	Version string     `json:"-"`
}

// Key is where the URL's item is.
func (u URL) Key(shop string) store.Key {
	return store.Key{PK: headKey(shop, ownerOf(u.Of, u.Item)).PK, SK: u.row()}
}

func (u URL) row() string { return urlPrefix + id.Stamp(u.Created.Go()) + "#" + u.ID }

// Stored is the URL as it is stored.
func (u URL) Stored(shop string) store.Item {
	return store.Item{Key: u.Key(shop), Version: u.Version, Doc: record.Document(u), Index1: record.Place(URLs(shop), u.Version, u.ID),
		Index2: urlPlace(shop, u.ID)}
}

// URLOf reads a URL's item. Whether what it belongs to is still there, its head says: a deletion of many URLs may leave
// some behind (Deleted).
func URLOf(i *store.Item) (u URL, err error) {
	err = i.Into(&u)
	u.Version = i.Version
	return u, err
}

// Owner is how claims name what the URL belongs to.
func (u URL) Owner() string { return ownerOf(u.Of, u.Item) }

// told is what happened to the URL, for the change feed.
func (u URL) told(did events.Did) events.Record {
	return events.Record{Kind: events.URLs, ID: u.ID, Did: did, Version: u.Version}
}

// URLsOf are all URLs of a product or category, oldest first, and its head; nil when there is none or it was deleted.
// Head and URLs are read side by side, and once more when they are not of one write.
func URLsOf(ctx context.Context, t store.Table, shop string, of Of, item string) (*store.Item, []URL, error) {
	if !id.Valid(item) {
		return nil, nil, nil
	}
	key := headKey(shop, ownerOf(of, item))
	for range record.Rounds(ctx) {
		var heads []*store.Item
		var reading guard.Group
		reading.Go(ctx, func() (err error) { heads, err = t.Get(ctx, key); return err })
		rows, err := store.QueryAll(ctx, t, store.Query{PK: key.PK, From: urlPrefix, To: urlPrefix + "~"})
		if err := errors.Join(reading.Wait(), err); err != nil {
			return nil, nil, err
		}
		urls, err := urlsIn(rows)
		if err != nil || Deleted(heads[0]) {
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

// Deleted says whether a head is that of something deleted, or there is none.
func Deleted(head *store.Item) bool { return record.Gone(head) }

// Address is what a head knows of the URLs of its product or category: enough to show the active one, and to rename the
// system one without reading any.
type Address struct {
	Active string // slug of the active URL
	System string // slug of the system URL
	Base   string // that slug before it got a suffix: what the name makes
	Row    string // the sort key of the system URL's item
}

// AddressOf reads the address in a head.
func AddressOf(head *store.Item) Address {
	return Address{Active: head.Text["slug"], System: head.Text["system"], Base: head.Text["base"], Row: head.Text["row"]}
}

// texts are the address as texts of the head.
func (a Address) texts() map[string]string {
	return map[string]string{"slug": a.Active, "system": a.System, "base": a.Base, "row": a.Row}
}

// ActiveURL is the absolute address of the active URL.
func ActiveURL(website string, a Address) string { return website + "/" + a.Active }

// base is the slug that a name makes, before what is added to reserved and taken ones.
func base(of Of, name string) string { return cmp.Or(slug.Make(name), string(of)) }

// addressed is a product or category as its head was read; of a new one the id alone.
type addressed struct {
	of      Of
	id      string
	address Address
	version string
}

func (a addressed) owner() string { return ownerOf(a.of, a.id) }

// naming is the address that a name asks for, and what it takes to have it.
type naming struct {
	Address
	ops     []store.Op
	records []events.Record
}

// address gives what is addressed the address that its name asks for: as it was when that makes the same slug as before.
func (n *names) address(a addressed, name, version string) (naming, error) {
	base := base(a.of, name)
	if base == a.address.Base {
		return naming{Address: a.address}, nil
	}
	p, err := n.slug(a, base)
	switch {
	case err != nil:
		return naming{}, err
	case a.address == Address{}:
		return newAddress(n.unit, a, p, version), nil
	}
	return renamed(n.unit, a, p, version), nil
}

// newAddress is the first URL of something new.
func newAddress(unit *change.Unit, a addressed, p pick, version string) naming {
	u := URL{ID: unit.NewID(), Of: a.of, Item: a.id, Slug: p.slug, System: true, Active: true,
		Created: record.ChangedAt(version), Version: version}
	return naming{
		Address: Address{Active: u.Slug, System: u.Slug, Base: p.base, Row: u.row()},
		ops:     []store.Op{p.claim, store.Put(u.Stored(unit.Shop), store.Absent())},
		records: []events.Record{u.told(events.Created)},
	}
}

// renamed moves the system URL to another slug; the old one stays as an inactive custom URL, and what was active stays
// so (contract, section 4, "Custom URLs").
func renamed(unit *change.Unit, a addressed, p pick, version string) naming {
	was := a.address
	if p.slug == was.System {
		was.Base = p.base
		return naming{Address: was}
	}
	made, system, _ := strings.Cut(strings.TrimPrefix(was.Row, urlPrefix), "#")
	u := URL{ID: system, Of: a.of, Item: a.id, Slug: p.slug, System: true,
		Active:  was.Active == was.System || p.back != nil && p.back.Active,
		Created: field.At(id.Time(made + "0000000000000000")), Version: version}
	old := URL{ID: unit.NewID(), Of: a.of, Item: a.id, Slug: was.System, Created: record.ChangedAt(version), Version: version}
	n := naming{Address: Address{Active: was.Active, System: p.slug, Base: p.base, Row: was.Row},
		ops:     []store.Op{store.Put(u.Stored(unit.Shop)), store.Put(old.Stored(unit.Shop), store.Absent())},
		records: []events.Record{u.told(events.Changed), old.told(events.Created)}}
	if u.Active {
		n.Active = p.slug
	}
	if p.back == nil {
		n.ops = append(n.ops, p.claim)
		return n
	}
	back := *p.back
	back.Version = version
	n.ops = append(n.ops, store.Delete(back.Key(unit.Shop)))
	n.records = append(n.records, back.told(events.Deleted))
	return n
}

// removed are the operations and records of the URLs of something deleted.
func removed(shop string, urls []URL, version string) (ops []store.Op, records []events.Record) {
	for _, u := range urls {
		ops = append(ops, store.Delete(u.Key(shop)))
		u.Version = version
		records = append(records, u.told(events.Deleted))
	}
	return ops, records
}
