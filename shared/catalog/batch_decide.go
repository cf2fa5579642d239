package catalog

import (
	"context"
	"errors"
	"slices"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
)

// decide finds out what becomes of each item of an edit, and which operations write them, by what is known of the
// product and of names. It is repeated when they are read anew.
func (b *batch) decide(ctx context.Context, e *productEdit) error {
	e.ops, e.records, e.dropped, e.count, e.size = nil, nil, false, 0, 0
	next := e.before
	var changing []int
	for _, i := range e.items {
		after, changed, failed := b.after(e, next, i)
		b.results[i].Status, b.results[i].Error = StatusUnchanged, failed
		if failed != nil {
			b.results[i].Status = StatusFailed
		} else if changed {
			b.results[i].Status = StatusChanged
			next, changing = after, append(changing, i)
		}
	}
	if len(changing) == 0 {
		return nil
	}
	e.first = changing[0]
	err := b.plan(ctx, e, next, changing)
	if p := (*problem.Problem)(nil); errors.As(err, &p) {
		for _, i := range changing {
			b.results[i].Status, b.results[i].Error = StatusFailed, failureOf(err, i)
		}
		return nil
	}
	e.count = len(e.ops)
	for _, op := range e.ops {
		e.size += sizeOf(op)
	}
	return err
}

// after is the product as an item leaves it, and whether it is changed by that.
func (b *batch) after(e *productEdit, next *Whole, i int) (after *Whole, changed bool, failed *Failure) {
	c := b.changes[i]
	switch {
	case e.before == nil:
		return next, false, failure("not_found", "There is no such product.", i, "id")
	case c.variant != "" && !e.before.Has(c.variant):
		return next, false, failure("not_found", "The product has no such variant.", i, "variantId")
	case !c.matches(e.before.Version):
		return next, false, failure("version_conflict",
			"The product has changed since: read it again and repeat with its ETag.", i, "ifMatch")
	case c.code != "" && c.code != string(next.details.Code) && b.codeIsTaken(e, c.code):
		return next, false, failure("code_taken", CodeTaken(c.code).Detail, i, "code")
	}
	after = next.clone()
	changed, failed = c.apply(after)
	if changed && failed == nil {
		failed = failureOf(after.checkBounds(), i)
	}
	if failed != nil || !changed {
		return next, false, failed
	}
	return after, true, nil
}

// codeIsTaken says whether a code is another product's, in the store or in the batch. Within a
// batch no code passes from one product to another: each code's claim is written once in a transaction.
func (b *batch) codeIsTaken(e *productEdit, code string) bool {
	had := func(other *productEdit) bool {
		return other != e && other.before != nil && string(other.before.details.Code) == code
	}
	return slices.ContainsFunc(b.edits, had) ||
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
func (b *batch) plan(ctx context.Context, e *productEdit, next *Whole, changing []int) (err error) {
	var touched []string
	for _, i := range changing {
		if v := b.changes[i].variant; v != "" {
			touched = append(touched, v)
		}
	}
	// All items of a batch are of one kind, so the first speaks for all.
	if b.changes[changing[0]].add != nil && len(e.items) <= maxTouched {
		version := b.unit.NextVersion(e.before.Version)
		e.ops = []store.Op{b.headUpdate(e, version, changing)}
		e.records = []events.Record{{Kind: events.Products, ID: e.id, Did: events.Changed, Variants: touched,
			Groups: []events.Group{events.Stock}, Version: version}}
		return nil
	}
	if e.ops, e.records, err = plan(ctx, b.unit, e.before, next, b.names); len(e.records) > 0 {
		e.records[0].Variants = touched
	}
	return err
}

// headUpdate is all items as one update of the head. It holds whoever else has written the product meanwhile: a change
// of stock is added to whatever the stock is by then, as long as that is enough.
func (b *batch) headUpdate(e *productEdit, version string, changing []int) store.Op {
	to, conds := e.before.touch(b.unit.Shop, version)
	for _, i := range changing {
		if b.changes[i].exact() {
			conds = append(conds, store.VersionIs(e.before.Version))
		}
		conds = append(conds, b.changes[i].add(&to)...)
	}
	return store.Update(e.before.item.Key, to, conds...)
}
