package webhook

import (
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/store"
)

// A claim keeps all others away from a delivery while an attempt is made: a lease, written into its row. In the one
// process a row is reserved for its first attempt by the write that makes it, which spares the write of the claim.
const (
	// Lease is how long a claim keeps other processes away from a delivery: as long as the function of whoever has it
	// may live, however slow the store is before the attempt and behind it.
	Lease = 25 * time.Second
	// ReservedFor is how long after its row was written a reservation may begin the attempt: after a longer wait in the
	// queue the claim costs its write after all.
	ReservedFor = 10 * time.Second
	// ReservedMark is in the claims of reservations, and in no other.
	ReservedMark = ".+"
	// maxEarly is how early a bell may come, since clocks differ, and be put off until its time. One that comes earlier
	// is an older attempt's, and nothing is done.
	maxEarly = 5 * time.Second
)

// ClaimOf is the claim that the delivery's row bears, "" none.
func ClaimOf(row *store.Item) string { return row.Text[claimText] }

// Reserve writes a reservation into the row of a delivery that is about to be made, unless it does not wait, and its
// entry in Index1: the queues of the one process forget.
func Reserve(row *store.Item, claim string, now time.Time) {
	if row.Text[stateText] != string(Waiting) {
		return
	}
	row.Text[claimText] = claim
	row.Num[leaseNum] = now.Add(ReservedFor + Lease).UnixMilli()
	row.Index1 = DueEntry(row.SK, now.Add(Grace))
}

// reservation is the row's, if it bears one.
func reservation(i *store.Item) string {
	if claim := ClaimOf(i); strings.Contains(claim, ReservedMark) {
		return claim
	}
	return ""
}

// Reserved is the row of the bell's delivery if it bears the bell's claim, and long enough for an attempt; else nil.
func (p Pipeline) Reserved(ctx context.Context, b Bell, now time.Time) (*store.Item, error) {
	items, err := p.Rows.Get(ctx, RowKey(b.Access, b.ID))
	if err != nil {
		return nil, err
	}
	row := items[0]
	if row == nil || ClaimOf(row) != b.Claim || row.Text[stateText] != string(Waiting) ||
		row.Num[dueNum] > now.UnixMilli() || row.Num[leaseNum] < now.Add(Lease).UnixMilli() {
		return nil, nil
	}
	return row, nil
}

// Claim writes the claim into the row of the bell's delivery, if an attempt is due and nobody holds it: its lease has
// ended, or abandoned says so. Without a row there is nothing to do now: later is when there may be, 0 never by this
// bell.
func (p Pipeline) Claim(ctx context.Context, b Bell, claim string, now time.Time,
	abandoned func(row *store.Item) bool) (row *store.Item, later time.Duration, err error) {
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
			return &item, 0, nil
		case !refused:
			return nil, 0, err
		case retried || f.Item == nil || !abandoned(f.Item):
			return nil, claimableIn(f.Item, now), nil
		}
		free = store.TextIs(claimText, ClaimOf(f.Item))
	}
}

// claimableIn is how long until a delivery that could not be claimed may be, 0 when by this bell never. One without an
// entry has this bell alone, however far clocks differ.
func claimableIn(i *store.Item, now time.Time) time.Duration {
	if i == nil || i.Text[stateText] != string(Waiting) {
		return 0
	}
	due := time.UnixMilli(i.Num[dueNum]).Sub(now)
	leased := time.UnixMilli(i.Num[leaseNum]).Sub(now)
	if due > maxEarly && i.Index1.PK != "" {
		return 0
	}
	return max(due, leased, time.Millisecond)
}

// GiveBack ends a claim without an attempt.
func (p Pipeline) GiveBack(ctx context.Context, b Bell, claim string) error {
	_, err := p.Rows.Write(ctx, events.Nothing, store.Update(RowKey(b.Access, b.ID),
		store.Set{Drop: []string{claimText, leaseNum}}, store.TextIs(claimText, claim)))
	if store.IsCondition(err) {
		return nil // its lease has ended, and somebody else goes on
	}
	return err
}
