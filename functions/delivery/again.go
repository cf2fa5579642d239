package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/host"
	"eshop/shared/store"
)

// A delivery that has ended can go out again, under its id, because somebody asks for it (Redeliver) or a replay does. Its
// row waits meanwhile, so all that keeps a first delivery safe keeps this one; Was is what it stays when the attempt fails
// or is not made.

// Shown is the delivery's state as its owner sees it: a delivered one stays that while it goes out again.
func (r Row) Shown() State {
	if r.State == Waiting && r.Was == Delivered {
		return Delivered
	}
	return r.State
}

// once says whether the delivery has one attempt and no more: a ping or a test.
func (r Row) once() bool { return r.Event == events.Ping || r.Test }

// Redeliverable says whether further attempts can be asked for: not of pings and tests.
func (r Row) Redeliverable() bool { return !r.once() }

// Redeliver asks for one attempt at the delivery now, also past an open breaker, and rings for it. Each asking is an
// attempt, save one more under the same key (by, "" none) within a day: requests that come twice or are tried again mean one. It returns the delivery as it is then, and nil when it is cancelled or gone by now.
func Redeliver(ctx context.Context, p *host.Platform, i *store.Item, by string) (*store.Item, error) {
	for range rounds {
		if i == nil || i.Text[stateText] == string(Cancelled) {
			return nil, nil
		}
		known := askersOf(i, p.Now())
		if by != "" && known.have(by) {
			return i, nil
		}
		after, err := again(ctx, p, i, func(set *store.Set) {
			set.Add = map[string]int64{askedNum: 1}
			if by != "" {
				set.Text[askedByText] = known.with(by, p.Now())
			}
		}, store.TextIs(askedByText, i.Text[askedByText]))
		if err != nil {
			return nil, err
		}
		if after != nil {
			if err := ringAll(ctx, p, []*store.Item{after}, p.Now()); err != nil {
				p.Log.Warn("the sweeper will ring for a redelivery", "webhook", i.SK, "error", err)
			}
			return after, nil
		}
		items, err := p.Pipeline.Get(ctx, i.Key)
		if err != nil {
			return nil, err
		}
		i = items[0]
	}
	return nil, store.ErrUnavailable
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

// rounds bounds how often a write begins anew because the row changed since it was read.
const rounds = 5

// again lets the delivery go out once more, now. also is what else is set. nil: it is cancelled or gone by now.
func again(ctx context.Context, p *host.Platform, i *store.Item, also func(*store.Set), conds ...store.Condition) (*store.Item, error) {
	for range rounds {
		r, now := Of(i), p.Now()
		if r.State == Cancelled {
			return nil, nil
		}
		set := anew(r, now)
		also(&set)
		after, err := p.Pipeline.Write(ctx, events.Nothing, store.Update(i.Key, set,
			append(conds, store.TextIs(stateText, string(r.State)), store.TextIs(wasText, string(r.Was)))...))
		f, refused := store.Failed(err, i.Key)
		switch {
		case err == nil:
			return &after, nil
		case !refused:
			return nil, err
		case f.Item == nil:
			return nil, nil
		case len(conds) > 0 && !hold(conds, f.Item):
			return nil, nil
		}
		i = f.Item
	}
	return nil, store.ErrUnavailable
}

func hold(conds []store.Condition, i *store.Item) bool {
	for _, c := range conds {
		if !c.Holds(i) {
			return false
		}
	}
	return true
}

// anew is the row with an attempt that is due now.
func anew(r Row, now time.Time) store.Set {
	set, _ := waiting(r, now, now)
	set.Text[stateText] = string(Waiting)
	set.Index2 = &store.Key{}
	set.Drop = []string{rungNum}
	if r.State == Delivered || r.State == Exhausted {
		set.Text[wasText] = string(r.State)
	}
	return set
}

// settled is the set that concludes a delivery, as it is for one that was asked for once more: it stays at least what it
// was, and goes out again as often as it was asked for. What could not be sent is not asked for any more.
func (c *courier) settled(r Row, did outcome, set store.Set, wait time.Duration) (store.Set, time.Duration) {
	if r.Asked == 0 && r.Was == "" {
		return set, wait
	}
	set.Drop = append(set.Drop, attemptText(r.Made+1-mostLogged))
	end := State(set.Text[stateText])
	if r.Was != "" && end != Delivered {
		end, wait = r.Was, 0
		set = onto(set, as(r, end))
		delete(set.Text, reasonText)
	}
	set.Drop = append(set.Drop, wasText, askedNum)
	if left := did.left(r); left > 0 {
		r.State = end
		set = onto(set, anew(r, c.Now()))
		set.Num[askedNum], wait = int64(left), time.Millisecond
	}
	return set, wait
}

// left is how many attempts are still asked for: others may have asked while this one was made. One that was asked for and
// could not be made is none of them.
func (o outcome) left(r Row) int {
	if o.used > 0 && !o.sent() {
		return 0
	}
	return r.Asked - o.used
}

// as is the row as it was before it went out again.
func as(r Row, s State) store.Set {
	set := ended(r, s)
	if s == Delivered {
		set.Index2 = &store.Key{}
	}
	return set
}

// onto is the set with another one's words in the place of its own.
func onto(set, with store.Set) store.Set {
	for name, v := range with.Text {
		set.Text[name] = v
	}
	if set.Num == nil {
		set.Num = map[string]int64{}
	}
	for name, n := range with.Num {
		set.Num[name] = n
	}
	set.Drop = append(set.Drop, with.Drop...)
	set.Index1, set.Index2 = with.Index1, with.Index2
	return set
}

// stops is why the delivery's attempt may not be made, "" when it may: a test asks for nothing but an active receiver of an
// active access.
func (s standing) stops(r Row) string {
	why := s.forbids(r.Event)
	switch {
	case r.Test && s.access != nil && s.access.State != addon.Active:
		return PackageInactive
	case r.Test && (why == Unsubscribed || why == PermissionGone):
		return ""
	}
	return why
}

// keeps says whether the delivery waits for its receiver. One that was asked for, and a test, go past an open breaker, to a
// verified address all the same.
func (s standing) keeps(r Row) bool {
	if r.Test || r.Asked > 0 {
		return !s.receiver.Active || !s.receiver.Verified
	}
	return s.holds(r)
}
