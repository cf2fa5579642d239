package local

import (
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// How the next connection finds room when all are taken.
const (
	slowAfter = 2 * time.Second // how long a client is waited for before its connection may be closed for a new one
	spares    = 32              // connections beyond the most: they get health answers, and 503 for all else
)

// rank is all connections to the process, so that nobody keeps others out by holding some. A new one is always
// accepted. When all are taken, it closes the one that is idle longest: one amid the head of its next request
// counts as idle, too, because net/http says so until that is whole. Else it closes the one whose first head, body or
// piece of an answer has been under way longest, if that is slowAfter or more. Else the new one is a spare: health
// is answered to it, and anything else is 503, so that a supervisor never takes a process for dead that is only
// full. When there are spares more as well, the oldest spare is closed for the new one. An address has no bound of
// its own: behind a proxy all have one.
type rank struct {
	mu sync.Mutex
	of map[net.Conn]*standing
}

// standing is how a connection stands.
type standing struct {
	state http.ConnState
	since time.Time // of the state
	spare bool
	// sends is since when the client sends a body, takes since when it takes a piece of an answer; in unix
	// nanoseconds, 0: it does not.
	sends, takes atomic.Int64
}

// ranked is a listener whose connections have a rank.
type ranked struct {
	net.Listener
	*rank
}

// Accept accepts the next connection, for which another one may be closed.
func (l ranked) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s := &standing{state: http.StateNew, since: time.Now()}
	timed := &timedConn{c, s}
	l.add(timed, s)
	return timed, nil
}

// timedConn is a connection that says since when a piece of an answer is on its way.
type timedConn struct {
	net.Conn
	standing *standing
}

// Write writes, and notes in takes since when.
func (c *timedConn) Write(b []byte) (int, error) {
	c.standing.takes.Store(time.Now().UnixNano())
	defer c.standing.takes.Store(0)
	return c.Conn.Write(b)
}

// add makes room for a connection, and takes it in.
func (r *rank) add(conn net.Conn, one *standing) {
	r.mu.Lock()
	var out net.Conn
	if len(r.of) >= connections {
		if out = r.longest((*standing).idle); out == nil {
			out = r.longest(func(x *standing) time.Time { return x.waitedFor(one.since.Add(-slowAfter)) })
		}
		if one.spare = out == nil; one.spare && len(r.of) >= connections+spares {
			out = r.longest(func(x *standing) time.Time {
				if x.spare {
					return x.since
				}
				return time.Time{}
			})
		}
	}
	delete(r.of, out)
	r.of[conn] = one
	r.mu.Unlock()
	if out != nil {
		_ = out.Close()
	}
}

// open is how many connections there are.
func (r *rank) open() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.of)
}

// idle is since when the connection is idle; the zero time if it is not.
func (s *standing) idle() (since time.Time) {
	if s.state == http.StateIdle {
		since = s.since
	}
	return since
}

// waitedFor is since when its client is waited for, if that is before a moment; else the zero time.
func (s *standing) waitedFor(before time.Time) (since time.Time) {
	if s.state == http.StateNew {
		since = s.since
	}
	for _, n := range []int64{s.sends.Load(), s.takes.Load()} {
		if at := time.Unix(0, n); n != 0 && (since.IsZero() || at.Before(since)) {
			since = at
		}
	}
	if since.After(before) {
		return time.Time{}
	}
	return since
}

// longest is the connection with the earliest time; nil if all have the zero time.
func (r *rank) longest(since func(*standing) time.Time) (found net.Conn) {
	var earliest time.Time
	for c, s := range r.of {
		if at := since(s); !at.IsZero() && (found == nil || at.Before(earliest)) {
			found, earliest = c, at
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

// standingOf is how the connection of a request stands.
func standingOf(q *http.Request) *standing {
	if c, is := q.Context().Value(connKey{}).(*timedConn); is {
		return c.standing
	}
	return &standing{} // of the recorder of a test, which has no connection
}

// serving answers what comes by a spare connection with 503, but for health, and ends that connection.
func serving(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !standingOf(q).spare {
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
