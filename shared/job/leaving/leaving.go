// Package leaving is how a shop leaves the platform. It is closed at once, and deleted 30 days later: until then it can
// be restored, and what ends by itself (sessions, baskets, deliveries, the change feed) ends meanwhile, or soon after.
// A test shop that its developer deletes goes a minute later. A package leaves a shop by Uninstall.
//
// # A tour
//
// leaving.go closes and restores a shop, and says how far a deletion is. work.go goes on with one: it is called within
// the request that closes, and then by the sweeper. record_lists.go lists where a shop's records lie.
//
// The words: a shop is *closed* while its deletion is scheduled; a *record list* is where a shop keeps one kind of
// things; to *purge* is to delete for good, without telling anybody.
package leaving

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
	"eshop/shared/search"
	"eshop/shared/shop"
	"eshop/shared/webhook"
)

// Grace is how long a closed shop can be restored. It is as long as the longest of what ends by itself.
const Grace = 30 * 24 * time.Hour

// GraceOfTest is how long a test shop is closed that its developer deletes: until every request has ended that had seen
// it open, and every process has forgotten that it was. What ends by itself outlives it, and nothing leads there.
const GraceOfTest = settled

// Deletion is how far the deleting of a shop has come.
type Deletion struct {
	ID        string        `json:"id" doc:"The id of the shop"`
	State     DeletionState `json:"state" enum:"closing,closed,deleting,deleted" doc:"How far the deletion is; closing while the shop's packages are deactivated one by one"`
	DeletesAt field.Time    `json:"deletesAt" doc:"The moment at which deleting begins; until then the shop can be restored"`
	Records   int64         `json:"records" doc:"How many records there are to delete, counted when deleting begins"`
	Deleted   int64         `json:"deleted" doc:"How many records are deleted so far"`
	Created   field.Time    `json:"created" doc:"When the shop was closed"`
}

// DeletionState is how far it is.
type DeletionState string

// The states, in their order.
const (
	Closing  DeletionState = "closing"
	Closed   DeletionState = "closed"
	Deleting DeletionState = "deleting"
	Deleted  DeletionState = "deleted"
)

// Job is a deletion as its item holds it. It outlives the shop, of which it holds nothing but the id.
type Job struct {
	Deletion
	job.Head
}

// Key is the deletion's item.
func Key(shop string) store.Key { return store.Key{PK: "GO#" + shop, SK: "A"} }

// Jobs are the deletions that are not over. Nobody takes one: two that go on with it at once delete what is there once.
var Jobs = job.Kind{Name: "LEAVING", Shards: 1}

// again is when the sweeper looks at a deletion next that is under way.
const again = 5 * time.Second

// Item is the deletion as it is stored.
func (j *Job) Item() store.Item {
	return Jobs.Item(j.Head, j.ID, store.Item{Key: Key(j.ID), Text: map[string]string{"state": string(j.State)},
		Num: map[string]int64{"at": int64(j.DeletesAt), "records": j.Records, "deleted": j.Deleted,
			"created": int64(j.Created)}})
}

// Decode reads a deletion's item.
func Decode(i *store.Item) (*Job, error) {
	return &Job{Head: Jobs.Head(i), Deletion: Deletion{ID: strings.TrimPrefix(i.PK, "GO#"),
		State: DeletionState(i.Text["state"]), DeletesAt: field.Time(i.Num["at"]), Records: i.Num["records"],
		Deleted: i.Num["deleted"], Created: field.Time(i.Num["created"])}}, nil
}

// Read is the deletion of a shop; the problem not_found when there is none.
func Read(ctx context.Context, t store.Table, shop string) (*Job, error) {
	if !id.Valid(shop) {
		return nil, problem.NotFound()
	}
	return job.Read(ctx, t, Key(shop), Decode)
}

// Leaving are the commands by which shops leave.
type Leaving struct {
	Main   store.Table
	Unit   func() *change.Unit // a new one for each thing that is done
	Addons addon.Commands
	Search search.Index
	Log    *slog.Logger
}

// atOnce is how many packages are deactivated within the request that closes a shop.
const atOnce = 20

// Close closes a shop, which is deleted when the grace is over, or finds that it is closed.
func (l Leaving) Close(ctx context.Context, u *change.Unit, of string, grace time.Duration) (*Job, error) {
	j, err := record.Retry(ctx, func() (*Job, error) {
		s, err := shop.Read(ctx, u.Table, of)
		if err != nil {
			return nil, err
		}
		if s.Closed() {
			return Read(ctx, u.Table, of)
		}
		if err := u.Match(s.Version); err != nil {
			return nil, err
		}
		left, held, err := l.leftOver(ctx, of)
		if err != nil {
			return nil, err
		}
		now := u.Now()
		j := &Job{Head: job.Head{Version: u.NextVersion(left), Due: now.Add(again)}, Deletion: Deletion{ID: of,
			State: Closing, DeletesAt: field.At(now.Add(grace)), Created: field.At(now)}}
		_, err = u.Write(ctx, j, events.Nothing, s.Schedule(u, j.DeletesAt),
			store.Put(j.Item(), held))
		return j, err
	})
	if err != nil {
		return nil, err
	}
	l.Addons.Callers.DropShop(of)
	unit := l.Unit
	l.Unit = func() *change.Unit { // what is told of the packages is of this request
		own := unit()
		own.ClientRequest, own.Trace = u.ClientRequest, u.Trace
		return own
	}
	if err := l.Work(ctx, j, atOnce); err != nil {
		l.Log.WarnContext(ctx, "the closing of a shop is left to the sweeper", "shop", of, "error", err)
	}
	return j, nil
}

// leftOver is the version of a deletion that a shop has which is open, and that it is still that one: a release that
// knew no closed shops has opened it.
func (l Leaving) leftOver(ctx context.Context, of string) (version string, held store.Condition, err error) {
	j, err := Read(ctx, l.Main, of)
	if problem.Is(err, "not_found") {
		return "", store.Absent(), nil
	}
	if err != nil {
		return "", held, err
	}
	return j.Version, store.VersionIs(j.Version), nil
}

// Uninstall deletes an access of the unit's shop. If it is active it is deactivated first, of which its add-on hears at
// the package's systemUrl. If the process dies on the way, the access is there still, deactivated.
func (l Leaving) Uninstall(ctx context.Context, u *change.Unit, access string) error {
	a, err := l.Addons.Deactivate(ctx, u, access)
	if err != nil {
		return err
	}
	hooks, err := webhook.ReadHooks(ctx, u.Table, a.Shop)
	if err != nil {
		return err
	}
	receivers := hooks.Receivers[a.ID]
	own := make([]store.Key, len(receivers))
	for i, r := range receivers {
		own[i] = webhook.ReceiverKey(a.Shop, a.ID, r.ID)
	}
	if err := record.PurgeKeys(ctx, u.Table, own); err != nil {
		return err
	}
	if err := purgeOf(ctx, u, a, receivers); err != nil {
		return err
	}
	last := *u
	last.Door = nil // the version that the caller expects was that before the deactivation
	return l.Addons.Uninstall(ctx, &last, a.ID)
}

// Restore opens a shop again that is closed. Its packages stay deactivated. It is shop_deleting once its deletion has
// begun; a shop that is open stays as it is.
func (l Leaving) Restore(ctx context.Context, u *change.Unit, of string) (*shop.Shop, error) {
	defer l.Addons.Callers.DropShop(of)
	return record.Retry(ctx, func() (*shop.Shop, error) {
		s, err := shop.Read(ctx, u.Table, of)
		if err != nil || !s.Closed() {
			return &s, err
		}
		j, err := Read(ctx, u.Table, of)
		if err != nil {
			return nil, err
		}
		if j.State == Deleting {
			return nil, problem.Conflict("shop_deleting", "The deletion of the shop has begun: it cannot be restored.")
		}
		_, err = u.Write(ctx, &s, events.Nothing, s.Schedule(u, 0),
			store.Delete(Key(of), store.VersionIs(j.Version)))
		return &s, err
	})
}
