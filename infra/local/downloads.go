package local

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/ports/blob"
)

// downloads is where files are fetched, as from S3 on AWS: by a signed address, without a token.
const downloads = "/downloads"

// download sends a file to whoever has its address.
func (s *Server) download(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errFrame
	}
	began, key := time.Now(), strings.TrimPrefix(r.URL.Path, downloads+"/")
	if err := s.files.Serve(w, r, key); err != nil {
		return err
	}
	s.Platform.Log.InfoContext(r.Context(), "a file was sent", "key", key, "took", time.Since(began))
	return nil
}

// refuseDownload answers where download has not: 403 at an address that is wrong or over, 404 where the file is gone.
func (s *Server) refuseDownload(_ http.ResponseWriter, r *http.Request) {
	err := refusalOf(r)
	switch {
	case errors.Is(err, blob.ErrForbidden):
		err = problem.Forbidden("download_forbidden", "This address gives no file: it is wrong or over. "+
			"Follow the export's downloadUrl again.")
	case err == nil, errors.Is(err, blob.ErrNotFound):
		err = problem.NotFound()
	case errors.Is(err, blob.ErrUnavailable):
		s.Platform.Log.Warn("a download was not begun", "error", err)
		err = problem.Unavailable(time.Second)
	}
	api.RefuseError(r, err)
}
