package catalog

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
)

// heads reads the heads of the edits' products, in one call.
func (b *batch) heads(ctx context.Context, edits []*edit) ([]*Head, error) {
	return Heads(ctx, b.unit.Table, b.unit.Shop, each.Of(edits, func(e *edit) string { return e.id }))
}

// look decides what becomes of edits by the heads of their products. What lies beside heads is read where it is needed,
// in portions, and is held no longer than it takes to plan the operations that write the product, of which those of
// most bytes are held: so what a batch of large products holds does not grow with their number.
func (b *batch) look(ctx context.Context, edits []*edit, heads []*Head, most int) error {
	if err := b.lookUpNames(ctx, edits, heads); err != nil {
		return err
	}
	more := make([]*Head, len(heads)) // those of which more is needed
	for i, e := range edits {
		h := heads[i]
		if h != nil && (e.whole || e.texts && h.texts == nil) {
			more[i] = h
		}
	}
	for from, some := range portions(more) {
		all, err := wholes(ctx, b.unit.Table, some)
		if err != nil {
			return err
		}
		for i, whole := range all {
			e, h := edits[from+i], heads[from+i]
			var before *known
			switch {
			case whole != nil:
				before = &whole.known
			case some[i] == nil && h != nil:
				before = &known{Head: *h}
			}
			if err := b.decide(ctx, e, before); err != nil {
				return err
			}
			if most -= e.plan.size; most < 0 {
				e.plan.ops = nil
			}
		}
	}
	return nil
}

// lookUpNames finds out who has the names that the items of edits want: codes, and slugs of new names.
func (b *batch) lookUpNames(ctx context.Context, edits []*edit, heads []*Head) error {
	var keys []store.Key
	var slugs [][]string
	for n, e := range edits {
		head := heads[n]
		if e.code = ""; head == nil {
			continue
		}
		e.code = string(head.details.Code)
		for _, i := range e.items {
			c := b.changes[i]
			if c.code != "" && c.code != e.code {
				keys = append(keys, CodeKey(b.unit.Shop, c.code))
			}
			if c.name != "" {
				slugs = append(slugs, b.names.Slugs(ownerOf(e.id), head.Address, c.name))
			}
		}
	}
	return b.names.LookUp(ctx, keys, slugs...)
}

// decide finds out what becomes of each item of an edit, and which operations write them, by what is known of the
// product (nil: there is none) and of names. It is repeated when they are read anew.
func (b *batch) decide(ctx context.Context, e *edit, before *known) error {
	e.plan = planned{}
	next := before
	var changing []int
	for _, i := range e.items {
		after, status, failed := b.apply(e, before, next, i)
		b.results[i].Status, b.results[i].Error = status, failed
		if status == StatusChanged {
			next, changing = after, append(changing, i)
		}
	}
	if len(changing) == 0 {
		return nil
	}
	ops, records, err := b.plan(ctx, e, before, next, changing)
	if _, is := problem.As(err); is {
		for _, i := range changing {
			b.results[i].Status, b.results[i].Error = StatusFailed, failureOf(err, i)
		}
		return nil
	}
	e.plan = planned{first: changing[0], ops: ops, count: len(ops), records: records}
	for _, op := range ops {
		e.plan.size += sizeOf(op)
	}
	return err
}

// apply applies an item to the product as the items before it leave it (next). It returns the product as this item
// leaves it, and what becomes of the item:
//
//	the product or variant is not there            failed: not_found
//	the item is meant for another version          failed: version_conflict
//	another product has the code that it gives     failed: code_taken
//	it cannot be done (itemChange.apply, bounds)   failed: why
//	it makes no difference                         unchanged
//	else                                           changed; with the other changes of the product it fails yet when
//	                                               they cannot be planned, and is unchanged when they are not written
func (b *batch) apply(e *edit, before, next *known, i int) (*known, Status, *Failure) {
	item := b.changes[i]
	var failed *Failure
	switch {
	case before == nil:
		failed = failure("not_found", "There is no such product.", i, "id")
	case item.variant != "" && !before.Has(item.variant):
		failed = failure("not_found", "The product has no such variant.", i, "variantId")
	case !item.matches(before.Version):
		failed = failure("version_conflict",
			"The product has changed since: read it again and repeat with its ETag.", i, "ifMatch")
	case item.code != "" && item.code != string(next.details.Code) && b.codeIsTaken(e, item.code):
		failed = failure("code_taken", CodeTaken(item.code).Detail, i, "code")
	}
	if failed != nil {
		return next, StatusFailed, failed
	}
	after := next.clone()
	var changed bool
	if item.applyWhole == nil {
		changed, failed = item.apply(after)
	} else {
		whole := &Whole{*after} // as edit.whole asks for
		changed, failed = item.applyWhole(whole)
		after = &whole.known
	}
	if changed && failed == nil {
		failed = failureOf(after.checkBounds(), i)
	}
	switch {
	case failed != nil:
		return next, StatusFailed, failed
	case !changed:
		return next, StatusUnchanged, nil
	}
	return after, StatusChanged, nil
}

// codeIsTaken says whether a code is another product's, in the store or in the batch. Within a batch no code passes
// from one product to another: each code's claim is written once in a transaction.
func (b *batch) codeIsTaken(e *edit, code string) bool {
	return slices.ContainsFunc(b.edits, func(other *edit) bool { return other != e && other.code == code }) ||
		!b.names.IsFree(CodeKey(b.unit.Shop, code), ownerOf(e.id))
}

func failure(code, message string, i int, field string) *Failure {
	return &Failure{Code: code, Message: message, Location: "body." + at("items", i, field)}
}

// failureOf is a problem as the error of one item.
func failureOf(err error, i int) *Failure {
	if err == nil {
		return nil
	}
	p, is := err.(*problem.Problem)
	if !is {
		return failure("invalid", "The change is not valid.", i, "")
	}
	if len(p.Errors) > 0 {
		return failure(p.Code, "The item "+p.Errors[0].Message+".", i, "")
	}
	return failure(p.Code, p.Detail, i, "")
}

// plan makes the operations that write the product as the items have changed it, and the records of the change, which
// name the variants in the order of their items.
func (b *batch) plan(
	ctx context.Context, e *edit, before, next *known, changing []int,
) (ops []store.Op, records []events.Record, err error) {
	var touched []string
	for _, i := range changing {
		if v := b.changes[i].variant; v != "" {
			touched = append(touched, v)
		}
	}
	// All items of a batch are of one kind, so the first speaks for all.
	if b.changes[changing[0]].add != nil && len(e.items) <= maxTouched {
		version := b.unit.NextVersion(before.Version)
		return []store.Op{b.headUpdate(before, version, changing)}, []events.Record{{Kind: events.Products, ID: e.id,
			Did: events.Changed, Variants: touched, Groups: []events.Group{events.Stock}, Version: version}}, nil
	}
	if ops, records, err = plan(ctx, b.unit, before, next, b.names); len(records) > 0 {
		records[0].Variants = touched
	}
	return ops, records, err
}

// headUpdate is all items as one update of the head. It holds whoever else has written the product meanwhile: a change
// of stock is added to whatever the stock is by then, as long as that is enough.
func (b *batch) headUpdate(before *known, version string, changing []int) store.Op {
	to, conds := before.touch(b.unit.Shop, version)
	for _, i := range changing {
		if b.changes[i].exact() {
			conds = append(conds, store.VersionIs(before.Version))
		}
		conds = append(conds, b.changes[i].add(&to)...)
	}
	return store.Update(before.item.Key, to, conds...)
}
