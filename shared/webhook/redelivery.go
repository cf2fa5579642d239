package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// A delivery that has ended can go out again, under its id, because somebody asks for it (AskRedelivery) or a replay
// does. Its row waits meanwhile, so all that keeps a first delivery safe keeps this one; Row.Ended is what it stays
// when the attempt fails or is not made.

// Shown is the delivery's state as its owner sees it: a delivered one stays that while it goes out again.
func (r Row) Shown() DeliveryState {
	if r.State == Waiting && r.Ended == Delivered {
		return Delivered
	}
	return r.State
}

// Redeliverable says whether further attempts can be asked for: not of pings and tests.
func (r Row) Redeliverable() bool { return repeatable(r.Event, r.Test) }

// Redeliverable is Row's.
func (l Listed) Redeliverable() bool { return repeatable(l.Event, l.Test) }

func repeatable(e events.Name, test bool) bool { return e != events.Ping && !test }

// Redeliver asks for one further attempt of an access's delivery, once however often it is asked for under the same key
// (by, "" none). admitted is asked last, before anything is written: its error refuses the request.
func Redeliver(ctx context.Context, u *change.Unit, p Pipeline, owner, id, by string,
	admitted func(context.Context) error) (*Delivery, error) {
	items, err := p.Rows.Get(ctx, RowKey(owner, id))
	if err != nil {
		return nil, err
	}
	if _, there := ShowDelivery(items[0], u.Now()); !there {
		return nil, problem.NotFound()
	}
	row := RowOf(items[0])
	receiver, err := receiverOf(ctx, u.Table, row)
	if err != nil {
		return nil, err
	}
	if err := checkRedeliverable(row, receiver); err != nil {
		return nil, err
	}
	if err := admitted(ctx); err != nil {
		return nil, err
	}
	after, err := AskRedelivery(ctx, u, p, items[0], by)
	if err != nil {
		return nil, err
	}
	if after == nil {
		return nil, cancelled()
	}
	return whole(ctx, p.Rows, after, u.Now())
}

// receiverOf is the delivery's receiver, nil when it was deleted.
func receiverOf(ctx context.Context, t store.Table, r Row) (*Receiver, error) {
	return Owner{Shop: r.Shop, Access: r.Access}.Receiver(ctx, t, r.Receiver)
}

// checkRedeliverable is why the delivery cannot go out again, nil when it can. r is its receiver, nil when that was
// deleted.
func checkRedeliverable(d Row, r *Receiver) error {
	switch {
	case !d.Redeliverable():
		return problem.Conflict("not_redeliverable", "A ping or a test is sent once: send another one.")
	case d.State == Cancelled:
		return cancelled()
	case r == nil:
		return problem.Conflict("receiver_inactive", "The receiver was deleted.")
	}
	return r.CheckSendable()
}

func cancelled() error {
	return problem.Conflict("delivery_cancelled", "The delivery was cancelled: its reason says why.")
}

// AskRedelivery asks for one attempt at the delivery now, also past an open breaker, and rings for it. Each asking is
// an attempt, save one more under the same key (by, "" none) within a day: requests that come twice or are tried again
// mean one. It returns the delivery as it is then, and nil when it is cancelled or gone by now.
func AskRedelivery(ctx context.Context, u *change.Unit, p Pipeline, i *store.Item, by string) (*store.Item, error) {
	return record.Retry(ctx, func() (*store.Item, error) {
		if i == nil || i.Text[stateText] == string(Cancelled) {
			return nil, nil
		}
		asked, set := askersOf(i, u.Now()), requeueSet(RowOf(i), u.Now())
		if by != "" && asked.have(by) {
			return i, nil
		}
		set.Add = map[string]int64{askedNum: 1}
		if by != "" {
			set.Text[askedByText] = asked.with(by, u.Now())
		}
		after, err := p.requeue(ctx, i, set, store.TextIs(askedByText, i.Text[askedByText]))
		if f, refused := store.Failed(err, i.Key); refused {
			i = f.Item // it is asked for as the row is now
		}
		if err != nil {
			return nil, err
		}
		if err := p.RingAll(ctx, []*store.Item{after}, u.Now()); err != nil {
			p.Log.Warn("the sweeper will ring for a redelivery", "webhook", i.SK, "error", err)
		}
		return after, nil
	})
}

// keyLife is how long a client's key means the same request (contract, section 2).
const keyLife = 24 * time.Hour

// askers are the keys under which a delivery's redeliveries were asked for within keyLife, the latest last: each as the
// moment, in unix milliseconds, and the beginning of the key's SHA-256.
type askers []string

// mostAskers is how many a row remembers: nobody asks for more in the time in which a request may come twice.
const mostAskers = 16

func askersOf(i *store.Item, now time.Time) (all askers) {
	for _, a := range strings.Fields(i.Text[askedByText]) {
		at, _, _ := strings.Cut(a, ":")
		if ms, err := strconv.ParseInt(at, 10, 64); err == nil && ms > now.Add(-keyLife).UnixMilli() {
			all = append(all, a)
		}
	}
	return all
}

func (a askers) have(key string) bool {
	return slices.ContainsFunc(a, func(one string) bool { return strings.HasSuffix(one, keyMark(key)) })
}

// with are the askers with one more, as the row has them.
func (a askers) with(key string, now time.Time) string {
	all := append(slices.Clone(a), strconv.FormatInt(now.UnixMilli(), 10)+keyMark(key))
	return strings.Join(all[max(0, len(all)-mostAskers):], " ")
}

func keyMark(key string) string {
	h := sha256.Sum256([]byte(key))
	return ":" + hex.EncodeToString(h[:12])
}

// requeue lets the delivery go out once more, as set says, if it is still in the state in which it was read.
func (p Pipeline) requeue(ctx context.Context, i *store.Item, set store.Set,
	conds ...store.Condition) (*store.Item, error) {
	r := RowOf(i)
	after, err := p.Rows.Write(ctx, events.Nothing, store.Update(i.Key, set,
		append(conds, store.TextIs(stateText, string(r.State)), store.TextIs(endedText, string(r.Ended)))...))
	return &after, err
}

// requeue is the row with an attempt that is due now.
func (r Row) requeue(now time.Time) (Row, time.Duration) {
	if r.State == Delivered || r.State == Exhausted {
		r.Ended = r.State
	}
	return r.waitUntil(now, now)
}

// requeueSet is what makes the stored row that of requeue.
func requeueSet(r Row, now time.Time) store.Set {
	set := r.setTo(r.requeue(now))
	set.Drop = append(set.Drop, rungNum)
	return set
}
