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
	"eshop/shared/unique"
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

// Target is what an item of a batch is about.
type Target struct {
	ID      string `json:"id" maxLength:"64" doc:"The product's id"`
	IfMatch string `json:"ifMatch,omitempty" maxLength:"100" doc:"The product's ETag, bare or quoted, that the change is meant for"`
}

// holds says whether the version is the one that the item is meant for; without one it always is.
func (t Target) holds(version string) bool {
	return t.IfMatch == "" || t.IfMatch == "*" || strings.Trim(t.IfMatch, `"`) == version
}

// kind is one of the four batch edits: items that each change a product or variant in memory.
type kind interface {
	len() int
	at(i int) (t Target, variant string)
	check(f *api.Faults)                                               // faults of form that no schema says
	whole(i int, k *Kept) bool                                         // whether the item needs more of the product than its head
	apply(b *batch, i int, next *Kept) (changed bool, failed *Failure) // changes next, or fails and leaves it
}

// batch is one call while it is worked on.
type batch struct {
	g       group
	call    *api.Call
	kind    kind
	options Options
	results []Result
	works   []*work              // by first item
	names   map[store.Key]string // claimed or released by this batch, by which product
	denied  map[store.Key]bool   // names that turned out to be another's
	slugs   map[string]bool      // chosen by this batch
}

// Options are the query of a batch.
type Options struct {
	DryRun bool   `query:"dryRun" doc:"Checks everything, writes nothing, and answers what would be"`
	Policy string `query:"errorPolicy" enum:"rejectAll" doc:"rejectAll: all items or none, in one transaction. 422 batch_rejected says which cannot be done, invalid with too_big how many would fit"`
}

func (o Options) rejectAll() bool { return o.Policy == "rejectAll" }

// work is all items of a batch about one product.
type work struct {
	id      string
	items   []int
	before  *Kept // nil: not there
	contest *contest
	ops     []store.Op
	records []events.Record
	first   int // the first item that changes it
}

// run is a batch from its body to its report (contract, section 4, "Batch edits").
func (g group) run(ctx context.Context, o Options, k kind) (*api.Report[Report], error) {
	call := api.From(ctx)
	b := &batch{g: g, call: call, kind: k, options: o, names: map[store.Key]string{}, denied: map[store.Key]bool{}, slugs: map[string]bool{}}
	if err := b.form(); err != nil {
		return nil, err
	}
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	for _, w := range b.works {
		b.evaluate(w)
	}
	err := b.finish(ctx)
	if !o.DryRun {
		call.Settle(ctx, limit.Cost(b.changed()))
	}
	if err != nil {
		return nil, err
	}
	return b.answer(), nil
}

// form refuses what is wrong with a batch whatever is stored.
func (b *batch) form() error {
	n := b.kind.len()
	if n > b.room() {
		return &api.Problem{Status: 413, Code: "too_many_items", Detail: fmt.Sprintf("A batch has at most %d items, %d under an Idempotency-Key: "+
			"send the rest in another one.", store.MaxOperations, store.MaxOperations-1)}
	}
	var f api.Faults
	by := map[string]*work{}
	seen := map[[2]string]bool{}
	for i := range n {
		t, variant := b.kind.at(i)
		if seen[[2]string{t.ID, variant}] {
			f.Add(at("items", i, "id"), api.Duplicate, "is in the batch twice")
		}
		seen[[2]string{t.ID, variant}] = true
		b.results = append(b.results, Result{Index: i, ID: t.ID, Variant: variant})
		w := by[t.ID]
		if w == nil {
			w = &work{id: t.ID, contest: newContest(OfProduct, t.ID)}
			w.contest.avoid = b.slugs
			by[t.ID], b.works = w, append(b.works, w)
		}
		w.items = append(w.items, i)
	}
	b.kind.check(&f)
	return f.Err()
}

// begin charges the most that the batch can cost, and reads its products beside.
func (b *batch) begin(ctx context.Context) error {
	if b.options.DryRun {
		return b.load(ctx, b.works)
	}
	read := make(chan error, 1)
	go func() { read <- b.load(ctx, b.works) }()
	err := b.call.Charge(ctx, limit.Cost(b.kind.len()))
	if loaded := <-read; err == nil && loaded != nil {
		b.call.Settle(ctx, limit.Cost(0))
		return loaded
	}
	return err
}

// load reads the products: their heads, and of those whose items need it everything else.
func (b *batch) load(ctx context.Context, works []*work) error {
	var keys []store.Key
	var of []*work
	for _, w := range works {
		w.before = nil
		if known(w.id) {
			keys, of = append(keys, ProductKey(b.call.Shop, w.id)), append(of, w)
		}
	}
	heads, err := getAll(ctx, b.g.p.Main, keys)
	if err != nil {
		return err
	}
	keys = keys[:0:0]
	for i, h := range heads {
		if of[i].before, err = Head(h); err != nil {
			return err
		}
		if of[i].incomplete(b.kind) {
			keys = append(keys, of[i].before.rest()...)
		}
	}
	return b.complete(ctx, works, keys)
}

// incomplete says whether the product is there and an item of the work needs more of it than was read.
func (w *work) incomplete(k kind) bool {
	return w.before != nil && !w.before.whole && slices.ContainsFunc(w.items, func(i int) bool { return k.whole(i, w.before) })
}

// complete reads what products have beside their heads.
func (b *batch) complete(ctx context.Context, works []*work, keys []store.Key) error {
	if len(keys) == 0 {
		return nil
	}
	items, err := getAll(ctx, b.g.p.Main, keys)
	if err != nil {
		return err
	}
	by := map[string]map[string]*store.Item{}
	for i, k := range keys {
		if by[k.PK] == nil {
			by[k.PK] = map[string]*store.Item{}
		}
		by[k.PK][k.SK] = items[i]
	}
	for _, w := range works {
		if !w.incomplete(b.kind) {
			continue
		}
		if err := w.before.complete(by[w.before.head.PK]); err == errTorn {
			if w.before, err = Read(ctx, b.g.p.Main, b.call.Shop, w.id); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// evaluate decides what becomes of each item of the work, and what it takes to write it.
func (b *batch) evaluate(w *work) {
	w.ops, w.records = nil, nil
	for key, owner := range b.names {
		if owner == w.id {
			delete(b.names, key)
		}
	}
	next := &Kept{}
	if w.before != nil {
		next = w.before.clone()
	}
	var variants []string
	any := false
	for _, i := range w.items {
		changed, failed := b.item(w, i, &next)
		b.results[i].Status, b.results[i].Error = Unchanged, failed
		switch {
		case failed != nil:
			b.results[i].Status = Failed
		case changed:
			b.results[i].Status = Changed
			if !any {
				w.first, any = i, true
			}
			if v := b.results[i].Variant; v != "" {
				variants = append(variants, v)
			}
		}
	}
	if any {
		b.plan(w, next, variants)
	}
}

// item applies one item to next, which stays as it is when the item fails.
func (b *batch) item(w *work, i int, next **Kept) (bool, *Failure) {
	t, variant := b.kind.at(i)
	switch {
	case w.before == nil:
		return false, failure("not_found", "There is no such product.", i, "id")
	case variant != "" && !w.before.Has(variant):
		return false, failure("not_found", "The product has no such variant.", i, "variantId")
	case !t.holds(w.before.Version):
		return false, failure("version_conflict", "The product has changed since: read it again and repeat with its ETag.", i, "ifMatch")
	}
	try := (*next).clone()
	changed, failed := b.kind.apply(b, i, try)
	if failed == nil && changed {
		failed = failureOf(try.allowed(), i)
	}
	if failed != nil {
		return false, failed
	}
	*next = try
	return changed, nil
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

// plan is what it takes to write the changed product, and what is told of it.
func (b *batch) plan(w *work, next *Kept, variants []string) {
	version := b.call.Next(w.before.Version)
	record := events.Record{Kind: events.Products, ID: w.id, Did: events.Changed, Variants: variants, Version: version}
	if s, is := b.kind.(stockItems); is && len(w.items) <= maxTouched {
		record.Groups = []events.Group{events.Stock}
		w.ops = []store.Op{s.op(b.call.Shop, w, version, b.results)}
		w.records = []events.Record{record}
		return
	}
	n := b.g.rename(b.call, w.before, next, w.contest, version)
	record.Groups, _ = diff(w.before, next)
	s := save(b.call.Shop, w.before, next, version, w.contest, b.call.Now())
	w.contest.want = s.want
	w.ops, w.records = append(s.ops, n.ops...), append([]events.Record{record}, n.records...)
	for _, op := range w.ops {
		if isClaim(op.Key) {
			b.name(w, op.Key)
		}
	}
}

// name notes that the work takes a name or gives it back. Who has asked before for one that this work gives back is denied
// it: a name cannot change hands within a batch.
func (b *batch) name(w *work, key store.Key) {
	was := b.names[key]
	b.names[key] = w.id
	if was == "" || was == w.id {
		return
	}
	b.denied[key] = true
	for _, other := range b.works {
		if other.id == was {
			b.evaluate(other)
		}
	}
}

// finish writes the batch, or finds out what writing it would come to.
func (b *batch) finish(ctx context.Context) error {
	switch {
	case b.options.DryRun:
		if err := b.rehearse(ctx); err != nil {
			return err
		}
		if b.options.rejectAll() && !b.failed() {
			return b.tooBig()
		}
	case b.options.rejectAll() && b.failed():
	default:
		if err := b.write(ctx); err != nil {
			return err
		}
	}
	if !b.options.rejectAll() || !b.failed() {
		return nil
	}
	if !b.options.DryRun {
		if err := b.rehearse(ctx); err != nil { // what else could not have gone through
			return err
		}
	}
	return b.rejected()
}

// rehearse looks at the names that would be claimed.
func (b *batch) rehearse(ctx context.Context) error {
	for _, w := range b.changing() {
		var failures []store.Failure
		var keys []store.Key
		for key := range w.contest.want {
			keys = append(keys, key)
		}
		claims, err := getAll(ctx, b.g.p.Main, keys)
		if err != nil {
			return err
		}
		for i, item := range claims {
			if item != nil {
				failures = append(failures, store.Failure{Key: keys[i], Item: item})
			}
		}
		if err := b.contested(ctx, w, failures); err != nil {
			return err
		}
	}
	return nil
}

// contested settles the names that a work has not got; those of others are denied to it, and it is decided anew.
func (b *batch) contested(ctx context.Context, w *work, failures []store.Failure) error {
	if len(failures) == 0 {
		return nil
	}
	err := b.g.settle(ctx, b.call.Shop, w.contest, failures)
	if p, is := err.(*api.Problem); is && p.Status == 409 {
		for _, f := range failures {
			if w.contest.want[f.Key] == p {
				b.denied[f.Key] = true
			}
		}
		err = nil
	}
	if err == nil {
		b.evaluate(w)
	}
	return err
}

// changing are the works that have something to write, in the order of the items that change them.
func (b *batch) changing() []*work {
	var all []*work
	for _, w := range b.works {
		if len(w.ops) > 0 {
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(x, y *work) int { return x.first - y.first })
	return all
}

func (b *batch) changed() int { return b.count(Changed) }

func (b *batch) failed() bool { return b.count(Failed) > 0 }

func (b *batch) count(s Status) (n int) {
	for _, r := range b.results {
		if r.Status == s {
			n++
		}
	}
	return n
}

// answer is the report as it stands.
func (b *batch) answer() *api.Report[Report] {
	n := b.changed()
	a := &api.Report[Report]{Status: 200, Body: Report{Results: slices.Clone(b.results), Changed: n, Cost: limit.Cost(n)}}
	if b.failed() {
		a.Status = 207
	}
	return a
}

// rejected is the refusal of a batch that was to be done whole: what could have gone through is unchanged.
func (b *batch) rejected() error {
	for i := range b.results {
		if b.results[i].Status == Changed {
			b.results[i].Status = Unchanged
		}
	}
	return api.Refused("batch_rejected", strconv.Itoa(b.count(Failed))+" of the items cannot be done, so none was: see results.").
		With("results", b.results).With("changed", 0).With("cost", limit.Cost(0))
}

// write writes what changes: in one transaction if it fits, else in several that a pending item keeps together. All or
// nothing is one transaction.
func (b *batch) write(ctx context.Context) error {
	works := b.changing()
	if len(works) == 0 {
		return nil
	}
	return (&passage{batch: b}).walk(ctx, b.pack(works), true)
}

// tooBig refuses what is to be done whole and does not fit into one transaction.
func (b *batch) tooBig() error {
	chunks := fill(b.changing(), b.room())
	if len(chunks) < 2 {
		return nil
	}
	return api.InvalidAt("items", api.TooBig, fmt.Sprintf("are more than fit into one transaction: of these the first %d would", chunks[1][0].first))
}

// maxTransaction is how many bytes one transaction of a batch may hold (DynamoDB: 4 MB).
const maxTransaction = 3 << 20

// pack distributes works over transactions. Each has room for the answer under an Idempotency-Key, and for the pending
// item when there are several.
func (b *batch) pack(works []*work) [][]*work {
	if all := fill(works, b.room()); len(all) == 1 {
		return all
	}
	return fill(works, b.room()-1)
}

// room is how many operations of works one transaction has room for.
func (b *batch) room() int {
	if b.keyed() {
		return store.MaxOperations - 1
	}
	return store.MaxOperations
}

// keyed says whether the answer is to be kept.
func (b *batch) keyed() bool { return b.call.Header("Idempotency-Key") != "" }

func fill(works []*work, room int) [][]*work {
	var chunks [][]*work
	keys, bytes := 0, 0
	for _, w := range works {
		size := 0
		for _, op := range w.ops {
			size += weigh(op)
		}
		if len(chunks) == 0 || keys+len(w.ops) > room || bytes+size > maxTransaction {
			chunks, keys, bytes = append(chunks, nil), 0, 0
		}
		chunks[len(chunks)-1] = append(chunks[len(chunks)-1], w)
		keys, bytes = keys+len(w.ops), bytes+size
	}
	return chunks
}

// passage is the way of a batch through its transactions.
type passage struct {
	*batch
	begun bool
	done  []events.Record
}

// walk writes transactions one after the other; last says whether the batch ends with them.
func (p *passage) walk(ctx context.Context, chunks [][]*work, last bool) error {
	if p.options.rejectAll() {
		if err := p.tooBig(); err != nil {
			return p.abandon(err)
		}
	}
	for n, chunk := range chunks {
		if err := p.pass(ctx, chunk, last && n == len(chunks)-1); err != nil {
			return err
		}
	}
	return nil
}

// pass writes one transaction. Items whose conditions do not hold are decided anew and tried again; they may then need more
// room than it has.
func (p *passage) pass(ctx context.Context, chunk []*work, last bool) error {
	room := p.room()
	if p.begun || !last {
		room--
	}
	for range api.Rounds(ctx) {
		if chunks := fill(chunk, room); len(chunks) > 1 {
			return p.walk(ctx, chunks, last)
		}
		ops, records := p.gather(chunk)
		if len(ops) == 0 && !(last && p.begun) {
			return nil
		}
		err := p.once(ctx, ops, records, last)
		if err == nil {
			p.done = append(p.done, records...)
			return nil
		}
		failures := failuresOf(err)
		if failures == nil {
			return p.abandon(err)
		}
		if _, gone := store.Failed(err, pending.Key(p.call.Request)); gone {
			return p.abandon(pending.Lost(err, p.call.Request))
		}
		if err := p.again(ctx, chunk, failures); err != nil {
			return p.abandon(err)
		}
		if p.options.rejectAll() && p.failed() {
			return nil
		}
	}
	return p.abandon(store.ErrUnavailable)
}

// once makes one try of a transaction.
func (p *passage) once(ctx context.Context, ops []store.Op, records []events.Record, last bool) error {
	change := p.call.Changed(append(slices.Clone(p.done), records...)...)
	var answer any
	if last {
		answer = p.answer()
	}
	switch {
	case last && p.begun:
		ops = append(ops, pending.Finish(p.call.Request))
	case !last:
		change = events.Nothing
		if !p.begun {
			ops = append(ops, pending.Begin(p.may(), p.call.Now(), timeout))
		}
	}
	_, err := p.call.Write(ctx, answer, change, ops...)
	if err == nil && !last {
		p.begun = true
	}
	return err
}

// may is everything that the batch may still come to change.
func (p *passage) may() events.Change {
	_, records := p.gather(p.changing())
	return p.call.Changed(records...)
}

func (b *batch) gather(works []*work) (ops []store.Op, records []events.Record) {
	for _, w := range works {
		ops, records = append(ops, w.ops...), append(records, w.records...)
	}
	return ops, records
}

// again reads the products whose conditions did not hold once more, and decides their items anew.
func (p *passage) again(ctx context.Context, chunk []*work, failures []store.Failure) error {
	stale, err := p.moved(ctx, chunk, failures)
	if err != nil {
		return err
	}
	for _, w := range chunk {
		if slices.Contains(stale, w) {
			continue
		}
		if err := p.contested(ctx, w, w.among(failures)); err != nil {
			return err
		}
	}
	if err := p.load(ctx, stale); err != nil {
		return err
	}
	for _, w := range stale {
		w.contest.forget()
		p.evaluate(w)
	}
	return nil
}

// moved are the works whose product is not any more as it was read: its head says so, or there may be a claim of its own
// where there was none, and then a look at the head.
func (p *passage) moved(ctx context.Context, chunk []*work, failures []store.Failure) (stale []*work, err error) {
	var asked []*work
	var keys []store.Key
	for _, w := range chunk {
		mine := w.among(failures)
		switch {
		case slices.ContainsFunc(mine, func(f store.Failure) bool { return f.Key == w.before.head.Key }):
			stale = append(stale, w)
		case slices.ContainsFunc(mine, func(f store.Failure) bool { return unique.Owner(f.Item) == w.contest.owner }):
			asked, keys = append(asked, w), append(keys, w.before.head.Key)
		}
	}
	heads, err := getAll(ctx, p.g.p.Main, keys)
	if err != nil {
		return nil, err
	}
	for i, w := range asked {
		if heads[i] == nil || heads[i].Version != w.before.Version {
			stale = append(stale, w)
		}
	}
	return stale, nil
}

// among are the failures of the work's operations.
func (w *work) among(failures []store.Failure) (mine []store.Failure) {
	for _, f := range failures {
		if w.touches(f.Key) {
			mine = append(mine, f)
		}
	}
	return mine
}

func (w *work) touches(key store.Key) bool {
	return slices.ContainsFunc(w.ops, func(op store.Op) bool { return op.Key == key })
}

// abandon is a batch that ends here: what was not written counts as unchanged.
func (p *passage) abandon(err error) error {
	written := map[string]bool{}
	for _, r := range p.done {
		written[r.ID] = true
	}
	for i, r := range p.results {
		if r.Status == Changed && !written[r.ID] {
			p.results[i].Status = Unchanged
		}
	}
	return err
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
