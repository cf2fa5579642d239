package catalog

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/slug"
	"eshop/shared/store"
)

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

// holder is a product or category as its head was read; of a new one the id alone.
type holder struct {
	of      Of
	id      string
	address Address
	version string
}

func (h holder) owner() string { return ownerOf(h.of, h.id) }

// naming is the address that a name asks for, and what it takes to have it.
type naming struct {
	Address
	ops     []store.Op
	records []events.Record
}

// address gives a holder the address that its name asks for: as it was when that makes the same slug as before.
func (n *names) address(h holder, name, version string) (naming, error) {
	base := base(h.of, name)
	if base == h.address.Base {
		return naming{Address: h.address}, nil
	}
	p, err := n.choose(h, base)
	if err != nil {
		return naming{}, err
	}
	if h.address == (Address{}) {
		return newAddress(n.unit, h, p, version), nil
	}
	return renamed(n.unit, h, p, version), nil
}

// newAddress is the first URL of something new.
func newAddress(unit *change.Unit, h holder, p choice, version string) naming {
	u := URL{ID: unit.NewID(), Of: h.of, Item: h.id, Slug: p.slug, System: true, Active: true,
		Created: record.ChangedAt(version), Version: version}
	return naming{
		Address: Address{Active: u.Slug, System: u.Slug, Base: p.base, Row: u.row()},
		ops:     []store.Op{p.claim, store.Put(u.Stored(unit.Shop), store.Absent())},
		records: []events.Record{u.told(events.Created)},
	}
}

// renamed moves the system URL to another slug; the old one stays as an inactive custom URL, and what was active stays
// so (contract, section 4, "Custom URLs").
func renamed(unit *change.Unit, h holder, p choice, version string) naming {
	was := h.address
	if p.slug == was.System {
		was.Base = p.base
		return naming{Address: was}
	}
	created, system := inRow(was.Row)
	u := URL{ID: system, Of: h.of, Item: h.id, Slug: p.slug, System: true, Created: created, Version: version,
		Active: was.Active == was.System || p.back != nil && p.back.Active}
	old := URL{ID: unit.NewID(), Of: h.of, Item: h.id, Slug: was.System, Created: record.ChangedAt(version), Version: version}
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

// choice is the slug that a system URL gets, and what it takes to have it.
type choice struct {
	slug, base string
	claim      store.Op
	back       *URL // the item's own former URL whose slug it takes back, which needs no claim; nil: none
}

// choose is one for a system URL out of those that its base makes: one that a former URL of the same has, else the
// first that is free as far as is known.
func (n *names) choose(h holder, base string) (choice, error) {
	owner, all := h.owner(), n.slugsOf(h, base)
	if u := n.former(owner, h.version, all); u != nil {
		n.asked = append(n.asked, asking{key: SlugKey(n.unit.Shop, u.Slug), owner: owner, slugs: all})
		return choice{slug: u.Slug, base: base, back: u}, nil
	}
	for s := range all {
		key := SlugKey(n.unit.Shop, s)
		if s == h.address.System {
			return choice{slug: s, base: base}, nil
		}
		if n.available(key, owner, h.version) {
			n.chosen[key] = owner
			n.asked = append(n.asked, asking{key: key, owner: owner, slugs: all})
			return choice{slug: s, base: base, claim: n.take(key, owner)}, nil
		}
	}
	return choice{}, problem.Conflict("slug_taken", "All addresses that this name makes belong to other items.")
}

// suffixes is how far a slug that is reserved or taken is tried with numbers; then it gets the item's id, so that a
// name never makes a product impossible (contract, section 4, "Custom URLs").
const suffixes = 20

// slugsOf are all slugs that a base makes, in the order in which they are tried.
func (n *names) slugsOf(h holder, base string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 1; i <= suffixes+1; i++ {
			suffix := strconv.Itoa(i)
			switch i {
			case 1:
				suffix = ""
			case suffixes + 1:
				suffix = strings.ToLower(h.id)
			}
			s := slug.WithSuffix(base, suffix)
			if strings.HasPrefix(s, slug.QuotesPrefix) {
				s = slug.WithSuffix(string(h.of)+"-"+base, suffix)
			}
			if (n.reserved == nil || !n.reserved(s)) && !yield(s) {
				return
			}
		}
	}
}

// available says whether an owner can have a slug, as far as is known. What it claims itself is one of its own URLs;
// when these are not known as of its head's version, another look will tell.
func (n *names) available(key store.Key, owner, version string) bool {
	if other := n.chosen[key]; other != "" && other != owner {
		return false
	}
	f, there := n.found[key]
	if !there || f.free {
		return true
	}
	return record.Owner(f.claim) == owner && n.own[owner].version != version
}

// former is the owner's URL that a rename has left and whose slug will do; nil: there is none, or that is not known.
func (n *names) former(owner, version string, slugs iter.Seq[string]) *URL {
	own := n.own[owner]
	if own.version != version {
		return nil
	}
	for s := range slugs {
		if i := slices.IndexFunc(own.urls, func(u URL) bool { return u.Slug == s && !u.System && !u.Posted }); i >= 0 {
			return &own.urls[i]
		}
	}
	return nil
}
