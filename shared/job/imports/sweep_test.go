package imports_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
)

// world is a shop's imports, with a clock that moves when the test says so.
type world struct {
	t     *testing.T
	table store.Table
	files blob.Bucket
	now   time.Time
}

func newWorld(t *testing.T) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	files, err := folder.Open(t.TempDir(),
		folder.Options{Base: "https://files.example", Key: []byte("key"), Now: time.Now})
	require.NoError(t, err)
	return &world{t: t, table: db.Table("main"), files: files, now: time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC)}
}

func (w *world) unit() *change.Unit {
	return &change.Unit{Shop: "shop", Request: "request", Table: w.table, Now: func() time.Time { return w.now },
		Random: rand.Reader}
}

// begun is an import whose file has come.
func (w *world) begun() string {
	w.t.Helper()
	by := &change.Caller{Shop: "shop", Access: "access", Package: "package", Active: true, Permissions: permission.All}
	a, err := imports.Begin(w.t.Context(), w.unit(), w.files, by,
		imports.Fields{Type: imports.Customers, Format: imports.CSV})
	require.NoError(w.t, err)
	require.NoError(w.t, w.files.Put(w.t.Context(), imports.File("shop", a.ID), []byte("email\n")))
	return a.ID
}

// sweep is a run of the sweeper.
func (w *world) sweep() {
	w.t.Helper()
	page, err := w.table.Query(w.t.Context(), imports.Jobs.Due(w.now)[0])
	require.NoError(w.t, err)
	for _, entry := range page.Items {
		items, err := w.table.Get(w.t.Context(), entry.Key)
		require.NoError(w.t, err)
		require.NoError(w.t, imports.Sweep(w.t.Context(), w.unit(), w.files, items[0]))
	}
}

// TestAFileOfWhichNobodyHeardIsSeen: every call that told of it failed, or was lost.
func TestAFileOfWhichNobodyHeardIsSeen(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	woken := func() bool {
		w.sweep()
		_, err := w.files.Stat(t.Context(), imports.WakeKey("shop", id))
		return err == nil
	}
	w.now = w.now.Add(time.Minute)
	require.False(t, woken(), "its importer may be about to begin")
	w.now = w.now.Add(2 * time.Minute)
	require.NoError(t, w.files.Delete(t.Context(), imports.File("shop", id)))
	require.False(t, woken(), "there is no file")
	require.NoError(t, w.files.Put(t.Context(), imports.File("shop", id), []byte("email\n")))
	require.True(t, woken())

	require.NoError(t, w.files.Delete(t.Context(), imports.WakeKey("shop", id)))
	k, err := imports.Read(t.Context(), w.table, "shop", id)
	require.NoError(t, err)
	require.NoError(t, k.Work(t.Context(), w.unit(), w.files, false, func(context.Context) error {
		require.False(t, woken(), "it has begun")
		return nil
	}))
	require.True(t, woken(), "it was given up")
}

// TestAnImportWhoseFileNeverComesFails once nobody can send one any more, and is forgotten as every one that is over.
func TestAnImportWhoseFileNeverComesFails(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	require.NoError(t, w.files.Delete(t.Context(), imports.File("shop", id)))
	swept := func() (k *imports.Job, expires int64) {
		w.sweep()
		items, err := w.table.Get(t.Context(), imports.Key("shop", id))
		require.NoError(t, err)
		k, err = imports.Decode(items[0])
		require.NoError(t, err)
		return k, items[0].Expires
	}
	w.now = w.now.Add(2*time.Hour - time.Second)
	k, expires := swept()
	require.Equal(t, job.Waiting, k.State)
	require.Zero(t, expires)
	w.now = w.now.Add(time.Second)
	k, expires = swept()
	require.Equal(t, job.Failed, k.State)
	require.Equal(t, w.now.AddDate(0, 0, 30).Unix(), expires)
	page, err := w.table.Query(t.Context(), store.Query{PK: imports.Key("shop", id).PK, From: imports.ErrorsFrom})
	require.NoError(t, err)
	errs, err := imports.ErrorsOf(&page.Items[0])
	require.NoError(t, err)
	require.Equal(t, "not_found", errs[0].Code)
	page, err = w.table.Query(t.Context(), imports.Jobs.Due(w.now.AddDate(1, 0, 0))[0])
	require.NoError(t, err)
	require.Empty(t, page.Items, "it waits for nothing")
}
