package local

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"eshop/shared/base/guard"
)

// How many clients the one process serves at once, and how slow they may be. A slower one is cut off.
const (
	connections = 1000             // open at once; rank says what becomes of the next one
	headWithin  = 10 * time.Second // for a request's head to come
	bodyWithin  = time.Minute      // for the whole request, from the begin of its head; for each piece of an upload
	takenWithin = 2 * time.Minute  // for the answer to be taken, from the end of the request's head
	keptFor     = time.Minute      // how long a connection is kept without a request
	partFor     = time.Second      // how long a stop lets idle connections bring a last request
	partingPoll = 10 * time.Millisecond
	// maxHead is in bytes. net/http answers a longer head with a bare 431 and a reset, so it is more than any query
	// that is meant well has: the API refuses a query over 16 KiB itself, with a problem.
	maxHead = 128 << 10
	// What a client still sends of a body that was refused is taken and thrown away, so that it reads the answer before
	// the connection is closed: for so long, and at most so many bytes.
	restWithin = time.Second
	mostRest   = 64 << 20
)

// door is the server of HTTP, with the connections to it.
type door struct {
	*http.Server
	listener net.Listener
	rank     *rank
	closing  atomic.Bool // each answer is its connection's last
}

// serveHTTP serves what comes to the listener with the handler, until the door that it returns is closed. ctx is that
// of all requests.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) *door {
	r := &rank{of: map[net.Conn]*standing{}}
	d := &door{listener: l, rank: r}
	d.Server = &http.Server{Handler: d.parting(serving(takingRest(extending(h)))),
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: headWithin, ReadTimeout: bodyWithin, WriteTimeout: takenWithin, IdleTimeout: keptFor,
		MaxHeaderBytes: maxHead, ConnState: r.note,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		DisableGeneralOptionsHandler: true} // OPTIONS * is answered as any other request, with its headers
	guard.Go(context.Background(), func() { _ = d.Serve(ranked{l, r}) }) // until the stop
	return d
}

// close lets no connection begin any more and answers all requests. Those under way get until ctx ends. A connection
// that is idle may bring a last request for as long as idle: if it were closed at once, it would often be in the moment
// in which its client sends one, who then cannot know whether it was taken. Each answer says that it is the last.
func (d *door) close(ctx context.Context, idle time.Duration) error {
	d.closing.Store(true)
	_ = d.Serve(ranked{&accepted{d.listener, shut(d.listener)}, d.rank}) // those, and no more
	for end := time.Now().Add(idle); d.rank.open() > 0 && time.Now().Before(end); {
		time.Sleep(partingPoll)
	}
	return d.Shutdown(ctx)
}

// accepted is a listener that has accepted its last connections.
type accepted struct {
	net.Listener
	last []net.Conn
}

// Accept is the next one of them.
func (a *accepted) Accept() (c net.Conn, err error) {
	if len(a.last) == 0 {
		return nil, net.ErrClosed
	}
	c, a.last = a.last[0], a.last[1:]
	return c, nil
}

// Close does nothing: the listener is closed already.
func (a *accepted) Close() error { return nil }

// parting tells clients of a door that is closed that no further request is taken on their connections.
func (d *door) parting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.closing.Load() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// takingRest takes what is left of a body that the handler did not read, once the answer is out. A connection that is
// closed while its client sends is reset, and the client then loses the answer that it did not read yet. No memory is
// held by it. Who waits for 100 Continue sends nothing after a refusal.
func takingRest(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.Header.Get("Expect") != "" {
			h.ServeHTTP(w, r)
			return
		}
		whole := *r
		body := &ending{ReadCloser: r.Body, sends: &standingOf(r).sends}
		body.sends.Store(time.Now().UnixNano())
		defer body.sends.Store(0)
		whole.Body = body
		h.ServeHTTP(w, &whole)
		if body.ended {
			return
		}
		connection := http.NewResponseController(w)
		_ = connection.Flush() // the recorder of a test has no connection
		_ = connection.SetReadDeadline(time.Now().Add(restWithin))
		_, _ = io.CopyN(io.Discard, body, mostRest)
	})
}

// ending is a body that knows whether its end was reached, or that there is none to reach. Until then its client is
// waited for.
type ending struct {
	io.ReadCloser
	sends *atomic.Int64
	ended bool
}

// Read reads a piece.
func (e *ending) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	if err != nil {
		e.ended = true
		e.sends.Store(0)
	}
	return n, err
}

// extending lets an upload take its time, as long as pieces of it come.
func extending(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, uploads+"/") {
			// A copy, because a handler must not change the request that it was given.
			upload := *r
			upload.Body = extended{r.Body, http.NewResponseController(w)}
			r = &upload
		}
		h.ServeHTTP(w, r)
	})
}

// extended is a body whose connection gets new deadlines with each piece that is read. At its end they are lifted,
// because it takes time to bring a large file to the disk. A body that nobody reads keeps the deadlines of any other
// request.
type extended struct {
	io.ReadCloser
	connection *http.ResponseController
}

// Read reads a piece, which moves the connection's deadlines on.
func (e extended) Read(b []byte) (int, error) {
	now := time.Now()
	_ = e.connection.SetReadDeadline(now.Add(bodyWithin)) // the recorder of a test has no deadlines
	_ = e.connection.SetWriteDeadline(now.Add(takenWithin))
	n, err := e.ReadCloser.Read(b)
	if err == io.EOF {
		_ = e.connection.SetReadDeadline(time.Time{})
		_ = e.connection.SetWriteDeadline(time.Time{})
	}
	return n, err
}
