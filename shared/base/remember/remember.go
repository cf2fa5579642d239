// Package remember remembers what was read, for a while or until it is written, so that what all visitors are shown
// alike, or all attempts at a receiver depend on, is not read for each of them. What is remembered of each kind has a
// bound.
package remember

import (
	"context"
	"sync"
	"time"
)

// Rule says how long what is read is valid. It is asked as a reading begins; the reading is done with the context that
// it returns, and what came of it is valid as long as valid says so; nil: not at all.
type Rule func(ctx context.Context) (reading context.Context, valid func() bool)

// For is the rule that what was read is valid for life, from the moment the reading began; 0: not at all.
func For(now func() time.Time, life time.Duration) Rule {
	return func(ctx context.Context) (context.Context, func() bool) {
		if life <= 0 {
			return ctx, nil
		}
		until := now().Add(life)
		return ctx, func() bool { return now().Before(until) }
	}
}

// Memory remembers values by their keys, each as long as the memory's rule says, and at most so many at once. It is
// safe for concurrent use. Two who ask for the same value at once may both read it.
type Memory[K comparable, V any] struct {
	rule   Rule
	values *bounded[K, remembered[V]]
}

// remembered is a value, and whether it is still valid.
type remembered[V any] struct {
	value V
	valid func() bool
}

// New is a memory of at most so many values.
func New[K comparable, V any](rule Rule, most int) *Memory[K, V] {
	return &Memory[K, V]{rule: rule, values: newBounded[K, remembered[V]](most)}
}

// Get is the value of the key, read now unless it is remembered. An error is not remembered. What the value is made of
// is read in read alone, and there from no other memory: the rule has to see it.
func (m *Memory[K, V]) Get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	if r, has := m.values.get(key); has && r.valid() {
		return r.value, nil
	}
	reading, valid := m.rule(ctx)
	value, err := read(reading)
	if err == nil && valid != nil {
		m.values.update(key, func(remembered[V], bool) remembered[V] { return remembered[V]{value, valid} })
	}
	return value, err
}

// Last is what was read last for each key, for who can tell cheaply whether it is still right. It is safe for
// concurrent use.
type Last[K comparable, V any] struct{ values *bounded[K, V] }

// NewLast remembers at most so many values.
func NewLast[K comparable, V any](most int) Last[K, V] { return Last[K, V]{newBounded[K, V](most)} }

// Get is the value remembered for the key.
func (l Last[K, V]) Get(key K) (value V, has bool) { return l.values.get(key) }

// Set remembers the value for the key.
func (l Last[K, V]) Set(key K, value V) {
	l.Update(key, func(V, bool) V { return value })
}

// Update remembers what change makes of the value remembered for the key, and returns it; nobody else's comes between.
func (l Last[K, V]) Update(key K, change func(value V, has bool) V) V {
	return l.values.update(key, change)
}

// Forget forgets the value of the key, and returns it.
func (l Last[K, V]) Forget(key K) (value V, had bool) { return l.values.forget(key) }

// Weigh also bounds what is remembered by its bytes. weigh says how many a value takes; together the values take at
// most `bytes`, and a value that takes more than a tenth of that is not remembered. It is called before the first value
// is asked for.
func (m *Memory[K, V]) Weigh(weigh func(V) int, bytes int) *Memory[K, V] {
	m.values.weigh, m.values.bytes = func(r remembered[V]) int { return weigh(r.value) }, bytes
	return m
}

// Weigh is Memory.Weigh.
func (l Last[K, V]) Weigh(weigh func(V) int, bytes int) Last[K, V] {
	l.values.weigh, l.values.bytes = weigh, bytes
	return l
}

// bounded is a map of at most so many values, safe for concurrent use.
type bounded[K comparable, V any] struct {
	most   int
	weigh  func(V) int // nil: values are not weighed
	bytes  int         // what they may weigh together
	mu     sync.RWMutex
	values map[K]V
	weight int // what they do weigh
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

// update sets what change makes of the key's value. When there are too many, or too much, it drops any others for that.
func (b *bounded[K, V]) update(key K, change func(value V, has bool) V) V {
	b.mu.Lock()
	defer b.mu.Unlock()
	value, has := b.values[key]
	value = change(value, has)
	b.drop(key)
	weight := b.weightOf(value)
	if weight > b.bytes/10 {
		return value
	}
	for other := range b.values {
		if len(b.values) < b.most && b.weight+weight <= b.bytes {
			break
		}
		b.drop(other)
	}
	b.values[key] = value
	b.weight += weight
	return value
}

// drop drops the key's value, if there is one. The lock is held.
func (b *bounded[K, V]) drop(key K) {
	if value, has := b.values[key]; has {
		b.weight -= b.weightOf(value)
		delete(b.values, key)
	}
}

// weightOf is 0 where values are not weighed.
func (b *bounded[K, V]) weightOf(value V) int {
	if b.weigh == nil {
		return 0
	}
	return b.weigh(value)
}

func (b *bounded[K, V]) forget(key K) (value V, had bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	value, had = b.values[key]
	b.drop(key)
	return value, had
}
