package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eshop/infra/local"
	"eshop/infra/local/backup"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/store/bolt"
)

// backUp writes an archive of the platform's data to a file. It writes to a new file beside it first, checks that, and
// only then gives it its name: a backup that broke off is never taken for one.
func backUp(ctx context.Context, c *client, opts options) error {
	if err := replaceable(opts.argument, opts); err != nil {
		return err
	}
	began := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+local.BackupPath, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	slow := http.Client{CheckRedirect: stay} // it takes as long as it takes
	got, err := slow.Do(r)
	if err != nil {
		return c.unreached(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(got.Body, 1<<16))
		if err != nil {
			return err
		}
		return c.refused(got, text)
	}
	// Only the caller may read it: it holds the platform's keys and tokens.
	f, err := os.CreateTemp(filepath.Dir(opts.argument), filepath.Base(opts.argument)+".*.partial")
	if err != nil {
		return err
	}
	part := f.Name()
	defer os.Remove(part)
	size, err := io.Copy(f, got.Body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("the backup broke off: %w", err)
	}
	made, err := backup.Open(part)
	if err != nil {
		return err
	}
	err = made.Check()
	if err = errors.Join(err, made.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, opts.argument); err != nil {
		return err
	}
	took := time.Since(began).Round(time.Millisecond)
	opts.tell(object{"file": opts.argument, "files": len(made.File), "made": made.Made, "bytes": size,
		"took": took.String()},
		"%s holds %d files of %s (%.1f MB, in %s), with the platform's keys and tokens: keep it as you keep those",
		opts.argument, len(made.File), made.Made.Format(time.RFC3339), float64(size)/1e6, took)
	return nil
}

// replaceable refuses to write over a file unless --force is given, because that may be the last good backup. Even then
// the file has to be a backup, and none that lies in the data folder.
func replaceable(file string, opts options) error {
	if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if !opts.force {
		return fmt.Errorf("%s is there already: name another file, or write over it by --force", file)
	}
	if in, err := filepath.Rel(real(dataOf(opts)), real(filepath.Dir(file))); err == nil && filepath.IsLocal(in) {
		return fmt.Errorf("%s lies in the data folder, and is not written over: name another file", file)
	}
	old, err := backup.Open(file)
	if err != nil {
		return fmt.Errorf("it is not written over: %w", err)
	}
	return old.Close()
}

// toFile refuses what is no file to write a backup to.
func toFile(c *cobra.Command, words []string) error {
	if slices.Contains(words, "-") {
		return errors.New("backup takes the file to write, not -: a backup is a file, which is checked at the end")
	}
	return takes("the file to write", 1)(c, words)
}

// dataOf is the data folder.
func dataOf(o options) string { return filepath.Clean(cmp.Or(o.Getenv("DATA"), ".data")) }

// real is the path without links, as far as it is there.
func real(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// restore fills the data folder from an archive. The folder may be a link or where a disk is mounted, so the archive is
// unpacked and checked in a hidden folder in it, whose entries are then moved. If there are others, --force moves them
// aside, to another hidden folder. None is deleted.
func restore(ctx context.Context, _ *client, opts options) error {
	data := dataOf(opts)
	made, err := backup.Open(opts.argument)
	if err != nil {
		return err
	}
	defer made.Close()
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	there, err := entries(data)
	if err != nil {
		return err
	}
	if len(there) > 0 && !opts.force {
		return fmt.Errorf("the data folder %s is not empty: set DATA to another one, or move what is in it aside "+
			"by --force", data)
	}
	lock, err := local.Lock(data)
	if err != nil {
		return fmt.Errorf("stop the platform first: %w", err)
	}
	defer lock.Close()
	unpacked := filepath.Join(data, local.Restoring)
	if err := unpackChecked(ctx, made, unpacked, opts); err != nil {
		return errors.Join(err, os.RemoveAll(unpacked))
	}
	defer os.RemoveAll(unpacked)
	aside := ""
	if len(there) > 0 {
		aside = filepath.Join(data, ".before-"+time.Now().UTC().Format("20060102T150405.000Z"))
		if err := errors.Join(os.Mkdir(aside, 0o700), move(there, data, aside)); err != nil {
			return err
		}
	}
	restored, err := entries(unpacked)
	if err = errors.Join(err, move(restored, unpacked, data)); err != nil && aside != "" {
		err = errors.Join(err, move(there, aside, data), os.Remove(aside))
	}
	if err != nil {
		return err
	}
	opts.tell(object{"data": data, "made": made.Made},
		"restored the backup of %s into %s: start the platform with DATA=%s",
		made.Made.Format(time.RFC3339), data, data)
	if aside != "" {
		opts.tell(object{"aside": aside}, "what was there before is in %s", aside)
	}
	return nil
}

// entries are the names of what is in a folder, but for what is hidden, as what was moved aside, and for the folder
// that an empty disk has.
func entries(folder string) (names []string, err error) {
	there, err := os.ReadDir(folder)
	for _, e := range there {
		if name := e.Name(); !strings.HasPrefix(name, ".") && name != "lost+found" {
			names = append(names, name)
		}
	}
	return names, err
}

// move moves entries of a folder into another one on the same disk: all, or none.
func move(names []string, from, to string) error {
	for i, name := range names {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return errors.Join(err, move(names[:i], to, from))
		}
	}
	return nil
}

// unpackChecked makes a folder of an archive, whose data file is sound and on which a platform starts.
func unpackChecked(ctx context.Context, made *backup.Archive, to string, opts options) error {
	if err := os.RemoveAll(to); err != nil { // of a restore that was cut
		return err
	}
	free, err := folder.Free(filepath.Dir(to))
	if err != nil {
		return err
	}
	if err := made.Unpack(to, free); err != nil {
		return err
	}
	if err = checkFolder(to); err == nil {
		err = local.CheckFolder(ctx, to, opts.Getenv("ENVIRONMENT"))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be restored: %w", opts.argument, err)
	}
	return nil
}

// checkData reads all of a data folder's file.
func checkData(_ context.Context, _ *client, o options) error {
	data := dataOf(o)
	if err := checkFolder(data); err != nil {
		return err
	}
	o.tell(object{"data": data, "sound": true}, "the data file in %s is sound", data)
	return nil
}

// checkFolder returns an error if a folder's data file is not there, is open elsewhere, or is damaged.
func checkFolder(data string) error {
	file := filepath.Join(data, local.DataFile)
	if is, err := os.Stat(file); err != nil {
		return err
	} else if is.Mode().IsRegular() && is.Size() == 0 {
		return fmt.Errorf("%s is empty: the data are gone", file)
	}
	if err := bolt.Check(file); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
