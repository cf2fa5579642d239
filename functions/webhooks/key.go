package webhooks

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/signature"
	"eshop/shared/store"
)

// listedFor is how long a revoked key is shown, and RetireFor how long a key signs on after the next took its place.
const (
	listedFor = 30 * 24 * time.Hour
	RetireFor = 24 * time.Hour
)

// tries bounds how often a write begins anew because another one came between its read and its write.
const tries = 3

// StateAt is the key's state at a time: a retiring key is revoked once its expiry has come.
func (k Key) StateAt(now time.Time) KeyState {
	if k.State == Retiring && k.Expires <= api.At(now) {
		return Revoked
	}
	return k.State
}

// ended is when the key was, or will be, revoked; 0: not known yet.
func (k Key) ended() api.Time {
	if k.State == Revoked {
		return k.Revoked
	}
	return k.Expires
}

// Ring is the keys of one owner, an access or a package, that sign, as they were at one moment; retiring ones until the
// next change of the ring after their expiry.
type Ring struct {
	Owner   string
	Keys    []Key // in the order of their creation
	Version string
}

// RingOf reads an owner's ring, strongly consistent.
func RingOf(ctx context.Context, table store.Table, owner string) (Ring, error) {
	items, err := table.Get(ctx, ringKey(owner))
	if err != nil {
		return Ring{}, err
	}
	return ringIn(owner, items[0])
}

func ringIn(owner string, item *store.Item) (Ring, error) {
	r := Ring{Owner: owner}
	if item == nil {
		return r, nil
	}
	r.Version = item.Version
	return r, json.Unmarshal(item.Doc, &r.Keys)
}

// In is the key in a state at a time; nil without one.
func (r Ring) In(state KeyState, now time.Time) *Key {
	for i := len(r.Keys) - 1; i >= 0; i-- {
		if r.Keys[i].StateAt(now) == state {
			return &r.Keys[i]
		}
	}
	return nil
}

// With is the operations that make these keys the ring's, in the place of those with their ids, on condition that no
// other change of it comes between: else the Write fails with a *store.ConditionError. next is the ring's version
// afterwards.
func (r Ring) With(next string, now time.Time, keys ...Key) []store.Op {
	var ops []store.Op
	live := slices.Clone(r.Keys)
	for _, k := range keys {
		ops = append(ops, store.Put(k.Item()))
		if i := slices.IndexFunc(live, func(l Key) bool { return l.ID == k.ID }); i >= 0 {
			live[i] = k
		} else {
			live = append(live, k)
		}
	}
	live = slices.DeleteFunc(live, func(k Key) bool { return k.StateAt(now) == Revoked })
	condition := store.VersionIs(r.Version)
	if r.Version == "" {
		condition = store.Absent()
	}
	return append(ops, store.Put(store.Item{Key: ringKey(r.Owner), Version: next, Doc: encode(live)}, condition))
}

// NewKey makes a key and what its owner is shown of it, once.
func NewKey(ctx context.Context, p *host.Platform, owner string, state KeyState) (Key, string, error) {
	secret, now := signature.New(p.Random), api.At(p.Now())
	k := Key{ID: p.NewID(), Owner: owner, State: state, Fingerprint: secret.Fingerprint(), Created: now}
	if state == Primary {
		k.Activated = now
	}
	var err error
	k.Sealed, err = p.Secrets.Seal(ctx, SealName(owner, k.ID), secret.Bytes())
	return k, secret.Text(), err
}

// Retire is the key that another one takes the place of now: it signs on beside it for RetireFor.
func (k Key) Retire(now time.Time) Key {
	k.State, k.Expires = Retiring, api.At(now.Add(RetireFor))
	return k
}

// Revoke is the key as it signs nothing any more; its secret is gone.
func (k Key) Revoke(now time.Time) Key {
	k.State, k.Expires, k.Revoked, k.Sealed = Revoked, 0, api.At(now), nil
	return k
}

// promote is the key as the primary: the pending one, or the retiring one again.
func (k Key) promote(now time.Time) Key {
	k.State, k.Expires = Primary, 0
	if k.Activated == 0 {
		k.Activated = api.At(now)
	}
	return k
}

// Key is one of the keys that sign, nil when it is none of them: it may be listed all the same.
func (r Ring) Key(id string) *Key {
	if i := slices.IndexFunc(r.Keys, func(k Key) bool { return k.ID == id }); i >= 0 {
		return &r.Keys[i]
	}
	return nil
}

// Activated are the keys that an activation of the pending one changes: that one is the primary, and the primary before it
// retires (contract, section 5, "Keys").
func (r Ring) Activated(pending Key, now time.Time) []Key {
	changed := []Key{pending.promote(now)}
	if was := r.In(Primary, now); was != nil {
		changed = append(changed, was.Retire(now))
	}
	return changed
}

// Without are the keys that a deletion of one changes (contract, section 5, "Keys"): that one is revoked, and when it was
// the primary, the pending one becomes primary, else a retiring one again. None when it signs no more already.
func (r Ring) Without(key string, now time.Time) []Key {
	i := slices.IndexFunc(r.Keys, func(k Key) bool { return k.ID == key })
	if i < 0 || r.Keys[i].StateAt(now) == Revoked {
		return nil
	}
	changed := []Key{r.Keys[i].Revoke(now)}
	heir := r.In(Pending, now)
	if heir == nil {
		heir = r.In(Retiring, now)
	}
	if r.Keys[i].State == Primary && heir != nil {
		changed = append(changed, heir.promote(now))
	}
	return changed
}
