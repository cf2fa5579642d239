// Package sweeper looks each minute for work that was left lying. Nothing waits for it in the usual case: it is what
// makes good a message that was lost, or a process that died. What it does not get done in one run it does in the next.
package sweeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/images"
	"eshop/shared/job/erasure"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/job/leaving"
	"eshop/shared/ports/store"
	"eshop/shared/record/addondata"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
	"eshop/shared/record/pending"
	"eshop/shared/shop"
	"eshop/shared/webhook"
)

// Function is the sweeper's place in THE list.
var Function = host.Function{
	Name: "sweeper",
	Doc: "Rings for deliveries that are due or overdue, ends requests that never came to their end, wakes " +
		"imports and exports that were left, goes on with erasures and deletions of shops, and takes away images, " +
		"files and data of add-ons that are over.",
	Tick: &host.Tick{
		Every:             time.Minute,
		EveryInOneProcess: 5 * time.Second, // no attempt more than ten seconds late, where a run costs nothing
		Handler: func(p *host.Platform) func(context.Context) error {
			return (&sweeper{Platform: p, behind: map[string]string{}}).sweep
		},
		Next: func(ctx context.Context, p *host.Platform) (time.Duration, error) {
			return (&sweeper{Platform: p}).next(ctx)
		},
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		host.FilesBelow(host.Read, imports.Uploads),
		host.FilesBelow(host.Write, imports.Uploads, images.Begin, exports.Asks, exports.Files),
		host.Admits(host.Tokens, host.Developers, host.Admins), // of shops that have left
	},
	Timeout:             50 * time.Second,
	Memory:              256,
	ReservedConcurrency: 2, // its next run may begin while one ends, and requests never take its place
}

// mostPerWalk is how much of each partition one run does.
const mostPerWalk = 500

// sweeper is the sweeper of one process. behind says where the last run stopped in partitions that it did not finish.
// The next run goes on there, so that items which stay as they are, however many, never hide those behind them. A new
// process begins at the start of each partition.
type sweeper struct {
	*host.Platform
	mu     sync.Mutex
	behind map[string]string // the sort key, by partition
}

// chore is a kind of what falls due, in which table it is, and what is done about one.
type chore struct {
	job.Kind
	table store.Table
	do    func(context.Context, *store.Item) error
}

// chores are all that may fall due:
//
//   - deliveries that have no bell, or are so much overdue that their bell must be lost;
//   - drains and replays whose next step has no message, or has lost it;
//   - requests that never came to their end;
//   - images, of price quotes and of products, that are over;
//   - imports that have lost their importer, or whose file may have come unheard;
//   - exports that nobody works on, and those whose file is over;
//   - erasures of customers that are not done;
//   - deletions of shops that are not over;
//   - data of packages that were deactivated long enough ago.
func (s *sweeper) chores() []chore {
	return []chore{
		{webhook.DueRows, s.Pipeline, func(ctx context.Context, i *store.Item) error {
			return webhook.RingDue(ctx, s.Unit(), s.Webhooks(), i)
		}},
		{webhook.Releases, s.Main, func(ctx context.Context, i *store.Item) error {
			return webhook.RingStep(ctx, s.Unit(), s.Webhooks(), i)
		}},
		{pending.Jobs, s.Main, s.end},
		{images.Ends, s.Main, s.Images().Sweep},
		{imports.Jobs, s.Main, func(ctx context.Context, i *store.Item) error {
			return imports.Sweep(ctx, s.Unit(), s.Files, i)
		}},
		{exports.Jobs, s.Main, s.Exports().Sweep},
		{erasure.Jobs, s.Main, s.goOnErasing},
		{leaving.Jobs, s.Main, s.goOnLeaving},
		{addondata.Ends, s.Main, s.endData},
	}
}

// walk is a partition of an index that a run goes through.
type walk struct {
	store.Query
	chore
}

// walks are all partitions, to what is due now.
func (s *sweeper) walks() (all []walk) {
	for _, c := range s.chores() {
		for _, due := range c.Due(s.Now()) {
			all = append(all, walk{due, c})
		}
	}
	return all
}

// next is how long it takes until something is due that is not due yet; 0 if nothing is. It reads one entry of each
// partition, so that its cost does not rise with what waits. What asks again and again how far others are counts as due
// in a minute: for an erasure that waits for a receiver, a day of moved time would have 8,640 steps.
func (s *sweeper) next(ctx context.Context) (soonest time.Duration, err error) {
	for _, w := range s.walks() {
		page, err := w.table.Query(ctx, store.Query{Index: w.Query.Index, PK: w.PK, After: w.To, Limit: 1})
		if err != nil {
			return 0, err
		}
		for _, i := range page.Items {
			in := w.DueAt(&i).Sub(s.Now())
			if w.Name == erasure.Jobs.Name || w.Name == leaving.Jobs.Name {
				in = max(in, time.Minute)
			}
			if soonest == 0 || in < soonest {
				soonest = in
			}
		}
	}
	return soonest, nil
}

// sweep does one run: its walks side by side, or one after the other if the store is near. A walk that fails holds up
// no other.
func (s *sweeper) sweep(ctx context.Context) error {
	all := s.walks()
	if !s.Near {
		return errors.Join(guard.Each(ctx, len(all), func(i int) error { return s.walk(ctx, all[i]) })...)
	}
	errs := make([]error, len(all))
	for i, w := range all {
		errs[i] = guard.Do(ctx, func() error { return s.walk(ctx, w) })
	}
	return errors.Join(errs...)
}

// walk looks at some mostPerWalk items, in whole pages: from where the last run stopped to the end of the partition,
// and on from its start. An item that fails does not hold up those behind it, and is tried again when the walk comes
// round.
func (s *sweeper) walk(ctx context.Context, walk walk) error {
	walk.Limit = store.MaxKeys
	began := s.at(walk.PK)
	walk.After = began
	left := mostPerWalk
	errs := s.pages(ctx, walk, &left)
	if s.at(walk.PK) == "" && began != "" && left > 0 && !change.Late(ctx) {
		// That was the end of the partition: the rest of the run is for its start.
		walk.After, walk.To = "", began
		errs = append(errs, s.pages(ctx, walk, &left)...)
	}
	return errors.Join(errs...)
}

// pages goes through the pages of a walk while there are items left to look at, and notes where it stopped.
func (s *sweeper) pages(ctx context.Context, w walk, left *int) (errs []error) {
	for page, err := range store.Pages(ctx, w.table, w.Query) {
		if err != nil {
			return append(errs, err)
		}
		errs = append(errs, s.page(ctx, w, page)...)
		s.stopAt(w.PK, page.Next)
		if *left -= len(page.Items); *left <= 0 || change.Late(ctx) {
			break
		}
	}
	return errs
}

// page does the items of a page.
func (s *sweeper) page(ctx context.Context, walk walk, page store.Page) (errs []error) {
	keys := make([]store.Key, len(page.Items))
	for i, entry := range page.Items {
		keys[i] = entry.Key
	}
	items, err := store.GetReadable(ctx, walk.table, keys)
	if err != nil {
		return []error{err}
	}
	for _, i := range items {
		if !walk.IsDue(i, s.Now()) || change.Late(ctx) {
			continue
		}
		if err := guard.Do(ctx, func() error { return walk.do(ctx, i) }); err != nil && !lost(err) {
			errs = append(errs, fmt.Errorf("%s %s: %w", i.PK, i.SK, err))
		}
	}
	return errs
}

// lost says whether somebody else has moved the item since it was read.
func lost(err error) bool {
	_, refused := err.(*store.ConditionError) // and no other error beside it
	return refused || err == job.ErrLost
}

// at is the sort key behind which the walk of a partition goes on; "" at its start.
func (s *sweeper) at(partition string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.behind[partition]
}

// stopAt notes where the walk of a partition goes on; "" at its start.
func (s *sweeper) stopAt(partition, sk string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.behind[partition] = sk; sk == "" {
		delete(s.behind, partition)
	}
}

// mostErased is how many orders of one customer a run erases at most.
const mostErased = 1000

// goOnErasing goes on with an erasure.
func (s *sweeper) goOnErasing(ctx context.Context, i *store.Item) error {
	j, err := erasure.Decode(i)
	if err != nil {
		return err
	}
	return s.Erasures().Work(ctx, j, mostErased)
}

// mostLeaving is how much of a shop that leaves a run deletes at most, in the one process about a second long.
const mostLeaving = 500

// goOnLeaving goes on with the deletion of a shop.
func (s *sweeper) goOnLeaving(ctx context.Context, i *store.Item) error {
	j, err := leaving.Decode(i)
	if err != nil {
		return err
	}
	return s.Leaving().Work(ctx, j, mostLeaving)
}

// mostEnded is how many rows of one package's data a run deletes at most.
const mostEnded = 500

// endData deletes the data of a package that is deactivated on a shop. A shop that is closed may be restored, and its
// packages cannot be activated meanwhile, so there they stay.
func (s *sweeper) endData(ctx context.Context, item *store.Item) error {
	shopID, _ := addondata.Ended(item)
	of, err := shop.Read(ctx, s.Main, shopID)
	switch {
	case err != nil:
		return err
	case of.Closed():
		return addondata.PutOff(ctx, s.Unit(), item, of.DeletesAt.Go())
	}
	return addondata.End(ctx, s.Main, item, mostEnded)
}

// end completes an overdue request that its process left unfinished: it empties the categories that the request has
// deleted, or tells of everything that the request may have changed. A webhook too many makes a partner read once more;
// one that never comes would leave them wrong for good.
func (s *sweeper) end(ctx context.Context, item *store.Item) error {
	deleted, reminds, err := pending.Reminder(item)
	if reminds {
		u := s.Unit()
		u.Shop, u.Request, u.By = deleted.Shop, deleted.Request, deleted.By
		err = catalog.LeaveDeletedCategories(ctx, u, deleted)
	}
	if err != nil {
		return err
	}
	change, op, err := pending.EndOverdue(item)
	if err != nil {
		return err
	}
	_, err = s.Main.Write(ctx, change, op)
	if err == nil && !change.Empty() {
		s.Log.Warn("a request that never came to its end was told of", "request", change.Request)
	}
	return err
}
