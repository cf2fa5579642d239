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

// writeAllOrNone writes what changes in one transaction, and nothing once an item fails. Its error is then the refusal,
// which names all items that cannot be done.
func (b *batch) writeAllOrNone(ctx context.Context) error {
	_, err := record.Retry(ctx, func() (*batch, error) {
		left := b.unwritten()
		if len(left) == 0 || b.count(StatusFailed) > 0 {
			return b, nil
		}
		if err := b.tooBig(left); err != nil {
			return b, err
		}
		return b, b.prepareRetry(ctx, b.commit(ctx, left, true))
	})
	if err == nil && b.count(StatusFailed) > 0 {
		return b.checkAllOrNone()
	}
	return err
}

// writeInSeveral writes what changes: in one transaction when it fits, else in several, which a pending item keeps
// together (shared/record/pending). That item takes one operation of each. Items that fail are left out.
func (b *batch) writeInSeveral(ctx context.Context) error {
	writeNext := func() (last bool, err error) {
		next, last, err := b.next(ctx)
		if err != nil || len(next) == 0 && !b.begun {
			return true, err
		}
		return last, b.prepareRetry(ctx, b.commit(ctx, next, last))
	}
	for {
		if last, err := record.Retry(ctx, writeNext); last || err != nil {
			return err
		}
	}
}

// next are the edits of the next transaction, with their operations, and whether it is the last one. Operations that
// were dropped are planned again, by what is there now: it may be more than it was, or nothing.
func (b *batch) next(ctx context.Context) (next []*productEdit, last bool, err error) {
	for {
		left := b.unwritten()
		n := fitting(left, b.Room)
		if b.begun || n < len(left) {
			n = fitting(left, b.Room-1)
		}
		dropped := slices.DeleteFunc(slices.Clone(left[:n]), func(e *productEdit) bool { return !e.dropped })
		if len(dropped) == 0 {
			return left[:n], n == len(left), nil
		}
		if err := b.prepare(ctx, dropped, math.MaxInt); err != nil {
			return nil, false, err
		}
	}
}

// unwritten are the edits that still have something to write, by the first items that change them.
func (b *batch) unwritten() []*productEdit {
	left := slices.DeleteFunc(slices.Clone(b.edits), func(e *productEdit) bool { return e.written || e.count == 0 })
	slices.SortStableFunc(left, func(x, y *productEdit) int { return x.first - y.first })
	return left
}

// maxTransaction is how many bytes one transaction of a batch may hold. DynamoDB takes 4 MB; sizeOf is only about
// right.
const maxTransaction = 3 << 20

// fitting is how many of the edits, from the first on, fit into a transaction of so many operations.
func fitting(edits []*productEdit, room int) int {
	bytes := 0
	for n, e := range edits {
		room, bytes = room-e.count, bytes+e.size
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

// tooBig refuses edits that are to be done all or none and do not fit into one transaction; nil when they do.
func (b *batch) tooBig(left []*productEdit) error {
	n := fitting(left, b.Room)
	if n == len(left) {
		return nil
	}
	message := fmt.Sprintf("are more than fit into one transaction: the first %d would", left[n].first)
	return problem.InvalidAt("items", problem.TooBig, message)
}

// commit tries one transaction. The first of several writes down all that the batch may come to change, for the sweeper
// to tell if the process dies; the last carries what it did change, and the answer.
func (b *batch) commit(ctx context.Context, edits []*productEdit, last bool) (err error) {
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
		return err
	}
	for _, e := range edits {
		e.written, e.ops = true, nil
	}
	b.begun, b.records = true, done
	return nil
}

// gather is the operations and the records of all edits.
func gather(edits []*productEdit) (ops []store.Op, records []events.Record) {
	for _, e := range edits {
		ops, records = append(ops, e.ops...), append(records, e.records...)
	}
	return ops, records
}

// prepareRetry makes ready for another try after a transaction that failed with err: when conditions did not hold it
// reads the products concerned and who has the names anew, and decides what is unwritten by that. It returns err
// itself, which record.Retry then retries, or the error for which no retry can help.
func (b *batch) prepareRetry(ctx context.Context, err error) error {
	if _, swept := store.Failed(err, pending.Key(b.unit.Request)); swept {
		return pending.Explain(err, b.unit.Request)
	}
	if !store.IsCondition(err) {
		return err
	}
	left := b.unwritten()
	failed := func(op store.Op) bool { _, is := store.Failed(err, op.Key); return is }
	stale := slices.DeleteFunc(slices.Clone(left), func(e *productEdit) bool {
		return !slices.ContainsFunc(e.ops, failed)
	})
	if err := b.load(ctx, stale); err != nil {
		return err
	}
	b.names = b.catalog.Addresses.Names(b.unit)
	if again := b.prepare(ctx, left, atOnce); again != nil {
		return again
	}
	return err
}

// checkAllOrNone finds out whether the batch could be written all or none. Its error is the refusal, in which the items
// that could have been done count as unchanged.
func (b *batch) checkAllOrNone() error {
	failed := b.count(StatusFailed)
	if failed == 0 {
		return b.tooBig(b.unwritten())
	}
	b.resetUnwritten()
	why := strconv.Itoa(failed) + " of the items cannot be done, so none was: see results."
	return problem.Refused("batch_rejected", why).With("results", b.results).With("changed", 0).
		With("cost", limit.Cost(0))
}
