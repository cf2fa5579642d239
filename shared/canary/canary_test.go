package canary_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/canary"
	"eshop/shared/secret/file"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

func TestWhatTheCanaryHasIsKeptSealed(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	defer db.Close()
	keys, err := file.Open(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	table := db.Table("main")

	none, err := canary.ReadOwn(t.Context(), table, keys)
	require.NoError(t, err)
	require.Nil(t, none)
	own := canary.Own{Domain: "canary.example", Shop: "S", Product: "P", Receiver: "R", Token: "the token",
		Key: "the key"}
	require.NoError(t, own.Save(t.Context(), table, keys))
	kept, err := canary.ReadOwn(t.Context(), table, keys)
	require.NoError(t, err)
	require.Equal(t, own, *kept)

	items, err := table.Get(t.Context(), store.Key{PK: "CANARY", SK: "A"})
	require.NoError(t, err)
	require.NotContains(t, string(items[0].Doc)+items[0].Text["sealed"], "the ")
}

func TestTheReceiversAddressIsOnePlatforms(t *testing.T) {
	one, other := make([]byte, 32), []byte("the secret of another platform..")
	at := canary.Address("https://api.example", one)
	require.Regexp(t, `^https://api\.example/api-engine/webhooks/canary\?key=[A-Za-z0-9_-]{43}$`, at)
	key := at[len(at)-43:]
	require.True(t, canary.Knows(one, key))
	for _, wrong := range []string{"", key[1:], key + "A"} {
		require.False(t, canary.Knows(one, wrong))
	}
	require.False(t, canary.Knows(other, key))
}
