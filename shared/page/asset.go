package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
)

// Asset is a file that is the same for everybody.
type Asset struct {
	Path         string
	Type         string
	CacheControl string
	Body         []byte
}

// Fixed is a file below a path whose address has its content's hash: what is there never changes, so browsers keep it
// for a year.
func Fixed(below, name, contentType string, body []byte) Asset {
	sum := sha256.Sum256(body)
	return Asset{below + "/" + hex.EncodeToString(sum[:8]) + "/" + name, contentType,
		"public, max-age=31536000, immutable", body}
}

// ServeHTTP answers with the file.
func (a Asset) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.Type)
	h.Set("Cache-Control", a.CacheControl)
	_, _ = w.Write(a.Body)
}

// Assets are the files of a function's pages.
type Assets []Asset

// Address is where the file of this name is. A name that does not exist is a fault of the program, which panics.
func (all Assets) Address(name string) string {
	for _, a := range all {
		if path.Base(a.Path) == name {
			return a.Path
		}
	}
	panic("page: no file " + name)
}
