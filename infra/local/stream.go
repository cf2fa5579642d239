package local

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// stream sends an answer while it is made, because it is as large as a file or all data. All other answers come from
// the frame, which makes one whole before it sends it. If a stream returns an error it has written nothing: the frame
// answers then, and refusalOf is the error, for the route that the frame has at the path.
type stream func(w http.ResponseWriter, r *http.Request) error

// errFrame leaves the answer to the frame, which knows it by itself.
var errFrame = errors.New("local: the frame answers")

// streamAt is the stream of a path; nil if its answers come from the frame.
func (s *Server) streamAt(path string) stream {
	switch {
	case path == BackupPath:
		return s.backup
	case strings.HasPrefix(path, downloads+"/"):
		return s.download
	}
	return nil
}

// streaming answers requests for streams, and leaves all others, and what a stream refuses, to h.
func (s *Server) streaming(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if serve := s.streamAt(r.URL.Path); serve != nil && !s.API.Plain(r) {
			s.API.KeepSecure(w.Header())
			err := serve(&patiently{w, http.NewResponseController(w)}, r)
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
