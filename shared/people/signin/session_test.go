package signin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
)

var password = signin.Password{Hash: "$argon2id$…", Epoch: "01E"}

func TestASessionIsGoodByOnePasswordOnly(t *testing.T) {
	s := signin.Session{Epoch: "01E"}
	require.True(t, s.By(password))
	require.False(t, s.By(signin.Password{Hash: password.Hash, Epoch: "02E"}))
	require.False(t, s.By(signin.Password{}))
	require.False(t, signin.Session{}.By(signin.Password{}), "no epoch is none")
}

func TestAPasswordIsKeptUnlessThereIsAnother(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	write := func(op store.Op) error { _, err := w.Main.Write(t.Context(), events.Nothing, op); return err }
	first, second := signin.Password{Hash: "1", Epoch: "01"}, signin.Password{Hash: "2", Epoch: "02"}
	require.Equal(t, signin.Password{}, signin.PasswordOf(get(t, w, people.PasswordKey(shop, "01P"))))
	require.NoError(t, write(people.PasswordIs(shop, "01P", signin.Password{})))
	require.NoError(t, write(people.ReplacePassword(shop, "01P", signin.Password{}, first)))
	require.True(t, store.IsCondition(write(people.ReplacePassword(shop, "01P", signin.Password{}, second))))
	require.True(t, store.IsCondition(write(people.ReplacePassword(shop, "01P", second, second))))
	require.True(t, store.IsCondition(write(people.PasswordIs(shop, "01P", second))))
	require.Equal(t, first, signin.PasswordOf(get(t, w, people.PasswordKey(shop, "01P"))))
	require.NoError(t, write(people.ReplacePassword(shop, "01P", first, second)))
	require.Equal(t, second, signin.PasswordOf(get(t, w, people.PasswordKey(shop, "01P"))))
}
