package api_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

func TestManyWritersOfOneRecordAreAllServed(t *testing.T) {
	table, at := &memory{items: map[store.Key]*store.Item{}}, store.Key{PK: "S#N", SK: "A"}
	_, err := table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at, Num: map[string]int64{"n": 0}}))
	require.NoError(t, err)
	const writers = 40
	var done sync.WaitGroup
	errs := make([]error, writers)
	for i := range writers {
		done.Go(func() {
			_, errs[i] = record.Retry(t.Context(), func() (*int, error) {
				items, err := table.Get(t.Context(), at)
				if err != nil {
					return nil, err
				}
				n := items[0].Num["n"]
				_, err = table.Write(t.Context(), events.Nothing,
					store.Put(store.Item{Key: at, Num: map[string]int64{"n": n + 1}}, store.NumIs("n", n)))
				return new(int), err
			})
		})
	}
	done.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	items, err := table.Get(t.Context(), at)
	require.NoError(t, err)
	require.EqualValues(t, writers, items[0].Num["n"])
}

func TestWhatIsNotAContestIsNotDoneAgain(t *testing.T) {
	broken, times := errors.New("broken"), 0
	_, err := record.Retry(t.Context(), func() (*int, error) { times++; return nil, broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, 1, times)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = record.Retry(ctx, func() (*int, error) { cancel(); return nil, &store.ConditionError{} })
	require.True(t, problem.Is(err, "unavailable"))
}
