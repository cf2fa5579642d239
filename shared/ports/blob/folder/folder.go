// Package folder is a bucket in a folder of this machine: the bucket of the one process. An object appears whole, by
// renaming a file that is on disk already.
//
// # A tour
//
// Begin with folder.go: what comes in are objects and their keys, which are the names of files below the folder.
// upload.go makes the addresses to which files are PUT, and receives them: each address is good for one PUT, after
// which a mark says that it was used. download.go makes the addresses from which files are fetched, and serves them.
package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"eshop/shared/ports/blob"
)

// Options of a bucket.
type Options struct {
	Base      string           // the address of uploads, without a slash at its end: UploadURL's begin with it
	Downloads string           // the same of downloads: DownloadURL's begin with it
	Key       []byte           // signs the addresses of both
	Now       func() time.Time // by which addresses end
	OnPut     func(key string) // is called after each put of an object; nil: nothing is

	// MayUpload is asked when a PUT comes to a good address, before any of it is read: its error refuses the PUT, and
	// the address stays good. nil: all are received.
	MayUpload func(ctx context.Context, key string) error
	// MinFree is how many bytes uploads and Write leave free on the disk. Free is how many are free; nil: as many as
	// the system says, where it says so.
	MinFree int64
	Free    func() (int64, error)
}

// Bucket is a folder. Below it are the objects by their keys, files that are being written, and a mark for each address
// of an upload that was used.
type Bucket struct {
	Options
	objects, unfinished, used string
	// folders is locked for reading while a name is made in a folder, which must stay meanwhile, and for writing while
	// empty folders are deleted.
	folders sync.RWMutex
}

var _ blob.Bucket = (*Bucket)(nil)

// Open opens the folder, or makes it. What an earlier process left half done is finished or deleted.
func Open(root string, o Options) (*Bucket, error) {
	b := &Bucket{Options: o, objects: filepath.Join(root, "objects"), unfinished: filepath.Join(root, "unfinished"),
		used: filepath.Join(root, "used")}
	if b.OnPut == nil {
		b.OnPut = func(string) {}
	}
	if b.MayUpload == nil {
		b.MayUpload = func(context.Context, string) error { return nil }
	}
	if b.Free == nil {
		b.Free = func() (int64, error) { return Free(root) }
	}
	for _, dir := range []string{b.objects, b.unfinished, b.used} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("folder: making the bucket: %w", err)
		}
	}
	return b, b.recover()
}

// path is the file of a key.
func (b *Bucket) path(key string) string { return filepath.Join(b.objects, filepath.FromSlash(key)) }

// Put writes the object. It is blob.ErrUnavailable if the disk has no room for more.
func (b *Bucket) Put(_ context.Context, key string, body []byte) error {
	if !blob.Valid(key) {
		return fmt.Errorf("folder: %q is no key", key)
	}
	if err := b.Room(); err != nil {
		return err
	}
	name, err := b.write(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return b.put(name, key)
}

// put shows a written file as the object of the key, and tells of it.
func (b *Bucket) put(name, key string) error {
	if err := b.show(name, key); err != nil {
		return err
	}
	b.OnPut(key)
	return nil
}

// Write writes the object, for as long as ctx lets it. It is blob.ErrUnavailable if the disk has no room for more.
func (b *Bucket) Write(ctx context.Context, key string, from io.Reader) error {
	if !blob.Valid(key) {
		return fmt.Errorf("folder: %q is no key", key)
	}
	// What write returns is the disk's error and may pass: the reader's own is told apart from it.
	var broken error
	name, err := b.write(roomChecked{reading(func(p []byte) (n int, err error) {
		if broken = ctx.Err(); broken != nil {
			return 0, broken
		}
		if n, err = from.Read(p); err != io.EOF {
			broken = err
		}
		return n, err
	}), b})
	if broken != nil {
		return broken
	}
	if err != nil {
		return err
	}
	return b.put(name, key)
}

// reading is a function as an io.Reader.
type reading func(p []byte) (int, error)

// Read reads by the function.
func (r reading) Read(p []byte) (int, error) { return r(p) }

// write brings a body to disk under a random name in the folder of unfinished files. If it breaks off it leaves
// nothing. Nobody sees the file until show gives it the name of its key.
func (b *Bucket) write(body io.Reader) (name string, err error) {
	name = rand.Text()
	file, err := os.OpenFile(filepath.Join(b.unfinished, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", unavailable(err)
	}
	whole := false
	defer func() {
		if !whole { // after a panic of the body, too
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	defer file.Close()
	if _, err = io.Copy(file, body); err != nil {
		return "", unavailable(err)
	}
	if err = errors.Join(file.Sync(), file.Close()); err != nil {
		return "", unavailable(err)
	}
	whole = true
	return name, nil
}

// show makes a written file the object of the key. When it returns, the object is durable: the file and its name are
// synced.
func (b *Bucket) show(name, key string) error {
	b.folders.RLock()
	defer b.folders.RUnlock()
	to := b.path(key)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return unavailable(err)
	}
	if err := os.Rename(filepath.Join(b.unfinished, name), to); err != nil {
		return unavailable(err)
	}
	// A new folder's own name must be durable, too, up to the folder that was there.
	for dir := filepath.Dir(to); ; dir = filepath.Dir(dir) {
		if err := durable(dir); err != nil || dir == b.objects {
			return err
		}
	}
}

// durable makes the names in a folder durable.
func durable(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return unavailable(err)
	}
	return unavailable(errors.Join(f.Sync(), f.Close()))
}

// Open reads the object.
func (b *Bucket) Open(_ context.Context, key, tag string, from int64) (io.ReadCloser, error) {
	file, err := os.Open(b.path(key))
	if err != nil {
		return nil, blobError(err)
	}
	info, err := file.Stat()
	if err == nil && tagOf(info) != tag {
		err = blob.ErrNotFound
	}
	if err == nil {
		_, err = file.Seek(from, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(blobError(err), file.Close())
	}
	return file, nil
}

// Stat is the object's size and tag.
func (b *Bucket) Stat(_ context.Context, key string) (blob.Info, error) {
	info, err := os.Stat(b.path(key))
	if err != nil {
		return blob.Info{}, blobError(err)
	}
	return blob.Info{Size: info.Size(), Tag: tagOf(info)}, nil
}

// First is Stat: an address is good for one PUT.
func (b *Bucket) First(ctx context.Context, key string) (blob.Info, error) { return b.Stat(ctx, key) }

// tagOf differs between the file and another one that replaces it.
func tagOf(info fs.FileInfo) string {
	return fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), info.Size())
}

// Delete deletes the object, and the folders that held nothing else.
func (b *Bucket) Delete(_ context.Context, key string) error {
	b.folders.Lock()
	defer b.folders.Unlock()
	at := b.path(key)
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	// Remove fails at the first folder that holds something else.
	for dir := filepath.Dir(at); dir != b.objects && os.Remove(dir) == nil; {
		dir = filepath.Dir(dir)
	}
	return nil
}

// Keys are the keys of all objects that begin with the prefix, in order. A process that starts finds by them what an
// earlier one has left.
func (b *Bucket) Keys(prefix string) (keys []string, err error) {
	err = filepath.WalkDir(b.objects, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(b.objects, path)
		if key := filepath.ToSlash(rel); err == nil && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
		return err
	})
	return keys, unavailable(err)
}

// blobError is an error of the file system as one of package blob.
func blobError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrNotFound) {
		return blob.ErrNotFound
	}
	return unavailable(err)
}

// unavailable is an error of the disk as one that may pass.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", blob.ErrUnavailable, err)
}
