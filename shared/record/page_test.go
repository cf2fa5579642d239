package record_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/store"
)

// partitions are index rows in their order, by partition, and answer at most two of them at once.
type partitions map[string][]store.Item

func (p partitions) Query(_ context.Context, q store.Query) (store.Page, error) {
	rows := slices.Clone(p[q.PK])
	if q.Descending {
		slices.Reverse(rows)
	}
	var page store.Page
	for _, r := range rows {
		sk := r.SK
		if sk < q.From || q.To != "" && sk > q.To || q.After != "" &&
			(sk == q.After || (sk < q.After) != q.Descending) {
			continue
		}
		if len(page.Items) == min(2, q.Limit) {
			page.Next = page.Items[len(page.Items)-1].SK
			break
		}
		page.Items = append(page.Items, r)
	}
	return page, nil
}

// TestPagesAreTheCollectionInItsOrder walks partitions of any sizes by pages of any size, in a range or without one.
func TestPagesAreTheCollectionInItsOrder(t *testing.T) {
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		rows, all := partitions{}, []time.Time{}
		listing := record.Listing{Table: rows, Partitions: []string{"a", "b", "c"}}
		for i := range rapid.IntRange(0, 12).Draw(t, "records") {
			at := begin.Add(time.Duration(i) * time.Second)
			pk := rapid.SampledFrom(listing.Partitions).Draw(t, "partition")
			rows[pk] = append(rows[pk], store.Item{Key: store.Key{PK: pk, SK: fmt.Sprintf("%s#%02d", id.Stamp(at), i)},
				Num: map[string]int64{"at": at.UnixMilli()}})
			all = append(all, at)
		}
		asked := record.Asked{Limit: rapid.IntRange(1, 5).Draw(t, "limit"),
			Descending: rapid.Bool().Draw(t, "descending")}
		if rapid.Bool().Draw(t, "from") {
			asked.From = begin.Add(3 * time.Second)
		}
		if rapid.Bool().Draw(t, "to") {
			asked.To = begin.Add(8 * time.Second)
		}
		gone := begin.Add(5 * time.Second)
		load := func(_ context.Context, rows []store.Item) ([]record.Shown[time.Time], error) {
			shown := make([]record.Shown[time.Time], len(rows))
			for i, r := range rows {
				at := time.UnixMilli(r.Num["at"]).UTC()
				shown[i] = record.Shown[time.Time]{Record: at, At: at, Missing: at.Equal(gone)}
			}
			return shown, nil
		}
		want := slices.DeleteFunc(all, func(at time.Time) bool { return at.Equal(gone) || !asked.Holds(at) })
		if asked.Descending {
			slices.Reverse(want)
		}
		got := []time.Time{}
		for more := true; more; more = asked.After != "" {
			page, next, err := record.Page(t.Context(), listing, asked, load)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), asked.Limit)
			require.True(t, next == "" || len(page) == asked.Limit, "a page that others follow is full")
			got, asked.After = append(got, page...), next
		}
		require.Equal(t, want, got)
	})
}

func TestARecordTakesWhatItsDocumentAndItsTextsTake(t *testing.T) {
	item := &store.Item{Doc: make([]byte, 100), Text: map[string]string{"a": "12345", "b": "1234567"}}
	show := func(*store.Item) (string, time.Time, bool, error) { return "", time.Time{}, true, nil }
	require.Equal(t, 112, record.Show(t.Context(), item, show).Size)
}

func TestAPageEndsAtFourMiBAndGoesOnWhereItEnded(t *testing.T) {
	rows := partitions{}
	for i := range 6 {
		rows["a"] = append(rows["a"], store.Item{Key: store.Key{PK: "a", SK: fmt.Sprint(i)}})
	}
	load := func(_ context.Context, rows []store.Item) ([]record.Shown[string], error) {
		shown := make([]record.Shown[string], len(rows))
		for i, r := range rows {
			shown[i] = record.Shown[string]{Record: r.SK, Size: 4<<20 - 1}
		}
		return shown, nil
	}
	listing := record.Listing{Table: rows, Partitions: []string{"a"}}
	page, next, err := record.Page(t.Context(), listing, record.Asked{Limit: 50}, load)
	require.NoError(t, err)
	require.Equal(t, []string{"0", "1"}, page)
	page, _, err = record.Page(t.Context(), listing, record.Asked{Limit: 50, After: next}, load)
	require.NoError(t, err)
	require.Equal(t, []string{"2", "3"}, page)
}
