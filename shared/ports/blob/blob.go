// Package blob stores files: what partners upload, and images. Bucket is deliberately poor: what S3 and a folder both
// do well is in it, and nothing else. Every promise here is proven on every implementation by blobtest.Run.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"
)

// Info is what a bucket knows of an object: its size in bytes, and a tag that names these very bytes. An object that is
// replaced gets another tag.
type Info struct {
	Size int64
	Tag  string
}

// Bucket is a set of objects by key. A key is segments of A–Z a–z 0–9 . _ - with slashes between, none of them "." or
// "..". It is safe for concurrent use.
type Bucket interface {
	// Put writes a whole object, in place of one that is there. When it returns, the object is durable. It is for what
	// fits in memory.
	Put(ctx context.Context, key string, body []byte) error
	// Write writes a whole object from a stream of any length, in place of one that is there. When it returns nil the
	// object is durable. After an error, one of the reader's too, what was there before is unchanged; only after
	// ErrUnavailable the new object may be there nevertheless. The reader's own error is returned as it is.
	Write(ctx context.Context, key string, from io.Reader) error
	// Open reads the bytes that Stat's tag names, from that position on: ErrNotFound when they are not there any more.
	Open(ctx context.Context, key, tag string, from int64) (io.ReadCloser, error)
	// Stat is ErrNotFound when there is no such object.
	Stat(ctx context.Context, key string) (Info, error)
	// First is the object as the first PUT to the key's address left it, however often others were let through since;
	// only keys of UploadURL have one. ErrNotFound when there is none, or it was deleted.
	First(ctx context.Context, key string) (Info, error)
	// Delete deletes the object; one that is not there is no fault.
	Delete(ctx context.Context, key string) error
	// UploadURL is an address to which whoever knows it can PUT the object once within life, of any type and size,
	// without any header or other right. A PUT that breaks off leaves nothing and can be repeated. A second whole one
	// is refused where that is possible; where it is not, First, and Open with First's tag, do not see it.
	UploadURL(ctx context.Context, key string, life time.Duration) (string, error)
	// DownloadURL is an address from which whoever knows it can GET the object within life, as often as wanted, without
	// any header or other right. A browser saves it under that name. Where the object is gone it is 404 (S3's own),
	// where the address is over or wrong 403.
	DownloadURL(ctx context.Context, key string, as Download, life time.Duration) (string, error)
}

// Download is what an object is when it is fetched by a DownloadURL: the name of the file, of A–Z a–z 0–9 . _ - and not
// of dots alone, and its media type.
type Download struct{ Name, ContentType string }

// Disposition is the header Content-Disposition of what is saved under the name; an error when the name or the type is
// none.
func (d Download) Disposition() (string, error) {
	if !Valid(d.Name) || strings.Contains(d.Name, "/") {
		return "", fmt.Errorf("blob: %q is no name of a download", d.Name)
	}
	if _, _, err := mime.ParseMediaType(d.ContentType); err != nil {
		return "", fmt.Errorf("blob: %q is no type of a download: %w", d.ContentType, err)
	}
	return `attachment; filename="` + d.Name + `"`, nil
}

// ErrNotFound says that there is no such object.
var ErrNotFound = errors.New("blob: not found")

// ErrForbidden is an upload to an address that is none, is over, or was used.
var ErrForbidden = errors.New("blob: forbidden")

// ErrUnavailable is a bucket that cannot serve now and may later.
var ErrUnavailable = errors.New("blob: unavailable")

// maxKey is how many bytes a key has at most. S3 takes 1,024.
const maxKey = 512

// Valid says whether a text is a key.
func Valid(key string) bool {
	dots := true // nothing but dots in the segment so far
	for i := range len(key) {
		switch c := key[i]; {
		case c == '/':
			if dots {
				return false
			}
			dots = true
		case c == '.':
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-':
			dots = false
		default:
			return false
		}
	}
	return !dots && len(key) <= maxKey
}
