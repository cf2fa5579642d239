package bolt

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
)

// TestWhatWasDeletedIsInTheFileNoMore deletes and changes rows of all sizes, among others that stay.
func TestWhatWasDeletedIsInTheFileNoMore(t *testing.T) {
	const marker = "Jana-Nováková-at-Dlouhá-12"
	path := filepath.Join(t.TempDir(), "data")
	d := opened(t, path)
	table := d.Table("main")
	key := func(n int) store.Key { return store.Key{PK: fmt.Sprint("p", n%7), SK: fmt.Sprint(n)} }
	write := func(op store.Op) {
		_, err := table.Write(t.Context(), events.Nothing, op)
		require.NoError(t, err)
	}
	for n := range 300 {
		write(store.Put(store.Item{Key: key(n), Doc: []byte(`"` + strings.Repeat(marker, 1+n%3*200) + `"`)}))
		write(store.Put(store.Item{Key: key(1000 + n), Doc: []byte(`"stays"`)}))
	}
	for n := range 300 {
		if n%2 == 0 {
			write(store.Put(store.Item{Key: key(n), Doc: []byte(`"other"`)}))
		} else {
			write(store.Delete(key(n)))
		}
	}
	has := func() bool {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		return bytes.Contains(file, []byte(marker))
	}
	require.True(t, has(), "pages that hold nothing any more are as they were")
	for range 2 { // the second finds what the first has let go
		require.NoError(t, d.Scrub(t.Context()))
		require.False(t, has())
	}
	require.NoError(t, d.Snapshot(func(_ int64, data func(io.Writer) error) error {
		var copied bytes.Buffer
		err := data(&copied)
		require.NotContains(t, copied.String(), marker)
		return err
	}))
	require.NoError(t, d.Close())
	again := opened(t, path).Table("main")
	for n := range 300 {
		items, err := again.Get(t.Context(), key(n), key(1000+n))
		require.NoError(t, err)
		require.Equal(t, n%2 == 0, items[0] != nil)
		require.Equal(t, `"stays"`, string(items[1].Doc))
	}
}
