package address

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
	"eshop/shared/record/change"
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
		n := Addresses{}.Names(&change.Unit{Shop: "shop", Now: time.Now})
		n.Unasked = true
		for i := range c.taken {
			s := "s"
			if i > 0 {
				s = fmt.Sprint("s-", i+1)
			}
			n.found[SlugKey("shop", s)] = holder{claim: &store.Item{Text: map[string]string{"owner": "P#other"}}}
		}
		s, has, err := n.chooseCustom(t.Context(), Owner{Product, "this"}, "s", c.own)
		require.Equal(t, c.want, s, c.name)
		require.Equal(t, has != nil, c.own != nil && c.own[0].Slug == s, c.name)
		require.Equal(t, c.want == "", err != nil, c.name)
	}
}

func TestNoReservedSlugIsChosen(t *testing.T) {
	n := Addresses{Reserved: func(s string) bool { return s == "s-2" }}.Names(&change.Unit{Shop: "shop", Now: time.Now})
	n.Unasked = true
	n.found[SlugKey("shop", "s")] = holder{claim: &store.Item{Text: map[string]string{"owner": "P#other"}}}
	s, _, err := n.chooseCustom(t.Context(), Owner{Product, "this"}, "s", nil)
	require.NoError(t, err)
	require.Equal(t, "s-3", s)
	require.Equal(t, []string{"s", "s-3", "s-4"}, n.Slugs(Owner{Product, "this"}, Address{}, "S")[:3])
}
