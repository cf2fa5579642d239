package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
	money "eshop/shared/record/field"
)

// maxOps is how many operations the rows of a batch can have: what a transaction takes, without the import's own item,
// that of the errors and the journal's.
const maxOps = store.MaxOperations - 2 - journalItems

// The most that a batch may hold: rows with something to tell, so that the journal has room, and bytes (DynamoDB takes
// 4 MB in a transaction).
const (
	batchRows  = 2*page - 1
	batchBytes = 2 << 20
)

// maxConflicts is how often a row is planned anew because another request has changed what the row is about. A row that
// meets one more ends the run as unavailable, and the import goes on later.
const maxConflicts = 8

// batch is the rows of one transaction, with their operations and what is told of them.
type batch struct {
	items  []*item
	did    [][]events.Record
	ops    []store.Op
	bytes  int
	errs   []imports.Error // of the first rows that failed, as many as are kept
	said   int             // bytes of errs
	keys   map[store.Key]*item
	named  map[string]bool // keys of rows that did not fail
	failed int64
	same   int64
	end    int64 // of the last row, in the file
}

// busyOps is how many operations a batch has, and busyRows how many rows a block, while others make requests: a request
// that comes meanwhile waits for one small batch at most. A file that is imported alone goes 10 to 15 times as fast
// (doc.go).
const busyOps, busyRows = 24, 16

// maxOpsNow is how many operations the rows of a batch can have now.
func (r *run) maxOpsNow() int {
	if r.busy.Load() {
		return busyOps
	}
	return maxOps
}

// write writes rows in their order, as many in each transaction as fit. While others make requests, batches are small,
// each after a moment in which the others get their answers. Before each batch it asks whether the import's access may
// still bring rows in, and whether there is room for them: once not, no further batch begins.
func (r *run) write(ctx context.Context, items []*item) error {
	for len(items) > 0 {
		traffic := r.Calm(ctx) // which waits a moment for others
		r.busy.Store(traffic)
		if err := r.allowed(ctx); err != nil {
			return err
		}
		if err := r.Room(); err != nil {
			return err // and the import stays running: it goes on behind its last batch once there is room
		}
		b, err := r.fill(ctx, items)
		if err != nil {
			return err
		}
		err = r.writeBatch(ctx, b)
		if refused, is := errors.AsType[*store.ConditionError](err); is {
			err = b.explain(ctx, refused) // its rows are planned anew, with what was learnt
		} else if err == nil {
			items = items[len(b.items):]
			err = r.tell(ctx, (*list).wholeCall)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBatch writes one: how far the import has come with it, and what is to be told, are in the same transaction.
func (r *run) writeBatch(ctx context.Context, batch *batch) error {
	next, journal := r.next(), r.journal.clone()
	next.At, next.Tries = batch.end, 0
	next.Rows.Read += int64(len(batch.items))
	next.Rows.Changed += int64(len(batch.did))
	next.Rows.Unchanged += batch.same
	next.Rows.Failed += batch.failed
	for _, records := range batch.did {
		journal.add(records)
	}
	ops := append(journal.items(next), batch.ops...)
	if len(batch.errs) > 0 {
		ops = append(ops, store.Put(imports.ErrorsItem(r.k.Shop, r.k.ID, r.Now(), batch.errs...)))
	}
	if err := r.move(ctx, next, events.Nothing, ops...); err != nil {
		return err
	}
	r.journal = journal
	return nil
}

// fill plans rows until one does not fit. It also ends the batch before a row whose key a row before it has: what that
// row will find is known only when the other one is written.
func (r *run) fill(ctx context.Context, items []*item) (*batch, error) {
	r.kind.Begin()
	batch := &batch{keys: map[store.Key]*item{}, named: map[string]bool{}}
	for _, item := range items {
		if batch.named[item.key] {
			item.stale = true
			break
		}
		if item.stale {
			if _, err := r.lookUp(ctx, item); err != nil {
				return nil, err
			}
		}
		ops, records, err := item.plan(ctx)
		if err != nil {
			return nil, err
		}
		if item.fault == nil && len(ops) > maxOps {
			item.fault = &fault{code: "invalid", of: "file_row_too_large",
				message: "The row changes more at once than goes together: split it in two."}
			ops, records = nil, nil
		}
		// The count of failed rows is written with the errors that are kept, so an import that is resumed keeps the
		// same ones.
		var kept []imports.Error
		if item.fault != nil && r.k.Rows.Failed+batch.failed < imports.MaxErrors {
			kept = []imports.Error{r.errorOf(item, len(batch.items))}
		}
		if !batch.add(item, ops, records, kept, r.maxOpsNow()) {
			break
		}
	}
	return batch, nil
}

// plan makes the operations and records of the row. What is wrong with the row is noted in it.
func (i *item) plan(ctx context.Context) ([]store.Op, []events.Record, error) {
	if i.fault != nil {
		return nil, nil, nil
	}
	ops, records, err := i.record.Plan(ctx)
	if p, is := problem.As(err); is {
		i.fault, err = faultOf(p), nil
	}
	return ops, records, err
}

// errorOf is what the import's errors show of a row that has n rows of its batch before it. Of a product they name it
// and the wrong value; of customers they do not, for an erasure does not look into them.
func (r *run) errorOf(i *item, n int) imports.Error {
	e := imports.Error{Row: r.k.Rows.Read + int64(n) + 1, Code: i.fault.code, Location: i.fault.location,
		Message: i.fault.said(r.columns), Fault: i.fault.of}
	if r.k.Type == imports.Products {
		e.Key, e.Value = cut(valueAt(i.Fields, "code")), cut(valueAt(i.Fields, strings.TrimPrefix(e.Location, "body.")))
	}
	return e
}

// valueAt is what a row has at a location, if that is a text, a number or a boolean; else "". The places of prices are
// those of the product's list, which a row may know in part: it is the first of the row's that is no amount.
func valueAt(fields map[string]any, location string) string {
	set, _ := fields["priceLevels"].(catalog.SetPrices)
	if strings.HasPrefix(location, "priceLevels") {
		for _, p := range set {
			if s := fmt.Sprint(p.Price); p.Price != nil && !amount.MatchString(s) {
				return s
			}
		}
		return ""
	}
	if paths, named := fields[imports.CategoryIDs].(catalog.CategoryPaths); named && location == imports.Category {
		return paths.String()
	}
	var at any = fields
	for step := range strings.SplitSeq(location, ".") {
		in, _ := at.(map[string]any)
		at = in[step]
	}
	switch at.(type) {
	case string, json.Number, bool:
		return fmt.Sprint(at)
	}
	return ""
}

// amount is a price as the API takes it.
var amount = regexp.MustCompile(money.MoneyPattern)

// add puts the row into the batch, and returns false if it does not fit. It does not fit if the batch would have too
// many operations, bytes, rows or errors, or if another row of the batch writes the same item: a transaction takes an
// item once.
func (b *batch) add(item *item, ops []store.Op, records []events.Record, errs []imports.Error, most int) bool {
	bytes, said := 0, 0
	for _, op := range ops {
		if b.keys[op.Key] != nil {
			item.stale = true
			return false
		}
		bytes += len(op.Item.Doc)
	}
	for _, e := range errs {
		said += len(e.Location) + len(e.Message) + len(e.Key) + len(e.Value)
	}
	if len(b.items) > 0 && (len(b.ops)+len(ops) > most || b.bytes+bytes > batchBytes || len(b.did) == batchRows ||
		len(b.errs)+len(errs) > imports.MostTogether || b.said+said > imports.MostBytes) {
		return false
	}
	for _, op := range ops {
		b.keys[op.Key] = item
	}
	b.named[item.key] = item.key != "" && item.fault == nil // one that failed changes nothing that another row finds
	switch {
	case item.fault != nil:
		b.failed++
	case len(records) == 0:
		b.same++
	default:
		b.did = append(b.did, records)
	}
	b.items, b.ops, b.bytes, b.end = append(b.items, item), append(b.ops, ops...), b.bytes+bytes, item.end
	b.errs, b.said = append(b.errs, errs...), b.said+said
	return true
}

// next is a copy of the import's state, to be moved on.
func (r *run) next() *imports.Job {
	next := *r.k
	next.Chunks = maps.Clone(r.k.Chunks)
	return &next
}

// explain hands each condition that did not hold to the row whose write it was, which finds out why: it is told as the
// row's fault, or planned anew. A condition of the import's own item belongs to no row and ends the run.
func (b *batch) explain(ctx context.Context, refused *store.ConditionError) error {
	by := map[*item]*store.ConditionError{}
	for _, f := range refused.Failures {
		i := b.keys[f.Key]
		if i == nil || i.record == nil {
			return refused
		}
		if by[i] == nil {
			by[i] = &store.ConditionError{}
		}
		by[i].Failures = append(by[i].Failures, f)
	}
	for i, failures := range by {
		if i.conflicts++; i.conflicts > maxConflicts {
			return store.ErrUnavailable
		}
		err := i.record.Resolve(ctx, failures)
		if p, is := problem.As(err); is {
			i.fault, err = faultOf(p), nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
