package local

import (
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// empty is a platform without a demo on a data folder.
func empty(data string) Settings {
	return Settings{Addr: "127.0.0.1:0", Data: data, Environment: "test", Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler)}
}

// lived is a data folder in which a platform has served.
func lived(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	s, err := Start(t.Context(), empty(data))
	require.NoError(t, err)
	require.NoError(t, s.Stop())
	return data
}

// TestAFolderThatLacksAPartIsRefused: no new platform begins in the place of one that has to be restored.
func TestAFolderThatLacksAPartIsRefused(t *testing.T) {
	type place func(name string) string
	for about, c := range map[string]struct {
		spoil func(at place) error
		says  string // "": it starts
	}{
		"whole":         {func(place) error { return nil }, ""},
		"no data":       {func(at place) error { return os.Remove(at(DataFile)) }, "restore a backup"},
		"empty data":    {func(at place) error { return os.Truncate(at(DataFile), 0) }, "restore a backup"},
		"no key":        {func(at place) error { return os.Remove(at(keyFile)) }, "restore a backup"},
		"a dead link":   {func(at place) error { return relink(at(DataFile), at("none")) }, "restore a backup"},
		"no files":      {func(at place) error { return os.RemoveAll(at("files")) }, ""},
		"no token":      {func(at place) error { return os.Remove(at("operator.token")) }, ""},
		"a pipe as key": {func(at place) error { return pipe(at(keyFile)) }, "secret.key is not a file"},
		"a long key": {func(at place) error { return os.Truncate(at(keyFile), 5<<10) },
			"secret.key is no regular file of at most 4096 bytes"},
		"a pipe as data":  {func(at place) error { return pipe(at(DataFile)) }, "restore a backup"},
		"a pipe as token": {func(at place) error { return pipe(at("operator.token")) }, ""},
		"a pipe as clock": {func(at place) error { return pipe(at(clockFile)) }, "clock is no regular file"},
		"a newer format": {func(at place) error {
			return os.WriteFile(at(formatFile), []byte("2 2027-01-15\n"), 0o600)
		}, "DATA needs eshop 2027-01-15 or a later one, because its format is 2 and this program reads 1"},
		"no number of a format": {func(at place) error {
			return os.WriteFile(at(formatFile), []byte("newest\n"), 0o600)
		}, "holds no number"},
		"no number above zero": {func(at place) error {
			return os.WriteFile(at(formatFile), []byte("0 2026-11-29\n"), 0o600)
		}, "holds no number"},
		"a number below zero": {func(at place) error {
			return os.WriteFile(at(formatFile), []byte("-1 2026-11-29\n"), 0o600)
		}, "holds no number"},
		"a release that a terminal acts on": {func(at place) error {
			return os.WriteFile(at(formatFile), []byte("2 \x1b[2Jboo\n"), 0o600)
		}, "holds no number"},
		"a format and more": {func(at place) error {
			return os.WriteFile(at(formatFile), []byte("1 2026-11-29\n1 2026-11-29\n"), 0o600)
		}, "holds no number"},
		"a format that is a dead link": {func(at place) error { return relink(at(formatFile), at("none")) },
			"format is a link to nothing"},
		"a clock that is a dead link": {func(at place) error { return os.Symlink(at("none"), at(clockFile)) },
			"clock is a link to nothing"},
		"another platform's key": {func(at place) error {
			return os.WriteFile(at(keyFile), []byte(strings.Repeat("0", 64)), 0o600)
		}, "secret.key in DATA does not open what is in eshop.db, so it is another platform's"},
		"a format of before": {func(at place) error { return os.Remove(at(formatFile)) }, ""},
		"a first start that was cut": {func(at place) error {
			return os.Rename(at(DataFile), at(draftFile))
		}, ""},
		"a restore that was cut": {func(at place) error {
			for _, name := range []string{DataFile, keyFile} {
				if err := os.Remove(at(name)); err != nil {
					return err
				}
			}
			return os.Mkdir(at(Restoring), 0o700)
		}, "run it again"},
	} {
		t.Run(about, func(t *testing.T) {
			data := lived(t)
			require.NoError(t, c.spoil(func(name string) string { return filepath.Join(data, name) }))
			s, err := Start(t.Context(), empty(data))
			if c.says == "" {
				require.NoError(t, err)
				require.NoError(t, s.Stop())
				format, err := os.ReadFile(filepath.Join(data, formatFile))
				require.NoError(t, err)
				require.Equal(t, "1 2026-11-29\n", string(format))
				return
			}
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// pipe puts a pipe in a file's place, in which nothing comes.
func pipe(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return syscall.Mkfifo(path, 0o600)
}

func relink(path, to string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink(to, path)
}

func TestWhoDoesNotHaveTheFolderWritesNothing(t *testing.T) {
	data := t.TempDir()
	lock, err := Lock(data)
	require.NoError(t, err)
	_, err = Start(t.Context(), empty(data))
	require.ErrorContains(t, err, "the data folder "+data+": another process has it open: end that one, or name")
	there, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Empty(t, there)
	require.NoError(t, lock.Close())
	s, err := Start(t.Context(), empty(data))
	require.NoError(t, err)
	_, err = Start(t.Context(), empty(data))
	require.ErrorContains(t, err, "another process has it open")
	require.NoError(t, s.Stop())
}
