package backup

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzUnpack takes any file: nothing is written but regular files that a data folder has.
func FuzzUnpack(f *testing.F) {
	sound, err := os.ReadFile(packed(f, backup, whole...))
	require.NoError(f, err)
	f.Add(sound)
	f.Add(bytes.ReplaceAll(sound, []byte("files/objects/a"), []byte("../objects/../a")))
	f.Add(bytes.ReplaceAll(sound, []byte("eshop.db"), []byte("eshop.DB")))
	f.Fuzz(func(t *testing.T, file []byte) {
		folder, err := restored(t, kept(t, file))
		found := 0
		require.NoError(t, filepath.WalkDir(filepath.Dir(folder), func(path string, is fs.DirEntry, err error) error {
			if err != nil || is.IsDir() {
				return err
			}
			name, err := filepath.Rel(folder, path)
			require.NoError(t, err)
			require.True(t, known(filepath.ToSlash(name)), name)
			require.True(t, is.Type().IsRegular())
			found++
			return nil
		}))
		require.True(t, err != nil || found >= 2)
	})
}
