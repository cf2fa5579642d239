package customer

import (
	"context"
	"fmt"
	"net/http"
	"unicode/utf8"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/password"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/signin"
	"eshop/shared/store"
)

// RegisterForm is what a shopper registers with.
type RegisterForm struct {
	Own
	Password string `json:"password" minLength:"10" maxLength:"200"`
}

// OwnForm is what signed-in customers can change of themselves. Both passwords are "" until a patch names them.
type OwnForm struct {
	Own
	Password        string `json:"password,omitempty" minLength:"10" maxLength:"200" doc:"Ends all other sessions"`
	CurrentPassword string `json:"currentPassword,omitempty" doc:"Required beside a new password or email"`
}

// SignInForm is what a customer signs in with. What cannot be an e-mail address or a password is as wrong as one that
// nobody has.
type SignInForm struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Visitor is who asks for what compares or makes a password's hash.
type Visitor struct {
	Address string // the connection's, never a header's
	Session string // the text of the session cookie that came along; "" without one
}

// Accounts are what shoppers do with their accounts, in the unit's shop (contract, section 6). Whatever compares or
// makes a password's hash takes a try of the visitor's address and of the account first: the problem too_many_tries.
type Accounts struct{ Tries signin.Tries }

// Register makes a customer with a password and signs them in: it answers the customer and the text of their session's
// cookie. An e-mail address that a customer of the shop has is the problem email_taken.
func (a Accounts) Register(ctx context.Context, u *change.Unit, v Visitor, form RegisterForm) (
	Customer, string, error,
) {
	if err := fits(form.Password); err != nil {
		return Customer{}, "", err
	}
	if err := a.try(ctx, u, v, form.Email); err != nil {
		return Customer{}, "", err
	}
	now, err := newPassword(ctx, u, form.Password)
	if err != nil {
		return Customer{}, "", err
	}
	var text string
	k := *Customers
	k.Along = func(_ context.Context, u *change.Unit, step *record.Step[Customer]) error {
		var begun []store.Op
		begun, text = v.begin(u, step.Now.ID, now)
		step.Ops = append(step.Ops, people.Keep(u.Shop, step.Now.ID, signin.Password{}, now))
		step.Ops = append(step.Ops, begun...)
		return nil
	}
	c, err := k.Create(ctx, u, Fields{Own: form.Own})
	if err != nil {
		return Customer{}, "", err
	}
	return c, text, nil
}

// SignIn begins a session and ends the visitor's old one. It answers the customer and the text of the session's cookie.
// An e-mail address and a password that do not belong together are the problem sign_in_failed, and neither the answer
// nor its time nor what it reads tells whether the address is known.
func (a Accounts) SignIn(ctx context.Context, u *change.Unit, v Visitor, form SignInForm) (Customer, string, error) {
	email := field.Email(form.Email)
	if err := a.try(ctx, u, v, email); err != nil {
		return Customer{}, "", err
	}
	if !field.IsEmail(form.Email) {
		email = "" // nobody's
	}
	claims, err := u.Table.Get(ctx, EmailKey(u.Shop, email))
	if err != nil {
		return Customer{}, "", err
	}
	id := record.Owner(claims[0])
	items, err := u.Table.Get(ctx, Key(u.Shop, id), PasswordKey(u.Shop, id))
	if err != nil {
		return Customer{}, "", err
	}
	has := signin.PasswordOf(items[1])
	if record.Gone(items[0]) {
		has = signin.Password{}
	}
	right, err := password.Check(ctx, has.Hash, form.Password)
	if err != nil {
		return Customer{}, "", err
	}
	if !right {
		return Customer{}, "", &problem.Problem{Status: http.StatusUnauthorized, Code: "sign_in_failed",
			Detail: "This e-mail address and this password do not belong to an account."}
	}
	c, err := Customers.Decode(items[0])
	if err != nil {
		return Customer{}, "", err
	}
	ops, text := v.begin(u, c.ID, has)
	if _, err = u.Write(ctx, c, events.Nothing, ops...); err != nil {
		return Customer{}, "", err
	}
	return c, text, nil
}

// SignOut ends the session of a cookie with this text; one that is not there is no fault.
func (a Accounts) SignOut(ctx context.Context, u *change.Unit, session string) error {
	_, err := u.Write(ctx, nil, events.Nothing, store.Delete(SessionKey(u.Shop, session)))
	return err
}

// Extend moves the end of a session that is used, so that it is good for as long as a new one, and answers it as it is
// then. One that was ended meanwhile stays ended.
func (a Accounts) Extend(ctx context.Context, u *change.Unit, s Session) (Session, error) {
	extended, op := people.Extended(s.Session, u.Now())
	_, err := u.Table.Write(ctx, events.Nothing, op)
	if store.IsCondition(err) {
		return s, nil
	}
	return Session{extended}, err
}

// ChangeOwn changes what the customer of a session has to what edit makes of it, and tells of it when registration data
// really changed. The current password must stand beside a new one and beside a new e-mail address: where it is missing
// or wrong that is a fault of its own. A new password ends all sessions but the visitor's, who gets a new one: the text
// is that of its cookie, "" where the session stays. A session that is not good any more is the problem
// unauthenticated.
func (a Accounts) ChangeOwn(ctx context.Context, u *change.Unit, v Visitor, s Session,
	edit func(OwnForm) (OwnForm, error),
) (Customer, string, error) {
	was, has, err := s.read(ctx, u.Table)
	if err != nil {
		return Customer{}, "", err
	}
	form, err := edit(OwnForm{Own: was.Own})
	if err != nil {
		return Customer{}, "", err
	}
	guarded := form.Password != "" || form.Email != was.Email
	var ops []store.Op
	var text string
	if guarded {
		if ops, text, err = a.guard(ctx, u, v, s, was.Email, has, form); err != nil {
			return Customer{}, "", err
		}
	}
	written, k := false, *Customers
	k.Along = func(_ context.Context, _ *change.Unit, step *record.Step[Customer]) error {
		written, step.Ops = true, append(step.Ops, ops...)
		return nil
	}
	k.Lost = func(_ *change.Unit, _ *record.Step[Customer], refused error) error { return s.lost(refused) }
	c, err := k.Change(ctx, u, s.Person, func(f Fields) (Fields, error) {
		written = false
		next, err := edit(OwnForm{Own: f.Own})
		if err == nil && !guarded && next.Email != f.Email {
			err = needsPassword() // somebody else changed the address meanwhile
		}
		f.Own = next.Own
		return f, err
	})
	if err == nil && !written && form.Password != "" { // the password alone is nobody else's business
		_, err = u.Write(ctx, c, events.Nothing, ops...)
		err = s.lost(err)
	}
	if err != nil {
		return Customer{}, "", err
	}
	return c, text, nil
}

// guard holds the form's current password against the one that the customer has. It answers the operations that belong
// into the change's transaction: the password is still that one, or it is the new one and the visitor has a new
// session, whose text it answers, too.
func (a Accounts) guard(ctx context.Context, u *change.Unit, v Visitor, s Session, email field.Email,
	has signin.Password, form OwnForm,
) ([]store.Op, string, error) {
	if form.CurrentPassword == "" {
		return nil, "", needsPassword()
	}
	if form.Password != "" {
		if err := fits(form.Password); err != nil {
			return nil, "", err
		}
	}
	if err := a.try(ctx, u, v, email); err != nil {
		return nil, "", err
	}
	right, err := password.Check(ctx, has.Hash, form.CurrentPassword)
	if err != nil {
		return nil, "", err
	}
	if !right {
		return nil, "", wrongPassword()
	}
	if form.Password == "" {
		return []store.Op{people.Still(u.Shop, s.Person, has)}, "", nil
	}
	now, err := newPassword(ctx, u, form.Password)
	if err != nil {
		return nil, "", err
	}
	renewed, text := people.Renew(u.Random, s.Session, now, u.Now())
	return []store.Op{people.Keep(u.Shop, s.Person, has, now), store.Put(renewed.Item()), store.Delete(s.Key)}, text, nil
}

// read is the customer who is signed in and their password.
func (s Session) read(ctx context.Context, t store.Table) (*Customer, signin.Password, error) {
	items, err := t.Get(ctx, s.Keys()...)
	if err != nil {
		return nil, signin.Password{}, err
	}
	c, err := Signed(s, items)
	if err == nil && c == nil {
		err = &problem.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated", Detail: "Nobody is signed in."}
	}
	return c, signin.PasswordOf(items[1]), err
}

// lost is the error of a write: where the customer has got another password meanwhile, the current one is not it any
// more.
func (s Session) lost(err error) error {
	if _, lost := store.Failed(err, PasswordKey(s.Shop, s.Person)); lost {
		return wrongPassword()
	}
	return err
}

// MakeLink is the token of a link by which the customer sets a password: good once, for 24 hours, and until the
// customer has another password than now. It is kept as its hash only, so no kept answer has it.
func (a Accounts) MakeLink(ctx context.Context, u *change.Unit, id string) (string, error) {
	c, err := Customers.Read(ctx, u.Table, u.Shop, id)
	if err != nil {
		return "", err
	}
	items, err := u.Table.Get(ctx, PasswordKey(u.Shop, c.ID))
	if err != nil {
		return "", err
	}
	token, op := people.NewLink(u.Random, u.Shop, c.ID, signin.PasswordOf(items[0]), u.Now())
	if _, err = u.Write(ctx, nil, events.Nothing, op); err != nil {
		return "", err
	}
	return token, nil
}

// SetPassword gives the customer of a link a password, which ends their sessions and other links. It signs nobody in. A
// token that is unknown, was used, or is over is the problem not_found.
func (a Accounts) SetPassword(ctx context.Context, u *change.Unit, v Visitor, token, text string) error {
	if err := fits(text); err != nil {
		return err
	}
	l, err := readLink(ctx, u, token)
	if err != nil {
		return err
	}
	if err := a.try(ctx, u, v, l.customer.Email); err != nil {
		return err
	}
	now, err := newPassword(ctx, u, text)
	if err != nil {
		return err
	}
	_, err = record.Again(ctx, func() (store.Item, error) {
		l, err := readLink(ctx, u, token)
		if err != nil {
			return store.Item{}, err
		}
		return u.Write(ctx, nil, events.Nothing, l.Used(), people.Keep(u.Shop, l.Person, l.has, now),
			store.Check(Key(u.Shop, l.Person), store.VersionIs(l.customer.Version)))
	})
	return err
}

// GoodLink is nil when a password can be set by a link with this token, else the problem not_found.
func (a Accounts) GoodLink(ctx context.Context, u *change.Unit, token string) error {
	_, err := readLink(ctx, u, token)
	return err
}

// link is a good link with what it is for.
type link struct {
	signin.Link
	customer Customer
	has      signin.Password
}

// readLink is the link with this token, if it is good.
func readLink(ctx context.Context, u *change.Unit, token string) (link, error) {
	items, err := u.Table.Get(ctx, people.LinkKey(u.Shop, token))
	if err != nil {
		return link{}, err
	}
	of, is := signin.LinkOf(items[0], u.Now())
	if !is {
		return link{}, problem.NotFound()
	}
	if items, err = u.Table.Get(ctx, Key(u.Shop, of.Person), PasswordKey(u.Shop, of.Person)); err != nil {
		return link{}, err
	}
	has := signin.PasswordOf(items[1])
	if record.Gone(items[0]) || has.Epoch != of.Epoch {
		return link{}, problem.NotFound()
	}
	c, err := Customers.Decode(items[0])
	return link{of, c, has}, err
}

// try takes a try of the visitor's address and of the account with this e-mail address, whether or not there is one.
func (a Accounts) try(ctx context.Context, u *change.Unit, v Visitor, email field.Email) error {
	return a.Tries.Count(ctx, u, signin.Address(v.Address), signin.Account("customer", u.Shop, email.Fold()))
}

// begin is a new session of a customer: the operations that begin it and end the visitor's old one, and its text.
func (v Visitor) begin(u *change.Unit, id string, of signin.Password) ([]store.Op, string) {
	session, text := people.Begin(u.Random, u.Shop, id, of, u.Now())
	ops := []store.Op{store.Put(session.Item())}
	if v.Session != "" {
		ops = append(ops, store.Delete(SessionKey(u.Shop, v.Session)))
	}
	return ops, text
}

// newPassword is a password as it is to be kept, of an epoch of its own.
func newPassword(ctx context.Context, u *change.Unit, text string) (signin.Password, error) {
	hash, err := password.Hash(ctx, u.Random, text)
	return signin.Password{Hash: hash, Epoch: u.NewID()}, err
}

// fits is a fault of a password that is too short or too long.
func fits(text string) error {
	n := utf8.RuneCountInString(text)
	if n < password.Shortest {
		return problem.InvalidAt("password", problem.BadFormat,
			fmt.Sprintf("is shorter than %d characters", password.Shortest))
	}
	if n > password.Longest {
		return problem.InvalidAt("password", problem.TooLong,
			fmt.Sprintf("is longer than %d characters", password.Longest))
	}
	return nil
}

// needsPassword is the fault of a new password or e-mail address without the current password.
func needsPassword() error {
	return problem.InvalidAt("currentPassword", problem.Required, "is required beside a new password or email")
}

// wrongPassword is the fault of a current password that is another one.
func wrongPassword() error {
	return problem.InvalidAt("currentPassword", problem.Conflicting, "is not the current password")
}
