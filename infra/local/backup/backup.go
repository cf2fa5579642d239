// Package backup makes and reads copies of the one process's data folder, each as one file: a zip, in which each file
// has a checksum, and whose directory at its end a file that was cut lacks. It holds the platform's keys and tokens:
// whoever has it has the platform.
package backup

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eshop/shared/ports/blob"
	"eshop/shared/ports/secret/file"
)

// Format is that of the data folder, and so of what lies in an archive. It rises with a change that earlier programs
// cannot read, and FormatSince is then the first release that can.
const (
	Format      = 1
	FormatSince = "2026-11-29"
)

// comment is that of an archive as a whole, by which it is known: its format, and when it was made.
const comment = "eshop backup %d %s"

// names are the files of a data folder that an archive holds, as far as they are there. The first two are there always.
// folders are the folders of which it holds all that is in them. Addresses of this run, and files that are not whole
// yet, are in neither.
var (
	names = []string{"eshop.db", "secret.key", "operator.token", "demo.token", "demo-receiver.token",
		"demo-configurator.token", "clock", "format"}
	folders = []string{"files/objects", "files/used"}
)

// known says whether an archive may hold a file of that name.
func known(name string) bool {
	return slices.Contains(names, name) || slices.ContainsFunc(folders, func(folder string) bool {
		key, is := strings.CutPrefix(name, folder+"/")
		return is && blob.Valid(key)
	})
}

// Write writes a data folder as it is at the moment at which data, the data file's copy, is made. The files are read
// before the data file. So each file that the data name is in the archive, unless it was deleted meanwhile because what
// it was for had ended.
func Write(to io.Writer, folder string, made time.Time, data func(io.Writer) error) error {
	writer := &writer{zip.NewWriter(to), made.UTC()}
	for _, name := range names[1:] {
		if err := writer.addFile(name, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	for _, whole := range folders {
		err := fs.WalkDir(os.DirFS(folder), whole, func(name string, f fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && !f.Type().IsRegular() {
				return nil // a folder that is gone was empty
			} else if err != nil {
				return err
			}
			return writer.addFile(name, filepath.Join(folder, name))
		})
		if err != nil {
			return err
		}
	}
	if err := writer.add(names[0], writer.made, data); err != nil {
		return err
	}
	err := writer.zip.SetComment(fmt.Sprintf(comment, Format, writer.made.Format(time.RFC3339)))
	return errors.Join(err, writer.zip.Close())
}

// writer writes an archive that is made at a moment.
type writer struct {
	zip  *zip.Writer
	made time.Time
}

// add adds a file that was last changed at a moment. A zip has it to the second, so it stands in the comment as well.
func (w *writer) add(name string, changed time.Time, write func(io.Writer) error) error {
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: changed,
		Comment: changed.UTC().Format(time.RFC3339Nano)})
	if err != nil {
		return err
	}
	return write(f)
}

// addFile adds a file as it is, with the moment of its last change, by which an import knows its file (package folder's
// tags). It leaves out a file that is not there.
func (w *writer) addFile(name, path string) error {
	is, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if !is.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	return w.add(name, is.ModTime(), func(to io.Writer) error { _, err := io.Copy(to, f); return err })
}

// Archive is one that was opened: what it holds is known, and not yet read.
type Archive struct {
	*zip.ReadCloser
	path string
	Made time.Time
}

// Open opens an archive. It refuses what was cut, lacks the data or the key, has a file twice or encrypted, or holds
// anything that no data folder has.
func Open(path string) (*Archive, error) {
	if is, err := os.Stat(path); err == nil && !is.Mode().IsRegular() { // in a pipe nothing may ever come
		return nil, fmt.Errorf("%s is no backup: it is no regular file", path)
	}
	z, err := zip.OpenReader(path)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%s is no backup, or was cut: %w", path, err)
	} else if err != nil {
		return nil, err
	}
	a := &Archive{ReadCloser: z, path: path}
	if err := a.look(); err != nil {
		return nil, errors.Join(err, z.Close())
	}
	return a, nil
}

// look looks at what the archive says of itself.
func (a *Archive) look() (err error) {
	var format int
	var made string
	if _, err := fmt.Sscanf(a.Comment, comment, &format, &made); err != nil || format < 1 {
		return fmt.Errorf("%s is no backup: it does not say that it is one", a.path)
	}
	if a.Made, err = time.Parse(time.RFC3339, made); err != nil {
		return fmt.Errorf("%s is no backup: %w", a.path, err)
	}
	if format > Format {
		return fmt.Errorf("%s is of format %d, and this program reads format %d: restore it by a newer one", a.path,
			format, Format)
	}
	found := map[string]bool{}
	for _, f := range a.File {
		if !known(f.Name) {
			return fmt.Errorf("%s is no backup: it holds %q", a.path, f.Name)
		}
		if found[f.Name] {
			return fmt.Errorf("%s is no backup: it holds %q twice", a.path, f.Name)
		}
		if f.Flags&1 != 0 {
			return fmt.Errorf("%s is no backup: %q is encrypted", a.path, f.Name)
		}
		if size := f.UncompressedSize64; size > file.Most && f.Name != names[0] && slices.Contains(names, f.Name) {
			return fmt.Errorf("%s is no backup: %q has %d bytes, and %d at most", a.path, f.Name, size, file.Most)
		}
		found[f.Name] = true
	}
	for _, name := range names[:2] {
		if !found[name] {
			return fmt.Errorf("%s is no backup: it lacks %s", a.path, name)
		}
	}
	return nil
}

// Check reads all of the archive; an error says what of it is damaged.
func (a *Archive) Check() error {
	for _, f := range a.File {
		if err := a.read(f, io.Discard); err != nil {
			return err
		}
	}
	return nil
}

// read reads a file of the archive into another one: no more bytes than the archive says that it has. At its end the
// checksum has to be right. It is counted here, because package zip takes a 0 for a file that has none.
func (a *Archive) read(f *zip.File, to io.Writer) error {
	from, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s is damaged: %q: %w", a.path, f.Name, err)
	}
	defer from.Close()
	sum := crc32.NewIEEE()
	if _, err = io.Copy(io.MultiWriter(to, sum), from); err == nil && sum.Sum32() != f.CRC32 {
		err = zip.ErrChecksum
	}
	if err != nil && !errors.As(err, new(*os.PathError)) { // which is the disk's
		err = fmt.Errorf("%s is damaged: %q: %w", a.path, f.Name, err)
	}
	return err
}

// Unpack makes a new folder of the archive's files, readable by its owner only, each with the moment of its last
// change. If it fails, the folder is there in part. What has more bytes than there is room for is refused before.
func (a *Archive) Unpack(folder string, room int64) error {
	left := uint64(max(room, 0))
	for _, f := range a.File {
		if f.UncompressedSize64 > left {
			return fmt.Errorf("%s does not fit on the disk, where %d bytes are free", a.path, room)
		}
		left -= f.UncompressedSize64
	}
	for _, f := range a.File {
		changed, err := time.Parse(time.RFC3339Nano, f.Comment)
		if err != nil {
			return fmt.Errorf("%s is damaged: %q: %w", a.path, f.Name, err)
		}
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		err = errors.Join(a.read(f, to), to.Sync(), to.Close(), os.Chtimes(path, time.Time{}, changed))
		if err != nil {
			return err
		}
	}
	return nil
}
