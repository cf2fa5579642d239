package folder

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"eshop/shared/ports/blob"
	"eshop/shared/ports/secret"
)

// The address of an upload is the object's key and, in the query, which no log shows, until when it is good, and a
// signature of both. It is good for one PUT. Its mark decides that: it is written once the bytes are on disk, and names
// the file with them, so that after a crash the next process has only to rename that file.

// UploadURL is an address below Options.Base.
func (b *Bucket) UploadURL(_ context.Context, key string, life time.Duration) (string, error) {
	if !blob.Valid(key) {
		return "", fmt.Errorf("folder: %q is no key", key)
	}
	if err := b.dropOldMarks(); err != nil {
		return "", err
	}
	until := strconv.FormatInt(b.Now().Add(life).Unix(), 10)
	return b.Base + "/" + key + "?" + url.Values{"until": {until},
		"signature": {b.sign(forUpload, until, key)}}.Encode(), nil
}

// What an address is for is the first word of what is signed, so no upload's signature is a download's.
const (
	forUpload   = "upload"
	forDownload = "download"
)

// sign is the signature of an address: of what it is for, until when it is good, its key, and what else it says.
func (b *Bucket) sign(words ...string) string {
	return hex.EncodeToString(secret.MAC(b.Key, strings.Join(words, "\n")))
}

// signed is nil for a signature of these words whose time is not over, else blob.ErrForbidden.
func (b *Bucket) signed(signature, what, until string, words ...string) error {
	right := b.sign(append([]string{what, until}, words...)...)
	if subtle.ConstantTimeCompare([]byte(signature), []byte(right)) != 1 {
		return blob.ErrForbidden
	}
	if n, err := strconv.ParseInt(until, 10, 64); err != nil || b.Now().Unix() > n {
		return blob.ErrForbidden
	}
	return nil
}

// verify is the file that marks the address of a key and a query as used; blob.ErrForbidden if the signature is wrong,
// or the time over.
func (b *Bucket) verify(key string, query url.Values) (mark string, err error) {
	until, signature := query.Get("until"), query.Get("signature")
	if !blob.Valid(key) || b.signed(signature, forUpload, until, key) != nil {
		return "", blob.ErrForbidden
	}
	return filepath.Join(b.used, until+"-"+signature[:32]), nil
}

// Receive takes a PUT to the address of the key with that query. It is blob.ErrForbidden if the address is wrong,
// expired or used. It is blob.ErrUnavailable, and leaves nothing, if the body breaks off or the disk has no room for
// more.
func (b *Bucket) Receive(ctx context.Context, key string, query url.Values, body io.Reader) error {
	mark, err := b.verify(key, query)
	if err != nil {
		return err
	}
	// Looked at before the body is read, so that a used address costs nothing. markUsed decides between two PUTs at
	// once.
	if _, err := os.Stat(mark); err == nil {
		return blob.ErrForbidden
	}
	if err := b.MayUpload(ctx, key); err != nil {
		return err
	}
	name, err := b.write(roomChecked{body, b})
	if err != nil {
		return err
	}
	if err := b.markUsed(mark, key, name); err != nil {
		return errors.Join(err, os.Remove(filepath.Join(b.unfinished, name)))
	}
	return b.put(name, key)
}

// roomChecked is a body that may be large, which ends with an error before the disk has less than MinFree left.
type roomChecked struct {
	io.Reader
	*Bucket
}

var errNoRoom = errors.New("the disk has no room for files")

// Read reads on only while the disk has room left, so that no file takes the last of it.
func (r roomChecked) Read(p []byte) (int, error) {
	if err := r.room(int64(len(p))); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// Room is blob.ErrUnavailable while the disk has less than MinFree left.
func (b *Bucket) Room() error { return unavailable(b.room(0)) }

// room is errNoRoom if the disk has not MinFree left beside so many bytes.
func (b *Bucket) room(beside int64) error {
	free, err := b.Free()
	if err == nil && free < b.MinFree+beside {
		return errNoRoom
	}
	return err
}

// markUsed marks the address of a key as used by the file of that name; blob.ErrForbidden when it was used meanwhile.
func (b *Bucket) markUsed(mark, key, name string) error {
	written, err := b.write(strings.NewReader(name + "\n" + key))
	if err != nil {
		return err
	}
	at := filepath.Join(b.unfinished, written)
	defer os.Remove(at)
	// A link fails if the name is there, and appears whole: of two PUTs at once one gets the mark.
	if err := os.Link(at, mark); errors.Is(err, fs.ErrExist) {
		return blob.ErrForbidden
	} else if err != nil {
		return unavailable(err)
	}
	return durable(b.used)
}

// recover finishes what a crash interrupted: it shows files that were marked and not shown yet, and deletes files that
// were never marked.
func (b *Bucket) recover() error {
	marks, err := os.ReadDir(b.used)
	if err != nil {
		return unavailable(err)
	}
	for _, m := range marks {
		if !m.Type().IsRegular() {
			continue // markUsed makes none
		}
		text, err := os.ReadFile(filepath.Join(b.used, m.Name()))
		if err != nil {
			return unavailable(err)
		}
		name, key, _ := strings.Cut(string(text), "\n")
		if name != filepath.Base(name) || !blob.Valid(key) {
			continue // Receive writes no such mark, but whoever made a backup that was restored may have
		}
		if _, err := os.Stat(filepath.Join(b.unfinished, name)); err == nil {
			if err := b.show(name, key); err != nil {
				return err
			}
		}
	}
	left, err := os.ReadDir(b.unfinished)
	for _, f := range left {
		err = errors.Join(err, os.Remove(filepath.Join(b.unfinished, f.Name())))
	}
	return unavailable(errors.Join(err, b.dropOldMarks()))
}

// dropOldMarks deletes the marks of addresses that are over: those are refused anyway.
func (b *Bucket) dropOldMarks() error {
	marks, err := os.ReadDir(b.used)
	if err != nil {
		return unavailable(err)
	}
	for _, m := range marks {
		until, _, _ := strings.Cut(m.Name(), "-")
		if n, err := strconv.ParseInt(until, 10, 64); err == nil && b.Now().Unix() > n {
			if err := os.Remove(filepath.Join(b.used, m.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return unavailable(err)
			}
		}
	}
	return nil
}
