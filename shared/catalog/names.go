package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/slug"
	"eshop/shared/store"
)

// names makes the claims of one try of a write to what only one product or category of a shop can have: codes,
// externalIds and slugs (shared/record). It looks up first who has a name, and then claims it on condition that this
// is still so. When somebody else was faster the write is refused, and the next try makes names anew (record.Retry).
type names struct {
	unit     *change.Unit
	reserved func(slug string) bool
	unasked  bool                 // nothing is looked up, and every name counts as free: the write finds out
	found    map[store.Key]holder // what was looked up
	chosen   map[store.Key]string // the owners, P#id or G#id, that get names in the same transaction
}

// holder is the claim of a name; nil: there is none.
type holder struct {
	claim *store.Item
	free  bool // it can be had: there is none, or it can be taken over
}

// newNames makes claims in the unit's shop.
func (c Catalog) newNames(u *change.Unit) *names {
	return &names{unit: u, reserved: c.reserved, found: map[store.Key]holder{}, chosen: map[store.Key]string{}}
}

// lookUp finds out who has the names that were not looked up yet: their claims by one call for each hundred names,
// and then the claims' owners, if there are any.
func (n *names) lookUp(ctx context.Context, keys ...store.Key) error {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k store.Key) bool { _, has := n.found[k]; return has })
	if n.unasked || len(keys) == 0 {
		return nil
	}
	claims, err := store.GetAll(ctx, n.unit.Table, keys)
	if err != nil {
		return err
	}
	of := func(owner string) store.Key { return headKey(n.unit.Shop, owner) }
	free, err := record.FreeClaims(ctx, n.unit.Table, n.unit.Now(), of, claims)
	for i := range free {
		n.found[keys[i]] = holder{claims[i], free[i]}
	}
	return err
}

// lookUpSlugs is lookUp for slugs.
func (n *names) lookUpSlugs(ctx context.Context, slugs []string) error {
	keys := make([]store.Key, len(slugs))
	for i, s := range slugs {
		keys[i] = SlugKey(n.unit.Shop, s)
	}
	return n.lookUp(ctx, keys...)
}

// isTaken says whether the look-up found that another owner has the name, or a variant that was not read.
func (n *names) isTaken(key store.Key) bool {
	f := n.found[key]
	return f.claim != nil && !f.free
}

// isFree says whether an owner can have a name that it has not yet: nobody has it, and no other owner gets it in the
// same transaction.
func (n *names) isFree(key store.Key, owner string) bool {
	other, chosen := n.chosen[key]
	return !n.isTaken(key) && (!chosen || other == owner)
}

// claim is the operation that claims a name for an owner: it makes the claim, or takes over the one that was found, on
// condition that it is as it was found.
func (n *names) claim(key store.Key, owner string) store.Op {
	n.chosen[key] = owner
	return record.AcquireClaim(key, owner, n.unit.Now(), n.found[key].claim)
}

// codeTaken and externalTaken are the answers when another has the name.
func codeTaken(code string) *problem.Problem {
	return problem.Conflict("code_taken", "The code "+code+" belongs to another product or variant of this shop.")
}

func externalTaken() *problem.Problem {
	return problem.Conflict("external_id_taken", "Another product of this shop has this externalId.")
}

// planAddress gives a product or category the address that its name makes: the one it has when that is the same slug as
// before.
func (n *names) planAddress(ctx context.Context, o urlOwner, name, version string) (addressPlan, error) {
	base := baseSlug(o.kind, name)
	if base == o.address.Base {
		return addressPlan{Address: o.address}, nil
	}
	p, err := n.chooseSlug(ctx, o, base)
	if err != nil {
		return addressPlan{}, err
	}
	if o.address.System == "" {
		return planFirst(n.unit, o, p, version), nil
	}
	return planRename(n.unit, o, p, version), nil
}

// wantedSlug is the first slug that a name makes; none when it makes the same as before.
func (n *names) wantedSlug(o urlOwner, name string) []store.Key {
	base := baseSlug(o.kind, name)
	if base == o.address.Base {
		return nil
	}
	return []store.Key{SlugKey(n.unit.Shop, n.systemSlugs(o, base)[0])}
}

// slugChoice is the slug that a system URL gets, and the operation that claims it.
type slugChoice struct {
	slug, base string
	claim      store.Op
	back       *URL // the item's own former URL whose slug it takes back, which needs no claim; nil: none
}

// chooseSlug chooses the slug of a system URL among those that its base makes: the first if it is free, else one that a
// former URL of the owner has, else the first that is free.
func (n *names) chooseSlug(ctx context.Context, o urlOwner, base string) (slugChoice, error) {
	owner, slugs := ownerOf(o.kind, o.id), n.systemSlugs(o, base)
	can := func(s string) bool { return s == o.address.System || n.isFree(SlugKey(n.unit.Shop, s), owner) }
	if err := n.lookUpSlugs(ctx, slugs[:1]); err != nil {
		return slugChoice{}, err
	}
	if !can(slugs[0]) {
		if err := n.lookUpSlugs(ctx, slugs); err != nil {
			return slugChoice{}, err
		}
		back, err := n.formerURL(ctx, o, slugs)
		if err != nil {
			return slugChoice{}, err
		}
		if back != nil {
			return slugChoice{slug: back.Slug, base: base, back: back}, nil
		}
	}
	i := slices.IndexFunc(slugs, can)
	if i < 0 {
		return slugChoice{}, problem.Conflict("slug_taken",
			"All addresses that this name makes belong to other items.")
	}
	if slugs[i] == o.address.System {
		return slugChoice{slug: slugs[i], base: base}, nil
	}
	return slugChoice{slug: slugs[i], base: base, claim: n.claim(SlugKey(n.unit.Shop, slugs[i]), owner)}, nil
}

// formerURL is the owner's URL that a rename has left and that has one of the slugs; nil: there is none. URLs are read
// only when the owner claims one of the slugs.
func (n *names) formerURL(ctx context.Context, o urlOwner, slugs []string) (*URL, error) {
	owner := ownerOf(o.kind, o.id)
	has := func(s string) bool {
		return s != o.address.System && record.Owner(n.found[SlugKey(n.unit.Shop, s)].claim) == owner
	}
	if !slices.ContainsFunc(slugs, has) {
		return nil, nil
	}
	_, urls, err := URLsOf(ctx, n.unit.Table, n.unit.Shop, o.kind, o.id)
	for _, s := range slugs {
		if u := withSlug(urls, s); u != nil && !u.System && !u.Posted {
			return u, err
		}
	}
	return nil, err
}

// suffixes is how far a slug that is reserved or taken is tried with numbers; then it gets the item's id, so that a
// name never makes a product impossible (contract, section 4, "Custom URLs").
const suffixes = 20

// systemSlugs are all slugs that a base makes, in the order in which they are tried.
func (n *names) systemSlugs(o urlOwner, base string) (all []string) {
	for i := 1; i <= suffixes+1; i++ {
		suffix := strconv.Itoa(i)
		switch i {
		case 1:
			suffix = ""
		case suffixes + 1:
			suffix = strings.ToLower(o.id)
		}
		s := slug.WithSuffix(base, suffix)
		if strings.HasPrefix(s, slug.QuotesPrefix) {
			s = slug.WithSuffix(string(o.kind)+"-"+base, suffix)
		}
		if !n.reserved(s) {
			all = append(all, s)
		}
	}
	return all
}
