package customer_test

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
	"eshop/shared/base/password"
	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

const (
	shop, otherShop = "01SHOP0000000000000000000A", "01SHOP0000000000000000000B"
	jana            = "jana@example.cz"
	first, second   = "correct horse battery", "staple and more horses"
)

// world is the accounts of a shop on a table of their own.
type world struct {
	*hosttest.World
	customer.Accounts
	ctx     context.Context
	visitor signin.Visitor
	mu      sync.Mutex
	seen    map[store.Key]bool // all keys that were ever written
}

// sets is SetPassword of whom the test knows.
func (w *world) sets(ctx context.Context, u *change.Unit, v signin.Visitor, token, text string) error {
	_, err := w.SetPassword(ctx, u, v, token, text)
	return err
}

func open(t *testing.T) *world {
	w := &world{World: hosttest.Open(t, hosttest.Setup{}), ctx: t.Context(),
		visitor: signin.Visitor{Address: "192.0.2.1"}, seen: map[store.Key]bool{}}
	w.Accounts = customer.NewAccounts(signin.Tries{Key: w.P.Key})
	w.through(nil)
	return w
}

// through asks before each write from now on; nil lets all through.
func (w *world) through(before func(ops []store.Op) error) {
	w.Main.Before(func(ops []store.Op) error {
		w.mu.Lock()
		for _, op := range ops {
			w.seen[op.Key] = true
		}
		w.mu.Unlock()
		if before == nil {
			return nil
		}
		return before(ops)
	})
}

func (w *world) unit() *change.Unit {
	u := w.P.Unit()
	u.Shop, u.Request = shop, w.P.NewID()
	return u
}

// later is a minute on, when all tries are there again.
func (w *world) later() { w.Clock.Pass(time.Minute) }

// registration is a form with all that it must have.
func registration(email string) customer.RegisterForm {
	f := customer.RegisterForm{Password: first}
	f.Email, f.FirstName, f.LastName = field.Email(email), "Jana", "Nováková"
	return f
}

// registered is a customer who has just registered, and the text of the session's cookie.
func (w *world) registered(email string) (customer.Customer, string) {
	w.T.Helper()
	c, session, err := w.Register(w.ctx, w.unit(), w.visitor, registration(email))
	require.NoError(w.T, err)
	w.later()
	w.Main.NewChanges()
	return c, session
}

// who is who is signed in by a session.
func (w *world) who(session string) (signin.Session, *customer.Customer) {
	w.T.Helper()
	return w.whoIn(shop, session)
}

// whoIn is who is signed in to a shop, by one read as doors make it.
func (w *world) whoIn(shop, session string) (signin.Session, *customer.Customer) {
	w.T.Helper()
	items, err := w.P.Main.Get(w.ctx, w.Keys(shop, session)...)
	require.NoError(w.T, err)
	c, s, err := w.SignedIn(items, w.P.Now())
	require.NoError(w.T, err)
	return s, c
}

func (w *world) signIn(email, password string) (customer.Customer, string, error) {
	return w.SignIn(w.ctx, w.unit(), w.visitor, signin.Form{Email: email, Password: password})
}

// changed is the customer of a session after an edit of their own data.
func (w *world) changed(session string, edit func(*customer.ProfileForm)) (customer.Customer, string, error) {
	s, _ := w.who(session)
	v := w.visitor
	v.Session = session
	return w.ChangeProfile(w.ctx, w.unit(), v, s, func(f customer.ProfileForm) (customer.ProfileForm, error) {
		edit(&f)
		return f, nil
	})
}

// edits are changes of one's own data: what is "" stays as it is.
func edits(name field.Name, email field.Email, next, current string) func(*customer.ProfileForm) {
	return func(f *customer.ProfileForm) {
		if name != "" {
			f.FirstName = name
		}
		if email != "" {
			f.Email = email
		}
		f.Password, f.CurrentPassword = next, current
	}
}

// The edits of most tests.
var (
	named   = edits("Eva", "", "", "")
	mailed  = edits("", "eva@example.cz", "", first)
	changed = edits("", "", second, first)
	all     = edits("Eva", "eva@example.cz", second, first)
)

// kept is all that the table holds but tries, as text.
func (w *world) kept() map[store.Key]string {
	w.T.Helper()
	all := map[store.Key]string{}
	for key := range w.seen {
		items, err := w.DB.Table("main").Get(context.Background(), key)
		require.NoError(w.T, err)
		if items[0] != nil && !strings.HasPrefix(key.PK, "TRY#") {
			all[key] = fmt.Sprintf("%+v %s", *items[0], items[0].Doc)
		}
	}
	return all
}

// told is what happened to customers since it was asked for last.
func (w *world) told() []events.Did {
	var all []events.Did
	for _, c := range w.Main.NewChanges() {
		require.Equal(w.T, shop, c.Shop)
		for _, r := range c.Records {
			require.Equal(w.T, events.Customers, r.Kind)
			all = append(all, r.Did)
		}
	}
	return all
}

// problemOf is the problem that an error is.
func problemOf(t *testing.T, err error) *problem.Problem {
	t.Helper()
	p, is := problem.As(err)
	require.True(t, is, "%v", err)
	return p
}

// faultOf is the place and the code of the one fault of an error.
func faultOf(t *testing.T, err error) string {
	t.Helper()
	p := problemOf(t, err)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.Len(t, p.Errors, 1)
	return p.Errors[0].Location + " " + p.Errors[0].Code
}

// merchant changes the customer as the admin and partners do.
func (w *world) merchant(id string, edit func(*customer.Fields)) error {
	_, err := customer.Customers.Change(w.ctx, w.unit(), id, func(f customer.Fields) (customer.Fields, error) {
		edit(&f)
		return f, nil
	})
	return err
}

func TestWhoRegistersIsACustomerAndSignedIn(t *testing.T) {
	w := open(t)
	f := registration(jana)
	f.Company = "Novák a syn"
	f.BillingAddress = &customer.Address{Street: "Dlouhá 12", City: "Brno", Zip: "602 00", Country: "CZ"}
	writes := w.Main.Writes()
	c, session, err := w.Register(t.Context(), w.unit(), w.visitor, f)
	require.NoError(t, err)
	require.Equal(t, f.Profile, c.Profile)
	require.Equal(t, writes+2, w.Main.Writes(), "the try, and all the rest at once")
	require.Equal(t, []events.Did{events.Created}, w.told())

	read, err := customer.Customers.Read(t.Context(), w.P.Main, shop, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, read)
	s, who := w.who(session)
	require.Equal(t, &c, who)
	require.Equal(t, c.ID, s.Person)
	for key, item := range w.kept() {
		for _, secret := range []string{first, session} {
			require.NotContains(t, item+key.PK+key.SK, secret)
		}
	}
	_, who = w.whoIn(otherShop, session)
	require.Nil(t, who, "another shop's host knows no such session")
}

func TestAnEmailRegistersOnce(t *testing.T) {
	w := open(t)
	w.registered(jana)
	before := w.kept()
	for _, email := range []string{jana, "JANA@Example.cz"} {
		_, session, err := w.Register(t.Context(), w.unit(), w.visitor, registration(email))
		require.Equal(t, "email_taken", problemOf(t, err).Code)
		require.Equal(t, http.StatusConflict, problemOf(t, err).Status)
		require.Empty(t, session)
	}
	require.Equal(t, before, w.kept())
	require.Empty(t, w.told())
	var made, taken int
	for range 4 {
		w.later()
		var all sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			all.Go(func() {
				_, _, errs[i] = w.Register(t.Context(), w.unit(), w.visitor, registration("petr@example.cz"))
			})
		}
		all.Wait()
		for _, err := range errs {
			if err == nil {
				made++
			} else if problem.Is(err, "email_taken") {
				taken++
			}
		}
	}
	require.Equal(t, []int{1, 11}, []int{made, taken}, "of registrations at once, too")
}

func TestPasswordsHaveTenToTwoHundredCharacters(t *testing.T) {
	w := open(t)
	c, session := w.registered(jana)
	token, err := w.MakeLink(t.Context(), w.unit(), c.ID)
	require.NoError(t, err)
	before := password.Computed()
	for text, fault := range map[string]string{
		"":                       "body.password bad_format",
		"ůůůůůůůůů":              "body.password bad_format",
		strings.Repeat("ů", 201): "body.password too_long",
		strings.Repeat("x", 1e6): "body.password too_long",
	} {
		f := registration("petr@example.cz")
		f.Password = text
		_, _, err := w.Register(t.Context(), w.unit(), w.visitor, f)
		require.Equal(t, fault, faultOf(t, err))
		require.Equal(t, fault, faultOf(t, w.sets(t.Context(), w.unit(), w.visitor, token, text)))
		if text != "" {
			_, _, err = w.changed(session, edits("", "", text, first))
			require.Equal(t, fault, faultOf(t, err))
		}
	}
	require.Equal(t, before, password.Computed())
	for _, text := range []string{"ůůůůůůůůůů", strings.Repeat("ů", 200)} {
		f := registration(fmt.Sprintf("p%d@example.cz", len(text)))
		f.Password = text
		_, _, err := w.Register(t.Context(), w.unit(), w.visitor, f)
		require.NoError(t, err)
		_, _, err = w.signIn(string(f.Email), text)
		require.NoError(t, err)
	}
}

// What all people promise of signing in, sessions and links is in package signin's tests.

func TestASessionThatIsNotGoodAnyMoreChangesNothing(t *testing.T) {
	w := open(t)
	_, session := w.registered(jana)
	s, _ := w.who(session)
	_, other, err := w.signIn(jana, first)
	require.NoError(t, err)
	_, _, err = w.changed(other, changed)
	require.NoError(t, err)
	_, who := w.who(session)
	require.Nil(t, who, "a new password in another session ended it")
	keep := func(f customer.ProfileForm) (customer.ProfileForm, error) { return f, nil }
	_, _, err = w.ChangeProfile(t.Context(), w.unit(), w.visitor, s, keep)
	require.Equal(t, "unauthenticated", problemOf(t, err).Code)
}

func TestCustomersChangeTheirOwnData(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*customer.ProfileForm)
		fault string
		told  bool
		hash  int64
		renew bool
	}{
		{"nothing", func(*customer.ProfileForm) {}, "", false, 0, false},
		{"a name", named, "", true, 0, false},
		{"a name beside a current password", edits("Eva", "", "", "x"), "", true, 0, false},
		{"an email alone", edits("", "eva@example.cz", "", ""), "body.currentPassword required", false, 0, false},
		{"an email, wrong", edits("", "eva@example.cz", "", second), "body.currentPassword conflict", false, 1, false},
		{"an email", mailed, "", true, 1, false},
		{"a password alone", edits("", "", second, ""), "body.currentPassword required", false, 0, false},
		{"a password, wrong", edits("", "", second, second), "body.currentPassword conflict", false, 1, false},
		{"a password", changed, "", false, 2, true},
		{"a password and a name", edits("Eva", "", second, first), "", true, 2, true},
		{"all at once", all, "", true, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t)
			was, session := w.registered(jana)
			require.NoError(t, w.merchant(was.ID, func(f *customer.Fields) {
				f.Note, f.PriceLevel, f.ExternalID = "n", "p", "x"
			}))
			_, other, err := w.signIn(jana, first)
			require.NoError(t, err)
			w.later()
			w.Main.NewChanges()
			before, hashes := w.kept(), password.Computed()

			own, next, err := w.changed(session, c.edit)
			require.Equal(t, hashes+c.hash, password.Computed())
			if c.fault != "" {
				require.Equal(t, c.fault, faultOf(t, err))
				require.Equal(t, before, w.kept())
				return
			}
			require.NoError(t, err)
			want := customer.ProfileForm{Profile: was.Profile}
			c.edit(&want)
			require.Equal(t, want.Profile, own.Profile)
			require.Equal(t, "n p x", fmt.Sprint(own.Note, " ", own.PriceLevel, " ", own.ExternalID))
			shown := own
			shown.Note, shown.PriceLevel = "", ""
			require.Equal(t, shown, own.Shown())
			require.Equal(t, map[bool][]events.Did{true: {events.Changed}}[c.told], w.told())

			require.Equal(t, c.renew, next != "")
			_, mine := w.who(session)
			_, others := w.who(other)
			require.Equal(t, c.renew, mine == nil)
			require.Equal(t, c.renew, others == nil)
			if c.renew {
				s, who := w.who(next)
				require.Equal(t, &own, who)
				require.NotEmpty(t, s.Mark)
			}
			_, _, err = w.signIn(string(own.Email), map[bool]string{true: second, false: first}[c.renew])
			require.NoError(t, err)
			_, _, err = w.signIn(string(own.Email), map[bool]string{true: first, false: second}[c.renew])
			require.Equal(t, "sign_in_failed", problemOf(t, err).Code)
		})
	}
}

func TestANewPasswordIsNoNewSignIn(t *testing.T) {
	w := open(t)
	_, session := w.registered(jana)
	was, _ := w.who(session)
	_, next, err := w.changed(session, changed)
	require.NoError(t, err)
	is, _ := w.who(next)
	require.Equal(t, was.Mark, is.Mark)
	require.NotContains(t, w.kept(), was.Key)
}

func TestAnotherCustomersEmailCannotBeTaken(t *testing.T) {
	w := open(t)
	_, session := w.registered(jana)
	w.registered("petr@example.cz")
	before := w.kept()
	_, next, err := w.changed(session, edits("", "Petr@example.cz", second, first))
	require.Equal(t, "email_taken", problemOf(t, err).Code)
	require.Empty(t, next)
	require.Equal(t, before, w.kept())
}

func TestWhoChangesMeanwhileIsNotLost(t *testing.T) {
	both := edits("Eva", "", second, first)
	t.Run("a merchant's change stays", func(t *testing.T) {
		w := open(t)
		c, session := w.registered(jana)
		w.atWrite(customer.Key(shop, c.ID), func() {
			require.NoError(t, w.merchant(c.ID, func(f *customer.Fields) { f.Note = "VIP" }))
		})
		own, _, err := w.changed(session, both)
		require.NoError(t, err)
		require.Equal(t, []string{"Eva", "VIP"}, []string{string(own.FirstName), string(own.Note)})
	})
	t.Run("who made the same change leaves the password to be set", func(t *testing.T) {
		w := open(t)
		c, session := w.registered(jana)
		w.atWrite(customer.Key(shop, c.ID), func() {
			require.NoError(t, w.merchant(c.ID, func(f *customer.Fields) { f.FirstName = "Eva" }))
		})
		_, next, err := w.changed(session, both)
		require.NoError(t, err)
		_, who := w.who(next)
		require.NotNil(t, who)
	})
	t.Run("an address changed meanwhile needs the password", func(t *testing.T) {
		w := open(t)
		c, session := w.registered(jana)
		w.atWrite(customer.Key(shop, c.ID), func() {
			require.NoError(t, w.merchant(c.ID, func(f *customer.Fields) { f.Email = "new@example.cz" }))
		})
		_, _, err := w.changed(session, edits("Eva", jana, "", ""))
		require.Equal(t, "body.currentPassword required", faultOf(t, err))
	})
	for name, edit := range map[string]func(*customer.ProfileForm){
		"a password": changed,
		"an email":   mailed,
		"both":       all,
	} {
		t.Run(name+" by a password that is not it any more", func(t *testing.T) {
			w := open(t)
			c, session := w.registered(jana)
			token, err := w.MakeLink(t.Context(), w.unit(), c.ID)
			require.NoError(t, err)
			key := customer.PasswordKey(shop, c.ID)
			w.atWrite(key, func() {
				v := signin.Visitor{Address: "192.0.2.9"}
				require.NoError(t, w.sets(t.Context(), w.unit(), v, token, "a third one of them"))
			})
			_, _, err = w.changed(session, edit)
			require.Equal(t, "body.currentPassword conflict", faultOf(t, err))
			_, _, err = w.signIn(jana, "a third one of them")
			require.NoError(t, err)
		})
	}
}

// atWrite does f once, ahead of the next write of a key.
func (w *world) atWrite(key store.Key, f func()) {
	w.through(func(ops []store.Op) error {
		for _, op := range ops {
			if op.Key == key {
				w.through(nil)
				f()
			}
		}
		return nil
	})
}

func TestAMerchantsNewEmailKeepsTheAccount(t *testing.T) {
	w := open(t)
	c, session := w.registered(jana)
	require.NoError(t, w.merchant(c.ID, func(f *customer.Fields) { f.Email = "nova@example.cz" }))
	_, who := w.who(session)
	require.Equal(t, c.ID, who.ID)
	in, _, err := w.signIn("nova@example.cz", first)
	require.NoError(t, err)
	require.Equal(t, c.ID, in.ID)
	_, _, err = w.signIn(jana, first)
	require.Equal(t, "sign_in_failed", problemOf(t, err).Code)
	next, _ := w.registered(jana)
	require.NotEqual(t, c.ID, next.ID, "the address is free for somebody else")
}

// commands are all that compare or make a password's hash, each ready to be done once and to succeed.
var commands = map[string]func(w *world, c customer.Customer, session string) func() error{
	"register": func(w *world, _ customer.Customer, _ string) func() error {
		return func() error {
			_, _, err := w.Register(w.ctx, w.unit(), w.visitor, registration("petr@example.cz"))
			return err
		}
	},
	"sign in": func(w *world, _ customer.Customer, session string) func() error {
		return func() error {
			v := w.visitor
			v.Session = session
			_, _, err := w.SignIn(w.ctx, w.unit(), v, signin.Form{Email: jana, Password: first})
			return err
		}
	},
	"change the e-mail": func(w *world, _ customer.Customer, session string) func() error {
		return func() error {
			_, _, err := w.changed(session, mailed)
			return err
		}
	},
	"change the password": func(w *world, _ customer.Customer, session string) func() error {
		return func() error {
			_, _, err := w.changed(session, changed)
			return err
		}
	},
	"change all": func(w *world, _ customer.Customer, session string) func() error {
		return func() error {
			_, _, err := w.changed(session, all)
			return err
		}
	},
	"set a password": func(w *world, c customer.Customer, _ string) func() error {
		token, err := w.MakeLink(w.ctx, w.unit(), c.ID)
		require.NoError(w.T, err)
		return func() error { return w.sets(w.ctx, w.unit(), w.visitor, token, second) }
	},
}

func TestWithoutATryNoHashIsComputed(t *testing.T) {
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			c, session := w.registered(jana)
			do := command(w, c, session)
			for i := range 10 {
				w.visitor.Address = "192.0.2.2"
				_, _, err := w.signIn(fmt.Sprintf("%d@example.cz", i), first)
				require.Equal(t, "sign_in_failed", problemOf(t, err).Code)
			}
			before, hashes := w.kept(), password.Computed()
			p := problemOf(t, do())
			require.Equal(t, http.StatusTooManyRequests, p.Status)
			require.Equal(t, "too_many_tries", p.Code)
			require.Equal(t, []string{"60"}, p.Header["Retry-After"])
			require.Equal(t, hashes, password.Computed())
			require.Equal(t, before, w.kept())
			w.later()
			require.NoError(t, do())
		})
	}
}

func TestAnAccountsTriesAreOneCountWhateverTheyAreFor(t *testing.T) {
	w := open(t)
	c, session := w.registered(jana)
	token, err := w.MakeLink(t.Context(), w.unit(), c.ID)
	require.NoError(t, err)
	for i := range 5 {
		w.visitor.Address = fmt.Sprintf("192.0.2.%d", 10+i)
		_, _, err := w.signIn("Jana@EXAMPLE.cz", first)
		require.NoError(t, err, "good ones count")
	}
	w.visitor.Address = "192.0.2.20"
	_, _, err = w.signIn(jana, first)
	require.Equal(t, "too_many_tries", problemOf(t, err).Code)
	_, _, err = w.Register(t.Context(), w.unit(), w.visitor, registration(jana))
	require.Equal(t, "too_many_tries", problemOf(t, err).Code)
	_, _, err = w.changed(session, changed)
	require.Equal(t, "too_many_tries", problemOf(t, err).Code)
	err = w.sets(t.Context(), w.unit(), w.visitor, token, second)
	require.Equal(t, "too_many_tries", problemOf(t, err).Code)
	_, _, err = w.changed(session, named)
	require.NoError(t, err, "what needs no password needs no try")
}

// TestAWriteThatFailsLeavesNothing lets each write of each command fail, but those of tries.
func TestAWriteThatFailsLeavesNothing(t *testing.T) {
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			c, session := w.registered(jana)
			do := command(w, c, session)
			before, writes := w.kept(), 0
			w.through(func(ops []store.Op) error {
				if strings.HasPrefix(ops[0].Key.PK, "TRY#") {
					return nil
				}
				writes++
				return store.ErrUnavailable
			})
			err := do()
			require.ErrorIs(t, err, store.ErrUnavailable)
			require.Equal(t, 1, writes, "all of it is one write")
			require.Equal(t, before, w.kept())
			require.Empty(t, w.told())
			w.through(nil)
			require.NoError(t, do())
		})
	}
}

func TestWhoIsGoneMeanwhileChangesNothing(t *testing.T) {
	w := open(t)
	w.registered(jana)
	before := w.kept()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := w.SignIn(ctx, w.unit(), w.visitor, signin.Form{Email: jana, Password: first})
	require.Error(t, err)
	require.Equal(t, before, w.kept())
}

func TestNoErrorTellsASecret(t *testing.T) {
	for name, command := range commands {
		w := open(t)
		c, session := w.registered(jana)
		do := command(w, c, session)
		var errs []error
		for _, fault := range []error{store.ErrUnavailable, problem.Unavailable(time.Second)} {
			w.through(func(ops []store.Op) error { return fault })
			errs = append(errs, do())
		}
		w.through(nil)
		_, _, wrong := w.signIn(jana, second)
		_, _, taken := w.Register(t.Context(), w.unit(), w.visitor, registration(jana))
		_, _, current := w.changed(session, edits("", "", second, second))
		unknown := w.sets(t.Context(), w.unit(), w.visitor, "a-secret-token", second)
		errs = append(errs, wrong, taken, current, unknown)
		for range 5 {
			_, _, err := w.signIn(jana, second)
			errs = append(errs, err)
		}
		for _, err := range errs {
			require.Error(t, err, name)
			text := fmt.Sprintf("%v %+v", err, err)
			if p, is := problem.As(err); is {
				text += fmt.Sprintf("%+v", *p)
			}
			for _, secret := range []string{first, second, session, jana, "petr@", "a-secret-token", w.visitor.Address,
				"argon2id"} {
				require.NotContains(t, text, secret, name)
			}
		}
	}
}

// TestWhatAccountsCost counts the calls of the store. A try is two of them, and knowing who is signed in, which a
// change begins with, one more.
func TestWhatAccountsCost(t *testing.T) {
	calls := map[string]int{"register": 3, "sign in": 5,
		"change the e-mail": 6, "change the password": 6, "change all": 6, "set a password": 7}
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			c, session := w.registered(jana)
			do := command(w, c, session)
			require.Equal(t, calls[name], w.calls(func() { require.NoError(t, do()) }))
		})
	}
	w := open(t)
	c, session := w.registered(jana)
	require.Equal(t, 1, w.calls(func() { w.who(session) }))
	require.Equal(t, 4, w.calls(func() {
		_, _, err := w.changed(session, named)
		require.NoError(t, err)
	}))
	require.Equal(t, 3, w.calls(func() {
		_, err := w.MakeLink(w.ctx, w.unit(), c.ID)
		require.NoError(t, err)
	}))
	require.Equal(t, 1, w.calls(func() { require.NoError(t, w.SignOut(w.ctx, w.unit(), session)) }))
}

// calls is how often f calls the store.
func (w *world) calls(f func()) int {
	ctx, meter := store.WithMeter(w.ctx)
	was := w.ctx
	w.ctx = ctx
	defer func() { w.ctx = was }()
	f()
	return meter.Calls()
}
