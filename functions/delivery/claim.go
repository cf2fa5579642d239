package delivery

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/store"
)

// A claim keeps all others away from a delivery while an attempt is made: a lease, written into its row. In the one process
// a row is reserved for its first attempt by the write that makes it, which spares the write of the claim.
const (
	// lease is how long a claim keeps other processes away: as long as the function of whoever has it may live, however slow
	// the store is before the attempt and behind it. It ends before the bell comes again of one that died (Visibility).
	lease = timeout
	// reserve is how long before it a reservation serves: a longer wait in the queue costs the write after all.
	reserve = 10 * time.Second
)

// underWay are the deliveries that this process is at. Leases end by the clock, and a clock may jump, by a correction or
// because the machine slept, while an attempt is in flight and the sweeper or a doubled message rings for it: here it is not
// begun beside itself all the same. Between processes the lease is all there is: there, one more attempt under the same id
// and number is possible after such a jump, and after the death of a process, and nothing else makes one.
type underWay struct {
	mu sync.Mutex
	at map[store.Key]struct{}
}

// begin is false when this process is at the delivery already.
func (u *underWay) begin(key store.Key) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, there := u.at[key]; there {
		return false
	}
	if u.at == nil {
		u.at = map[store.Key]struct{}{}
	}
	u.at[key] = struct{}{}
	return true
}

func (u *underWay) end(key store.Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.at, key)
}

// reservedMark tells the claim of a reservation from one that an attempt was begun with.
const reservedMark = ".+"

// Reserve claims the delivery that is about to be made for its first attempt, for the bell that BellOf makes of it. It does
// nothing on AWS, where the attempt is another process's, and for what does not wait.
func Reserve(p *host.Platform, row *store.Item) {
	if !p.OneProcess || row.Text[stateText] != string(Waiting) {
		return
	}
	c := courierOf(p)
	row.Text[claimText] = c.name + reservedMark + strconv.FormatUint(c.claims.Add(1), 36)
	row.Num[leaseNum] = p.Now().Add(reserve + lease).UnixMilli()
}

// reservation is the row's, if it bears one.
func reservation(i *store.Item) string {
	if claim := i.Text[claimText]; strings.Contains(claim, reservedMark) {
		return claim
	}
	return ""
}

// reserved are the reservations in use, and those that a store that was away left without a result. An attempt is made by
// a reservation once, even if its row still bears it.
type reserved struct {
	mu   sync.Mutex
	used map[store.Key]int64 // by when it is over, unix milliseconds
}

// manyReserved is how many there may be before those are dropped that are over.
const manyReserved = 4096

// use is false when the delivery's reservation is or was used.
func (r *reserved) use(key store.Key, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, used := r.used[key]; used {
		return false
	}
	if len(r.used) >= manyReserved {
		maps.DeleteFunc(r.used, func(_ store.Key, over int64) bool { return over < now.UnixMilli() })
	}
	if r.used == nil {
		r.used = map[store.Key]int64{}
	}
	r.used[key] = now.Add(reserve + lease).UnixMilli()
	return true
}

// forget is for a delivery whose row bears its reservation no more.
func (r *reserved) forget(key store.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.used, key)
}

// claim takes the delivery for one attempt. Without a row there is nothing to do, now or at all: later is when there may be.
func (c *courier) claim(ctx context.Context, b Bell) (row *store.Item, claim string, later time.Duration, err error) {
	defer guard.Caught(ctx, &err, "webhook", b.ID)
	key := Key(b.Access, b.ID)
	if c.mine(b.Claim) && c.reserved.use(key, c.Now()) {
		if row, err = c.byReservation(ctx, key, b.Claim); row != nil || err != nil {
			return row, b.Claim, 0, err
		}
		c.reserved.forget(key)
	}
	return c.byLease(ctx, b, key)
}

// byReservation is the row if it bears the reservation, and long enough for an attempt.
func (c *courier) byReservation(ctx context.Context, key store.Key, claim string) (*store.Item, error) {
	items, err := c.Pipeline.Get(ctx, key)
	if err != nil {
		c.reserved.forget(key)
		return nil, err
	}
	row, now := items[0], c.Now()
	if row == nil || row.Text[claimText] != claim || row.Text[stateText] != string(Waiting) || row.Num[dueNum] > now.UnixMilli() ||
		row.Num[leaseNum] < now.Add(lease).UnixMilli() {
		return nil, nil
	}
	return row, nil
}

// byLease claims with a write.
func (c *courier) byLease(ctx context.Context, b Bell, key store.Key) (row *store.Item, claim string, later time.Duration, err error) {
	now, state := c.Now(), Waiting
	if b.Parked {
		state = Parked
	}
	claim = c.name + "." + strconv.FormatUint(c.claims.Add(1), 36)
	take := func(free store.Condition) (store.Item, error) {
		return c.Pipeline.Write(ctx, events.Nothing, store.Update(key,
			store.Set{Text: map[string]string{claimText: claim}, Num: map[string]int64{leaseNum: now.Add(lease).UnixMilli()}},
			store.TextIs(stateText, string(state)), store.AtMost(dueNum, now.UnixMilli()), free))
	}
	item, err := take(store.AtMost(leaseNum, now.UnixMilli()))
	if f, refused := store.Failed(err, key); refused {
		item, err = c.supersede(f.Item, err, take)
	}
	if err == nil {
		return &item, claim, 0, nil
	}
	if f, refused := store.Failed(err, key); refused {
		return nil, "", waits(f.Item, now), nil
	}
	return nil, "", 0, err
}

// supersede takes the delivery from a claim that nobody has: one left by a process that is gone, for there is one at a time
// and it is not this one, or a reservation of this one that is not used.
func (c *courier) supersede(i *store.Item, refused error, take func(store.Condition) (store.Item, error)) (store.Item, error) {
	if !c.OneProcess || i == nil || i.Text[claimText] == "" {
		return store.Item{}, refused
	}
	claim := i.Text[claimText]
	if c.mine(claim) && c.reserved.use(i.Key, c.Now()) {
		defer c.reserved.forget(i.Key)
		return take(store.TextIs(claimText, claim))
	}
	if name, _, _ := strings.Cut(claim, "."); name != c.name {
		return take(store.TextIs(claimText, claim))
	}
	return store.Item{}, refused
}

// mine says whether the claim is a reservation of this process.
func (c *courier) mine(claim string) bool { return strings.HasPrefix(claim, c.name+reservedMark) }

// waits is when a delivery that could not be claimed should be looked at again, 0 when by this bell never.
func waits(i *store.Item, now time.Time) time.Duration {
	if i == nil || i.Text[stateText] != string(Waiting) {
		return 0
	}
	due := time.UnixMilli(i.Num[dueNum]).Sub(now)
	leased := time.UnixMilli(i.Num[leaseNum]).Sub(now)
	if due > early {
		return 0
	}
	return max(due, leased, time.Millisecond)
}
