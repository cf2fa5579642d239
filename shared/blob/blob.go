// Package blob stores files: what partners upload, and images. Bucket is deliberately poor: what S3 and a folder both
// do well is in it, and nothing else. Every promise here is proven on every implementation by blobtest.Run.
package blob

import (
	"context"
	"errors"
	"io"
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
