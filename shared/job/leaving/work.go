package leaving

import (
	"context"
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
	"eshop/shared/shop"
)

// Work goes on with a deletion: up to most packages are deactivated, or records deleted. One that fails holds up no
// other.
func (l Leaving) Work(ctx context.Context, j *Job, most int) error {
	next := *j
	var err error
	switch j.State {
	case Closing:
		next.State, err = l.close(ctx, j, most)
	case Closed:
		if field.At(l.Unit().Now()) < j.DeletesAt {
			return nil
		}
		next.State, next.Records, err = l.begin(ctx, j)
	case Deleting:
		var n int64
		var left bool
		n, left, err = l.delete(ctx, j.ID, most)
		next.Deleted += n
		if n == 0 && !left && err == nil { // a look at all lists has found nothing
			if err = l.finish(ctx, j.ID); err == nil {
				next.State = Deleted
				next.Deleted = max(next.Deleted, next.Records) // a pass that was cut may not have counted
			}
		}
	default:
		return nil
	}
	switch next.State {
	case Closed:
		next.Wait(next.DeletesAt.Go())
	case Deleted:
		next.End()
	default:
		next.Wait(l.Unit().Now().Add(again))
	}
	failed := Jobs.Move(ctx, l.Unit(), &next, events.Nothing)
	if failed == nil {
		*j = next
	} else if !errors.Is(failed, job.ErrLost) { // by which the shop was restored, or somebody else goes on
		err = errors.Join(err, failed)
	}
	return err
}

// settled is how long after its closing every request has ended that had seen the shop open, and every process has
// forgotten that it was.
const settled = time.Minute

// close goes on with the closing of a shop, and says in what state it is then: closed, when it has no active package
// and none can become so any more. One that cannot be deactivated keeps no shop for ever.
func (l Leaving) close(ctx context.Context, j *Job, most int) (DeletionState, error) {
	active, err := l.deactivate(ctx, j.ID, most)
	now := l.Unit().Now()
	if active == 0 && err == nil && now.Sub(j.Created.Go()) >= settled || field.At(now) >= j.DeletesAt {
		return Closed, err
	}
	return Closing, err
}

// begin begins to delete a closed shop, and counts its records.
func (l Leaving) begin(ctx context.Context, j *Job) (DeletionState, int64, error) {
	if err := l.stillClosed(ctx, j); err != nil {
		return Closed, 0, err
	}
	records, err := l.count(ctx, j.ID)
	if err != nil {
		return Closed, 0, err
	}
	return Deleting, records, nil
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

// deactivate deactivates up to most packages of a closed shop, which tells their add-ons, and says how many were
// active.
func (l Leaving) deactivate(ctx context.Context, of string, most int) (active int, err error) {
	all, err := addon.AccessesOf(ctx, l.Main, of)
	if err != nil {
		return 0, err
	}
	for _, a := range all {
		if a.State != addon.Active {
			continue
		}
		if active++; active > most || change.Late(ctx) {
			return active, err
		}
		_, failed := l.Addons.Deactivate(ctx, l.unit(of), a.ID)
		err = errors.Join(err, failed)
	}
	return active, err
}

// count is how many records a shop has.
func (l Leaving) count(ctx context.Context, of string) (n int64, err error) {
	for _, r := range recordLists(of) {
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
	for _, r := range recordLists(of) {
		for page, failed := range store.Pages(ctx, l.Main, store.Query{Index: store.Index1, PK: r.list}) {
			if failed != nil {
				return deleted, true, errors.Join(err, failed)
			}
			for _, row := range page.Items {
				if deleted == int64(most) || change.Late(ctx) {
					return deleted, true, err
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
	if err := shop.Purge(ctx, l.Main, of, l.Unit().Now()); err != nil {
		return err
	}
	l.Addons.Callers.DropShop(of)
	return nil
}
