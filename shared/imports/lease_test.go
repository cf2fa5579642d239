package imports_test

import (
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/blob"
	"eshop/shared/blob/folder"
	"eshop/shared/change"
	"eshop/shared/imports"
	"eshop/shared/permission"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
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

// claimed is the import as somebody read it who then tried to claim it.
func (w *world) claimed(id string, alone bool) (k *imports.Job, mine bool) {
	w.t.Helper()
	k, err := imports.Read(w.t.Context(), w.table, "shop", id)
	require.NoError(w.t, err)
	mine, err = k.Claim(w.t.Context(), w.unit(), w.files, alone)
	require.NoError(w.t, err)
	return k, mine
}

func TestAnImportIsOneHoldersUntilItsLeaseEnds(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	first, mine := w.claimed(id, false)
	require.True(t, mine)
	_, mine = w.claimed(id, false)
	require.False(t, mine, "somebody works on it")

	w.now = w.now.Add(50 * time.Second)
	require.NoError(t, first.Move(t.Context(), w.unit(), events.Nothing, first.Unmoved()),
		"each move prolongs the lease")
	w.now = w.now.Add(50 * time.Second)
	_, mine = w.claimed(id, false)
	require.False(t, mine)
	w.now = w.now.Add(10 * time.Second)
	_, mine = w.claimed(id, false)
	require.True(t, mine)
	require.ErrorIs(t, first.Move(t.Context(), w.unit(), events.Nothing, first.Unmoved()), imports.ErrLost)
}

func TestWhoIsAloneWaitsForNoLease(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	_, mine := w.claimed(id, true)
	require.True(t, mine)
	_, mine = w.claimed(id, true)
	require.True(t, mine, "the earlier holder is gone")
}

func TestAnImportIsWokenOnceItsLeaseIsOver(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	k, _ := w.claimed(id, false)
	woken := func() bool {
		item := k.Item()
		require.NoError(t, imports.WakeAbandoned(t.Context(), w.files, w.now, &item))
		_, err := w.files.Stat(t.Context(), imports.WakeKey("shop", id))
		return err == nil
	}
	require.False(t, woken())
	w.now = w.now.Add(time.Minute)
	require.True(t, woken())
}

// TestAFileOfWhichNobodyHeardIsSeen: every call that told of it failed, or was lost.
func TestAFileOfWhichNobodyHeardIsSeen(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	woken := func() bool {
		page, err := w.table.Query(t.Context(), imports.Awaited(w.now))
		require.NoError(t, err)
		for _, entry := range page.Items {
			items, err := w.table.Get(t.Context(), entry.Key)
			require.NoError(t, err)
			require.NoError(t, imports.WakeUnheard(t.Context(), w.unit(), w.files, items[0]))
		}
		_, err = w.files.Stat(t.Context(), imports.WakeKey("shop", id))
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
	_, mine := w.claimed(id, false)
	require.True(t, mine)
	require.False(t, woken(), "it has begun")
}

// TestAnImportWhoseFileNeverComesFails once nobody can send one any more, and is forgotten as every one that is over.
func TestAnImportWhoseFileNeverComesFails(t *testing.T) {
	w := newWorld(t)
	id := w.begun()
	require.NoError(t, w.files.Delete(t.Context(), imports.File("shop", id)))
	swept := func() (k *imports.Job, expires int64) {
		page, err := w.table.Query(t.Context(), imports.Awaited(w.now))
		require.NoError(t, err)
		for _, entry := range page.Items {
			items, err := w.table.Get(t.Context(), entry.Key)
			require.NoError(t, err)
			require.NoError(t, imports.WakeUnheard(t.Context(), w.unit(), w.files, items[0]))
		}
		items, err := w.table.Get(t.Context(), imports.Key("shop", id))
		require.NoError(t, err)
		k, err = imports.Of(items[0])
		require.NoError(t, err)
		return k, items[0].Expires
	}
	w.now = w.now.Add(2*time.Hour - time.Second)
	k, expires := swept()
	require.Equal(t, imports.Waiting, k.State)
	require.Zero(t, expires)
	w.now = w.now.Add(time.Second)
	k, expires = swept()
	require.Equal(t, imports.Failed, k.State)
	require.Equal(t, w.now.AddDate(0, 0, 30).Unix(), expires)
	page, err := w.table.Query(t.Context(), store.Query{PK: imports.Key("shop", id).PK, From: imports.ErrorsFrom})
	require.NoError(t, err)
	errs, err := imports.ErrorsOf(&page.Items[0])
	require.NoError(t, err)
	require.Equal(t, "not_found", errs[0].Code)
	page, err = w.table.Query(t.Context(), imports.Awaited(w.now.AddDate(1, 0, 0)))
	require.NoError(t, err)
	require.Empty(t, page.Items, "it waits for nothing")
}
