package record_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/record"
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
		names := []string{"a", "b", "c"}
		listing := record.InPartitions(rows, store.Primary, names...)
		for i := range rapid.IntRange(0, 12).Draw(t, "records") {
			at := begin.Add(time.Duration(i) * time.Second)
			pk := rapid.SampledFrom(names).Draw(t, "partition")
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

// sized are index rows of a collection whose records take so many bytes each in an answer, and stored as much.
func sized(sizes []int) (record.Listing, *reads) {
	rows, sized := sizedRows(sizes)
	return record.InPartitions(rows, store.Primary, "a"), sized
}

func sizedRows(sizes []int) (partitions, *reads) {
	rows := partitions{}
	for i, n := range sizes {
		rows["a"] = append(rows["a"], store.Item{Key: store.Key{PK: "a", SK: fmt.Sprintf("%05d", i)},
			Parts: record.Extent(5, n)})
	}
	return rows, &reads{sizes: sizes, times: map[int]int{}}
}

// reads loads the records of sized, and counts what it loads.
type reads struct {
	sizes []int
	bytes int
	times map[int]int // by record
}

func (r *reads) load(_ context.Context, rows []store.Item) ([]record.Shown[int], error) {
	shown := make([]record.Shown[int], len(rows))
	for i, row := range rows {
		n, _ := strconv.Atoi(row.SK)
		r.bytes += r.sizes[n]
		r.times[n]++
		shown[i] = record.Shown[int]{Record: n, Size: r.sizes[n]}
	}
	return shown, nil
}

// TestAPageReadsWhatItAnswersAndOneRecordMore walks records of any sizes: no page is larger than 4 MB, unless it has
// one record, it reads no more than it shows and one record, and the walk shows each record once.
func TestAPageReadsWhatItAnswersAndOneRecordMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(1, 2_000), rapid.IntRange(1, 3_000_000))
		listing, reads := sized(rapid.SliceOfN(size, 1, 40).Draw(t, "sizes"))
		largest := slices.Max(reads.sizes)
		asked := record.Asked{Limit: rapid.IntRange(1, 250).Draw(t, "limit")}
		var walked []int
		for more := true; more; more = asked.After != "" {
			reads.bytes = 0
			page, next, err := record.Page(t.Context(), listing, asked, reads.load)
			require.NoError(t, err)
			bytes := 0
			for _, n := range page {
				bytes += reads.sizes[n]
			}
			require.NotEmpty(t, page)
			require.True(t, bytes <= 4_000_000 || len(page) == 1, "a page of %d bytes", bytes)
			require.LessOrEqual(t, reads.bytes, bytes+largest+40<<10) // an entry says the size in whole KiB
			walked, asked.After = append(walked, page...), next
		}
		require.True(t, slices.IsSorted(walked))
		require.Len(t, walked, len(reads.sizes))
	})
}

func TestAWalkOverTheLargestRecordsReadsEachOnce(t *testing.T) {
	listing, reads := sized(slices.Repeat([]int{2<<20 + 300<<10}, 60))
	for asked := (record.Asked{Limit: 250}); ; {
		page, next, err := record.Page(t.Context(), listing, asked, reads.load)
		require.NoError(t, err)
		require.Len(t, page, 1)
		if asked.After = next; next == "" {
			break
		}
	}
	require.Len(t, reads.times, 60)
	for n, times := range reads.times {
		require.Equal(t, 1, times, n)
	}
}

func TestAnOrdinaryPageIsReadInOnePiece(t *testing.T) {
	rows, reads := sizedRows(slices.Repeat([]int{4 << 10}, 250))
	calls := 0
	all := record.Listing{Entries: func(_ context.Context, q store.Query) (store.Page, error) {
		return store.Page{Items: rows["a"][:q.Limit]}, nil
	}}
	page, _, err := record.Page(t.Context(), all,
		record.Asked{Limit: 250}, func(ctx context.Context, rows []store.Item) ([]record.Shown[int], error) {
			calls++
			return reads.load(ctx, rows)
		})
	require.NoError(t, err)
	require.Len(t, page, 250)
	require.Equal(t, 1, calls)
}

func TestAnExtentSaysWhatThePackageSaysAndTheSize(t *testing.T) {
	for _, own := range []int{0, 1, 77, 255} {
		for _, bytes := range []int{0, 1023, 1024, 3 << 20} {
			require.Equal(t, own, record.Own(record.Extent(own, bytes)))
		}
	}
}
