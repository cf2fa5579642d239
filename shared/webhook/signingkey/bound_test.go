package signingkey_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/secret/file"
	"eshop/shared/webhook/signingkey"
)

// TestAnAccessHasTenKeysThatSign: whoever makes and activates one after the other is never stuck, and the oldest that
// is retiring goes.
func TestAnAccessHasTenKeysThatSign(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	secrets, err := file.Open(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	u := w.P.Unit()
	var made []string
	for n := range 25 {
		k, err := signingkey.Make(t.Context(), u, secrets, "01ACCESS")
		require.NoError(t, err)
		made = append(made, k.ID)
		set, err := signingkey.ReadSet(t.Context(), u.Table, "01ACCESS")
		require.NoError(t, err)
		require.Len(t, set.Keys, min(n+1, signingkey.MaxKeys))
		require.NotNil(t, set.Key(made[max(0, n+1-signingkey.MaxKeys)]))
		_, err = signingkey.Activate(t.Context(), u, "01ACCESS", k.ID)
		require.NoError(t, err)
	}
}

// TestAnEleventhKeyIsRefused where a set has ten without a pending one.
func TestAnEleventhKeyIsRefused(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	secrets, err := file.Open(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	u := w.P.Unit()
	first, err := signingkey.Make(t.Context(), u, secrets, "01ACCESS")
	require.NoError(t, err)
	set, err := signingkey.ReadSet(t.Context(), u.Table, "01ACCESS")
	require.NoError(t, err)
	var more []signingkey.Key
	for range signingkey.MaxKeys - 1 {
		k := *set.Key(first.ID)
		k.ID, k.State, k.Expires = u.NewID(), signingkey.Retiring, k.Created+1e9
		more = append(more, k)
	}
	_, err = u.Table.Write(t.Context(), events.Nothing, set.Put(u.NextVersion(set.Version), u.Now(), more...)...)
	require.NoError(t, err)
	_, err = signingkey.Make(t.Context(), u, secrets, "01ACCESS")
	require.True(t, problem.Is(err, "too_many_keys"), "%v", err)
	require.NoError(t, signingkey.Revoke(t.Context(), u, "01ACCESS", more[0].ID))
	_, err = signingkey.Make(t.Context(), u, secrets, "01ACCESS")
	require.NoError(t, err)
}
