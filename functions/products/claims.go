package products

import (
	"context"
	"time"

	"eshop/shared/api"
	"eshop/shared/store"
)

// claimLife is how old a claim must be whose owner does not exist before it counts as left by a crash.
const claimLife = 5 * time.Minute

// Claim is the operation that takes a code, externalId or slug for its owner (P#id or G#id); from is the owner whose
// claim is taken over, "" when there is to be none.
func Claim(key store.Key, owner, from string, now time.Time) store.Op {
	cond := store.Absent()
	if from != "" {
		cond = store.TextIs("owner", from)
	}
	return store.Put(store.Item{Key: key, Text: map[string]string{"owner": owner}, Num: map[string]int64{"at": now.UnixMilli()}}, cond)
}

// Release is the operation that gives a claim of the owner back.
func Release(key store.Key, owner string) store.Op {
	return store.Delete(key, store.TextIs("owner", owner))
}

// life is what has become of an owner of claims.
type life int

const (
	alive life = iota
	dead       // a tombstone
	absent
)

// free says whether a claim of an owner with that life can be taken over.
func (l life) free(claim *store.Item, now time.Time) bool {
	return l == dead || l == absent && claim.Num["at"] <= now.Add(-claimLife).UnixMilli()
}

// Free says which claims can be had: those that are not there, and those left by something deleted or by a crash.
func Free(ctx context.Context, t store.Table, shop string, claims []*store.Item, now time.Time) ([]bool, error) {
	lives, err := gone(ctx, t, shop, claims)
	free := make([]bool, len(claims))
	for i, c := range claims {
		free[i] = c == nil || lives[c.Text["owner"]].free(c, now)
	}
	return free, err
}

// Holder is the owner that a claim names; "" without a claim.
func Holder(claim *store.Item) string {
	if claim == nil {
		return ""
	}
	return claim.Text["owner"]
}

// gone finds out what has become of the owners of claims.
func gone(ctx context.Context, t store.Table, shop string, claims []*store.Item) (map[string]life, error) {
	lives := map[string]life{}
	var keys []store.Key
	var owners []string
	for _, c := range claims {
		if c == nil {
			continue
		}
		o := c.Text["owner"]
		if _, asked := lives[o]; !asked {
			lives[o] = alive
			keys, owners = append(keys, headKey(shop, o)), append(owners, o)
		}
	}
	heads, err := getAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	for i, h := range heads {
		switch {
		case h == nil:
			lives[owners[i]] = absent
		case Deleted(h):
			lives[owners[i]] = dead
		}
	}
	return lives, nil
}

// contest is the struggle of one product or category for what must be unique. It remembers from whom claims are taken
// over, so that the same write, made again, goes through.
type contest struct {
	owner string // P#id or G#id
	of    Of
	item  string
	from  map[store.Key]string
	want  claims          // the unique names of the last try
	slug  *choice         // what the system URL gets; nil: not chosen yet, or as it is
	avoid map[string]bool // slugs that others of the same batch have chosen
	tries int
}

// taken are the problems of claims that others hold.
func codeTaken(code string) *api.Problem {
	return api.Conflict("code_taken", "The code "+code+" belongs to another product or variant of this shop.")
}

func externalTaken() *api.Problem {
	return api.Conflict("external_id_taken", "Another product of this shop has this externalId.")
}

// claims are the unique names that a record wants, by their keys, and what to answer when they are taken.
type claims map[store.Key]*api.Problem

// settle looks at why a write was refused: nil to make it again, a 409 for a name that is taken.
func (g group) settle(ctx context.Context, shop string, c *contest, failures []store.Failure) error {
	c.tries++
	held, slugLost := c.held(shop, failures)
	lives, err := gone(ctx, g.p.Main, shop, held)
	if err != nil {
		return err
	}
	for _, item := range held {
		if !lives[item.Text["owner"]].free(item, g.p.Now()) {
			return c.want[item.Key]
		}
		c.from[item.Key] = item.Text["owner"]
	}
	if !slugLost {
		c.forget()
		return nil
	}
	pick, err := g.pick(ctx, shop, c)
	if err == nil {
		c.take(pick)
	}
	return err
}

// forget drops the choice of a slug of the item's own, which was made upon URLs that may have changed since.
func (c *contest) forget() {
	if c.slug != nil && c.slug.back.ID != "" {
		delete(c.avoid, c.slug.slug)
		c.slug = nil
	}
}

// held are the claims of codes and externalIds that stood in the way, and whether the slug's did.
func (c *contest) held(shop string, failures []store.Failure) (held []*store.Item, slugLost bool) {
	for _, f := range failures {
		switch {
		case c.slug != nil && f.Key == SlugKey(shop, c.slug.slug):
			slugLost = true
		case c.want[f.Key] != nil && f.Item != nil:
			held = append(held, f.Item)
		case c.want[f.Key] != nil:
			delete(c.from, f.Key) // the one it was to be taken from has gone too
		}
	}
	return held, slugLost
}
