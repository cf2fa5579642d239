package catalog

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/slug"
	"eshop/shared/store"
)

// names is how a request asks for what only one product or category of a shop can have: codes, externalIds and slugs,
// each of which is claimed (shared/record). It asks without looking: as a rule they are free. When a write is refused
// it looks who has them (look), and the next try asks for what can be had.
type names struct {
	unit     *change.Unit
	reserved func(slug string) bool
	asked    []asking             // what the last try wants to claim
	chosen   map[store.Key]string // slugs of the same transaction, by the owner that gets each
	found    map[store.Key]found  // claims that were there at the last look
	own      map[string]addresses // of owners that asked for a slug which they claim already
}

// asking is a name that an owner wants to claim.
type asking struct {
	key   store.Key
	owner string           // P#id or G#id
	taken *problem.Problem // the answer when it is another's; nil of a slug, instead of which another will do
	slugs iter.Seq[string] // of a slug: all that will do
}

// found is a claim, and whether it is free to be taken over.
type found struct {
	claim *store.Item
	free  bool
}

// addresses are an owner's own URLs as they were with a version of its head.
type addresses struct {
	version string
	urls    []URL
}

// names asks for names of the unit's shop. chosen is shared by what is written in one transaction; nil: one unit's own.
func (c Catalog) names(u *change.Unit, chosen map[store.Key]string) *names {
	if chosen == nil {
		chosen = map[store.Key]string{}
	}
	return &names{unit: u, reserved: c.Reserved, chosen: chosen, found: map[store.Key]found{}, own: map[string]addresses{}}
}

// freeNames says which claims of codes, externalIds and slugs can be had. Their owners are P#id or G#id.
func freeNames(ctx context.Context, u *change.Unit, claims []*store.Item) ([]bool, error) {
	of := func(owner string) store.Key { return headKey(u.Shop, owner) }
	return record.FreeClaims(ctx, u.Table, u.Now(), of, claims)
}

// codeTaken and externalTaken are the answers when another has the name.
func codeTaken(code string) *problem.Problem {
	return problem.Conflict("code_taken", "The code "+code+" belongs to another product or variant of this shop.")
}

func externalTaken() *problem.Problem {
	return problem.Conflict("external_id_taken", "Another product of this shop has this externalId.")
}

// begin forgets what owners asked for in the try before.
func (n *names) begin(owners ...string) {
	again := func(owner string) bool { return slices.Contains(owners, owner) }
	n.asked = slices.DeleteFunc(n.asked, func(a asking) bool { return again(a.owner) })
	maps.DeleteFunc(n.chosen, func(_ store.Key, owner string) bool { return again(owner) })
}

// claim is the operation that claims a name for an owner; taken is the answer when it is another's.
func (n *names) claim(key store.Key, owner string, taken *problem.Problem) store.Op {
	n.asked = append(n.asked, asking{key: key, owner: owner, taken: taken})
	return n.take(key, owner)
}

// take claims what is not there, or takes over a claim that was found free, as it was found.
func (n *names) take(key store.Key, owner string) store.Op {
	var over *store.Item
	if f := n.found[key]; f.free {
		over = f.claim
	}
	return record.AcquireClaim(key, owner, n.unit.Now(), over)
}

// others says whether a name is known to be somebody's: claimed in the store, or asked for by another owner.
func (n *names) others(key store.Key, owner string) bool {
	if f, there := n.found[key]; there && !f.free {
		return true
	}
	return slices.ContainsFunc(n.asked, func(a asking) bool { return a.key == key && a.owner != owner })
}

// learn looks why a write came to err: the problem of a name that is another's, else err itself. When that is a
// condition that did not hold, another try can go through (record.Retry); whoever tries again reads afterwards.
func (n *names) learn(ctx context.Context, err error) error {
	lost := lostIn(err)
	if lost == nil {
		return err
	}
	if err := n.look(ctx, lost); err != nil {
		return err
	}
	for _, a := range n.asked {
		if f, there := n.found[a.key]; a.taken != nil && there && !f.free && record.Owner(f.claim) != a.owner {
			return a.taken
		}
	}
	return err
}

// lostIn are the keys whose conditions made a write fail; nil of any other error.
func lostIn(err error) (keys []store.Key) {
	var refused *store.ConditionError
	if errors.As(err, &refused) {
		for _, f := range refused.Failures {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// look finds out who has names that were lost, and the slugs of owners whose heads have moved since it looked.
func (n *names) look(ctx context.Context, lost []store.Key) error {
	var keys []store.Key
	var slugs []asking
	for _, a := range n.asked {
		_, looked := n.own[a.owner]
		moved := looked && slices.Contains(lost, headKey(n.unit.Shop, a.owner))
		switch {
		case a.slugs != nil && (moved || slices.Contains(lost, a.key)):
			slugs = append(slugs, a)
			for s := range a.slugs {
				keys = append(keys, SlugKey(n.unit.Shop, s))
			}
		case slices.Contains(lost, a.key):
			keys = append(keys, a.key)
		}
	}
	claims, err := store.GetAll(ctx, n.unit.Table, keys)
	if err != nil {
		return err
	}
	free, err := freeNames(ctx, n.unit, claims)
	if err != nil {
		return err
	}
	for i, claim := range claims {
		if delete(n.found, keys[i]); claim != nil {
			n.found[keys[i]] = found{claim, free[i]}
		}
	}
	return n.lookAtOwn(ctx, slugs)
}

// lookAtOwn reads the URLs of those who asked for a slug and claim one that will do.
func (n *names) lookAtOwn(ctx context.Context, slugs []asking) error {
	for _, a := range slugs {
		mine := false
		for s := range a.slugs {
			mine = mine || record.Owner(n.found[SlugKey(n.unit.Shop, s)].claim) == a.owner
		}
		if !mine {
			continue
		}
		of, item := ownerAt(headKey(n.unit.Shop, a.owner))
		head, urls, err := URLsOf(ctx, n.unit.Table, n.unit.Shop, of, item)
		if err != nil {
			return err
		}
		if head != nil {
			n.own[a.owner] = addresses{head.Version, urls}
		}
	}
	return nil
}

// missing are names asked for that somebody has, as far as that is not known yet.
func (n *names) missing(ctx context.Context) (lost []store.Key, err error) {
	var keys []store.Key
	for _, a := range n.asked {
		if _, looked := n.found[a.key]; !looked {
			keys = append(keys, a.key)
		}
	}
	claims, err := store.GetAll(ctx, n.unit.Table, keys)
	for i, claim := range claims {
		if claim != nil {
			lost = append(lost, keys[i])
		}
	}
	return lost, err
}

// planAddress gives a product or category the address that its name asks for: as it was when that makes the same slug as before.
func (n *names) planAddress(o urlOwner, name, version string) (addressPlan, error) {
	base := baseSlug(o.of, name)
	if base == o.address.Base {
		return addressPlan{Address: o.address}, nil
	}
	p, err := n.choose(o, base)
	if err != nil {
		return addressPlan{}, err
	}
	if o.address == (Address{}) {
		return planFirst(n.unit, o, p, version), nil
	}
	return planRename(n.unit, o, p, version), nil
}

// choice is the slug that a system URL gets, and what it takes to have it.
type choice struct {
	slug, base string
	claim      store.Op
	back       *URL // the item's own former URL whose slug it takes back, which needs no claim; nil: none
}

// choose is one for a system URL out of those that its base makes: one that a former URL of the same has, else the
// first that is free as far as is known.
func (n *names) choose(o urlOwner, base string) (choice, error) {
	owner, all := ownerOf(o.of, o.id), n.slugsOf(o, base)
	if u := n.former(owner, o.version, all); u != nil {
		n.asked = append(n.asked, asking{key: SlugKey(n.unit.Shop, u.Slug), owner: owner, slugs: all})
		return choice{slug: u.Slug, base: base, back: u}, nil
	}
	for s := range all {
		key := SlugKey(n.unit.Shop, s)
		if s == o.address.System {
			return choice{slug: s, base: base}, nil
		}
		if n.available(key, owner, o.version) {
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
func (n *names) slugsOf(o urlOwner, base string) iter.Seq[string] {
	return func(yield func(string) bool) {
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
				s = slug.WithSuffix(string(o.of)+"-"+base, suffix)
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
