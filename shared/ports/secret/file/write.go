package file

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Most is how many bytes Read reads at most.
const Most = 4 << 10

// Read reads a file as Write writes it. It refuses what is no regular file, as a pipe in which nothing comes or a
// device that never ends, a file of more than 4 KiB, and a link to nothing, because that is no missing file.
func Read(path string) ([]byte, error) {
	is, err := os.Stat(path)
	if _, link := os.Lstat(path); errors.Is(err, os.ErrNotExist) && link == nil {
		return nil, fmt.Errorf("%s is a link to nothing", path)
	} else if err != nil {
		return nil, err
	}
	if !is.Mode().IsRegular() || is.Size() > Most {
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", path, Most)
	}
	return os.ReadFile(path)
}

// Write makes the file hold a text that is a secret, instead of what it held: mode 0600, and on disk when Write
// returns. After a crash or a power cut the file holds all of the text, or is as it was.
func Write(path string, text []byte) error { return write(path, text, os.Rename) }

// write brings the text to disk under a name of its own, which rename then makes that of the file.
func write(path string, text []byte, rename func(from, to string) error) error {
	file, err := os.OpenFile(path+"."+strings.ToLower(rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // which fails when it was renamed
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := rename(file.Name(), path); err != nil {
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
