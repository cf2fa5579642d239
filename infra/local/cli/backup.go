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
	"time"

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
	_, err = io.Copy(f, got.Body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("the backup broke off: %w", err)
	}
	made, err := archive.Check(part)
	if err != nil {
		return err
	}
	if err := os.Rename(part, o.argument); err != nil {
		return err
	}
	o.tell(object{"file": o.argument, "files": len(made.Files), "made": made.Made},
		"%s holds %d files of %s, with the platform's keys and tokens: keep it as you keep those",
		o.argument, len(made.Files), made.Made.Format(time.RFC3339))
	return nil
}

// restore makes the data folder from an archive, which it checks first. If there is a folder already, --force moves it
// aside. No folder is deleted unless it is empty. If unpacking fails, the folder that was moved aside comes back.
func restore(_ context.Context, _ *client, o options) error {
	data := filepath.Clean(cmp.Or(o.Getenv("DATA"), ".data"))
	made, err := archive.Check(o.argument)
	if err != nil {
		return err
	}
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
	if err := unpackChecked(o.argument, checked); err != nil {
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
func unpackChecked(file, folder string) error {
	if err := os.RemoveAll(folder); err != nil { // of a restore that was cut
		return err
	}
	if err := archive.Unpack(file, folder); err != nil {
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
