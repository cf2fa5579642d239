package bolt

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
)

// TestManyWhoAddAtOnceRiseInOneCommit: each has planned the same moment, none is refused, and the feed tells the
// versions that the item had.
func TestManyWhoAddAtOnceRiseInOneCommit(t *testing.T) {
	const many = 50
	d := opened(t, filepath.Join(t.TempDir(), "data"))
	table, now := d.Table("main"), time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	key, first := store.Key{PK: "p", SK: "A"}, id.New(now, rand.Reader)
	write := func(change events.Change, conds ...store.Condition) error {
		version := change.Records[0].Version
		_, err := table.Write(t.Context(), change, store.Update(key, store.Set{Version: version,
			Index1: &store.Key{PK: "list", SK: version[:10] + "#p"}, Add: map[string]int64{"sold": 1}}, conds...))
		return err
	}
	changeTo := func(version string) events.Change {
		return events.Change{Records: []events.Record{{Kind: events.Products, ID: "p", Did: events.Changed,
			Version: version}}}
	}
	require.NoError(t, write(changeTo(first)))
	var all sync.WaitGroup
	errs := make([]error, many)
	for n := range many {
		version := id.New(now.Add(time.Millisecond), rand.Reader)
		all.Go(func() { errs[n] = write(changeTo(version), store.VersionBefore(version[:10])) })
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	items, err := table.Get(t.Context(), key)
	require.NoError(t, err)
	require.EqualValues(t, 1+many, items[0].Num["sold"])
	require.Equal(t, items[0].Version[:10]+"#p", items[0].Index1.SK)

	var told []string
	ctx, cancel := context.WithCancel(t.Context())
	_ = d.Feed("main").Follow(ctx, many, func(_ context.Context, changes []events.Change) error {
		for _, c := range changes {
			told = append(told, c.Records[0].Version)
		}
		if len(told) == 1+many {
			cancel()
		}
		return nil
	})
	require.True(t, slices.IsSorted(told))
	for n := 1; n < len(told); n++ {
		require.Less(t, told[n-1][:10], told[n][:10], "a later millisecond")
	}
	require.Equal(t, items[0].Version, told[many])

	late := id.New(now, rand.Reader)
	err = write(changeTo(late), store.VersionBefore(late[:10]), store.AtMost("sold", many))
	require.True(t, store.IsCondition(err), "for another reason")
	_, err = table.Write(t.Context(), changeTo("another"), store.Update(key, store.Set{Version: late,
		Index1: &store.Key{PK: "list", SK: late[:10] + "#p"}}, store.VersionBefore(late[:10])))
	require.True(t, store.IsCondition(err), "its version is told by another write")
}
