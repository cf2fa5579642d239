package address

import (
	"slices"
	"strconv"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// urlChange is a change of the URLs of one owner: its item and its URLs as they were read, and the version that all
// that changes gets.
type urlChange struct {
	shop    string
	owner   Owner
	head    *store.Item
	own     []URL // oldest first
	version string
}

// to makes the operations and records by which the owner has these URLs. The first operation moves the owner's item,
// which names the active URL. It holds only while that is as it was read, so that no two changes of an owner's URLs are
// made at once.
func (c urlChange) to(urls []URL) (ops []store.Op, records []events.Record) {
	active := first(urls, func(u URL) bool { return u.Active })
	index := record.IndexKey(c.head.Index1.PK, c.version, c.owner.Item)
	set := store.Set{Version: c.version, Text: map[string]string{"slug": active.Slug}, Index1: &index}
	ops = append(ops, store.Update(c.head.Key, set, store.VersionIs(c.head.Version)))
	records = append(records, c.owner.changed(c.version))
	for _, u := range urls {
		had := first(c.own, func(o URL) bool { return o.ID == u.ID })
		if had != nil && *had == u {
			continue
		}
		condition, did := store.Absent(), events.Created
		if u.Version = c.version; had != nil {
			condition, did = store.VersionIs(had.Version), events.Changed
		}
		ops = append(ops, store.Put(u.Stored(c.shop), condition))
		records = append(records, u.eventRecord(did))
	}
	for _, u := range c.own {
		if slices.ContainsFunc(urls, func(o URL) bool { return o.ID == u.ID }) {
			continue
		}
		if former := Decode(c.head).Former; !u.Posted && former > 0 {
			set.Text["former"] = strconv.Itoa(former - 1)
		}
		ops = append(ops, store.Delete(u.Key(c.shop), store.VersionIs(u.Version)),
			record.ReleaseClaim(SlugKey(c.shop, u.Slug), u.Claims()))
		u.Version = c.version
		records = append(records, u.eventRecord(events.Deleted))
	}
	return ops, records
}

// activating are the URLs with one of them active.
func activating(urls []URL, id string) []URL {
	urls = slices.Clone(urls)
	for i := range urls {
		urls[i].Active = urls[i].ID == id
	}
	return urls
}

// without are the URLs without a custom one. If that was active, the newest that was made by a POST is, in the end the
// system URL.
func without(urls []URL, gone URL) []URL {
	left := slices.DeleteFunc(slices.Clone(urls), func(u URL) bool { return u.ID == gone.ID })
	if !gone.Active {
		return left
	}
	next := first(left, func(u URL) bool { return u.System })
	for i := range left {
		if left[i].Posted {
			next = &left[i]
		}
	}
	return activating(left, next.ID)
}
