package webhook

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Who makes an attempt takes the delivery, which keeps all others away: a name and a lease are written into the row.
const (
	// Lease is how long a delivery is taken for: as long as the function that has taken it may live, however slow
	// the store is before the attempt and after it.
	Lease = 25 * time.Second
	// maxEarly is how early a bell for another attempt may ring because clocks differ; it is put off then. One that
	// rings earlier still was sent for an older attempt, and is dropped.
	maxEarly = 5 * time.Second
)

// TakerOf is who has taken the delivery of a row, "" nobody.
func TakerOf(row *store.Item) string { return row.Text[takerText] }

// Take writes its taker into the row of the bell's delivery, if an attempt is due and nobody else has it: its lease
// has ended, or abandoned says so. When it returns no row there is nothing to do now: later is how long to wait before
// trying again; 0 means that this bell can be dropped.
func (p Pipeline) Take(ctx context.Context, b Bell, taker string, now time.Time,
	abandoned func(row *store.Item) bool) (taken *Row, later time.Duration, err error) {
	key, state := RowKey(b.Access, b.ID), Waiting
	if b.Parked {
		state = Parked
	}
	free := store.AtMost(leaseNum, now.UnixMilli())
	for retried := false; ; retried = true {
		item, err := p.Rows.Write(ctx, events.Nothing, store.Update(key,
			store.Set{Text: map[string]string{takerText: taker},
				Num: map[string]int64{leaseNum: now.Add(Lease).UnixMilli()}},
			store.TextIs(stateText, string(state)), store.AtMost(dueNum, now.UnixMilli()), free))
		failure, refused := store.Failed(err, key)
		switch {
		case err == nil:
			return new(RowOf(&item)), 0, nil
		case !refused:
			return nil, 0, err
		case retried || failure.Item == nil || !abandoned(failure.Item):
			return nil, freeIn(failure.Item, now), nil
		}
		free = store.TextIs(takerText, TakerOf(failure.Item))
	}
}

// freeIn is how long it takes until a delivery that could not be taken may be; 0: never by this bell. A bell
// that is far too early was sent for an older attempt, and the sweeper knows when to ring. Before the first attempt
// there is no older one, so the bell waits however far clocks differ: on AWS it is the only one.
func freeIn(i *store.Item, now time.Time) time.Duration {
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

// GiveBack gives back a delivery that was taken, without an attempt. If its lease has ended it may be another's by now:
// then there is nothing to give back.
func (p Pipeline) GiveBack(ctx context.Context, taken Row) error {
	_, err := p.Rows.Write(ctx, events.Nothing, store.Update(RowKey(taken.Access, taken.ID),
		store.Set{Drop: []string{takerText, leaseNum}}, store.TextIs(takerText, taken.Taker)))
	if store.IsCondition(err) {
		return nil
	}
	return err
}
