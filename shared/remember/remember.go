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
	now  func() time.Time
	life time.Duration
	most int

	mu    sync.RWMutex
	known map[K]kept[V]
}

// kept is a value and until when it is believed.
type kept[V any] struct {
	value V
	until time.Time
}

// New is a memory that remembers at most so many values for life; 0: none, each is read when it is asked for.
func New[K comparable, V any](now func() time.Time, life time.Duration, most int) *Memory[K, V] {
	return &Memory[K, V]{now: now, life: life, most: most, known: map[K]kept[V]{}}
}

// Get is the value of the key, read now unless it is remembered. An error is not remembered.
func (m *Memory[K, V]) Get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	if m.life <= 0 {
		return read(ctx)
	}
	began := m.now()
	m.mu.RLock()
	k, has := m.known[key]
	m.mu.RUnlock()
	if has && began.Before(k.until) {
		return k.value, nil
	}
	value, err := read(ctx)
	if err == nil {
		m.keep(key, kept[V]{value, began.Add(m.life)})
	}
	return value, err
}

// keep keeps the value, in the place of any other one when there are too many.
func (m *Memory[K, V]) keep(key K, k kept[V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, has := m.known[key]; !has && len(m.known) >= m.most {
		for other := range m.known {
			delete(m.known, other)
			break
		}
	}
	m.known[key] = k
}

// Last is what was read last for each key, for who can tell cheaply whether it is still right. It is safe for
// concurrent use.
type Last[K comparable, V any] struct {
	memory *Memory[K, V]
}

// NewLast keeps at most so many values.
func NewLast[K comparable, V any](most int) Last[K, V] {
	return Last[K, V]{&Memory[K, V]{most: most, known: map[K]kept[V]{}}}
}

// Get is the value kept for the key.
func (l Last[K, V]) Get(key K) (value V, has bool) {
	l.memory.mu.RLock()
	defer l.memory.mu.RUnlock()
	k, has := l.memory.known[key]
	return k.value, has
}

// Keep keeps the value for the key.
func (l Last[K, V]) Keep(key K, value V) { l.memory.keep(key, kept[V]{value: value}) }
