package folder_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/folder"
)

var csv = blob.Download{Name: "a.csv", ContentType: "text/csv"}

// fetched is the answer of Serve to a request of the key's address.
func fetched(t *testing.T, b *folder.Bucket, method, key string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	from, err := b.DownloadURL(ctx, key, csv, time.Hour)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	return w, b.Serve(w, httptest.NewRequest(method, from, nil), key)
}

func TestADownloadIsNobodyElsesAndNothingElse(t *testing.T) {
	b := served(t, t.TempDir(), &clock{}, nil)
	require.NoError(t, b.Put(ctx, "exports/a", []byte("<script>")))
	for method, body := range map[string]string{http.MethodGet: "<script>", http.MethodHead: ""} {
		w, err := fetched(t, b, method, "exports/a")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, body, w.Body.String())
		require.Equal(t, "8", w.Header().Get("Content-Length"))
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		require.Equal(t, "private, no-store", w.Header().Get("Cache-Control"))
		require.Equal(t, `attachment; filename="a.csv"`, w.Header().Get("Content-Disposition"))
		require.Equal(t, "text/csv", w.Header().Get("Content-Type"))
	}
}

func TestWhatIsRefusedLeavesTheAnswerToWhoAsked(t *testing.T) {
	b := served(t, t.TempDir(), &clock{}, nil)
	require.NoError(t, b.Put(ctx, "exports/shop/a", []byte("x")))
	for _, key := range []string{"exports/none", "exports/shop"} {
		w, err := fetched(t, b, http.MethodGet, key)
		require.ErrorIs(t, err, blob.ErrNotFound, key)
		require.Empty(t, w.Header())
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/downloads/exports/shop/a", nil)
	require.ErrorIs(t, b.Serve(w, r, "exports/shop/a"), blob.ErrForbidden)
	require.Empty(t, w.Header())
}

func TestWriteTellsOfTheObjectAndLeavesTheDiskItsFloor(t *testing.T) {
	const floor = 1 << 30
	root := t.TempDir()
	var free atomic.Int64
	var heard []string
	b, err := folder.Open(root, folder.Options{Now: (&clock{}).Now, MinFree: floor,
		OnPut: func(key string) { heard = append(heard, key) },
		Free:  func() (int64, error) { return free.Load(), nil }})
	require.NoError(t, err)
	free.Store(floor + 1<<20)
	long := &chunks{left: 1000, piece: func() { free.Add(-32 << 10) }}
	require.ErrorIs(t, b.Write(ctx, "exports/a", long), blob.ErrUnavailable)
	require.Positive(t, long.left)
	require.GreaterOrEqual(t, free.Load(), int64(floor))
	require.Empty(t, heard)
	for _, dir := range []string{"unfinished", "objects"} {
		left, err := os.ReadDir(filepath.Join(root, dir))
		require.NoError(t, err)
		require.Empty(t, left, "nothing is left of it in %s", dir)
	}
	free.Store(2 * floor)
	require.Panics(t, func() {
		_ = b.Write(ctx, "exports/a", &chunks{left: 2, piece: func() { panic("what nobody foresaw") }})
	})
	left, err := os.ReadDir(filepath.Join(root, "unfinished"))
	require.NoError(t, err)
	require.Empty(t, left, "nor after a panic")
	require.NoError(t, b.Write(ctx, "exports/a", strings.NewReader("x")))
	require.Equal(t, []string{"exports/a"}, heard)
}
