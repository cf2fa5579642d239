package local

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/search"
	"eshop/shared/store"
	"eshop/shared/words"
)

// TestAFolderOfAReleaseWithoutAnIndexGetsOne takes the index of a folder away, as if it had been written before there
// was one, and starts on it.
func TestAFolderOfAReleaseWithoutAnIndexGetsOne(t *testing.T) {
	s := started(t)
	shop, tea := s.Run.Demo.ShopID, words.Ask("earl")
	found := func() []string {
		ids, err := s.Platform.Search().Found(t.Context(), search.Products, shop, tea)
		require.NoError(t, err)
		return ids
	}
	before := found()
	require.NotEmpty(t, before)
	page, err := s.Platform.Pipeline.Query(t.Context(), store.Query{PK: "S#" + shop + "#WORDS#P#e"})
	require.NoError(t, err)
	gone := []store.Op{store.Delete(indexedKey)}
	for _, row := range page.Items {
		gone = append(gone, store.Delete(row.Key))
	}
	_, err = s.Platform.Pipeline.Write(t.Context(), events.Nothing, gone...)
	require.NoError(t, err)
	require.Empty(t, found())
	require.NoError(t, s.indexAll(t.Context()))
	require.Equal(t, before, found())
	_, err = s.Platform.Pipeline.Write(t.Context(), events.Nothing, gone[1:]...)
	require.NoError(t, err)
	require.NoError(t, s.indexAll(t.Context()))
	require.Empty(t, found(), "once is enough")
}
