package delivery

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/store"
)

// away is a store that serves again from a moment on; the zero time: never.
type away struct {
	store.Table
	until time.Time
}

func (a away) Write(ctx context.Context, _ events.Change, _ ...store.Op) (store.Item, error) {
	if a.until.IsZero() || time.Now().Before(a.until) {
		return store.Item{}, store.ErrUnavailable
	}
	return store.Item{}, ctx.Err()
}

// insisted writes what became of an attempt that ctx was for, and says how long that took. It is for synctest's time.
func insisted(ctx context.Context, a away) (took time.Duration, err error) {
	c, began := &courier{Platform: &host.Platform{Stores: host.Stores{Pipeline: a}}}, time.Now()
	ctx, end := writing(ctx)
	defer end()
	err = c.insist(ctx, store.Delete(store.Key{}))
	return time.Since(began), err
}

func TestAResultIsWrittenAsSoonAsTheStoreServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took, err := insisted(t.Context(), away{until: time.Now().Add(3 * time.Second)})
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, took)
	})
}

func TestAResultThatCannotBeWrittenIsGivenUpBeforeItsLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took, err := insisted(t.Context(), away{})
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.Equal(t, insisting, took)
	})
	require.LessOrEqual(t, whole+insisting, lease)
}

func TestBehindTheHostsStopAnAttemptHasItsLastWordsAndItsResultItsLastWrites(t *testing.T) {
	const stopped = time.Minute
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c := &courier{lastWords: lastWords}
		attempt, end := c.lasting(ctx)
		defer end()
		began := time.Now()
		time.AfterFunc(stopped, stop)
		<-attempt.Done()
		require.Equal(t, stopped+lastWords, time.Since(began))
		took, err := insisted(attempt, away{until: time.Now().Add(lastWrites / 2)})
		require.NoError(t, err, "of one that was cut, too")
		require.Equal(t, lastWrites/2, took)
		took, err = insisted(attempt, away{})
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.Equal(t, lastWrites, took)
	})
	require.Less(t, lastWords+lastWrites, 9*time.Second, "the one process waits so long (contract, section 8)")
}

func TestOnLambdaAnAttemptWithItsResultEndsWithinTheFunctionsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), Function.Timeout)
		defer cancel()
		began := time.Now()
		attempt, end := (&courier{lastWords: lastWords}).lasting(ctx)
		defer end()
		require.False(t, late(attempt))
		<-time.After(Function.Timeout - lastWrites - whole)
		require.False(t, late(attempt), "there is time for one more")
		<-time.After(time.Nanosecond)
		require.True(t, late(attempt), "none begins that could be cut")
		<-attempt.Done()
		_, err := insisted(attempt, away{})
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.Equal(t, Function.Timeout, time.Since(began))
	})
}

// TestTimesAreInOrder is of the configuration of both hosts: else attempts double or are cut off.
func TestTimesAreInOrder(t *testing.T) {
	for _, q := range Function.Messages.From {
		require.Greater(t, q.Visibility, Function.Timeout, "no bell is heard twice at once")
		require.Greater(t, q.Visibility, lease, "the bell of one that died finds it free")
		require.Positive(t, q.MaxReceives)
	}
	require.Greater(t, Function.Timeout, patience+whole+insisting, "an attempt with its writes fits")
	require.GreaterOrEqual(t, lease, Function.Timeout, "nobody else claims it as long as it may be at it")
	require.GreaterOrEqual(t, lease, patience+whole+insisting, "nor in the one process")
	require.Greater(t, insisting, lastWrites)
}
