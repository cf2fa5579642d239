package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"eshop/functions"
	"eshop/infra/demo"
	"eshop/infra/local/backup"
	"eshop/shared/host"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/secret/file"
	"eshop/shared/ports/store/bolt"
)

// open opens the data folder, fills it if it is new, and puts the platform together. Nothing is written before the
// folder is this process's own.
func (s *Server) open(ctx context.Context) (err error) {
	if err := os.MkdirAll(s.settings.Data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder DATA: %w", err)
	}
	if s.lock, err = Lock(s.settings.Data); err != nil {
		return fmt.Errorf("cannot open DATA: %w", err)
	}
	defer func() {
		if err != nil {
			s.lock.Close()
		}
	}()
	older, began, err := s.look()
	if err != nil {
		return err
	}
	if began {
		// What a first start that is cut leaves is new to the next one by this file.
		if err := os.WriteFile(s.path(draftFile), nil, 0o600); err != nil {
			return fmt.Errorf("cannot write to the data folder DATA: %w", err)
		}
	}
	if older {
		text := fmt.Sprintln(backup.Format, backup.FormatSince)
		if err := file.Write(s.path(formatFile), []byte(text)); err != nil {
			return fmt.Errorf("cannot write %s: %w", formatFile, reason(err))
		}
	}
	operator, err := s.operatorToken()
	if err != nil {
		return err
	}
	s.Run = Run{BaseURL: s.BaseURL, OperatorToken: operator}
	keys, err := file.Open(s.path(keyFile))
	if err != nil {
		return err
	}
	if began {
		if err := s.makeData(ctx, keys, operator); err != nil {
			return err
		}
	}
	moved := s.settings
	moved.Now = s.now
	s.db, err = openDB(s.path(DataFile), moved)
	if err != nil {
		return err
	}
	parts, err := s.parts(ctx, keys, operator)
	if err == nil {
		err = s.assemble(ctx, parts)
	}
	if err != nil {
		s.db.Close()
	}
	return err
}

// Files of the data folder beside DataFile. The draft becomes the data file once it is complete.
const (
	keyFile    = "secret.key"
	draftFile  = DataFile + ".seeding"
	formatFile = "format" // which format the folder has, and the oldest release that may open it
)

// look looks at all of the data folder that needs no key: whether it is one of an older format, and whether it is new.
func (s *Server) look() (older, began bool, err error) {
	if older, err = s.isOlder(); err != nil {
		return false, false, err
	}
	if began, err = s.isNew(); err != nil {
		return false, false, err
	}
	return older, began, s.loadClock()
}

// CheckFolder says why no platform of that environment would start on a data folder that has a data file: what is not
// there, or cannot be read, or is of another platform or a newer program.
func CheckFolder(ctx context.Context, data, environment string) error {
	s := &Server{settings: Settings{Data: data, Environment: environment, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)}}
	if _, _, err := s.look(); err != nil {
		return err
	}
	keys, err := file.Open(s.path(keyFile))
	if err != nil {
		return err
	}
	db, err := openDB(s.path(DataFile), s.settings)
	if err != nil {
		return err
	}
	_, err = ownKey(ctx, db, keys)
	return errors.Join(err, db.Close())
}

// ownKey is the platform's own secret in the data file, which no other platform's key file opens.
func ownKey(ctx context.Context, db *bolt.DB, keys *file.Keys) ([]byte, error) {
	key, err := host.SecretKey(ctx, db.Table("main"), keys)
	if errors.Is(err, secret.ErrForged) {
		return nil, fmt.Errorf("%s in DATA does not open what is in %s, so it is another platform's: restore a backup",
			keyFile, DataFile)
	}
	return key, err
}

// formatText is what the format's file holds: a number, and the oldest release that may open the folder.
var formatText = regexp.MustCompile(`^([1-9][0-9]{0,8}) ([!-~]{1,40})\n?$`)

// isOlder says whether the data folder's format is one of before, as that of a folder that does not say it. A folder
// that only a newer program may open is refused.
func (s *Server) isOlder() (bool, error) {
	text, err := file.Read(s.path(formatFile))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	words := formatText.FindStringSubmatch(string(text))
	if words == nil {
		return false, fmt.Errorf("the file %s of DATA holds no number and release: restore it, or a backup", formatFile)
	}
	format, err := strconv.Atoi(words[1])
	if err == nil && format > backup.Format {
		return false, fmt.Errorf("DATA needs eshop %s or a later one, because its format is %d and this program reads "+
			"%d: start that one, or restore a backup of before the upgrade", words[2], format, backup.Format)
	}
	return format < backup.Format, err
}

// isNew says whether the data folder has to be filled first. It refuses a folder of which a part is missing: what is
// left would open nothing, or a new platform would begin in the place of one that has to be restored.
func (s *Server) isNew() (bool, error) {
	has := func(name string) bool {
		is, err := os.Stat(s.path(name))
		return err == nil && (name != DataFile || is.Size() > 0)
	}
	cure := "; restore a backup (eshop restore FILE --force), or begin with another DATA"
	_, err := os.Lstat(s.path(DataFile))
	switch missing := errors.Is(err, os.ErrNotExist); {
	case err != nil && !missing:
		return false, err
	case has(DataFile) && !has(keyFile):
		return false, fmt.Errorf("DATA has no %s, by which %s can be read%s", keyFile, DataFile, cure)
	case has(DataFile):
		return false, nil
	case missing && (has(draftFile) || !has(keyFile) && !has(Restoring)):
		return true, nil
	case missing && !has(keyFile):
		return false, errors.New("DATA is being restored, or its restore was cut: run it again with --force")
	case missing:
		return false, fmt.Errorf("DATA has a %s and no %s: the data are gone%s", keyFile, DataFile, cure)
	}
	return false, fmt.Errorf("%s in DATA is empty: the data are gone%s", DataFile, cure)
}

// makeData makes the data file of a new data folder. It works on the draft, so that a crash leaves a folder that is
// still new.
func (s *Server) makeData(ctx context.Context, keys *file.Keys, operator string) error {
	if s.settings.Demo {
		if err := s.seed(ctx, s.path(draftFile), keys, operator); err != nil {
			return fmt.Errorf("cannot seed the demo shop: %w", err)
		}
	} else if db, err := openDB(s.path(draftFile), s.settings); err != nil {
		return err
	} else if err := db.Close(); err != nil {
		return err
	}
	return os.Rename(s.path(draftFile), s.path(DataFile))
}

// seed fills the data file at path with the demo shop.
func (s *Server) seed(ctx context.Context, path string, keys *file.Keys, operator string) error {
	fixed := newServer(s.settings, s.listener)
	err := demo.Seed(ctx, operator, func(now func() time.Time, random io.Reader) (_ *host.Platform, err error) {
		fixed.settings.Now, fixed.settings.Random = now, random
		// The seeding's own requests are nobody's to read.
		fixed.settings.Log = slog.New(slog.DiscardHandler)
		if fixed.db, err = openDB(path, fixed.settings); err != nil {
			return nil, err
		}
		parts, err := fixed.parts(ctx, keys, operator)
		if err != nil {
			return nil, err
		}
		return host.Assemble(ctx, parts, functions.List...)
	})
	if fixed.db == nil {
		return err
	}
	return errors.Join(err, fixed.db.Close())
}

// path is a file of the data folder.
func (s *Server) path(name string) string { return filepath.Join(s.settings.Data, name) }

// openDB opens the data file: the main table with its feed, which each function that is fed follows, the pipeline's and
// the counters'.
func openDB(path string, settings Settings) (*bolt.DB, error) {
	db, err := bolt.Open(path, bolt.Options{Feeds: []string{"main"}, Followers: host.Followers(functions.List),
		Now: settings.Now, Log: settings.Log, Disk: settings.Disk})
	if err != nil {
		return nil, fmt.Errorf("cannot open the data file %s: %w", filepath.Base(path), err)
	}
	return db, nil
}

// operatorToken is the operator's token: from the settings, or made once and kept in the data folder.
func (s *Server) operatorToken() (string, error) {
	if t := s.settings.OperatorToken; t != "" {
		return t, nil
	}
	good := func(token string) bool { return s.settings.checkOperatorToken(token) == nil }
	return s.keptToken("operator.token", good, func() (string, error) {
		b := make([]byte, 32)
		_, _ = rand.Read(b) // never fails
		return "eop_" + base64.RawURLEncoding.EncodeToString(b), nil
	})
}

// keptToken is the token in a file of the data folder. If the file holds no good one, a new token is made and written
// there: at the first start, and after damage, which a log line tells.
func (s *Server) keptToken(name string, good func(token string) bool, make func() (string, error)) (string, error) {
	b, err := file.Read(s.path(name))
	token := strings.TrimSpace(string(b))
	if err == nil && good(token) {
		return token, nil
	}
	damage := ""
	if err == nil {
		damage = "it held none"
	} else if !errors.Is(err, os.ErrNotExist) {
		damage = reason(err).Error()
	}
	if token, err = make(); err != nil {
		return "", err
	}
	if err := file.Write(s.path(name), []byte(token+"\n")); err != nil {
		return "", fmt.Errorf("cannot write %s: %w", name, reason(err))
	}
	if damage != "" {
		s.settings.Log.Warn("a new token was made", "file", name, "error", damage)
	}
	return token, nil
}
