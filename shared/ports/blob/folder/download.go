package folder

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"eshop/shared/ports/blob"
)

// DownloadURL is an address below Options.Downloads: the object's key and, in the query, which no log shows, its name
// and type, until when it is good, and a signature of all of them.
func (b *Bucket) DownloadURL(_ context.Context, key string, as blob.Download, life time.Duration) (string, error) {
	if !blob.Valid(key) {
		return "", fmt.Errorf("folder: %q is no key", key)
	}
	if _, err := as.Disposition(); err != nil {
		return "", err
	}
	until := strconv.FormatInt(b.Now().Add(life).Unix(), 10)
	query := url.Values{"until": {until}, "name": {as.Name}, "type": {as.ContentType},
		"signature": {b.sign(forDownload, until, key, as.Name, as.ContentType)}}
	return b.Downloads + "/" + key + "?" + query.Encode(), nil
}

// Serve answers a GET or HEAD of the address of the key that r's query signs: the object, or the ranges of it that r
// asks for. After an error nothing is written: blob.ErrForbidden if the address is wrong or over, blob.ErrNotFound if
// the object is gone.
func (b *Bucket) Serve(w http.ResponseWriter, r *http.Request, key string) error {
	q := r.URL.Query()
	as := blob.Download{Name: q.Get("name"), ContentType: q.Get("type")}
	disposition, err := as.Disposition()
	if err != nil || !blob.Valid(key) {
		return blob.ErrForbidden
	}
	if err := b.signed(q.Get("signature"), forDownload, q.Get("until"), key, as.Name, as.ContentType); err != nil {
		return err
	}
	file, err := os.Open(b.path(key))
	if err != nil {
		return blobError(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return unavailable(err)
	}
	if !info.Mode().IsRegular() { // a folder of other objects
		return blob.ErrNotFound
	}
	h := w.Header()
	h.Set("Content-Type", as.ContentType)
	h.Set("Content-Disposition", disposition)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
	// By it a download that is taken up again knows that these are still the same bytes.
	h.Set("ETag", `"`+tagOf(info)+`"`)
	http.ServeContent(w, r, "", info.ModTime(), file)
	return nil
}
