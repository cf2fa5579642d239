package bolt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

func TestCheckFindsPagesThatDoNotFitTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	d, err := Open(path, Options{Log: quiet})
	require.NoError(t, err)
	for _, key := range strings.Split("abcdefghij", "") {
		_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{
			Key: store.Key{PK: key, SK: "A"}, Doc: []byte(strings.Repeat(key, 3000))}))
		require.NoError(t, err)
	}
	require.EqualError(t, Check(path), "another process has it open")
	require.NoError(t, d.Close())
	require.NoError(t, Check(path))

	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	page, refused := os.Getpagesize(), 0
	for at := 2 * page; at < 32*page; at += page {
		if count := sound[at+10]; sound[at+8] == 0x02 && count > 0 { // a leaf with elements
			spoilt := append([]byte(nil), sound...)
			spoilt[at+8] = 0x40 // of no kind that there is
			require.NoError(t, os.WriteFile(path, spoilt, 0o600))
			if err := Check(path); err != nil { // else the page is free
				require.ErrorIs(t, err, ErrDamaged)
				refused++
			}
		}
	}
	for at := 2; at < 20; at++ { // where the first element of a page says that its key and value are
		spoilt := append([]byte(nil), sound[:32*page]...)
		copy(spoilt[at*page+16:], "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f")
		require.NoError(t, os.WriteFile(path, spoilt, 0o600))
		if err := Check(path); err != nil {
			require.ErrorIs(t, err, ErrDamaged)
		}
	}
	require.GreaterOrEqual(t, refused, 5, "ten items of 3,000 bytes lie on more pages than that")
	require.NoError(t, os.WriteFile(path, sound[:page], 0o600))
	require.Error(t, Check(path), "cut after its first page")
}

// TestNoDamagedPageHangsACheckOrAStart spoils each page of a file that was not closed well: bbolt looks for its free
// pages by following all others.
func TestNoDamagedPageHangsACheckOrAStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	d, err := Open(path, Options{Log: quiet})
	require.NoError(t, err)
	for _, key := range strings.Split("abcdefghijklmnopqrst", "") {
		_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{
			Key: store.Key{PK: key, SK: "A"}, Doc: []byte(strings.Repeat(key, 1000))}))
		require.NoError(t, err)
	}
	killed, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	closed, err := os.ReadFile(path)
	require.NoError(t, err)

	size := os.Getpagesize()
	long := func(n int) []byte { return le.AppendUint64(nil, uint64(n)) }
	for _, file := range [][]byte{killed, closed} {
		refused := map[string]int{}
		for page := 2; page < 40; page++ {
			at := page * size
			if kind := le.Uint16(file[at+8:]); kind == 0 || le.Uint16(file[at+10:]) == 0 {
				continue // it was never written, or is empty
			}
			for what, spoil := range map[string]func(b []byte){
				"another page's number":  func(b []byte) { copy(b, long(page+1)) },
				"another kind":           func(b []byte) { b[8] ^= branchPage | leafPage },
				"no kind":                func(b []byte) { b[8] = 0x40 },
				"more elements":          func(b []byte) { b[11] = 0x70 },
				"as many as can be":      func(b []byte) { b[10], b[11] = 0xff, 0xff },
				"longer":                 func(b []byte) { b[12] = 2 },
				"longer than the file":   func(b []byte) { b[15] = 0x70 },
				"a circle":               func(b []byte) { copy(b[pageHead+8:], long(page)) },
				"a page that is another": func(b []byte) { copy(b[pageHead+8:][:8], b[pageHead+element+8:]) },
				"a page out of the file": func(b []byte) { copy(b[pageHead+8:], long(1<<40)) },
				"a key out of the page":  func(b []byte) { copy(b[pageHead+6:], "\xff\x7f\xff\xff\xff\x7f") },
				"nothing":                func(b []byte) { clear(b[:size]) },
			} {
				spoilt := bytes.Clone(file)
				spoil(spoilt[at:])
				path := fmt.Sprint(path, page, what) // bbolt keeps a file locked that it could not open
				require.NoError(t, os.WriteFile(path, spoilt, 0o600))
				if err := Check(path); err != nil { // else the page is free
					require.ErrorIs(t, err, ErrDamaged)
					refused[what]++
				}
				if &file[0] == &killed[0] {
					if d, err := Open(path, Options{Log: quiet, Disk: func(int) error { return nil }}); err == nil {
						require.NoError(t, d.Close())
					} else {
						require.ErrorIs(t, err, ErrDamaged)
					}
				}
				require.NoError(t, os.Remove(path))
			}
		}
		require.Len(t, refused, 12, refused)
	}
}
