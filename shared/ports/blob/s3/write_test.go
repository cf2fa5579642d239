package s3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/blob"
)

// zeros is a stream of so many bytes.
func zeros(size int64) io.Reader { return io.LimitReader(zero{}, size) }

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// calls is what S3 was called for in a Write, in order, each as a method and what of a multipart upload it is about.
// The calls named in fails are answered with the status, as often as it says.
type calls struct {
	status int
	fails  map[string]int
	mu     sync.Mutex
	made   []string
}

func (c *calls) front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		call := r.Method
		switch {
		case q.Has("uploads"):
			call += " begin"
		case q.Has("partNumber"):
			call += " part " + q.Get("partNumber")
		case q.Has("uploadId"):
			call += " upload"
		}
		if c.note(call) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(c.status)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// note notes a call, and says whether it fails.
func (c *calls) note(call string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = append(c.made, call)
	c.fails[call]--
	return c.fails[call] >= 0
}

// since are the calls since the last time.
func (c *calls) since() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.made
	c.made = nil
	return made
}

const part = 8 << 20

func TestAStreamIsOneCallOrAMultipartUpload(t *testing.T) {
	c := &calls{fails: map[string]int{}}
	w := behind(t, c.front)
	for size, want := range map[int64][]string{
		0:        {"PUT"},
		part - 1: {"PUT"},
		part:     {"POST begin", "PUT part 1", "POST upload"},
		part + 1: {"POST begin", "PUT part 1", "PUT part 2", "POST upload"},
	} {
		c.since()
		require.NoError(t, w.Bucket.Write(t.Context(), "exports/a", zeros(size)))
		require.Equal(t, want, c.since(), strconv.FormatInt(size, 10))
	}
}

func TestAMultipartUploadThatBreaksOffIsAborted(t *testing.T) {
	fault := errors.New("the line broke")
	for name, x := range map[string]struct {
		write func(b blob.Bucket) error
		fails string
	}{
		"its reader fails": {write: func(b blob.Bucket) error {
			return b.Write(t.Context(), "exports/a", io.MultiReader(zeros(part+1), iotest.ErrReader(fault)))
		}},
		"its reader panics": {write: func(b blob.Bucket) (err error) {
			defer func() { err = recover().(error) }()
			return b.Write(t.Context(), "exports/a", io.MultiReader(zeros(part), panics{fault}))
		}},
		"its context ends": {write: func(b blob.Bucket) error {
			ended, end := context.WithCancel(t.Context())
			return b.Write(ended, "exports/a", io.MultiReader(zeros(part), ends{end}, zeros(1)))
		}},
		"S3 does not take a part": {fails: "PUT part 2", write: func(b blob.Bucket) error {
			return b.Write(t.Context(), "exports/a", zeros(part+1))
		}},
		"S3 does not put it together": {fails: "POST upload", write: func(b blob.Bucket) error {
			return b.Write(t.Context(), "exports/a", zeros(part+1))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &calls{status: http.StatusBadRequest, fails: map[string]int{x.fails: 1}}
			w := behind(t, c.front)
			c.since()
			require.Error(t, x.write(w.Bucket))
			made := c.since()
			require.Equal(t, "DELETE upload", made[len(made)-1], strings.Join(made, ", "))
			_, err := w.Bucket.Stat(context.Background(), "exports/a")
			require.ErrorIs(t, err, blob.ErrNotFound)
		})
	}
}

type panics struct{ with error }

func (p panics) Read([]byte) (int, error) { panic(p.with) }

// ends is an empty reader that calls end.
type ends struct{ end func() }

func (e ends) Read([]byte) (int, error) { e.end(); return 0, io.EOF }

func TestACallOfALongStreamThatFailsIsMadeAgain(t *testing.T) {
	c := &calls{status: http.StatusInternalServerError, fails: map[string]int{"PUT part 1": 1, "POST upload": 1}}
	w := behind(t, c.front)
	c.since()
	require.NoError(t, w.Bucket.Write(t.Context(), "exports/a", zeros(part+1)))
	require.Equal(t, []string{"POST begin", "PUT part 1", "PUT part 1", "PUT part 2", "POST upload", "POST upload"},
		c.since())
	info, err := w.Bucket.Stat(t.Context(), "exports/a")
	require.NoError(t, err)
	require.EqualValues(t, part+1, info.Size)
}
