package webhooks

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/signature"
)

// LiveKey is a key that signs: pending, primary or retiring.
type LiveKey struct {
	ID      string
	State   KeyState
	Expires api.Time // of a retiring one: compared when signing
	Key     signature.Key
}

// KeysOf reads the live keys of an access, or of a package for its systemUrl, as they are now: primary, pending, retiring.
func KeysOf(ctx context.Context, p *host.Platform, owner string) ([]LiveKey, error) {
	return keysNow(ctx, p, owner, nil)
}

// keysNow is KeysOf with keys that were opened before: a key never changes, so none is opened twice.
func keysNow(ctx context.Context, p *host.Platform, owner string, before []LiveKey) ([]LiveKey, error) {
	ring, err := RingOf(ctx, p.Main, owner)
	if err != nil {
		return nil, err
	}
	var live []LiveKey
	for _, k := range ring.Keys {
		if k.StateAt(p.Now()) == Revoked {
			continue
		}
		l := LiveKey{ID: k.ID, State: k.State, Expires: k.Expires}
		if l.Key, err = opened(ctx, p, k, before); err != nil {
			return nil, err
		}
		live = append(live, l)
	}
	slices.SortStableFunc(live, func(a, b LiveKey) int { return rank(a.State) - rank(b.State) })
	return live, nil
}

func rank(s KeyState) int { return slices.Index([]KeyState{Primary, Pending, Retiring}, s) }

func opened(ctx context.Context, p *host.Platform, k Key, before []LiveKey) (signature.Key, error) {
	if i := slices.IndexFunc(before, func(l LiveKey) bool { return l.ID == k.ID }); i >= 0 {
		return before[i].Key, nil
	}
	plain, err := p.Secrets.Open(ctx, SealName(k.Owner, k.ID), k.Sealed)
	if err != nil {
		return signature.Key{}, err
	}
	return signature.FromBytes(plain)
}

// A change of keys counts for every attempt begun 10 s after its answer (contract, section 5, "Keys"): keys are
// remembered for half of it, those of at most maxOwners.
const (
	keysFor   = 5 * time.Second
	maxOwners = 10_000
)

// Keyring remembers live keys for as long as it may. It is safe for concurrent use.
type Keyring struct {
	p  *host.Platform
	mu sync.Mutex
	by map[string]*kept
}

// kept is an owner's keys, read by one while the others wait.
type kept struct {
	turn chan struct{} // holds one while somebody reads: who waits gives up with its context
	keys []LiveKey
	at   time.Time // zero: not read yet
}

// NewKeyring is an empty one.
func NewKeyring(p *host.Platform) *Keyring { return &Keyring{p: p, by: map[string]*kept{}} }

// Of are the keys that sign an attempt at the owner's webhooks begun now.
func (r *Keyring) Of(ctx context.Context, owner string) ([]LiveKey, error) {
	k := r.kept(owner)
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := r.p.Now()
	if k.at.IsZero() || now.Sub(k.at) >= keysFor {
		keys, err := keysNow(ctx, r.p, owner, k.keys)
		if err != nil {
			return nil, err
		}
		k.keys, k.at = keys, now
	}
	gone := func(l LiveKey) bool { return l.State == Retiring && l.Expires <= api.At(now) }
	if !slices.ContainsFunc(k.keys, gone) {
		return k.keys, nil
	}
	return slices.DeleteFunc(slices.Clone(k.keys), gone), nil
}

func (r *Keyring) kept(owner string) *kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.by[owner]
	if k == nil {
		if len(r.by) >= maxOwners {
			clear(r.by)
		}
		k = &kept{turn: make(chan struct{}, 1)}
		r.by[owner] = k
	}
	return k
}
