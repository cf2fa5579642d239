package local

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// How the next connection finds room when all are taken.
const (
	halfHead = 2 * time.Second // after which one whose first request's head is not whole is closed for the next one
	spares   = 32              // beside all others, which are told that there is no room; health is answered to them
)

// rank is all connections to the process, so that nobody keeps others out by holding some. A new one is always
// accepted. When all are taken, the one that is idle longest is closed for it: it holds nothing. Else one goes whose
// head has been halfHead in coming. Else the new one is a spare: health is answered to it, and anything else is 503. So
// a supervisor never takes a process for dead that is only full. An address has no bound of its own: behind a proxy all
// have one.
type rank struct {
	most int
	mu   sync.Mutex
	of   map[net.Conn]*standing
}

// standing is how a connection stands.
type standing struct {
	state http.ConnState
	since time.Time // of the state
	spare bool
}

func newRank(most int) *rank { return &rank{most: most, of: map[net.Conn]*standing{}} }

// ranked is a listener whose connections have a rank.
type ranked struct {
	net.Listener
	*rank
}

// Accept accepts the next connection, for which another one may be closed.
func (l ranked) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.add(c)
	}
	return c, err
}

// add makes room for a connection, and takes it in.
func (r *rank) add(c net.Conn) {
	r.mu.Lock()
	now := time.Now()
	s := &standing{state: http.StateNew, since: now}
	var out net.Conn
	if len(r.of) >= r.most {
		out = r.longest(func(x *standing) bool { return x.state == http.StateIdle })
		if out == nil {
			out = r.longest(func(x *standing) bool { return x.state == http.StateNew && now.Sub(x.since) >= halfHead })
		}
		if s.spare = out == nil; s.spare && len(r.of) >= r.most+spares {
			out = r.longest(func(x *standing) bool { return x.spare })
		}
	}
	delete(r.of, out)
	r.of[c] = s
	r.mu.Unlock()
	if out != nil {
		_ = out.Close()
	}
}

// longest is the connection that has been longest in its state, of those that may go; nil where there is none.
func (r *rank) longest(may func(*standing) bool) (found net.Conn) {
	for c, s := range r.of {
		if may(s) && (found == nil || s.since.Before(r.of[found].since)) {
			found = c
		}
	}
	return found
}

// note notes the state of a connection (http.Server.ConnState). It is active from when a request's head is whole.
func (r *rank) note(c net.Conn, state http.ConnState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, is := r.of[c]
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		delete(r.of, c)
	case is && state != s.state:
		s.state, s.since = state, time.Now()
	}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// inContext puts a connection into the context of its requests (http.Server.ConnContext).
func inContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// full says whether a request came by a spare connection.
func (r *rank) full(q *http.Request) bool {
	c, _ := q.Context().Value(connKey{}).(net.Conn)
	r.mu.Lock()
	defer r.mu.Unlock()
	s, is := r.of[c]
	return is && s.spare
}

// serving answers what comes by a spare connection with 503, but for health, and ends that connection.
func (r *rank) serving(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !r.full(q) {
			h.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Connection", "close")
		if q.URL.Path == "/healthz" || q.URL.Path == "/readyz" {
			h.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"title":"Service Unavailable","status":503,"code":"unavailable",`+
			`"detail":"The platform has as many connections as it takes. Repeat the request after Retry-After."}`+"\n")
	})
}
