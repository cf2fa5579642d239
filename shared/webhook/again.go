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
	"eshop/shared/record"
	"eshop/shared/store"
)

// A delivery that has ended can go out again, under its id, because somebody asks for it (AskAgain) or a replay does.
// Its row waits meanwhile, so all that keeps a first delivery safe keeps this one; Was is what it stays when the
// attempt fails or is not made.

// Shown is the delivery's state as its owner sees it: a delivered one stays that while it goes out again.
func (r Row) Shown() DeliveryState {
	if r.State == Waiting && r.Was == Delivered {
		return Delivered
	}
	return r.State
}

// Redeliverable says whether further attempts can be asked for: not of pings and tests.
func (r Row) Redeliverable() bool { return repeatable(r.Event, r.Test) }

// Redeliverable is Row's.
func (l Listed) Redeliverable() bool { return repeatable(l.Event, l.Test) }

func repeatable(e events.Name, test bool) bool { return e != events.Ping && !test }

// AskAgain asks for one attempt at the delivery now, also past an open breaker, and rings for it. Each asking is an
// attempt, save one more under the same key (by, "" none) within a day: requests that come twice or are tried again
// mean one. It returns the delivery as it is then, and nil when it is cancelled or gone by now.
func AskAgain(ctx context.Context, u *change.Unit, p Pipeline, i *store.Item, by string) (*store.Item, error) {
	return record.Retry(ctx, func() (*store.Item, error) {
		if i == nil || i.Text[stateText] == string(Cancelled) {
			return nil, nil
		}
		known, set := askersOf(i, u.Now()), requeued(RowOf(i), u.Now())
		if by != "" && known.have(by) {
			return i, nil
		}
		set.Add = map[string]int64{askedNum: 1}
		if by != "" {
			set.Text[askedByText] = known.with(by, u.Now())
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

func askersOf(i *store.Item, now time.Time) (known askers) {
	for _, a := range strings.Fields(i.Text[askedByText]) {
		at, _, _ := strings.Cut(a, ":")
		if ms, err := strconv.ParseInt(at, 10, 64); err == nil && ms > now.Add(-keyLife).UnixMilli() {
			known = append(known, a)
		}
	}
	return known
}

func (known askers) have(key string) bool {
	return slices.ContainsFunc(known, func(a string) bool { return strings.HasSuffix(a, keyMark(key)) })
}

// with are the askers with one more, as the row has them.
func (known askers) with(key string, now time.Time) string {
	all := append(slices.Clone(known), strconv.FormatInt(now.UnixMilli(), 10)+keyMark(key))
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
		append(conds, store.TextIs(stateText, string(r.State)), store.TextIs(wasText, string(r.Was)))...))
	return &after, err
}

// requeued is the row with an attempt that is due now.
func requeued(r Row, now time.Time) store.Set {
	set, _ := waitingUntil(r, now, now)
	set.Text[stateText] = string(Waiting)
	set.Index2 = &store.Key{}
	set.Drop = []string{rungNum}
	if r.State == Delivered || r.State == Exhausted {
		set.Text[wasText] = string(r.State)
	}
	return set
}
