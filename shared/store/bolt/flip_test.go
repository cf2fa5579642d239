package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/store"
)

// shelf has items of every kind: small ones, one of many pages, in both indexes, with numbers, and such that expire.
func shelf(n int) store.Item {
	i := store.Item{Key: store.Key{PK: fmt.Sprint("p", n%7), SK: fmt.Sprintf("s%04d", n)},
		Version: fmt.Sprintf("01JABCDEFGHJKMNPQRSTVW%04d", n),
		Doc:     []byte(strings.Repeat(fmt.Sprint("{", n, "}"), n%90))}
	if n%3 == 0 {
		i.Index1 = store.Key{PK: fmt.Sprint("i", n%2), SK: fmt.Sprintf("%04d", 1000-n)}
		i.Parts = n % 5
	}
	if n%4 == 0 {
		i.Index2, i.Expires = store.Key{PK: "j", SK: fmt.Sprint(n)}, 4_000_000_000
	}
	if n%5 == 0 {
		i.Num, i.Text = map[string]int64{"n": int64(n)}, map[string]string{"t": fmt.Sprint(n)}
	}
	if n == 97 {
		i.Doc = []byte(strings.Repeat("0123456789", 1500))
	}
	return i
}

const shelves = 100

// shelved fills a file of two tables, and deletes and changes some of it, so that it has pages that are free.
// It returns a copy of the file as a kill would leave it.
func shelved(t testing.TB, path string) (killed string) {
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet, Disk: free})
	require.NoError(t, err)
	for n := range 2 * shelves {
		table := d.Table([]string{"main", "pipeline"}[n%2])
		_, err := table.Write(t.Context(), nthChange(n), store.Put(shelf(n/2)))
		require.NoError(t, err)
		if n%11 == 0 {
			_, err := table.Write(t.Context(), nthChange(n), store.Delete(shelf(n/4).Key))
			require.NoError(t, err)
		}
	}
	killed = copied(t, path)
	require.NoError(t, d.Close())
	return killed
}

func free(int) error { return nil }

// answers is a hash of all that the file says, or the first error.
func answers(path string) (all uint64, err error) {
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet, Disk: free})
	if err != nil {
		return 0, err
	}
	defer func() { _ = d.Close() }()
	h := fnv.New64a()
	says := func(i *store.Item) {
		fmt.Fprint(h, i.Key, i.Version, len(i.Doc), i.Text, i.Num, i.Index1, i.Index2, i.Parts, i.Expires)
		_, _ = h.Write(i.Doc)
	}
	for _, table := range []*Table{d.Table("main"), d.Table("pipeline")} {
		for n := range shelves {
			items, err := table.Get(context.Background(), shelf(n).Key)
			if err != nil {
				return 0, err
			}
			if items[0] != nil {
				says(items[0])
			}
		}
		for n := range 9 * 2 {
			q := []store.Query{{PK: fmt.Sprint("p", n/2)}, {Index: store.Index1, PK: "i0"},
				{Index: store.Index2, PK: "j"}}[max(0, n/2-6)]
			q.Descending = n%2 == 0
			for page, err := range store.Pages(context.Background(), table, q) {
				if err != nil {
					return 0, err
				}
				for i := range page.Items {
					says(&page.Items[i])
				}
			}
		}
	}
	for last := uint64(0); ; {
		batch, next, err := d.Feed("main").feed.read(last, 100)
		if err != nil || len(batch) == 0 {
			return h.Sum64(), err
		}
		fmt.Fprint(h, batch)
		last = next
	}
}

// used is the file without the room behind its last page.
func used(t testing.TB, path string) []byte {
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	pages := max(native.Uint64(whole[pageHeader+40:]), native.Uint64(whole[os.Getpagesize()+pageHeader+40:]))
	return whole[:int(pages)*os.Getpagesize()]
}

// flips are bits of each page: of its header, of where its elements are, and of the rest.
func flips(pages, size int, try func(at, bit int)) {
	random := rand.New(rand.NewPCG(1, 2))
	for page := range pages {
		for n := range 12 {
			within := []int{pageHeader, 16 * elementBytes, size}[n%3]
			try(page*size+random.IntN(within), random.IntN(8))
		}
	}
}

func TestAFileOfWhichOneBitIsAnotherIsRefusedOrAnswersAsBefore(t *testing.T) {
	path, flipped := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "flipped")
	killed := shelved(t, path)
	for name, whole := range map[string][]byte{"closed": used(t, path), "killed": used(t, killed)} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(flipped, whole, 0o600))
			want, err := answers(flipped)
			require.NoError(t, err)
			refused := map[int]bool{}
			flips(len(whole)/os.Getpagesize(), os.Getpagesize(), func(at, bit int) {
				other := bytes.Clone(whole)
				other[at] ^= 1 << bit
				require.NoError(t, os.WriteFile(flipped, other, 0o600))
				switch got, err := answers(flipped); {
				case err == nil:
					require.Equal(t, want, got, "bit %d of byte %d of page %d", bit, at%os.Getpagesize(),
						at/os.Getpagesize())
				default:
					require.ErrorIs(t, err, ErrDamaged)
					refused[at/os.Getpagesize()] = true
				}
			})
			require.Greater(t, len(refused), 30, "the pages that are in use")
		})
	}
}

// unsummed takes the sums from a file, as releases up to November 2026 wrote it.
func unsummed(t *testing.T, path string) {
	file, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, file.Update(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			rows := map[string][]byte{}
			_ = b.ForEach(func(k, v []byte) error { rows[string(k)] = bytes.Clone(v); return nil })
			for k, v := range rows {
				switch at, _ := sumOf(v); {
				case holds(name, itemsOf):
					v[0] &^= hasSum
					v[at-3]-- // how many texts there are
					v = append(v[:at-2], v[at+sumBytes:]...)
				case holds(name, feedOf):
					v = append(v[:len(v)-fieldBytes], '}')
				default:
					v = v[:len(v)-sumBytes]
				}
				require.NoError(t, b.Put([]byte(k), v))
			}
			return nil
		})
	}))
	require.NoError(t, file.Close())
}

func TestRowsWithoutSumsAreReadAndGetThemWhenTheyAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	shelved(t, path)
	want, err := answers(path)
	require.NoError(t, err)
	unsummed(t, path)
	got, err := answers(path)
	require.NoError(t, err)
	require.Equal(t, want, got)

	d := opened(t, path)
	_, err = d.Table("main").Write(t.Context(), events.Nothing, store.Put(shelf(3)), store.Put(shelf(6)))
	require.NoError(t, err)
	require.NoError(t, d.file.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("main/items"))
		for n, summed := range map[int]bool{2: false, 3: true, 6: true} {
			key := appendKey(nil, shelf(n).Key)
			require.Equal(t, summed, sealed([]byte("main/items"), key, b.Get(key)))
		}
		return nil
	}))
}

// TestAPageThatIsDamagedWhileItIsReadEndsNoProcess: what leads out of memory is an error of who reads it.
func TestAPageThatIsDamagedWhileItIsReadEndsNoProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	shelved(t, path)
	d := opened(t, path)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	sound := used(t, path)
	for page := 2; page < len(sound)/os.Getpagesize(); page++ {
		beyond := bytes.Repeat([]byte{0xff, 0xff, 0xff, 0x7f}, 60) // where keys are, and how long
		_, err := file.WriteAt(beyond, int64(page*os.Getpagesize()+pageHeader))
		require.NoError(t, err)
	}
	before := slog.Default()
	slog.SetDefault(quiet) // of the stacks
	defer slog.SetDefault(before)
	for n := range shelves {
		_, err := d.Table("main").Get(t.Context(), shelf(n).Key)
		require.ErrorIs(t, err, guard.ErrPanic)
		_, err = d.Table("main").Query(t.Context(), store.Query{PK: shelf(n).Key.PK})
		require.ErrorIs(t, err, guard.ErrPanic)
		_, err = d.Table("main").Write(t.Context(), events.Nothing, store.Put(shelf(n)))
		require.Error(t, err)
	}
	_, err = file.WriteAt(sound, 0)
	require.NoError(t, err)
}

// FuzzOpen is a file in which any bytes are others: it is refused, or read without a panic.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "data")
	shelved(f, path)
	whole := used(f, path)
	page := os.Getpagesize()
	for _, at := range []int{0, pageHeader, 2 * page, 5*page + 10, len(whole) - page} {
		f.Add(uint32(at), []byte{0xff, 0xff})
		f.Add(uint32(at), []byte{0, 0, 0, 0, 1, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, at uint32, others []byte) {
		other := bytes.Clone(whole)
		copy(other[int(at)%len(other):], others)
		path := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.WriteFile(path, other, 0o600))
		if _, err := answers(path); err != nil && !errors.Is(err, ErrDamaged) {
			require.ErrorIs(t, err, store.ErrUnreadable)
		}
	})
}
