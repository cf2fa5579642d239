// Package remember keeps what was read for a while, so that what all visitors are shown alike is not read for each of
// them.
package remember

import (
	"context"
	"sync"
	"time"
)

// Memory keeps values by their keys, each for the memory's life from the moment it was read, and at most so many at
// once. It is safe for concurrent use. Two who ask for the same value at once may both read it.
type Memory[K comparable, V any] struct {
	now   func() time.Time
	life  time.Duration
	known *bounded[K, dated[V]]
}

// dated is a value and until when it is believed.
type dated[V any] struct {
	value V
	until time.Time
}

// New is a memory that remembers at most so many values for life; 0: none, each is read when it is asked for.
func New[K comparable, V any](now func() time.Time, life time.Duration, most int) *Memory[K, V] {
	return &Memory[K, V]{now: now, life: life, known: newBounded[K, dated[V]](most)}
}

// Get is the value of the key, read now unless it is remembered. An error is not remembered.
func (m *Memory[K, V]) Get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	if m.life <= 0 {
		return read(ctx)
	}
	began := m.now()
	if d, has := m.known.get(key); has && began.Before(d.until) {
		return d.value, nil
	}
	value, err := read(ctx)
	if err == nil {
		m.known.keep(key, dated[V]{value, began.Add(m.life)})
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
