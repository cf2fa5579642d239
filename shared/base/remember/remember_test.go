package remember

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// counter reads how often it was asked.
type counter int

func (c *counter) read(context.Context) (int, error) { *c++; return int(*c), nil }

func TestAValueIsRememberedForItsLifeAndNotLonger(t *testing.T) {
	now, reads := time.Unix(0, 0), counter(0)
	m := New[string, int](For(func() time.Time { return now }, 30*time.Second), 10)
	get := func() int { v, err := m.Get(t.Context(), "a", reads.read); require.NoError(t, err); return v }
	require.Equal(t, 1, get())
	now = now.Add(30*time.Second - 1)
	require.Equal(t, 1, get())
	now = now.Add(1)
	require.Equal(t, 2, get())
}

func TestWithoutALifeEachValueIsRead(t *testing.T) {
	reads := counter(0)
	m := New[string, int](For(time.Now, 0), 10)
	for want := 1; want <= 3; want++ {
		v, err := m.Get(t.Context(), "a", reads.read)
		require.NoError(t, err)
		require.Equal(t, want, v)
	}
	require.Empty(t, m.values.values)
}

func TestAnErrorIsNotRemembered(t *testing.T) {
	reads := counter(0)
	m := New[string, int](For(time.Now, time.Hour), 10)
	_, err := m.Get(t.Context(), "a", func(context.Context) (int, error) { return 0, errors.New("down") })
	require.Error(t, err)
	v, err := m.Get(t.Context(), "a", reads.read)
	require.NoError(t, err)
	require.Equal(t, 1, v)
}

func TestAMemoryHasABound(t *testing.T) {
	reads := counter(0)
	m, l := New[int, int](For(time.Now, time.Hour), 10), NewLast[int, int](10)
	for key := range 1000 {
		_, err := m.Get(t.Context(), key, reads.read)
		require.NoError(t, err)
		l.Set(key, key)
		v, has := l.Get(key)
		require.True(t, has)
		require.Equal(t, key, v)
	}
	require.Len(t, m.values.values, 10)
	require.Len(t, l.values.values, 10)
}

func TestWhatIsKeptAlreadyTakesNobodysPlace(t *testing.T) {
	l := NewLast[int, int](10)
	for key := range 10 {
		l.Set(key, key)
	}
	for key := range 10 {
		require.Equal(t, key+1, l.Update(key, func(value int, has bool) int { require.True(t, has); return value + 1 }))
	}
	for key := range 10 {
		value, had := l.Forget(key)
		require.True(t, had)
		require.Equal(t, key+1, value)
	}
	require.Equal(t, 1, l.Update(3, func(value int, has bool) int { require.False(t, has); return value + 1 }))
}

func TestWhatIsWeighedHasABoundByItsBytes(t *testing.T) {
	l := NewLast[int, int](1_000).Weigh(func(v int) int { return v }, 100)
	for key := range 50 {
		l.Set(key, 10)
	}
	require.Len(t, l.values.values, 10)
	require.Equal(t, 100, l.values.weight)
	l.Set(1_000, 11) // more than a tenth: it would push out too many
	_, has := l.Get(1_000)
	require.False(t, has)
	for key := range l.values.values {
		l.Set(key, 1)
		require.Equal(t, 91, l.values.weight)
		_, _ = l.Forget(key)
		break
	}
	require.Equal(t, 90, l.values.weight)

	m := New[int, int](For(time.Now, time.Hour), 1_000).Weigh(func(v int) int { return v }, 100)
	for key := range 50 {
		_, err := m.Get(t.Context(), key, func(context.Context) (int, error) { return 10, nil })
		require.NoError(t, err)
	}
	require.Len(t, m.values.values, 10)
}
