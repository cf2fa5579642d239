package catalog

import (
	"context"
	"slices"
	"strconv"
	"time"

	"eshop/shared/change"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/slug"
	"eshop/shared/store"
)

// AddedURL is the URL that AddURL has made the active one, and whether it is new.
type AddedURL struct {
	URL
	New bool
}

// Adjusted says whether the slug is not what was sent.
func (p AddedURL) Adjusted(sent string) bool { return p.Slug != sent }

// AddURL gives a product or category the URL that the rules make of what was sent, as its active one. A slug that it
// has already becomes the active one; one that others have gets a suffix (contract, section 4, "Custom URLs").
func (c Catalog) AddURL(ctx context.Context, u *change.Unit, kind ItemKind, item, sent string) (AddedURL, error) {
	want, err := c.slugOf(sent)
	if err != nil {
		return AddedURL{}, err
	}
	return record.Retry(ctx, func() (AddedURL, error) {
		head, own, err := URLsOf(ctx, u.Table, u.Shop, kind, item)
		if err != nil {
			return AddedURL{}, err
		}
		if head == nil {
			return AddedURL{}, problem.InvalidAt("urlItem.id", problem.Unknown,
				"is not a "+string(kind)+" of this shop")
		}
		e := &urlChange{shop: u.Shop, head: head, own: own, version: u.NextVersion(head.Version)}
		slug, n := want, c.newNames(u)
		if withSlug(own, want) == nil {
			if slug, err = c.chooseCustomSlug(ctx, n, want, own); err != nil {
				return AddedURL{}, err
			}
		}
		has := withSlug(own, slug)
		if has != nil && has.Active {
			return AddedURL{URL: *has}, nil
		}
		var placed AddedURL
		if has != nil {
			placed.URL = e.activate(*has)
		} else {
			if postedOf(own) >= maxPosted {
				return AddedURL{}, problem.Conflict("too_many_urls",
					"The "+string(kind)+" has "+strconv.Itoa(maxPosted)+
						" URLs that were made for it: delete one first.")
			}
			placed.New = true
			placed.URL = URL{ID: u.NewID(), ItemKind: kind, Item: item, Slug: slug, Active: true, Posted: true,
				Created: record.ChangedAt(e.version), Version: e.version}
			e.add(placed.URL, n.claim(SlugKey(u.Shop, slug), placed.Owner()))
		}
		_, err = u.Write(ctx, placed, u.ChangeOf(e.records), e.ops...)
		return placed, err
	})
}

// postedOf is how many of an item's URLs were made by a POST.
func postedOf(own []URL) (n int) {
	for _, u := range own {
		if u.Posted {
			n++
		}
	}
	return n
}

// chooseCustomSlug is the slug that an item gets when it wants one that it has not yet: that one when it is free, else
// one with a suffix that the item already has, else the first that is free.
func (c Catalog) chooseCustomSlug(ctx context.Context, n *names, want string, own []URL) (string, error) {
	free := func(s string) bool { return n.isFree(SlugKey(n.unit.Shop, s), "") }
	if err := n.lookUpSlugs(ctx, []string{want}); err != nil || free(want) {
		return want, err
	}
	slugs := c.candidates(want)
	if i := slices.IndexFunc(slugs, func(s string) bool { return withSlug(own, s) != nil }); i >= 0 {
		return slugs[i], nil
	}
	if err := n.lookUpSlugs(ctx, slugs); err != nil {
		return "", err
	}
	if i := slices.IndexFunc(slugs, free); i >= 0 {
		return slugs[i], nil
	}
	return "", problem.Conflict("slug_taken", "The slug and all its variants up to -100 belong to other items.")
}

// DeleteURL deletes a custom URL; if it was the active one, another becomes active.
func (c Catalog) DeleteURL(ctx context.Context, u *change.Unit, url string) error {
	_, err := record.Retry(ctx, func() (*URL, error) {
		key, err := c.findURL(ctx, u, url)
		if err != nil {
			return nil, err
		}
		kind, item := ownerAt(key)
		head, own, err := URLsOf(ctx, u.Table, u.Shop, kind, item)
		if err != nil {
			return nil, err
		}
		gone := firstOf(own, func(o URL) bool { return o.ID == url })
		if gone == nil {
			return nil, problem.NotFound()
		}
		if err := u.Match(gone.Version); err != nil {
			return nil, err
		}
		if gone.System {
			return nil, problem.Conflict("system_url",
				"A system URL cannot be deleted: make a custom URL, and it becomes the active one.")
		}
		e := &urlChange{shop: u.Shop, head: head, own: own, version: u.NextVersion(head.Version)}
		e.remove(*gone)
		_, err = u.Write(ctx, *gone, u.ChangeOf(e.records), e.ops...)
		return gone, err
	})
	return err
}

// ReadURL is the shop's URL of this id, a problem not_found when there is none.
func (c Catalog) ReadURL(ctx context.Context, u *change.Unit, url string) (URL, error) {
	key, err := c.findURL(ctx, u, url)
	if err != nil {
		return URL{}, err
	}
	items, err := u.Table.Get(ctx, key, HeadKey(key))
	if err != nil {
		return URL{}, err
	}
	if items[0] == nil || record.Missing(items[1]) {
		return URL{}, problem.NotFound()
	}
	return URLOf(items[0])
}

// On AWS the index of ids is normally less than a second behind. So an id younger than freshAge is looked up
// repeatedly, after a pause that doubles each time, for a second in all: what a POST or a list has shown can be read.
// Any other id is looked up once. The clocks of two servers differ by less than skew, so the platform has made no id
// from further in the future than that.
const (
	freshAge   = 10 * time.Second
	skew       = 3 * time.Second
	maxLookUps = 6
	firstPause = 32 * time.Millisecond
)

// findURL is the key of the URL of an id, a problem not_found when there is none.
func (c Catalog) findURL(ctx context.Context, u *change.Unit, url string) (store.Key, error) {
	age := u.Now().Sub(id.Time(url))
	fresh := !c.Instant && -skew < age && age < freshAge
	for look := range maxLookUps {
		page, err := u.Table.Query(ctx, store.Query{Index: store.Index2, PK: urlIDIndex(u.Shop, url).PK, Limit: 1})
		if err != nil {
			return store.Key{}, err
		}
		if len(page.Items) > 0 {
			return page.Items[0].Key, nil
		}
		if !fresh || look == maxLookUps-1 {
			break
		}
		if err := wait(ctx, firstPause<<look); err != nil {
			return store.Key{}, err
		}
	}
	return store.Key{}, problem.NotFound()
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c Catalog) reserved(s string) bool { return c.Reserved != nil && c.Reserved(s) }

// slugOf is the slug that the rules make of what was sent, before it gets a suffix.
func (c Catalog) slugOf(sent string) (string, error) {
	s := slug.Make(sent)
	switch {
	case s == "":
		return "", problem.Refused("slug_empty",
			"Nothing is left of the URL by the slug rules: send letters or digits.")
	case c.reserved(s):
		return "", problem.Refused("slug_reserved", "The platform itself serves /"+s+": choose another URL.")
	}
	return s, nil
}

// customSuffixes is the highest number that a slug of a custom URL gets as its suffix when it is taken; the first is 2
// (contract, section 4, "Custom URLs").
const customSuffixes = 100

// candidates are the slug and its suffixed ones, up to -100.
func (c Catalog) candidates(s string) []string {
	all := []string{s}
	for n := 2; n <= customSuffixes; n++ {
		if next := slug.WithSuffix(s, strconv.Itoa(n)); !c.reserved(next) {
			all = append(all, next)
		}
	}
	return all
}

// withSlug is the URL of that slug among an item's own, nil when there is none.
func withSlug(own []URL, s string) *URL { return firstOf(own, func(u URL) bool { return u.Slug == s }) }

func firstOf(all []URL, is func(URL) bool) *URL {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}
