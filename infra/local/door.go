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

// What the one process bears of whoever connects to it. Who is slower than these is cut off.
const (
	connections = 1000             // open at once: the next one is accepted when one of them has ended
	headWithin  = 10 * time.Second // for a request's head to come
	bodyWithin  = time.Minute      // for the whole request, from the begin of its head; of an upload for each piece of it
	takenWithin = 2 * time.Minute  // for the answer to be taken, from the end of the request's head
	keptFor     = time.Minute      // how long a connection is kept without a request
	maxHead     = 16 << 10         // bytes
)

// openDoor serves what comes to the listener with the handler, until the server that it returns is shut down.
func openDoor(l net.Listener, h http.Handler, log *slog.Logger) *http.Server {
	door := &http.Server{Handler: unhurried(h), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: headWithin, ReadTimeout: bodyWithin, WriteTimeout: takenWithin, IdleTimeout: keptFor,
		MaxHeaderBytes: maxHead}
	guard.Go(context.Background(), func() { _ = door.Serve(netutil.LimitListener(l, connections)) }) // until the stop
	return door
}

// unhurried gives an upload as long as it moves.
func unhurried(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, uploads+"/") {
			upload := *r
			upload.Body = moving{r.Body, http.NewResponseController(w)}
			r = &upload
		}
		h.ServeHTTP(w, r)
	})
}

// moving is a body whose connection's deadlines move on with each piece of it that is read, and end with it: bringing a
// large file to the disk takes its time. One that nobody reads keeps those of any other request.
type moving struct {
	io.ReadCloser
	connection *http.ResponseController
}

func (m moving) Read(b []byte) (int, error) {
	now := time.Now()
	_ = m.connection.SetReadDeadline(now.Add(bodyWithin)) // a recorder of a test has none
	_ = m.connection.SetWriteDeadline(now.Add(takenWithin))
	n, err := m.ReadCloser.Read(b)
	if err == io.EOF {
		_ = m.connection.SetReadDeadline(time.Time{})
		_ = m.connection.SetWriteDeadline(time.Time{})
	}
	return n, err
}
