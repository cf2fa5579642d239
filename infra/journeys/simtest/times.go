package simtest

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// times are how long something took, each time.
type times struct {
	of  string
	mu  sync.Mutex
	all []time.Duration
}

func (t *times) add(d time.Duration) { t.mu.Lock(); defer t.mu.Unlock(); t.all = append(t.all, d) }

// p is the time that so many percent took at most.
func (t *times) p(percent int) time.Duration {
	slices.Sort(t.all)
	return t.all[(len(t.all)*percent+99)/100-1]
}

// String is what a test logs of the times.
func (t *times) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, longest %s of %d", t.p(50), t.p(99), t.p(100), len(t.all))
}

// after is closed so much later.
func after(d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(d, func() { close(over) })
	return over
}

// either is closed as the first of the two is.
func either(a, b <-chan struct{}) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-a:
		case <-b:
		}
	}()
	return over
}
