package signingkey

import (
	"context"
	"slices"
	"time"

	"eshop/shared/ports/store"
)

// Set is the keys of one owner, an access or a package, that sign, as they were at one moment. A retiring key whose
// expiry has come is in it until its next change.
type Set struct {
	Owner   string
	Keys    []Key // in the order of their creation
	Version string
}

// ReadSet reads an owner's set, strongly consistent.
func ReadSet(ctx context.Context, table store.Table, owner string) (Set, error) {
	items, err := table.Get(ctx, setKey(owner))
	if err != nil {
		return Set{}, err
	}
	return setOf(owner, items[0])
}

// MaxKeys is how many keys of an access sign or may sign at once, because each adds a signature to the headers of each
// webhook. Activating the last of them revokes the oldest that is retiring, so there is room for the next one: whoever
// makes a key and activates it, over and over, is never stuck. Of a package's keys at most two sign (rotate).
const MaxKeys = 10

// signing is how many keys of the set sign at a time, or may sign once they are activated.
func (s Set) signing(now time.Time) (n int) {
	for _, k := range s.Keys {
		if k.StateAt(now) != Revoked {
			n++
		}
	}
	return n
}

// Key is the key with this id, nil when it is none of those that sign: it may be listed all the same.
func (s Set) Key(id string) *Key {
	if i := slices.IndexFunc(s.Keys, func(k Key) bool { return k.ID == id }); i >= 0 {
		return &s.Keys[i]
	}
	return nil
}

// In is the newest key in a state at a time; nil without one.
func (s Set) In(state State, now time.Time) *Key {
	for i := len(s.Keys) - 1; i >= 0; i-- {
		if s.Keys[i].StateAt(now) == state {
			return &s.Keys[i]
		}
	}
	return nil
}

// activate are the keys that an activation of the pending one changes: that one is the primary, and the primary before
// it retires (contract, "Signing keys"). If there are MaxKeys, the oldest that is retiring is revoked.
func (s Set) activate(pending Key, now time.Time) []Key {
	changed := []Key{pending.promote(now)}
	if s.signing(now) >= MaxKeys {
		oldest := slices.IndexFunc(s.Keys, func(k Key) bool { return k.StateAt(now) == Retiring })
		if oldest >= 0 {
			changed = append(changed, s.Keys[oldest].revoke(now))
		}
	}
	if was := s.In(Primary, now); was != nil {
		changed = append(changed, was.retire(now))
	}
	return changed
}

// rotate are the keys that a new primary changes, and itself: the primary before it retires, and those that were
// retiring are revoked (contract, "Signing keys").
func (s Set) rotate(primary Key, now time.Time) []Key {
	var changed []Key
	for _, k := range s.Keys {
		switch k.StateAt(now) {
		case Primary:
			changed = append(changed, k.retire(now))
		case Retiring:
			changed = append(changed, k.revoke(now))
		}
	}
	return append(changed, primary)
}

// revoke are the keys that the revocation of one changes (contract, "Signing keys"): itself, and when it was the
// primary, the pending one becomes primary, else a retiring one again. None when it signs no more already.
func (s Set) revoke(id string, now time.Time) []Key {
	k := s.Key(id)
	if k == nil || k.StateAt(now) == Revoked {
		return nil
	}
	changed := []Key{k.revoke(now)}
	heir := s.In(Pending, now)
	if heir == nil {
		heir = s.In(Retiring, now)
	}
	if k.State == Primary && heir != nil {
		changed = append(changed, heir.promote(now))
	}
	return changed
}

// Put is the operations that make these keys the set's, in the place of those with their ids, on condition that no
// other change of it comes between: else the Write fails with a *store.ConditionError. next is the set's version
// afterwards.
func (s Set) Put(next string, now time.Time, keys ...Key) []store.Op {
	var ops []store.Op
	signing := slices.Clone(s.Keys)
	for _, k := range keys {
		ops = append(ops, store.Put(k.Item()))
		if i := slices.IndexFunc(signing, func(other Key) bool { return other.ID == k.ID }); i >= 0 {
			signing[i] = k
		} else {
			signing = append(signing, k)
		}
	}
	signing = slices.DeleteFunc(signing, func(k Key) bool { return k.StateAt(now) == Revoked })
	unchanged := store.VersionIs(s.Version)
	if s.Version == "" {
		unchanged = store.Absent()
	}
	return append(ops, store.Put(s.item(next, signing), unchanged))
}
