// Package staff is the admins of shops: the people who sign in to a shop's admin pages (contract, section 7, "People").
// Here is what one is and what people do with their accounts, in items.go where they are kept, and in session.go who is
// signed in.
package staff

import (
	"context"

	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/signin"
	"eshop/shared/store"
)

// Admin is a person who may sign in to the admin of one shop, as its item keeps them.
type Admin struct {
	record.Head
	Fields
}

// Fields are what is written of an admin.
type Fields struct {
	Email field.Email `json:"email" doc:"Unique in the shop, compared without case" example:"petra@example.cz"`
	Name  field.Name  `json:"name" example:"Petra Malá"`
}

// Make makes an admin of the unit's shop, and answers the token of the link by which they set their first password:
// good once, for 24 hours. An e-mail address that an admin of the shop has is the problem email_taken.
func Make(ctx context.Context, u *change.Unit, fields Fields) (Admin, string, error) {
	var token string
	k := *Admins
	k.Extend = func(ctx context.Context, u *change.Unit, s *record.Step[Admin]) error {
		var link store.Op
		token, link = people.NewLink(u.Random, u.Shop, s.After.ID, signin.Password{}, u.Now())
		s.Ops = append(s.Ops, link)
		return Admins.Extend(ctx, u, s)
	}
	a, err := k.Create(ctx, u, fields)
	if err != nil {
		return Admin{}, "", err
	}
	return a, token, nil
}

// MakeLink is the token of another link by which the admin sets a password, as signin has it.
func MakeLink(ctx context.Context, u *change.Unit, id string) (string, error) {
	return people.MakeLink(ctx, u, id)
}

// Delete deletes an admin of the unit's shop, whoever is left, and ends their sessions.
func Delete(ctx context.Context, u *change.Unit, id string) error { return Admins.Delete(ctx, u, id) }

// DeleteButLast is Delete where somebody is left, else the problem last_admin: of admins who delete each other in the
// same moment one stays.
func DeleteButLast(ctx context.Context, u *change.Unit, id string) error {
	k := *Admins
	k.Extend = func(_ context.Context, u *change.Unit, s *record.Step[Admin]) error {
		s.Ops = append(s.Ops, deleteOps(u.Shop, s.Before.ID, store.AtLeast(count, 2))...)
		return nil
	}
	k.Explain = func(u *change.Unit, s *record.Step[Admin], refused error) error {
		_, last := store.Failed(refused, countKey(u.Shop))
		if _, outdated := store.Failed(refused, Key(u.Shop, s.Before.ID)); !last || outdated {
			return refused
		}
		return problem.Conflict("last_admin", "This is the shop's only admin: add another one first.")
	}
	return k.Delete(ctx, u, id)
}

// Accounts are what admins do with their accounts, in the unit's shop. Whatever compares or makes a password's hash
// takes a try of the visitor's address and of the account first: the problem too_many_tries.
type Accounts struct{ Tries signin.Tries }

// SignIn begins a session and ends the visitor's old one. It answers the admin and the text of the session's cookie;
// what does not belong together is the problem sign_in_failed.
func (a Accounts) SignIn(ctx context.Context, u *change.Unit, v signin.Visitor, form signin.Form) (
	Admin, string, error,
) {
	return people.SignIn(ctx, u, a.Tries, v, form)
}

// SignOut ends the session of a cookie with this text; one that is not there is no fault.
func (a Accounts) SignOut(ctx context.Context, u *change.Unit, session string) error {
	return people.SignOut(ctx, u, session)
}

// SignOutEverywhere ends all sessions of the session's admin. One that is not good any more ends nothing.
func (a Accounts) SignOutEverywhere(ctx context.Context, u *change.Unit, s Session) error {
	return people.SignOutEverywhere(ctx, u, s.Session)
}

// Extend moves the end of a session that is used, and answers it as it is then.
func (a Accounts) Extend(ctx context.Context, u *change.Unit, s Session) (Session, error) {
	extended, err := people.Extend(ctx, u, s.Session)
	return Session{extended}, err
}

// SetPassword gives the admin of a link a password, as signin has it. It signs nobody in.
func (a Accounts) SetPassword(ctx context.Context, u *change.Unit, v signin.Visitor, token, text string) error {
	return people.SetPassword(ctx, u, a.Tries, v, token, text)
}

// CheckLink is nil when a password can be set by a link with this token, else the problem not_found.
func (a Accounts) CheckLink(ctx context.Context, u *change.Unit, token string) error {
	return people.CheckLink(ctx, u, token)
}
