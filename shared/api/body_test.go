package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
)

// held is a body that comes by and by, and how much more room than for what had come it was ever given.
type held struct {
	left, came, spare int
}

func (h *held) Read(p []byte) (int, error) {
	h.spare = max(h.spare, len(p)-h.came)
	if h.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, strings.Repeat(" ", min(h.left, 700)))
	h.left, h.came = h.left-n, h.came+n
	return n, nil
}

// during is a body that does something when it is asked for more than its text.
type during struct {
	text io.Reader
	do   func()
}

func (d during) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if err == io.EOF {
		d.do()
	}
	return n, err
}

// TestAllBodiesUnderWayHoldNoMoreThanTheProcessHasRoomFor: one that comes while another is under way is 503, and has
// room when that one is answered.
func TestAllBodiesUnderWayHoldNoMoreThanTheProcessHasRoomFor(t *testing.T) {
	w := open(t)
	w.api.Bodies = api.NewBodies(1000, 1000)
	post := func(size int, do func()) *httptest.ResponseRecorder {
		text := `{"title":"Tea"` + strings.Repeat(" ", size-len(`{"title":"Tea"}`)) + "}"
		r := httptest.NewRequest("POST", notes, during{strings.NewReader(text), do})
		r.Header.Set("Authorization", "Bearer good")
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		w.api.ServeHTTP(answer, r)
		return answer
	}
	nothing := func() {}
	first := post(700, func() {
		full := post(301, nothing)
		require.Equal(t, 503, full.Code)
		require.Equal(t, "1", full.Header().Get("Retry-After"))
		require.Contains(t, full.Body.String(), `"unavailable"`)
		require.Equal(t, 201, post(300, nothing).Code, "there is room for it")
	})
	require.Equal(t, 201, first.Code, "who was there first is not refused")
	require.Equal(t, 201, post(1000, nothing).Code)
	require.Equal(t, 503, post(1001, nothing).Code)
	require.Equal(t, 201, post(1000, nothing).Code, "all is given back")
}

// TestOneCallerDoesNotFillTheRoomOfAllBodies: each has a share, and others have what is left.
func TestOneCallerDoesNotFillTheRoomOfAllBodies(t *testing.T) {
	w := open(t)
	w.api.Bodies = api.NewBodies(1000, 600)
	post := func(size int, do func()) int {
		r := httptest.NewRequest("POST", notes, during{strings.NewReader(strings.Repeat(" ", size)), do})
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer good")
		answer := httptest.NewRecorder()
		w.api.ServeHTTP(answer, r)
		return answer.Code
	}
	nothing := func() {}
	require.Equal(t, 503, post(601, nothing))
	require.Equal(t, 400, post(600, func() { require.Equal(t, 503, post(1, nothing)) }))
	require.True(t, w.api.Bodies.Take("another", 600), "all is given back")
	require.Equal(t, 400, post(400, nothing), "beside another")
	require.Equal(t, 503, post(401, nothing))
}

// TestAHandlersBodyHasTheRoomOfAllBodies, and an upload, of which nothing is held, needs none.
func TestAHandlersBodyHasTheRoomOfAllBodies(t *testing.T) {
	w := open(t)
	w.api.Bodies = api.NewBodies(1000, 1000)
	w.api.Handle("POST /raw", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
		}
	}))
	w.api.Receive("/upload", func(r *http.Request) error {
		_, err := io.Copy(io.Discard, r.Body)
		return err
	})
	send := func(method, path string, size int) int {
		answer := httptest.NewRecorder()
		w.api.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader(strings.Repeat(" ", size))))
		return answer.Code
	}
	require.Equal(t, 200, send("POST", "/raw", 1000))
	require.Equal(t, 503, send("POST", "/raw", 1001))
	require.Equal(t, 200, send("POST", "/raw", 1000), "all is given back")
	require.Equal(t, 204, send("PUT", "/upload", 100_000))
}

func TestABodyTakesTheRoomOfWhatHasComeNotOfWhatWasDeclared(t *testing.T) {
	w := open(t)
	for _, declared := range []int64{-1, 1, 100_000, 1 << 20} {
		for _, came := range []int{0, 1, 50_000, 1<<20 - 1} {
			body := &held{left: came}
			r := httptest.NewRequest("POST", notes, body)
			r.ContentLength = declared
			r.Header.Set("Authorization", "Bearer good")
			r.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			w.api.ServeHTTP(answer, r)
			require.Equal(t, 400, answer.Code)
			require.Contains(t, answer.Body.String(), "malformed_json")
			require.LessOrEqual(t, body.spare, 8<<10, "declared %d, came %d", declared, came)
		}
	}
}
