package webhook

import (
	"context"
	"slices"
	"time"

	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/secret"
	"eshop/shared/signature"
	"eshop/shared/store"
)

// listedFor is how long a revoked key is shown, and RetireFor how long a key signs on after the next took its place.
const (
	listedFor = 30 * 24 * time.Hour
	RetireFor = 24 * time.Hour
)

// KeyState is the state of a signing key.
type KeyState string

// The states of a signing key: pending → primary → retiring → revoked (contract, section 5, "Keys").
const (
	Pending  KeyState = "pending"
	Primary  KeyState = "primary"
	Retiring KeyState = "retiring"
	Revoked  KeyState = "revoked"
)

// Key is a signing key as it is stored. State is what it was written with: StateAt compares its expiry.
type Key struct {
	ID          string     `json:"id"`
	Owner       string     `json:"owner"` // the access; of the keys to a package's systemUrl the package
	State       KeyState   `json:"state"`
	Fingerprint string     `json:"fingerprint"`
	Sealed      []byte     `json:"sealed,omitempty"` // under SealName; in the key set only
	Created     field.Time `json:"created"`
	Activated   field.Time `json:"activatedAt,omitempty"`
	Expires     field.Time `json:"expiresAt,omitempty"` // of a retiring key
	Revoked     field.Time `json:"revokedAt,omitempty"`
}

// NewKey makes a key and what its owner is shown of it, once.
func NewKey(ctx context.Context, u *change.Unit, secrets secret.Keys, owner string,
	state KeyState) (Key, string, error) {
	made, now := signature.New(u.Random), field.At(u.Now())
	k := Key{ID: u.NewID(), Owner: owner, State: state, Fingerprint: made.Fingerprint(), Created: now}
	if state == Primary {
		k.Activated = now
	}
	var err error
	k.Sealed, err = secrets.Seal(ctx, SealName(owner, k.ID), made.Bytes())
	return k, made.Text(), err
}

// StateAt is the key's state at a time: a retiring key is revoked once its expiry has come.
func (k Key) StateAt(now time.Time) KeyState {
	if k.State == Retiring && k.Expires <= field.At(now) {
		return Revoked
	}
	return k.State
}

// ended is when the key was, or will be, revoked; 0: not known yet.
func (k Key) ended() field.Time {
	if k.State == Revoked {
		return k.Revoked
	}
	return k.Expires
}

// Retire is the key as another one takes its place now: it signs on beside that for RetireFor.
func (k Key) Retire(now time.Time) Key {
	k.State, k.Expires = Retiring, field.At(now.Add(RetireFor))
	return k
}

// Revoke is the key as it signs nothing any more; its secret is gone.
func (k Key) Revoke(now time.Time) Key {
	k.State, k.Expires, k.Revoked, k.Sealed = Revoked, 0, field.At(now), nil
	return k
}

// promote is the key as the primary: the pending one, or a retiring one again.
func (k Key) promote(now time.Time) Key {
	k.State, k.Expires = Primary, 0
	if k.Activated == 0 {
		k.Activated = field.At(now)
	}
	return k
}

// KeySet is the keys of one owner, an access or a package, that sign, as they were at one moment. A retiring key whose
// expiry has come is in it until its next change.
type KeySet struct {
	Owner   string
	Keys    []Key // in the order of their creation
	Version string
}

// KeySetOf reads an owner's key set, strongly consistent.
func KeySetOf(ctx context.Context, table store.Table, owner string) (KeySet, error) {
	items, err := table.Get(ctx, keySetKey(owner))
	if err != nil {
		return KeySet{}, err
	}
	return keySetIn(owner, items[0])
}

// Key is the key with this id, nil when it is none of those that sign: it may be listed all the same.
func (r KeySet) Key(id string) *Key {
	if i := slices.IndexFunc(r.Keys, func(k Key) bool { return k.ID == id }); i >= 0 {
		return &r.Keys[i]
	}
	return nil
}

// In is the newest key in a state at a time; nil without one.
func (r KeySet) In(state KeyState, now time.Time) *Key {
	for i := len(r.Keys) - 1; i >= 0; i-- {
		if r.Keys[i].StateAt(now) == state {
			return &r.Keys[i]
		}
	}
	return nil
}

// Activated are the keys that an activation of the pending one changes: that one is the primary, and the primary before
// it retires (contract, section 5, "Keys").
func (r KeySet) Activated(pending Key, now time.Time) []Key {
	changed := []Key{pending.promote(now)}
	if was := r.In(Primary, now); was != nil {
		changed = append(changed, was.Retire(now))
	}
	return changed
}

// Succeeded are the keys that a new primary changes, and itself: the primary before it retires, and those that were
// retiring are revoked (contract, section 5, "Who").
func (r KeySet) Succeeded(primary Key, now time.Time) []Key {
	var changed []Key
	for _, k := range r.Keys {
		switch k.StateAt(now) {
		case Primary:
			changed = append(changed, k.Retire(now))
		case Retiring:
			changed = append(changed, k.Revoke(now))
		}
	}
	return append(changed, primary)
}

// Without are the keys that a deletion of one changes (contract, section 5, "Keys"): that one is revoked, and when it
// was the primary, the pending one becomes primary, else a retiring one again. None when it signs no more already.
func (r KeySet) Without(key string, now time.Time) []Key {
	deleted := r.Key(key)
	if deleted == nil || deleted.StateAt(now) == Revoked {
		return nil
	}
	changed := []Key{deleted.Revoke(now)}
	heir := r.In(Pending, now)
	if heir == nil {
		heir = r.In(Retiring, now)
	}
	if deleted.State == Primary && heir != nil {
		changed = append(changed, heir.promote(now))
	}
	return changed
}

// With is the operations that make these keys the set's, in the place of those with their ids, on condition that no
// other change of it comes between: else the Write fails with a *store.ConditionError. next is the set's version
// afterwards.
func (r KeySet) With(next string, now time.Time, keys ...Key) []store.Op {
	var ops []store.Op
	signing := slices.Clone(r.Keys)
	for _, k := range keys {
		ops = append(ops, store.Put(k.Item()))
		if i := slices.IndexFunc(signing, func(s Key) bool { return s.ID == k.ID }); i >= 0 {
			signing[i] = k
		} else {
			signing = append(signing, k)
		}
	}
	signing = slices.DeleteFunc(signing, func(k Key) bool { return k.StateAt(now) == Revoked })
	unchanged := store.VersionIs(r.Version)
	if r.Version == "" {
		unchanged = store.Absent()
	}
	return append(ops, store.Put(r.item(next, signing), unchanged))
}
