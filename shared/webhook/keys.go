package webhook

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/secret"
)

// KeyRecord is a signing key as answers show it; Key only once, in the answer that makes it.
type KeyRecord struct {
	ID          string     `json:"id"`
	State       KeyState   `json:"state" enum:"pending,primary,retiring,revoked"`
	Fingerprint string     `json:"fingerprint" doc:"The first 16 hex digits of the SHA-256 of the key's 32 bytes"`
	Created     field.Time `json:"created"`
	Activated   field.Time `json:"activatedAt,omitempty" doc:"When it became the primary"`
	Expires     field.Time `json:"expiresAt,omitempty" doc:"When a retiring key signs no more"`
	Revoked     field.Time `json:"revokedAt,omitempty"`
	Key         string     `json:"key,omitempty" doc:"whsec_ and the key's 32 bytes in base64; only in the answer that makes it"`
}

// Show is the key as it is at a time.
func (k Key) Show(now time.Time) KeyRecord {
	s := KeyRecord{ID: k.ID, State: k.StateAt(now), Fingerprint: k.Fingerprint,
		Created: k.Created, Activated: k.Activated, Expires: k.Expires, Revoked: k.Revoked}
	if s.State == Revoked && s.Revoked == 0 {
		s.Revoked = k.Expires
	}
	return s
}

// MakeKey makes a key of an access: its first is primary at once, a later one pending, of which there is one at a time.
// The answer has the key itself, which is shown never again.
func MakeKey(ctx context.Context, u *change.Unit, secrets secret.Keys, owner string) (*KeyRecord, error) {
	return record.Retry(ctx, func() (*KeyRecord, error) {
		set, err := KeySetOf(ctx, u.Table, owner)
		if err != nil {
			return nil, err
		}
		state := Primary
		if set.In(Primary, u.Now()) != nil {
			state = Pending
		}
		if set.In(Pending, u.Now()) != nil {
			return nil, problem.Conflict("key_pending", "A key is pending: activate or delete it first.")
		}
		key, text, err := NewKey(ctx, u, secrets, owner, state)
		if err != nil {
			return nil, err
		}
		return set.made(ctx, u, key, text, key)
	})
}

// MakeSystemKey makes the key that signs the webhooks to a package's systemUrl from now on; the key before it signs on
// beside it for a day, the one before that no more.
func MakeSystemKey(ctx context.Context, u *change.Unit, secrets secret.Keys, pkg string) (*KeyRecord, error) {
	return record.Retry(ctx, func() (*KeyRecord, error) {
		set, err := KeySetOf(ctx, u.Table, pkg)
		if err != nil {
			return nil, err
		}
		key, text, err := NewKey(ctx, u, secrets, pkg, Primary)
		if err != nil {
			return nil, err
		}
		return set.made(ctx, u, key, text, set.Succeeded(key, u.Now())...)
	})
}

// made writes the keys that a new one changes, itself among them, and shows it with its text.
func (r KeySet) made(ctx context.Context, u *change.Unit, key Key, text string, changed ...Key) (*KeyRecord, error) {
	shown := key.Show(u.Now())
	shown.Key = text
	_, err := u.Write(ctx, &shown, events.Nothing, r.With(u.NextVersion(r.Version), u.Now(), changed...)...)
	return &shown, err
}

// Activate makes the pending key of an access its primary, beside which the one before it signs on for RetireFor. The
// primary one changes nothing.
func Activate(ctx context.Context, u *change.Unit, owner, id string) (*KeyRecord, error) {
	return record.Retry(ctx, func() (*KeyRecord, error) {
		set, err := keySetWith(ctx, u, owner, id)
		if err != nil {
			return nil, err
		}
		key := set.Key(id)
		switch {
		case key != nil && key.State == Primary:
			return new(key.Show(u.Now())), nil
		case key == nil || key.State != Pending:
			return nil, problem.Conflict("key_not_pending",
				"Only a pending key can be activated: this one has signed already, or never will.")
		}
		changed := set.Activated(*key, u.Now())
		shown := changed[0].Show(u.Now())
		_, err = u.Write(ctx, &shown, events.Nothing, set.With(u.NextVersion(set.Version), u.Now(), changed...)...)
		return &shown, err
	})
}

// Revoke ends a key of an access at once. One that signs no more already changes nothing.
func Revoke(ctx context.Context, u *change.Unit, owner, id string) error {
	_, err := record.Retry(ctx, func() (*KeySet, error) {
		set, err := keySetWith(ctx, u, owner, id)
		if err != nil {
			return nil, err
		}
		changed := set.Without(id, u.Now())
		if len(changed) == 0 {
			return &set, nil
		}
		_, err = u.Write(ctx, &set, events.Nothing, set.With(u.NextVersion(set.Version), u.Now(), changed...)...)
		return &set, err
	})
	return err
}

// keySetWith is the owner's key set; a problem not_found when no key with this id is listed: revoked ones are for
// thirty days.
func keySetWith(ctx context.Context, u *change.Unit, owner, id string) (KeySet, error) {
	items, err := u.Table.Get(ctx, keySetKey(owner), keyKey(owner, id))
	if err != nil {
		return KeySet{}, err
	}
	if items[1] == nil || items[1].Expired(u.Now().Unix()) {
		return KeySet{}, problem.NotFound()
	}
	return keySetIn(owner, items[0])
}
