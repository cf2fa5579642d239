package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/ports/store"
)

// gate holds back the first commit until it is opened, so that what is queued meanwhile is one group.
type gate struct {
	held, open chan struct{}
	commits    atomic.Int64
	err        error // of all commits but the first
}

func gated(d *DB) *gate {
	g := &gate{held: make(chan struct{}), open: make(chan struct{})}
	d.commitTx = func(tx *bbolt.Tx) error {
		if g.commits.Add(1) == 1 {
			close(g.held)
			<-g.open
			return tx.Commit()
		}
		if g.err != nil {
			_ = tx.Rollback()
			return g.err
		}
		return tx.Commit()
	}
	return g
}

// grouped queues the writes while another is being committed, and waits until all are answered.
func grouped(t *testing.T, d *DB, g *gate, writes ...*write) {
	first := queued(t.Context(), d, store.Put(store.Item{Key: store.Key{PK: "first", SK: "s"}}))
	d.enqueue(first)
	<-g.held
	for _, w := range writes {
		d.enqueue(w)
	}
	close(g.open)
	for _, w := range append(writes, first) {
		<-w.done
	}
	require.NoError(t, first.err)
}

func queued(ctx context.Context, d *DB, ops ...store.Op) *write {
	w := &write{ctx: ctx, table: d.Table("main"), change: nthChange(1).Encode(), done: make(chan struct{})}
	for _, o := range ops {
		e := edit{op: o}
		if o.Kind == store.Putting {
			e.row = encode(&o.Item)
		}
		w.edits = append(w.edits, e)
	}
	return w
}

func fresh(t *testing.T) *DB { return opened(t, filepath.Join(t.TempDir(), "data")) }

func at(sk string) store.Key { return store.Key{PK: "p", SK: sk} }

func stored(t *testing.T, d *DB, sk string) *store.Item {
	items, err := d.Table("main").Get(t.Context(), at(sk))
	require.NoError(t, err)
	return items[0]
}

func TestWritesOfOneGroupSeeThoseBeforeThemAndShareOneCommit(t *testing.T) {
	d := fresh(t)
	g := gated(d)
	one := store.Set{Add: map[string]int64{"n": 1}}
	won := queued(t.Context(), d, store.Put(store.Item{Key: at("claim"), Version: "1"}, store.Absent()))
	lost := queued(t.Context(), d, store.Put(store.Item{Key: at("claim"), Version: "2"}, store.Absent()),
		store.Put(store.Item{Key: at("beside")}))
	counted := []*write{queued(t.Context(), d, store.Update(at("n"), one)),
		queued(t.Context(), d, store.Update(at("n"), one))}
	gone := queued(t.Context(), d, store.Delete(at("n"), store.NumIs("n", 2)))
	back := queued(t.Context(), d, store.Update(at("n"), one, store.Absent()))
	grouped(t, d, g, won, lost, counted[0], counted[1], gone, back)

	require.Equal(t, int64(2), g.commits.Load())
	require.NoError(t, won.err)
	failure, failed := store.Failed(lost.err, at("claim"))
	require.True(t, failed)
	require.Equal(t, &store.Item{Key: at("claim"), Version: "1"}, failure.Item)
	require.Nil(t, stored(t, d, "beside"), "a refused write writes nothing")
	for n, w := range counted {
		item, err := w.result()
		require.NoError(t, err)
		require.Equal(t, int64(n+1), item.Num["n"])
	}
	require.NoError(t, gone.err)
	require.NoError(t, back.err)
	require.Equal(t, map[string]int64{"n": 1}, stored(t, d, "n").Num)
}

func TestAWriteWhoseContextEndedInTheQueueIsNotDone(t *testing.T) {
	d := fresh(t)
	g := gated(d)
	ctx, cancel := context.WithCancel(t.Context())
	late, other := queued(ctx, d, store.Put(store.Item{Key: at("late")})),
		queued(t.Context(), d, store.Put(store.Item{Key: at("other")}))
	cancel()
	grouped(t, d, g, late, other)
	require.ErrorIs(t, late.err, context.Canceled)
	require.Nil(t, stored(t, d, "late"))
	require.NotNil(t, stored(t, d, "other"))
}

func TestAfterAFailedSyncNothingIsWrittenAndReadsGoOn(t *testing.T) {
	d := fresh(t)
	g := gated(d)
	g.err = syscall.EIO
	put := queued(t.Context(), d, store.Put(store.Item{Key: at("a")}))
	refused := queued(t.Context(), d, store.Check(at("a"), store.Absent()))
	grouped(t, d, g, put, refused)
	require.ErrorIs(t, put.err, store.ErrUnavailable)
	require.ErrorIs(t, refused.err, store.ErrUnavailable, "what refused it is not on disk")
	require.Nil(t, stored(t, d, "a"))

	_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("b")}))
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.Equal(t, int64(2), g.commits.Load(), "no further commit is tried")
	require.True(t, d.Refuses())
	items, err := d.Table("main").Get(t.Context(), store.Key{PK: "first", SK: "s"})
	require.NoError(t, err)
	require.NotNil(t, items[0])
}

func TestAfterWantOfRoomWritesAreTriedAgain(t *testing.T) {
	d := fresh(t)
	g := gated(d)
	g.err = &os.PathError{Op: "write", Path: "data", Err: syscall.ENOSPC}
	put := queued(t.Context(), d, store.Put(store.Item{Key: at("a")}))
	grouped(t, d, g, put)
	require.ErrorIs(t, put.err, store.ErrUnavailable)
	require.True(t, d.Refuses())
	g.err = nil
	_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("b")}))
	require.NoError(t, err)
	require.False(t, d.Refuses())
	require.Nil(t, stored(t, d, "a"))
	require.NotNil(t, stored(t, d, "b"))
}

func TestWritesThatChangeNothingAreNotCommitted(t *testing.T) {
	d := fresh(t)
	g := gated(d)
	close(g.open)
	for range 3 {
		_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Delete(at("none")),
			store.Check(at("a"), store.Absent()))
		require.NoError(t, err)
		_, err = d.Table("main").Write(t.Context(), nthChange(1), store.Check(at("a"), store.Present()))
		require.True(t, store.IsCondition(err))
	}
	require.Zero(t, g.commits.Load())
}

func TestExpiredItemsGoAwayWithLaterWritesAFewAtATime(t *testing.T) {
	var now atomic.Int64
	d, err := Open(filepath.Join(t.TempDir(), "data"),
		Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	table := d.Table("main")
	write := func(ops ...store.Op) {
		_, err := table.Write(t.Context(), events.Nothing, ops...)
		require.NoError(t, err)
	}
	left := func() (int, int) {
		return count(t, table, store.Query{PK: "p"}), count(t, table, store.Query{Index: store.Index1, PK: "i"})
	}
	for i := range 100 {
		write(store.Put(store.Item{Key: at(string(rune('a' + i))),
			Index1: store.Key{PK: "i", SK: string(rune('a' + i))}, Expires: 1000}))
	}
	longer, never := int64(2000), int64(0)
	write(store.Update(at("a"), store.Set{Expires: &longer}), store.Update(at("b"), store.Set{Expires: &never}))

	now.Store(999)
	write(store.Delete(at("none")), store.Put(store.Item{Key: at("other")}))
	items, entries := left()
	require.Equal(t, []int{101, 100}, []int{items, entries})
	now.Store(1000)
	for _, want := range []int{68, 36, 4, 2, 2} { // 32 with each write; "a" and "b" stay
		write(store.Update(at("other"), store.Set{Add: map[string]int64{"n": 1}}))
		items, entries = left()
		require.Equal(t, []int{want + 1, want}, []int{items, entries})
	}
	now.Store(4000)
	write(store.Update(at("other"), store.Set{Version: "2"}))
	require.Nil(t, stored(t, d, "a"))
	require.NotNil(t, stored(t, d, "b"))
}

func TestAnItemWhoseExpiryMovedOrStayedHoldsUpNoOther(t *testing.T) {
	var now atomic.Int64
	now.Store(999)
	d, err := Open(filepath.Join(t.TempDir(), "data"),
		Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	each := func(name string, op func(store.Key) store.Op) {
		var ops []store.Op
		for i := range maxPurged {
			ops = append(ops, op(at(fmt.Sprint(name, i))))
		}
		_, err := d.Table("main").Write(t.Context(), events.Nothing, ops...)
		require.NoError(t, err)
	}
	same, longer, never := int64(1000), int64(2000), int64(0)
	for name, rewrite := range map[string]func(store.Key) store.Op{
		"longer":  func(k store.Key) store.Op { return store.Update(k, store.Set{Expires: &longer}) },
		"never":   func(k store.Key) store.Op { return store.Update(k, store.Set{Expires: &never}) },
		"deleted": func(k store.Key) store.Op { return store.Delete(k) },
		"put":     func(k store.Key) store.Op { return store.Put(store.Item{Key: k, Expires: same, Version: "2"}) },
		"updated": func(k store.Key) store.Op { return store.Update(k, store.Set{Version: "2"}) },
		"set": func(k store.Key) store.Op {
			return store.Update(k, store.Set{Expires: &same, Index1: &store.Key{PK: "i", SK: k.SK}})
		},
	} {
		each(name, func(k store.Key) store.Op { return store.Put(store.Item{Key: k, Expires: same}) })
		each(name, rewrite)
	}
	left := func() int { return count(t, d.Table("main"), store.Query{PK: "p"}) }
	require.Equal(t, 5*maxPurged, left())
	now.Store(1000)
	for n := range 3 {
		_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("other")}))
		require.NoError(t, err)
		require.Equal(t, (4-n)*maxPurged+1, left(),
			"those that were written again with the same expiry go away with it")
	}
	require.Zero(t, count(t, d.Table("main"), store.Query{Index: store.Index1, PK: "i"}))
	now.Store(2000)
	_, err = d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("other")}))
	require.NoError(t, err)
	require.Equal(t, maxPurged+1, left())
}

// TestMoreExpiresNeverThanIsPurged: whoever writes many items that expire, in however few commits, leaves no more
// behind than were there before.
func TestMoreExpiresNeverThanIsPurged(t *testing.T) {
	var now atomic.Int64
	d, err := Open(filepath.Join(t.TempDir(), "data"),
		Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	for round := range 5 {
		now.Add(1000)
		for half := range 2 {
			var ops []store.Op
			for i := range 100 {
				key := at(fmt.Sprint(round, half, i))
				ops = append(ops, store.Put(store.Item{Key: key, Expires: now.Load() + 1}))
			}
			_, err := d.Table("main").Write(t.Context(), events.Nothing, ops...)
			require.NoError(t, err)
		}
		require.Equal(t, 200, count(t, d.Table("main"), store.Query{PK: "p"}), "those of this round alone")
	}
}

// TestWhatHasExpiredGoesAwayFromAnIdleFile, in commits of which none is made when nothing has.
func TestWhatHasExpiredGoesAwayFromAnIdleFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(filepath.Join(t.TempDir(), "data"), Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, d.Close()) }()
		end := time.Now().Add(10 * time.Minute).Unix()
		for n := range 20 {
			ops := []store.Op{store.Put(store.Item{Key: at(fmt.Sprint("stays", n))})}
			for i := range 90 {
				ops = append(ops, store.Put(store.Item{Key: at(fmt.Sprint(n, "-", i)), Expires: end}))
			}
			_, err := d.Table("main").Write(t.Context(), events.Nothing, ops...)
			require.NoError(t, err)
		}
		g := gated(d)
		close(g.open)
		_, err = d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("stays 0")}))
		require.NoError(t, err)
		time.Sleep(9 * time.Minute)
		require.EqualValues(t, 1, g.commits.Load(), "that of this write")
		time.Sleep(3 * time.Minute)
		require.Equal(t, 21, count(t, d.Table("main"), store.Query{PK: "p"}), "those that stay")
		commits := g.commits.Load()
		time.Sleep(time.Hour)
		require.Equal(t, commits, g.commits.Load())
	})
}

func TestAnItemRenewedInTheGroupThatWouldPurgeItStays(t *testing.T) {
	var now atomic.Int64
	d, err := Open(filepath.Join(t.TempDir(), "data"),
		Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	for second := range int64(5) {
		now.Store(second)
		_, err := d.Table("main").Write(t.Context(), events.Nothing,
			store.Put(store.Item{Key: at("a"), Expires: second + 1}, store.Gone(second)))
		require.NoError(t, err)
		require.Equal(t, second+1, stored(t, d, "a").Expires)
	}
}
