package staff_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

const (
	shop, otherShop = "01SHOP0000000000000000000A", "01SHOP0000000000000000000B"
	petra           = "petra@example.cz"
	first, second   = "correct horse battery", "staple and more horses"
)

// world is the admins of shops on a table of their own.
type world struct {
	*hosttest.World
	staff.Accounts
	t       *testing.T
	visitor signin.Visitor
}

// sets is SetPassword of whom the test knows.
func (w *world) sets(ctx context.Context, u *change.Unit, v signin.Visitor, token, text string) error {
	_, err := w.SetPassword(ctx, u, v, token, text)
	return err
}

func open(t *testing.T) *world {
	w := &world{World: hosttest.Open(t, hosttest.Setup{}), t: t, visitor: signin.Visitor{Address: "192.0.2.1"}}
	w.Accounts = staff.NewAccounts(signin.Tries{Key: w.P.Key})
	return w
}

func (w *world) unit() *change.Unit { return w.unitOf(shop) }

func (w *world) unitOf(shop string) *change.Unit {
	u := w.P.Unit()
	u.Shop, u.Request = shop, w.P.NewID()
	return u
}

// made is a new admin, and the token of their first link.
func (w *world) made(email string) (staff.Admin, string) {
	w.t.Helper()
	a, token, err := staff.Make(w.t.Context(), w.unit(), staff.Fields{Email: field.Email(email), Name: "Petra Malá"})
	require.NoError(w.t, err)
	return a, token
}

// member is an admin with the first password.
func (w *world) member(email string) staff.Admin {
	w.t.Helper()
	a, token := w.made(email)
	require.NoError(w.t, w.sets(w.t.Context(), w.unit(), w.visitor, token, first))
	w.Clock.Pass(time.Minute) // all tries are there again
	return a
}

func (w *world) signIn(email, text string) (string, error) {
	_, session, err := w.SignIn(w.t.Context(), w.unit(), w.visitor, signin.Form{Email: email, Password: text})
	return session, err
}

// signedIn is the session of an admin who signs in with the first password.
func (w *world) signedIn(email string) string {
	w.t.Helper()
	session, err := w.signIn(email, first)
	require.NoError(w.t, err)
	return session
}

// who is who is signed in to a shop by a session, by one read as doors make it.
func (w *world) who(shop, session string) (signin.Session, *staff.Admin) {
	w.t.Helper()
	items, err := w.P.Main.Get(w.t.Context(), w.Keys(shop, session)...)
	require.NoError(w.t, err)
	a, s, err := w.SignedIn(items, w.P.Now())
	require.NoError(w.t, err)
	return s, a
}

// code is the code of the problem that an error is; "" of none.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	p, is := problem.As(err)
	require.True(t, is, "%v", err)
	return p.Code
}

func TestAnAdminIsMadeWithALinkAndToldToNobody(t *testing.T) {
	w := open(t)
	a, token := w.made(petra)
	require.Regexp(t, `^[A-Za-z0-9_-]{43}$`, token)
	read, err := staff.Admins.Read(t.Context(), w.P.Main, shop, a.ID)
	require.NoError(t, err)
	require.Equal(t, a, read)
	require.Equal(t, staff.Fields{Email: petra, Name: "Petra Malá"}, a.Fields)
	_, err = w.signIn(petra, "")
	require.Equal(t, "sign_in_failed", code(t, err), "without a password nobody signs in")

	require.NoError(t, w.CheckLink(t.Context(), w.unit(), token))
	require.Equal(t, "not_found", code(t, w.CheckLink(t.Context(), w.unitOf(otherShop), token)))
	require.NoError(t, w.sets(t.Context(), w.unit(), w.visitor, token, first))
	require.Equal(t, "not_found", code(t, w.sets(t.Context(), w.unit(), w.visitor, token, second)), "good once")
	_, who := w.who(shop, w.signedIn(petra))
	require.Equal(t, &a, who)

	_, token = w.made("next@example.cz")
	w.Clock.Pass(24 * time.Hour)
	require.Equal(t, "not_found", code(t, w.CheckLink(t.Context(), w.unit(), token)), "good for 24 hours")
	for _, c := range w.Main.NewChanges() {
		require.Equal(t, events.Nothing, c)
	}
}

func TestAnEmailIsOneAdminsOfAShop(t *testing.T) {
	w := open(t)
	a, _ := w.made(petra)
	again := func(shop, email string) string {
		_, token, err := staff.Make(t.Context(), w.unitOf(shop), staff.Fields{Email: field.Email(email), Name: "P"})
		require.Equal(t, err == nil, token != "")
		return code(t, err)
	}
	require.Equal(t, "email_taken", again(shop, petra))
	require.Equal(t, "email_taken", again(shop, strings.ToUpper(petra)))
	require.Empty(t, again(otherShop, petra))
	_, err := customer.Customers.Create(t.Context(), w.unit(),
		customer.Fields{Profile: customer.Profile{Email: petra, FirstName: "Petra", LastName: "Malá"}})
	require.NoError(t, err, "an admin may be a customer, too")
	require.NoError(t, staff.Delete(t.Context(), w.unit(), a.ID))
	require.Empty(t, again(shop, petra), "and is free when nobody has it any more")
}

func TestASessionIsOfOneShopAndOfAdmins(t *testing.T) {
	w := open(t)
	w.member(petra)
	session := w.signedIn(petra)
	_, who := w.who(otherShop, session)
	require.Nil(t, who)
	items, err := w.P.Main.Get(t.Context(), customer.NewAccounts(w.Tries).SessionKey(shop, session))
	require.NoError(t, err)
	require.Nil(t, items[0], "no customer's")
}

func TestTheLastAdminStays(t *testing.T) {
	w := open(t)
	a, _ := w.made(petra)
	b, _ := w.made("next@example.cz")
	leave := func(id string) string { return code(t, staff.DeleteButLast(t.Context(), w.unit(), id)) }
	require.Equal(t, "not_found", code(t, staff.DeleteButLast(t.Context(), w.unitOf(otherShop), a.ID)))
	require.Empty(t, leave(a.ID))
	require.Equal(t, "not_found", leave(a.ID))
	require.Equal(t, "last_admin", leave(b.ID))
	require.Equal(t, "last_admin", leave(b.ID))

	_, _, err := staff.Make(t.Context(), w.unit(), staff.Fields{Email: "NEXT@example.cz", Name: "N"})
	require.Equal(t, "email_taken", code(t, err))
	require.Equal(t, "last_admin", leave(b.ID), "who could not be made does not count")
	c, _ := w.made(petra)
	require.Empty(t, leave(b.ID))
	require.Equal(t, "last_admin", leave(c.ID))

	require.NoError(t, staff.Delete(t.Context(), w.unit(), c.ID), "the operator may delete anybody")
	require.Equal(t, "not_found", code(t, staff.Delete(t.Context(), w.unit(), c.ID)))
	d, _ := w.made(petra)
	require.Equal(t, "last_admin", leave(d.ID))
}

func TestOfAdminsWhoDeleteEachOtherOneStays(t *testing.T) {
	w := open(t)
	for range 5 {
		var ids [3]string
		for i, email := range []string{"a@example.cz", "b@example.cz", "c@example.cz"} {
			a, _ := w.made(email)
			ids[i] = a.ID
		}
		var all sync.WaitGroup
		errs := make([]error, len(ids))
		for i, id := range ids {
			all.Go(func() { errs[i] = staff.DeleteButLast(t.Context(), w.unit(), id) })
		}
		all.Wait()
		left := 0
		for i, err := range errs {
			if err != nil {
				require.Equal(t, "last_admin", code(t, err))
				left++
				require.NoError(t, staff.Delete(t.Context(), w.unit(), ids[i]))
			}
		}
		require.Equal(t, 1, left)
	}
}
