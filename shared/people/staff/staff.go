// Package staff is the admins of shops: the people who sign in to a shop's admin pages (contract, "People"). Here is
// what one is and what people do with their accounts, in items.go where they are kept.
package staff

import (
	"context"

	"eshop/shared/base/problem"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Admin is a person who may sign in to the admin of one shop, as its item keeps them.
type Admin struct {
	record.Head
	Fields
}

// Fields are what is written of an admin.
type Fields struct {
	Email field.Email `json:"email" doc:"The person's e-mail address, unique in the shop, compared without case" example:"petra@example.cz"`
	Name  field.Name  `json:"name" example:"Petra Malá"`
}

// Make makes an admin of the unit's shop, and answers the token of the link by which they set their first password:
// good once, for 24 hours. An e-mail address that an admin of the shop has is the problem email_taken.
func Make(ctx context.Context, u *change.Unit, fields Fields) (Admin, string, error) {
	var token string
	invite := func(_ context.Context, u *change.Unit, s *record.Step[Admin]) error {
		var link store.Op
		token, link = keys.NewLink(u.Random, u.Shop, s.After.ID, signin.Password{}, u.Now())
		s.Ops = append(s.Ops, link)
		return nil
	}
	a, err := Admins.With(record.Along[Admin]{Extend: invite}).Create(ctx, u, fields)
	if err != nil {
		return Admin{}, "", err
	}
	return a, token, nil
}

// Delete deletes an admin of the unit's shop, whoever is left, and ends their sessions.
func Delete(ctx context.Context, u *change.Unit, id string) error { return Admins.Delete(ctx, u, id) }

// DeleteButLast is Delete where somebody is left, else the problem last_admin: of admins who delete each other in the
// same moment one stays.
func DeleteButLast(ctx context.Context, u *change.Unit, id string) error {
	another := record.Along[Admin]{
		Extend: func(_ context.Context, u *change.Unit, s *record.Step[Admin]) error {
			s.Ops = append(s.Ops, store.Check(countKey(u.Shop), store.AtLeast(count, 2)))
			return nil
		},
		Explain: func(u *change.Unit, s *record.Step[Admin], refused error) error {
			_, last := store.Failed(refused, countKey(u.Shop))
			if _, outdated := store.Failed(refused, Key(u.Shop, s.Before.ID)); !last || outdated {
				return refused
			}
			return problem.Conflict("last_admin", "This is the shop's only admin: add another one first.")
		},
	}
	return Admins.With(another).Delete(ctx, u, id)
}

// Accounts are what admins do with their accounts, in the unit's shop.
type Accounts = signin.Accounts[Admin, Fields]

// NewAccounts counts whoever signs in or sets a password among these tries.
func NewAccounts(tries signin.Tries) Accounts {
	return Accounts{
		People:   keys,
		Name:     "admin",
		Records:  Admins,
		Email:    func(a Admin) field.Email { return a.Email },
		EmailKey: emailKey,
		Tries:    tries,
	}
}
