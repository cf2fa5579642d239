package catalog

import (
	"cmp"
	"strconv"

	"eshop/events"
	"eshop/shared/record"
	"eshop/shared/store"
)

// urlChange is a write to the URLs of one item: head and URLs as they were read, and the version that all of it gets.
type urlChange struct {
	shop    string
	head    *store.Item
	own     []URL
	version string
	ops     []store.Op
	records []events.Record
}

// activate makes one of the item's URLs the active one.
func (e *urlChange) activate(u URL) URL {
	e.moveHead(u.ItemKind, u.Slug)
	e.deactivate()
	return e.put(u, true)
}

// add makes a new URL the active one; claim is the operation that takes its slug.
func (e *urlChange) add(u URL, claim store.Op) {
	e.moveHead(u.ItemKind, u.Slug)
	e.deactivate()
	e.ops = append(e.ops, store.Put(u.Stored(e.shop), store.Absent()), claim)
	e.records = append(e.records, u.eventRecord(events.Created))
}

// remove takes a custom URL away; if it is the active one, its successor becomes active.
func (e *urlChange) remove(u URL) {
	if u.Active {
		next := successor(e.own, u)
		e.moveHead(u.ItemKind, next.Slug)
		e.put(next, true)
	} else {
		e.moveHead(u.ItemKind, AddressOf(e.head).Active)
	}
	if former := formerIn(e.head); !u.Posted && former > 0 {
		e.ops[0].Set.Text["former"] = strconv.Itoa(former - 1)
	}
	e.ops = append(e.ops, store.Delete(u.Key(e.shop), store.VersionIs(u.Version)),
		record.ReleaseClaim(SlugKey(e.shop, u.Slug), u.Owner()))
	u.Version = e.version
	e.records = append(e.records, u.eventRecord(events.Deleted))
}

// successor is the URL that becomes active when the active custom one goes: the newest remaining one that was made by a
// POST, in the end the system URL.
func successor(own []URL, gone URL) URL {
	var best URL
	for _, u := range own {
		if u.ID == gone.ID || !u.Posted && !u.System {
			continue
		}
		newer := cmp.Or(cmp.Compare(u.Created, best.Created), cmp.Compare(u.ID, best.ID)) > 0
		if best.ID == "" || best.System || !u.System && newer {
			best = u
		}
	}
	return best
}

// moveHead is the first operation of each change: the head of the item names its active URL, and gets the version. It
// holds only while the head is as it was read, so that no two changes of an item's URLs are made at once.
func (e *urlChange) moveHead(of ItemKind, active string) {
	id := idIn(e.head.PK)
	kind, index := events.Products, record.IndexKey(shardOf(e.shop, id), e.version, id)
	if of == KindCategory {
		kind, index = events.Categories, record.IndexKey(CategoriesOf(e.shop), e.version, id)
	}
	to := store.Set{Version: e.version, Text: map[string]string{"slug": active}, Index1: &index}
	e.ops = append(e.ops, store.Update(e.head.Key, to, store.VersionIs(e.head.Version)))
	e.records = append(e.records, events.Record{Kind: kind, ID: id, Did: events.Changed,
		Groups: []events.Group{events.InURLs}, Version: e.version})
}

// put writes a URL that was there as it is to be.
func (e *urlChange) put(u URL, active bool) URL {
	was := u.Version
	u.Active, u.Version = active, e.version
	e.ops = append(e.ops, store.Put(u.Stored(e.shop), store.VersionIs(was)))
	e.records = append(e.records, u.eventRecord(events.Changed))
	return u
}

// deactivate makes the active URL of the item inactive: another one becomes active.
func (e *urlChange) deactivate() {
	if u := firstOf(e.own, func(u URL) bool { return u.Active }); u != nil {
		e.put(*u, false)
	}
}
