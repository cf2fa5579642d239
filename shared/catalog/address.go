package catalog

import (
	"cmp"
	"strconv"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/record"
	"eshop/shared/slug"
	"eshop/shared/store"
)

// Address is what a head says of the URLs of its product or category: enough to show the active one, and to rename the
// system one without reading any of them.
type Address struct {
	Active string // slug of the active URL
	System string // slug of the system URL
	Base   string // that slug before it got a suffix: what the name makes
	Row    string // the sort key of the system URL's item
	Former int    // how many URLs renames have left
}

// AddressOf reads the address in a head.
func AddressOf(head *store.Item) Address {
	return Address{Active: head.Text["slug"], System: head.Text["system"], Base: head.Text["base"],
		Row: head.Text["row"], Former: formerIn(head)}
}

// formerIn reads Address.Former, which is not there before the first rename.
func formerIn(head *store.Item) int {
	n, _ := strconv.Atoi(head.Text["former"])
	return n
}

// texts are the address as texts of the head.
func (a Address) texts() map[string]string {
	all := map[string]string{"slug": a.Active, "system": a.System, "base": a.Base, "row": a.Row}
	if a.Former > 0 {
		all["former"] = strconv.Itoa(a.Former)
	}
	return all
}

// ActiveURL is the absolute address of the active URL.
func ActiveURL(website string, a Address) string { return website + "/" + a.Active }

// baseSlug is the slug that a name makes, before what is added to reserved and taken ones.
func baseSlug(kind ItemKind, name string) string { return cmp.Or(slug.Make(name), string(kind)) }

// urlOwner is a product or category as its head was read; of a new one the id alone.
type urlOwner struct {
	kind    ItemKind
	id      string
	address Address
	version string
}

// addressPlan is the address that a name makes, with the operations and records by which its owner gets it.
type addressPlan struct {
	Address
	ops     []store.Op
	records []events.Record
}

// planFirst is the first URL of something new.
func planFirst(unit *change.Unit, o urlOwner, p slugChoice, version string) addressPlan {
	u := URL{ID: unit.NewID(), ItemKind: o.kind, Item: o.id, Slug: p.slug, System: true, Active: true,
		Created: record.ChangedAt(version), Version: version}
	return addressPlan{
		Address: Address{Active: u.Slug, System: u.Slug, Base: p.base, Row: u.row()},
		ops:     []store.Op{p.claim, store.Put(u.Stored(unit.Shop), store.Absent())},
		records: []events.Record{u.eventRecord(events.Created)},
	}
}

// planRename moves the system URL to another slug; the old slug stays as an inactive custom URL, and the URL that was
// active stays active (contract, section 4, "Custom URLs"). A rename of what renames have left maxFormer URLs of leaves
// none: the old slug is free then.
func planRename(unit *change.Unit, o urlOwner, p slugChoice, version string) addressPlan {
	was := o.address
	if p.slug == was.System {
		was.Base = p.base
		return addressPlan{Address: was}
	}
	created, system := inRow(was.Row)
	u := URL{ID: system, ItemKind: o.kind, Item: o.id, Slug: p.slug, System: true, Created: created, Version: version,
		Active: was.Active == was.System || p.back != nil && p.back.Active}
	plan := addressPlan{
		Address: Address{Active: was.Active, System: p.slug, Base: p.base, Row: was.Row, Former: was.Former},
		ops:     []store.Op{store.Put(u.Stored(unit.Shop))},
		records: []events.Record{u.eventRecord(events.Changed)}}
	if u.Active {
		plan.Active = p.slug
	}
	if was.Former < maxFormer || p.back != nil {
		old := URL{ID: unit.NewID(), ItemKind: o.kind, Item: o.id, Slug: was.System,
			Created: record.ChangedAt(version), Version: version}
		plan.Former++
		plan.ops = append(plan.ops, store.Put(old.Stored(unit.Shop), store.Absent()))
		plan.records = append(plan.records, old.eventRecord(events.Created))
	} else {
		owner := ownerOf(o.kind, o.id)
		plan.ops = append(plan.ops, record.ReleaseClaim(SlugKey(unit.Shop, was.System), owner))
	}
	if p.back == nil {
		plan.ops = append(plan.ops, p.claim)
		return plan
	}
	back := *p.back
	back.Version = version
	plan.Former = max(0, plan.Former-1)
	plan.ops = append(plan.ops, store.Delete(back.Key(unit.Shop)))
	plan.records = append(plan.records, back.eventRecord(events.Deleted))
	return plan
}
