package signin_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/signin"
	"eshop/shared/store"
)

var password = signin.Password{Hash: "$argon2id$…", Epoch: "01E"}

func TestASessionIsGoodForItsLifeAfterItsLastUse(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	begun, text := people.Begin(w.P.Random, shop, "01P", password, w.P.Now())
	require.Regexp(t, `^01P\.[A-Za-z0-9_-]{43}$`, text)
	require.NotContains(t, fmt.Sprint(begun.Item()), text, "only its hash is kept")
	w.Put(w.Main, begun.Item())
	key := people.SessionKey(shop, text)
	read := func() (signin.Session, bool) { return signin.SessionOf(get(t, w, key), w.P.Now()) }

	for _, step := range []struct {
		later     time.Duration
		due, good bool
	}{
		{0, false, true},
		{people.Step - 2*time.Second, false, true},
		{2 * time.Second, true, true}, // extended here
		{people.Step - 2*time.Second, false, true},
		{people.Life - people.Step, true, true}, // and here
		{people.Life + time.Second, false, false},
	} {
		w.Clock.Pass(step.later)
		s, good := read()
		require.Equal(t, step.good, good, step)
		if !good {
			continue
		}
		require.Equal(t, step.due, people.Due(s, w.P.Now()), step)
		require.Equal(t, []string{shop, "01P", "01E", begun.Mark}, []string{s.Shop, s.Person, s.Epoch, s.Mark})
		if step.due {
			extended, op := people.ExtendOp(s, w.P.Now())
			_, err := w.Main.Write(t.Context(), events.Nothing, op)
			require.NoError(t, err)
			s, good = read()
			require.True(t, good)
			require.Equal(t, extended.Ends.Unix(), s.Ends.Unix())
			require.False(t, people.Due(s, w.P.Now()))
		}
	}
}

func TestASessionIsGoodByOnePasswordOnly(t *testing.T) {
	s := signin.Session{Epoch: "01E"}
	require.True(t, s.By(password))
	require.False(t, s.By(signin.Password{Hash: password.Hash, Epoch: "02E"}))
	require.False(t, s.By(signin.Password{}))
	require.False(t, signin.Session{}.By(signin.Password{}), "no epoch is none")
}

func TestAnEndedSessionIsNotExtended(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	s, _ := people.Begin(w.P.Random, shop, "01P", password, w.P.Now())
	_, op := people.ExtendOp(s, w.P.Now())
	_, err := w.Main.Write(t.Context(), events.Nothing, op)
	require.True(t, store.IsCondition(err))
	require.Nil(t, get(t, w, s.Key))
}

func TestARenewedSessionKeepsItsMark(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	s, text := people.Begin(w.P.Random, shop, "01P", password, w.P.Now())
	other, _ := people.Begin(w.P.Random, shop, "01P", password, w.P.Now())
	require.Regexp(t, `^[0-9a-f]{8}$`, s.Mark)
	require.NotEqual(t, s.Mark, other.Mark, "another sign-in has another")
	renewed, next := people.Renew(w.P.Random, s, signin.Password{Epoch: "02E"}, w.P.Now())
	require.NotEqual(t, text, next)
	require.NotEqual(t, s.Key, renewed.Key)
	require.Equal(t, s.Mark, renewed.Mark)
	require.Equal(t, "02E", renewed.Epoch)
}

func TestASessionOfAnotherShopIsNotFound(t *testing.T) {
	require.NotEqual(t, people.SessionKey(shop, "text"), people.SessionKey("other", "text"))
	require.NotEqual(t, people.LinkKey(shop, "text"), people.LinkKey("other", "text"))
	require.NotEqual(t, people.SessionKey(shop, "text"), people.LinkKey(shop, "text"))
}

func TestAPasswordIsKeptUnlessThereIsAnother(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	write := func(op store.Op) error { _, err := w.Main.Write(t.Context(), events.Nothing, op); return err }
	first, second := signin.Password{Hash: "1", Epoch: "01"}, signin.Password{Hash: "2", Epoch: "02"}
	require.Equal(t, signin.Password{}, signin.PasswordOf(get(t, w, people.Password(shop, "01P"))))
	require.NoError(t, write(people.PasswordIs(shop, "01P", signin.Password{})))
	require.NoError(t, write(people.ReplacePassword(shop, "01P", signin.Password{}, first)))
	require.True(t, store.IsCondition(write(people.ReplacePassword(shop, "01P", signin.Password{}, second))))
	require.True(t, store.IsCondition(write(people.ReplacePassword(shop, "01P", second, second))))
	require.True(t, store.IsCondition(write(people.PasswordIs(shop, "01P", second))))
	require.Equal(t, first, signin.PasswordOf(get(t, w, people.Password(shop, "01P"))))
	require.NoError(t, write(people.ReplacePassword(shop, "01P", first, second)))
	require.Equal(t, second, signin.PasswordOf(get(t, w, people.Password(shop, "01P"))))
}

func TestALinkIsGoodOnceForADay(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	text, op := people.NewLink(w.P.Random, shop, "01P", password, w.P.Now())
	require.NotContains(t, fmt.Sprint(op), text, "only its hash is kept")
	_, err := w.Main.Write(t.Context(), events.Nothing, op)
	require.NoError(t, err)
	read := func() (signin.Link, bool) { return signin.LinkOf(get(t, w, people.LinkKey(shop, text)), w.P.Now()) }

	w.Clock.Pass(signin.LinkLife - time.Second)
	l, good := read()
	require.True(t, good)
	require.Equal(t, []string{"01P", "01E"}, []string{l.Person, l.Epoch})
	w.Clock.Pass(time.Second)
	_, good = read()
	require.False(t, good)

	_, err = w.Main.Write(t.Context(), events.Nothing, l.UseOp())
	require.NoError(t, err)
	_, err = w.Main.Write(t.Context(), events.Nothing, l.UseOp())
	require.True(t, store.IsCondition(err))
}
