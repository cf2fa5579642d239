package address

import (
	"context"
	"strconv"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// Address is what an owner's item says of its URLs: enough to show the active one, and to rename the system one without
// reading any of them.
type Address struct {
	Active string // slug of the active URL
	System string // slug of the system URL
	Base   string // that slug before it got a suffix: what the name makes
	Row    string // the sort key of the system URL's item
	Former int    // how many URLs renames have left
}

// Decode reads the address in an owner's item.
func Decode(item *store.Item) Address {
	former, _ := strconv.Atoi(item.Text["former"]) // not there before the first rename
	return Address{Active: item.Text["slug"], System: item.Text["system"], Base: item.Text["base"],
		Row: item.Text["row"], Former: former}
}

// Texts are the address as texts of the owner's item.
func (a Address) Texts() map[string]string {
	all := map[string]string{"slug": a.Active, "system": a.System, "base": a.Base, "row": a.Row}
	if a.Former > 0 {
		all["former"] = strconv.Itoa(a.Former)
	}
	return all
}

// URL is the active URL, in whole.
func (a Address) URL(website string) string { return website + "/" + a.Active }

// Plan is the address that a name makes, with the operations and records by which its owner gets it.
type Plan struct {
	Address
	Ops     []store.Op
	Records []events.Record
}

// Plan gives an owner that has an address (zero: a new owner) the one that its name makes: the same when the name makes
// the same slug as before.
func (n *Names) Plan(ctx context.Context, owner Owner, had Address, name, version string) (Plan, error) {
	slugs := n.Slugs(owner, had, name)
	if slugs == nil {
		return Plan{Address: had}, nil
	}
	to, back, err := n.chooseSystem(ctx, owner, had.System, slugs)
	if err != nil {
		return Plan{}, err
	}
	base := baseOf(owner.Kind, name)
	if to == had.System {
		had.Base = base
		return Plan{Address: had}, nil
	}
	if had.System != "" {
		return n.rename(owner, had, Address{System: to, Base: base}, back, version), nil
	}
	u := URL{ID: n.unit.NewID(), Owner: owner, Slug: to, System: true, Active: true,
		Created: record.ChangedAt(version), Version: version}
	return Plan{
		Address: Address{Active: to, System: to, Base: base, Row: u.row()},
		Ops:     []store.Op{n.Claim(SlugKey(n.unit.Shop, to), owner), store.Put(u.Stored(n.unit.Shop), store.Absent())},
		Records: []events.Record{u.eventRecord(events.Created)},
	}, nil
}

// rename moves the system URL to another slug; the old slug stays as an inactive custom URL, and the URL that was
// active stays active (contract, "Custom URLs"). A rename of what renames have left maxFormer URLs of leaves none: the
// old slug is free then. back is the owner's own former URL whose slug it takes back; nil: the slug is claimed.
func (n *Names) rename(owner Owner, had, to Address, back *URL, version string) Plan {
	shop := n.unit.Shop
	created, system := inRow(had.Row)
	u := URL{ID: system, Owner: owner, Slug: to.System, System: true, Created: created, Version: version,
		Active: had.Active == had.System || back != nil && back.Active}
	to.Active, to.Row, to.Former = had.Active, had.Row, had.Former
	if u.Active {
		to.Active = u.Slug
	}
	ops := []store.Op{store.Put(u.Stored(shop))}
	records := []events.Record{u.eventRecord(events.Changed)}
	if had.Former < maxFormer || back != nil {
		old := URL{ID: n.unit.NewID(), Owner: owner, Slug: had.System,
			Created: record.ChangedAt(version), Version: version}
		to.Former++
		ops = append(ops, store.Put(old.Stored(shop), store.Absent()))
		records = append(records, old.eventRecord(events.Created))
	} else {
		ops = append(ops, record.ReleaseClaim(SlugKey(shop, had.System), owner.Claims()))
	}
	if back == nil {
		return Plan{to, append(ops, n.Claim(SlugKey(shop, to.System), owner)), records}
	}
	gone := *back
	gone.Version = version
	to.Former = max(0, to.Former-1)
	return Plan{to, append(ops, store.Delete(gone.Key(shop))), append(records, gone.eventRecord(events.Deleted))}
}
