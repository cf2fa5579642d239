package picture

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestTurnsToDecodeGoRoundByShop has a shop send six pictures before two others send one.
func TestTurnsToDecodeGoRoundByShop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		end, err := g.enter(t.Context(), "a", 1)
		require.NoError(t, err)
		var order []string
		for _, shop := range []string{"a", "a", "a", "a", "a", "b", "b", "c"} {
			go func() {
				leave, err := g.enter(t.Context(), shop, 1)
				require.NoError(t, err)
				order = append(order, shop) // one at a time is in
				leave()
			}()
			synctest.Wait()
		}
		require.Empty(t, order, "one picture is decoded at a time")
		end()
		synctest.Wait()
		require.Equal(t, []string{"b", "c", "a", "b", "a", "a", "a", "a"}, order)
		require.Zero(t, g.bytes)
	})
}

func TestFewFilesWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		ctx, cancel := context.WithCancel(t.Context())
		end, err := g.enter(t.Context(), "a", MaxFile)
		require.NoError(t, err)
		var refused []string
		in := func(shop string) {
			go func() {
				leave, err := g.enter(ctx, shop, MaxFile)
				if err == ErrBusy {
					refused = append(refused, shop)
				} else if err == nil {
					leave()
				}
			}()
			synctest.Wait()
		}
		for _, shop := range []string{"a", "b", "c", "d", "e"} {
			for range maxShopWaits/MaxFile + 1 {
				in(shop)
			}
		}
		require.Equal(t, []string{"a", "b", "c", "d", "e", "e", "e", "e"}, refused,
			"of each shop one more than may, of the last all but its first")
		require.Equal(t, maxAllWait+MaxFile, g.bytes)
		cancel()
		synctest.Wait()
		require.Zero(t, g.bytes, "who waits no longer holds nothing")
		end()
		leave, err := g.enter(t.Context(), "b", MaxFile)
		require.NoError(t, err, "and keeps nobody from a turn")
		leave()
		require.True(t, slices.IsSorted(refused))
	})
}
