package signingkey

import (
	"context"
	"slices"
	"time"

	"eshop/shared/base/remember"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook/signature"
)

// Live is a key that signs, opened: pending, primary or retiring.
type Live struct {
	ID      string
	State   State
	Expires field.Time // of a retiring one: compared when signing
	Key     signature.Key
}

// Reader reads the sets of owners, and opens their keys.
type Reader struct {
	Table   store.Table
	Secrets secret.Keys
	Now     func() time.Time
}

// Live reads the keys of an access, or of a package for its systemUrl, that sign now: primary, pending, retiring.
// opened are those that were opened before: a key never changes, so none is opened twice.
func (r Reader) Live(ctx context.Context, owner string, opened ...Live) ([]Live, error) {
	set, err := ReadSet(ctx, r.Table, owner)
	if err != nil {
		return nil, err
	}
	var live []Live
	for _, k := range set.Keys {
		if k.StateAt(r.Now()) == Revoked {
			continue
		}
		l := Live{ID: k.ID, State: k.State, Expires: k.Expires}
		if l.Key, err = r.open(ctx, k, opened); err != nil {
			return nil, err
		}
		live = append(live, l)
	}
	order := []State{Primary, Pending, Retiring}
	slices.SortStableFunc(live, func(a, b Live) int {
		return slices.Index(order, a.State) - slices.Index(order, b.State)
	})
	return live, nil
}

// open is the secret of the key: as it was opened before, or unsealed.
func (r Reader) open(ctx context.Context, k Key, opened []Live) (signature.Key, error) {
	if i := slices.IndexFunc(opened, func(l Live) bool { return l.ID == k.ID }); i >= 0 {
		return opened[i].Key, nil
	}
	plain, err := r.Secrets.Open(ctx, SealName(k.Owner, k.ID), k.Sealed)
	if err != nil {
		return signature.Key{}, err
	}
	return signature.FromBytes(plain)
}

// A change of keys counts for every attempt begun 10 s after its answer (contract, "Signing keys"): keys are remembered
// for half of that, those of at most maxOwners.
const (
	rememberedFor = 5 * time.Second
	maxOwners     = 10_000
)

// Cache remembers live keys for as long as it may. It is safe for concurrent use.
type Cache struct {
	reader Reader
	owners remember.Last[string, *remembered]
}

// remembered are an owner's keys, read by one while the others wait.
type remembered struct {
	turn chan struct{} // holds one while somebody reads: who waits for it gives up with its context
	keys []Live
	at   time.Time // when they were read; zero: not yet
}

// NewCache is an empty one.
func NewCache(r Reader) *Cache {
	return &Cache{reader: r, owners: remember.NewLast[string, *remembered](maxOwners)}
}

// Live are the keys that sign an attempt at the owner's webhooks begun now.
func (c *Cache) Live(ctx context.Context, owner string) ([]Live, error) {
	k := c.of(owner)
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := c.reader.Now()
	if k.at.IsZero() || now.Sub(k.at) >= rememberedFor {
		keys, err := c.reader.Live(ctx, owner, k.keys...)
		if err != nil {
			return nil, err
		}
		k.keys, k.at = keys, now
	}
	expired := func(l Live) bool { return l.State == Retiring && l.Expires <= field.At(now) }
	if !slices.ContainsFunc(k.keys, expired) {
		return k.keys, nil
	}
	return slices.DeleteFunc(slices.Clone(k.keys), expired), nil
}

// of is what is remembered of the owner.
func (c *Cache) of(owner string) *remembered {
	return c.owners.Update(owner, func(k *remembered, has bool) *remembered {
		if has {
			return k
		}
		return &remembered{turn: make(chan struct{}, 1)}
	})
}
