package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"eshop/functions"
	"eshop/shared/host"
	"eshop/shared/secret/file"
	"eshop/shared/store/bolt"
)

// open opens the data folder, seeds it if it is new, and puts the platform together.
func (s *Server) open(ctx context.Context) error {
	if err := os.MkdirAll(s.settings.Data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder DATA: %w", err)
	}
	operator, err := s.operatorToken()
	if err != nil {
		return err
	}
	if err := s.loadClock(); err != nil {
		return err
	}
	s.Run = Run{BaseURL: s.BaseURL, OperatorToken: operator}
	keys, err := file.Open(s.path("secret.key"))
	if err != nil {
		return err
	}
	// Before the data file is opened: a seeding makes that file.
	if s.settings.Demo {
		if err := s.seed(ctx, keys, operator); err != nil {
			return fmt.Errorf("cannot seed the demo shop: %w", err)
		}
	}
	moved := s.settings
	moved.Now = s.now
	s.db, err = openDB(s.path(DataFile), moved)
	if err != nil {
		return err
	}
	if err := s.assemble(ctx, keys, operator); err != nil {
		s.db.Close()
		return err
	}
	return nil
}

// path is a file of the data folder.
func (s *Server) path(name string) string { return filepath.Join(s.settings.Data, name) }

// fileOptions are those of the data file: the main table has a feed, which each function that is fed follows.
func fileOptions(settings Settings) bolt.Options {
	return bolt.Options{Feeds: []string{"main"}, Followers: host.Followers(functions.List), Now: settings.Now,
		Log: settings.Log}
}

// openDB opens the data file: the main table with its feed, the pipeline's and the counters'.
func openDB(path string, settings Settings) (*bolt.DB, error) {
	db, err := bolt.Open(path, fileOptions(settings))
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
	b, err := os.ReadFile(s.path(name))
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
