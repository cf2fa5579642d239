package address

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Names makes the claims of one try of a write to what only one owner of a shop can have: slugs, and a product's codes
// and externalId. It looks up first who has a name, and then claims it on condition that this is still so.
type Names struct {
	Unasked bool                 // nothing is looked up, and every name counts as free: the write finds out
	Chosen  map[store.Key]string // who, as claims name it, gets a name in the same transaction

	unit     *change.Unit
	reserved func(slug string) bool
	found    map[store.Key]holder // what was looked up
}

// holder is the claim of a name; nil: there is none.
type holder struct {
	claim *store.Item
	free  bool // it can be had: there is none, or it can be taken over
}

// Names makes claims in the unit's shop.
func (a Addresses) Names(u *change.Unit) *Names {
	return &Names{unit: u, reserved: a.reserved, found: map[store.Key]holder{}, Chosen: map[store.Key]string{}}
}

// LookUp finds out who has the names, and the first of each list of slugs, by one call for each hundred of them. Where
// that slug is taken, or the first of two lists, it looks up those that come next, too.
func (n *Names) LookUp(ctx context.Context, keys []store.Key, slugs ...[]string) error {
	wanted := map[string]int{}
	for _, list := range slugs {
		if len(list) > 0 {
			keys = append(keys, SlugKey(n.unit.Shop, list[0]))
			wanted[list[0]]++
		}
	}
	if err := n.lookUp(ctx, keys); err != nil {
		return err
	}
	var next []string
	for _, list := range slugs {
		if len(list) > 0 && (wanted[list[0]] > 1 || !n.IsFree(SlugKey(n.unit.Shop, list[0]), Owner{})) {
			next = append(next, list...)
		}
	}
	return n.lookUpSlugs(ctx, next)
}

// lookUp finds out who has the names that were not looked up yet: their claims, and then the claims' owners, if there
// are any.
func (n *Names) lookUp(ctx context.Context, keys []store.Key) error {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k store.Key) bool { _, has := n.found[k]; return has })
	if n.Unasked || len(keys) == 0 {
		return nil
	}
	claims, err := store.GetAll(ctx, n.unit.Table, keys)
	if err != nil {
		return err
	}
	wanted := record.Claims{Now: n.unit.Now(), Of: func(owner string) store.Key { return keyOf(n.unit.Shop, owner) }}
	free, err := wanted.Free(ctx, n.unit.Table, claims)
	for i := range free {
		n.found[keys[i]] = holder{claims[i], free[i]}
	}
	return err
}

func (n *Names) lookUpSlugs(ctx context.Context, slugs []string) error {
	return n.lookUp(ctx, each.Of(slugs, func(slug string) store.Key { return SlugKey(n.unit.Shop, slug) }))
}

// Met are the owners of names that the look-up found taken.
func (n *Names) Met() (owners []Owner) {
	for key, f := range n.found {
		if n.IsTaken(key) {
			owners = append(owners, OwnerOf(f.claim))
		}
	}
	return owners
}

// IsTaken says whether the look-up found that an owner has the name.
func (n *Names) IsTaken(key store.Key) bool {
	f := n.found[key]
	return f.claim != nil && !f.free
}

// IsFree says whether an owner can have a name that it has not yet: nobody has it, and no other owner gets it in the
// same transaction.
func (n *Names) IsFree(key store.Key, o Owner) bool {
	other, chosen := n.Chosen[key]
	return !n.IsTaken(key) && (!chosen || other == o.Claims())
}

// Claim is the operation that claims a name for an owner: it makes the claim, or takes over the one that was found, on
// condition that it is as it was found.
func (n *Names) Claim(key store.Key, o Owner) store.Op {
	n.Chosen[key] = o.Claims()
	return record.AcquireClaim(key, o.Claims(), n.unit.Now(), n.found[key].claim)
}

// suffixes is how far a slug that is reserved or taken is tried with numbers; then it gets the owner's id, so that a
// name never makes an owner impossible (contract, "Custom URLs").
const suffixes = 20

// baseOf is the slug that a name makes, before what is added to reserved and taken ones.
func baseOf(kind OwnerKind, name string) string { return cmp.Or(slug.Make(name), string(kind)) }

// Slugs are all slugs that a name makes for the system URL of an owner that has an address, in the order in which they
// are tried; none when the name makes the same as before.
func (n *Names) Slugs(owner Owner, had Address, name string) (all []string) {
	base := baseOf(owner.Kind, name)
	if base == had.Base {
		return nil
	}
	for i := 1; i <= suffixes+1; i++ {
		suffix := strconv.Itoa(i)
		switch i {
		case 1:
			suffix = ""
		case suffixes + 1:
			suffix = strings.ToLower(owner.Item)
		}
		s := slug.WithSuffix(base, suffix)
		if strings.HasPrefix(s, slug.QuotesPrefix) {
			s = slug.WithSuffix(string(owner.Kind)+"-"+base, suffix)
		}
		if !n.reserved(s) {
			all = append(all, s)
		}
	}
	return all
}

// chooseSystem chooses the slug of a system URL. back is the owner's URL that has it, which a rename has left.
func (n *Names) chooseSystem(
	ctx context.Context, o Owner, had string, slugs []string,
) (to string, back *URL, err error) {
	can := func(s string) bool { return s == had || n.IsFree(SlugKey(n.unit.Shop, s), o) }
	to, back, err = n.choose(ctx, slugs, can, func() (*URL, error) { return n.former(ctx, o, had, slugs) })
	if err == nil && to == "" {
		err = problem.Conflict("slug_taken", "All addresses that this name makes belong to other items.")
	}
	return to, back, err
}

// former is the owner's URL that a rename has left and that has one of the slugs; nil: there is none. URLs are read
// only when the owner claims one of the slugs beside that of its system URL.
func (n *Names) former(ctx context.Context, owner Owner, system string, slugs []string) (*URL, error) {
	if err := n.lookUpSlugs(ctx, slugs); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(slugs, func(s string) bool {
		return s != system && OwnerOf(n.found[SlugKey(n.unit.Shop, s)].claim) == owner
	}) {
		return nil, nil
	}
	_, urls, err := URLsOf(ctx, n.unit.Table, n.unit.Shop, owner)
	for _, s := range slugs {
		if u := withSlug(urls, s); u != nil && !u.System && !u.Posted {
			return u, err
		}
	}
	return nil, err
}

// customSuffixes is the highest number that a slug of a custom URL gets as its suffix when it is taken; the first is 2
// (contract, "Custom URLs").
const customSuffixes = 100

// chooseCustom chooses the slug that an owner gets when it wants one, up to -100. has is the URL of its own that has it
// already.
func (n *Names) chooseCustom(ctx context.Context, o Owner, want string, own []URL) (to string, has *URL, err error) {
	slugs := []string{want}
	for i := 2; i <= customSuffixes; i++ {
		if s := slug.WithSuffix(want, strconv.Itoa(i)); !n.reserved(s) {
			slugs = append(slugs, s)
		}
	}
	if has = withSlug(own, want); has != nil {
		return want, has, nil
	}
	free := func(s string) bool { return n.IsFree(SlugKey(n.unit.Shop, s), o) }
	to, has, err = n.choose(ctx, slugs, free, func() (*URL, error) {
		for _, s := range slugs {
			if u := withSlug(own, s); u != nil {
				return u, nil
			}
		}
		return nil, nil
	})
	if err == nil && to == "" {
		err = problem.Conflict("slug_taken", "The slug and all its variants up to -100 belong to other items.")
	}
	return to, has, err
}

// choose chooses among slugs: the first if the owner can have it, else that of a URL of its own, else the first that it
// can have; "" when there is none.
func (n *Names) choose(
	ctx context.Context, slugs []string, can func(slug string) bool, ofItsOwn func() (*URL, error),
) (string, *URL, error) {
	if err := n.lookUpSlugs(ctx, slugs[:1]); err != nil || can(slugs[0]) {
		return slugs[0], nil, err
	}
	if u, err := ofItsOwn(); u != nil || err != nil {
		return cmp.Or(u, &URL{}).Slug, u, err
	}
	if err := n.lookUpSlugs(ctx, slugs); err != nil {
		return "", nil, err
	}
	if i := slices.IndexFunc(slugs, can); i >= 0 {
		return slugs[i], nil, nil
	}
	return "", nil, nil
}
