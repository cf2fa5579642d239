package delivery

import (
	"context"
	"maps"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// A claim keeps all others away from a delivery while an attempt is made: a lease, written into its row. In the one process
// a row is reserved for its first attempt by the write that makes it, which spares the write of the claim.
const (
	lease   = webhook.Lease // it ends before the bell comes again of one that died (visibility)
	reserve = webhook.ReservedFor
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
func (c *courier) claim(ctx context.Context, b webhook.Bell) (row *store.Item, claim string, later time.Duration, err error) {
	defer guard.Caught(ctx, &err, "webhook", b.ID)
	key := webhook.RowKey(b.Access, b.ID)
	if c.process.Reserved(b.Claim) && c.reserved.use(key, c.Now()) {
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
	if row == nil || row.Text[webhook.ClaimText] != claim || row.Text[webhook.StateText] != string(webhook.Waiting) || row.Num[webhook.DueNum] > now.UnixMilli() ||
		row.Num[webhook.LeaseNum] < now.Add(lease).UnixMilli() {
		return nil, nil
	}
	return row, nil
}

// byLease claims with a write.
func (c *courier) byLease(ctx context.Context, b webhook.Bell, key store.Key) (row *store.Item, claim string, later time.Duration, err error) {
	now, state := c.Now(), webhook.Waiting
	if b.Parked {
		state = webhook.Parked
	}
	claim = c.process.Claim()
	take := func(free store.Condition) (store.Item, error) {
		return c.Pipeline.Write(ctx, events.Nothing, store.Update(key,
			store.Set{Text: map[string]string{webhook.ClaimText: claim}, Num: map[string]int64{webhook.LeaseNum: now.Add(lease).UnixMilli()}},
			store.TextIs(webhook.StateText, string(state)), store.AtMost(webhook.DueNum, now.UnixMilli()), free))
	}
	item, err := take(store.AtMost(webhook.LeaseNum, now.UnixMilli()))
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
	if !c.Alone || i == nil || i.Text[webhook.ClaimText] == "" {
		return store.Item{}, refused
	}
	claim := i.Text[webhook.ClaimText]
	if c.process.Reserved(claim) && c.reserved.use(i.Key, c.Now()) {
		defer c.reserved.forget(i.Key)
		return take(store.TextIs(webhook.ClaimText, claim))
	}
	if !c.process.Made(claim) {
		return take(store.TextIs(webhook.ClaimText, claim))
	}
	return store.Item{}, refused
}

// waits is when a delivery that could not be claimed should be looked at again, 0 when by this bell never.
func waits(i *store.Item, now time.Time) time.Duration {
	if i == nil || i.Text[webhook.StateText] != string(webhook.Waiting) {
		return 0
	}
	due := time.UnixMilli(i.Num[webhook.DueNum]).Sub(now)
	leased := time.UnixMilli(i.Num[webhook.LeaseNum]).Sub(now)
	if due > early {
		return 0
	}
	return max(due, leased, time.Millisecond)
}
