package catalog

import (
	"slices"

	"eshop/events"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// decide finds out what becomes of each item of works, and what it takes to write them. It can be done again once
// more is known of products and names.
func (b *batch) decide(works []*work) {
	owners := make([]string, len(works))
	for i, w := range works {
		owners[i] = ownerOf(OfProduct, w.id)
	}
	b.names.begin(owners...)
	for _, w := range works {
		b.decideOne(w)
	}
}

func (b *batch) decideOne(w *work) {
	w.ops, w.records = nil, nil
	next := w.before
	var changing []int
	for _, i := range w.items {
		after, changed, failed := b.after(w, next, i)
		b.results[i].Status, b.results[i].Error = StatusUnchanged, failed
		if failed != nil {
			b.results[i].Status = StatusFailed
		} else if changed {
			b.results[i].Status = StatusChanged
			next, changing = after, append(changing, i)
		}
	}
	if len(changing) == 0 {
		return
	}
	w.first = changing[0]
	if err := b.plan(w, next, changing); err != nil {
		for _, i := range changing {
			b.results[i].Status, b.results[i].Error = StatusFailed, failureOf(err, i)
		}
	}
}

// after is the product after an item, and whether that changes it.
func (b *batch) after(w *work, next reading, i int) (after reading, changed bool, failed *Failure) {
	c := b.changes[i]
	switch {
	case w.before.Head == nil:
		return next, false, failure("not_found", "There is no such product.", i, "id")
	case c.variant != "" && !w.before.Has(c.variant):
		return next, false, failure("not_found", "The product has no such variant.", i, "variantId")
	case !c.matches(w.before.Version):
		return next, false, failure("version_conflict",
			"The product has changed since: read it again and repeat with its ETag.", i, "ifMatch")
	case c.code != "" && c.code != string(next.details.Code) && b.taken(w, c.code):
		return next, false, failure("code_taken", codeTaken(c.code).Detail, i, "code")
	}
	after = next.clone()
	changed, failed = c.apply(after)
	if changed && failed == nil {
		failed = failureOf(after.allowed(after.parts()), i)
	}
	if failed != nil || !changed {
		return next, false, failed
	}
	return after, true, nil
}

// taken says whether a code is another's as far as is known: in the store, or in the batch, where no code changes
// hands.
func (b *batch) taken(w *work, code string) bool {
	had := func(other *work) bool {
		return other != w && other.before.Head != nil && string(other.before.details.Code) == code
	}
	return slices.ContainsFunc(b.works, had) || b.names.others(CodeKey(b.unit.Shop, code), ownerOf(OfProduct, w.id))
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

// plan is what it takes to write the product as the items have changed it, and what is told of it: the variants in the
// order of their items.
func (b *batch) plan(w *work, next reading, changing []int) (err error) {
	var touched []string
	for _, i := range changing {
		if v := b.changes[i].variant; v != "" {
			touched = append(touched, v)
		}
	}
	// All items of a batch are of one kind, so the first speaks for all.
	if b.changes[changing[0]].add != nil && len(w.items) <= maxTouched {
		version := b.unit.NextVersion(w.before.Version)
		w.ops = []store.Op{b.addition(w, version, changing)}
		w.records = []events.Record{{Kind: events.Products, ID: w.id, Did: events.Changed, Variants: touched,
			Groups: []events.Group{events.Stock}, Version: version}}
		return nil
	}
	if w.ops, w.records, err = planChange(b.unit, w.before, next, b.names); len(w.records) > 0 {
		w.records[0].Variants = touched
	}
	return err
}

// addition is the items as one operation on the head. It depends on nobody's having been there before: a change of
// stock is added to whatever that is then, as long as it is enough.
func (b *batch) addition(w *work, version string, changing []int) store.Op {
	index := record.IndexKey(shardOf(b.unit.Shop, w.id), version, w.id)
	to := store.Set{Version: version, Index1: &index,
		Num: map[string]int64{}, Add: map[string]int64{}, Text: map[string]string{}}
	var conds []store.Condition
	for _, i := range changing {
		if b.changes[i].exact() {
			conds = append(conds, store.VersionIs(w.before.Version))
		}
		conds = append(conds, b.changes[i].add(&to)...)
	}
	return store.Update(w.before.item.Key, to, conds...)
}
