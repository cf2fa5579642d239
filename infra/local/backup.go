package local

import (
	"io"
	"net/http"
	"time"

	"eshop/infra/local/backup"
	"eshop/shared/api"
	"eshop/shared/shop/audit"
)

// BackupPath answers the operator with an archive of the data folder.
const BackupPath = "/operator/backup"

// DataFile is the name of the data file in the data folder.
const DataFile = "eshop.db"

// Restoring is the folder in the data folder in which a restore unpacks a backup.
const Restoring = ".restoring"

// backup sends the archive to the operator. An error in its middle breaks the connection and leaves the archive without
// its directory, by which a reader knows that it is not whole.
func (s *Server) backup(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		return errFrame
	}
	token, _ := api.Bearer(r)
	who, err := s.Platform.OperatorOf(r.Context(), token)
	if err != nil {
		return errFrame
	}
	began, moment := time.Now(), s.settings.Now()
	// A backup holds all that there is, so it is in the trail though it only reads.
	err = audit.Add(r.Context(), s.Platform.Main, audit.Entry{ID: s.Platform.NewID(), Token: who.Operator,
		TokenName: who.OperatorName, Method: r.Method, Path: BackupPath, Address: api.AddressOf(r)})
	if err != nil { // a disk that takes nothing more is a reason to fetch one
		s.Platform.Log.ErrorContext(r.Context(), "an action is not in the audit trail", "path", BackupPath,
			"operator", who.Operator, "error", err)
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Cache-Control", "no-store")
	err = s.db.Snapshot(func(data func(io.Writer) error) error {
		return backup.Write(w, s.settings.Data, s.Platform.Now(), data)
	})
	if err != nil {
		s.Platform.Log.WarnContext(r.Context(), "a backup broke off", "error", err)
		// The status was sent long ago. A connection that breaks is the only way left to say that something is wrong.
		panic(http.ErrAbortHandler)
	}
	if err := s.noteBackup(moment); err != nil {
		s.Platform.Log.WarnContext(r.Context(), "when the last backup was made is not written down", "error", err)
	}
	s.Platform.Log.InfoContext(r.Context(), "a backup was made", "took", time.Since(began), "operator", who.Operator)
	return nil
}
