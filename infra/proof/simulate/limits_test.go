package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"eshop/infra/proof/model"
)

// hourly is the limit of an access that uses it up.
const hourly = 60

// limits is what an access was let through, by window.
type limits struct {
	client  *client
	mu      sync.Mutex
	windows map[string]*model.Window // by when it ends
	passed  []passed                 // since the last crash
}

// passed is a request that passed, and in which window.
type passed struct {
	at     time.Time
	window string
}

// actor asks for much at once.
func (l *limits) actor(*shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		var asking sync.WaitGroup
		for range 5 + r.IntN(40) {
			asking.Go(func() { l.ask() })
		}
		asking.Wait()
	}
}

// ask makes a request and counts it in its hour as passed, denied or unknown. A request without an answer may belong to
// the hour before or after, so it counts in both.
func (l *limits) ask() {
	before := l.reset()
	a := l.client.ask("GET", "/api-engine/shop", nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	window := a.Header.Get("X-RateLimit-Hourly-Reset")
	switch {
	case a.Status == model.Unknown: // of the window before or after
		l.window(before).Unknown++
		if after := l.reset(); after != before {
			l.window(after).Unknown++
		}
	case a.Status == 429:
		l.window(window).Denied++
	default:
		l.window(window).Passed++
		l.passed = append(l.passed, passed{time.Now(), window})
	}
}

// reset is when the hour ends, by the platform's clock.
func (l *limits) reset() string {
	s := l.client.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(time.Now().Add(s.skew).Truncate(time.Hour).Add(time.Hour).Unix())
}

// window is what was counted of an hour.
func (l *limits) window(name string) *model.Window {
	if l.windows[name] == nil {
		l.windows[name] = &model.Window{Limit: hourly}
	}
	return l.windows[name]
}

// forget notes that the charges of what passed since then may be lost.
func (l *limits) forget(since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.passed {
		if !p.at.Before(since) {
			l.window(p.window).Forgotten++
		}
	}
	l.passed = nil
}

// check holds each hour against the limit (contract, "Rate limits").
func (l *limits) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for end, w := range l.windows {
		if err := w.Check(); err != nil {
			return fmt.Errorf("the hour that ends at %s: %w", end, err)
		}
	}
	return nil
}
