// Package limittest proves the promises of limit.Counters on any implementation. The moment is an argument of every
// call, so no case waits.
package limittest

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/limit"
)

// Run holds the counters to every promise. Open may give the same counters each time: every case has accesses of its
// own.
func Run(t *testing.T, open func(t *testing.T) limit.Counters) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, &bench{Counters: open(t), access: rand.Text(), limits: limit.Limits{Hourly: 10, Daily: 25}})
		})
	}
}

// cases are what every implementation of limit.Counters promises, each in a sentence.
var cases = []struct {
	name string
	run  func(*testing.T, *bench)
}{
	{"a charge takes from both windows", takesFromBoth},
	{"the last of a limit can be spent, and nothing after it", lastOne},
	{"a refused charge counts nothing, in neither window", countsNothing},
	{"a cost of zero only reads", zeroReads},
	{"when both are exceeded, daily is named", dailyIsNamed},
	{"the hour begins anew at each full hour, the day at midnight, in UTC", windows},
	{"a zone of the caller's changes nothing", zones},
	{"a refund goes into the windows that were charged", refunds},
	{"a refund makes room again", refundMakesRoom},
	{"changed limits count at once, with what was counted", changedLimits},
	{"accesses have nothing in common", apart},
	{"what was used is told by hours and days", usedByHours},
	{"of parallel charges exactly the limit passes", exact},
	{"of parallel charges of many sizes none takes more than is left", exactOfMany},
}

// bench is one access with its limits, in counters that others may use beside it.
type bench struct {
	limit.Counters
	access string
	limits limit.Limits
}

// noon is a moment in the middle of its day and hour. It is to come, so that no table takes the day away as one that is
// long over.
var noon = time.Date(2096, 11, 21, 12, 30, 0, 0, time.UTC)

// charge takes the cost, and fails the test if the counters fail.
func (b *bench) charge(t *testing.T, cost int64, now time.Time) limit.Standing {
	t.Helper()
	s, err := b.Charge(context.Background(), b.access, b.limits, cost, now)
	require.NoError(t, err)
	return s
}

func (b *bench) refund(t *testing.T, cost int64, charged time.Time) limit.Standing {
	t.Helper()
	s, err := b.Refund(context.Background(), b.access, b.limits, cost, charged)
	require.NoError(t, err)
	return s
}

// left is how an access stands that was not refused.
func left(hourly, daily int64) limit.Standing { return limit.Standing{Hourly: hourly, Daily: daily} }

// refused is how an access stands that a limit has refused.
func refused(by limit.Window, hourly, daily int64) limit.Standing {
	return limit.Standing{Hourly: hourly, Daily: daily, Refused: by}
}

func takesFromBoth(t *testing.T, b *bench) {
	require.Equal(t, left(10, 25), b.charge(t, 0, noon))
	require.Equal(t, left(9, 24), b.charge(t, 1, noon))
	require.Equal(t, left(5, 20), b.charge(t, 4, noon.Add(time.Minute)))
}

func lastOne(t *testing.T, b *bench) {
	require.Equal(t, left(0, 15), b.charge(t, 10, noon))
	require.Equal(t, refused(limit.Hourly, 0, 15), b.charge(t, 1, noon))
}

func countsNothing(t *testing.T, b *bench) {
	require.Equal(t, refused(limit.Hourly, 10, 25), b.charge(t, 11, noon))
	b.charge(t, 8, noon)
	require.Equal(t, refused(limit.Hourly, 2, 17), b.charge(t, 3, noon))
	require.Equal(t, left(0, 15), b.charge(t, 2, noon))
	b.charge(t, 10, noon.Add(time.Hour))
	later := noon.Add(2 * time.Hour)
	require.Equal(t, refused(limit.Daily, 10, 5), b.charge(t, 6, later))
	require.Equal(t, left(5, 0), b.charge(t, 5, later))
}

func zeroReads(t *testing.T, b *bench) {
	b.charge(t, 10, noon)
	require.Equal(t, left(0, 15), b.charge(t, 0, noon))
	require.Equal(t, left(0, 15), b.charge(t, 0, noon))
	require.Equal(t, left(10, 15), b.charge(t, 0, noon.Add(time.Hour)))
}

func dailyIsNamed(t *testing.T, b *bench) {
	b.limits = limit.Limits{Hourly: 10, Daily: 10}
	b.charge(t, 10, noon)
	require.Equal(t, refused(limit.Daily, 0, 0), b.charge(t, 1, noon))
	require.Equal(t, refused(limit.Daily, 10, 0), b.charge(t, 1, noon.Add(time.Hour)))
	require.Equal(t, refused(limit.Daily, 10, 0), b.charge(t, 11, noon.Add(time.Hour)))
}

func windows(t *testing.T, b *bench) {
	hour := noon.Truncate(time.Hour)
	b.charge(t, 3, hour)
	require.Equal(t, left(6, 21), b.charge(t, 1, hour.Add(time.Hour-1)))
	require.Equal(t, left(9, 20), b.charge(t, 1, hour.Add(time.Hour)))
	midnight := noon.Truncate(24 * time.Hour).Add(24 * time.Hour)
	require.Equal(t, left(9, 19), b.charge(t, 1, midnight.Add(-1)))
	require.Equal(t, left(9, 24), b.charge(t, 1, midnight))
}

func zones(t *testing.T, b *bench) {
	east := time.FixedZone("east", 5*3600+1800)
	evening := time.Date(2026, 11, 21, 18, 45, 0, 0, time.UTC)
	b.charge(t, 2, evening)
	require.Equal(t, left(7, 22), b.charge(t, 1, evening.In(east)), "there it is another day and half an hour off")
}

func refunds(t *testing.T, bench *bench) {
	bench.charge(t, 6, noon)
	next := noon.Add(time.Hour)
	require.Equal(t, left(8, 17), bench.charge(t, 2, next))
	require.Equal(t, left(9, 22), bench.refund(t, 5, noon))
	require.Equal(t, left(8, 22), bench.charge(t, 0, next), "the hour that was not charged stays as it was")
	require.Equal(t, left(9, 22), bench.charge(t, 0, noon))
	day := noon.Add(24 * time.Hour)
	bench.charge(t, 1, day)
	require.Equal(t, left(10, 23), bench.refund(t, 1, noon))
	require.Equal(t, left(9, 24), bench.charge(t, 0, day))
}

func refundMakesRoom(t *testing.T, b *bench) {
	b.charge(t, 10, noon)
	require.Equal(t, limit.Hourly, b.charge(t, 1, noon).Refused)
	require.Equal(t, left(3, 18), b.refund(t, 3, noon))
	require.Equal(t, left(0, 15), b.charge(t, 3, noon))
	require.Equal(t, limit.Hourly, b.charge(t, 1, noon).Refused)
}

func changedLimits(t *testing.T, bench *bench) {
	bench.charge(t, 10, noon)
	require.Equal(t, limit.Hourly, bench.charge(t, 1, noon).Refused)
	bench.limits = limit.Limits{Hourly: 12, Daily: 30}
	require.Equal(t, left(1, 19), bench.charge(t, 1, noon))
	bench.limits = limit.Limits{Hourly: 5, Daily: 8}
	require.Equal(t, refused(limit.Daily, 0, 0), bench.charge(t, 1, noon), "never below zero")
	require.Equal(t, left(0, 0), bench.charge(t, 0, noon))
	bench.limits = limit.Limits{Hourly: 5, Daily: 100}
	require.Equal(t, refused(limit.Hourly, 0, 89), bench.charge(t, 1, noon))
	require.Equal(t, left(4, 88), bench.charge(t, 1, noon.Add(time.Hour)))
}

func apart(t *testing.T, b *bench) {
	b.charge(t, 10, noon)
	b.access = rand.Text()
	require.Equal(t, left(9, 24), b.charge(t, 1, noon))
}

func usedByHours(t *testing.T, bench *bench) {
	east := time.FixedZone("east", 5*3600+1800)
	bench.charge(t, 3, noon)
	bench.charge(t, 2, noon.Add(time.Hour))
	bench.charge(t, 11, noon) // refused
	bench.refund(t, 1, noon)
	bench.charge(t, 4, noon.AddDate(0, 0, -1))
	bench.charge(t, 5, noon.AddDate(0, 0, -2))
	days := []limit.Day{{Access: bench.access, At: noon.AddDate(0, 0, -2)}, {Access: rand.Text(), At: noon},
		{Access: bench.access, At: noon.Truncate(24 * time.Hour).Add(24*time.Hour - 1).In(east)},
		{Access: bench.access, At: noon.AddDate(0, 0, -1)}, {Access: bench.access, At: noon}}
	none, err := bench.Used(context.Background())
	require.NoError(t, err)
	require.Empty(t, none)
	for range 2 { // whatever it reads, it stays the same
		all, err := bench.Used(context.Background(), days...)
		require.NoError(t, err)
		require.Equal(t, []limit.Used{used(5, 12, 5), {}, used(4, 12, 2, 13, 2), used(4, 12, 4),
			used(4, 12, 2, 13, 2)}, all)
	}
	require.Equal(t, left(8, 21), bench.charge(t, 0, noon))
}

// used is a day's total, and hours with what was charged in them.
func used(total int64, hours ...int64) limit.Used {
	u := limit.Used{Total: total}
	for i := 0; i < len(hours); i += 2 {
		u.Hours[hours[i]] = hours[i+1]
	}
	return u
}

func exact(t *testing.T, b *bench) {
	b.limits = limit.Limits{Hourly: 100, Daily: 1000}
	passed, refusedBy := b.parallel(t, 300, func(int) int64 { return 1 })
	require.Equal(t, int64(100), passed)
	require.Equal(t, map[limit.Window]int{limit.Hourly: 200}, refusedBy)
	require.Equal(t, left(0, 900), b.charge(t, 0, noon))
}

func exactOfMany(t *testing.T, b *bench) {
	b.limits = limit.Limits{Hourly: 500, Daily: 100}
	passed, refusedBy := b.parallel(t, 100, func(i int) int64 { return int64(i%5 + 1) })
	require.Equal(t, left(500-passed, 100-passed), b.charge(t, 0, noon))
	require.Equal(t, int64(100), passed, "a cost of 1 always finds the last place")
	require.NotContains(t, refusedBy, limit.Hourly)
}

// parallel charges n times at once and returns the cost that passed and how many were refused.
func (b *bench) parallel(t *testing.T, n int, cost func(i int) int64) (passed int64, refusedBy map[limit.Window]int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	refusedBy = map[limit.Window]int{}
	for i := range n {
		wg.Go(func() {
			s, err := b.Charge(context.Background(), b.access, b.limits, cost(i), noon)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				failed = err
			case s.Refused != "":
				refusedBy[s.Refused]++
			default:
				passed += cost(i)
			}
		})
	}
	wg.Wait()
	require.NoError(t, failed)
	return passed, refusedBy
}
