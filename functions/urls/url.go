// Package urls is the addresses of products and categories in the storefront (contract, section 4, "Custom URLs"). How
// they are kept, and what a name makes of them, is the products' business.
package urls

import (
	"cmp"
	"slices"
	"strconv"

	"eshop/events"
	"eshop/functions/products"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/slug"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// URL is an address as answers show it.
type URL struct {
	ID      string   `json:"id"`
	Item    Item     `json:"urlItem"`
	Slug    string   `json:"slug" example:"caj-z-hor"`
	Path    string   `json:"path" example:"/caj-z-hor"`
	Kind    Kind     `json:"kind" enum:"system,custom"`
	Active  bool     `json:"active" doc:"Of the addresses of an item one is; the others lead to it"`
	Created api.Time `json:"created"`
	Changed api.Time `json:"changed"`
}

// Made is the answer of a POST.
type Made struct {
	URL
	Adjusted bool `json:"adjusted,omitempty" doc:"The slug differs from what was sent"`
}

// Item is what an address belongs to.
type Item struct {
	Type products.Of `json:"type" enum:"product,category"`
	ID   string      `json:"id" doc:"The product's or category's id"`
}

// Kind says whether a name made the address, or somebody.
type Kind string

// The kinds.
const (
	System Kind = "system"
	Custom Kind = "custom"
)

// Fields are what a POST takes.
type Fields struct {
	Item Item     `json:"urlItem"`
	URL  api.Text `json:"url" doc:"What the slug is made of" example:"Čaj z hor"`
}

// show is the URL as answers show it.
func show(u products.URL) URL {
	kind := Custom
	if u.System {
		kind = System
	}
	return URL{ID: u.ID, Item: Item{u.Of, u.Item}, Slug: u.Slug, Path: "/" + u.Slug, Kind: kind, Active: u.Active,
		Created: u.Created, Changed: addon.Changed(u.Version)}
}

// slugOf is the slug that the rules make of what was sent, before it gets a suffix.
func slugOf(sent string, reserved func(string) bool) (string, error) {
	s := slug.Make(sent)
	switch {
	case s == "":
		return "", api.Refused("slug_empty", "Nothing is left of the URL by the slug rules: send letters or digits.")
	case reserved(s):
		return "", api.Refused("slug_reserved", "The platform itself serves /"+s+": choose another URL.")
	}
	return s, nil
}

// suffixes is how far a taken slug is tried with suffixes.
const suffixes = 100

// candidates are the slug and its suffixed ones, up to -100.
func candidates(s string, reserved func(string) bool) []string {
	all := []string{s}
	for n := 2; n <= suffixes; n++ {
		if c := slug.WithSuffix(s, strconv.Itoa(n)); !reserved(c) {
			all = append(all, c)
		}
	}
	return all
}

// choose is the place of the candidate that an item gets: the slug itself when it is free, else one with a suffix
// that the item already has, else the first that is free; -1 when all are taken.
func choose(names []string, free []bool, own []products.URL) int {
	if free[0] {
		return 0
	}
	if i := slices.IndexFunc(names, func(s string) bool { return named(own, s) != nil }); i >= 0 {
		return i
	}
	return slices.Index(free, true)
}

// named is the URL of that slug among an item's own, nil when there is none.
func named(own []products.URL, s string) *products.URL {
	return first(own, func(u products.URL) bool { return u.Slug == s })
}

func first(all []products.URL, is func(products.URL) bool) *products.URL {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}

// heir is the URL that becomes active when the active custom one goes: the newest remaining one that was made by a
// POST, in the end the system URL.
func heir(own []products.URL, gone products.URL) products.URL {
	var best products.URL
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

// edit is a write to the URLs of one item: head and URLs as they were read, and the version that all of it gets.
type edit struct {
	shop    string
	head    *store.Item
	own     []products.URL
	version string
	ops     []store.Op
	records []events.Record
}

// of begins an edit of the item: whatever happens to its URLs moves the item's version, which is the condition of all.
func (e *edit) of(u products.URL, active string) {
	kind := events.Products
	if u.Of == products.OfCategory {
		kind = events.Categories
	}
	e.ops = append(e.ops, products.Activate(e.shop, u.Of, e.head, active, e.version))
	e.records = append(e.records, events.Record{Kind: kind, ID: u.Item, Did: events.Changed, Groups: []events.Group{events.InURLs}, Version: e.version})
}

// put writes a URL that was there as it is to be.
func (e *edit) put(u products.URL, active bool) products.URL {
	was := u.Version
	u.Active, u.Version = active, e.version
	e.ops = append(e.ops, store.Put(u.Stored(e.shop), store.VersionIs(was)))
	e.records = append(e.records, u.Record(events.Changed))
	return u
}

// retire makes the active URL of the item inactive.
func (e *edit) retire() {
	if u := first(e.own, func(u products.URL) bool { return u.Active }); u != nil {
		e.put(*u, false)
	}
}

// revive makes one of the item's URLs the active one.
func (e *edit) revive(u products.URL) products.URL {
	e.of(u, u.Slug)
	e.retire()
	return e.put(u, true)
}

// add makes a new URL the active one; claim is the operation that takes its slug.
func (e *edit) add(u products.URL, claim store.Op) {
	e.of(u, u.Slug)
	e.retire()
	e.ops = append(e.ops, store.Put(u.Stored(e.shop), store.Absent()), claim)
	e.records = append(e.records, u.Record(events.Created))
}

// remove takes a custom URL away; if it is the active one, another becomes active.
func (e *edit) remove(u products.URL) {
	next := *first(e.own, func(o products.URL) bool { return o.Active })
	if u.Active {
		next = heir(e.own, u)
	}
	e.of(u, next.Slug)
	if u.Active {
		e.put(next, true)
	}
	e.ops = append(e.ops, store.Delete(u.Key(e.shop), store.VersionIs(u.Version)), unique.Release(products.SlugKey(e.shop, u.Slug), u.Owner()))
	u.Version = e.version
	e.records = append(e.records, u.Record(events.Deleted))
}
