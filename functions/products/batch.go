package products

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/limit"
	"eshop/shared/pending"
	"eshop/shared/store"
)

// Status is what became of an item of a batch.
type Status string

// What can become of an item.
const (
	Changed   Status = "changed"
	Unchanged Status = "unchanged"
	Failed    Status = "failed"
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

// Options are the query of a batch.
type Options struct {
	DryRun bool   `query:"dryRun" doc:"Checks everything, writes nothing, and answers what would be"`
	Policy string `query:"errorPolicy" enum:"rejectAll" doc:"rejectAll: all items or none, in one transaction. 422 batch_rejected says which cannot be done, invalid with too_big how many would fit"`
}

// allOrNone says whether an item that fails undoes all of them.
func (o Options) allOrNone() bool { return o.Policy == "rejectAll" }

// Target is what an item of a batch is about.
type Target struct {
	ID      string `json:"id" maxLength:"64" doc:"The product's id"`
	IfMatch string `json:"ifMatch,omitempty" maxLength:"100" doc:"The product's ETag, bare or quoted, that the change is meant for"`
}

// exact says whether the item is meant for one version of the product only.
func (t Target) exact() bool { return t.IfMatch != "" && t.IfMatch != "*" }

// matches says whether the item is meant for this version of the product.
func (t Target) matches(version string) bool {
	return !t.exact() || strings.Trim(t.IfMatch, `"`) == version
}

// change is one item of a batch: what it is about, and what it makes of it.
type change struct {
	Target
	variant string // "" the product itself
	code    string // the code that it gives the product; "" none
	needs   needs

	// apply changes next. When it fails, what it has changed is dropped.
	apply func(next draft) (changed bool, failed *Failure)

	// add is the same as a part of one operation on whatever the head is then, with what must hold for it; nil: the head is
	// written whole.
	add func(to *store.Set) []store.Condition
}

// needs is how much of a product must be read to change it.
type needs int

const (
	needsHead  needs = iota
	needsTexts       // the texts, too, which may be in an item of their own
	needsAll
)

// work is all items of a batch about one product.
type work struct {
	id      string
	items   []int // their places in the batch
	needs   needs
	before  draft // without a head: there is no such product
	ops     []store.Op
	records []events.Record
	first   int // the first item that changes it
	written bool
}

// batch is one call while it is worked on. Its way is decode, read, decide, write, answer.
type batch struct {
	group
	call    *api.Call
	options Options
	changes []change
	works   []*work // by first item
	results []Result
	names   *names
	begun   bool            // a transaction of several is written
	told    []events.Record // of what is written
}

// run does a batch, from its body to its report (contract, section 4, "Batch edits").
func (g group) run(ctx context.Context, o Options, body edits) (*api.Report[Report], error) {
	b, err := g.decode(ctx, o, body)
	if err != nil {
		return nil, err
	}
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	b.decide(b.works)
	if o.DryRun {
		err = b.rehearse(ctx)
	} else {
		err = b.write(ctx)
		b.call.Settle(ctx, limit.Cost(b.count(Changed)))
	}
	if err != nil {
		return nil, err
	}
	return b.report(), nil
}

// decode refuses what is wrong with a batch whatever is stored.
func (g group) decode(ctx context.Context, o Options, body edits) (*batch, error) {
	call := api.From(ctx)
	b := &batch{group: g, call: call, options: o, names: newNames(g.p, call.Shop, nil)}
	var f api.Faults
	b.changes = body.changes(&f)
	if len(b.changes) > b.room() {
		return nil, &api.Problem{Status: 413, Code: "too_many_items", Detail: fmt.Sprintf("A batch has at most %d items, %d under an Idempotency-Key: "+
			"send the rest in another one.", store.MaxOperations, store.MaxOperations-1)}
	}
	works, seen := map[string]*work{}, map[[2]string]bool{}
	for i, c := range b.changes {
		if seen[[2]string{c.ID, c.variant}] {
			f.Add(at("items", i, "id"), api.Duplicate, "is in the batch twice")
		}
		seen[[2]string{c.ID, c.variant}] = true
		b.results = append(b.results, Result{Index: i, ID: c.ID, Variant: c.variant})
		w := works[c.ID]
		if w == nil {
			w = &work{id: c.ID}
			works[c.ID], b.works = w, append(b.works, w)
		}
		w.items, w.needs = append(w.items, i), max(w.needs, c.needs)
	}
	return b, f.Err()
}

// read charges the most that the batch can cost, and reads its products beside.
func (b *batch) read(ctx context.Context) error {
	if b.options.DryRun {
		return b.load(ctx, b.works)
	}
	loaded := make(chan error, 1)
	go func() { loaded <- b.load(ctx, b.works) }()
	refused, failed := b.call.Charge(ctx, limit.Cost(len(b.changes))), <-loaded
	if refused != nil {
		return refused
	}
	if failed != nil {
		b.call.Settle(ctx, limit.Cost(0))
	}
	return failed
}

// load reads products: their heads in one call, and in a second what their items need beside.
func (b *batch) load(ctx context.Context, works []*work) error {
	var keys []store.Key
	var asked []*work
	for _, w := range works {
		w.before = draft{}
		if known(w.id) {
			keys, asked = append(keys, ProductKey(b.call.Shop, w.id)), append(asked, w)
		}
	}
	items, err := store.GetAll(ctx, b.p.Main, keys)
	if err != nil {
		return err
	}
	var whole, texts []*work
	for i, w := range asked {
		h, err := HeadOf(items[i])
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		w.before = h.draft()
		switch {
		case w.needs == needsAll:
			whole = append(whole, w)
		case w.needs == needsTexts && h.texts == nil:
			texts = append(texts, w)
		}
	}
	if err := b.loadTexts(ctx, texts); err != nil {
		return err
	}
	return b.loadWhole(ctx, whole)
}

func (b *batch) loadTexts(ctx context.Context, works []*work) error {
	heads, err := withTexts(ctx, b.p.Main, b.call.Shop, headsOf(works))
	for i, h := range heads {
		if works[i].before = (draft{}); h != nil {
			works[i].before = h.draft()
		}
	}
	return err
}

func (b *batch) loadWhole(ctx context.Context, works []*work) error {
	products, err := wholes(ctx, b.p.Main, b.call.Shop, headsOf(works))
	for i, p := range products {
		if works[i].before = (draft{}); p != nil {
			works[i].before = p.draft()
		}
	}
	return err
}

func headsOf(works []*work) []*Head {
	heads := make([]*Head, len(works))
	for i, w := range works {
		heads[i] = w.before.Head
	}
	return heads
}

// decide finds out what becomes of each item of works, and what it takes to write them. It can be done again once more is
// known of products and names.
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
		after, failed := b.after(w, next, i)
		b.results[i].Status, b.results[i].Error = Unchanged, failed
		if failed != nil {
			b.results[i].Status = Failed
		} else if after != next {
			b.results[i].Status = Changed
			next, changing = after, append(changing, i)
		}
	}
	if len(changing) == 0 {
		return
	}
	w.first = changing[0]
	if err := b.plan(w, next, changing); err != nil {
		for _, i := range changing {
			b.results[i].Status, b.results[i].Error = Failed, failureOf(err, i)
		}
	}
}

// after is the product after an item: next itself when that changes nothing.
func (b *batch) after(w *work, next draft, i int) (draft, *Failure) {
	c := b.changes[i]
	switch {
	case w.before.Head == nil:
		return next, failure("not_found", "There is no such product.", i, "id")
	case c.variant != "" && !w.before.Has(c.variant):
		return next, failure("not_found", "The product has no such variant.", i, "variantId")
	case !c.matches(w.before.Version):
		return next, failure("version_conflict", "The product has changed since: read it again and repeat with its ETag.", i, "ifMatch")
	case c.code != "" && c.code != string(next.details.Code) && b.taken(w, c.code):
		return next, failure("code_taken", codeTaken(c.code).Detail, i, "code")
	}
	after := next.clone()
	changed, failed := c.apply(after)
	if changed && failed == nil {
		failed = failureOf(after.allowed(), i)
	}
	if failed != nil || !changed {
		return next, failed
	}
	return after, nil
}

// taken says whether a code is another's as far as is known: in the store, or in the batch, where no code changes hands.
func (b *batch) taken(w *work, code string) bool {
	had := func(other *work) bool {
		return other != w && other.before.Head != nil && string(other.before.details.Code) == code
	}
	return slices.ContainsFunc(b.works, had) || b.names.others(CodeKey(b.call.Shop, code), ownerOf(OfProduct, w.id))
}

func failure(code, message string, i int, field string) *Failure {
	return &Failure{Code: code, Message: message, Location: "body." + at("items", i, field)}
}

// failureOf is a problem as the error of one item.
func failureOf(err error, i int) *Failure {
	if err == nil {
		return nil
	}
	p, is := err.(*api.Problem)
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
func (b *batch) plan(w *work, next draft, changing []int) (err error) {
	var touched []string
	for _, i := range changing {
		if v := b.changes[i].variant; v != "" {
			touched = append(touched, v)
		}
	}
	if b.changes[changing[0]].add != nil && len(w.items) <= maxTouched {
		version := b.call.Next(w.before.Version)
		w.ops = []store.Op{b.addition(w, version, changing)}
		w.records = []events.Record{{Kind: events.Products, ID: w.id, Did: events.Changed, Variants: touched,
			Groups: []events.Group{events.Stock}, Version: version}}
		return nil
	}
	if w.ops, w.records, err = b.edited(b.call, w.before, next, b.names); len(w.records) > 0 {
		w.records[0].Variants = touched
	}
	return err
}

// addition is the items as one operation on the head. It depends on nobody's having been there before: a change of stock is
// added to whatever that is then, as long as it is enough.
func (b *batch) addition(w *work, version string, changing []int) store.Op {
	index := place(shardOf(b.call.Shop, w.id), version, w.id)
	to := store.Set{Version: version, Index1: &index, Num: map[string]int64{}, Add: map[string]int64{}, Text: map[string]string{}}
	var conds []store.Condition
	for _, i := range changing {
		if b.changes[i].exact() {
			conds = append(conds, store.VersionIs(w.before.Version))
		}
		conds = append(conds, b.changes[i].add(&to)...)
	}
	return store.Update(w.before.item.Key, to, conds...)
}

// write writes what changes: in one transaction when it fits, else in several that a pending item keeps together. All or
// none is one transaction, and nothing once an item fails.
func (b *batch) write(ctx context.Context) error {
	var err error
	for last := false; !last && err == nil; {
		last, err = b.transaction(ctx)
	}
	if err == nil && b.options.allOrNone() && b.count(Failed) > 0 {
		err = b.rehearse(ctx) // what else could not have gone through
	}
	b.forgetUnwritten()
	return err
}

// transaction writes as much as fits into one, and says whether it was the last. Items whose conditions do not hold are
// read and decided anew and tried again.
func (b *batch) transaction(ctx context.Context) (bool, error) {
	for range api.Rounds(ctx) {
		if b.options.allOrNone() && b.count(Failed) > 0 {
			return true, nil
		}
		works, last := b.pack()
		if len(works) == 0 && !b.begun {
			return true, nil
		}
		if b.options.allOrNone() && !last {
			return true, b.tooBig()
		}
		err := b.commit(ctx, works, last)
		if err == nil {
			return last, nil
		}
		if err := b.learn(ctx, err); err != nil {
			return true, err
		}
	}
	return true, store.ErrUnavailable
}

// left are the works that have something to write, in the order of the items that change them.
func (b *batch) left() []*work {
	left := slices.DeleteFunc(slices.Clone(b.works), func(w *work) bool { return w.written || len(w.ops) == 0 })
	slices.SortStableFunc(left, func(x, y *work) int { return x.first - y.first })
	return left
}

// pack is the works that the next transaction has room for, and whether none is left then. One of several needs room for
// the pending item.
func (b *batch) pack() (works []*work, last bool) {
	left := b.left()
	if !b.begun && fitting(left, b.room()) == len(left) {
		return left, true
	}
	n := fitting(left, b.room()-1)
	return left[:n], n == len(left)
}

// room is how many operations one transaction has room for: beside the answer under an Idempotency-Key.
func (b *batch) room() int {
	if b.call.Header("Idempotency-Key") != "" {
		return store.MaxOperations - 1
	}
	return store.MaxOperations
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
	n := fitting(left, b.room())
	if n == len(left) {
		return nil
	}
	return api.InvalidAt("items", api.TooBig, fmt.Sprintf("are more than fit into one transaction: the first %d would", left[n].first))
}

// commit makes one try of a transaction. The first of several puts down what the batch may come to change, the last carries
// what it did change and the answer.
func (b *batch) commit(ctx context.Context, works []*work, last bool) error {
	ops, records := gather(works)
	told := append(slices.Clone(b.told), records...)
	var answer any
	tells := events.Nothing
	if last {
		answer, tells = b.report(), b.call.Changed(told...)
	}
	switch {
	case last && b.begun:
		ops = append(ops, pending.Finish(b.call.Request))
	case !last && !b.begun:
		_, may := gather(b.left())
		ops = append(ops, pending.Begin(b.call.Changed(may...), b.call.Now(), timeout))
	}
	if _, err := b.call.Write(ctx, answer, tells, ops...); err != nil {
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

// learn looks why a transaction was refused, reads the products anew that it is about, and decides again what is left. It
// returns the error when another try cannot help.
func (b *batch) learn(ctx context.Context, refused error) error {
	if _, swept := store.Failed(refused, pending.Key(b.call.Request)); swept {
		return pending.Lost(refused, b.call.Request)
	}
	failures := failuresOf(refused)
	if failures == nil {
		return refused
	}
	lost := make([]store.Key, len(failures))
	for i, f := range failures {
		lost[i] = f.Key
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
	return nil
}

// rehearse finds out what writing the batch would come to: it looks at the names that it would claim.
func (b *batch) rehearse(ctx context.Context) error {
	for range api.Rounds(ctx) {
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

// rejected is the refusal of a batch that is to be done whole and cannot: what could have gone through is unchanged. It is
// nil when the batch can be done.
func (b *batch) rejected() error {
	switch {
	case !b.options.allOrNone():
		return nil
	case b.count(Failed) == 0:
		return b.tooBig()
	}
	b.forgetUnwritten()
	return api.Refused("batch_rejected", strconv.Itoa(b.count(Failed))+" of the items cannot be done, so none was: see results.").
		With("results", b.results).With("changed", 0).With("cost", limit.Cost(0))
}

// forgetUnwritten makes unchanged what was not written.
func (b *batch) forgetUnwritten() {
	for _, w := range b.works {
		for _, i := range w.items {
			if !w.written && b.results[i].Status == Changed {
				b.results[i].Status = Unchanged
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
func (b *batch) report() *api.Report[Report] {
	n := b.count(Changed)
	a := &api.Report[Report]{Status: 200, Body: Report{Results: slices.Clone(b.results), Changed: n, Cost: limit.Cost(n)}}
	if b.count(Failed) > 0 {
		a.Status = 207
	}
	return a
}
