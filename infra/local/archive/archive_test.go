package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatIsAddedIsUnpackedForItsOwnerOnly(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, time.Unix(1_795_000_000, 0))
	source := filepath.Join(t.TempDir(), "source")
	require.NoError(t, os.WriteFile(source, []byte("file"), 0o644))
	require.NoError(t, w.AddFile("files/objects/a", source))
	require.NoError(t, w.AddFile("gone", source+"-gone"))
	require.NoError(t, w.Add("data", 4, func(to io.Writer) error { _, err := to.Write([]byte("data")); return err }))
	require.NoError(t, w.Close())
	path, folder := filepath.Join(t.TempDir(), "archive"), filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	require.NoError(t, Unpack(path, folder))
	for name, want := range map[string]string{"files/objects/a": "file", "data": "data"} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		is, err := os.Stat(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), is.Mode().Perm())
	}
	is, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), is.Mode().Perm())
	require.NoFileExists(t, filepath.Join(folder, "manifest.json"))
}

// TestAFileKeepsTheMomentOfItsLastChange, by which an import that was under way at the backup knows its file.
func TestAFileKeepsTheMomentOfItsLastChange(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	source, path, folder := at("source"), at("archive"), at("data")
	changed := time.Unix(1_795_000_000, 123_456_789)
	require.NoError(t, os.WriteFile(source, []byte("file"), 0o600))
	require.NoError(t, os.Chtimes(source, time.Time{}, changed))
	f, err := os.Create(path)
	require.NoError(t, err)
	w := NewWriter(f, time.Now())
	require.NoError(t, w.AddFile("file", source))
	require.NoError(t, errors.Join(w.Close(), f.Close()))
	require.NoError(t, Unpack(path, folder))
	is, err := os.Stat(filepath.Join(folder, "file"))
	require.NoError(t, err)
	require.True(t, changed.Equal(is.ModTime()), is.ModTime())
}

func TestAMemberOfAnotherLengthBreaksTheArchive(t *testing.T) {
	for _, text := range []string{"dat", "data!"} {
		w := NewWriter(io.Discard, time.Unix(1_795_000_000, 0))
		require.Error(t, w.Add("data", 4, func(to io.Writer) error {
			_, err := io.WriteString(to, text)
			return err
		}), text)
	}
}

func TestNothingIsWrittenOutsideTheFolder(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"above":         {Name: "../outside", Typeflag: tar.TypeReg},
		"absolute":      {Name: "/tmp/outside", Typeflag: tar.TypeReg},
		"within, above": {Name: "files/../../outside", Typeflag: tar.TypeReg},
		"a link":        {Name: "files", Typeflag: tar.TypeSymlink, Linkname: "/tmp"},
		"a hard link":   {Name: "files", Typeflag: tar.TypeLink, Linkname: "/etc/hosts"},
		"a pipe":        {Name: "files", Typeflag: tar.TypeFifo},
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		require.NoError(t, w.WriteHeader(&h))
		require.NoError(t, w.Close())
		require.NoError(t, z.Close())
		path, folder := filepath.Join(t.TempDir(), "archive"), filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		require.ErrorContains(t, Unpack(path, folder), "is no backup", name)
		require.NoDirExists(t, folder)
	}
}

func TestAnArchiveOfAnotherVersionIsRefused(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, time.Unix(1_795_000_000, 0))
	w.manifest.Version = 2
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	_, err := Check(path)
	require.ErrorContains(t, err, "version 2")
	require.True(t, strings.HasPrefix(err.Error(), path))
}

// TestAMemberWithHolesIsRefused: a few hundred bytes would be read, and written, as one TiB.
func TestAMemberWithHolesIsRefused(t *testing.T) {
	record := func(name, value string) string { // of pax's extended header: its length, itself counted, and the rest
		rest := " " + name + "=" + value + "\n"
		n := len(rest)
		for n != len(rest)+len(strconv.Itoa(n)) {
			n = len(rest) + len(strconv.Itoa(n))
		}
		return strconv.Itoa(n) + rest
	}
	records := record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") +
		record("GNU.sparse.name", "large") + record("GNU.sparse.realsize", strconv.Itoa(1<<40))
	holes := "0\n" + strings.Repeat("\x00", 510) // a map of no pieces of data
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, block := range []struct {
		kind byte
		text string
	}{{tar.TypeXHeader, records}, {tar.TypeReg, holes}} {
		head := make([]byte, 512)
		copy(head, "large")
		copy(head[124:], fmt.Sprintf("%011o\x00", len(block.text)))
		copy(head[148:], "        ") // the sum is made with spaces in its place
		head[156] = block.kind
		copy(head[257:], "ustar\x0000")
		sum := 0
		for _, c := range head {
			sum += int(c)
		}
		copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
		z.Write(append(head, block.text...))
		z.Write(make([]byte, -len(block.text)&511))
	}
	z.Write(make([]byte, 1024))
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	_, err := read(path, func(*tar.Header, io.Reader) error { return errors.New("it was read") })
	require.ErrorContains(t, err, `is no backup: it holds "large"`)
}

// TestAManifestThatIsTooLongIsRefusedUnread: a few kilobytes would be read into memory as one text of any length.
func TestAManifestThatIsTooLongIsRefusedUnread(t *testing.T) {
	packed := func(size int64) string {
		path := filepath.Join(t.TempDir(), "archive")
		f, err := os.Create(path)
		require.NoError(t, err)
		z := gzip.NewWriter(f)
		w := tar.NewWriter(z)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "manifest.json", Size: size, Mode: 0o600}))
		_, err = io.WriteString(w, `{"version":1,"files":{}}`+strings.Repeat(" ", int(size)-24))
		require.NoError(t, err)
		require.NoError(t, errors.Join(w.Close(), z.Close(), f.Close()))
		return path
	}
	_, err := Check(packed(64 << 20))
	require.NoError(t, err)
	_, err = Check(packed(64<<20 + 1))
	require.ErrorContains(t, err, "is no backup: its manifest is larger than 64 MiB")
}
