package limit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/limit"
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

func TestTheLastHoursAreOfUpToThreeDays(t *testing.T) {
	prague := time.FixedZone("CET", 3600)
	for _, now := range []time.Time{at(21, 12, 30), at(21, 23, 59), at(21, 0, 0), at(21, 12, 30).In(prague)} {
		days := limit.DaysOf("a", now)
		all := make([]limit.Used, len(days))
		for i, d := range days { // the number of each hour, so that each is told apart
			for h := range all[i].Hours {
				all[i].Hours[h] = d.At.UTC().Truncate(24*time.Hour).Add(time.Duration(h)*time.Hour).Unix() / 3600
			}
			require.Equal(t, "a", d.Access)
		}
		hours := limit.HoursOf(all, now)
		require.Len(t, hours, 48)
		for i, h := range hours {
			require.Equal(t, now.Unix()/3600-int64(47-i), h.Cost)
			require.Equal(t, h.Cost, h.At.Unix()/3600)
		}
	}
}

func TestAnAccessIsAboveAShareOfEitherLimit(t *testing.T) {
	l := limit.Limits{Hourly: 10, Daily: 100}
	for _, c := range []struct {
		hour, day int64
		above     bool
	}{{8, 8, false}, {9, 9, true}, {0, 80, false}, {0, 81, true}} {
		u := limit.Used{Total: c.day}
		u.Hours[12] = c.hour
		require.Equal(t, c.above, u.Above(80, l, at(21, 12, 30)), "%+v", c)
	}
	require.False(t, limit.Used{Total: 9, Hours: [24]int64{11: 9}}.Above(80, l, at(21, 12, 0)), "another hour")
}
