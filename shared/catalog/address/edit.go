package address

import (
	"context"
	"fmt"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Addresses are the commands on URLs, and what they need beside their unit of work.
type Addresses struct {
	Reserved func(slug string) bool // slugs that the platform serves itself; nil: none
	Instant  bool                   // the store's indexes show at once what was written, so nothing is looked up twice
}

func (a Addresses) reserved(s string) bool { return a.Reserved != nil && a.Reserved(s) }

// AddedURL is the URL that AddURL has made the active one, and whether it is new.
type AddedURL struct {
	URL
	New bool
}

// Adjusted says whether the slug is not what was sent.
func (p AddedURL) Adjusted(sent string) bool { return p.Slug != sent }

// AddURL gives an owner the URL that the rules make of what was sent, as its active one. A slug that it has already
// becomes the active one; one that others have gets a suffix (contract, "Custom URLs").
func (a Addresses) AddURL(ctx context.Context, u *change.Unit, o Owner, sent string) (AddedURL, error) {
	want := slug.Make(sent)
	switch {
	case want == "":
		return AddedURL{}, problem.Refused("slug_empty",
			"Nothing is left of the URL by the slug rules: send letters or digits.")
	case a.reserved(want):
		return AddedURL{}, problem.Refused("slug_reserved", "The platform itself serves /"+want+": choose another URL.")
	}
	return record.Retry(ctx, func() (added AddedURL, err error) {
		head, own, err := URLsOf(ctx, u.Table, u.Shop, o)
		if err != nil {
			return added, err
		}
		if head == nil {
			return added, problem.InvalidAt("urlItem.id", problem.Unknown, "is not a "+string(o.Kind)+" of this shop")
		}
		names, version := a.Names(u), u.NextVersion(head.Version)
		to, has, err := names.chooseCustom(ctx, o, want, own)
		if err != nil {
			return added, err
		}
		var claim []store.Op
		urls := own
		if has != nil {
			if added.URL = *has; has.Active {
				return added, nil
			}
		} else {
			if err := hasRoom(o, own); err != nil {
				return added, err
			}
			added.URL = URL{ID: u.NewID(), Owner: o, Slug: to, Posted: true, Created: record.ChangedAt(version)}
			added.New, urls = true, append(urls, added.URL)
			claim = []store.Op{names.Claim(SlugKey(u.Shop, to), o)}
		}
		added.Active, added.Version = true, version
		ops, records := urlChange{u.Shop, o, head, own, version}.to(activating(urls, added.ID))
		_, err = u.Write(ctx, added, u.ChangeOf(records), append(ops, claim...)...)
		return added, err
	})
}

// hasRoom refuses one more URL by a POST of an owner that has as many as it can.
func hasRoom(owner Owner, own []URL) error {
	posted := 0
	for _, u := range own {
		if u.Posted {
			posted++
		}
	}
	if posted < maxPosted {
		return nil
	}
	return problem.Conflict("too_many_urls",
		fmt.Sprintf("The %s has %d URLs that were made for it: delete one first.", owner.Kind, maxPosted))
}

// DeleteURL deletes a custom URL; if it was the active one, another becomes active.
func (a Addresses) DeleteURL(ctx context.Context, u *change.Unit, url string) error {
	_, err := record.Retry(ctx, func() (gone URL, err error) {
		key, err := a.findURL(ctx, u, url)
		if err != nil {
			return gone, err
		}
		owner := ownerAt(key)
		head, own, err := URLsOf(ctx, u.Table, u.Shop, owner)
		if err != nil {
			return gone, err
		}
		found := first(own, func(o URL) bool { return o.ID == url })
		if found == nil {
			return gone, problem.NotFound()
		}
		gone = *found
		if err := u.Match(gone.Version); err != nil {
			return gone, err
		}
		if gone.System {
			return gone, problem.Conflict("system_url",
				"A system URL cannot be deleted: make a custom URL, and it becomes the active one.")
		}
		ops, records := urlChange{u.Shop, owner, head, own, u.NextVersion(head.Version)}.to(without(own, gone))
		_, err = u.Write(ctx, gone, u.ChangeOf(records), ops...)
		return gone, err
	})
	return err
}

// ReadURL is the shop's URL of this id, a problem not_found when there is none.
func (a Addresses) ReadURL(ctx context.Context, u *change.Unit, url string) (URL, error) {
	key, err := a.findURL(ctx, u, url)
	if err != nil {
		return URL{}, err
	}
	items, err := u.Table.Get(ctx, key, ownerKey(key))
	if err != nil {
		return URL{}, err
	}
	if items[0] == nil || record.Missing(items[1]) {
		return URL{}, problem.NotFound()
	}
	return urlOf(items[0])
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
func (a Addresses) findURL(ctx context.Context, u *change.Unit, url string) (store.Key, error) {
	age := u.Now().Sub(id.Time(url))
	fresh := !a.Instant && -skew < age && age < freshAge
	for look := range maxLookUps {
		page, err := u.Table.Query(ctx, store.Query{Index: store.Index2, PK: idIndex(u.Shop, url), Limit: 1})
		if err != nil {
			return store.Key{}, err
		}
		if len(page.Items) > 0 {
			return page.Items[0].Key, nil
		}
		if !fresh || look == maxLookUps-1 {
			break
		}
		if !guard.Wait(ctx, firstPause<<look) {
			return store.Key{}, ctx.Err()
		}
	}
	return store.Key{}, problem.NotFound()
}
