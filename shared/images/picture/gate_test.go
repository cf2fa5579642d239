package picture

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTurnsToDecodeGoRoundByShop has a shop send six pictures before two others send one.
func TestTurnsToDecodeGoRoundByShop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		end, err := g.enter(t.Context(), "a", 1, MaxHeld)
		require.NoError(t, err)
		var order []string
		for _, shop := range []string{"a", "a", "a", "a", "a", "b", "b", "c"} {
			go func() {
				leave, err := g.enter(t.Context(), shop, 1, MaxHeld)
				require.NoError(t, err)
				order = append(order, shop) // one at a time is in
				time.Sleep(time.Second)     // so that whoever is next of the shop joins the line
				leave()
			}()
			synctest.Wait()
		}
		require.Empty(t, order, "one picture is decoded at a time")
		end()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"b", "c", "a", "b", "a", "a", "a", "a"}, order)
		require.Zero(t, g.bytes)
	})
}

// TestPicturesOfSeveralShopsShareOneBoundOfMemory has two small pictures decoded side by side, and a large one wait.
func TestPicturesOfSeveralShopsShareOneBoundOfMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		small := source{width: 1000, height: 1000, orientation: 1, decoding: 1}.memory()
		large := source{width: 8000, height: 5000, orientation: 1, decoding: 3}.memory()
		require.Equal(t, []int64{16<<20 + 4_000_000, MaxHeld}, []int64{small, large})
		require.EqualValues(t, MaxHeld, source{width: 1, height: 1, tables: true}.memory())
		g := newGate()
		first, err := g.enter(t.Context(), "a", 1, small)
		require.NoError(t, err)
		second, err := g.enter(t.Context(), "b", 1, small)
		require.NoError(t, err)
		in := false
		go func() {
			leave, err := g.enter(t.Context(), "c", 1, large)
			require.NoError(t, err)
			in = true
			leave()
		}()
		synctest.Wait()
		require.False(t, in)
		first()
		second()
		synctest.Wait()
		require.True(t, in)
	})
}

func TestFewFilesWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		ctx, cancel := context.WithCancel(t.Context())
		end, err := g.enter(t.Context(), "a", MaxFile, MaxHeld)
		require.NoError(t, err)
		var refused []string
		in := func(shop string) {
			go func() {
				leave, err := g.enter(ctx, shop, MaxFile, MaxHeld)
				if err == ErrBusy {
					refused = append(refused, shop)
				} else if err == nil {
					leave()
				}
			}()
			synctest.Wait()
		}
		for _, shop := range []string{"a", "b", "c", "d", "e"} {
			for range maxOfShop/MaxFile + 1 {
				in(shop)
			}
		}
		require.Equal(t, strings.Split("aabcddddeeeee", ""), refused,
			"of each shop those above its own bound, then those above the bound of all but for a shop's first")
		require.Equal(t, maxOfAll+MaxFile, g.bytes)
		cancel()
		synctest.Wait()
		require.Equal(t, MaxFile, g.bytes, "who waits no longer holds nothing")
		end()
		require.Empty(t, g.shops)
		leave, err := g.enter(t.Context(), "b", MaxFile, MaxHeld)
		require.NoError(t, err, "and keeps nobody from a turn")
		leave()
	})
}
