package bolt

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

// TestAReaderOfMuchWaitsForASlotAndReadsItThen: by Get and by Query, and without a transaction of the file meanwhile.
func TestAReaderOfMuchWaitsForASlotAndReadsItThen(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "data"))
	table := db.Table("main")
	var keys []store.Key
	for i := range 4 {
		key := store.Key{PK: "p", SK: fmt.Sprint(i)}
		keys = append(keys, key)
		_, err := table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: key, Doc: make([]byte, 100<<10)}))
		require.NoError(t, err)
	}
	get := func(ctx context.Context) (int, error) {
		items, err := table.Get(ctx, keys...)
		return len(items), err
	}
	query := func(ctx context.Context) (int, error) {
		page, err := table.Query(ctx, store.Query{PK: "p"})
		return len(page.Items), err
	}
	for _, read := range []func(context.Context) (int, error){get, query} {
		synctest.Test(t, func(t *testing.T) {
			slots, found := store.NewSlots(1), make(chan int, 1)
			holder, give := slots.Reader(t.Context())
			_, err := get(holder)
			require.NoError(t, err)
			go func() {
				ctx, release := slots.Reader(t.Context())
				defer release()
				n, err := read(ctx)
				assert.NoError(t, err)
				found <- n
			}()
			synctest.Wait()
			require.Empty(t, found)
			require.Zero(t, db.file.Stats().OpenTxN)
			give()
			require.Equal(t, 4, <-found)
		})
	}
}
