package file

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/secret/secrettest"
)

func TestKeysKeepTheirPromises(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	secrettest.Run(t, func(t *testing.T) secret.Keys { return open(t, path) })
}

func open(t *testing.T, path string) *Keys {
	t.Helper()
	k, err := Open(path)
	require.NoError(t, err)
	return k
}

func TestTheFileIsItsOwnersAlone(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "secret.key")
	open(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	all, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, all, 1, "nothing is left beside it")
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o660, 0o601} {
		require.NoError(t, os.Chmod(path, mode))
		_, err = Open(path)
		require.ErrorContains(t, err, "is open to others")
	}
	require.NoError(t, os.Chmod(path, 0o400))
	open(t, path)
}

func TestAFileIsWrittenWholeOrStaysAsItWas(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.token")
	require.NoError(t, os.WriteFile(path, []byte("open to others, and longer than what comes"), 0o644))
	for _, text := range []string{"a secret\n", "", "another secret\n"} {
		require.NoError(t, Write(path, []byte(text)))
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(kept))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "b.token"), 0o700))
	require.Error(t, Write(filepath.Join(folder, "b.token"), []byte("x")))
	require.Error(t, Write(filepath.Join(folder, "none", "c.token"), []byte("x")))
	all, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, all, 2, "nothing is left beside them")
}

func TestNoFileIsReadThatMayNeverEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.token")
	require.NoError(t, os.WriteFile(path, make([]byte, 4<<10), 0o600))
	text, err := Read(path)
	require.NoError(t, err)
	require.Len(t, text, 4<<10)
	require.NoError(t, os.Truncate(path, 4<<10+1))
	for _, path := range []string{path, os.DevNull, filepath.Dir(path)} {
		_, err = Read(path)
		require.ErrorContains(t, err, path+" is no regular file of at most 4096 bytes")
	}
	_, err = Read(path + "s")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Symlink(path+"s", path+"-link"))
	_, err = Read(path + "-link")
	require.EqualError(t, err, path+"-link is a link to nothing")
}

func TestOneOfManyStartersMakesTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	keys := make([]*Keys, 16)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() { keys[i], _ = Open(path) })
	}
	wg.Wait()
	sealed, err := keys[0].Seal(context.Background(), "n", []byte("x"))
	require.NoError(t, err)
	for _, k := range keys {
		_, err := k.Open(context.Background(), "n", sealed)
		require.NoError(t, err)
	}
}

func TestAnotherFilesKeyOpensNothing(t *testing.T) {
	folder := t.TempDir()
	sealed, err := open(t, filepath.Join(folder, "a")).Seal(context.Background(), "n", []byte("x"))
	require.NoError(t, err)
	_, err = open(t, filepath.Join(folder, "b")).Open(context.Background(), "n", sealed)
	require.ErrorIs(t, err, secret.ErrForged)
}

func TestWhatIsNoKeyFileIsRefusedAndKept(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "secret.key")
	key := "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	for _, content := range []string{"", "x", key[2:], key + "00", key + "\n\n", " " + key, "zz" + key[2:]} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := Open(path)
		require.ErrorContains(t, err, "does not hold a key", "%q", content)
		if len(content) > 8 {
			require.NotContains(t, err.Error(), content[4:])
		}
		kept, _ := os.ReadFile(path)
		require.Equal(t, content, string(kept))
	}
	_, err := Open(folder)
	require.ErrorContains(t, err, "is not a file")
	_, err = Open(filepath.Join(folder, "no", "such", "folder"))
	require.ErrorContains(t, err, "cannot be made")
	require.NoError(t, os.WriteFile(path, []byte(key), 0o600))
	open(t, path)
}
