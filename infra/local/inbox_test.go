package local

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurnsGoRoundByShop(t *testing.T) {
	files := newInbox()
	put := func(shop, job string) { files.put(shop + "/" + job + "/file") }
	next := func() string {
		key, _ := files.next()
		return jobOf(key)
	}
	require.Equal(t, ".", next(), "no file")
	for _, job := range []string{"a1", "a2", "a3", "b1", "c1", "b2"} {
		put(job[:1], job)
	}
	require.Equal(t, []string{"a/a1/file", "a/a2/file", "a/a3/file"}, files.waiting["a"])
	require.Equal(t, []string{"a/a1", "b/b1", "c/c1", "."}, []string{next(), next(), next(), next()},
		"one slot a shop")
	files.done("b/b1/file")
	files.done("c/c1/file")
	files.done("a/a1/file")
	put("c", "c2")
	require.Equal(t, []string{"b/b2", "a/a2", "c/c2", "."}, []string{next(), next(), next(), next()})
	files.done("a/a2/file")
	require.Equal(t, []string{"a/a3", "."}, []string{next(), next()})
}
