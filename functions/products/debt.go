package products

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// A batch that is done whole or not at all, and has no room in one transaction, is decided by one that writes heads only
// (together.go). What it means for the items beside a head is the head's debt: a text of the head, which readers reckon
// with, so that all of the batch is seen from that moment or nothing of it. The batch pays it at once; after a crash the
// next write to the product does, or the sweeper. A debt comes only with a new version of the head and goes without one,
// and nobody puts a head, or writes a URL beside it, before the debt is paid.

// owes is the text of a head with its debt.
const owes = "owes"

// debt is what is still to be done to the items beside a head.
type debt struct {
	Request string   `json:"request"`
	Version string   `json:"version"`          // what the URLs have afterwards
	URLs    []URL    `json:"urls,omitempty"`   // as they are to be
	Gone    []string `json:"gone,omitempty"`   // sort keys of items that go
	Free    []string `json:"free,omitempty"`   // partition keys of claims that are given back
	Staged  []string `json:"staged,omitempty"` // sort keys of items whose new state is staged
	Answer  bool     `json:"answer,omitempty"` // the request's answer is to be kept under its Idempotency-Key
}

// debtOf reads a head's debt; of a head without one it is zero.
func debtOf(head *store.Item) (d debt, err error) {
	if note := head.Text[owes]; note != "" {
		err = unmarshal([]byte(note), &d)
	}
	for i := range d.URLs {
		d.URLs[i].Version = d.Version
	}
	return d, err
}

func (d debt) empty() bool {
	return len(d.URLs)+len(d.Gone)+len(d.Free)+len(d.Staged) == 0 && !d.Answer
}

// staged is where the state that an item is to have waits for the head that names it.
func staged(sk, request string) string { return sk + stage + request }

const stage = "!"

// newest is the item of a sort key in the state that a head names, in its place or still staged; nil: it is not there.
func newest(items map[string]*store.Item, sk, version string) *store.Item {
	if i := items[sk]; i != nil && i.Version == version {
		return i
	}
	for name, i := range items {
		if strings.HasPrefix(name, sk+stage) && i != nil && i.Version == version {
			return i
		}
	}
	return nil
}

// after are the URLs of an item as they are with its debt paid, oldest first.
func (d debt) after(urls []URL) []URL {
	if len(d.URLs)+len(d.Gone) == 0 {
		return urls
	}
	all := slices.Clone(d.URLs)
	for _, u := range urls {
		same := func(o URL) bool { return o.row() == u.row() }
		if !slices.Contains(d.Gone, u.row()) && !slices.ContainsFunc(d.URLs, same) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b URL) int { return strings.Compare(a.row(), b.row()) })
	return all
}

// AsOf is the URL as the head of what it belongs to has it, and whether there is such a URL: what a URL's own item says is
// behind its head for a moment when many products are renamed at once.
func AsOf(head *store.Item, u URL) (URL, bool, error) {
	if Deleted(head) {
		return u, false, nil
	}
	d, err := debtOf(head)
	for _, is := range d.after([]URL{u}) {
		if is.row() == u.row() {
			return is, err == nil, err
		}
	}
	return u, false, err
}

// Owes says whether a head has a debt: it must be paid before anything is written to the product or its URLs.
func Owes(head *store.Item) bool { return head != nil && head.Text[owes] != "" }

// payment is operations that go together, and the head that says whether they are still to be done.
type payment struct {
	head store.Key
	ops  []store.Op
}

// payments are what it takes to pay the debt of a head: as a rule one transaction's worth, of a product of very many parts
// several, the last of which ends the debt. states are the staged items by the sort keys of their places, those left.
func (d debt) payments(shop string, head *store.Item, states map[string]*store.Item, more ...store.Op) []payment {
	ops := append(d.ops(shop, head.Key, states), more...)
	due := store.TextIs(owes, head.Text[owes])
	var all []payment
	for len(ops) > maxPaid {
		all = append(all, payment{head.Key, append([]store.Op{store.Check(head.Key, due)}, ops[:maxPaid]...)})
		ops = ops[maxPaid:]
	}
	return append(all, payment{head.Key, append([]store.Op{store.Update(head.Key, store.Set{Drop: []string{owes}}, due)}, ops...)})
}

// maxPaid leaves room in a transaction for a head, a pending item and an answer.
const maxPaid = store.MaxOperations - 3

// ops are the operations on what is beside the head; staged items go last.
func (d debt) ops(shop string, head store.Key, states map[string]*store.Item) (ops []store.Op) {
	for _, sk := range d.Staged {
		if state := states[sk]; state != nil {
			item := *state
			item.SK = sk
			ops = append(ops, store.Put(item))
		}
	}
	for _, u := range d.URLs {
		ops = append(ops, store.Put(u.Stored(shop)))
	}
	for _, sk := range d.Gone {
		ops = append(ops, store.Delete(store.Key{PK: head.PK, SK: sk}))
	}
	for _, pk := range d.Free {
		ops = append(ops, unique.Release(store.Key{PK: pk, SK: headSK}, ownerOf(OfProduct, idIn(head.PK))))
	}
	for _, sk := range d.Staged {
		ops = append(ops, store.Delete(store.Key{PK: head.PK, SK: staged(sk, d.Request)}))
	}
	if d.Answer {
		ops = append(ops, store.Delete(answerKey(d.Request)))
	}
	return ops
}

// Pay pays the debts of products' heads. What others pay at the same time is paid once.
func Pay(ctx context.Context, t store.Table, shop string, now time.Time, heads ...*store.Item) error {
	var all []payment
	seen := map[store.Key]bool{}
	for _, head := range heads {
		if !Owes(head) || seen[head.Key] {
			continue
		}
		seen[head.Key] = true
		d, err := debtOf(head)
		if err != nil {
			return err
		}
		states, answer, err := d.waiting(ctx, t, head.Key)
		if err != nil {
			return err
		}
		all = append(all, d.payments(shop, head, states, answered(answer, now)...)...)
	}
	for _, some := range bundle(all) {
		if err := pay(ctx, writeTo(t), some); err != nil {
			return err
		}
	}
	return nil
}

// waiting reads what is staged for a debt.
func (d debt) waiting(ctx context.Context, t store.Table, head store.Key) (states map[string]*store.Item, answer *store.Item, err error) {
	var keys []store.Key
	for _, sk := range d.Staged {
		keys = append(keys, store.Key{PK: head.PK, SK: staged(sk, d.Request)})
	}
	if d.Answer {
		keys = append(keys, answerKey(d.Request))
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, nil, err
	}
	if d.Answer {
		answer = items[len(items)-1]
	}
	states = make(map[string]*store.Item, len(d.Staged))
	for i, sk := range d.Staged {
		states[sk] = items[i]
	}
	return states, answer, nil
}

// answerKey is where the answer of a request waits for the decision that it tells of.
func answerKey(request string) store.Key { return store.Key{PK: "PEND#" + request, SK: "K"} }

// shelved puts the item that would keep an answer aside, for as long as a debt can last.
func shelved(request string, keep store.Item) store.Op {
	text := map[string]string{"at": keep.PK}
	for name, v := range keep.Text {
		text[name] = v
	}
	return store.Put(store.Item{Key: answerKey(request), Doc: keep.Doc, Text: text, Expires: keep.Expires})
}

// answered keeps an answer that was put aside, unless there is one under that key.
func answered(aside *store.Item, now time.Time) []store.Op {
	if aside == nil {
		return nil
	}
	return []store.Op{store.Put(store.Item{Key: store.Key{PK: aside.Text["at"], SK: headSK}, Doc: aside.Doc,
		Text: map[string]string{"hash": aside.Text["hash"]}, Expires: aside.Expires}, store.Gone(now.Unix()))}
}

// bundle puts payments together into as few transactions as they have room in.
func bundle(all []payment) [][]payment {
	var bundles [][]payment
	keys, bytes := 0, 0
	for _, p := range all {
		size := 0
		for _, op := range p.ops {
			size += weigh(op)
		}
		if len(bundles) == 0 || keys+len(p.ops) > maxPaid+1 || bytes+size > maxTransaction {
			bundles, keys, bytes = append(bundles, nil), 0, 0
		}
		bundles[len(bundles)-1] = append(bundles[len(bundles)-1], p)
		keys, bytes = keys+len(p.ops), bytes+size
	}
	return bundles
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

type writer func(ctx context.Context, ops ...store.Op) error

// writeTo writes to a table what nobody is told of.
func writeTo(t store.Table) writer {
	return func(ctx context.Context, ops ...store.Op) error {
		_, err := t.Write(ctx, events.Nothing, ops...)
		return err
	}
}

// pay writes payments and more in one transaction. A payment whose head says no more that it is due is left out, and an
// operation by itself that does not hold: a claim to be given back may be another's by now.
func pay(ctx context.Context, write writer, some []payment, more ...store.Op) error {
	for range api.Rounds(ctx) {
		ops := slices.Clone(more)
		for _, p := range some {
			ops = append(ops, p.ops...)
		}
		if len(ops) == 0 {
			return nil
		}
		err := write(ctx, ops...)
		failures := failuresOf(err)
		if failures == nil {
			return err
		}
		some, more = without(some, failures), held(more, failures)
	}
	return store.ErrUnavailable
}

func without(some []payment, failures []store.Failure) (rest []payment) {
	for _, p := range some {
		if slices.ContainsFunc(failures, func(f store.Failure) bool { return f.Key == p.head }) {
			continue
		}
		if p.ops = held(p.ops, failures); len(p.ops) > 0 {
			rest = append(rest, p)
		}
	}
	return rest
}

// held are the operations that did not fail.
func held(ops []store.Op, failures []store.Failure) []store.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(op store.Op) bool {
		return slices.ContainsFunc(failures, func(f store.Failure) bool { return f.Key == op.Key })
	})
}
