package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/base/remember"
	"eshop/shared/ports/store"
)

// watchedTable is a table with an item a.1 that is in both indexes, in a file whose clock now is.
func watchedTable(t *testing.T, now *time.Time) *Table {
	d, err := Open(filepath.Join(t.TempDir(), "data"), Options{Now: func() time.Time { return *now }})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	table := d.Table("main")
	do(t, table, store.Put(store.Item{Key: store.Key{PK: "a", SK: "1"}, Index1: store.Key{PK: "one", SK: "1"},
		Index2: store.Key{PK: "two", SK: "1"}, Expires: now.Unix() + 60}))
	return table
}

func do(t testing.TB, table *Table, ops ...store.Op) {
	t.Helper()
	_, err := table.Write(context.Background(), events.Nothing, ops...)
	require.NoError(t, err)
}

func TestWhatWasReadIsUnchangedUntilItIsWritten(t *testing.T) {
	get := func(sk string) func(context.Context, *Table) error {
		return func(ctx context.Context, t *Table) error {
			_, err := t.Get(ctx, store.Key{PK: "a", SK: sk})
			return err
		}
	}
	query := func(q store.Query) func(context.Context, *Table) error {
		return func(ctx context.Context, t *Table) error { _, err := t.Query(ctx, q); return err }
	}
	a, next := store.Key{PK: "a", SK: "1"}, store.Key{PK: "a", SK: "2"}
	moved := store.Set{Index1: &store.Key{PK: "another", SK: "1"}, Index2: &store.Key{PK: "another", SK: "1"}}
	writes := map[string]func(t *testing.T, table *Table, now *time.Time){
		"put": func(t *testing.T, table *Table, _ *time.Time) {
			do(t, table, store.Put(store.Item{Key: next, Index1: store.Key{PK: "one", SK: "2"},
				Index2: store.Key{PK: "two", SK: "2"}}))
		},
		"moved":   func(t *testing.T, table *Table, _ *time.Time) { do(t, table, store.Update(a, moved)) },
		"deleted": func(t *testing.T, table *Table, _ *time.Time) { do(t, table, store.Delete(a)) },
		"expired": func(t *testing.T, table *Table, now *time.Time) {
			*now = now.Add(time.Hour)
			do(t, table, store.Put(store.Item{Key: store.Key{PK: "z", SK: "1"}}))
		},
		"perhaps": func(t *testing.T, table *Table, _ *time.Time) {
			table.db.commitTx = func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), errors.New("nobody knows")) }
			_, err := table.Write(t.Context(), events.Nothing, store.Delete(a))
			require.Error(t, err)
		},
	}
	for what, read := range map[string]func(context.Context, *Table) error{
		"an item": get("1"), "no item": get("2"), "a partition": query(store.Query{PK: "a"}),
		"an index":  query(store.Query{PK: "one", Index: store.Index1}),
		"the other": query(store.Query{PK: "two", Index: store.Index2}),
	} {
		for how, write := range writes {
			t.Run(what+", "+how, func(t *testing.T) {
				now := time.Unix(1_700_000_000, 0)
				table := watchedTable(t, &now)
				reading, unchanged := table.Watch(t.Context())
				require.NoError(t, read(reading, table))
				do(t, table, store.Check(a, store.Present()))
				require.True(t, unchanged(), "a check writes nothing")
				write(t, table, &now)
				require.False(t, unchanged())
				reading, unchanged = table.Watch(t.Context())
				require.NoError(t, read(reading, table))
				require.True(t, unchanged(), "as it is read now")
			})
		}
	}
}

func TestWhatIsWrittenElsewhereChangesNothing(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	table := watchedTable(t, &now)
	spared := 0
	for i := range 20 {
		reading, unchanged := table.Watch(t.Context())
		_, err := table.Get(reading, store.Key{PK: "a", SK: "1"})
		require.NoError(t, err)
		do(t, table, store.Put(store.Item{Key: store.Key{PK: "b" + strconv.Itoa(i), SK: "1"}}))
		if unchanged() {
			spared++
		}
	}
	require.Greater(t, spared, 15, "few share a counter")
}

// TestAMemoryShowsWhatWasAcknowledged has readers fill a memory all the time while others write: whoever's write is
// acknowledged finds it there.
func TestAMemoryShowsWhatWasAcknowledged(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	table := watchedTable(t, &now)
	memory := remember.New[string, int64](table.Watch, 10)
	see := func(ctx context.Context, pk string) (int64, error) {
		return memory.Get(ctx, pk, func(ctx context.Context) (int64, error) {
			items, err := table.Get(ctx, store.Key{PK: pk, SK: "1"})
			if err != nil || items[0] == nil {
				return 0, err
			}
			return items[0].Num["n"], nil
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for w := range 4 {
		pk := fmt.Sprintf("w%d", w)
		readers.Go(func() {
			for ctx.Err() == nil {
				_, _ = see(ctx, pk)
			}
		})
		writers.Go(func() {
			for n := int64(1); n <= 50; n++ {
				item := store.Item{Key: store.Key{PK: pk, SK: "1"}, Num: map[string]int64{"n": n}}
				_, err := table.Write(ctx, events.Nothing, store.Put(item))
				if err != nil {
					t.Error(err)
					return
				}
				if seen, err := see(ctx, pk); err != nil || seen != n {
					t.Errorf("%d is acknowledged, %d is shown: %v", n, seen, err)
					return
				}
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
}
