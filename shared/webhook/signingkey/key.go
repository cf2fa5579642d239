package signingkey

import (
	"context"
	"time"

	"eshop/shared/ports/secret"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/webhook/signature"
)

// listedFor is how long a revoked key is shown, and RetireFor how long a key signs on after the next took its place.
const (
	listedFor = 30 * 24 * time.Hour
	RetireFor = 24 * time.Hour
)

// State is the state of a signing key.
type State string

// The states of a signing key: pending → primary → retiring → revoked (contract, "Signing keys").
const (
	Pending  State = "pending"
	Primary  State = "primary"
	Retiring State = "retiring"
	Revoked  State = "revoked"
)

// Key is a signing key as it is stored. State is what it was written with: StateAt compares its expiry.
type Key struct {
	ID          string     `json:"id"`
	Owner       string     `json:"owner"` // the access; of the keys to a package's systemUrl the package
	State       State      `json:"state"`
	Fingerprint string     `json:"fingerprint"`
	Sealed      []byte     `json:"sealed,omitempty"` // under SealName; in the set only
	Created     field.Time `json:"created"`
	Activated   field.Time `json:"activatedAt,omitempty"`
	Expires     field.Time `json:"expiresAt,omitempty"` // of a retiring key
	Revoked     field.Time `json:"revokedAt,omitempty"`
}

// newKey makes a key and what its owner is shown of it, once.
func newKey(ctx context.Context, u *change.Unit, secrets secret.Keys, owner string, state State) (Key, string, error) {
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
func (k Key) StateAt(now time.Time) State {
	if k.State == Retiring && k.Expires <= field.At(now) {
		return Revoked
	}
	return k.State
}

// revocation is when the key was, or will be, revoked; 0: not known yet.
func (k Key) revocation() field.Time {
	if k.State == Revoked {
		return k.Revoked
	}
	return k.Expires
}

// promote is the key as the primary: the pending one, or a retiring one again.
func (k Key) promote(now time.Time) Key {
	k.State, k.Expires = Primary, 0
	if k.Activated == 0 {
		k.Activated = field.At(now)
	}
	return k
}

// retire is the key as another one takes its place now: it signs on beside that for RetireFor.
func (k Key) retire(now time.Time) Key {
	k.State, k.Expires = Retiring, field.At(now.Add(RetireFor))
	return k
}

// revoke is the key as it signs nothing any more; its secret is gone.
func (k Key) revoke(now time.Time) Key {
	k.State, k.Expires, k.Revoked, k.Sealed = Revoked, 0, field.At(now), nil
	return k
}

// Record is a signing key as answers show it; Key only once, in the answer that makes it.
type Record struct {
	ID          string     `json:"id"`
	State       State      `json:"state" enum:"pending,primary,retiring,revoked"`
	Fingerprint string     `json:"fingerprint" doc:"The first 16 hex digits of the SHA-256 of the key's 32 bytes"`
	Created     field.Time `json:"created"`
	Activated   field.Time `json:"activatedAt,omitempty" doc:"When it became the primary"`
	Expires     field.Time `json:"expiresAt,omitempty" doc:"The moment at which a retiring key stops signing"`
	Revoked     field.Time `json:"revokedAt,omitempty"`
	Key         string     `json:"key,omitempty" doc:"The key itself: whsec_ and its 32 bytes in base64, shown only in the answer that makes it"`
}

// Record is the key as answers show it now.
func (k Key) Record(now time.Time) Record {
	r := Record{ID: k.ID, State: k.StateAt(now), Fingerprint: k.Fingerprint,
		Created: k.Created, Activated: k.Activated, Expires: k.Expires, Revoked: k.Revoked}
	if r.State == Revoked && r.Revoked == 0 {
		r.Revoked = k.Expires
	}
	return r
}
