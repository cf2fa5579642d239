package bolt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
)

func TestCheckFindsPagesThatDoNotFitTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	d, err := Open(path, Options{Log: quiet})
	require.NoError(t, err)
	for _, key := range strings.Split("abcdefghij", "") {
		_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{
			Key: store.Key{PK: key, SK: "A"}, Doc: []byte(strings.Repeat(key, 3000))}))
		require.NoError(t, err)
	}
	require.EqualError(t, Check(path), "another process has it open")
	require.NoError(t, d.Close())
	require.NoError(t, Check(path))

	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	page, refused := os.Getpagesize(), 0
	for at := 2 * page; at < 32*page; at += page {
		if count := sound[at+10]; sound[at+8] == 0x02 && count > 0 { // a leaf with elements
			spoilt := append([]byte(nil), sound...)
			spoilt[at+8] = 0x40 // of no kind that there is
			require.NoError(t, os.WriteFile(path, spoilt, 0o600))
			if err := Check(path); err != nil { // else the page is free
				require.ErrorIs(t, err, ErrDamaged)
				refused++
			}
		}
	}
	for at := 2; at < 20; at++ { // where the first element of a page says that its key and value are
		spoilt := append([]byte(nil), sound[:32*page]...)
		copy(spoilt[at*page+16:], "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f")
		require.NoError(t, os.WriteFile(path, spoilt, 0o600))
		if err := Check(path); err != nil {
			require.ErrorIs(t, err, ErrDamaged)
		}
	}
	require.GreaterOrEqual(t, refused, 5, "ten items of 3,000 bytes lie on more pages than that")
	require.NoError(t, os.WriteFile(path, sound[:page], 0o600))
	require.Error(t, Check(path), "cut after its first page")
}
