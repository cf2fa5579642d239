package guard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/guard"
)

var errOwn = errors.New("own")

// logged is what the work logs.
func logged(work func()) string {
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	defer slog.SetDefault(before)
	work()
	return b.String()
}

// strange are panics, and what the log and the error say of them.
var strange = map[string]struct {
	f     func()
	words string
}{
	"of words": {func() { panic("jana@example.com") }, "panic: of a string"},
	"of an error": {func() { panic(fmt.Errorf("no such customer: %w", errors.New("jana@example.com"))) },
		"panic: of a *fmt.wrapError"},
	"of a map that is no": {func() { put(nil, "jana@example.com") }, "panic: assignment to entry in nil map"},
	"of an index": {func() { _ = []byte("jana@example.com")[len("jana@example.com"):][0] },
		"panic: runtime error: index out of range [0] with length 0"},
	"of a type": {func() { _ = any("jana@example.com").(int) },
		"panic: interface conversion: interface {} is string, not int"},
}

func TestAPanicIsAnErrorWithItsStackInTheLogAndNothingOfItsData(t *testing.T) {
	for name, s := range strange {
		t.Run(name, func(t *testing.T) {
			var err error
			log := logged(func() {
				err = guard.Do(t.Context(), func() error { s.f(); return nil }, "webhook", "01M7XXKEG7ZVFRE0EM6N6D5N1T")
			})
			require.ErrorIs(t, err, guard.ErrPanic)
			require.EqualError(t, err, s.words)
			require.Contains(t, log, "guard_test.go")
			require.Contains(t, log, "webhook=01M7XXKEG7ZVFRE0EM6N6D5N1T")
			require.NotContains(t, log, "jana")
		})
	}
}

func TestWhateverIsStartedHereItsPanicIsItsAlone(t *testing.T) {
	startle := func() { panic("what nobody foresaw") }
	for name, start := range map[string]func(ctx context.Context, others func()){
		"a function": func(ctx context.Context, others func()) {
			guard.Go(ctx, startle)
			guard.Go(ctx, others)
		},
		"a function for later": func(ctx context.Context, others func()) {
			guard.After(ctx, time.Second, startle)
			guard.After(ctx, time.Minute, others)
		},
		"each of several": func(ctx context.Context, others func()) {
			errs := guard.Each(ctx, 4, func(i int) error {
				switch i {
				case 0, 2:
					startle()
				case 3:
					others()
				}
				return nil
			})
			for i, err := range errs {
				require.Equal(t, i == 0 || i == 2, errors.Is(err, guard.ErrPanic))
			}
		},
		"one of a group": func(ctx context.Context, others func()) {
			var g guard.Group
			g.Go(ctx, func() error {
				g.Go(ctx, func() error { time.Sleep(time.Second); others(); return nil })
				startle()
				return nil
			})
			require.ErrorIs(t, g.Wait(), guard.ErrPanic)
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := logged(func() {
				synctest.Test(t, func(t *testing.T) {
					var done atomic.Bool
					start(t.Context(), func() { done.Store(true) })
					time.Sleep(time.Hour)
					require.True(t, done.Load())
				})
			})
			require.Contains(t, log, "stack=")
		})
	}
}

func TestEachWaitsForAllAndHasTheErrorOfEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		errs := guard.Each(t.Context(), 3, func(i int) error {
			time.Sleep(time.Duration(i) * time.Second)
			if i == 1 {
				return errOwn
			}
			return nil
		})
		require.Equal(t, []error{nil, errOwn, nil}, errs)
		require.Equal(t, 2*time.Second, time.Since(began))
		require.Empty(t, guard.Each(t.Context(), 0, func(int) error { panic("of none") }))
	})
}

func TestAGroupIsWaitedForToItsLastAndHasTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g guard.Group
		require.NoError(t, g.Wait(), "of none")
		began := time.Now()
		g.Go(t.Context(), func() error { time.Sleep(time.Minute); return errors.New("later") })
		g.Go(t.Context(), func() error { time.Sleep(time.Second); return errOwn })
		require.Equal(t, errOwn, g.Wait())
		require.Equal(t, time.Minute, time.Since(began))
	})
}

// put is what panics with a map that is none.
func put(m map[string]int, key string) { m[key] = 1 }

func TestCallsAreMadeSideBySideOrInTurnWhereTheyAreNear(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	met := make(chan struct{})
	require.NoError(t, guard.Beside(t.Context(), false,
		func() error { met <- struct{}{}; return nil },
		func() error { <-met; return nil }), "each waits for the other")
	for _, near := range []bool{false, true} {
		require.NoError(t, guard.Beside(t.Context(), near))
		var after bool
		require.Equal(t, first, guard.Beside(t.Context(), near,
			func() error { return nil },
			func() error { return first },
			func() error { after = true; return second }))
		require.Equal(t, !near, after, "in turn the first error ends it")
	}
}
