package local

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"eshop/shared/guard"

	"golang.org/x/net/netutil"
)

// How many clients the one process serves at once, and how slow they may be. A slower one is cut off.
const (
	connections = 1000             // open at once; the next one is accepted when one of them has ended
	headWithin  = 10 * time.Second // for a request's head to come
	bodyWithin  = time.Minute      // for the whole request, from the begin of its head; for each piece of an upload
	takenWithin = 2 * time.Minute  // for the answer to be taken, from the end of the request's head
	keptFor     = time.Minute      // how long a connection is kept without a request
	// maxHead is in bytes. net/http answers a longer head with a bare 431 and a reset, so it is more than any query
	// that is meant well has: the API refuses a query over 16 KiB itself, with a problem.
	maxHead = 128 << 10
)

// serveHTTP serves what comes to the listener with the handler, until the server that it returns is shut down.
func serveHTTP(l net.Listener, h http.Handler, log *slog.Logger) *http.Server {
	door := &http.Server{Handler: extending(h), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: headWithin, ReadTimeout: bodyWithin, WriteTimeout: takenWithin, IdleTimeout: keptFor,
		MaxHeaderBytes:               maxHead,
		DisableGeneralOptionsHandler: true} // OPTIONS * is answered as any other request, with its headers
	guard.Go(context.Background(), func() { _ = door.Serve(netutil.LimitListener(l, connections)) }) // until the stop
	return door
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
