package local

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurnsGoRoundByShop(t *testing.T) {
	var l turns
	next := func() string { v, _ := l.next(); return v }
	require.Empty(t, next())
	for _, v := range []string{"a1", "a2", "a3", "b1", "c1", "b2"} {
		l.put(v[:1], v)
	}
	require.Equal(t, []string{"a1", "a2", "a3"}, l.ofShop("a"))
	require.Equal(t, []string{"a1", "b1", "c1", ""}, []string{next(), next(), next(), next()}, "one slot a shop")
	l.done("b")
	l.done("c")
	l.done("a")
	l.put("c", "c2")
	require.Equal(t, []string{"b2", "a2", "c2", ""}, []string{next(), next(), next(), next()})
	l.done("a")
	require.Equal(t, []string{"a3", ""}, []string{next(), next()})
}

func TestWhoLeavesHoldsUpNobody(t *testing.T) {
	var l turns
	for _, v := range []string{"a1", "a2", "b1"} {
		l.put(v[:1], v)
	}
	require.True(t, l.leave("a", "a1"))
	require.True(t, l.leave("a", "a2"))
	require.False(t, l.leave("a", "a2"))
	v, ok := l.next()
	require.True(t, ok)
	require.Equal(t, "b1", v)
	require.False(t, l.leave("b", "b1"), "it had its turn")
	l.put("b", "b2")
	require.True(t, l.leave("b", "b2"))
	l.done("b")
	_, ok = l.next()
	require.False(t, ok)
}
