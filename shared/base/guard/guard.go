// Package guard keeps a panic from ending more than what it is about. A panic on a goroutine of its own ends the
// process, and with it what everybody else has under way in it; where something stored is the cause, it ends each
// further start, too.
//
// So every goroutine is started here: Each and Beside run calls side by side, a Group what comes one by one or lasts,
// Go and After a single function. And whoever handles one of many, a message, a row or a shop, does so by Do or defers
// Caught, so that the others go on. Wait, which starts none, is how all wait for a time that may be cut short.
package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// ErrPanic is the error of what panicked.
var ErrPanic = errors.New("panic")

// Caught is deferred by what may panic: a panic becomes its error. The log has the stack and the attributes. The panic
// value may be data of customers, so neither log nor error repeats it, unless it is a runtime error of Go, whose words
// are safe.
func Caught(ctx context.Context, err *error, attrs ...any) {
	v := recover()
	if v == nil {
		return
	}
	what := fmt.Sprintf("of a %T", v)
	if own, is := v.(runtime.Error); is {
		what = own.Error()
	}
	slog.ErrorContext(ctx, "panic", append(attrs, "panic", what, "stack", string(debug.Stack()))...)
	*err = fmt.Errorf("%w: %s", ErrPanic, what)
}

// Do is f's error, also when f panics.
func Do(ctx context.Context, f func() error, attrs ...any) (err error) {
	defer Caught(ctx, &err, attrs...)
	return f()
}

// Go runs f on a goroutine of its own.
func Go(ctx context.Context, f func()) {
	go func() {
		defer Caught(ctx, new(error))
		f()
	}()
}

// After runs f on a goroutine of its own when d is over, unless the timer is stopped before.
func After(ctx context.Context, d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() {
		defer Caught(ctx, new(error))
		f()
	})
}

// Wait waits for d. It is false if ctx ended first.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Each runs f for 0 to n-1 side by side, the first on the caller's goroutine, and returns the error of each: First of
// them is the first, errors.Join all.
func Each(ctx context.Context, n int, f func(i int) error) []error {
	errs := make([]error, n)
	var others sync.WaitGroup
	for i := 1; i < n; i++ {
		others.Go(func() { errs[i] = Do(ctx, func() error { return f(i) }) })
	}
	if n > 0 {
		errs[0] = Do(ctx, func() error { return f(0) })
	}
	others.Wait()
	return errs
}

// Beside makes the calls side by side or, where what they ask is near (it answers within microseconds), in turn up to
// the first error. It returns the first error.
func Beside(ctx context.Context, near bool, calls ...func() error) error {
	if !near {
		return First(Each(ctx, len(calls), func(i int) error { return calls[i]() }))
	}
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// First is the first error that there is; nil when there is none.
func First(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Group is what runs side by side and is waited for. The zero value is empty.
type Group struct {
	running sync.WaitGroup
	mu      sync.Mutex
	err     error
}

// Go runs f on a goroutine of its own. It may be called while others wait, by what is in the group.
func (g *Group) Go(ctx context.Context, f func() error) {
	g.running.Go(func() {
		if err := Do(ctx, f); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.err == nil {
				g.err = err
			}
		}
	})
}

// Wait waits until nothing of the group runs, and returns the first error that came.
func (g *Group) Wait() error {
	g.running.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
