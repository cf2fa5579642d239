package file

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Write makes the file hold a text that is a secret, instead of what it held: mode 0600, and on disk when Write
// returns. After a crash or a power cut the file holds all of the text, or is as it was.
func Write(path string, text []byte) error { return write(path, text, os.Rename) }

// write brings the text to disk under a name of its own, which rename then makes that of the file.
func write(path string, text []byte, rename func(from, to string) error) error {
	f, err := os.OpenFile(path+"."+strings.ToLower(rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which fails when it was renamed
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder brings the names in a folder to disk.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
