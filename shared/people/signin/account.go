package signin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/base/password"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Accounts describes the accounts of a kind of people, in shops: R is a person's record, F what is written of one.
// Whatever compares or makes a password's hash takes a try of the visitor's address and of the account first: the
// problem too_many_tries.
type Accounts[R, F any] struct {
	People
	Name     string // of the kind: the accounts of each have tries of their own
	Records  *record.Kind[R, F]
	Email    func(R) field.Email
	EmailKey func(shop string, e field.Email) store.Key // the claim of an e-mail address, by which a person is found
	Tries    Tries                                      // of whoever signs in or sets a password
}

// Form is what a person signs in with. What cannot be an e-mail address or a password is as wrong as one that nobody
// has.
type Form struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Visitor is who asks for what compares or makes a password's hash.
type Visitor struct {
	Address string // the connection's, never a header's
	Session string // the text of the session cookie that came along; "" without one
}

// SignIn begins a session and ends the visitor's old one. It answers the person and the text of the session's cookie.
// An e-mail address and a password that do not belong together are the problem sign_in_failed, and neither the answer
// nor its time nor what it reads tells whether the address is known.
func (a Accounts[R, F]) SignIn(ctx context.Context, u *change.Unit, visitor Visitor, form Form) (R, string, error) {
	var none R
	email := field.Email(form.Email)
	if err := a.Try(ctx, u, visitor, email); err != nil {
		return none, "", err
	}
	if !field.IsEmail(form.Email) {
		email = "" // nobody's
	}
	claims, err := u.Table.Get(ctx, a.EmailKey(u.Shop, email))
	if err != nil {
		return none, "", err
	}
	owner := record.Owner(claims[0])
	items, err := u.Table.Get(ctx, a.ofPerson(u.Shop, owner)...)
	if err != nil {
		return none, "", err
	}
	has := PasswordOf(items[1])
	if record.Missing(items[0]) {
		has = Password{}
	}
	right, err := password.Check(ctx, has.Hash, form.Password)
	if err != nil {
		return none, "", err
	}
	if !right {
		return none, "", &problem.Problem{Status: http.StatusUnauthorized, Code: "sign_in_failed",
			Detail: "This e-mail address and this password do not belong to an account."}
	}
	person, err := a.Records.Decode(items[0])
	if err != nil {
		return none, "", err
	}
	ops, text := a.NewSession(u, visitor, owner, has)
	if _, err = u.Write(ctx, person, events.Nothing, ops...); err != nil {
		return none, "", err
	}
	return person, text, nil
}

// NewSession is a new session of a person: the operations that begin it and end the visitor's old one, and its text.
func (a Accounts[R, F]) NewSession(u *change.Unit, v Visitor, person string, of Password) ([]store.Op, string) {
	session, text := a.Begin(u.Random, u.Shop, person, of, u.Now())
	ops := []store.Op{store.Put(session.Item())}
	if v.Session != "" {
		ops = append(ops, store.Delete(a.SessionKey(u.Shop, v.Session)))
	}
	return ops, text
}

// SignOut ends the session of a cookie with this text; one that is not there is no fault.
func (a Accounts[R, F]) SignOut(ctx context.Context, u *change.Unit, session string) error {
	_, err := u.Write(ctx, nil, events.Nothing, store.Delete(a.SessionKey(u.Shop, session)))
	return err
}

// SignOutEverywhere ends all sessions of the person of a session, and their links. The password stays, of another
// epoch. A session that is not good any more ends nothing.
func (a Accounts[R, F]) SignOutEverywhere(ctx context.Context, u *change.Unit, s Session) error {
	_, err := record.Retry(ctx, func() (store.Item, error) {
		_, has, err := a.Read(ctx, u.Table, s)
		if err != nil {
			return store.Item{}, err
		}
		return u.Write(ctx, nil, events.Nothing, store.Delete(s.Key),
			a.ReplacePassword(u.Shop, s.Person, has, Password{Hash: has.Hash, Epoch: u.NewID()}))
	})
	if problem.Is(err, "unauthenticated") {
		return nil
	}
	return err
}

// Extend moves the end of a session that is used, so that it is good for as long as a new one, and answers it as it is
// then. One that was ended meanwhile stays ended.
func (a Accounts[R, F]) Extend(ctx context.Context, u *change.Unit, s Session) (Session, error) {
	extended := s
	extended.Ends = u.Now().Add(a.Life)
	ends := extended.Ends.Unix()
	_, err := u.Table.Write(ctx, events.Nothing, store.Update(s.Key, store.Set{Expires: &ends}, store.Present()))
	if store.IsCondition(err) {
		return s, nil
	}
	return extended, err
}

// Keys are the keys of the items by which SignedIn tells whose session the one of a cookie with this text is; none when
// no session has such a text.
func (a Accounts[R, F]) Keys(shop, text string) []store.Key {
	person, secret, _ := strings.Cut(text, ".")
	if secret == "" || !id.Valid(person) {
		return nil
	}
	return append(a.ofPerson(shop, person), a.SessionKey(shop, text))
}

// SignedIn is the person of a session and the session, by the items of its Keys; nil when it is not good any more,
// because it was ended, or the person was deleted or has another password than the one it was begun by.
func (a Accounts[R, F]) SignedIn(items []*store.Item, now time.Time) (*R, Session, error) {
	if len(items) == 0 {
		return nil, Session{}, nil
	}
	s, good := SessionOf(items[2], now)
	if !good {
		return nil, Session{}, nil
	}
	person, err := a.personOf(s, items)
	return person, s, err
}

// ofPerson are the keys of what a person is and of their password.
func (a Accounts[R, F]) ofPerson(shop, person string) []store.Key {
	return []store.Key{a.Records.Key(shop, person), a.PasswordKey(shop, person)}
}

// personOf is the person of a session by the items of ofPerson, likewise.
func (a Accounts[R, F]) personOf(s Session, items []*store.Item) (*R, error) {
	if record.Missing(items[0]) || !s.By(PasswordOf(items[1])) {
		return nil, nil
	}
	person, err := a.Records.Decode(items[0])
	if err != nil {
		return nil, err
	}
	return &person, nil
}

// Unauthenticated is the 401 of who has no session that is good.
func Unauthenticated() *problem.Problem {
	return &problem.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated", Detail: "Sign in first."}
}

// Read is the person of a session and their password. A session that is not good any more is Unauthenticated.
func (a Accounts[R, F]) Read(ctx context.Context, t store.Table, s Session) (*R, Password, error) {
	items, err := t.Get(ctx, a.ofPerson(s.Shop, s.Person)...)
	if err != nil {
		return nil, Password{}, err
	}
	person, err := a.personOf(s, items)
	if err == nil && person == nil {
		err = Unauthenticated()
	}
	return person, PasswordOf(items[1]), err
}

// Try takes a try of the visitor's address and of the account with this e-mail address, whether or not there is one.
func (a Accounts[R, F]) Try(ctx context.Context, u *change.Unit, v Visitor, email field.Email) error {
	return a.Tries.Count(ctx, u, Address(v.Address), Account(a.Name, u.Shop, email.Fold()))
}
