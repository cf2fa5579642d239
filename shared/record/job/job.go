package job

import (
	"context"
	"errors"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// State is how far a job has come, of kinds that have no states of their own.
type State string

// The states.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Head is what all jobs have. The type of a kind's jobs embeds it.
type Head struct {
	Version string    // of the last move
	Due     time.Time // to the millisecond; while somebody works on the job the end of their lease; zero: it is over
	Held    bool      // somebody works on it
	Tries   int64     // how often it was taken; whoever counts otherwise sets it
}

// Wait says that nobody works on the job, and that something is due about it then. A Move writes it.
func (h *Head) Wait(due time.Time) { h.Held, h.Due = false, due }

// End says that the job is over. A Move writes it.
func (h *Head) End() { h.Wait(time.Time{}) }

// Over says whether nothing is left to do.
func (h *Head) Over() bool { return h.Due.IsZero() }

// headed is what embeds a Head.
type headed interface{ head() *Head }

func (h *Head) head() *Head { return h }

// Job is a job of any kind.
type Job interface {
	headed
	Item() store.Item // the job as it is stored: Kind.Item makes it
}

// ErrLost is a job that somebody else has moved since it was read.
var ErrLost = errors.New("job: it is in other hands")

// The numbers of a job's item.
const (
	heldNum  = "held"
	triesNum = "tries"
)

// Item is i with what is kept of all jobs. of is the job's id.
func (k Kind) Item(h Head, of string, i store.Item) store.Item {
	i.Version, *k.entryOf(&i) = h.Version, k.Entry(of, h.Due)
	if i.Num == nil {
		i.Num = map[string]int64{}
	}
	if h.Tries != 0 {
		i.Num[triesNum] = h.Tries
	}
	if h.Held {
		i.Num[heldNum] = 1
	}
	return i
}

// Head is what Item has kept.
func (k Kind) Head(i *store.Item) Head {
	return Head{Version: i.Version, Due: k.DueAt(i), Held: i.Num[heldNum] != 0, Tries: i.Num[triesNum]}
}

// Read reads the job of a key by its kind's function; the problem not_found when there is none.
func Read[J any](ctx context.Context, t store.Table, at store.Key, of func(*store.Item) (J, error)) (j J, err error) {
	items, err := t.Get(ctx, at)
	if err != nil {
		return j, err
	}
	if items[0] == nil {
		return j, problem.NotFound()
	}
	return of(items[0])
}

// renewal is how much of a lease is over before a move prolongs it: the index is written no more often.
const renewal = 10 * time.Second

// Move writes the job as it is now, and in the same transaction what is told and other operations. If somebody else has
// moved it since it was read it is ErrLost, and nothing is written; so it is after a write of one's own whose outcome
// was never learnt. It prolongs the lease of a job that is held. An error leaves the job's Head as it was.
func (k Kind) Move(ctx context.Context, u *change.Unit, j Job, told events.Change, ops ...store.Op) error {
	head := j.head()
	was := *head
	head.Version = u.NextVersion(head.Version)
	if until := u.Now().Add(k.Lease); head.Held && until.Sub(head.Due) >= renewal {
		head.Due = until
	}
	now := j.Item()
	_, err := u.Table.Write(ctx, told, append([]store.Op{store.Put(now, store.VersionIs(was.Version))}, ops...)...)
	if err != nil {
		*head = was
	}
	if _, lost := store.Failed(err, now.Key); lost {
		return ErrLost
	}
	return err
}

// Work takes the job, unless somebody else has it, and has it done: do moves it on and ends it. If alone, there is no
// other process: whoever had it is gone, and it is taken though their lease runs. If do returns before it has ended the
// job, Work gives it up, so that it can be taken at once. A try that a store ended which could not serve says nothing
// of the job, so it does not count.
func (k Kind) Work(ctx context.Context, u *change.Unit, j Job, alone bool, do func(context.Context) error) error {
	head := j.head()
	if head.Over() || head.Held && u.Now().Before(head.Due) && !alone {
		return nil
	}
	head.Held, head.Due, head.Tries = true, u.Now().Add(k.Lease), head.Tries+1
	err := k.Move(ctx, u, j, events.Nothing)
	if err == nil {
		if err = do(ctx); head.Held && !errors.Is(err, ErrLost) {
			if unavailable(err) {
				head.Tries--
			}
			return errors.Join(err, k.GiveUp(ctx, u, j))
		}
	}
	if errors.Is(err, ErrLost) {
		return nil // whoever has it now goes on
	}
	return err
}

// unavailable says whether it was a store that could not serve.
func unavailable(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, blob.ErrUnavailable) || problem.Is(err, "unavailable")
}

// giveUpWithin is how long the write that gives a job up may take when the time is over already, giveUpTries how
// often it is tried.
const (
	giveUpWithin = 3 * time.Second
	giveUpTries  = 5
)

// GiveUp gives a job back that was taken. It tries again where the store cannot serve, because one that is not
// written leaves a try counted: through a bad quarter of an hour of the store a good job would fail.
func (k Kind) GiveUp(ctx context.Context, u *change.Unit, j Job) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpWithin)
	defer cancel()
	j.head().Wait(u.Now())
	for round := range record.Rounds(ctx) {
		if err = k.Move(ctx, u, j, events.Nothing); !unavailable(err) || round+1 == giveUpTries {
			break
		}
	}
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

// Object is the key of an object that belongs to a job of the shop. When the object comes, the host may wake whoever
// works on the job.
func Object(prefix, shop, id, name string) string { return prefix + shop + "/" + id + "/" + name }

// ParseObject is the shop and the job that an object belongs to, by its key; false of the key of none.
func ParseObject(prefix, key string) (shop, id string, ok bool) {
	s := strings.Split(strings.TrimPrefix(key, prefix), "/")
	if len(s) != 3 || !strings.HasPrefix(key, prefix) {
		return "", "", false
	}
	return s[0], s[1], true
}
