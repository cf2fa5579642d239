package backup

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// member is a file of an archive that is made by hand.
type member struct{ name, text string }

// whole are the members of an archive as small as can be.
var whole = []member{{"secret.key", "key"}, {"files/objects/a/b.jpg", "picture"}, {"eshop.db", "data"}}

// packed is a file with an archive of these members that says of itself what it is told to say.
func packed(t testing.TB, says string, members ...member) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		f, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Comment: "2026-11-30T08:00:00Z"})
		require.NoError(t, err)
		if !strings.HasSuffix(m.name, "/") {
			_, err = io.WriteString(f, m.text)
			require.NoError(t, err)
		}
	}
	require.NoError(t, errors.Join(z.SetComment(says), z.Close()))
	return kept(t, b.Bytes())
}

func kept(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

const backup = "eshop backup 1 2026-11-30T08:00:00Z"

// restored is the folder that the archive at a path makes.
func restored(t testing.TB, path string) (folder string, err error) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "data")
	a, err := Open(path)
	if err != nil {
		return folder, err
	}
	defer a.Close()
	checked := a.Check()
	err = a.Unpack(folder, 1<<20)
	require.False(t, checked != nil && err == nil, "checked: %v", checked)
	return folder, err
}

// TestWhatIsAddedIsUnpackedForItsOwnerOnly, with the moments of last changes, by which an import that was under way at
// the backup knows its file.
func TestWhatIsAddedIsUnpackedForItsOwnerOnly(t *testing.T) {
	var b bytes.Buffer
	made := time.Unix(1_795_000_000, 0)
	source, changed := t.TempDir(), time.Unix(1_795_000_000, 123_456_789)
	require.NoError(t, os.MkdirAll(filepath.Join(source, "files", "objects"), 0o755))
	for _, name := range []string{"secret.key", "files/objects/a", "run.json"} { // and no clock, no files/used
		require.NoError(t, os.WriteFile(filepath.Join(source, name), []byte("file"), 0o644))
		require.NoError(t, os.Chtimes(filepath.Join(source, name), time.Time{}, changed))
	}
	data := func(to io.Writer) error { _, err := io.WriteString(to, "data"); return err }
	require.NoError(t, Write(&b, source, made, data))
	path := kept(t, b.Bytes())
	a, err := Open(path)
	require.NoError(t, err)
	require.True(t, made.Equal(a.Made))
	require.NoError(t, a.Close())
	folder, err := restored(t, path)
	require.NoError(t, err)
	for name, want := range map[string]string{"files/objects/a": "file", "secret.key": "file", "eshop.db": "data"} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		is, err := os.Stat(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), is.Mode().Perm())
		require.True(t, name == "eshop.db" || changed.Equal(is.ModTime()), is.ModTime())
	}
	is, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), is.Mode().Perm())
	require.NoFileExists(t, filepath.Join(folder, "run.json"))
	require.NoError(t, os.Mkdir(filepath.Join(source, "clock"), 0o755))
	require.ErrorContains(t, Write(&b, source, made, data), "no regular file")
}

// TestOnlyWhatADataFolderHasIsTaken: nothing is written outside it, none of its files is missing, and none is there
// twice or by another spelling.
func TestOnlyWhatADataFolderHasIsTaken(t *testing.T) {
	_, err := restored(t, packed(t, backup, whole...))
	require.NoError(t, err)
	for _, name := range []string{"../outside", "/tmp/outside", "files/../../outside", `..\outside`, "files", "files/",
		"files/./objects/a", "files//objects/a", "files/objects/", "files/objects//a", "files/objects/../a",
		"files/objects/a/./b", "files/objects/a\x00", "files/unfinished/a", "FILES/objects/a", "Eshop.db", "run.json",
		"con", "a\nb", "secret.key ", "secret.key", "eshop.db.seeding", ".restoring/a", ""} {
		_, err := restored(t, packed(t, backup, append([]member{{name, "x"}}, whole...)...))
		require.ErrorContains(t, err, "is no backup: it holds", "%q", name)
	}
	_, err = restored(t, packed(t, backup, append([]member{{"files/objects/a", "b.jpg lies in a folder of this name"}},
		whole...)...))
	require.Error(t, err)
	for i, name := range []string{"secret.key", "", "eshop.db"} {
		if name != "" {
			_, err := restored(t, packed(t, backup, append(append([]member{}, whole[:i]...), whole[i+1:]...)...))
			require.ErrorContains(t, err, "is no backup: it lacks "+name)
		}
	}
}

func TestAnotherFileIsRefused(t *testing.T) {
	for says, why := range map[string]string{
		"": "does not say that it is one", "a holiday": "does not say that it is one", "eshop backup 1 today": "today",
		"eshop backup 0 2026-11-30T08:00:00Z":  "does not say that it is one",
		"eshop backup -1 2026-11-30T08:00:00Z": "does not say that it is one",
		"eshop backup 2 2026-11-30T08:00:00Z":  "is of format 2, and this program reads format 1"} {
		path := packed(t, says, whole...)
		_, err := Open(path)
		require.ErrorContains(t, err, why)
		require.True(t, strings.HasPrefix(err.Error(), path))
	}
	sound, err := os.ReadFile(packed(t, backup, whole...))
	require.NoError(t, err)
	for at := range sound { // cut anywhere
		_, err := restored(t, kept(t, sound[:at]))
		require.Error(t, err, at)
	}
	at := bytes.Index(sound, []byte("picture"))
	_, err = restored(t, kept(t, append(append(append([]byte{}, sound[:at]...), 'P'), sound[at+1:]...)))
	require.ErrorContains(t, err, `is damaged: "files/objects/a/b.jpg": zip: checksum error`)
	_, err = Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, path := range []string{os.DevNull, t.TempDir()} {
		_, err = Open(path)
		require.EqualError(t, err, path+" is no backup: it is no regular file")
	}
}

// TestNoMoreIsUnpackedThanThereIsRoomFor, and of small files no more than is read of them.
func TestNoMoreIsUnpackedThanThereIsRoomFor(t *testing.T) {
	for _, name := range names[1:] {
		members := append([]member{{name, strings.Repeat("x", 4<<10+1)}}, whole[1:]...)
		if name != "secret.key" {
			members = append(members, whole[0])
		}
		_, err := Open(packed(t, backup, members...))
		require.ErrorContains(t, err, "is no backup: \""+name+"\" has 4097 bytes, and 4096 at most")
		members[0].text = members[0].text[1:]
		_, err = restored(t, packed(t, backup, members...))
		require.NoError(t, err)
	}
	a, err := Open(packed(t, backup, whole...))
	require.NoError(t, err)
	defer a.Close()
	folder, size := filepath.Join(t.TempDir(), "data"), int64(len("key"+"picture"+"data"))
	require.ErrorContains(t, a.Unpack(folder, size-1), "does not fit on the disk, where 13 bytes are free")
	require.NoDirExists(t, folder)
	a.File[1].UncompressedSize64 = 1<<64 - 1
	require.ErrorContains(t, a.Unpack(folder, size), "does not fit")
	a.File[1].UncompressedSize64 = 7
	require.NoError(t, a.Unpack(folder, size))
}

// TestEachFileHasAChecksumAndIsReadable: package zip takes a 0 for a file without one, and no notice of encryption.
func TestEachFileHasAChecksumAndIsReadable(t *testing.T) {
	for why, spoil := range map[string]func(*zip.FileHeader){
		"checksum error":            func(f *zip.FileHeader) { f.CRC32 = 0 },
		`"secret.key" is encrypted`: func(f *zip.FileHeader) { f.Flags = 1 },
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, m := range whole {
			f := &zip.FileHeader{Name: m.name, Comment: "2026-11-30T08:00:00Z",
				CRC32: crc32.ChecksumIEEE([]byte(m.text)), CompressedSize64: uint64(len(m.text)),
				UncompressedSize64: uint64(len(m.text))}
			if m.name == "secret.key" {
				spoil(f)
			}
			to, err := z.CreateRaw(f)
			require.NoError(t, err)
			_, err = io.WriteString(to, m.text)
			require.NoError(t, err)
		}
		require.NoError(t, errors.Join(z.SetComment(backup), z.Close()))
		_, err := restored(t, kept(t, b.Bytes()))
		require.ErrorContains(t, err, why)
	}
}
