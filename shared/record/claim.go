// Package unique keeps what only one record of a kind may hold: an e-mail address, a code, an external id. Each value
// is an item of its own, the claim, that names its owner and is put in the transaction that writes the owner; so it
// is the look-up by that value, too.
//
// A claim is free again when its owner is a tombstone, and when there is no owner and the claim is older than Crash: a
// request left it that died between its transactions. Whoever wants a free claim takes it over, on condition that it is
// still the same. So a deletion needs to write nothing but its tombstone.
package unique

import (
	"context"
	"errors"
	"slices"
	"time"

	"eshop/shared/store"
)

// Life is how long a tombstone stays.
const Life = 30 * 24 * time.Hour

// Crash is the age from which a claim without an owner was left by a crash: longer than any request runs.
const Crash = 5 * time.Minute

// tries bounds how often a claim can change hands while one request wants it.
const tries = 4

// Claim is a value that a record holds.
type Claim struct {
	Key   store.Key // of the claim's item
	Taken error     // what the caller is told when another record holds it
}

// Claims are what a write takes for a record and gives up.
type Claims struct {
	Owner string                    // the record's id
	Of    func(id string) store.Key // where records of this kind are
	Now   time.Time
	Take  []Claim
	Leave []store.Key
}

// Between is what a record takes and leaves that held some values and is to hold others.
func Between(before, after []Claim) (take []Claim, leave []store.Key) {
	for _, c := range after {
		if !holds(before, c.Key) {
			take = append(take, c)
		}
	}
	for _, c := range before {
		if !holds(after, c.Key) {
			leave = append(leave, c.Key)
		}
	}
	return take, leave
}

func holds(claims []Claim, key store.Key) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool { return c.Key == key })
}

// Take is the operation that puts a claim for its owner in the place of over, the claim that was found free; nil: none.
func Take(key store.Key, owner string, now time.Time, over *store.Item) store.Op {
	return store.Put(store.Item{Key: key, Text: map[string]string{"owner": owner}, Num: map[string]int64{"at": now.UnixMilli()}}, still(over)...)
}

// still is that a claim is as it was seen: of the same owner, and not taken anew since.
func still(seen *store.Item) []store.Condition {
	if seen == nil {
		return []store.Condition{store.Absent()}
	}
	conds := []store.Condition{store.TextIs("owner", Owner(seen))}
	if at, has := seen.Num["at"]; has {
		conds = append(conds, store.NumIs("at", at))
	}
	return conds
}

// Release is the operation that gives a claim of the owner back. It does not hold when the claim is not the owner's.
func Release(key store.Key, owner string) store.Op {
	return store.Delete(key, store.TextIs("owner", owner))
}

// Owners are the records that claims name, as whoever wants a claim asks after them.
type Owners struct {
	Table store.Table
	Of    func(owner string) store.Key // where they are
	Now   time.Time
}

// Free says which of the claims can be had; those that are not there can.
func (o Owners) Free(ctx context.Context, claims ...*store.Item) ([]bool, error) {
	keys := make([]store.Key, 0, len(claims))
	for _, c := range claims {
		if c != nil {
			keys = append(keys, o.Of(Owner(c)))
		}
	}
	free := make([]bool, len(claims))
	owners, err := store.GetAll(ctx, o.Table, keys)
	if err != nil {
		return nil, err
	}
	for i, c := range claims {
		if free[i] = true; c == nil {
			continue
		}
		free[i] = o.free(c, owners[0])
		owners = owners[1:]
	}
	return free, nil
}

// free says whether a claim can be taken over from the owner that it names.
func (o Owners) free(claim, owner *store.Item) bool {
	if owner == nil {
		return o.Now.Sub(time.UnixMilli(claim.Num["at"])) > Crash
	}
	return Gone(owner)
}

// Owner is the id of the record that a claim names; "" without a claim.
func Owner(claim *store.Item) string {
	if claim == nil {
		return ""
	}
	return claim.Text["owner"]
}

// Tombstone is what a deletion leaves at the record's key: it answers 404 and keeps the id from coming back.
func Tombstone(key store.Key, version string, now time.Time) store.Item {
	return store.Item{Key: key, Version: version, Text: map[string]string{"deleted": "1"}, Expires: now.Add(Life).Unix()}
}

// Gone says whether there is no record at an item: none, or a tombstone.
func Gone(item *store.Item) bool { return item == nil || item.Text["deleted"] != "" }

// Write does ops with the claims in one transaction by write. It returns the Taken of the first claim that another
// record holds, and the *store.ConditionError of any other condition that did not hold. table is where owners are
// read.
func (c Claims) Write(ctx context.Context, table store.Table, write func(...store.Op) (store.Item, error), ops ...store.Op) (store.Item, error) {
	a := c.Attempt()
	for try := 1; ; try++ {
		item, err := write(slices.Concat(ops, a.Operations())...)
		if err == nil || try == tries || c.others(err) {
			return item, err
		}
		if err := a.Lost(ctx, table, err); err != nil {
			return store.Item{}, err
		}
	}
}

// Attempt is claims within a transaction that somebody else writes, with all that was learnt from tries that failed.
type Attempt struct {
	Claims
	over  []*store.Item // of each claim to take: the free one that is there
	leave []store.Key
}

// Attempt begins one.
func (c Claims) Attempt() *Attempt {
	return &Attempt{Claims: c, over: make([]*store.Item, len(c.Take)), leave: c.Leave}
}

// Operations are what the next try has to hold.
func (a *Attempt) Operations() []store.Op {
	var ops []store.Op
	for i, claim := range a.Take {
		ops = append(ops, Take(claim.Key, a.Owner, a.Now, a.over[i]))
	}
	for _, key := range a.leave {
		ops = append(ops, Release(key, a.Owner))
	}
	return ops
}

// Lost looks at the claims that made a try fail: nil to try again, else the Taken of one that another record holds.
func (a *Attempt) Lost(ctx context.Context, table store.Table, failed error) error {
	a.leave = slices.DeleteFunc(slices.Clone(a.leave), func(k store.Key) bool { _, lost := store.Failed(failed, k); return lost })
	return a.takeOver(ctx, table, failed)
}

// others says whether the error is about anything but these claims.
func (c Claims) others(err error) bool {
	var refused *store.ConditionError
	return !errors.As(err, &refused) || slices.ContainsFunc(refused.Failures, func(f store.Failure) bool {
		return !holds(c.Take, f.Key) && !slices.Contains(c.Leave, f.Key)
	})
}

// takeOver makes of the claims that failed what is there, if it is free.
func (a *Attempt) takeOver(ctx context.Context, table store.Table, failed error) error {
	var at []int
	var foreign []*store.Item
	for i, claim := range a.Take {
		f, lost := store.Failed(failed, claim.Key)
		if !lost {
			continue
		}
		if a.over[i] = f.Item; f.Item != nil && Owner(f.Item) != a.Owner {
			at, foreign = append(at, i), append(foreign, f.Item)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	free, err := Owners{Table: table, Of: a.Of, Now: a.Now}.Free(ctx, foreign...)
	if err != nil {
		return err
	}
	if n := slices.Index(free, false); n >= 0 {
		return a.Take[at[n]].Taken
	}
	return nil
}

// Find is the item of the record that holds the value of a claim; nil when none does.
func Find(ctx context.Context, table store.Table, claim store.Key, of func(id string) store.Key) (*store.Item, error) {
	claims, err := table.Get(ctx, claim)
	if err != nil || claims[0] == nil {
		return nil, err
	}
	items, err := table.Get(ctx, of(Owner(claims[0])))
	if err != nil || Gone(items[0]) {
		return nil, err
	}
	return items[0], nil
}
