package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/blob"
)

// part is how many bytes an implementation that cuts a stream into parts sends in each.
const part = 8 << 20

// csv is what the downloads of the suite are.
var csv = blob.Download{Name: "orders_2026-11.csv", ContentType: "text/csv; charset=utf-8"}

// noise is so many bytes of which no two parts are the same, and always the same ones.
func noise(size int64) io.Reader {
	return io.LimitReader(rand.NewChaCha8([32]byte{}), size)
}

// sum is the hash of what is read, and how much it was.
func sum(t *testing.T, r io.Reader) (hash []byte, size int64) {
	t.Helper()
	h := sha256.New()
	size, err := io.Copy(h, r)
	require.NoError(t, err)
	return h.Sum(nil), size
}

// holds says that the object is the first so many bytes of noise.
func (w World) holds(t *testing.T, key string, size int64) {
	t.Helper()
	info, err := w.Bucket.Stat(ctx, key)
	require.NoError(t, err)
	require.Equal(t, size, info.Size)
	r, err := w.Bucket.Open(ctx, key, info.Tag, 0)
	require.NoError(t, err)
	defer r.Close()
	got, n := sum(t, r)
	want, _ := sum(t, noise(size))
	require.Equal(t, size, n)
	require.Equal(t, want, got)
}

// streams writes a stream that knows nothing of its length and comes in pieces of odd sizes.
func streams(t *testing.T, w World) {
	const size = 2*part + 12345
	require.NoError(t, w.Bucket.Put(ctx, "exports/a", []byte("old")))
	odd := iotest.DataErrReader(&oddly{noise(size)})
	require.NoError(t, w.Bucket.Write(ctx, "exports/a", odd))
	w.holds(t, "exports/a", size)
	require.NoError(t, w.Bucket.Write(ctx, "exports/a", strings.NewReader("short")))
	require.Equal(t, "short", body(t, w.Bucket, "exports/a", 0))
}

// oddly reads at most 1,000 bytes at a time.
type oddly struct{ io.Reader }

func (o *oddly) Read(p []byte) (int, error) { return o.Reader.Read(p[:min(len(p), 1000)]) }

func shortStreams(t *testing.T, w World) {
	for _, size := range []int64{0, 1, part - 1, part, part + 1} {
		require.NoError(t, w.Bucket.Write(ctx, "exports/b", noise(size)))
		w.holds(t, "exports/b", size)
	}
}

// breaksOff has readers that fail at their begin, in the first part and behind it. A reader's own ErrUnexpectedEOF is
// not the stream's end.
func breaksOff(t *testing.T, w World) {
	for _, before := range []int64{0, 1000, part, 2*part + 1000} {
		for _, fault := range []error{io.ErrUnexpectedEOF, blob.ErrNotFound} {
			require.NoError(t, w.Bucket.Put(ctx, "exports/c", []byte("old")))
			err := w.Bucket.Write(ctx, "exports/c", io.MultiReader(noise(before), iotest.ErrReader(fault)))
			require.ErrorIs(t, err, fault)
			require.NotErrorIs(t, err, blob.ErrUnavailable, "whether it may pass, the reader knows")
			require.Equal(t, "old", body(t, w.Bucket, "exports/c", 0))
			require.Error(t, w.Bucket.Write(ctx, "exports/new", io.MultiReader(noise(before), iotest.ErrReader(fault))))
			_, err = w.Bucket.Stat(ctx, "exports/new")
			require.ErrorIs(t, err, blob.ErrNotFound)
		}
	}
}

// streamEnds has a context that ends while the third part is read.
func streamEnds(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "exports/d", []byte("old")))
	ended, end := context.WithCancel(ctx)
	ends := &ending{end: end}
	err := w.Bucket.Write(ended, "exports/d", io.MultiReader(noise(2*part+1000), ends, noise(part)))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "old", body(t, w.Bucket, "exports/d", 0))
}

// ending is an empty reader that calls end.
type ending struct{ end func() }

func (e *ending) Read([]byte) (int, error) { e.end(); return 0, io.EOF }

// download is the address of an object that is a download, for an hour.
func (w World) download(t *testing.T, key string) string {
	t.Helper()
	from, err := w.Bucket.DownloadURL(ctx, key, csv, time.Hour)
	require.NoError(t, err)
	return from
}

// get is the answer to a GET without a token, and its body.
func get(t *testing.T, from string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, from, nil)
	require.NoError(t, err)
	for name, v := range header {
		r.Header[name] = v
	}
	a, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer a.Body.Close()
	var text bytes.Buffer
	_, err = io.Copy(&text, a.Body)
	require.NoError(t, err)
	return a, text.String()
}

func downloads(t *testing.T, world World) {
	require.NoError(t, world.Bucket.Write(ctx, "exports/e", strings.NewReader("id,total\n")))
	from := world.download(t, "exports/e")
	for range 2 {
		a, text := get(t, from, nil)
		require.Equal(t, http.StatusOK, a.StatusCode, text)
		require.Equal(t, "id,total\n", text)
		require.Equal(t, `attachment; filename="orders_2026-11.csv"`, a.Header.Get("Content-Disposition"))
		require.Equal(t, csv.ContentType, a.Header.Get("Content-Type"))
	}
	require.NoError(t, world.Bucket.Write(ctx, "exports/e", strings.NewReader("newer")))
	_, text := get(t, from, nil)
	require.Equal(t, "newer", text, "the address is the object's, and not its bytes'")
}

func ranges(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "exports/f", []byte("0123456789")))
	from := w.download(t, "exports/f")
	whole, _ := get(t, from, nil)
	a, text := get(t, from, http.Header{"Range": {"bytes=7-"}, "If-Range": {whole.Header.Get("ETag")}})
	require.Equal(t, http.StatusPartialContent, a.StatusCode, text)
	require.Equal(t, "789", text)
}

func downloadEnds(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "exports/g", []byte("x")))
	from := w.download(t, "exports/g")
	w.Pass(time.Hour - time.Minute)
	a, _ := get(t, from, nil)
	require.Equal(t, http.StatusOK, a.StatusCode)
	w.Pass(time.Minute + time.Second)
	a, _ = get(t, from, nil)
	require.Equal(t, http.StatusForbidden, a.StatusCode)
}

// wrongDownload touches each part of a good address, and turns one kind of address into the other.
func wrongDownload(t *testing.T, world World) {
	for _, key := range []string{"exports/h", "exports/i", "exports/gone"} {
		require.NoError(t, world.Bucket.Put(ctx, key, []byte("x")))
	}
	require.NoError(t, world.Bucket.Delete(ctx, "exports/gone"))
	good, err := url.Parse(world.download(t, "exports/h"))
	require.NoError(t, err)
	up, err := url.Parse(world.upload(t, "exports/h"))
	require.NoError(t, err)
	touched := []url.URL{*good, *good, *good, *good}
	touched[0].Path = strings.TrimSuffix(good.Path, "h") + "i"
	touched[1].Path = strings.TrimSuffix(good.Path, "h") + "gone"
	touched[2].RawQuery = ""
	touched[3].RawQuery = up.RawQuery
	for name, v := range good.Query() {
		if strings.HasPrefix(name, "X-Amz-") && name != "X-Amz-Signature" && name != "X-Amz-Expires" {
			continue // S3 answers 400 to some of these
		}
		q := good.Query()
		q.Set(name, v[0]+"1")
		u := *good
		u.RawQuery = q.Encode()
		touched = append(touched, u)
	}
	for _, u := range touched {
		a, _ := get(t, u.String(), nil)
		require.Equal(t, http.StatusForbidden, a.StatusCode, u.String())
	}
	up.RawQuery = good.RawQuery
	status, err := put(t, up.String(), strings.NewReader("y"), 1, "")
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, "x", body(t, world.Bucket, "exports/h", 0))
}

func downloadGone(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "exports/j", []byte("x")))
	from := w.download(t, "exports/j")
	require.NoError(t, w.Bucket.Delete(ctx, "exports/j"))
	for _, address := range []string{from, w.download(t, "exports/never")} {
		a, _ := get(t, address, nil)
		require.Equal(t, http.StatusNotFound, a.StatusCode, address)
	}
}

func names(t *testing.T, w World) {
	for _, name := range []string{"", ".", "..", "a/b", "a b", "č.csv", `a".csv`, "a\n", strings.Repeat("a", 513)} {
		_, err := w.Bucket.DownloadURL(ctx, "exports/k", blob.Download{Name: name, ContentType: "text/csv"}, time.Hour)
		require.Error(t, err, "%q", name)
	}
	for _, kind := range []string{"", "/", "text/csv\nx", "text/csv\r\nX-A: b"} {
		_, err := w.Bucket.DownloadURL(ctx, "exports/k", blob.Download{Name: "a.csv", ContentType: kind}, time.Hour)
		require.Error(t, err, "%q", kind)
	}
}
