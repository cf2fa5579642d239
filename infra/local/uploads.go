package local

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"eshop/functions"
	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/record/job"
)

// uploads is where files are PUT, as to S3 on AWS: without a token, of any type and size.
const uploads = "/uploads"

// uploadFloor is how many bytes uploads, exports and the rows of imports leave free on the disk, 1 GiB, because what
// requests write to the data file needs them.
const uploadFloor = 1 << 30

// bucket is the folder of files. The keys of files that are put in it come into the inboxes.
func (s *Server) bucket(key []byte) (*folder.Bucket, error) {
	base := s.PublicURL()
	return folder.Open(s.path("files"), folder.Options{Base: base + uploads, Downloads: base + downloads,
		Key: key, Now: s.now, OnPut: s.inboxes.put,
		MayUpload: s.mayUpload, MinFree: uploadFloor, Free: s.settings.Free})
}

// mayUpload is nil while a file may be put under the key. The function that the files are for decides.
func (s *Server) mayUpload(ctx context.Context, key string) error {
	for _, f := range functions.List {
		if f.Upload != nil && strings.HasPrefix(key, f.Upload.Prefix) {
			return f.Upload.MayUpload(ctx, s.Platform, key)
		}
	}
	return nil
}

// How many files may be on their way at once: in all, so that uploads never have all connections, and of one shop. A
// file may take as long as it moves.
const (
	uploadsAtOnce = connections / 4
	uploadsOfShop = 8
)

// upload takes a file. Its address is the right to put it: a wrong, expired or used address is 403, and so is that of
// an import that may not go on (contract, "Imports").
func (s *Server) upload(r *http.Request) error {
	key := r.PathValue("key")
	shop, _, _ := job.ParseObject(imports.Uploads, key)
	file := &uploading{Reader: r.Body, room: s.sending, shop: shop}
	defer file.end()
	err := s.files.Receive(r.Context(), key, r.URL.Query(), file)
	switch {
	case file.refused:
		return problem.Unavailable(uploadPause)
	case err != nil && file.broke:
		return api.ErrHungUp
	case errors.Is(err, blob.ErrForbidden):
		return problem.Forbidden("upload_forbidden",
			"This address takes no file: it is wrong, over, or was used already.")
	case errors.Is(err, blob.ErrUnavailable):
		s.Platform.Log.Warn("an upload was not kept", "error", err)
		return problem.Unavailable(time.Second)
	}
	return err
}

// uploadPause is after how long a file may be sent again for which there was no room.
const uploadPause = 10 * time.Second

// uploading is a file on its way. It counts from when it is first read: its address has proven good by then.
type uploading struct {
	io.Reader
	room             *api.Room
	shop             string
	counted, refused bool
	broke            bool // its sender broke off, or was too slow
}

// Read reads a piece, of a file for which there is room.
func (u *uploading) Read(p []byte) (int, error) {
	if !u.counted {
		if u.refused = !u.room.Take(u.shop, 1); u.refused {
			return 0, errors.New("so many files are on their way")
		}
		u.counted = true
	}
	n, err := u.Reader.Read(p)
	u.broke = err != nil && err != io.EOF
	return n, err
}

// end counts the file no longer.
func (u *uploading) end() {
	if u.counted {
		u.room.Give(u.shop, 1)
	}
}

// How files wait their turn. Of each function, files of uploadSlots shops are worked on side by side. If others wait, a
// file keeps its slot for uploadTurn; a file that failed is tried again after uploadAgain.
const (
	uploadSlots = 2
	uploadTurn  = 5 * time.Second
	uploadAgain = 5 * time.Second
)

// pumpUploads hands files to an upload function until ctx ends. It begins with those that an earlier run has left.
func (s *Server) pumpUploads(ctx context.Context, function host.Function) {
	files := s.inboxes[function.Upload.Prefix]
	left, err := s.files.Keys(function.Upload.Prefix)
	if err != nil {
		s.Platform.Log.Error("files of an earlier run could not be looked for", "error", err)
	}
	for _, key := range left {
		files.put(key)
	}
	handle := function.Upload.Handler(s.Platform)
	slots := make(chan struct{}, uploadSlots)
	for {
		// The slot first, and then the file: so files wait in the inbox, where turns go round by shop.
		slots <- struct{}{}
		key, ok := files.take(ctx)
		if !ok {
			return
		}
		s.pump(ctx, func() {
			defer func() { <-slots }()
			defer files.done(key)
			s.turn(ctx, function, key, handle)
		})
	}
}

// turn has the function work on a file for a turn. If the file is not done by then, the function puts it on again,
// behind those that wait.
func (s *Server) turn(ctx context.Context, f host.Function, key string, handle func(context.Context, string) error) {
	bounded, cancel := context.WithTimeout(ctx, uploadTurn+f.Upload.Margin)
	defer cancel()
	err := guard.Do(bounded, func() error { return handle(bounded, key) })
	if err == nil || ctx.Err() != nil {
		return
	}
	s.Platform.Log.Warn("an upload will be handled again", "function", f.Name, "key", key, "error", err)
	s.pump(ctx, func() { s.inboxes[f.Upload.Prefix].putAgain(ctx, key, uploadAgain) })
}
