package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Status is what became of an item of a batch.
type Status string

// What can become of an item.
const (
	StatusChanged   Status = "changed"
	StatusUnchanged Status = "unchanged"
	StatusFailed    Status = "failed"
)

// Result of one item of a batch.
type Result struct {
	Index   int      `json:"index"`
	ID      string   `json:"id"`
	Variant string   `json:"variantId,omitempty"`
	Status  Status   `json:"status" enum:"changed,unchanged,failed"`
	Error   *Failure `json:"error,omitempty"`
}

// Failure is why an item failed: what depends on stored data. A fault of form refuses the whole call.
type Failure struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Location string `json:"location,omitempty"`
}

// Report is the answer to a batch.
type Report struct {
	Results []Result `json:"results"`
	Changed int      `json:"changed"`
	Cost    int64    `json:"cost"`
}

// Failed says whether an item failed.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Status == StatusFailed })
}

// Batch is how a batch is to be done.
type Batch struct {
	DryRun    bool          // checks everything, writes nothing, and answers what would be
	AllOrNone bool          // an item that fails undoes all of them
	Room      int           // how many operations one transaction has room for, beside those that the door adds
	Life      time.Duration // how long the request can take
	Limit     limit.Charged // of what is no dry run
}

// BatchItems are the items of a batch as changes of products, and what is wrong with their form that no schema says.
type BatchItems interface {
	changes(f *problem.Faults) []itemChange
}

// Target is what an item of a batch is about.
type Target struct {
	ID      string `json:"id" maxLength:"64" doc:"The product's id"`
	IfMatch string `json:"ifMatch,omitempty" minLength:"1" maxLength:"100" doc:"The product's version that the change is meant for, of a variant too: what its ETag holds, bare or quoted, or version in the change feed"`
}

// exact says whether the item is meant for one version of the product only.
func (t Target) exact() bool { return t.IfMatch != "" && t.IfMatch != "*" }

// matches says whether the item is meant for this version of the product.
func (t Target) matches(version string) bool {
	return !t.exact() || strings.Trim(t.IfMatch, `"`) == version
}

// itemChange is one item of a batch: what it is about, and what it makes of it.
type itemChange struct {
	Target
	variant string // "" the product itself
	name    string // that it gives the product; "" none
	code    string // likewise
	texts   bool   // it reads or changes the texts

	// One of the two changes next: applyWhole if variants must be read. When it fails, what it has changed is dropped.
	apply      func(next *known) (changed bool, failed *Failure)
	applyWhole func(next *Whole) (changed bool, failed *Failure)

	// add makes the same change within one update of the head, whatever the head is by then. It returns the conditions
	// of that. nil: there is no such update, and the whole head is written instead, on condition of its version.
	add func(to *store.Set) []store.Condition
}

// edit is all items of a batch about one product. A batch writes whole edits, never half of one.
type edit struct {
	id      string
	items   []int   // their indexes in the batch
	texts   bool    // they must be read: all of a product whose texts are an item of their own
	whole   bool    // all of it must be read
	code    string  // the product's, as it was read last; "": there is no such product
	plan    planned // how it is written
	written bool
}

// planned is how an edit is written, by what was read last. It is zero if the edit changes nothing.
type planned struct {
	first       int        // the first item that changes the product
	ops         []store.Op // nil if they were too much to hold: they are planned again when it is their turn
	count, size int        // how many ops there are, and about how many bytes, held or not
	records     []events.Record
}

// batch is one call while it is under way. It decodes the items into edits, looks at the products, by which it decides
// what becomes of each item (batch_decide.go), and writes the edits in one transaction or several (batch_write.go).
type batch struct {
	Batch
	catalog Catalog
	unit    *change.Unit
	changes []itemChange
	edits   []*edit // in the order of their first items
	results []Result
	names   *address.Names  // of the products that are not written yet
	begun   bool            // a transaction of several is written
	records []events.Record // of what is written so far
}

// ChangeMany does a batch, from its items to its report (contract, "Batch edits"). While it charges the most that the
// batch can cost, it reads the heads of its products. Beside an error that came later, the report says what was written
// before.
func (c Catalog) ChangeMany(ctx context.Context, u *change.Unit, how Batch, items BatchItems) (*Report, error) {
	b, err := c.decode(u, how, items)
	if err != nil {
		return nil, err
	}
	var heads []*Head
	var reading guard.Group
	reading.Go(ctx, func() (err error) { heads, err = b.heads(ctx, b.edits); return err })
	var refused error
	if !b.DryRun {
		refused = b.Limit.Charge(ctx, limit.Cost(len(b.changes)))
	}
	if err = reading.Wait(); refused != nil {
		return nil, refused
	}
	if err == nil {
		err = b.do(ctx, heads)
	}
	if !b.DryRun {
		b.resetUnwritten()
		b.Limit.LowerCost(ctx, limit.Cost(b.count(StatusChanged)))
	}
	return b.report(), err
}

// do decides what becomes of each item, and writes that unless the batch is a dry run.
func (b *batch) do(ctx context.Context, heads []*Head) error {
	err := b.look(ctx, b.edits, heads, atOnce)
	switch {
	case err != nil:
		return err
	case !b.DryRun:
		return b.write(ctx)
	case b.AllOrNone:
		return b.refusal()
	}
	return nil
}

// decode refuses what is wrong with a batch whatever is stored.
func (c Catalog) decode(u *change.Unit, how Batch, items BatchItems) (*batch, error) {
	b := &batch{Batch: how, unit: u, catalog: c, names: c.Addresses.Names(u)}
	var faults problem.Faults
	b.changes = items.changes(&faults)
	if len(b.changes) > b.Room {
		return nil, TooManyItems()
	}
	byProduct, seen := map[string]*edit{}, map[[2]string]bool{}
	for i, item := range b.changes {
		if seen[[2]string{item.ID, item.variant}] {
			faults.Add(at("items", i, "id"), problem.Duplicate, "is in the batch twice")
		}
		seen[[2]string{item.ID, item.variant}] = true
		b.results = append(b.results, Result{Index: i, ID: item.ID, Variant: item.variant})
		e := byProduct[item.ID]
		if e == nil {
			e = &edit{id: item.ID}
			byProduct[item.ID], b.edits = e, append(b.edits, e)
		}
		e.items = append(e.items, i)
		e.texts, e.whole = e.texts || item.texts, e.whole || item.applyWhole != nil
	}
	return b, faults.Err()
}

// TooManyItems is the refusal of a batch that is too long.
func TooManyItems() *problem.Problem {
	return &problem.Problem{Status: 413, Code: "too_many_items", Detail: fmt.Sprintf("A batch has at most %d items, "+
		"%d under an Idempotency-Key: send the rest in another one.", store.MaxOperations, store.MaxOperations-1)}
}

// resetUnwritten reports as unchanged what would have changed and was not written.
func (b *batch) resetUnwritten() {
	for _, e := range b.edits {
		for _, i := range e.items {
			if !e.written && b.results[i].Status == StatusChanged {
				b.results[i].Status = StatusUnchanged
			}
		}
	}
}

// count is how many items have a status.
func (b *batch) count(s Status) (n int) {
	for _, r := range b.results {
		if r.Status == s {
			n++
		}
	}
	return n
}

// report is the answer as things stand.
func (b *batch) report() *Report {
	n := b.count(StatusChanged)
	return &Report{Results: slices.Clone(b.results), Changed: n, Cost: limit.Cost(n)}
}
