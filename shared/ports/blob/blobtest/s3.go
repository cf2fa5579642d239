package blobtest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
)

// NewestFirst stands in front of gofakes3, which lists an object's versions oldest first: S3 lists them newest first.
// It is the whole listing is turned round: keys, too, which nobody here goes by.
func NewestFirst(fake http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !r.URL.Query().Has("versions") {
			fake.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		fake.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(reversed(answer.Body.Bytes())) // the other end sees it break
	})
}

var version = regexp.MustCompile(`(?s)<Version>.*?</Version>`)

func reversed(listing []byte) []byte {
	all := version.FindAll(listing, -1)
	slices.Reverse(all)
	return version.ReplaceAllFunc(listing, func([]byte) []byte {
		next := bytes.Clone(all[0])
		all = all[1:]
		return next
	})
}
