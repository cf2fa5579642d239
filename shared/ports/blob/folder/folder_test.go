package folder_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/blobtest"
	"eshop/shared/ports/blob/folder"
)

var ctx = context.Background()

// clock is the tests'.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time {
	return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.ahead.Load()))
}

// served is a bucket with a server in front that takes uploads and gives downloads.
func served(t *testing.T, root string, c *clock, heard func(string)) *folder.Bucket {
	t.Helper()
	var b *folder.Bucket
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key, is := strings.CutPrefix(r.URL.Path, "/downloads/"); is {
			switch err := b.Serve(w, r, key); {
			case errors.Is(err, blob.ErrForbidden):
				w.WriteHeader(http.StatusForbidden)
			case errors.Is(err, blob.ErrNotFound):
				w.WriteHeader(http.StatusNotFound)
			case err != nil:
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return
		}
		switch err := b.Receive(r.Context(), strings.TrimPrefix(r.URL.Path, "/uploads/"), r.URL.Query(), r.Body); {
		case errors.Is(err, blob.ErrForbidden):
			w.WriteHeader(http.StatusForbidden)
		case err != nil:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(s.Close)
	b, err := folder.Open(root, folder.Options{Base: s.URL + "/uploads", Downloads: s.URL + "/downloads",
		Key: []byte("secret"), Now: c.Now, OnPut: heard})
	require.NoError(t, err)
	return b
}

func TestBucket(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blobtest.World {
		c := &clock{}
		return blobtest.World{Bucket: served(t, t.TempDir(), c, nil),
			Pass: func(d time.Duration) { c.ahead.Add(int64(d)) }}
	})
}

// query is that of an address to upload the key to.
func query(t *testing.T, b *folder.Bucket, key string) url.Values {
	t.Helper()
	to, err := b.UploadURL(ctx, key, time.Hour)
	require.NoError(t, err)
	u, err := url.Parse(to)
	require.NoError(t, err)
	return u.Query()
}

func TestAnAddressIsGoodForOneUpload(t *testing.T) {
	var heard atomic.Int64
	root := t.TempDir()
	b := served(t, root, &clock{}, func(string) { heard.Add(1) })
	to := query(t, b, "imports/a")
	var work sync.WaitGroup
	var done, forbidden atomic.Int64
	for range 16 {
		work.Go(func() {
			switch err := b.Receive(ctx, "imports/a", to, strings.NewReader("x")); {
			case err == nil:
				done.Add(1)
			case errors.Is(err, blob.ErrForbidden):
				forbidden.Add(1)
			}
		})
	}
	work.Wait()
	require.EqualValues(t, 1, done.Load())
	require.EqualValues(t, 15, forbidden.Load())
	require.EqualValues(t, 1, heard.Load())
	require.NoError(t, b.Delete(ctx, "imports/a"))
	require.ErrorIs(t, b.Receive(ctx, "imports/a", to, strings.NewReader("y")), blob.ErrForbidden,
		"also when the object is gone")
	again, err := folder.Open(root, folder.Options{Key: []byte("secret"), Now: (&clock{}).Now})
	require.NoError(t, err)
	require.ErrorIs(t, again.Receive(ctx, "imports/a", to, strings.NewReader("y")), blob.ErrForbidden,
		"also after a restart")
	left, err := os.ReadDir(filepath.Join(root, "unfinished"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAnUploadThatWasMarkedAppearsAfterACrash(t *testing.T) {
	root := t.TempDir()
	c := &clock{}
	b := served(t, root, c, nil)
	to := query(t, b, "imports/shop/one")
	require.NoError(t, b.Receive(ctx, "imports/shop/one", to, strings.NewReader("bytes")))
	require.NoError(t, os.Rename(filepath.Join(root, "objects/imports/shop/one"),
		filepath.Join(root, "unfinished", named(t, root))))
	require.NoError(t, os.WriteFile(filepath.Join(root, "unfinished", "never-marked"), []byte("x"), 0o600))
	b = served(t, root, c, nil)
	keys, err := b.Keys("imports/")
	require.NoError(t, err)
	require.Equal(t, []string{"imports/shop/one"}, keys)
	require.NoFileExists(t, filepath.Join(root, "unfinished", "never-marked"))
}

// named is the name that the only mark gives to the file of its upload.
func named(t *testing.T, root string) string {
	t.Helper()
	marks, err := os.ReadDir(filepath.Join(root, "used"))
	require.NoError(t, err)
	require.Len(t, marks, 1)
	text, err := os.ReadFile(filepath.Join(root, "used", marks[0].Name()))
	require.NoError(t, err)
	name, _, _ := strings.Cut(string(text), "\n")
	return name
}

// TestAMarkNamesNothingOutsideTheBucket: the marks of a backup that somebody else made are theirs.
func TestAMarkNamesNothingOutsideTheBucket(t *testing.T) {
	for _, c := range []struct{ name, key string }{{"BYTES", "../../outside"}, {"BYTES", "/outside"},
		{"BYTES", "a/../../../outside"}, {"../../mine", "imports/S/I/O"}, {"BYTES", ""}, {"", "imports/S/I/O"}} {
		home := t.TempDir()
		root := filepath.Join(home, "files")
		for name, text := range map[string]string{"files/unfinished/BYTES": "theirs", "mine": "mine",
			"files/used/4000000000-0": c.name + "\n" + c.key} {
			at := filepath.Join(home, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
			require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
		}
		b, err := folder.Open(root, folder.Options{Now: new(clock).Now})
		require.NoError(t, err, c)
		require.NoFileExists(t, filepath.Join(home, "outside"), c)
		require.FileExists(t, filepath.Join(home, "mine"), c)
		keys, err := b.Keys("")
		require.NoError(t, err)
		require.Empty(t, keys, c)
	}
}

func TestMarksOfAddressesThatAreOverGo(t *testing.T) {
	root := t.TempDir()
	c := &clock{}
	b := served(t, root, c, nil)
	require.NoError(t, b.Receive(ctx, "imports/a", query(t, b, "imports/a"), strings.NewReader("x")))
	c.ahead.Add(int64(2 * time.Hour))
	query(t, b, "imports/b")
	marks, err := os.ReadDir(filepath.Join(root, "used"))
	require.NoError(t, err)
	require.Empty(t, marks)
}

// chunks is a body that comes in pieces, each of which somebody hears of.
type chunks struct {
	left  int
	piece func()
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	c.left--
	c.piece()
	return len(p), nil
}

func TestUploadsLeaveTheDiskItsFloor(t *testing.T) {
	const floor = 1 << 30
	root := t.TempDir()
	var free atomic.Int64
	b, err := folder.Open(root, folder.Options{Key: []byte("secret"), Now: (&clock{}).Now, MinFree: floor,
		Free: func() (int64, error) { return free.Load(), nil }})
	require.NoError(t, err)
	to := query(t, b, "imports/a")

	free.Store(floor)
	require.ErrorIs(t, b.Receive(ctx, "imports/a", to, strings.NewReader("x")), blob.ErrUnavailable, "at its begin")
	free.Store(floor + 1<<20)
	body := &chunks{left: 1000, piece: func() { free.Add(-32 << 10) }}
	require.ErrorIs(t, b.Receive(ctx, "imports/a", to, body), blob.ErrUnavailable, "in its middle")
	require.Positive(t, body.left)
	require.GreaterOrEqual(t, free.Load(), int64(floor))
	for _, dir := range []string{"unfinished", "used", "objects"} {
		left, err := os.ReadDir(filepath.Join(root, dir))
		require.NoError(t, err)
		require.Empty(t, left, "nothing is left of it in %s", dir)
	}

	free.Store(floor - 1)
	require.ErrorIs(t, b.Put(ctx, "imports/b", []byte("a picture")), blob.ErrUnavailable)
	free.Store(2 * floor)
	require.NoError(t, b.Receive(ctx, "imports/a", to, strings.NewReader("x")), "the address is still good")
}

func TestAnUploadThatIsNotTakenLeavesItsAddressGood(t *testing.T) {
	refusal := errors.New("not now")
	takes := refusal
	b, err := folder.Open(t.TempDir(), folder.Options{Key: []byte("secret"), Now: (&clock{}).Now,
		MayUpload: func(_ context.Context, key string) error {
			require.Equal(t, "imports/a", key)
			return takes
		}})
	require.NoError(t, err)
	to := query(t, b, "imports/a")
	body := &chunks{left: 1, piece: func() {}}
	require.ErrorIs(t, b.Receive(ctx, "imports/a", to, body), refusal)
	require.Equal(t, 1, body.left, "none of it was read")
	require.ErrorIs(t, b.Receive(ctx, "imports/b", to, body), blob.ErrForbidden, "a wrong address")
	takes = nil
	require.NoError(t, b.Receive(ctx, "imports/a", to, strings.NewReader("x")))
}

// TestAnObjectLeavesNoEmptyFolders deletes the last object of a folder, and one beside another.
func TestAnObjectLeavesNoEmptyFolders(t *testing.T) {
	root := t.TempDir()
	b, err := folder.Open(root, folder.Options{Key: []byte("secret"), Now: (&clock{}).Now})
	require.NoError(t, err)
	for _, key := range []string{"imports/shop/one", "imports/shop/two", "images/a"} {
		require.NoError(t, b.Put(t.Context(), key, []byte("x")))
	}
	require.NoError(t, b.Delete(t.Context(), "imports/shop/one"))
	require.DirExists(t, filepath.Join(root, "objects", "imports", "shop"))
	require.NoError(t, b.Delete(t.Context(), "imports/shop/two"))
	require.NoDirExists(t, filepath.Join(root, "objects", "imports"))
	require.NoError(t, b.Delete(t.Context(), "images/a"))
	require.DirExists(t, filepath.Join(root, "objects"))
}
