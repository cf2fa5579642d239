package webhook

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
)

// A claim keeps all others away from a delivery while one process makes an attempt. It is written into the row, with a
// lease.
const (
	// Lease is how long a claim keeps other processes away: as long as the function that made it may live, however slow
	// the store is before the attempt and after it.
	Lease = 25 * time.Second
	// maxEarly is how early a bell for another attempt may ring because clocks differ; it is put off then. One that
	// rings earlier still was sent for an older attempt, and is dropped.
	maxEarly = 5 * time.Second
)

// ClaimOf is the claim that a delivery's row bears, "" none.
func ClaimOf(row *store.Item) string { return row.Text[claimText] }

// Claim writes a claim into the row of the bell's delivery, if an attempt is due and nobody holds the row: its lease
// has ended, or abandoned says so. When it returns no row there is nothing to do now: later is how long to wait before
// trying again; 0 means that this bell can be dropped.
func (p Pipeline) Claim(ctx context.Context, b Bell, claim string, now time.Time,
	abandoned func(row *store.Item) bool) (claimed *Row, later time.Duration, err error) {
	key, state := RowKey(b.Access, b.ID), Waiting
	if b.Parked {
		state = Parked
	}
	free := store.AtMost(leaseNum, now.UnixMilli())
	for retried := false; ; retried = true {
		item, err := p.Rows.Write(ctx, events.Nothing, store.Update(key,
			store.Set{Text: map[string]string{claimText: claim},
				Num: map[string]int64{leaseNum: now.Add(Lease).UnixMilli()}},
			store.TextIs(stateText, string(state)), store.AtMost(dueNum, now.UnixMilli()), free))
		f, refused := store.Failed(err, key)
		switch {
		case err == nil:
			return new(RowOf(&item)), 0, nil
		case !refused:
			return nil, 0, err
		case retried || f.Item == nil || !abandoned(f.Item):
			return nil, claimableIn(f.Item, now), nil
		}
		free = store.TextIs(claimText, ClaimOf(f.Item))
	}
}

// claimableIn is how long it takes until a delivery that could not be claimed may be; 0: never by this bell. A bell
// that is far too early was sent for an older attempt, and the sweeper knows when to ring. Before the first attempt
// there is no older one, so the bell waits however far clocks differ: on AWS it is the only one.
func claimableIn(i *store.Item, now time.Time) time.Duration {
	if i == nil || i.Text[stateText] != string(Waiting) {
		return 0
	}
	due := time.UnixMilli(i.Num[dueNum]).Sub(now)
	leased := time.UnixMilli(i.Num[leaseNum]).Sub(now)
	if due > maxEarly && i.Num[madeNum] > 0 && i.Index1.PK != "" {
		return 0
	}
	return max(due, leased, time.Millisecond)
}

// GiveBack ends the claim of a row without an attempt. A claim whose lease has ended may be another's by now: then
// there is nothing to give back.
func (p Pipeline) GiveBack(ctx context.Context, claimed Row) error {
	_, err := p.Rows.Write(ctx, events.Nothing, store.Update(RowKey(claimed.Access, claimed.ID),
		store.Set{Drop: []string{claimText, leaseNum}}, store.TextIs(claimText, claimed.Claim)))
	if store.IsCondition(err) {
		return nil
	}
	return err
}
