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

// names makes the claims of a request to what only one product or category of a shop can have: codes, externalIds and
// slugs (shared/record). It claims without looking first, because as a rule they are free. When a write is refused it
// looks who has them (lookUp), and the next try claims what can be had.
type names struct {
	unit     *change.Unit
	reserved func(slug string) bool
	requests []claimRequest           // what the last try claims
	chosen   map[store.Key]string     // slugs of the same transaction, by the owner that gets each
	found    map[store.Key]foundClaim // claims that were there when they were last looked up
	own      map[string]ownURLs       // by owner: of those that want a slug which they claim already
}

// claimRequest is a name that an owner claims.
type claimRequest struct {
	key   store.Key
	owner string           // P#id or G#id
	taken *problem.Problem // the answer when it is another's; nil of a slug, instead of which another is taken
	slugs iter.Seq[string] // of a slug: all that the owner can have, in their order
}

// foundClaim is a claim, and whether it is free to be taken over.
type foundClaim struct {
	claim *store.Item
	free  bool
}

// ownURLs are an owner's URLs as they were at a version of its head.
type ownURLs struct {
	version string
	urls    []URL
}

// newNames makes claims in the unit's shop. chosen is shared by what is written in one transaction; nil: it is this
// one's own.
func (c Catalog) newNames(u *change.Unit, chosen map[store.Key]string) *names {
	if chosen == nil {
		chosen = map[store.Key]string{}
	}
	return &names{unit: u, reserved: c.Reserved, chosen: chosen,
		found: map[store.Key]foundClaim{}, own: map[string]ownURLs{}}
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

// forget drops what owners claimed in the try before.
func (n *names) forget(owners ...string) {
	dropped := func(owner string) bool { return slices.Contains(owners, owner) }
	n.requests = slices.DeleteFunc(n.requests, func(a claimRequest) bool { return dropped(a.owner) })
	maps.DeleteFunc(n.chosen, func(_ store.Key, owner string) bool { return dropped(owner) })
}

// claim is the operation that claims a name for an owner; taken is the answer when it is another's.
func (n *names) claim(key store.Key, owner string, taken *problem.Problem) store.Op {
	n.requests = append(n.requests, claimRequest{key: key, owner: owner, taken: taken})
	return n.claimOp(key, owner)
}

// claimOp is the operation that claims a name: it makes the claim, or takes over one that was found free, on condition
// that it is as it was found.
func (n *names) claimOp(key store.Key, owner string) store.Op {
	var over *store.Item
	if f := n.found[key]; f.free {
		over = f.claim
	}
	return record.AcquireClaim(key, owner, n.unit.Now(), over)
}

// isTaken says whether a name is known to be another's: claimed in the store, or by another owner in this request.
func (n *names) isTaken(key store.Key, owner string) bool {
	if f, there := n.found[key]; there && !f.free {
		return true
	}
	return slices.ContainsFunc(n.requests, func(a claimRequest) bool { return a.key == key && a.owner != owner })
}

// explain is the problem of a write that failed with err because a name is another's; else it is err itself. A
// condition that did not hold is worth another try (record.Retry), for which the caller reads everything anew.
func (n *names) explain(ctx context.Context, err error) error {
	failed := failedKeys(err)
	if failed == nil {
		return err
	}
	if err := n.lookUp(ctx, failed); err != nil {
		return err
	}
	for _, a := range n.requests {
		if f, there := n.found[a.key]; a.taken != nil && there && !f.free && record.Owner(f.claim) != a.owner {
			return a.taken
		}
	}
	return err
}

// failedKeys are the keys whose conditions made a write fail; nil of any other error.
func failedKeys(err error) (keys []store.Key) {
	var refused *store.ConditionError
	if errors.As(err, &refused) {
		for _, f := range refused.Failures {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// lookUp finds out who has the names whose claims failed, and the slugs of owners whose heads have moved since they
// were looked up.
func (n *names) lookUp(ctx context.Context, failed []store.Key) error {
	var keys []store.Key
	var slugs []claimRequest
	for _, a := range n.requests {
		_, looked := n.own[a.owner]
		moved := looked && slices.Contains(failed, headKey(n.unit.Shop, a.owner))
		switch {
		case a.slugs != nil && (moved || slices.Contains(failed, a.key)):
			slugs = append(slugs, a)
			for s := range a.slugs {
				keys = append(keys, SlugKey(n.unit.Shop, s))
			}
		case slices.Contains(failed, a.key):
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
			n.found[keys[i]] = foundClaim{claim, free[i]}
		}
	}
	return n.readOwnURLs(ctx, slugs)
}

// readOwnURLs reads the URLs of the owners that already claim one of the slugs which they can have.
func (n *names) readOwnURLs(ctx context.Context, slugs []claimRequest) error {
	for _, a := range slugs {
		mine := false
		for s := range a.slugs {
			mine = mine || record.Owner(n.found[SlugKey(n.unit.Shop, s)].claim) == a.owner
		}
		if !mine {
			continue
		}
		kind, item := ownerAt(headKey(n.unit.Shop, a.owner))
		head, urls, err := URLsOf(ctx, n.unit.Table, n.unit.Shop, kind, item)
		if err != nil {
			return err
		}
		if head != nil {
			n.own[a.owner] = ownURLs{head.Version, urls}
		}
	}
	return nil
}

// unknownClaims are the claims of names in this request that are there already, of those not looked up yet.
func (n *names) unknownClaims(ctx context.Context) (there []store.Key, err error) {
	var keys []store.Key
	for _, a := range n.requests {
		if _, looked := n.found[a.key]; !looked {
			keys = append(keys, a.key)
		}
	}
	claims, err := store.GetAll(ctx, n.unit.Table, keys)
	for i, claim := range claims {
		if claim != nil {
			there = append(there, keys[i])
		}
	}
	return there, err
}

// planAddress gives a product or category the address that its name makes: the one it has when that is the same slug as
// before.
func (n *names) planAddress(o urlOwner, name, version string) (addressPlan, error) {
	base := baseSlug(o.kind, name)
	if base == o.address.Base {
		return addressPlan{Address: o.address}, nil
	}
	p, err := n.chooseSlug(o, base)
	if err != nil {
		return addressPlan{}, err
	}
	if o.address == (Address{}) {
		return planFirst(n.unit, o, p, version), nil
	}
	return planRename(n.unit, o, p, version), nil
}

// slugChoice is the slug that a system URL gets, and the operation that claims it.
type slugChoice struct {
	slug, base string
	claim      store.Op
	back       *URL // the item's own former URL whose slug it takes back, which needs no claim; nil: none
}

// chooseSlug chooses one for a system URL out of those that its base makes: one that a former URL of the same owner
// has, else the first that is free as far as is known.
func (n *names) chooseSlug(o urlOwner, base string) (slugChoice, error) {
	owner, all := ownerOf(o.kind, o.id), n.slugsOf(o, base)
	if u := n.formerURL(owner, o.version, all); u != nil {
		n.requests = append(n.requests, claimRequest{key: SlugKey(n.unit.Shop, u.Slug), owner: owner, slugs: all})
		return slugChoice{slug: u.Slug, base: base, back: u}, nil
	}
	for s := range all {
		key := SlugKey(n.unit.Shop, s)
		if s == o.address.System {
			return slugChoice{slug: s, base: base}, nil
		}
		if n.available(key, owner, o.version) {
			n.chosen[key] = owner
			n.requests = append(n.requests, claimRequest{key: key, owner: owner, slugs: all})
			return slugChoice{slug: s, base: base, claim: n.claimOp(key, owner)}, nil
		}
	}
	return slugChoice{}, problem.Conflict("slug_taken", "All addresses that this name makes belong to other items.")
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
				s = slug.WithSuffix(string(o.kind)+"-"+base, suffix)
			}
			if (n.reserved == nil || !n.reserved(s)) && !yield(s) {
				return
			}
		}
	}
}

// available says whether an owner can have a slug, as far as is known. What it claims itself is one of its own URLs;
// when these are not known as of its head's version, it claims the slug and the refusal has them looked up.
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

// formerURL is the owner's URL that a rename has left and whose slug it can have; nil: there is none, or that is not
// known.
func (n *names) formerURL(owner, version string, slugs iter.Seq[string]) *URL {
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
