package customer

import (
	"context"
	"net/http"
	"time"

	"eshop/shared/change"
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

// OwnForm is what a signed-in customer can change of themself. The passwords are "" where a patch does not name them.
type OwnForm struct {
	Own
	Password        string `json:"password,omitempty" minLength:"10" maxLength:"200" doc:"A new one; ends all other sessions"`
	CurrentPassword string `json:"currentPassword,omitempty" doc:"Beside a new password or email"`
}

// SignInForm is what a customer signs in with. Whatever is no e-mail address and no password of anybody is wrong, not
// invalid.
type SignInForm struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Visitor is who asks for something that compares or makes a password's hash.
type Visitor struct {
	Address string // of the connection, never a header's
	Session string // the text of the session cookie that came along; "" none
}

// Accounts are what shoppers do with their accounts in the unit's shop.
type Accounts struct{ Tries signin.Tries }

// ErrSignIn is the 401 of an e-mail and a password that do not belong together, the same whether the e-mail is known.
func errSignIn() *problem.Problem {
	return &problem.Problem{Status: http.StatusUnauthorized, Code: "sign_in_failed",
		Detail: "This e-mail address and this password do not belong to an account."}
}

// Register makes a customer with a password and signs them in: it answers the customer and the text of their session's
// cookie. An e-mail that a customer of the shop has is the problem email_taken.
func (a Accounts) Register(ctx context.Context, u *change.Unit, v Visitor, form RegisterForm) (Customer, string, error) {
	panic("not yet")
}

// SignIn begins a session and ends the visitor's old one. It answers the customer and the text of the session's cookie.
func (a Accounts) SignIn(ctx context.Context, u *change.Unit, v Visitor, form SignInForm) (Customer, string, error) {
	panic("not yet")
}

// SignOut ends the session of a cookie with this text; one that is not there is no fault.
func (a Accounts) SignOut(ctx context.Context, u *change.Unit, session string) error {
	panic("not yet")
}

// ChangeOwn changes what a signed-in customer has to what change makes of it. The text is that of the new session's cookie
// where there is a new password, else "": all other sessions have ended then.
func (a Accounts) ChangeOwn(ctx context.Context, u *change.Unit, v Visitor, s Session,
	change func(OwnForm) (OwnForm, error),
) (Customer, string, error) {
	panic("not yet")
}

// MakeLink is the token of a link by which the customer sets a password: good once, for 24 hours.
func (a Accounts) MakeLink(ctx context.Context, u *change.Unit, id string) (string, error) {
	panic("not yet")
}

// SetPassword gives the customer of a link a password, which ends all their sessions and links, and signs nobody in. A
// token that is unknown, was used, or is too old is the problem not_found.
func (a Accounts) SetPassword(ctx context.Context, u *change.Unit, v Visitor, token, password string) error {
	panic("not yet")
}

// GoodLink says whether a link's token can be used: nil, or the problem not_found.
func (a Accounts) GoodLink(ctx context.Context, u *change.Unit, token string) error {
	panic("not yet")
}

// Session is a customer who is signed in, as far as its own item says: whether it is good is said by Signed.
type Session struct{ signin.Session }

// SessionKey is the item of the session of a cookie with this text.
func SessionKey(shop, cookie string) store.Key { return people.SessionKey(shop, cookie) }

// SessionOf reads the item of SessionKey; false when there is none, or its time is over.
func SessionOf(item *store.Item, now time.Time) (Session, bool) {
	s, is := signin.SessionOf(item, now)
	return Session{s}, is
}

// Keys are the items that say whether a session is good, which Signed reads: the customer's and their password's.
func (s Session) Keys() []store.Key {
	return []store.Key{Key(s.Shop, s.Person), PasswordKey(s.Shop, s.Person)}
}

// Signed is the customer of a session by the items of its Keys; nil when it is not good any more, because the customer was
// deleted or has another password than the one it was begun by.
func Signed(s Session, items []*store.Item) (*Customer, error) {
	if record.Gone(items[0]) || !s.By(signin.PasswordOf(items[1])) {
		return nil, nil
	}
	c, err := Customers.Decode(items[0])
	return &c, err
}

// Who is who is signed in by a cookie, read in two calls; nil: nobody.
func Who(ctx context.Context, t store.Table, shop, cookie string, now time.Time) (Session, *Customer, error) {
	if cookie == "" {
		return Session{}, nil, nil
	}
	items, err := t.Get(ctx, SessionKey(shop, cookie))
	if err != nil {
		return Session{}, nil, err
	}
	s, is := SessionOf(items[0], now)
	if !is {
		return Session{}, nil, nil
	}
	items, err = t.Get(ctx, s.Keys()...)
	if err != nil {
		return Session{}, nil, err
	}
	c, err := Signed(s, items)
	return s, c, err
}

// Due says whether the session of a customer who is here now is to be extended: once a day at most.
func (s Session) Due(now time.Time) bool { return people.Due(s.Session, now) }

// Extend moves the end of a session that is used, so that it is good for as long as a new one. One that was ended
// meanwhile stays so.
func (a Accounts) Extend(ctx context.Context, u *change.Unit, s Session) error {
	panic("not yet")
}
