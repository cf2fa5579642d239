package catalog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoosing(t *testing.T) {
	slugs := []string{"s", "s-2", "s-3", "s-4"}
	own := func(own ...string) (all []URL) {
		for _, s := range own {
			all = append(all, URL{ID: s, Slug: s})
		}
		return all
	}
	for _, c := range []struct {
		name string
		free []bool
		own  []URL
		want int
	}{
		{"the slug itself when it is free", []bool{true, true, true, true}, own("s-3"), 0},
		{"its own with a suffix before a free one", []bool{false, true, false, true}, own("s-3"), 2},
		{"the first free one", []bool{false, false, true, true}, own("x"), 2},
		{"none", []bool{false, false, false, false}, nil, -1},
	} {
		require.Equal(t, c.want, chooseCustomSlug(slugs, c.free, c.own), c.name)
	}
	require.Len(t, Catalog{Reserved: func(s string) bool { return s == "s-7" }}.candidates("s"), 99)
	require.True(t, slices.IsSortedFunc(Catalog{}.candidates("s"), func(a, b string) int {
		return len(a) - len(b)
	}))
}
