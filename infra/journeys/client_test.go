package journeys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client is somebody who calls the platform with a token.
type client struct {
	t     testing.TB
	base  string
	token string
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// String is the status and the body.
func (a *answer) String() string { return fmt.Sprintf("%d %s", a.status, a.body) }

// fields of a JSON body.
type fields = map[string]any

// patience is how long anything that has to come is waited for: for ever, to a machine that does nothing else.
const patience = 2 * time.Minute

// eventually waits until it is so, asking in the goroutine of the test, so that what fails in asking fails the test. It
// asks less often the longer it takes: those who answer have the processor then.
func eventually(t testing.TB, within time.Duration, is func() bool, what ...any) {
	t.Helper()
	began, pause := time.Now(), 5*time.Millisecond
	for !is() {
		require.Less(t, time.Since(began), within, what...)
		time.Sleep(pause)
		pause = min(2*pause, 200*time.Millisecond)
	}
}

// freePort is an address of this machine that nobody listens at, nor will before it is used: its port is below those
// that systems give to whoever asks for any, or calls somebody.
func freePort(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12_000+rand.IntN(20_000)))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, l.Close())
		return l.Addr().String()
	}
}

var caller = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// send makes the request, with header names and values in turn; an error is the connection's.
func (c client) send(method, path string, body any, header ...string) (answer, error) {
	var b []byte
	if body != nil {
		var err error
		b, err = json.Marshal(body)
		require.NoError(c.t, err)
	}
	r, err := http.NewRequest(method, c.base+path, bytes.NewReader(b))
	require.NoError(c.t, err)
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := caller.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	b, err = io.ReadAll(got.Body)
	return answer{c.t, got.StatusCode, got.Header, b}, err
}

// do makes the request and wants the status.
func (c client) do(status int, method, path string, body any, header ...string) answer {
	c.t.Helper()
	a, err := c.send(method, path, body, header...)
	require.NoError(c.t, err)
	require.Equal(c.t, status, a.status, "%s %s: %s", method, path, a.body)
	return a
}

func (c client) get(path string) answer { c.t.Helper(); return c.do(200, "GET", path, nil) }
func (c client) post(path string, body any) answer {
	c.t.Helper()
	return c.do(201, "POST", path, body)
}
func (c client) patch(path string, body any) answer {
	c.t.Helper()
	return c.do(200, "PATCH", path, body)
}
func (c client) delete(path string)      { c.t.Helper(); c.do(204, "DELETE", path, nil) }
func (c client) gone(path string)        { c.t.Helper(); c.do(404, "GET", path, nil) }
func (c client) on(t testing.TB) client  { c.t = t; return c }
func (a answer) text(name string) string { a.t.Helper(); s, _ := a.fields()[name].(string); return s }
func (a answer) id() string              { a.t.Helper(); require.NotEmpty(a.t, a.text("id")); return a.text("id") }
func (a answer) problem(status int, code string) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, string(a.body))
	require.Equal(a.t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(a.t, code, a.text("code"))
	return a
}

func (a answer) fields() (f fields) {
	a.t.Helper()
	require.NoError(a.t, json.Unmarshal(a.body, &f), string(a.body))
	return f
}

// items of a collection, or of a list named otherwise.
func (a answer) items(name string) (all []fields) {
	a.t.Helper()
	list, _ := a.fields()[name].([]any)
	for _, x := range list {
		all = append(all, x.(fields))
	}
	return all
}
