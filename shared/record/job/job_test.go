package job_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/job"
)

// count is a job that counts to ten.
type count struct {
	job.Head
	ID string
	N  int64
}

var counts = job.Kind{Name: "COUNTS", Shards: 4, Lease: time.Minute}

func key(id string) store.Key { return store.Key{PK: "COUNT#" + id, SK: "A"} }

func (c *count) Item() store.Item {
	return counts.Item(c.Head, c.ID, store.Item{Key: key(c.ID), Num: map[string]int64{"n": c.N}})
}

func of(i *store.Item) (*count, error) {
	return &count{counts.Head(i), i.PK[len("COUNT#"):], i.Num["n"]}, nil
}

// world has counts. Its writes are those of Main.
type world struct{ *hosttest.World }

func newWorld(t *testing.T) *world { return &world{hosttest.Open(t, hosttest.Setup{})} }

// fails has each write fail so from now on: instead of it, or once it is done.
func (w *world) fails(done bool, err error) {
	w.Main.Around(func(_ []store.Op, write func() error) error {
		if done {
			return errors.Join(write(), err)
		}
		return err
	})
}

// begun is a count that waits for a minute.
func (w *world) begun(id string) *count {
	w.T.Helper()
	c := &count{job.Head{Version: w.P.Unit().NextVersion(""), Due: w.Clock.Now().Add(time.Minute)}, id, 0}
	_, err := w.Main.Write(w.T.Context(), events.Nothing, store.Put(c.Item(), store.Absent()))
	require.NoError(w.T, err)
	return w.read(id)
}

func (w *world) read(id string) *count {
	w.T.Helper()
	c, err := job.Read(w.T.Context(), w.Main, key(id), of)
	require.NoError(w.T, err)
	return c
}

// due are the ids of the counts that are due.
func (w *world) due() (ids []string) {
	for _, q := range counts.Due(w.Clock.Now()) {
		page, err := w.Main.Query(w.T.Context(), q)
		require.NoError(w.T, err)
		for _, entry := range page.Items {
			items, err := w.Main.Get(w.T.Context(), entry.Key)
			require.NoError(w.T, err)
			require.True(w.T, counts.IsDue(items[0], w.Clock.Now()))
			ids = append(ids, entry.PK[len("COUNT#"):])
		}
	}
	return ids
}

// work takes the count as it was read, and does with it what do says; mine is whether it was taken.
func (w *world) work(c *count, alone bool, do func() error) (mine bool, err error) {
	err = counts.Work(w.T.Context(), w.P.Unit(), c, alone, func(context.Context) error { mine = true; return do() })
	return mine, err
}

// add moves the count on by one, and ends it at ten.
func (w *world) add(c *count) error {
	next := *c
	if next.N++; next.N == 10 {
		next.End()
	}
	err := counts.Move(w.T.Context(), w.P.Unit(), &next, events.Nothing)
	if err == nil {
		*c = next
	}
	return err
}

func TestAJobIsOnesUntilTheirLeaseEnds(t *testing.T) {
	w := newWorld(t)
	first := w.begun("a")
	taken := func(alone bool) bool {
		mine, err := w.work(w.read("a"), alone, func() error { return w.add(w.read("a")) })
		require.NoError(t, err)
		return mine
	}
	mine, err := w.work(first, false, func() error {
		require.False(t, taken(false), "somebody works on it")
		w.Clock.Pass(50 * time.Second)
		require.NoError(t, w.add(first), "each move prolongs the lease")
		w.Clock.Pass(50 * time.Second)
		require.False(t, taken(false))
		require.Empty(t, w.due())
		w.Clock.Pass(10 * time.Second)
		require.Equal(t, []string{"a"}, w.due())
		require.True(t, taken(false))
		lost := w.add(first)
		require.ErrorIs(t, lost, job.ErrLost)
		return lost
	})
	require.True(t, mine)
	require.NoError(t, err, "whoever has it now goes on")
	require.EqualValues(t, 2, w.read("a").N)
}

// TestWhoIsAloneWaitsForNoLease: whoever had it is gone.
func TestWhoIsAloneWaitsForNoLease(t *testing.T) {
	w := newWorld(t)
	_, err := w.work(w.begun("a"), true, func() error {
		mine, err := w.work(w.read("a"), true, func() error { return nil })
		require.True(t, mine)
		return err
	})
	require.NoError(t, err)
}

// TestOfTwoWhoTakeAJobAtOnceOneHasIt: both have read that nobody works on it.
func TestOfTwoWhoTakeAJobAtOnceOneHasIt(t *testing.T) {
	w := newWorld(t)
	one, two := w.begun("a"), w.read("a")
	mine, err := w.work(one, false, func() error {
		mine, err := w.work(two, false, func() error { return nil })
		require.False(t, mine)
		return err
	})
	require.True(t, mine)
	require.NoError(t, err)
}

// TestWhatIsNotEndedIsGivenUp: it is due at once, and the tries are counted that a store has not ended.
func TestWhatIsNotEndedIsGivenUp(t *testing.T) {
	w := newWorld(t)
	w.begun("a")
	for _, c := range []struct {
		err   error
		tries int64
	}{{nil, 1}, {errors.New("broken"), 2}, {fmt.Errorf("so: %w", store.ErrUnavailable), 2}, {nil, 3}} {
		mine, err := w.work(w.read("a"), false, func() error { return c.err })
		require.True(t, mine)
		require.ErrorIs(t, err, c.err)
		require.Equal(t, []string{"a"}, w.due())
		require.Equal(t, c.tries, w.read("a").Tries)
	}
}

// TestAReleaseThatIsRefusedIsTriedAgain: else a store that refuses some of its calls would use a job's tries up.
func TestAReleaseThatIsRefusedIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	writes := 0
	w.begun("a")
	w.Main.Around(func(_ []store.Op, write func() error) error {
		if writes++; writes == 1 || writes == 4 {
			return write()
		}
		return store.ErrUnavailable
	})
	_, err := w.work(w.read("a"), false, func() error { return store.ErrUnavailable })
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.Equal(t, []string{"a"}, w.due(), "given up at the third try")
	require.Zero(t, w.read("a").Tries)
}

func TestAJobThatIsOverIsNeverDueAndNobodyTakesIt(t *testing.T) {
	w := newWorld(t)
	_, err := w.work(w.begun("a"), false, func() error {
		c := w.read("a")
		for range 10 {
			require.NoError(t, w.add(c))
		}
		return job.ErrLost // as the one who read it first finds
	})
	require.NoError(t, err)
	w.Clock.Pass(365 * 24 * time.Hour)
	require.Empty(t, w.due())
	mine, err := w.work(w.read("a"), true, nil)
	require.False(t, mine)
	require.NoError(t, err)
}

var errDied = errors.New("died")

// TestAJobThatDiesAnywhereIsGoneOnWith kills who works on it before and after each write, and has the next one go on
// once it is due: each step is done once.
func TestAJobThatDiesAnywhereIsGoneOnWith(t *testing.T) {
	for _, before := range []bool{true, false} {
		for n := 0; n < 12; n++ {
			w := newWorld(t)
			c, writes := w.begun("a"), 0
			w.Main.Around(func(_ []store.Op, write func() error) error {
				if writes++; writes <= n {
					return write()
				}
				if before {
					return errDied
				}
				return errors.Join(write(), errDied)
			})
			all := func(c *count) func() error {
				return func() (err error) {
					for err == nil && !c.Over() {
						err = w.add(c)
					}
					return err
				}
			}
			_, _ = w.work(c, false, all(c)) // it died, or not
			w.Main.Around(nil)
			w.Clock.Pass(time.Minute)
			for _, id := range w.due() {
				c = w.read(id)
				_, err := w.work(c, false, all(c))
				require.NoError(t, err)
			}
			c = w.read("a")
			require.True(t, c.Over(), "%v %d", before, n)
			require.EqualValues(t, 10, c.N)
		}
	}
}

// TestAMoveWhoseOutcomeWasNotLearntIsLost, though it was one's own: nothing is done twice.
func TestAMoveWhoseOutcomeWasNotLearntIsLost(t *testing.T) {
	w := newWorld(t)
	c := w.begun("a")
	w.fails(true, store.ErrUnavailable)
	require.ErrorIs(t, w.add(c), store.ErrUnavailable)
	w.Main.Around(nil)
	require.ErrorIs(t, w.add(c), job.ErrLost)
	require.EqualValues(t, 1, w.read("a").N)
}

// TestAMoveThatFailedIsMadeAgain by the same one, who has the job still.
func TestAMoveThatFailedIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	c := w.begun("a")
	was := c.Head
	w.fails(false, store.ErrUnavailable)
	require.ErrorIs(t, counts.Move(t.Context(), w.P.Unit(), c, events.Nothing), store.ErrUnavailable)
	require.Equal(t, was, c.Head)
	w.Main.Around(nil)
	require.NoError(t, counts.Move(t.Context(), w.P.Unit(), c, events.Nothing))
}

// TestTheIndexIsWrittenOnceInTenSeconds however often a job is moved.
func TestTheIndexIsWrittenOnceInTenSeconds(t *testing.T) {
	w := newWorld(t)
	c := w.begun("a")
	_, err := w.work(c, false, func() error {
		ends := c.Due
		for range 3 {
			w.Clock.Pass(3 * time.Second)
			require.NoError(t, w.add(c))
			require.Equal(t, ends, c.Due)
		}
		w.Clock.Pass(time.Second)
		require.NoError(t, w.add(c))
		require.Equal(t, w.Clock.Now().Add(time.Minute), c.Due)
		return nil
	})
	require.NoError(t, err)
}

// TestWhatIsDueIsFoundInAllPartitions, and what has moved since is due no more.
func TestWhatIsDueIsFoundInAllPartitions(t *testing.T) {
	w := newWorld(t)
	var ids []string
	partitions := map[string]bool{}
	for n := range 40 {
		id := fmt.Sprint(n)
		item := w.begun(id).Item()
		ids, partitions[item.Index2.PK] = append(ids, id), true
	}
	require.Len(t, partitions, counts.Shards)
	w.Clock.Pass(time.Minute - time.Millisecond)
	require.Empty(t, w.due())
	w.Clock.Pass(time.Millisecond)
	require.ElementsMatch(t, ids, w.due())
	item := w.read("1").Item()
	item.Index2 = counts.Entry("1", w.Clock.Now().Add(time.Second))
	require.False(t, counts.IsDue(&item, w.Clock.Now()))
	require.False(t, counts.IsDue(&store.Item{}, w.Clock.Now()), "it is over")
	require.False(t, counts.IsDue(nil, w.Clock.Now()), "it is gone")
}

func TestAnObjectIsOfTheJobThatItsKeyNames(t *testing.T) {
	shop, id, is := job.ParseObject("counts/", job.Object("counts/", "s", "a", "file"))
	require.Equal(t, []any{"s", "a", true}, []any{shop, id, is})
	for _, key := range []string{"", "counts/s/a", "others/s/a/file", "counts/s/a/b/file"} {
		_, _, is := job.ParseObject("counts/", key)
		require.False(t, is, key)
	}
}
