package limit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/limit"
)

func TestABatchCostsOneForEveryTenBegun(t *testing.T) {
	for items, cost := range map[int]int64{0: 1, 1: 1, 9: 1, 10: 1, 11: 2, 20: 2, 21: 3, 30: 3, 99: 10, 100: 10} {
		require.Equal(t, cost, limit.Cost(items), "%d items", items)
	}
}

func TestWindowsEndAtFullHoursAndMidnightUTC(t *testing.T) {
	prague := time.FixedZone("CET", 3600)
	for _, c := range []struct{ now, hourly, daily time.Time }{
		{at(21, 12, 30), at(21, 13, 0), at(22, 0, 0)},
		{at(21, 12, 0), at(21, 13, 0), at(22, 0, 0)},
		{at(21, 23, 59), at(22, 0, 0), at(22, 0, 0)},
		{time.Date(2026, 11, 22, 0, 30, 0, 0, prague), at(22, 0, 0), at(22, 0, 0)},
	} {
		require.Equal(t, c.hourly, limit.Hourly.Reset(c.now))
		require.Equal(t, c.daily, limit.Daily.Reset(c.now))
	}
}

func at(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC)
}
