package bolt

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
)

// A process that may write no more than so many bytes of a file meets what a full disk does: its own process, because
// the limit is a process's.
func TestAFullDiskRefusesWritesLosesNothingAndHeals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	out, err := child(t, "full", path).Output()
	require.NoError(t, err)
	var last int
	_, err = fmt.Sscan(string(out), &last)
	require.NoError(t, err)
	table := opened(t, path).Table("main")
	for n := range last {
		require.NotNil(t, readNumbered(table, n), "number %d", n)
	}
}

func numberedKey(n int) store.Key { return store.Key{PK: "p", SK: fmt.Sprintf("%09d", n)} }

func readNumbered(t *Table, n int) *store.Item {
	items, err := t.Get(context.Background(), numberedKey(n))
	if err != nil {
		log.Panic(err)
	}
	return items[0]
}

// runFull fills the file up to two limits: one inside it, which its pages meet, and one at its end, which its growth
// meets. It prints how many writes were acknowledged.
func runFull(path string) {
	signal.Ignore(syscall.SIGXFSZ)
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
	if err != nil {
		log.Panic(err)
	}
	table, n := d.Table("main"), 0
	write := func(n int) error {
		_, err := table.Write(context.Background(), nthChange(n),
			store.Put(store.Item{Key: numberedKey(n), Doc: make([]byte, 100_000)}, store.Absent()))
		return err
	}
	for _, limit := range []func() uint64{func() uint64 { return 3 << 20 }, func() uint64 { return size(path) }} {
		for range 10 {
			if err := write(n); err != nil {
				log.Panic(err)
			}
			n++
		}
		n = fill(table, limit(), n, write)
	}
	if err := d.Close(); err != nil {
		log.Panic(err)
	}
	fmt.Println(n)
}

func size(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		log.Panic(err)
	}
	return uint64(info.Size())
}

// fill writes until a write is refused, wants that to have no other effect, and then writes again without the limit.
func fill(table *Table, limit uint64, n int, write func(n int) error) int {
	var before syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before) == nil, "no limit to read")
	must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: before.Max}) == nil,
		"no limit to set")
	err := write(n)
	for ; err == nil; err = write(n) {
		n++
		must(n < 10_000, "the limit does not hold")
	}
	must(errors.Is(err, store.ErrUnavailable), err)
	must(errors.Is(write(n), store.ErrUnavailable), "a second write is not refused")
	must(readNumbered(table, n) == nil, "a refused write is there")
	_, _ = table.Write(context.Background(), nthChange(n), store.Put(store.Item{Key: store.Key{PK: "small", SK: "s"}}))
	must(table.db.Refuses(), "a small write finds room in free pages and stands for all")
	for i := range n {
		must(readNumbered(table, i) != nil, "an acknowledged write is gone")
	}
	must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before) == nil, "the limit stays")
	err = write(n)
	must(err == nil, err)
	must(!table.db.Refuses(), "there is room again")
	return n + 1
}

func must(holds bool, what any) {
	if !holds {
		log.Panic(what)
	}
}

func TestOnlyWantOfRoomBeforeTheSyncIsFull(t *testing.T) {
	path := &os.PathError{Op: "write", Path: "data", Err: syscall.ENOSPC}
	require.True(t, full(path))
	require.True(t, full(fmt.Errorf("committing: %w", path)))
	require.True(t, full(errors.New("file resize error: truncate data: file too large")))
	for _, err := range []error{
		syscall.ENOSPC, // of a sync
		syscall.EIO,
		&os.PathError{Op: "write", Path: "data", Err: syscall.EIO},
		&os.PathError{Op: "sync", Path: "data", Err: syscall.ENOSPC},
		errors.New("file sync error: no space left on device"),
	} {
		require.False(t, full(err), "%v", err)
	}
}
