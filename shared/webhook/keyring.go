package webhook

import (
	"context"
	"slices"
	"time"

	"eshop/shared/field"
	"eshop/shared/remember"
	"eshop/shared/secret"
	"eshop/shared/signature"
	"eshop/shared/store"
)

// LiveKey is a key that signs, opened: pending, primary or retiring.
type LiveKey struct {
	ID      string
	State   KeyState
	Expires field.Time // of a retiring one: compared when signing
	Key     signature.Key
}

// Keys open the keys of rings.
type Keys struct {
	Table   store.Table
	Secrets secret.Keys
	Now     func() time.Time
}

// Of reads the live keys of an access, or of a package for its systemUrl, as they are now: primary, pending, retiring.
func (s Keys) Of(ctx context.Context, owner string) ([]LiveKey, error) {
	return s.live(ctx, owner, nil)
}

// live is Of with keys that were opened before: a key never changes, so none is opened twice.
func (s Keys) live(ctx context.Context, owner string, opened []LiveKey) ([]LiveKey, error) {
	set, err := KeySetOf(ctx, s.Table, owner)
	if err != nil {
		return nil, err
	}
	var live []LiveKey
	for _, k := range set.Keys {
		if k.StateAt(s.Now()) == Revoked {
			continue
		}
		l := LiveKey{ID: k.ID, State: k.State, Expires: k.Expires}
		if l.Key, err = s.open(ctx, k, opened); err != nil {
			return nil, err
		}
		live = append(live, l)
	}
	order := []KeyState{Primary, Pending, Retiring}
	slices.SortStableFunc(live, func(a, b LiveKey) int {
		return slices.Index(order, a.State) - slices.Index(order, b.State)
	})
	return live, nil
}

// open is the secret of the key: as it was opened before, or unsealed.
func (s Keys) open(ctx context.Context, k Key, opened []LiveKey) (signature.Key, error) {
	if i := slices.IndexFunc(opened, func(l LiveKey) bool { return l.ID == k.ID }); i >= 0 {
		return opened[i].Key, nil
	}
	plain, err := s.Secrets.Open(ctx, SealName(k.Owner, k.ID), k.Sealed)
	if err != nil {
		return signature.Key{}, err
	}
	return signature.FromBytes(plain)
}

// A change of keys counts for every attempt begun 10 s after its answer (contract, section 5, "Keys"): keys are
// remembered for half of that, those of at most maxOwners.
const (
	keysFor   = 5 * time.Second
	maxOwners = 10_000
)

// Keyring remembers live keys for as long as it may. It is safe for concurrent use.
type Keyring struct {
	keys   Keys
	owners remember.Last[string, *remembered]
}

// remembered are an owner's keys, read by one while the others wait.
type remembered struct {
	turn chan struct{} // holds one while somebody reads: who waits for it gives up with its context
	keys []LiveKey
	at   time.Time // when they were read; zero: not yet
}

// NewKeyring is an empty one.
func NewKeyring(keys Keys) *Keyring {
	return &Keyring{keys: keys, owners: remember.NewLast[string, *remembered](maxOwners)}
}

// Of are the keys that sign an attempt at the owner's webhooks begun now.
func (r *Keyring) Of(ctx context.Context, owner string) ([]LiveKey, error) {
	k := r.of(owner)
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := r.keys.Now()
	if k.at.IsZero() || now.Sub(k.at) >= keysFor {
		keys, err := r.keys.live(ctx, owner, k.keys)
		if err != nil {
			return nil, err
		}
		k.keys, k.at = keys, now
	}
	expired := func(l LiveKey) bool { return l.State == Retiring && l.Expires <= field.At(now) }
	if !slices.ContainsFunc(k.keys, expired) {
		return k.keys, nil
	}
	return slices.DeleteFunc(slices.Clone(k.keys), expired), nil
}

// of is the owner's place in the set.
func (r *Keyring) of(owner string) *remembered {
	return r.owners.Update(owner, func(k *remembered, has bool) *remembered {
		if has {
			return k
		}
		return &remembered{turn: make(chan struct{}, 1)}
	})
}
