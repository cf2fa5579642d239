package leaving

import (
	"context"
	"errors"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// Work goes on with a deletion: up to most packages are deactivated, or records deleted. One that fails holds up no
// other.
func (l Leaving) Work(ctx context.Context, j *Job, most int) error {
	now := *j
	var err error
	switch j.State {
	case Closing:
		var left bool
		if left, err = l.deactivate(ctx, j.ID, most); err == nil && !left {
			now.State = Closed
		}
	case Closed:
		if field.At(l.Unit().Now()) < j.DeletesAt {
			return nil
		}
		if err = l.stillClosed(ctx, j); err == nil {
			now.State = Deleting
			now.Records, err = l.count(ctx, j.ID)
		}
	case Deleting:
		var left bool
		now.Deleted, left, err = l.delete(ctx, j.ID, most)
		if now.Deleted += j.Deleted; err == nil && !left && now.Deleted == j.Deleted {
			if err = l.finish(ctx, j.ID); err == nil {
				now.State = Deleted
			}
		}
	default:
		return nil
	}
	u := l.Unit()
	now.Version = u.NextVersion(j.Version)
	_, failed := l.Main.Write(ctx, events.Nothing, store.Put(now.item(u.Now()), store.VersionIs(j.Version)))
	switch {
	case failed == nil:
		*j = now
	case !store.IsCondition(failed): // else the shop was restored, or somebody else goes on with it
		err = errors.Join(err, failed)
	}
	return err
}

// stillClosed ends the deletion of a shop that is open, with the error errOpen: a release that knew no closed shops has
// written it.
func (l Leaving) stillClosed(ctx context.Context, j *Job) error {
	s, err := shop.Read(ctx, l.Main, j.ID)
	if err != nil || s.Closed() {
		return err
	}
	_, err = l.Main.Write(ctx, events.Nothing, store.Delete(Key(j.ID), store.VersionIs(j.Version)))
	return errors.Join(errOpen, err)
}

var errOpen = errors.New("leaving: the shop is open, so it is not deleted")

// unit is a unit of work in the shop.
func (l Leaving) unit(of string) *change.Unit {
	u := l.Unit()
	u.Shop, u.Request = of, u.NewID()
	return u
}

// deactivate deactivates up to most packages of a closed shop, which tells their add-ons, and says whether there are
// more.
func (l Leaving) deactivate(ctx context.Context, of string, most int) (left bool, err error) {
	all, err := addon.AccessesOf(ctx, l.Main, of)
	if err != nil {
		return true, err
	}
	for _, a := range all {
		if a.State != addon.Active {
			continue
		}
		if most == 0 || ctx.Err() != nil {
			return true, errors.Join(err, ctx.Err())
		}
		_, failed := l.Addons.Deactivate(ctx, l.unit(of), a.ID)
		err = errors.Join(err, failed)
		most--
	}
	return false, err
}

// count is how many records a shop has.
func (l Leaving) count(ctx context.Context, of string) (n int64, err error) {
	for _, r := range rooms(of) {
		for page, err := range store.Pages(ctx, l.Main, store.Query{Index: store.Index1, PK: r.list}) {
			if err != nil {
				return n, err
			}
			n += int64(len(page.Items))
		}
	}
	return n, nil
}

// delete deletes up to most records of a shop, and says how many it did and whether there are more.
func (l Leaving) delete(ctx context.Context, of string, most int) (deleted int64, left bool, err error) {
	for _, r := range rooms(of) {
		for page, failed := range store.Pages(ctx, l.Main, store.Query{Index: store.Index1, PK: r.list}) {
			if failed != nil {
				return deleted, true, errors.Join(err, failed)
			}
			for _, row := range page.Items {
				if deleted == int64(most) || ctx.Err() != nil {
					return deleted, true, errors.Join(err, ctx.Err())
				}
				if failed := l.purge(ctx, of, r, row); failed != nil {
					err = errors.Join(err, failed)
					continue
				}
				deleted++
			}
		}
	}
	return deleted, false, err
}

// finish deletes what a shop has beside its records, and the shop itself.
func (l Leaving) finish(ctx context.Context, of string) error {
	u := l.unit(of)
	if err := l.purgeRest(ctx, u); err != nil {
		return err
	}
	if err := shop.Purge(ctx, l.Main, of); err != nil {
		return err
	}
	l.Addons.Callers.DropShop(of)
	if l.Scrub == nil {
		return nil
	}
	return l.Scrub(ctx, u.Now())
}
