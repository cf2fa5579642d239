package record

import (
	"context"
	"errors"
	"slices"
	"time"

	"eshop/shared/ports/store"
)

// Abandoned is the age from which a claim without an owner was left by a crash: longer than any request runs.
const Abandoned = 5 * time.Minute

// tombstoneLife is how long a tombstone stays: as long as the change feed and the deliveries of webhooks, which name
// deleted records.
const tombstoneLife = 30 * 24 * time.Hour

// claimTries bounds how often a claim can change hands while one request wants it: each time costs it a transaction.
const claimTries = 4

// until is the number of a claim that its owner has given up and that is held for it: until when, in unix seconds.
const until = "until"

// Claim is a value that only one record of a kind may have: an e-mail address, a code, an external id. Its item names
// its owner and is written in the transaction that writes the owner; so it is the look-up by that value, too.
//
// A claim is free again when its owner is a tombstone or has given it up, as a kind may say, and when there is no owner
// and the claim is older than Abandoned: a request left it that died between its transactions. One that is held for
// its owner (HoldClaim) is nobody else's before its time is over. Whoever wants a free claim takes it over, on
// condition that it is still the same. A deletion releases the claims of its record, so that none stays for ever. The
// tombstone is what counts, and a claim that is left behind is free all the same.
type Claim struct {
	Key     store.Key // of the claim's item
	Taken   error     // the caller's error when another record holds it
	Expires int64     // when its owner has given it up by then, whatever happens, in unix seconds; 0: never
}

// Claims are those that a write acquires for a record and releases, with what was learnt from tries that failed.
type Claims struct {
	Owner   string                    // the record's id
	Of      func(id string) store.Key // the key of a record of this kind
	Now     time.Time
	Acquire []Claim
	Release []store.Key
	// GivenUp says of an owner that is there that its claims are free for good; nil: tombstones only have free ones.
	GivenUp func(owner *store.Item) bool
	// Hold is for how long claims that are released stay the record's; 0: they are free at once.
	Hold time.Duration

	free map[store.Key]*store.Item // the claims that are there and can be taken over
}

// ClaimsBetween are those that a record acquires and releases that had the claims before and is to have those after.
func ClaimsBetween(before, after []Claim) (acquire []Claim, release []store.Key) {
	for _, c := range after {
		if !holds(before, c.Key) {
			acquire = append(acquire, c)
		}
	}
	for _, c := range before {
		if !holds(after, c.Key) {
			release = append(release, c.Key)
		}
	}
	return acquire, release
}

// holds says whether one of the claims has the key.
func holds(claims []Claim, key store.Key) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool { return c.Key == key })
}

// Write does ops with the claims in one transaction by write. It returns the Taken of the first claim that another
// record holds, and the *store.ConditionError of any other condition that did not hold. table is where owners are
// read.
func (c *Claims) Write(
	ctx context.Context, table store.Table, write func(...store.Op) (store.Item, error), ops ...store.Op,
) (store.Item, error) {
	for try := 1; ; try++ {
		item, err := write(slices.Concat(ops, c.Operations())...)
		if err == nil || try == claimTries || !c.refused(err) {
			return item, err
		}
		if err := c.Resolve(ctx, table, err); err != nil {
			return store.Item{}, err
		}
	}
}

// refused says whether a write failed for nothing but these claims.
func (c *Claims) refused(err error) bool {
	var refused *store.ConditionError
	return errors.As(err, &refused) && !slices.ContainsFunc(refused.Failures, func(f store.Failure) bool {
		return !holds(c.Acquire, f.Key) && !slices.Contains(c.Release, f.Key)
	})
}

// Operations are what the next try has to hold.
func (c *Claims) Operations() []store.Op {
	var ops []store.Op
	for _, claim := range c.Acquire {
		op := AcquireClaim(claim.Key, c.Owner, c.Now, c.free[claim.Key])
		op.Item.Expires = claim.Expires
		ops = append(ops, op)
	}
	for _, key := range c.Release {
		if c.Hold > 0 {
			ops = append(ops, HoldClaim(key, c.Owner, c.Now.Add(c.Hold)))
		} else {
			ops = append(ops, ReleaseClaim(key, c.Owner))
		}
	}
	return ops
}

// Resolve looks at the claims that made a try fail. It returns nil if another try may succeed, else the Taken of a
// claim that another record holds. A claim that was to be released, and is not the record's, is left alone.
func (c *Claims) Resolve(ctx context.Context, table store.Table, failed error) error {
	c.Release = slices.DeleteFunc(slices.Clone(c.Release), func(k store.Key) bool {
		_, foreign := store.Failed(failed, k)
		return foreign
	})
	if c.free == nil {
		c.free = map[store.Key]*store.Item{}
	}
	var others []*store.Item
	var taken []error
	for _, claim := range c.Acquire {
		f, there := store.Failed(failed, claim.Key)
		if !there {
			continue
		}
		if c.free[claim.Key] = f.Item; f.Item != nil && Owner(f.Item) != c.Owner {
			others, taken = append(others, f.Item), append(taken, claim.Taken)
		}
	}
	free, err := c.Free(ctx, table, others)
	if err != nil {
		return err
	}
	if i := slices.Index(free, false); i >= 0 {
		return taken[i]
	}
	return nil
}

// AcquireClaim is the operation that puts a claim for its owner. free is the claim that was found at its key and can be
// taken over; nil: there was none.
func AcquireClaim(key store.Key, owner string, now time.Time, free *store.Item) store.Op {
	conds := []store.Condition{store.Absent()}
	if free != nil { // still of the same owner, and not taken anew since
		conds = []store.Condition{store.TextIs("owner", Owner(free))}
		if at, has := free.Num["at"]; has {
			conds = append(conds, store.NumIs("at", at))
		}
	}
	claim := store.Item{Key: key, Text: map[string]string{"owner": owner}, Num: map[string]int64{"at": now.UnixMilli()}}
	return store.Put(claim, conds...)
}

// ReleaseClaim is the operation that deletes a claim of the owner. Its condition does not hold when the claim is not
// the owner's.
func ReleaseClaim(key store.Key, owner string) store.Op {
	return store.Delete(key, store.TextIs("owner", owner))
}

// HoldClaim is ReleaseClaim of a value that nobody but its owner can have before end.
func HoldClaim(key store.Key, owner string, end time.Time) store.Op {
	expires := end.Unix()
	return store.Update(key, store.Set{Expires: &expires, Num: map[string]int64{until: expires}},
		store.TextIs("owner", owner))
}

// HeldClaim says whether the claim's owner has given it up and nobody else can have it yet (HoldClaim).
func HeldClaim(claim *store.Item, now time.Time) bool {
	end, held := claim.Num[until]
	return held && now.Unix() < end
}

// Free says which claims that were read can be had, by Of, Now and GivenUp; those that are not there can.
func (c *Claims) Free(ctx context.Context, t store.Table, claims []*store.Item) ([]bool, error) {
	var keys []store.Key
	for _, claim := range claims {
		if claim != nil {
			keys = append(keys, c.Of(Owner(claim)))
		}
	}
	owners, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	free := make([]bool, len(claims))
	for i, claim := range claims {
		if claim == nil {
			free[i] = true
			continue
		}
		if _, held := claim.Num[until]; held { // a host may delete what has expired days later
			free[i] = !HeldClaim(claim, c.Now)
		} else if free[i] = Missing(owners[0]); owners[0] == nil {
			free[i] = c.Now.Sub(time.UnixMilli(claim.Num["at"])) > Abandoned
		} else if c.GivenUp != nil && !free[i] {
			free[i] = c.GivenUp(owners[0])
		}
		owners = owners[1:]
	}
	return free, nil
}

// Owner is the id of the record that a claim names; "" without a claim.
func Owner(claim *store.Item) string {
	if claim == nil {
		return ""
	}
	return claim.Text["owner"]
}

// Tombstone is what a deletion leaves at the record's key: it answers 404 and keeps the id from coming back. When it
// has expired the id comes back no more either, since the platform alone makes ids (contract, "Resources").
func Tombstone(key store.Key, version string, now time.Time) store.Item {
	return store.Item{Key: key, Version: version, Text: map[string]string{"deleted": "1"},
		Expires: now.Add(tombstoneLife).Unix()}
}

// Missing says whether there is no record at an item: none, or a tombstone.
func Missing(item *store.Item) bool { return item == nil || item.Text["deleted"] != "" }
