package bolt

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/ports/store"
)

// publish writes changes numbered from one number to before another.
func publish(t *testing.T, d *DB, from, to int) {
	for n := from; n < to; n++ {
		_, err := d.Table("main").Write(t.Context(), nthChange(n), store.Put(store.Item{Key: at("a")}))
		require.NoError(t, err)
	}
}

// hear follows until the last change is heard, and returns when each was made.
func hear(t *testing.T, d *DB, last int) []int { return follow(t, d.Feed("main"), last) }

// follow is hear of one follower.
func follow(t *testing.T, f *Follower, last int) (heard []int) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err := f.Follow(ctx, 50, func(_ context.Context, batch []events.Change) error {
		for _, c := range batch {
			heard = append(heard, int(c.At))
		}
		if heard[len(heard)-1] == last {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	return heard
}

func TestEachFollowerHasAPositionOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	open := func(followers ...string) *DB {
		d, err := Open(path, Options{Feeds: []string{"main"}, Followers: followers, Log: quiet})
		require.NoError(t, err)
		return d
	}
	d := open()
	publish(t, d, 0, 300)
	require.Len(t, hear(t, d, 299), 300)
	require.NoError(t, d.Close())

	d = open("index")
	publish(t, d, 300, 900)
	require.Equal(t, 300, hear(t, d, 899)[0])
	require.Nil(t, d.Table("main").Lag(""))
	require.NotNil(t, d.Table("main").Lag("index"))
	require.Nil(t, d.Table("main").Lag("nobody"))
	require.NoError(t, d.Close())

	d = open("index")
	publish(t, d, 900, 901)
	require.GreaterOrEqual(t, rows(t, d), 601, "what one of them has not handled stays")
	heard := follow(t, d.Follower("main", "index"), 900)
	require.Equal(t, 300, heard[0], "one that is new begins where the first one is")
	require.Len(t, heard, 601)
	require.Nil(t, d.Table("main").Lag("index"))
	require.Equal(t, []int{900}, hear(t, d, 900))
	publish(t, d, 901, 902)
	require.Equal(t, 1, rows(t, d), "what both have handled goes")
	require.Nil(t, d.Follower("main", "nobody"))
	require.Nil(t, d.Follower("other", ""))
	require.NoError(t, d.Close())
}

// rows is how many changes are on disk.
func rows(t *testing.T, d *DB) (n int) {
	require.NoError(t, d.file.View(func(tx *bbolt.Tx) error {
		n = tx.Bucket([]byte("main/feed")).Stats().KeyN
		return nil
	}))
	return n
}

func TestAFeedGoesOnBehindWhatWasHandledBeforeTheFileWasClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	for round := range 4 {
		d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
		require.NoError(t, err)
		from := round * 20
		publish(t, d, from, from+20)
		heard := hear(t, d, from+19)
		require.Equal(t, from, heard[0])
		require.Len(t, heard, 20)
		require.NoError(t, d.Close())
	}
}

func TestHandledChangesAreDeletedWithLaterWrites(t *testing.T) {
	d := opened(t, filepath.Join(t.TempDir(), "data"))
	publish(t, d, 0, 600)
	require.Equal(t, 600, rows(t, d))
	hear(t, d, 599)
	publish(t, d, 600, 601)
	require.Equal(t, 1, rows(t, d))
	require.Equal(t, []int{600}, hear(t, d, 600))
}

func TestAChangeThatCannotBeReadIsPassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
	require.NoError(t, err)
	publish(t, d, 0, 3)
	require.NoError(t, d.Close())
	file, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, file.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("main/feed")).Put(rowKey(2), []byte("{[}"))
	}))
	require.NoError(t, file.Close())
	require.Equal(t, []int{0, 2}, hear(t, opened(t, path), 2))
}

func TestWhoeverAsksCanWaitUntilWhatWasWrittenIsHandled(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"), Options{Feeds: []string{"main"}, Log: quiet})
	require.NoError(t, err)
	main := d.Table("main")
	require.Nil(t, main.Lag(""), "nothing was written")
	require.Nil(t, d.Table("other").Lag(""), "it has no feed")
	publish(t, d, 0, 3)
	lag := main.Lag("")
	require.NotNil(t, lag)
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, lag(ended), context.Canceled, "nobody follows")
	waited := make(chan error)
	go func() { waited <- lag(t.Context()) }()
	hear(t, d, 2)
	require.NoError(t, <-waited)
	require.Nil(t, main.Lag(""))
	publish(t, d, 3, 4)
	lag = main.Lag("")
	go func() { waited <- lag(t.Context()) }()
	require.NoError(t, d.Close())
	require.ErrorIs(t, <-waited, store.ErrUnavailable)
}
