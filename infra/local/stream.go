package local

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// stream is a path whose answers are sent while they are made, because they are as large as a file or all data. All
// others come from the frame, which makes an answer whole before it sends it.
type stream struct {
	path string // with a slash at its end: the paths below it
	// serve answers. If it returns an error it has written nothing: the frame answers then, and refusalOf is the error,
	// for the route that the frame has at the path.
	serve func(w http.ResponseWriter, r *http.Request) error
}

// errFrame leaves the answer to the frame, which knows it by itself.
var errFrame = errors.New("local: the frame answers")

// streams are all paths that stream.
func (s *Server) streams() []stream {
	return []stream{{BackupPath, s.backup}, {downloads + "/", s.download}}
}

// has says whether the stream answers at the path.
func (x stream) has(path string) bool {
	return path == x.path || strings.HasSuffix(x.path, "/") && strings.HasPrefix(path, x.path)
}

// streaming answers requests for streams, and leaves all others, and what a stream refuses, to h.
func (s *Server) streaming(h http.Handler) http.Handler {
	streams := s.streams()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, x := range streams {
			if !x.has(r.URL.Path) || s.API.Plain(r) {
				continue
			}
			s.API.KeepSecure(w.Header())
			err := x.serve(&patiently{w, http.NewResponseController(w)}, r)
			if err == nil {
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), refusalKey{}, err))
		}
		h.ServeHTTP(w, r)
	})
}

type refusalKey struct{}

// refusalOf is why the request's stream has left its answer to the frame; nil if it was never asked.
func refusalOf(r *http.Request) error {
	err, _ := r.Context().Value(refusalKey{}).(error)
	return err
}

// patiently is an answer that gives its receiver takenWithin for each piece. It has no other methods of its connection,
// because a file that the system sends by itself would have that time for all of it.
type patiently struct {
	http.ResponseWriter
	connection *http.ResponseController
}

// Write sends a piece, and cuts off a receiver that does not take it in time.
func (p *patiently) Write(b []byte) (int, error) {
	_ = p.connection.SetWriteDeadline(time.Now().Add(takenWithin)) // the recorder of a test has no deadlines
	return p.ResponseWriter.Write(b)
}
