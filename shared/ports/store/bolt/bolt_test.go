package bolt

import (
	"context"
	"encoding/binary"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
)

// children are what the test binary does when a test starts it again as a process of its own.
var children = map[string]func(path string){"crash": writeUntilKilled, "full": runFull}

func TestMain(m *testing.M) {
	if child := children[os.Getenv("BOLT_CHILD")]; child != nil {
		child(os.Getenv("BOLT_PATH"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is the test binary as a process of its own.
func child(t *testing.T, name, path string) *exec.Cmd {
	binary, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), binary)
	c.Env = append(os.Environ(), "BOLT_CHILD="+name, "BOLT_PATH="+path)
	c.Stderr = os.Stderr
	return c
}

var quiet = slog.New(slog.DiscardHandler)

// opened opens a file whose one table has a feed; it is closed with the test.
func opened(t testing.TB, path string) *DB {
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func TestTable(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Opened { return asked(t, filepath.Join(t.TempDir(), "data")) })
}

func TestTableWithoutFeed(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Opened {
		return storetest.Opened{Table: opened(t, filepath.Join(t.TempDir(), "data")).Table("pipeline")}
	})
}

func asked(t *testing.T, path string) storetest.Opened {
	d := opened(t, path)
	return storetest.Opened{Table: d.Table("main"), Feed: d.Feed("main"), Crash: func(t *testing.T) storetest.Opened {
		return asked(t, copied(t, path))
	}}
}

// copied is the file as a crash at this moment would leave it. No write may be under way.
func copied(t testing.TB, path string) string {
	bytes, err := os.ReadFile(path)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(other, bytes, 0o600))
	return other
}

func TestAFileBelongsToItsOwnerAndToOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	opened(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = Open(path, Options{})
	require.EqualError(t, err, "another process has it open")
}

func TestTablesOfOneFileKnowNothingOfEachOther(t *testing.T) {
	d := opened(t, filepath.Join(t.TempDir(), "data"))
	key := store.Key{PK: "p", SK: "s"}
	_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: key}))
	require.NoError(t, err)
	items, err := d.Table("pipeline").Get(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, []*store.Item{nil}, items)
	require.Nil(t, d.Feed("pipeline"))
	require.Same(t, d.Table("main"), d.Table("main"))
}

func TestWhatDynamoDBWouldNotTakeIsRefused(t *testing.T) {
	table := opened(t, filepath.Join(t.TempDir(), "data")).Table("main")
	key := store.Key{PK: "p", SK: "s"}
	for name, item := range map[string]store.Item{
		"a long partition key":      {Key: store.Key{PK: strings.Repeat("p", 2049), SK: "s"}},
		"a long sort key":           {Key: store.Key{PK: "p", SK: strings.Repeat("s", 1025)}},
		"a long index key":          {Key: key, Index2: store.Key{PK: "p", SK: strings.Repeat("s", 1025)}},
		"an item of more than 400K": {Key: key, Doc: make([]byte, 400<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := table.Write(t.Context(), events.Nothing,
				store.Put(store.Item{Key: store.Key{PK: "p", SK: "beside"}}), store.Put(item))
			require.Error(t, err)
			require.NotErrorIs(t, err, store.ErrUnavailable)
			page, err := table.Query(t.Context(), store.Query{PK: "p"})
			require.NoError(t, err)
			require.Empty(t, page.Items)
		})
	}
}

func TestAClosedFileIsUnavailable(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"), Options{Feeds: []string{"main"}, Log: quiet})
	require.NoError(t, err)
	following := make(chan error)
	go func() { following <- d.Feed("main").Follow(context.Background(), 1, nil) }()
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.ErrorIs(t, <-following, store.ErrUnavailable)
	key := store.Key{PK: "p", SK: "s"}
	_, err = d.Table("main").Write(t.Context(), events.Nothing, store.Delete(key))
	require.ErrorIs(t, err, store.ErrUnavailable)
	_, err = d.Table("main").Get(t.Context(), key)
	require.ErrorIs(t, err, store.ErrUnavailable)
	_, err = d.Table("main").Query(t.Context(), store.Query{PK: "p"})
	require.ErrorIs(t, err, store.ErrUnavailable)
}

// freePagesKept says whether the file's newest meta page, of its first two pages, names a page with the free ones.
func freePagesKept(t *testing.T, path string) bool {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	const none, freelist, transaction = ^uint64(0), 16 + 32, 16 + 48
	at := func(page, offset int) uint64 { return binary.NativeEndian.Uint64(b[page*os.Getpagesize()+offset:]) }
	newest := 0
	if at(1, transaction) > at(0, transaction) {
		newest = 1
	}
	return at(newest, freelist) != none
}

func TestAnOrderlyEndWritesDownTheFreePages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	write := func(d *DB, n int) {
		for i := range n {
			_, err := d.Table("main").Write(t.Context(), events.Nothing,
				store.Put(store.Item{Key: store.Key{PK: "p", SK: strconv.Itoa(i)}, Doc: make([]byte, 2000)}))
			require.NoError(t, err)
		}
	}
	for range 3 {
		d, err := Open(path, Options{Log: quiet})
		require.NoError(t, err)
		write(d, 20)
		require.False(t, freePagesKept(t, path), "a crash now leaves them to be looked for")
		require.NoError(t, d.Close())
		require.True(t, freePagesKept(t, path))
	}
	file, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, file.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			return err
		}
		return nil
	}))
}
