package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"eshop/events"
	"eshop/shared/limit"
	"eshop/shared/pending"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// writeWhole writes what changes in one transaction, and nothing once an item fails: then it is the refusal that says
// what else could not have gone through.
func (b *batch) writeWhole(ctx context.Context) error {
	_, err := record.Retry(ctx, func() (*batch, error) {
		left := b.left()
		if len(left) == 0 || b.count(StatusFailed) > 0 {
			return b, nil
		}
		if err := b.tooBig(left); err != nil {
			return b, err
		}
		return b, b.learn(ctx, b.commit(ctx, left, true))
	})
	if err == nil && b.count(StatusFailed) > 0 {
		return b.rehearseWhole(ctx)
	}
	return err
}

// writeInParts writes what changes in one transaction when it fits, else in several that a pending item keeps together,
// for which each of them has one operation less. Items that fail are left out.
func (b *batch) writeInParts(ctx context.Context) error {
	part := func() (last bool, err error) {
		left := b.left()
		if len(left) == 0 && !b.begun {
			return true, nil
		}
		n := fitting(left, b.Room)
		if b.begun || n < len(left) {
			n = fitting(left, b.Room-1)
		}
		last = n == len(left)
		return last, b.learn(ctx, b.commit(ctx, left[:n], last))
	}
	for {
		if last, err := record.Retry(ctx, part); last || err != nil {
			return err
		}
	}
}

// left are the works that have something to write, in the order of the items that change them.
func (b *batch) left() []*work {
	left := slices.DeleteFunc(slices.Clone(b.works), func(w *work) bool { return w.written || len(w.ops) == 0 })
	slices.SortStableFunc(left, func(x, y *work) int { return x.first - y.first })
	return left
}

// maxTransaction is how many bytes one transaction of a batch may hold (DynamoDB: 4 MB).
const maxTransaction = 3 << 20

// fitting is how many of works, from the first on, fit into a transaction of so many operations.
func fitting(works []*work, room int) int {
	bytes := 0
	for n, w := range works {
		room -= len(w.ops)
		for _, op := range w.ops {
			bytes += weigh(op)
		}
		if room < 0 || bytes > maxTransaction {
			return n
		}
	}
	return len(works)
}

// weigh is about how many bytes the operation sends.
func weigh(op store.Op) int {
	n := len(op.Item.Doc) + 20*len(op.Item.Num)
	for _, text := range op.Item.Text {
		n += 20 + len(text)
	}
	for _, text := range op.Set.Text {
		n += 20 + len(text)
	}
	return n
}

// tooBig refuses what is to be done whole and does not fit into one transaction; nil when it does.
func (b *batch) tooBig(left []*work) error {
	n := fitting(left, b.Room)
	if n == len(left) {
		return nil
	}
	message := fmt.Sprintf("are more than fit into one transaction: the first %d would", left[n].first)
	return problem.InvalidAt("items", problem.TooBig, message)
}

// commit makes one try of a transaction. The first of several puts down what the batch may come to change, the last
// carries what it did change and the answer.
func (b *batch) commit(ctx context.Context, works []*work, last bool) (err error) {
	ops, records := gather(works)
	told := append(slices.Clone(b.told), records...)
	switch {
	case last:
		if b.begun {
			ops = append(ops, pending.Finish(b.unit.Request))
		}
		_, err = b.unit.Write(ctx, b.report(), b.unit.ChangeOf(told), ops...)
	case b.begun:
		_, err = b.unit.Write(ctx, nil, events.Nothing, ops...)
	default:
		_, may := gather(b.left())
		err = b.unit.Begin(ctx, b.Life, append(ops, pending.Begin(b.unit.ChangeOf(may), b.unit.Now(), b.Life))...)
	}
	if err != nil {
		return err
	}
	for _, w := range works {
		w.written = true
	}
	b.begun, b.told = true, told
	return nil
}

func gather(works []*work) (ops []store.Op, records []events.Record) {
	for _, w := range works {
		ops, records = append(ops, w.ops...), append(records, w.records...)
	}
	return ops, records
}

// learn looks why a transaction came to err: when conditions did not hold, it reads the products anew that it is about,
// and decides again what is left. It returns err itself, for which record.Retry tries again, or why no try can help.
func (b *batch) learn(ctx context.Context, err error) error {
	if _, swept := store.Failed(err, pending.Key(b.unit.Request)); swept {
		return pending.Explain(err, b.unit.Request)
	}
	lost := lostIn(err)
	if lost == nil {
		return err
	}
	if err := b.names.look(ctx, lost); err != nil {
		return err
	}
	left := b.left()
	stale := slices.DeleteFunc(slices.Clone(left), func(w *work) bool {
		return !slices.ContainsFunc(w.ops, func(op store.Op) bool { return slices.Contains(lost, op.Key) })
	})
	if err := b.load(ctx, stale); err != nil {
		return err
	}
	b.decide(left)
	return err
}

// rehearse finds out what writing the batch would come to: it looks at the names that it would claim.
func (b *batch) rehearse(ctx context.Context) error {
	for range record.Rounds(ctx) {
		lost, err := b.names.missing(ctx)
		if err != nil || len(lost) == 0 {
			return err
		}
		if err := b.names.look(ctx, lost); err != nil {
			return err
		}
		b.decide(b.left())
	}
	return store.ErrUnavailable
}

// rehearseWhole finds out whether the batch could be done whole: else it is the refusal, to which what could have gone
// through is unchanged.
func (b *batch) rehearseWhole(ctx context.Context) error {
	if err := b.rehearse(ctx); err != nil {
		return err
	}
	failed := b.count(StatusFailed)
	if failed == 0 {
		return b.tooBig(b.left())
	}
	b.forgetUnwritten()
	why := strconv.Itoa(failed) + " of the items cannot be done, so none was: see results."
	return problem.Refused("batch_rejected", why).With("results", b.results).With("changed", 0).With("cost", limit.Cost(0))
}
