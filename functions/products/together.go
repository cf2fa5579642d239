package products

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/pending"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// together is the way of a batch that has no room in one transaction, and is to be done whole or not at all, or once under
// its Idempotency-Key:
//
//   - What it needs is reserved: claims of its codes and slugs, and new states of parts and texts beside their places. Nobody
//     sees it, but that nobody else gets these names.
//   - One transaction over the heads alone decides. Each head gets what is left to be done beside it as its debt, which
//     readers reckon with. That transaction carries the change.
//   - The debts are paid.
//
// What was reserved for a batch that was refused is given back; when that fails, or the process dies, a claim is free after
// unique.Crash, and staged states go with the pending item that is written first (Heal). When the process dies after the
// decision, that item sees to the debts.
type together struct {
	*passage
	noted    time.Time // when the pending item was written; zero: not yet
	reserved map[store.Key]reservation
	staged   map[store.Key]string // version of each state that waits beside its place
	aside    bool                 // the answer is put aside
	doubtful bool                 // nobody knows whether the decision was made
}

// reservation is a claim that was made for the batch.
type reservation struct {
	product string
	version string // the product's, which had not what is claimed
	again   bool   // an earlier request had reserved it for the product, and may yet decide
}

// How long the pending item waits for the batch, and how long before that the batch decides nothing any more: longer than
// any write takes.
const (
	patience = 3 * timeout
	margin   = timeout
)

func newTogether(p *passage) *together {
	return &together{passage: p, reserved: map[store.Key]reservation{}, staged: map[store.Key]string{}}
}

// run reserves and decides until it is done or refused.
func (t *together) run(ctx context.Context) error {
	for range api.Rounds(ctx) {
		works := t.changing()
		if len(works) == 0 || t.options.rejectAll() && t.failed() {
			t.cancel(ctx)
			return nil
		}
		shares, err := t.shares(works)
		if err == nil {
			err = t.reserve(ctx, shares)
		}
		if err == nil {
			err = t.decide(ctx, shares)
		}
		if err == nil {
			t.finish(ctx, shares)
			return nil
		}
		if failures := failuresOf(err); failures != nil {
			err = t.again(ctx, works, failures)
		}
		if err != nil {
			return t.giveUp(ctx, err)
		}
	}
	return t.giveUp(ctx, store.ErrUnavailable)
}

// fits says whether the heads of works have room in one transaction.
func (t *together) fits(works []*work) bool {
	_, err := t.shares(works)
	return err == nil
}

// giveUp ends the batch with an error.
func (t *together) giveUp(ctx context.Context, err error) error {
	t.cancel(ctx)
	return t.abandon(err)
}

// share is what the batch does to one product.
type share struct {
	*work
	head   store.Op
	claims []store.Op
	states []store.Op // new states of items beside the head, in their places
	debt   debt
}

// shares divides works into what is reserved, decided and owed. A hundred heads leave no room for an answer: the first of
// them owes it then.
func (t *together) shares(works []*work) ([]share, error) {
	all := make([]share, len(works))
	bytes := 0
	for i, w := range works {
		var err error
		if all[i], err = t.share(w); err != nil {
			return nil, err
		}
		all[i].debt.Answer = i == 0 && t.owesAnswer(works)
		all[i].incur()
		bytes += weigh(all[i].head)
	}
	if bytes > maxTransaction {
		return nil, api.InvalidAt("items", api.TooBig, "are of products too large to be changed all or none in one call: send fewer at once")
	}
	return all, nil
}

func (t *together) owesAnswer(works []*work) bool {
	return t.keyed() && len(works) == store.MaxOperations
}

// share divides what is to be done to one product.
func (t *together) share(w *work) (share, error) {
	s := share{work: w, debt: debt{Request: t.call.Request}}
	for _, op := range w.ops {
		deleting := op.Kind == store.Deleting
		switch {
		case op.Key == w.before.head.Key:
			s.head = op
		case isClaim(op.Key) && deleting:
			s.debt.Free = append(s.debt.Free, op.Key.PK)
		case isClaim(op.Key):
			s.claims = append(s.claims, unique.Reserve(op, t.call.Request))
		case deleting:
			s.debt.Gone = append(s.debt.Gone, op.Key.SK)
		case strings.HasPrefix(op.Key.SK, urlPrefix):
			u, err := URLOf(&op.Item)
			if err != nil {
				return s, err
			}
			s.debt.URLs, s.debt.Version = append(s.debt.URLs, u), u.Version
		default:
			s.states = append(s.states, op)
			s.debt.Staged = append(s.debt.Staged, op.Key.SK)
		}
	}
	return s, nil
}

// incur writes the debt into the head. Who owes decides on the product as it was read, and nobody incurs two.
func (s *share) incur() {
	if s.debt.empty() {
		return
	}
	note := string(marshal(s.debt))
	s.head.Conds = append(slices.Clone(s.head.Conds), store.VersionIs(s.before.Version), store.TextIs(owes, ""))
	if s.head.Kind == store.Putting {
		s.head.Item.Text = with(s.head.Item.Text, owes, note)
	} else {
		s.head.Set.Text = with(s.head.Set.Text, owes, note)
	}
}

// note is the debt as the head has it.
func (s *share) note() string { return s.head.Item.Text[owes] + s.head.Set.Text[owes] }

func with(m map[string]string, name, value string) map[string]string {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]string{}
	}
	m[name] = value
	return m
}

// reserve writes what nobody sees: the pending item first, then claims, staged states, and the answer when its head owes it.
func (t *together) reserve(ctx context.Context, shares []share) error {
	var ops []store.Op
	begins := t.noted.IsZero()
	now := t.call.Now()
	if begins {
		ops = append(ops, pending.Heed(t.may(), now, patience))
	}
	for _, s := range shares {
		ops = append(ops, t.missing(s)...)
	}
	if shares[0].debt.Answer {
		keep, err := t.call.Keep(t.answer())
		if err != nil {
			return err
		}
		ops = append(ops, shelved(t.call.Request, keep[0].Item), store.Check(keep[0].Key, keep[0].Conds...))
	}
	for _, some := range loads(ops) {
		if _, err := t.call.Write(ctx, nil, events.Nothing, some...); err != nil {
			return err
		}
		if begins {
			t.noted, begins = now, false
		}
		t.note(shares, some)
	}
	return nil
}

// missing are the reservations of a share that are not made yet.
func (t *together) missing(s share) (ops []store.Op) {
	for _, op := range s.claims {
		if r, has := t.reserved[op.Key]; !has || r.product != s.id {
			ops = append(ops, op)
		}
	}
	for _, op := range s.states {
		key := store.Key{PK: op.Key.PK, SK: staged(op.Key.SK, t.call.Request)}
		if t.staged[key] != op.Item.Version {
			item := op.Item
			item.Key = key
			ops = append(ops, store.Put(item))
		}
	}
	return ops
}

// note remembers what was reserved.
func (t *together) note(shares []share, ops []store.Op) {
	for _, op := range ops {
		switch {
		case isClaim(op.Key):
			i := slices.IndexFunc(shares, func(s share) bool { return s.touches(op.Key) })
			t.reserved[op.Key] = reservation{shares[i].id, shares[i].before.Version, overOwn(op)}
		case strings.Contains(op.Key.SK, stage):
			t.staged[op.Key] = op.Item.Version
		case op.Key == answerKey(t.call.Request):
			t.aside = true
		}
	}
}

// overOwn says whether a claim was taken in the place of one of the same owner.
func overOwn(take store.Op) bool {
	return slices.Contains(take.Conds, store.TextIs("owner", take.Item.Text["owner"]))
}

// loads distributes operations over transactions, in their order.
func loads(ops []store.Op) [][]store.Op {
	var all [][]store.Op
	bytes := 0
	for _, op := range ops {
		size := weigh(op)
		if n := len(all); n == 0 || len(all[n-1]) == store.MaxOperations || bytes+size > maxTransaction {
			all, bytes = append(all, nil), 0
		}
		all[len(all)-1] = append(all[len(all)-1], op)
		bytes += size
	}
	return all
}

// decide writes all heads, and with them the change. It does so only while the pending item and the reservations are
// certain to be there.
func (t *together) decide(ctx context.Context, shares []share) error {
	if t.call.Now().After(t.noted.Add(patience - margin)) {
		return store.ErrUnavailable
	}
	ops := make([]store.Op, len(shares))
	var records []events.Record
	for i, s := range shares {
		ops[i], records = s.head, append(records, s.records...)
	}
	var answer any
	if !shares[0].debt.Answer {
		answer = t.answer()
	}
	_, err := t.call.Write(ctx, answer, t.call.Changed(records...), ops...)
	t.doubtful = err != nil && !store.IsCondition(err)
	if err == nil {
		t.done = records
	}
	return err
}

// finish pays the debts. What it does not get done, the next write to the product does, or the sweeper.
func (t *together) finish(ctx context.Context, shares []share) {
	var all []payment
	for _, s := range shares {
		if s.debt.empty() {
			continue
		}
		head, states := &store.Item{Key: s.head.Key, Text: map[string]string{owes: s.note()}}, map[string]*store.Item{}
		for _, op := range s.states {
			states[op.Key.SK] = &op.Item
		}
		all = append(all, s.debt.payments(t.call.Shop, head, states)...)
		for _, sk := range s.debt.Staged {
			delete(t.staged, store.Key{PK: head.PK, SK: staged(sk, t.call.Request)})
		}
	}
	var answer any
	if shares[0].debt.Answer {
		answer, t.aside = t.answer(), false
	}
	t.pay(ctx, bundle(append(all, t.scraps()...)), answer)
}

// pay pays in several transactions, the first with the answer, the last with the end of the pending item. That the caller
// is gone does not end it.
func (t *together) pay(ctx context.Context, bundles [][]payment, answer any) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), margin)
	defer end()
	for n := 0; n == 0 || n < len(bundles); n++ {
		var some []payment
		var more []store.Op
		if n < len(bundles) {
			some = bundles[n]
		}
		if n >= len(bundles)-1 {
			more = append(more, pending.Finish(t.call.Request))
		}
		err := pay(ctx, func(ctx context.Context, ops ...store.Op) error {
			_, err := t.call.Write(ctx, answer, events.Nothing, ops...)
			return err
		}, some, more...)
		if err != nil {
			t.g.p.Log.WarnContext(ctx, "a batch has debts left", "requestId", t.call.RequestID, "error", err)
			return
		}
		answer = nil
	}
}

// cancel gives back what was reserved for a batch that certainly is not done: a claim only while its product is as it was
// when it had not what is claimed, and never one that another request, which may yet decide, relies on.
func (t *together) cancel(ctx context.Context) {
	if t.noted.IsZero() || t.doubtful {
		return
	}
	var all []payment
	for _, w := range t.works {
		if back := t.takenFor(w); len(back) > 0 {
			same := store.Check(w.before.head.Key, store.VersionIs(w.before.Version))
			all = append(all, payment{same.Key, append([]store.Op{same}, back...)})
		}
	}
	t.pay(ctx, bundle(append(all, t.scraps()...)), nil)
}

// scraps take away what was put aside and is of no use.
func (t *together) scraps() (all []payment) {
	for key := range t.staged {
		all = append(all, payment{key, []store.Op{store.Delete(key)}})
	}
	if key := answerKey(t.call.Request); t.aside {
		all = append(all, payment{key, []store.Op{store.Delete(key)}})
	}
	return all
}

// takenFor are the operations that give back the claims of a product.
func (t *together) takenFor(w *work) (ops []store.Op) {
	for key, r := range t.reserved {
		if r.product == w.id && !r.again && w.before != nil && w.before.Version == r.version {
			ops = append(ops, unique.Cancel(key, ownerOf(OfProduct, w.id), t.call.Request))
		}
	}
	return ops
}
