package products

import (
	"context"
	"time"

	"eshop/shared/api"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Owners are the products and categories of a shop as those who own codes, externalIds and slugs (P#id or G#id).
func Owners(t store.Table, shop string, now time.Time) unique.Owners {
	return unique.Owners{Table: t, Now: now, Of: func(owner string) store.Key { return headKey(shop, owner) }}
}

// contest is the struggle of one product or category for what must be unique. It remembers which claims are taken over, so
// that the same write, made again, goes through.
type contest struct {
	owner string // P#id or G#id
	of    Of
	item  string
	over  map[store.Key]*store.Item // free claims
	want  claims                    // the unique names of the last try
	slug  *choice                   // what the system URL gets; nil: not chosen yet, or as it is
	avoid map[string]bool           // slugs that others of the same batch have chosen
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
	free, err := Owners(g.p.Main, shop, g.p.Now()).Free(ctx, held...)
	if err != nil {
		return err
	}
	for i, item := range held {
		if !free[i] {
			return c.want[item.Key]
		}
		c.over[item.Key] = item
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
			delete(c.over, f.Key) // the one it was to be taken from has gone too
		}
	}
	return held, slugLost
}
