package store

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// large reads much in a request that lasts a second.
func large(t *testing.T, slots *Slots, done *atomic.Int32) {
	ctx, release := slots.Reader(t.Context())
	defer release()
	r := ReaderOf(ctx)
	for range 3 {
		if !r.May(lightBytes) {
			require.NoError(t, r.Wait(ctx))
		}
		r.Add(lightBytes)
	}
	time.Sleep(time.Second)
	done.Add(1)
}

func TestRequestsThatReadMuchTakeTurnsAndOthersDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewSlots(2)
		var done atomic.Int32
		for range 5 {
			go large(t, slots, &done)
		}
		synctest.Wait()
		_, light := slots.Reader(t.Context())
		require.Zero(t, done.Load())
		ctx, release := slots.Reader(t.Context())
		require.True(t, ReaderOf(ctx).May(lightBytes))
		ReaderOf(ctx).Add(lightBytes)
		require.False(t, ReaderOf(ctx).May(1))
		late, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		require.ErrorIs(t, ReaderOf(ctx).Wait(late), context.DeadlineExceeded)
		release()
		light()
		for _, want := range []int32{2, 4, 5} {
			time.Sleep(time.Second + time.Millisecond)
			synctest.Wait()
			require.Equal(t, want, done.Load())
		}
		require.Len(t, slots.free, 2, "each is given back once")
	})
}

func TestWithoutSlotsNothingIsCounted(t *testing.T) {
	ctx, release := (*Slots)(nil).Reader(t.Context())
	require.True(t, ReaderOf(ctx).May(1<<40))
	ReaderOf(ctx).Add(1 << 40)
	release()
}
