package products

import (
	"context"
	"slices"
	"time"

	"eshop/shared/slug"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// choice is a slug for a system URL, and what it takes to have it.
type choice struct {
	slug, base string
	over       *store.Item // the claim, free, that is taken over
	back       URL         // the item's own former URL whose slug comes back; no ID: none
}

// claim is the operation that claims the slug.
func (c choice) claim(shop, owner string, now time.Time) store.Op {
	return unique.Take(SlugKey(shop, c.slug), owner, now, c.over)
}

// suffixed is the n-th slug of a base: without a suffix first, then -2 and on without an end.
func suffixed(base string, n int) string {
	if n == 1 {
		return base
	}
	return slug.WithSuffix(base, n)
}

// choose gives the contest the first slug of the base that may be free as far as is known without reading, unless it has
// chosen one of this base already.
func (g group) choose(c *contest, base string) choice {
	if c.slug == nil || c.slug.base != base {
		n := 1
		for g.reserved(suffixed(base, n)) || c.avoid[suffixed(base, n)] {
			n++
		}
		c.take(choice{slug: suffixed(base, n), base: base})
	}
	return *c.slug
}

// take notes the slug that is chosen; nobody who shares what to avoid chooses it too.
func (c *contest) take(pick choice) {
	c.slug = &pick
	c.avoid[pick.slug] = true
}

func (g group) reserved(slug string) bool { return g.p.Reserved != nil && g.p.Reserved(slug) }

// near is how many suffixes are looked at before larger and larger steps are made.
const near = 50

// pick finds a slug for whoever has lost the one it chose: the lowest of the base that is free, was left by something
// deleted, or is of a former system URL of its own; that before others. When it lost more than once, others try for the
// same: any of several, so that they part.
func (g group) pick(ctx context.Context, shop string, c *contest) (choice, error) {
	base := c.slug.base
	delete(c.avoid, c.slug.slug) // only its own contest chose it, and it may yet be had
	var names []string
	for n := 1; len(names) < near; n++ {
		if s := suffixed(base, n); !g.reserved(s) && !c.avoid[s] {
			names = append(names, s)
		}
	}
	owners, err := g.owners(ctx, shop, names)
	if err != nil {
		return choice{}, err
	}
	had, err := Owners(g.p.Main, shop, g.p.Now()).Free(ctx, owners...)
	if err != nil {
		return choice{}, err
	}
	var free []choice
	for i, s := range names {
		pick := choice{slug: s, base: base}
		ok, err := g.obtainable(ctx, shop, c, &pick, owners[i], had[i])
		if err != nil {
			return choice{}, err
		}
		if ok {
			free = append(free, pick)
		}
	}
	if i := slices.IndexFunc(free, func(c choice) bool { return c.back.ID != "" }); i >= 0 {
		return free[i], nil
	}
	if len(free) > 0 {
		return free[g.random(min(len(free), 1<<min(4*(c.tries-1), 12)))], nil
	}
	return g.far(ctx, shop, c)
}

// obtainable says whether the slug that pick names can be had from who claims it, and notes in pick how.
func (g group) obtainable(ctx context.Context, shop string, c *contest, pick *choice, claim *store.Item, free bool) (ok bool, err error) {
	pick.over = claim
	if unique.Owner(claim) != c.owner {
		return free, nil
	}
	_, urls, err := URLsOf(ctx, g.p.Main, shop, c.of, c.item)
	i := slices.IndexFunc(urls, func(u URL) bool { return u.Slug == pick.slug })
	if err != nil || i < 0 {
		return false, err
	}
	pick.back = urls[i]
	return !urls[i].System && !urls[i].Posted, nil
}

// far finds a free slug of a base of which many are taken: it doubles the suffix until one is free, then narrows down.
// Who lost before goes a random way further, where others are not.
func (g group) far(ctx context.Context, shop string, c *contest) (choice, error) {
	base := c.slug.base
	from, steps := near, beyond(0, near)
	for range searches {
		i, err := g.firstFree(ctx, shop, c, steps)
		switch {
		case err != nil:
			return choice{}, err
		case i < 0: // what was free a moment ago went to others who look for the same
			from = steps[len(steps)-1]
			steps = beyond(from, 1)
			continue
		case i > 0:
			from = steps[i-1]
		}
		if steps[i]-from <= 1 {
			n := steps[i] + g.random(1<<min(4*(c.tries-1), 20))
			for c.avoid[suffixed(base, n)] {
				n++
			}
			return choice{slug: suffixed(base, n), base: base}, nil
		}
		steps = between(from, steps[i])
	}
	return choice{}, store.ErrUnavailable
}

// searches is how often far looks before it gives up; seven find one suffix in a million million when nobody interferes.
const searches = 60

// beyond are numbers above from, the first by step, each next one twice as far.
func beyond(from, step int) []int {
	all := make([]int, 40)
	for k := range all {
		all[k] = from + step<<k
	}
	return all
}

// firstFree is the place of the first of the suffixes whose slug nobody claims; -1: all are claimed.
func (g group) firstFree(ctx context.Context, shop string, c *contest, suffixes []int) (int, error) {
	names := make([]string, len(suffixes))
	for i, n := range suffixes {
		names[i] = suffixed(c.slug.base, n)
	}
	owners, err := g.owners(ctx, shop, names)
	if err != nil {
		return -1, err
	}
	for i, s := range names {
		if owners[i] == nil && !g.reserved(s) && !c.avoid[s] {
			return i, nil
		}
	}
	return -1, nil
}

// between are up to a hundred numbers above from, evenly spread, the last of them to.
func between(from, to int) []int {
	step := (to - from + store.MaxOperations - 1) / store.MaxOperations
	var all []int
	for n := from + step; n < to; n += step {
		all = append(all, n)
	}
	return append(all, to)
}

// owners are the claims of slugs, nil where there is none.
func (g group) owners(ctx context.Context, shop string, slugs []string) ([]*store.Item, error) {
	keys := make([]store.Key, len(slugs))
	for i, s := range slugs {
		keys[i] = SlugKey(shop, s)
	}
	return g.p.Main.Get(ctx, keys...)
}
