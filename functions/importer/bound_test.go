package importer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
)

// TestTheFirstErrorsOfAnImportAreKept, and all are counted: also of one whose importer dies about the last that is
// kept, before a write and behind it.
func TestTheFirstErrorsOfAnImportAreKept(t *testing.T) {
	const good, bad = 3, imports.MaxErrors + 400
	file := "{\"email\":\"a@example.cz\",\"firstName\":\"A\",\"lastName\":\"B\"}\n"
	file = strings.Repeat(file, good-1) + strings.Repeat("x\n", bad) + file
	for _, where := range []string{"nowhere", "before a write", "after a write"} {
		t.Run(where, func(t *testing.T) {
			w := newWorld(t)
			w.P.Traits = hosttest.Traits(where != "before a write")
			id := w.begin(imports.Customers, imports.JSONL, file)
			kept, deaths := 0, 0
			w.between(func(_ int, ops []store.Op) error {
				for _, op := range ops {
					if strings.HasPrefix(op.Key.SK, imports.ErrorsFrom) {
						errs, err := imports.ErrorsOf(&op.Item)
						require.NoError(t, err)
						kept += len(errs)
					}
				}
				if where == "before a write" && kept > imports.MaxErrors-200 && deaths < 5 {
					deaths++
					return errDied
				}
				return nil
			}, func(int) error {
				if where == "after a write" && kept > imports.MaxErrors-200 && deaths < 5 {
					deaths++
					return errDied
				}
				return nil
			})
			for range 20 {
				_ = w.run(context.Background(), imports.File(shop, id)) // it died, or not
				w.restart()
				w.Clock.Pass(time.Minute) // the lease of who died
			}
			r := w.report(id)
			require.Equal(t, fmt.Sprintf("done: %d read, 1 changed, 2 unchanged, %d failed", good+bad, bad), r.counts())
			require.Len(t, r.errors, imports.MaxErrors)
			for i, e := range r.errors {
				require.Equal(t, i+good, e.Row)
			}
			items, err := store.QueryAll(t.Context(), w.DB.Table("main"), store.Query{PK: imports.Key(shop, id).PK,
				From: imports.ErrorsFrom, To: imports.ErrorsTo}, 100)
			require.NoError(t, err, "many errors are an item")
			require.NotEmpty(t, items)
		})
	}
}

// TestErrorsThatSayMuchAreInItemsThatFit, and are paged by row wherever an item ends.
func TestErrorsThatSayMuchAreInItemsThatFit(t *testing.T) {
	w := newWorld(t)
	name := strings.Repeat("x", 900<<10)
	file := strings.Repeat(fmt.Sprintf("{\"email\":\"a@example.cz\",%q:1}\n", name), 5) +
		strings.Repeat(fmt.Sprintf("{\"email\":\"a@example.cz\",%q:1}\n", name[:150]), 300)
	id := w.begin(imports.Customers, imports.JSONL, file)
	require.NoError(t, w.run(context.Background(), imports.File(shop, id)))
	r := w.report(id)
	require.Equal(t, "done: 305 read, 0 changed, 0 unchanged, 305 failed", r.counts())
	for i, e := range r.errors {
		require.Equal(t, i+1, e.Row)
		require.Less(t, len(e.Location)+len(e.Message), 1_000)
	}
	require.Len(t, r.errors, 305)
	items, err := store.QueryAll(t.Context(), w.DB.Table("main"), store.Query{PK: imports.Key(shop, id).PK,
		From: imports.ErrorsFrom, To: imports.ErrorsTo}, 100)
	require.NoError(t, err)
	for _, item := range items {
		require.Less(t, len(item.Doc), 2*imports.MostBytes)
	}
}

// TestAnImportWaitsForRoom before each batch, and goes on behind the last one: nothing is lost, and waiting writes
// nothing.
func TestAnImportWaitsForRoom(t *testing.T) {
	w := newWorld(t)
	id := w.begin(imports.Customers, imports.CSV, mixed(300))
	batches, full := 0, true
	w.P.Room = func() error {
		if full {
			return blob.ErrUnavailable
		}
		return nil
	}
	for range 50 {
		require.ErrorIs(t, w.run(context.Background(), imports.File(shop, id)), blob.ErrUnavailable)
	}
	require.Equal(t, "waiting: 0 read, 0 changed, 0 unchanged, 0 failed", w.report(id).counts())
	full = false
	w.between(nil, func(int) error { batches++; full = full || batches == 3; return nil })
	require.ErrorIs(t, w.run(context.Background(), imports.File(shop, id)), blob.ErrUnavailable)
	r := w.report(id)
	require.Equal(t, "running", r.state)
	require.NotZero(t, r.read)
	writes := w.Main.Writes()
	require.ErrorIs(t, w.run(context.Background(), imports.File(shop, id)), blob.ErrUnavailable)
	require.Equal(t, writes, w.Main.Writes())
	w.between(nil, nil)
	full = false
	require.NoError(t, w.run(context.Background(), imports.File(shop, id)))
	w.requireMixed(w.report(id), 300)
}
