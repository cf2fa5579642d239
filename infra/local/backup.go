package local

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"eshop/infra/local/archive"
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
	if err := s.writeBackup(w); err != nil {
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

// writeBackup writes the data as they are at one moment. The files are read before the data file, whose copy is of the
// moment at which this began. So each file that the data name is in the backup, unless it was deleted meanwhile because
// what it was for had ended.
func (s *Server) writeBackup(to io.Writer) error {
	return s.db.Snapshot(func(data func(io.Writer) error) error {
		a := archive.NewWriter(to, s.Platform.Now())
		for _, name := range archive.Names {
			if name == DataFile {
				continue
			}
			if err := a.AddFile(name, s.path(name)); err != nil {
				return err
			}
		}
		for _, folder := range archive.Folders {
			err := fs.WalkDir(os.DirFS(s.settings.Data), folder, func(name string, f fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) || err == nil && !f.Type().IsRegular() {
					return nil // a folder that is gone was empty
				} else if err != nil {
					return err
				}
				return a.AddFile(name, s.path(name))
			})
			if err != nil {
				return err
			}
		}
		if err := a.Add(DataFile, data); err != nil {
			return err
		}
		return a.Close()
	})
}
