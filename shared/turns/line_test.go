package turns

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurnsGoRoundByShop(t *testing.T) {
	var l Line[string]
	next := func() string { v, _ := l.Next(); return v }
	require.Empty(t, next())
	for _, v := range []string{"a1", "a2", "a3", "b1", "c1", "b2"} {
		l.Put(v[:1], v)
	}
	require.Equal(t, []string{"a1", "a2", "a3"}, l.Waiting("a"))
	require.Equal(t, []string{"a1", "b1", "c1", ""}, []string{next(), next(), next(), next()}, "one slot a shop")
	l.Done("b")
	l.Done("c")
	l.Done("a")
	l.Put("c", "c2")
	require.Equal(t, []string{"b2", "a2", "c2", ""}, []string{next(), next(), next(), next()})
	l.Done("a")
	require.Equal(t, []string{"a3", ""}, []string{next(), next()})
}

func TestWhoLeavesHoldsUpNobody(t *testing.T) {
	var l Line[string]
	for _, v := range []string{"a1", "a2", "b1"} {
		l.Put(v[:1], v)
	}
	require.True(t, l.Leave("a", "a1"))
	require.True(t, l.Leave("a", "a2"))
	require.False(t, l.Leave("a", "a2"))
	v, ok := l.Next()
	require.True(t, ok)
	require.Equal(t, "b1", v)
	require.False(t, l.Leave("b", "b1"), "it had its turn")
	l.Put("b", "b2")
	require.True(t, l.Leave("b", "b2"))
	l.Done("b")
	_, ok = l.Next()
	require.False(t, ok)
}
