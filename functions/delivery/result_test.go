package delivery

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
	"eshop/shared/webhook/inflight"
)

// away is a store that serves again from a moment on; the zero time: never.
type away struct{ until time.Time }

func (a away) write(ctx context.Context) error {
	if a.until.IsZero() || time.Now().Before(a.until) {
		return store.ErrUnavailable
	}
	return ctx.Err()
}

// insisted writes what became of an attempt that ctx was for, and says how long that took. It is for synctest's time.
func insisted(ctx context.Context, a away) (took time.Duration, err error) {
	began := time.Now()
	ctx, end := writeContext(ctx, began.Add(webhook.Lease))
	defer end()
	err = insist(ctx, func() error { return a.write(ctx) })
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
		require.Equal(t, webhook.Lease, took, "from the taking on")
	})
}

func TestBehindTheHostsStopAnAttemptHasItsLastSecondsAndItsResultItsLastWrites(t *testing.T) {
	const stopped = time.Minute
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c := &courier{afterStop: afterStop}
		attempt, end := c.attemptContext(ctx)
		defer end()
		began := time.Now()
		time.AfterFunc(stopped, stop)
		<-attempt.Done()
		require.Equal(t, stopped+afterStop, time.Since(began))
		took, err := insisted(attempt, away{until: time.Now().Add(lastWrites / 2)})
		require.NoError(t, err, "of one that was cut, too")
		require.Equal(t, lastWrites/2, took)
		took, err = insisted(attempt, away{})
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.Equal(t, lastWrites, took)
	})
	require.Less(t, afterStop+lastWrites, 9*time.Second, "the one process waits so long")
}

func TestOnLambdaAnAttemptWithItsResultEndsWithinTheFunctionsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), Function.Timeout)
		defer cancel()
		began := time.Now()
		attempt, end := (&courier{afterStop: afterStop}).attemptContext(ctx)
		defer end()
		leaseEnds := began.Add(time.Hour)
		require.False(t, tooLate(attempt, leaseEnds))
		<-time.After(Function.Timeout - lastWrites - wholeAttempt)
		require.False(t, tooLate(attempt, leaseEnds), "there is time for one more")
		require.False(t, tooLate(t.Context(), time.Now().Add(wholeAttempt+slowWrites)))
		require.True(t, tooLate(t.Context(), time.Now().Add(wholeAttempt+slowWrites-1)),
			"none begins whose result could come too late for its lease")
		<-time.After(time.Nanosecond)
		require.True(t, tooLate(attempt, leaseEnds), "none begins that could be cut")
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
		require.Greater(t, q.Visibility, webhook.Lease, "the bell of one that died finds it free")
		require.Greater(t, time.Duration(q.MaxReceives)*q.Visibility, 12*time.Hour,
			"on AWS nothing but its bell knows of a first attempt, so it is no dead letter before somebody looks")
	}
	most := inflight.MaxWait + longestWait + wholeAttempt + slowWrites
	require.Greater(t, Function.Timeout, most, "an attempt with its writes fits")
	require.GreaterOrEqual(t, webhook.Lease, Function.Timeout, "nobody else takes it as long as it may be at it")
	require.GreaterOrEqual(t, webhook.Lease, most, "nor in the one process")
}
