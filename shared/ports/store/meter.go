package store

import (
	"context"
	"sync"
)

// Meter counts what one request asks of stores and counters, so that tests can hold it against an operation's budget. A
// store finds it in the context and counts itself; without one nothing is counted.
type Meter struct {
	mu         sync.Mutex
	calls      int
	readUnits  float64
	writeUnits float64
}

type meterKey struct{}

// WithMeter returns a context whose calls of stores and counters are counted in the meter.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

// MeterOf is the context's meter, nil when it has none. A nil meter counts nothing.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Begin counts one call; the function it returns ends it with the capacity units it took as DynamoDB counts them.
func (m *Meter) Begin() func(readUnits, writeUnits float64) {
	if m == nil {
		return func(float64, float64) {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return func(r, w float64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.readUnits += r
		m.writeUnits += w
	}
}

// Calls is how many calls were made, and Units the capacity they took.
func (m *Meter) Calls() int { m.mu.Lock(); defer m.mu.Unlock(); return m.calls }

// Units is the read and write capacity taken, in DynamoDB's units: a strongly consistent read of 4 KB is one, an
// eventual one half, a write of 1 KB one, in a transaction two, each index written one more.
func (m *Meter) Units() (read, write float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.readUnits, m.writeUnits
}
