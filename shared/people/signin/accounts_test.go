package signin_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	hashes "eshop/shared/base/password"
	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

const (
	otherShop     = "01SHOP0000000000000000000B"
	jana          = "jana@example.cz"
	first, second = "correct horse battery", "staple and more horses"
)

// kind is a kind of people that sign in.
type kind[R, F any] struct {
	accounts   signin.Accounts[R, F]
	life, step time.Duration
	make       func(ctx context.Context, u *change.Unit, email field.Email) (id string, err error) // without a password
	remove     func(ctx context.Context, u *change.Unit, id string) error
}

// TestWhatAllPeoplePromise holds for each kind of people what signing in, sessions and links promise. What one kind
// promises alone is in its own tests.
func TestWhatAllPeoplePromise(t *testing.T) {
	t.Run("customers", func(t *testing.T) {
		promised(t, kind[customer.Customer, customer.Fields]{
			accounts: customer.NewAccounts(tries).Accounts, life: 30 * 24 * time.Hour, step: 24 * time.Hour,
			make: func(ctx context.Context, u *change.Unit, email field.Email) (string, error) {
				c, err := customer.Customers.Create(ctx, u, customer.Fields{
					Profile: customer.Profile{Email: email, FirstName: "Jana", LastName: "Nováková"}})
				return c.ID, err
			},
			remove: func(ctx context.Context, u *change.Unit, id string) error {
				return customer.Customers.Delete(ctx, u, id)
			}})
	})
	t.Run("admins", func(t *testing.T) {
		promised(t, kind[staff.Admin, staff.Fields]{
			accounts: staff.NewAccounts(tries), life: 12 * time.Hour, step: 5 * time.Minute,
			make: func(ctx context.Context, u *change.Unit, email field.Email) (string, error) {
				a, _, err := staff.Make(ctx, u, staff.Fields{Email: email, Name: "Jana"})
				return a.ID, err
			}, remove: staff.Delete})
	})
}

func promised[R, F any](t *testing.T, k kind[R, F]) {
	for name, promise := range map[string]func(w *accounts[R, F]){
		"a sign-in that fails does not tell why":          (*accounts[R, F]).failsAlike,
		"a sign-in begins a session and ends the old one": (*accounts[R, F]).beginsAnew,
		"a session ends":                        (*accounts[R, F]).ends,
		"a session that is used goes on":        (*accounts[R, F]).goesOn,
		"a link sets a password once":           (*accounts[R, F]).linksOnce,
		"an account's tries are one count":      (*accounts[R, F]).countsTries,
		"who is deleted meanwhile sets nothing": (*accounts[R, F]).setsNothing,
	} {
		t.Run(name, func(t *testing.T) { promise(openAccounts(t, k)) })
	}
}

// accounts are the accounts of a shop on a table of their own.
type accounts[R, F any] struct {
	*hosttest.World
	signin.Accounts[R, F]
	kind    kind[R, F]
	visitor signin.Visitor
}

func openAccounts[R, F any](t *testing.T, k kind[R, F]) *accounts[R, F] {
	return &accounts[R, F]{World: hosttest.Open(t, hosttest.Setup{}), Accounts: k.accounts, kind: k,
		visitor: signin.Visitor{Address: "192.0.2.1"}}
}

func (w *accounts[R, F]) unit(shop string) *change.Unit {
	u := w.P.Unit()
	u.Shop, u.Request = shop, w.P.NewID()
	return u
}

// person is somebody with the first password, and made one without any.
func (w *accounts[R, F]) person(email field.Email) (id string) {
	w.T.Helper()
	id = w.made(email)
	require.NoError(w.T, w.set(w.link(id), first))
	w.Clock.Pass(time.Minute) // all tries are there again
	w.Main.NewChanges()
	return id
}

func (w *accounts[R, F]) made(email field.Email) (id string) {
	w.T.Helper()
	id, err := w.kind.make(w.T.Context(), w.unit(shop), email)
	require.NoError(w.T, err)
	return id
}

func (w *accounts[R, F]) remove(id string) {
	w.T.Helper()
	require.NoError(w.T, w.kind.remove(w.T.Context(), w.unit(shop), id))
}

func (w *accounts[R, F]) link(id string) string {
	w.T.Helper()
	token, err := w.MakeLink(w.T.Context(), w.unit(shop), id)
	require.NoError(w.T, err)
	require.Regexp(w.T, `^[A-Za-z0-9_-]{43}$`, token)
	require.NotContains(w.T, fmt.Sprint(*get(w.T, w.World, w.LinkKey(shop, token))), token, "only its hash is kept")
	return token
}

func (w *accounts[R, F]) set(token, text string) error {
	_, err := w.SetPassword(w.T.Context(), w.unit(shop), w.visitor, token, text)
	return err
}

func (w *accounts[R, F]) signIn(email, text string) (string, error) {
	_, session, err := w.SignIn(w.T.Context(), w.unit(shop), w.visitor, signin.Form{Email: email, Password: text})
	return session, err
}

// signedIn is the session of who signs in with the first password.
func (w *accounts[R, F]) signedIn() string {
	w.T.Helper()
	session, err := w.signIn(jana, first)
	require.NoError(w.T, err)
	require.Regexp(w.T, `^[0-9A-Z]{26}\.[A-Za-z0-9_-]{43}$`, session)
	require.NotContains(w.T, fmt.Sprint(*get(w.T, w.World, w.SessionKey(shop, session))), session)
	return session
}

// who is who is signed in to a shop, by one read as doors make it.
func (w *accounts[R, F]) who(shop, session string) (signin.Session, *R) {
	w.T.Helper()
	items, err := w.P.Main.Get(w.T.Context(), w.Keys(shop, session)...)
	require.NoError(w.T, err)
	person, s, err := w.SignedIn(items, w.P.Now())
	require.NoError(w.T, err)
	return s, person
}

// failsAlike: the answer, the reads and the hash are the same, whatever is wrong.
func (w *accounts[R, F]) failsAlike() {
	w.person(jana)
	w.made("without@example.cz")
	w.remove(w.person("gone@example.cz"))
	for name, email := range map[string]string{"a wrong password": jana, "no password": "without@example.cz",
		"deleted": "gone@example.cz", "unknown": "nobody@example.cz", "no address": "nobody", "nothing": "",
		"longer than a key": strings.Repeat("x", 5000) + "@example.cz"} {
		w.Clock.Pass(time.Minute)
		computed, writes := hashes.Computed(), w.Main.Writes()
		ctx, meter := store.WithMeter(w.T.Context())
		_, session, err := w.SignIn(ctx, w.unit(shop), w.visitor, signin.Form{Email: email, Password: second})
		require.Equal(w.T, &problem.Problem{Status: http.StatusUnauthorized, Code: "sign_in_failed",
			Detail: "This e-mail address and this password do not belong to an account."}, err, name)
		require.Empty(w.T, session, name)
		require.Equal(w.T, computed+1, hashes.Computed(), name)
		require.Equal(w.T, []int{4, writes + 1}, []int{meter.Calls(), w.Main.Writes()}, "the try, and reads: %s", name)
	}
}

func (w *accounts[R, F]) beginsAnew() {
	w.person(jana)
	old := w.signedIn()
	was, who := w.who(shop, old)
	require.NotNil(w.T, who)
	w.visitor.Session = old
	session, err := w.signIn("JANA@example.CZ", first)
	require.NoError(w.T, err)
	is, again := w.who(shop, session)
	require.Equal(w.T, who, again)
	require.NotEqual(w.T, was.Mark, is.Mark, "scripts see that it is another sign-in")
	_, who = w.who(shop, old)
	require.Nil(w.T, who)
	_, who = w.who(otherShop, session)
	require.Nil(w.T, who, "another shop's host knows no such session")
	require.Empty(w.T, w.Main.NewChanges())
}

func (w *accounts[R, F]) ends() {
	for name, end := range map[string]func(ctx context.Context, id, session string){
		"at its sign-out": func(ctx context.Context, _, session string) {
			require.NoError(w.T, w.SignOut(ctx, w.unit(shop), session))
			require.NoError(w.T, w.SignOut(ctx, w.unit(shop), session), "and again")
		},
		"at a sign-out everywhere": func(ctx context.Context, _, _ string) {
			s, _ := w.who(shop, w.signedIn())
			require.NoError(w.T, w.SignOutEverywhere(ctx, w.unit(shop), s))
			require.NoError(w.T, w.SignOutEverywhere(ctx, w.unit(shop), s), "and again")
			_, who := w.who(shop, w.signedIn())
			require.NotNil(w.T, who, "the password stays")
		},
		"with its person": func(_ context.Context, id, _ string) {
			w.remove(id)
			require.Nil(w.T, get(w.T, w.World, w.PasswordKey(shop, id)), "nothing is kept of the password")
		},
		"by a link's password": func(_ context.Context, id, _ string) {
			require.NoError(w.T, w.set(w.link(id), second))
			_, err := w.signIn(jana, second)
			require.NoError(w.T, err)
		},
		"after its life without a use": func(context.Context, string, string) { w.Clock.Pass(w.kind.life) },
	} {
		*w = *openAccounts(w.T.(*testing.T), w.kind)
		id := w.person(jana)
		session := w.signedIn()
		s, who := w.who(shop, session)
		require.NotNil(w.T, who)
		end(w.T.Context(), id, session)
		_, who = w.who(shop, session)
		require.Nil(w.T, who, name)
		if name == "with its person" || name == "by a link's password" {
			_, _, err := w.Read(w.T.Context(), w.P.Main, s)
			require.True(w.T, problem.Is(err, "unauthenticated"), name)
		}
	}
}

func (w *accounts[R, F]) goesOn() {
	w.person(jana)
	session := w.signedIn()
	begun, _ := w.who(shop, session)
	require.False(w.T, w.Due(begun, w.P.Now().Add(w.kind.step-time.Second)))
	for range 3 {
		w.Clock.Pass(w.kind.life - time.Second)
		s, who := w.who(shop, session)
		require.NotNil(w.T, who)
		require.True(w.T, w.Due(s, w.P.Now()))
		s, err := w.Extend(w.T.Context(), w.unit(shop), s)
		require.NoError(w.T, err)
		require.False(w.T, w.Due(s, w.P.Now().Add(w.kind.step-time.Second)), "once in a step is enough")
		require.True(w.T, w.Due(s, w.P.Now().Add(w.kind.step)))
	}
	s, _ := w.who(shop, session)
	require.NoError(w.T, w.SignOut(w.T.Context(), w.unit(shop), session))
	_, err := w.Extend(w.T.Context(), w.unit(shop), s)
	require.NoError(w.T, err)
	_, who := w.who(shop, session)
	require.Nil(w.T, who, "what was ended stays so")
}

func (w *accounts[R, F]) linksOnce() {
	ctx := w.T.Context()
	id := w.made(jana)
	w.Main.NewChanges()
	gone := func(token string) {
		w.T.Helper()
		computed := hashes.Computed()
		require.Equal(w.T, problem.NotFound(), w.set(token, first))
		require.Equal(w.T, problem.NotFound(), w.CheckLink(ctx, w.unit(shop), token))
		require.Equal(w.T, computed, hashes.Computed())
	}
	gone("")
	gone("unknown")

	token, beside := w.link(id), w.link(id)
	require.NoError(w.T, w.CheckLink(ctx, w.unit(shop), token), "looking uses nothing up")
	require.Equal(w.T, problem.NotFound(), w.CheckLink(ctx, w.unit(otherShop), token))
	require.NoError(w.T, w.set(token, first))
	w.signedIn()
	gone(token)
	gone(beside)
	for _, c := range w.Main.NewChanges() {
		require.Equal(w.T, events.Nothing, c)
	}

	token = w.link(id)
	w.Clock.Pass(24*time.Hour - time.Second)
	require.NoError(w.T, w.CheckLink(ctx, w.unit(shop), token))
	w.Clock.Pass(time.Second)
	gone(token)

	token = w.link(id)
	var all sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		all.Go(func() { errs[i] = w.set(token, second) })
	}
	all.Wait()
	good := 0
	for _, err := range errs {
		if err == nil {
			good++
		} else {
			require.Equal(w.T, problem.NotFound(), err)
		}
	}
	require.Equal(w.T, 1, good, "of several at once, one")
	_, err := w.MakeLink(ctx, w.unit(otherShop), id)
	require.Equal(w.T, problem.NotFound(), err)
	w.remove(id)
	_, err = w.MakeLink(ctx, w.unit(shop), id)
	require.Equal(w.T, problem.NotFound(), err)
}

// setsNothing deletes the person while the hash is computed.
func (w *accounts[R, F]) setsNothing() {
	id := w.made(jana)
	token := w.link(id)
	w.Main.Before(func(ops []store.Op) error {
		for _, op := range ops {
			if op.Key == w.PasswordKey(shop, id) {
				w.Main.Before(nil)
				w.remove(id)
			}
		}
		return nil
	})
	require.Equal(w.T, problem.NotFound(), w.set(token, first))
	require.Nil(w.T, get(w.T, w.World, w.PasswordKey(shop, id)))
}

func (w *accounts[R, F]) countsTries() {
	token := w.link(w.person(jana))
	for i := range signin.MostOfAccount {
		w.visitor.Address = fmt.Sprintf("192.0.2.%d", 10+i)
		w.signedIn() // good ones count
	}
	w.visitor.Address = "192.0.2.20"
	_, err := w.signIn("Jana@EXAMPLE.cz", first)
	require.True(w.T, problem.Is(err, "too_many_tries"))
	require.True(w.T, problem.Is(w.set(token, second), "too_many_tries"))
	w.Name += "s of another kind"
	w.signedIn() // has tries of their own
}
