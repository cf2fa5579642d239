package signingkey

import (
	"context"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/secret"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Make makes a key of an access. The first key is primary at once; a later one is pending, and there is one pending key
// at a time, and MaxKeys in all. The answer has the key's text, which is never shown again.
func Make(ctx context.Context, u *change.Unit, secrets secret.Keys, owner string) (*Record, error) {
	return record.Retry(ctx, func() (*Record, error) {
		set, err := ReadSet(ctx, u.Table, owner)
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
		if set.signing(u.Now()) >= MaxKeys {
			return nil, problem.Conflict("too_many_keys", "The access has 10 keys that sign or may sign: delete a "+
				"retiring one, or wait until it is over.")
		}
		key, text, err := newKey(ctx, u, secrets, owner, state)
		if err != nil {
			return nil, err
		}
		return write(ctx, u, set, key.made(u, text), key)
	})
}

// Rotate makes the key that signs the webhooks to a package's systemUrl from now on; the key before it signs on beside
// it for a day, the one before that no more.
func Rotate(ctx context.Context, u *change.Unit, secrets secret.Keys, pkg string) (*Record, error) {
	return record.Retry(ctx, func() (*Record, error) {
		set, err := ReadSet(ctx, u.Table, pkg)
		if err != nil {
			return nil, err
		}
		key, text, err := newKey(ctx, u, secrets, pkg, Primary)
		if err != nil {
			return nil, err
		}
		return write(ctx, u, set, key.made(u, text), set.rotate(key, u.Now())...)
	})
}

// made is the new key as the answer that makes it shows it: with its text.
func (k Key) made(u *change.Unit, text string) *Record {
	shown := k.Record(u.Now())
	shown.Key = text
	return &shown
}

// Activate makes the pending key of an access its primary. The primary before it signs beside it for RetireFor.
// Activating the primary changes nothing.
func Activate(ctx context.Context, u *change.Unit, owner, id string) (*Record, error) {
	return record.Retry(ctx, func() (*Record, error) {
		set, err := setWith(ctx, u, owner, id)
		if err != nil {
			return nil, err
		}
		key := set.Key(id)
		switch {
		case key != nil && key.State == Primary:
			return new(key.Record(u.Now())), nil
		case key == nil || key.State != Pending:
			return nil, problem.Conflict("key_not_pending",
				"Only a pending key can be activated: this one has signed already, or never will.")
		}
		changed := set.activate(*key, u.Now())
		return write(ctx, u, set, new(changed[0].Record(u.Now())), changed...)
	})
}

// Revoke ends a key of an access at once. It changes nothing if the key signs no more.
func Revoke(ctx context.Context, u *change.Unit, owner, id string) error {
	_, err := record.Retry(ctx, func() (*Set, error) {
		set, err := setWith(ctx, u, owner, id)
		if err != nil {
			return nil, err
		}
		changed := set.revoke(id, u.Now())
		if len(changed) == 0 {
			return &set, nil
		}
		return write(ctx, u, set, &set, changed...)
	})
	return err
}

// setWith is the owner's set; a problem not_found when no key with this id is listed: revoked ones are for thirty days.
func setWith(ctx context.Context, u *change.Unit, owner, id string) (Set, error) {
	items, err := u.Table.Get(ctx, setKey(owner), itemKey(owner, id))
	if err != nil {
		return Set{}, err
	}
	if items[1] == nil || items[1].Expired(u.Now().Unix()) {
		return Set{}, problem.NotFound()
	}
	return setOf(owner, items[0])
}

// write writes the keys that changed into their set, and answers.
func write[T any](ctx context.Context, u *change.Unit, set Set, answer *T, changed ...Key) (*T, error) {
	_, err := u.Write(ctx, answer, events.Nothing, set.Put(u.NextVersion(set.Version), u.Now(), changed...)...)
	return answer, err
}
