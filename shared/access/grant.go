package access

import (
	"maps"
	"slices"

	"eshop/shared/api"
	"eshop/shared/store"
)

// Moves are, by permission, the version with which a record last gained or lost it; none of those that it never did.
type Moves map[api.Permission]string

// by are the moves behind a write of this version that changes what the record holds.
func (m Moves) by(version string, was, now []api.Permission) Moves {
	after := Moves{}
	maps.Copy(after, m)
	for _, x := range api.Permissions {
		if slices.Contains(was, x) != slices.Contains(now, x) {
			after[x] = version
		}
	}
	return after
}

// After is the package with its new version and permissions, and what they move.
func (p Package) After(was Package) Package {
	p.Moved = was.Moved.by(p.Version, was.Permissions, p.Permissions)
	return p
}

// After is the access with its new version and permissions, all of them its package's, and what they move. What it gives up
// that its package took before was lost then, and moves no more: that is so only if the package stays as it was read, which
// keep then sees to.
func (a Access) After(was Access, p Package) (now Access, keep []store.Op) {
	a.Moved = was.Moved.by(a.Version, was.Permissions, a.Permissions)
	for _, x := range was.Permissions {
		if !slices.Contains(a.Permissions, x) && !slices.Contains(p.Permissions, x) {
			a.Moved[x] = Grant{was, p}.Since(x)
			keep = []store.Op{store.Check(PackageKey(p.ID), store.VersionIs(p.Version))}
		}
	}
	return a, keep
}

// Grant is what an access may: its permissions within its package's. The zero Grant is of nobody, and grants nothing.
type Grant struct {
	Access  Access
	Package Package
}

// GrantKeys are the items of a grant.
func GrantKeys(shop, access, pkg string) []store.Key {
	return []store.Key{Key(shop, access), PackageKey(pkg)}
}

// GrantOf reads the items of GrantKeys.
func GrantOf(items []*store.Item) (g Grant, err error) {
	if items[0] == nil || items[1] == nil {
		return g, nil
	}
	if g.Access, err = Of(items[0]); err != nil {
		return g, err
	}
	g.Package, err = PackageOf(items[1])
	return g, err
}

// May are the permissions that count.
func (g Grant) May() []api.Permission { return May(g.Access, g.Package) }

// Since is the version of the write, the access's or its package's, from which on the permission counts, or counts no more;
// "": it always did, or never. The package's writes give and take nothing that the access lacks.
func (g Grant) Since(x api.Permission) string {
	since := g.Access.Moved[x]
	if slices.Contains(g.Access.Permissions, x) {
		since = max(since, g.Package.Moved[x])
	}
	return since
}
