package catalog

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/store"
)

func TestChoosing(t *testing.T) {
	item := func(slugs ...string) (all []URL) {
		for _, s := range slugs {
			all = append(all, URL{ID: s, Slug: s})
		}
		return all
	}
	for _, c := range []struct {
		name  string
		taken int // so many of the first candidates are others'
		own   []URL
		want  string
	}{
		{"the slug itself when it is free", 0, item("s-3"), "s"},
		{"its own with a suffix before a free one", 1, item("s-3"), "s-3"},
		{"the first free one", 3, item("x"), "s-4"},
		{"none", 100, nil, ""},
	} {
		n := unasked()
		for _, s := range (Catalog{}).candidates("s")[:c.taken] {
			n.found[SlugKey("shop", s)] = holder{claim: &store.Item{Text: map[string]string{"owner": "P#other"}}}
		}
		s, err := Catalog{}.chooseCustomSlug(context.Background(), n, "s", c.own)
		require.Equal(t, c.want, s, c.name)
		require.Equal(t, c.want == "", err != nil, c.name)
	}
	require.Len(t, Catalog{Reserved: func(s string) bool { return s == "s-7" }}.candidates("s"), 99)
	require.True(t, slices.IsSortedFunc(Catalog{}.candidates("s"), func(a, b string) int {
		return len(a) - len(b)
	}))
}
