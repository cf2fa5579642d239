package bolt

import (
	"bytes"
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
)

// TestWhatIsWrittenDoesNotStayMapped writes twice what may stay mapped, while others read the first of it.
func TestWhatIsWrittenDoesNotStayMapped(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"), Options{Log: quiet})
	require.NoError(t, err)
	defer d.Close()
	main, doc := d.Table("main"), bytes.Repeat([]byte("x"), 300<<10)
	const items = 2 * maxMapped / (300 << 10)
	key := func(i int) store.Key { return store.Key{PK: "p" + strconv.Itoa(i), SK: "A"} }
	ctx, stop := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := main.Get(ctx, key(i%8)); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	most := 0
	for i := 0; i < items; i += 10 {
		var ops []store.Op
		for n := range 10 {
			ops = append(ops, store.Put(store.Item{Key: key(i + n), Doc: doc}))
		}
		_, err := main.Write(t.Context(), events.Nothing, ops...)
		require.NoError(t, err)
		most = max(most, mapped())
	}
	stop()
	reading.Wait()
	require.Less(t, most, 3*maxMapped/2)
	for i := 0; i < items; i += 7 {
		found, err := main.Get(t.Context(), key(i))
		require.NoError(t, err)
		require.True(t, bytes.Equal(doc, found[0].Doc))
	}
}
