package customer

import (
	"context"

	"eshop/events"
	"eshop/shared/base/password"
	"eshop/shared/base/problem"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// RegisterForm is what a shopper registers with.
type RegisterForm struct {
	Profile
	Password string `json:"password" minLength:"10" maxLength:"200"`
}

// ProfileForm is what signed-in customers can change of themselves. Both passwords are "" until a patch names them.
type ProfileForm struct {
	Profile
	Password        string `json:"password,omitempty" minLength:"10" maxLength:"200" writeOnly:"true" doc:"The new password. It ends all other sessions"`
	CurrentPassword string `json:"currentPassword,omitempty" writeOnly:"true" doc:"The password until now, required beside a new password or email"`
}

// Accounts are what shoppers do with their accounts, in the unit's shop (contract, "Accounts"). What all people do,
// such as signing in and setting a password, is package signin's. Registering and changing one's profile are here.
type Accounts struct {
	signin.Accounts[Customer, Fields]
}

// NewAccounts counts whoever signs in or sets a password among these tries.
func NewAccounts(tries signin.Tries) Accounts {
	return Accounts{signin.Accounts[Customer, Fields]{
		People:   keys,
		Name:     "customer",
		Records:  Customers,
		Email:    func(c Customer) field.Email { return c.Email },
		EmailKey: EmailKey,
		Tries:    tries,
	}}
}

// Register makes a customer with a password and signs them in. It returns the customer and the text of the session's
// cookie.
//
// Customer, password and session are written in one transaction, so nobody is registered without being able to sign in.
// The problem is email_taken when another customer of the shop has the address, too_many_tries when too many came from
// the visitor or for the address.
func (a Accounts) Register(ctx context.Context, u *change.Unit, visitor signin.Visitor, form RegisterForm) (
	Customer, string, error,
) {
	if err := signin.CheckLength(form.Password); err != nil {
		return Customer{}, "", err
	}
	// A try counts before the password is hashed, which is the costly part.
	if err := a.Try(ctx, u, visitor, form.Email); err != nil {
		return Customer{}, "", err
	}
	now, err := signin.NewPassword(ctx, u, form.Password)
	if err != nil {
		return Customer{}, "", err
	}
	var text string
	begin := func(_ context.Context, u *change.Unit, step *record.Step[Customer]) error {
		var begun []store.Op
		begun, text = a.NewSession(u, visitor, step.After.ID, now)
		step.Ops = append(step.Ops, a.ReplacePassword(u.Shop, step.After.ID, signin.Password{}, now))
		step.Ops = append(step.Ops, begun...)
		return nil
	}
	c, err := Customers.With(record.Along[Customer]{Extend: begin}).Create(ctx, u, Fields{Profile: form.Profile})
	if err != nil {
		return Customer{}, "", err
	}
	return c, text, nil
}

// ChangeProfile changes the profile of the customer of a session to what edit makes of it. Events tell of it only if
// registration data really changed.
//
// The current password must stand beside a new password and beside a new e-mail address: with either of them, a stolen
// session could be made into a stolen account. A missing and a wrong one are faults at currentPassword. A new password
// ends all sessions. The visitor gets a new one: the returned text is that of its cookie, "" where the session stays. A
// session that is not good any more is the problem unauthenticated.
//
// edit runs more than once: on what was read at first, and on the record as it is at the write.
func (a Accounts) ChangeProfile(ctx context.Context, u *change.Unit, visitor signin.Visitor, session signin.Session,
	edit func(ProfileForm) (ProfileForm, error),
) (Customer, string, error) {
	was, has, err := a.Read(ctx, u.Table, session)
	if err != nil {
		return Customer{}, "", err
	}
	form, err := edit(ProfileForm{Profile: was.Profile})
	if err != nil {
		return Customer{}, "", err
	}
	guarded := form.Password != "" || form.Email != was.Email
	var ops []store.Op
	var text string
	if guarded {
		if ops, text, err = a.guard(ctx, u, signedIn{visitor, session, was.Email, has}, form); err != nil {
			return Customer{}, "", err
		}
	}
	written := false
	guarding := record.Along[Customer]{
		Extend: func(_ context.Context, _ *change.Unit, step *record.Step[Customer]) error {
			written, step.Ops = true, append(step.Ops, ops...)
			return nil
		},
		Explain: func(_ *change.Unit, _ *record.Step[Customer], err error) error { return explain(session, err) },
	}
	changed, err := Customers.With(guarding).Change(ctx, u, session.Person, func(f Fields) (Fields, error) {
		written = false
		next, err := edit(ProfileForm{Profile: f.Profile})
		if err == nil && !guarded && next.Email != f.Email {
			err = needsPassword() // somebody else changed the address meanwhile
		}
		f.Profile = next.Profile
		return f, err
	})
	if err == nil && !written && form.Password != "" { // the password alone is nobody else's business
		_, err = u.Write(ctx, changed, events.Nothing, ops...)
		err = explain(session, err)
	}
	if err != nil {
		return Customer{}, "", err
	}
	return changed, text, nil
}

// signedIn is a visitor with what was read of the customer who is signed in.
type signedIn struct {
	visitor  signin.Visitor
	session  signin.Session
	email    field.Email
	password signin.Password
}

// guard compares the form's current password with the customer's, which was read before. It returns the operations that
// belong into the change's transaction:
//
//   - without a new password, the condition that the password is still the one compared;
//   - with a new one, its item, and a new session for the visitor in place of the present one, whose text it returns,
//     too.
func (a Accounts) guard(
	ctx context.Context, u *change.Unit, who signedIn, form ProfileForm,
) ([]store.Op, string, error) {
	if form.CurrentPassword == "" {
		return nil, "", needsPassword()
	}
	if form.Password != "" {
		if err := signin.CheckLength(form.Password); err != nil {
			return nil, "", err
		}
	}
	if err := a.Try(ctx, u, who.visitor, who.email); err != nil {
		return nil, "", err
	}
	right, err := password.Check(ctx, who.password.Hash, form.CurrentPassword)
	if err != nil {
		return nil, "", err
	}
	if !right {
		return nil, "", wrongPassword()
	}
	if form.Password == "" {
		return []store.Op{a.PasswordIs(u.Shop, who.session.Person, who.password)}, "", nil
	}
	now, err := signin.NewPassword(ctx, u, form.Password)
	if err != nil {
		return nil, "", err
	}
	renewed, text := a.Begin(u.Random, who.session.Shop, who.session.Person, now, u.Now())
	renewed.Mark = who.session.Mark // the person stays signed in
	return []store.Op{a.ReplacePassword(u.Shop, who.session.Person, who.password, now),
		store.Put(renewed.Item()), store.Delete(who.session.Key)}, text, nil
}

// explain is the problem of a write that failed because the customer has got another password meanwhile: the current
// one that was sent is wrong by now. Any other error it leaves as it is.
func explain(s signin.Session, err error) error {
	if _, changed := store.Failed(err, PasswordKey(s.Shop, s.Person)); changed {
		return wrongPassword()
	}
	return err
}

// needsPassword is the fault of a new password or e-mail address without the current password.
func needsPassword() error {
	return problem.InvalidAt("currentPassword", problem.Required, "is required beside a new password or email")
}

// wrongPassword is the fault of a current password that is another one.
func wrongPassword() error {
	return problem.InvalidAt("currentPassword", problem.Conflicting, "is not the current password")
}
