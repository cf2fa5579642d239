// Package remember keeps what was read, for a while or until it is written, so that what all visitors are shown alike
// is not read for each of them.
package remember

import (
	"context"
	"sync"
	"time"
)

// Rule says how long what is read may be believed. It is asked as a reading begins; the reading is done with the
// context that it returns, and what came of it is believed as long as holds says so; nil: not at all.
type Rule func(ctx context.Context) (reading context.Context, holds func() bool)

// For believes what was read for life, from the moment the reading began; 0: not at all.
func For(now func() time.Time, life time.Duration) Rule {
	return func(ctx context.Context) (context.Context, func() bool) {
		if life <= 0 {
			return ctx, nil
		}
		until := now().Add(life)
		return ctx, func() bool { return now().Before(until) }
	}
}

// Memory keeps values by their keys, each as long as the memory's rule says, and at most so many at once. It is safe
// for concurrent use. Two who ask for the same value at once may both read it.
type Memory[K comparable, V any] struct {
	rule  Rule
	known *bounded[K, believed[V]]
}

// believed is a value and whether it still is to be believed.
type believed[V any] struct {
	value V
	holds func() bool
}

// New is a memory of at most so many values.
func New[K comparable, V any](rule Rule, most int) *Memory[K, V] {
	return &Memory[K, V]{rule: rule, known: newBounded[K, believed[V]](most)}
}

// Get is the value of the key, read now unless it is remembered. An error is not remembered. What the value is made of
// is read in read alone, and there from no other memory: the rule has to see it.
func (m *Memory[K, V]) Get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	if b, has := m.known.get(key); has && b.holds() {
		return b.value, nil
	}
	reading, holds := m.rule(ctx)
	value, err := read(reading)
	if err == nil && holds != nil {
		m.known.keep(key, believed[V]{value, holds})
	}
	return value, err
}

// Last is what was read last for each key, for who can tell cheaply whether it is still right. It is safe for
// concurrent use.
type Last[K comparable, V any] struct{ known *bounded[K, V] }

// NewLast keeps at most so many values.
func NewLast[K comparable, V any](most int) Last[K, V] { return Last[K, V]{newBounded[K, V](most)} }

// Get is the value kept for the key.
func (l Last[K, V]) Get(key K) (value V, has bool) { return l.known.get(key) }

// Keep keeps the value for the key.
func (l Last[K, V]) Keep(key K, value V) { l.known.keep(key, value) }

// bounded is a map of at most so many values, safe for concurrent use.
type bounded[K comparable, V any] struct {
	most   int
	mu     sync.RWMutex
	values map[K]V
}

func newBounded[K comparable, V any](most int) *bounded[K, V] {
	return &bounded[K, V]{most: most, values: map[K]V{}}
}

func (b *bounded[K, V]) get(key K) (value V, has bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	value, has = b.values[key]
	return value, has
}

// keep keeps the value, in the place of any other one when there are too many.
func (b *bounded[K, V]) keep(key K, value V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, has := b.values[key]; !has && len(b.values) >= b.most {
		for other := range b.values {
			delete(b.values, other)
			break
		}
	}
	b.values[key] = value
}
