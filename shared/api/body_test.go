package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
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
	w.api.Bodies = api.NewRoom(1000, 1000)
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
	w.api.Bodies = api.NewRoom(1000, 600)
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
	w.api.Bodies = api.NewRoom(1000, 1000)
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

// slow takes an answer only after it has done something.
type slow struct {
	*httptest.ResponseRecorder
	do func()
}

func (s slow) Write(b []byte) (int, error) {
	s.do()
	return s.ResponseRecorder.Write(b)
}

// TestLargeAnswersHoldNoMoreThanTheProcessHasRoomFor: a read that comes while others are sent is 503. What was written
// is answered in any case, and so is what is small.
func TestLargeAnswersHoldNoMoreThanTheProcessHasRoomFor(t *testing.T) {
	const large = 100_000
	w := open(t)
	w.api.Answers = api.NewRoom(2*large+1, large+1)
	for _, method := range []string{"GET", "POST"} {
		w.api.Handle(method+" /large/{size}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			size, _ := strconv.Atoi(r.PathValue("size"))
			_, _ = w.Write(make([]byte, size))
		}))
	}
	ask := func(from, method string, size int, do func()) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/large/"+strconv.Itoa(size), nil)
		r.RemoteAddr = from + ":1"
		answer := slow{httptest.NewRecorder(), do}
		w.api.ServeHTTP(answer, r)
		return answer.ResponseRecorder
	}
	one, other, third := "192.0.2.1", "192.0.2.2", "192.0.2.3"
	nothing := func() {}
	require.Equal(t, 200, ask(one, "GET", large, func() {
		refused := ask(one, "GET", large, nothing)
		require.Equal(t, 503, refused.Code)
		require.Equal(t, "1", refused.Header().Get("Retry-After"))
		require.Equal(t, 200, ask(one, "GET", 60_000, nothing).Code, "it is small")
		require.Equal(t, 200, ask(one, "POST", large, nothing).Code, "it is done")
		require.Equal(t, 200, ask(other, "GET", large, func() {
			require.Equal(t, 503, ask(third, "GET", large, nothing).Code, "there is no room for anybody")
		}).Code)
	}).Code)
	require.Equal(t, 200, ask(one, "GET", large, nothing).Code, "all is given back")
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
