package catalog

import (
	"context"
	"fmt"
	"slices"

	"eshop/events"
	"eshop/shared/pending"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// write writes what changes: in one transaction when it fits, else in several that a pending item keeps together. All
// or none is one transaction, and nothing once an item fails.
func (b *batch) write(ctx context.Context) error {
	var err error
	for last := false; !last && err == nil; {
		last, err = b.transaction(ctx)
	}
	if err == nil && b.AllOrNone && b.count(StatusFailed) > 0 {
		err = b.rehearse(ctx) // what else could not have gone through
	}
	b.forgetUnwritten()
	return err
}

// transaction writes as much as fits into one, and says whether it was the last. Items whose conditions do not hold are
// read and decided anew and tried again.
func (b *batch) transaction(ctx context.Context) (bool, error) {
	return record.Again(ctx, func() (last bool, err error) {
		if b.AllOrNone && b.count(StatusFailed) > 0 {
			return true, nil
		}
		works, last := b.pack()
		if len(works) == 0 && !b.begun {
			return true, nil
		}
		if b.AllOrNone && !last {
			return true, b.tooBig()
		}
		return last, b.learn(ctx, b.commit(ctx, works, last))
	})
}

// left are the works that have something to write, in the order of the items that change them.
func (b *batch) left() []*work {
	left := slices.DeleteFunc(slices.Clone(b.works), func(w *work) bool { return w.written || len(w.ops) == 0 })
	slices.SortStableFunc(left, func(x, y *work) int { return x.first - y.first })
	return left
}

// pack is the works that the next transaction has room for, and whether none is left then. One of several needs room
// for the pending item.
func (b *batch) pack() (works []*work, last bool) {
	left := b.left()
	if !b.begun && fitting(left, b.Room) == len(left) {
		return left, true
	}
	n := fitting(left, b.Room-1)
	return left[:n], n == len(left)
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
func (b *batch) tooBig() error {
	left := b.left()
	n := fitting(left, b.Room)
	if n == len(left) {
		return nil
	}
	message := fmt.Sprintf("are more than fit into one transaction: the first %d would", left[n].first)
	return problem.InvalidAt("items", problem.TooBig, message)
}

// commit makes one try of a transaction. The first of several puts down what the batch may come to change, the last
// carries what it did change and the answer.
func (b *batch) commit(ctx context.Context, works []*work, last bool) error {
	ops, records := gather(works)
	told := append(slices.Clone(b.told), records...)
	var result any
	tells := events.Nothing
	if last {
		result, tells = b.report(), b.unit.Told(told)
	}
	switch {
	case last && b.begun:
		ops = append(ops, pending.Finish(b.unit.Request))
	case !last && !b.begun:
		_, may := gather(b.left())
		ops = append(ops, pending.Begin(b.unit.Told(may), b.unit.Now(), b.Life))
	}
	if _, err := b.unit.Write(ctx, result, tells, ops...); err != nil {
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
// and decides again what is left. It returns err itself, for which record.Again tries again, or why no try can help.
func (b *batch) learn(ctx context.Context, err error) error {
	if _, swept := store.Failed(err, pending.Key(b.unit.Request)); swept {
		return pending.Lost(err, b.unit.Request)
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
		if err != nil {
			return err
		}
		if len(lost) == 0 {
			return b.rejected()
		}
		if err := b.names.look(ctx, lost); err != nil {
			return err
		}
		b.decide(b.left())
	}
	return store.ErrUnavailable
}
