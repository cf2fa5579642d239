package local

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"eshop/shared/api"
	"eshop/shared/blob"
	"eshop/shared/host"
)

// uploads is where files are PUT, as to S3 on AWS: without a token, of any type and size.
const uploads = "/uploads"

// upload takes a file. The address is the right to: a wrong or used one is 403 (contract, section 4, "Imports").
func (s *Server) upload(r *http.Request) error {
	err := s.files.Receive(r.Context(), r.PathValue("key"), r.URL.Query(), r.Body)
	switch {
	case errors.Is(err, blob.ErrForbidden):
		return api.Forbidden("upload_forbidden", "This address takes no file: it is wrong, over, or was used already.")
	case errors.Is(err, blob.ErrUnavailable):
		s.Platform.Log.Warn("an upload broke off", "error", err)
		return api.Unavailable(time.Second)
	}
	return err
}

// inbox holds keys of files until somebody takes them, each once.
type inbox struct {
	mu   sync.Mutex
	keys []string
	bell chan struct{}
}

func newInbox() *inbox { return &inbox{bell: make(chan struct{}, 1)} }

func (i *inbox) put(key string) {
	i.mu.Lock()
	i.keys = append(i.keys, key)
	i.mu.Unlock()
	select {
	case i.bell <- struct{}{}:
	default:
	}
}

// take waits for a key; false when ctx ended before.
func (i *inbox) take(ctx context.Context) (key string, ok bool) {
	for {
		i.mu.Lock()
		if len(i.keys) > 0 {
			key, i.keys = i.keys[0], i.keys[1:]
			i.mu.Unlock()
			return key, true
		}
		i.mu.Unlock()
		select {
		case <-i.bell:
		case <-ctx.Done():
			return "", false
		}
	}
}

// How many uploads are handled side by side, and how long before what failed is tried again.
const (
	uploadsAtOnce = 2
	uploadAgain   = time.Second
)

// pumpUploads hands files to an upload function until ctx ends: those that were there at the start, too.
func (s *Server) pumpUploads(ctx context.Context, f host.Function) {
	left, err := s.files.Keys(f.Uploads)
	if err != nil {
		s.Platform.Log.Error("files of an earlier run could not be looked for", "error", err)
	}
	for _, key := range left {
		s.arrived.put(key)
	}
	handle := f.Upload(s.Platform)
	slots := make(chan struct{}, uploadsAtOnce)
	for {
		key, ok := s.arrived.take(ctx)
		if !ok {
			return
		}
		if !strings.HasPrefix(key, f.Uploads) {
			continue
		}
		slots <- struct{}{}
		s.pumps.Go(func() {
			defer func() { <-slots }()
			for ctx.Err() == nil {
				err := s.caught(ctx, func(ctx context.Context) error { return handle(ctx, key) })
				if err == nil || ctx.Err() != nil {
					return
				}
				s.Platform.Log.Warn("an upload will be handled again", "function", f.Name, "key", key, "error", err)
				wait(ctx, uploadAgain)
			}
		})
	}
}
