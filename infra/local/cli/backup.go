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
	"time"

	"github.com/spf13/cobra"

	"eshop/infra/local"
	"eshop/infra/local/archive"
	"eshop/shared/store/bolt"
)

// backup writes an archive of the platform's data to a file. It writes to a file beside it first, checks that, and only
// then gives it its name: a backup that broke off is never taken for one. It replaces no file unless --force is given,
// because that may be the last good backup.
func backup(ctx context.Context, c *client, o options) error {
	if _, err := os.Stat(o.argument); err == nil && !o.force {
		return fmt.Errorf("%s is there already: name another file, or write over it by --force", o.argument)
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
	part := o.argument + ".partial"
	// Only the caller may read it: it holds the platform's keys and tokens.
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	size, err := io.Copy(f, got.Body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("the backup broke off: %w", err)
	}
	made, err := archive.Open(part)
	if err != nil {
		return err
	}
	err = made.Check()
	if err = errors.Join(err, made.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, o.argument); err != nil {
		return err
	}
	took := time.Since(began).Round(time.Millisecond)
	o.tell(object{"file": o.argument, "files": len(made.File), "made": made.Made, "bytes": size,
		"took": took.String()},
		"%s holds %d files of %s (%.1f MB, in %s), with the platform's keys and tokens: keep it as you keep those",
		o.argument, len(made.File), made.Made.Format(time.RFC3339), float64(size)/1e6, took)
	return nil
}

// toFile refuses what is no file to write a backup to.
func toFile(c *cobra.Command, words []string) error {
	if slices.Contains(words, "-") {
		return errors.New("backup takes the file to write, not -: a backup is a file, which is checked at the end")
	}
	return takes("the file to write", 1)(c, words)
}

// restore makes the data folder from an archive, which is unpacked and checked beside it first. If there is a folder
// already, --force moves it aside. No folder is deleted unless it is empty. If the last step fails, the folder that was
// moved aside comes back.
func restore(_ context.Context, _ *client, o options) error {
	data := filepath.Clean(cmp.Or(o.Getenv("DATA"), ".data"))
	made, err := archive.Open(o.argument)
	if err != nil {
		return err
	}
	defer made.Close()
	there, err := os.ReadDir(data)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	case len(there) > 0 && !o.force:
		return fmt.Errorf("the data folder %s is not empty: set DATA to another one, or move it aside by --force", data)
	case len(there) > 0:
		if err := idle(data); err != nil {
			return err
		}
	}
	checked := data + ".checked"
	if err := unpackChecked(made, checked); err != nil {
		return errors.Join(err, os.RemoveAll(checked))
	}
	defer os.RemoveAll(checked) // which has become the data folder, unless something failed
	aside := ""
	switch {
	case len(there) > 0:
		aside = data + ".before-" + time.Now().UTC().Format("20060102T150405Z")
		if err := os.Rename(data, aside); err != nil {
			return err
		}
	case err == nil: // it is there, and empty
		if err := os.Remove(data); err != nil {
			return err
		}
	}
	if err := os.Rename(checked, data); err != nil {
		if aside != "" {
			err = errors.Join(err, os.Rename(aside, data))
		}
		return err
	}
	o.tell(object{"data": data, "made": made.Made},
		"restored the backup of %s into %s: start the platform with DATA=%s",
		made.Made.Format(time.RFC3339), data, data)
	if aside != "" {
		o.tell(object{"aside": aside}, "what was there before is in %s", aside)
	}
	return nil
}

// unpackChecked makes a folder of an archive, whose data file is sound.
func unpackChecked(made *archive.Archive, folder string) error {
	if err := os.RemoveAll(folder); err != nil { // of a restore that was cut
		return err
	}
	if err := made.Unpack(folder); err != nil {
		return err
	}
	return checkFolder(folder)
}

// checkData reads all of a data folder's file.
func checkData(_ context.Context, _ *client, o options) error {
	data := filepath.Clean(cmp.Or(o.Getenv("DATA"), ".data"))
	if err := checkFolder(data); err != nil {
		return err
	}
	o.tell(object{"data": data, "sound": true}, "the data file in %s is sound", data)
	return nil
}

// checkFolder returns an error if a folder's data file is not there, is open elsewhere, or is damaged.
func checkFolder(data string) error {
	file := filepath.Join(data, local.DataFile)
	if _, err := os.Stat(file); err != nil {
		return err
	}
	if err := bolt.Check(file); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// idle refuses if a platform has the folder's data file open.
func idle(data string) error {
	if bolt.InUse(filepath.Join(data, local.DataFile)) {
		return fmt.Errorf("a platform runs in %s: stop it first", data)
	}
	return nil
}
