package id

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheStampOfAMomentBeginsItsIdsAndSortsAsItDoes(t *testing.T) {
	now := time.UnixMilli(1795226712583)
	require.Equal(t, New(now, bytes.NewReader(make([]byte, 10)))[:10], Stamp(now))
	moments := []time.Time{time.UnixMilli(0), time.UnixMilli(1), now, now.Add(time.Millisecond),
		time.Date(10889, 1, 1, 0, 0, 0, 0, time.UTC)}
	for i, later := range moments[1:] {
		require.Less(t, Stamp(moments[i]), Stamp(later))
	}
}

func TestMomentsThatNoIdCanHoldHaveTheNearestStamp(t *testing.T) {
	for _, early := range []time.Time{{}, time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC), time.UnixMilli(-1)} {
		require.Equal(t, "0000000000", Stamp(early))
	}
	require.Equal(t, "7ZZZZZZZZZ", Stamp(time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func TestAStampIsTenCharactersThatAnIdCanBeginWith(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, good := range []string{Stamp(now), Stamp(time.Time{}), "7ZZZZZZZZZ"} {
		require.True(t, ValidStamp(good), good)
	}
	for _, bad := range []string{
		"", "0", "000000000", "00000000000", "8000000000", "01kaj1v4s7", "01KAJ1V4SU", "01KAJ1V4S#",
		New(now, bytes.NewReader(make([]byte, 10)))} {
		require.False(t, ValidStamp(bad), bad)
	}
}
