package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzUnpack takes what a gzip holds, or the whole of a file: nothing is written but regular files in the new folder,
// which is there only when all of the archive is right.
func FuzzUnpack(f *testing.F) {
	var whole bytes.Buffer
	w := NewWriter(&whole, time.Unix(1_795_000_000, 0))
	for _, name := range []string{"eshop.db", "files/objects/a"} {
		require.NoError(f, w.Add(name, 4, func(to io.Writer) error { _, err := to.Write([]byte("data")); return err }))
	}
	require.NoError(f, w.Close())
	z, err := gzip.NewReader(bytes.NewReader(whole.Bytes()))
	require.NoError(f, err)
	members, err := io.ReadAll(z)
	require.NoError(f, err)
	f.Add(whole.Bytes(), false)
	f.Add(members, true)
	f.Add(bytes.Replace(members, []byte("files/objects/a"), []byte("../objects/../a"), 1), true)
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeDir, tar.TypeXHeader, tar.TypeGNUSparse} {
		other := bytes.Clone(members)
		other[156] = kind
		f.Add(other, true)
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte, zipped bool) {
		if zipped {
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
			_, _ = z.Write(file)
			require.NoError(t, z.Close())
			file = b.Bytes()
		}
		at, err := os.MkdirTemp(folder, "")
		require.NoError(t, err)
		defer os.RemoveAll(at)
		path, to := filepath.Join(at, "archive"), filepath.Join(at, "data")
		require.NoError(t, os.WriteFile(path, file, 0o600))
		m, err := Check(path)
		unpacked := Unpack(path, to)
		require.Equal(t, err == nil, unpacked == nil, "checked: %v, unpacked: %v", err, unpacked)
		found := 0
		require.NoError(t, filepath.WalkDir(at, func(p string, is fs.DirEntry, err error) error {
			switch {
			case err != nil || is.IsDir() || p == path:
				return err
			case unpacked != nil:
				t.Fatal(p, "is left of an archive that was refused:", unpacked)
			}
			name, err := filepath.Rel(to, p)
			require.NoError(t, err)
			require.Contains(t, m.Files, filepath.ToSlash(name))
			require.True(t, is.Type().IsRegular())
			found++
			return nil
		}))
		if unpacked == nil {
			require.Len(t, m.Files, found)
		}
	})
}
