// Package archive is a copy of the one process's data folder as one file: a gzipped tar. Its last member is the
// manifest, with the length and the hash of each other one, so that a file that was cut or damaged is known before it
// is used. It holds the platform's keys and tokens: whoever has it has the platform.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Version is that of the manifest and of what lies where.
const Version = 1

// manifestName is the name of the archive's last member.
const manifestName = "manifest.json"

// maxManifest is the most bytes of a manifest: 64 MiB, enough for half a million files. It is read into memory, and a
// few bytes of a compressed archive can stand for a manifest of any length.
const maxManifest = 64 << 20

// Manifest is the last member of an archive.
type Manifest struct {
	Version int             `json:"version"`
	Made    time.Time       `json:"made"`
	Files   map[string]File `json:"files"` // by their paths in the folder, with slashes
}

// File is what the manifest says of a member.
type File struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Writer writes an archive.
type Writer struct {
	tar      *tar.Writer
	gzip     *gzip.Writer
	manifest Manifest
}

// NewWriter begins an archive that is made at a moment.
func NewWriter(w io.Writer, made time.Time) *Writer {
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is one
	return &Writer{tar: tar.NewWriter(z), gzip: z,
		manifest: Manifest{Version: Version, Made: made.UTC(), Files: map[string]File{}}}
}

// Add adds a file of so many bytes, which write writes.
func (w *Writer) Add(name string, size int64, write func(io.Writer) error) error {
	return w.add(name, size, w.manifest.Made, write)
}

// add adds a file that was last changed at a moment, which is kept to the nanosecond.
func (w *Writer) add(name string, size int64, changed time.Time, write func(io.Writer) error) error {
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: changed,
		Format: tar.FormatPAX}); err != nil {
		return err
	}
	hash := sha256.New()
	if err := write(io.MultiWriter(w.tar, hash)); err != nil {
		return err
	}
	w.manifest.Files[name] = File{Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}
	return w.tar.Flush() // an error of a member that is too short
}

// AddFile adds a file as it is, with the moment of its last change, by which an import knows its file (package folder's
// tags). It leaves out a file that is gone meanwhile.
func (w *Writer) AddFile(name, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil {
		return err
	}
	return w.add(name, is.Size(), is.ModTime(),
		func(to io.Writer) error { _, err := io.CopyN(to, f, is.Size()); return err })
}

// Close ends the archive with its manifest.
func (w *Writer) Close() error {
	text, err := json.Marshal(w.manifest)
	if err != nil {
		return err
	}
	if len(text) > maxManifest {
		return fmt.Errorf("the manifest would be larger than the %d MiB that it may be", maxManifest>>20)
	}
	if err := w.tar.WriteHeader(&tar.Header{Name: manifestName, Size: int64(len(text)), Mode: 0o600,
		ModTime: w.manifest.Made}); err != nil {
		return err
	}
	if _, err := w.tar.Write(text); err != nil {
		return err
	}
	return errors.Join(w.tar.Close(), w.gzip.Close())
}

// Check reads a whole archive; an error says why it is none, or not whole.
func Check(path string) (Manifest, error) {
	return read(path, func(*tar.Header, io.Reader) error { return nil })
}

// Unpack writes the files of an archive into a new folder, readable by its owner only, each with the moment of its last
// change. The folder appears when all files are written and match the manifest; otherwise it does not.
func Unpack(path, folder string) error {
	making := folder + ".restoring"
	if err := os.RemoveAll(making); err != nil {
		return err
	}
	defer os.RemoveAll(making)
	if err := os.MkdirAll(making, 0o700); err != nil {
		return err
	}
	_, err := read(path, func(h *tar.Header, r io.Reader) error {
		to := filepath.Join(making, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Sync(), f.Close(), os.Chtimes(to, time.Time{}, h.ModTime))
	})
	if err != nil {
		return err
	}
	return os.Rename(making, folder)
}

// sparse says whether a member has holes: a few bytes of an archive can make such a file of any size. No backup has
// one.
func sparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// read hands each file of an archive to take, and at the end holds all of them against the manifest: an archive that
// was cut, changed, or has a file too many is refused.
func read(path string, take func(h *tar.Header, r io.Reader) error) (m Manifest, err error) {
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return m, fmt.Errorf("%s is no backup: %w", path, err)
	}
	found := map[string]File{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err != nil {
			return m, fmt.Errorf("%s is damaged or was cut: %w", path, err)
		}
		if h.Name == manifestName {
			if h.Size > maxManifest {
				return m, fmt.Errorf("%s is no backup: its manifest is larger than %d MiB", path, maxManifest>>20)
			}
			if err := json.NewDecoder(t).Decode(&m); err != nil {
				return m, fmt.Errorf("%s is damaged: %w", path, err)
			}
			if _, err := io.Copy(io.Discard, z); err != nil { // the sum of all of it is at its very end
				return m, fmt.Errorf("%s is damaged or was cut: %w", path, err)
			}
			break
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(filepath.FromSlash(h.Name)) || sparse(h) {
			return m, fmt.Errorf("%s is no backup: it holds %q", path, h.Name)
		}
		hash := sha256.New()
		whole := io.TeeReader(t, hash)
		if err := take(h, whole); err != nil {
			return m, err
		}
		if _, err := io.Copy(io.Discard, whole); err != nil {
			return m, fmt.Errorf("%s is damaged or was cut: %w", path, err)
		}
		found[h.Name] = File{Size: h.Size, SHA256: hex.EncodeToString(hash.Sum(nil))}
	}
	if m.Version != Version {
		return m, fmt.Errorf("%s is of version %d, and this program reads version %d", path, m.Version, Version)
	}
	if len(found) != len(m.Files) {
		return m, fmt.Errorf("%s is damaged: it holds %d files, and says %d", path, len(found), len(m.Files))
	}
	for name, want := range m.Files {
		if found[name] != want {
			return m, fmt.Errorf("%s is damaged: %q is not as it was", path, name)
		}
	}
	return m, nil
}
