// Package blobtest proves the promises of blob.Bucket on any implementation.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/blob"
)

// World is an empty bucket with what stands in front of it.
type World struct {
	Bucket blob.Bucket
	Pass   func(time.Duration) // lets time go by for those who judge addresses
}

// Run holds buckets to every promise.
func Run(t *testing.T, open func(t *testing.T) World) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// cases are what every bucket promises, each in a sentence.
var cases = []struct {
	name string
	run  func(t *testing.T, w World)
}{
	{"what is put is read, whole and from a position on", reads},
	{"a put takes the place of what was there, and the old tag reads nothing else", replaces},
	{"what is not there is not found, and deleting it is no fault", absent},
	{"what is deleted is not found", deletes},
	{"a key that is none is refused", keys},
	{"whoever knows the address of an upload can PUT, without a token and of any type", uploads},
	{"an empty file can be uploaded", empty},
	{"what is PUT to a used address changes nothing", used},
	{"what is PUT with If-None-Match to a used address is refused", refused},
	{"a wrong address of an upload is forbidden", wrong},
	{"an address of an upload ends", ends},
	{"an upload that breaks off leaves nothing and can be made again", breaks},
	{"many put and read at once", atOnce},
	{"a stream of several parts is written whole", streams},
	{"a stream that is empty, short, or as long as a part is written whole", shortStreams},
	{"a stream that breaks off changes nothing, and its error is the reader's own", breaksOff},
	{"a stream whose context has ended changes nothing", streamEnds},
	{"whoever knows the address of a download can GET as often as wanted, under its name and as its type", downloads},
	{"a download begins where it is asked to", ranges},
	{"an address of a download ends", downloadEnds},
	{"a wrong address of a download is forbidden", wrongDownload},
	{"an object that is gone is not found at its address", downloadGone},
	{"a name or a type of a download that is none is refused", names},
}

var ctx = context.Background()

// body is an object's text from a position on.
func body(t *testing.T, b blob.Bucket, key string, from int64) string {
	t.Helper()
	info, err := b.Stat(ctx, key)
	require.NoError(t, err)
	r, err := b.Open(ctx, key, info.Tag, from)
	require.NoError(t, err)
	defer r.Close()
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

func reads(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "a/b/c.txt", []byte("0123456789")))
	info, err := w.Bucket.Stat(ctx, "a/b/c.txt")
	require.NoError(t, err)
	require.EqualValues(t, 10, info.Size)
	require.Equal(t, "0123456789", body(t, w.Bucket, "a/b/c.txt", 0))
	require.Equal(t, "789", body(t, w.Bucket, "a/b/c.txt", 7))
	require.Empty(t, body(t, w.Bucket, "a/b/c.txt", 10))
}

func replaces(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "k", []byte("old")))
	old, err := w.Bucket.Stat(ctx, "k")
	require.NoError(t, err)
	require.NoError(t, w.Bucket.Put(ctx, "k", []byte("newer")))
	require.Equal(t, "newer", body(t, w.Bucket, "k", 0))
	r, err := w.Bucket.Open(ctx, "k", old.Tag, 0)
	if err != nil {
		require.ErrorIs(t, err, blob.ErrNotFound)
		return
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
}

func absent(t *testing.T, w World) {
	_, err := w.Bucket.Stat(ctx, "no/such")
	require.ErrorIs(t, err, blob.ErrNotFound)
	require.NoError(t, w.Bucket.Delete(ctx, "no/such"))
}

func deletes(t *testing.T, w World) {
	require.NoError(t, w.Bucket.Put(ctx, "a/b", []byte("x")))
	require.NoError(t, w.Bucket.Delete(ctx, "a/b"))
	_, err := w.Bucket.Stat(ctx, "a/b")
	require.ErrorIs(t, err, blob.ErrNotFound)
	require.NoError(t, w.Bucket.Put(ctx, "a/b", []byte("y")))
	require.Equal(t, "y", body(t, w.Bucket, "a/b", 0))
}

func keys(t *testing.T, w World) {
	for _, key := range []string{"", "/", "/a", "a/", "a//b", "..", "a/../b", "a/./b", "a b", "č", "a\x00",
		strings.Repeat("a", 513)} {
		require.Error(t, w.Bucket.Put(ctx, key, nil), "%q", key)
		require.Error(t, w.Bucket.Write(ctx, key, strings.NewReader("")), "%q", key)
		_, err := w.Bucket.UploadURL(ctx, key, time.Hour)
		require.Error(t, err, "%q", key)
		_, err = w.Bucket.DownloadURL(ctx, key, csv, time.Hour)
		require.Error(t, err, "%q", key)
	}
}

// put is a PUT without a token, and the status that it is answered with.
func put(t *testing.T, to string, body io.Reader, length int64, contentType string) (int, error) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPut, to, body)
	require.NoError(t, err)
	r.ContentLength = length
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	_, err = io.Copy(io.Discard, a.Body)
	return a.StatusCode, err
}

func (w World) upload(t *testing.T, key string) string {
	t.Helper()
	to, err := w.Bucket.UploadURL(ctx, key, time.Hour)
	require.NoError(t, err)
	return to
}

func uploads(t *testing.T, w World) {
	for i, contentType := range []string{"", "text/csv", "application/octet-stream"} {
		key := "up/" + string(rune('a'+i))
		text := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB
		status, err := put(t, w.upload(t, key), bytes.NewReader(text), int64(len(text)), contentType)
		require.NoError(t, err)
		require.Less(t, status, 300)
		require.Equal(t, string(text), body(t, w.Bucket, key, 0))
	}
}

func empty(t *testing.T, w World) {
	status, err := put(t, w.upload(t, "up/empty"), http.NoBody, 0, "")
	require.NoError(t, err)
	require.Less(t, status, 300)
	require.Empty(t, body(t, w.Bucket, "up/empty", 0))
}

func used(t *testing.T, world World) {
	_, err := world.Bucket.First(ctx, "up/once")
	require.ErrorIs(t, err, blob.ErrNotFound)
	to := world.upload(t, "up/once")
	for i, text := range []string{"first", "second", "the third"} {
		status, err := put(t, to, strings.NewReader(text), int64(len(text)), "")
		require.NoError(t, err)
		if i == 0 {
			require.Less(t, status, 300)
		} else {
			require.Contains(t, []int{http.StatusOK, http.StatusForbidden}, status)
		}
	}
	neighbour := "beside"
	_, err = put(t, world.upload(t, "up/once2"), strings.NewReader(neighbour), int64(len(neighbour)), "")
	require.NoError(t, err)
	first, err := world.Bucket.First(ctx, "up/once")
	require.NoError(t, err)
	require.EqualValues(t, len("first"), first.Size)
	r, err := world.Bucket.Open(ctx, "up/once", first.Tag, 0)
	require.NoError(t, err)
	defer r.Close()
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "first", string(text))
	require.NoError(t, world.Bucket.Delete(ctx, "up/once"))
	_, err = world.Bucket.First(ctx, "up/once")
	require.ErrorIs(t, err, blob.ErrNotFound)
}

func refused(t *testing.T, w World) {
	to := w.upload(t, "up/wary")
	for i := range 2 {
		r, err := http.NewRequest(http.MethodPut, to, strings.NewReader("x"))
		require.NoError(t, err)
		r.Header.Set("If-None-Match", "*")
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, a.Body.Close())
		if i == 0 {
			require.Less(t, a.StatusCode, 300)
		} else {
			require.Contains(t, []int{http.StatusForbidden, http.StatusPreconditionFailed}, a.StatusCode)
		}
	}
}

func wrong(t *testing.T, world World) {
	good := world.upload(t, "up/a")
	u, err := url.Parse(good)
	require.NoError(t, err)
	touched := []string{strings.Replace(good, u.Path, u.Path+"x", 1),
		strings.Replace(good, u.Path, u.Path[:len(u.Path)-3], 1)}
	if u.RawQuery != "" {
		touched = append(touched, good[:len(good)-1], strings.Replace(good, u.RawQuery, "", 1))
	}
	for _, to := range touched {
		status, err := put(t, to, strings.NewReader("x"), 1, "")
		require.NoError(t, err)
		require.Equal(t, http.StatusForbidden, status, to)
	}
	_, err = world.Bucket.Stat(ctx, "up/a")
	require.ErrorIs(t, err, blob.ErrNotFound)
}

func ends(t *testing.T, w World) {
	to := w.upload(t, "up/late")
	w.Pass(time.Hour + time.Second)
	status, err := put(t, to, strings.NewReader("x"), 1, "")
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status)
}

func breaks(t *testing.T, world World) {
	to := world.upload(t, "up/broken")
	_, err := put(t, to, io.MultiReader(strings.NewReader("half"), brokenReader{}), 1000, "")
	require.Error(t, err)
	_, err = world.Bucket.Stat(ctx, "up/broken")
	require.ErrorIs(t, err, blob.ErrNotFound)
	status, err := put(t, to, strings.NewReader("whole"), 5, "")
	require.NoError(t, err)
	require.Less(t, status, 300)
	require.Equal(t, "whole", body(t, world.Bucket, "up/broken", 0))
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the line broke") }

func atOnce(t *testing.T, world World) {
	var work sync.WaitGroup
	errs := make(chan error, 64)
	for i := range 16 {
		work.Go(func() {
			key := "many/" + string(rune('a'+i))
			errs <- world.Bucket.Put(ctx, key, []byte(key))
			_, err := world.Bucket.Stat(ctx, key)
			errs <- err
			errs <- world.Bucket.Delete(ctx, key)
		})
	}
	work.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}
