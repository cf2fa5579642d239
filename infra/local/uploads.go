package local

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"eshop/functions"
	"eshop/shared/blob"
	"eshop/shared/blob/folder"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/problem"
)

// uploads is where files are PUT, as to S3 on AWS: without a token, of any type and size.
const uploads = "/uploads"

// uploadFloor is how many bytes uploads leave free on the disk, for the data that lies on it.
const uploadFloor = 1 << 30

// bucket is the folder of files. Those that are put in it wait for a place.
func (s *Server) bucket() (*folder.Bucket, error) {
	p := s.Platform
	return folder.Open(s.path("files"), folder.Options{Base: s.BaseURL + uploads, Key: p.Key, Now: p.Now,
		Heard: s.arrived.put,
		Takes: s.takes, Floor: uploadFloor, Free: s.settings.Free})
}

// takes is nil while a file may be put under the key: the function whose files they are says so.
func (s *Server) takes(ctx context.Context, key string) error {
	for _, f := range functions.List {
		if f.Upload != nil && strings.HasPrefix(key, f.Upload.Prefix) {
			return f.Upload.Takes(ctx, s.Platform, key)
		}
	}
	return nil
}

// upload takes a file. The address is the right to: a wrong or used one is 403, and so is one whose import may not go
// on any more (contract, section 4, "Imports").
func (s *Server) upload(r *http.Request) error {
	err := s.files.Receive(r.Context(), r.PathValue("key"), r.URL.Query(), r.Body)
	switch {
	case errors.Is(err, blob.ErrForbidden):
		return problem.Forbidden("upload_forbidden", "This address takes no file: it is wrong, over, or was used already.")
	case errors.Is(err, blob.ErrUnavailable):
		s.Platform.Log.Warn("an upload broke off", "error", err)
		return problem.Unavailable(time.Second)
	}
	return err
}

// How many shops' files are worked on side by side, how long one keeps its place where others wait, and how long before
// what failed is tried again.
const (
	uploadPlaces = 2
	uploadTurn   = 5 * time.Second
	uploadAgain  = time.Second
)

// pumpUploads hands files to an upload function until ctx ends: those that were there at the start, too.
func (s *Server) pumpUploads(ctx context.Context, f host.Function) {
	left, err := s.files.Keys(f.Upload.Prefix)
	if err != nil {
		s.Platform.Log.Error("files of an earlier run could not be looked for", "error", err)
	}
	for _, key := range left {
		s.arrived.put(key)
	}
	handle := f.Upload.Handler(s.Platform)
	places := make(chan struct{}, uploadPlaces)
	for {
		places <- struct{}{}
		key, ok := s.arrived.take(ctx)
		if !ok {
			return
		}
		s.pump(ctx, func() {
			defer func() { <-places }()
			defer s.arrived.done(key)
			if strings.HasPrefix(key, f.Upload.Prefix) {
				s.turn(ctx, f, key, handle)
			}
		})
	}
}

// turn gives a file a place for a turn. What is not done then is handed on by the function: its file comes again,
// behind those that wait.
func (s *Server) turn(ctx context.Context, f host.Function, key string, handle func(context.Context, string) error) {
	bounded, cancel := context.WithTimeout(ctx, uploadTurn+f.Upload.Rest)
	defer cancel()
	err := guard.Do(bounded, func() error { return handle(bounded, key) })
	if err == nil || ctx.Err() != nil {
		return
	}
	s.Platform.Log.Warn("an upload will be handled again", "function", f.Name, "key", key, "error", err)
	s.pump(ctx, func() {
		if wait(ctx, uploadAgain) {
			s.arrived.put(key)
		}
	})
}
