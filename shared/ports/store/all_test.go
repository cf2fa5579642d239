package store

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// counting is a table with the items "0" to "9" in each partition, at most three of them in a page.
type counting struct {
	Table
	asked []string // what each Query went on behind
	fails int      // the number of the Query that fails; 0: none does
}

var errQuery = errors.New("no")

func (c *counting) Query(_ context.Context, q Query) (page Page, err error) {
	if c.asked = append(c.asked, q.After); len(c.asked) == c.fails {
		return Page{}, errQuery
	}
	from := 0
	if q.After != "" {
		last, _ := strconv.Atoi(q.After)
		from = last + 1
	}
	for n := from; n < min(from+3, 10); n++ {
		page.Items = append(page.Items, Item{Key: Key{q.PK, strconv.Itoa(n)}})
		page.Next = strconv.Itoa(n)
	}
	if page.Next == "9" {
		page.Next = ""
	}
	return page, nil
}

func TestAQueryIsReadToItsEnd(t *testing.T) {
	c := &counting{}
	items, err := QueryAll(t.Context(), c, Query{PK: "p"}, 1_000)
	require.NoError(t, err)
	require.Equal(t, []string{"", "2", "5", "8"}, c.asked)
	require.Len(t, items, 10)
	for n, i := range items {
		require.Equal(t, Key{"p", strconv.Itoa(n)}, i.Key)
	}
}

func TestAPageThatFailsEndsThem(t *testing.T) {
	c := &counting{fails: 2}
	items, err := QueryAll(t.Context(), c, Query{PK: "p"}, 1_000)
	require.ErrorIs(t, err, errQuery)
	require.Nil(t, items)
	require.Len(t, c.asked, 2)
}

func TestPagesThatNobodyWantsAreNotRead(t *testing.T) {
	c := &counting{}
	for page, err := range Pages(t.Context(), c, Query{PK: "p"}) {
		require.NoError(t, err)
		require.Len(t, page.Items, 3)
		if len(c.asked) == 2 {
			break
		}
	}
	require.Equal(t, []string{"", "2"}, c.asked)
}
