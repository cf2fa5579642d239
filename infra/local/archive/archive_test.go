package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
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
