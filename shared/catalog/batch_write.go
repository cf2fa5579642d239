package catalog

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/pending"
)

// write writes what changes: in one transaction when it fits, else in several, which a pending item keeps together
// (shared/record/pending); that item takes one operation of each. Items that fail are left out, unless the batch is all
// or none. When somebody else was faster, it looks at what is not written yet anew.
func (b *batch) write(ctx context.Context) error {
	last, stale := false, false
	try := func() (_ bool, err error) {
		if stale {
			b.names = b.catalog.Addresses.Names(b.unit)
			if err := b.lookAgain(ctx, b.unwritten(), atOnce); err != nil {
				return false, err
			}
		}
		next, err := b.next(ctx)
		if err != nil || len(next) == 0 && !b.begun {
			last = true
			return false, err
		}
		last = len(next) == len(b.unwritten())
		err = b.commit(ctx, next, last)
		stale = err != nil
		return false, err
	}
	for !last {
		if _, err := record.Retry(ctx, try); err != nil {
			return err
		}
	}
	return nil
}

// next are the edits of the next transaction, with their operations: of a batch that is all or none all of them.
// Operations that were too much to hold are planned again, by what is there now: they may be more, or none.
func (b *batch) next(ctx context.Context) ([]*edit, error) {
	for {
		if b.AllOrNone {
			if err := b.refusal(); err != nil {
				return nil, err
			}
		}
		left := b.unwritten()
		n := fitting(left, b.Room)
		if b.begun || n < len(left) {
			n = fitting(left, b.Room-1)
		}
		missing := slices.DeleteFunc(slices.Clone(left[:n]), func(e *edit) bool { return e.plan.ops != nil })
		if len(missing) == 0 {
			return left[:n], nil
		}
		if err := b.lookAgain(ctx, missing, math.MaxInt); err != nil {
			return nil, err
		}
	}
}

// lookAgain is look, by heads that it reads anew.
func (b *batch) lookAgain(ctx context.Context, edits []*edit, most int) error {
	heads, err := b.heads(ctx, edits)
	if err != nil {
		return err
	}
	return b.look(ctx, edits, heads, most)
}

// unwritten are the edits that still have something to write, by the first items that change them.
func (b *batch) unwritten() []*edit {
	left := slices.DeleteFunc(slices.Clone(b.edits), func(e *edit) bool { return e.written || e.plan.count == 0 })
	slices.SortStableFunc(left, func(x, y *edit) int { return x.plan.first - y.plan.first })
	return left
}

// refusal is why a batch that is all or none cannot be done; nil when it can. The items that could have been done count
// as unchanged.
func (b *batch) refusal() error {
	if failed := b.count(StatusFailed); failed > 0 {
		b.resetUnwritten()
		why := strconv.Itoa(failed) + " of the items cannot be done, so none was: see results."
		return problem.Refused("batch_rejected", why).With("results", b.results).With("changed", 0).
			With("cost", limit.Cost(0))
	}
	left := b.unwritten()
	n := fitting(left, b.Room)
	if n == len(left) {
		return nil
	}
	message := fmt.Sprintf("are more than fit into one transaction: the first %d would", left[n].plan.first)
	return problem.InvalidAt("items", problem.TooBig, message)
}

// maxTransaction is how many bytes one transaction of a batch may hold. DynamoDB takes 4 MB; sizeOf is only about
// right.
const maxTransaction = 3 << 20

// fitting is how many of the edits, from the first on, fit into a transaction of so many operations.
func fitting(edits []*edit, room int) int {
	bytes := 0
	for n, e := range edits {
		room, bytes = room-e.plan.count, bytes+e.plan.size
		if room < 0 || bytes > maxTransaction {
			return n
		}
	}
	return len(edits)
}

// sizeOf is about how many bytes the operation sends.
func sizeOf(op store.Op) int {
	n := len(op.Item.Doc) + 20*len(op.Item.Num)
	for _, text := range op.Item.Text {
		n += 20 + len(text)
	}
	for _, text := range op.Set.Text {
		n += 20 + len(text)
	}
	return n
}

// commit tries one transaction. The first of several writes down all that the batch may come to change, for the sweeper
// to tell if the process dies; the last carries what it did change, and the answer.
func (b *batch) commit(ctx context.Context, edits []*edit, last bool) (err error) {
	ops, records := gather(edits)
	done := append(slices.Clone(b.records), records...)
	switch {
	case last:
		if b.begun {
			ops = append(ops, pending.Finish(b.unit.Request))
		}
		_, err = b.unit.Write(ctx, b.report(), b.unit.ChangeOf(done), ops...)
	case b.begun:
		_, err = b.unit.Write(ctx, nil, events.Nothing, ops...)
	default:
		_, may := gather(b.unwritten())
		err = b.unit.Begin(ctx, b.Life, append(ops, pending.Begin(b.unit.ChangeOf(may), b.unit.Now(), b.Life))...)
	}
	if err != nil {
		return pending.Explain(err, b.unit.Request)
	}
	for _, e := range edits {
		e.written, e.plan.ops = true, nil
	}
	b.begun, b.records = true, done
	return nil
}

// gather is the operations and the records of all edits.
func gather(edits []*edit) (ops []store.Op, records []events.Record) {
	for _, e := range edits {
		ops, records = append(ops, e.plan.ops...), append(records, e.plan.records...)
	}
	return ops, records
}
