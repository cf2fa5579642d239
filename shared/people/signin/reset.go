package signin

import (
	"context"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// MakeLink is the token of a link by which a person sets a password: good once, for 24 hours, and until they have
// another password than now. It is kept as its hash only, so no kept answer has it.
func (a Accounts[R, F]) MakeLink(ctx context.Context, u *change.Unit, id string) (string, error) {
	if _, err := a.Records.Read(ctx, u.Table, u.Shop, id); err != nil {
		return "", err
	}
	items, err := u.Table.Get(ctx, a.PasswordKey(u.Shop, id))
	if err != nil {
		return "", err
	}
	token, op := a.NewLink(u.Random, u.Shop, id, PasswordOf(items[0]), u.Now())
	if _, err = u.Write(ctx, nil, events.Nothing, op); err != nil {
		return "", err
	}
	return token, nil
}

// SetPassword gives the person of a link a password, which ends their sessions and other links, and returns the
// person's id. It signs nobody in. A token that is unknown, was used, or is over is the problem not_found.
func (a Accounts[R, F]) SetPassword(ctx context.Context, u *change.Unit, visitor Visitor, token, text string) (
	id string, err error,
) {
	if err := CheckLength(text); err != nil {
		return "", err
	}
	l, err := a.readLink(ctx, u, token)
	if err != nil {
		return "", err
	}
	head, _ := a.Records.Split(&l.person)
	id = head.ID
	if err := a.Try(ctx, u, visitor, a.Email(l.person)); err != nil {
		return id, err
	}
	now, err := NewPassword(ctx, u, text)
	if err != nil {
		return id, err
	}
	_, err = record.Retry(ctx, func() (store.Item, error) {
		l, err := a.readLink(ctx, u, token)
		if err != nil {
			return store.Item{}, err
		}
		head, _ := a.Records.Split(&l.person)
		return u.Write(ctx, nil, events.Nothing, store.Delete(l.key, store.Present()),
			a.ReplacePassword(u.Shop, head.ID, l.has, now),
			store.Check(a.Records.Key(u.Shop, head.ID), store.VersionIs(head.Version)))
	})
	return id, err
}

// CheckLink is nil when a password can be set by a link with this token, else the problem not_found.
func (a Accounts[R, F]) CheckLink(ctx context.Context, u *change.Unit, token string) error {
	_, err := a.readLink(ctx, u, token)
	return err
}

// goodLink is a good link with what it is for.
type goodLink[R any] struct {
	key    store.Key // of its item
	person R
	has    Password
}

// readLink is the link with this token, if it is good: it is there, its time is not over, and its person has the
// password still of which it was made.
func (a Accounts[R, F]) readLink(ctx context.Context, u *change.Unit, token string) (goodLink[R], error) {
	var none goodLink[R]
	items, err := u.Table.Get(ctx, a.LinkKey(u.Shop, token))
	if err != nil {
		return none, err
	}
	link := items[0]
	if link == nil || link.Expired(u.Now().Unix()) {
		return none, problem.NotFound()
	}
	items, err = u.Table.Get(ctx, a.ofPerson(u.Shop, link.Text[personText])...)
	if err != nil {
		return none, err
	}
	has := PasswordOf(items[1])
	if record.Missing(items[0]) || has.Epoch != link.Text[epochText] {
		return none, problem.NotFound()
	}
	person, err := a.Records.Decode(items[0])
	return goodLink[R]{link.Key, person, has}, err
}
