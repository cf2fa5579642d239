package webhook

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/base/egress"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

func TestTheWaitsOfTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[0-9A-HJKMNP-TV-Z]{26}`).Draw(t, "webhook")
		n := rapid.IntRange(1, 12).Draw(t, "attempts made")
		asked := time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "asked"))
		end := time.Unix(1795226712, 0)
		at, more := next(id, n, end, asked)
		require.Equal(t, n < 10, more)
		if !more {
			return
		}
		wait, planned := at.Sub(end), Waits[n]
		require.GreaterOrEqual(t, wait, planned*8/10)
		require.LessOrEqual(t, wait, max(planned*12/10, min(asked, 24*time.Hour)))
		require.GreaterOrEqual(t, wait, min(asked, 24*time.Hour))
		again, _ := next(id, n, end, asked)
		require.Equal(t, at, again)
	})
	var all time.Duration
	for _, w := range Waits {
		all += w
	}
	require.Len(t, Waits, 10)
	require.InDelta(t, 68.6, all.Hours(), 0.05)
}

func TestAllAttemptsAreMadeWithinEightyTwoHoursOrTenDaysWithRetryAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[0-9A-HJKMNP-TV-Z]{26}`).Draw(t, "webhook")
		start := time.Unix(1795226712, 0)
		plain, asking := start, start
		for n := 1; n < len(Waits); n++ {
			plain, _ = next(id, n, plain, 0)
			asking, _ = next(id, n, asking, time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "asked")))
		}
		require.LessOrEqual(t, plain.Sub(start).Hours(), 82.4)
		require.LessOrEqual(t, asking.Sub(start), 10*24*time.Hour)
	})
}

func TestAProbeOfADeletedReceiverIsCancelled(t *testing.T) {
	did, goes := Standing{}.Judge(Row{Event: events.ProductChange}, Bell{Probe: true}, time.UnixMilli(0))
	require.False(t, goes)
	require.Equal(t, ReceiverDeleted, did.Cancelled)
}

func TestADrainDoublesOnSuccessHalvesWhenItIsTooMuchAndElseStays(t *testing.T) {
	at := time.UnixMilli(1000)
	row := func(state DeliveryState, status int, failure string, ms int64) *store.Item {
		r := Row{}.with(Outcome{Answer: egress.Answer{Status: status}, Failure: failure, At: time.UnixMilli(ms)})
		r.State = state
		return new(r.item())
	}
	good, slow, waits := row(Delivered, 200, "", 1000), row(Parked, 429, "status 429", 1000), row(Parked, 0, "", 0)
	for _, x := range []struct {
		rate, want int
		rows       []*store.Item
	}{
		{1, 2, []*store.Item{good}},
		{4, 8, []*store.Item{good, nil, row(Cancelled, 0, "", 0)}},
		{MaxRate, MaxRate, []*store.Item{good}},
		{8, 4, []*store.Item{good, slow}},
		{1, 1, []*store.Item{slow}},
		{8, 4, []*store.Item{waits, row(Waiting, 503, "status 503", 1001)}},
		{8, 4, []*store.Item{row(Exhausted, 0, "timeout", 1000)}},
		{8, 8, []*store.Item{good, waits}},
		{8, 8, []*store.Item{row(Waiting, 500, "status 500", 1000)}},
		{8, 8, []*store.Item{row(Parked, 503, "status 503", 999)}},
	} {
		require.Equal(t, x.want, NextRate(x.rate, x.rows, at))
	}
}

func TestRetryAfterCountsOf429And503Only(t *testing.T) {
	for status, counts := range map[int]bool{429: true, 503: true, 500: false, 301: false, 0: false} {
		require.Equal(t, counts, retryAfter(egress.Answer{Status: status, RetryAfter: time.Minute}) > 0, status)
	}
}

func TestBellsAreReadAsTheyWereWritten(t *testing.T) {
	for _, b := range []Bell{{Access: "a", ID: "i", Receiver: "r"}, {Access: "a", ID: "i", Receiver: "r", Woken: true},
		{Access: "a", ID: "i", Receiver: "r", Retry: true},
		{Access: "a", ID: "i", Receiver: "r", Parked: true},
		{Access: "a", ID: "i", Receiver: "r", Retry: true, Parked: true, Probe: true}} {
		m := b.Message(-time.Second)
		require.Equal(t, "r", m.Group)
		require.Zero(t, m.Delay)
		read, ok := ParseBell(m.Body)
		require.True(t, ok)
		require.Equal(t, b, read)
	}
	require.Equal(t, "s", Bell{Access: "a", ID: "i", Receiver: "r", Shop: "s"}.Message(0).Group, "shops take turns")
	require.Equal(t, queue.MaxDelay, Bell{}.Message(time.Hour).Delay)
	for _, odd := range []string{"", "a b", "a b c d", "a b c retry e"} {
		_, ok := ParseBell(odd)
		require.False(t, ok, odd)
	}
}

func TestARowKeepsTheLatestAttemptsWhateverTheyAreFor(t *testing.T) {
	r := Row{ID: "01K", Access: "a", State: Waiting}
	for range MostLogged + 23 {
		i := r.with(Outcome{}).item()
		r = RowOf(&i)
		all, err := AttemptsOf(&i)
		require.NoError(t, err)
		require.Len(t, all, min(r.Made, MostLogged))
		for k, a := range all {
			require.Equal(t, r.Made-len(all)+1+k, a.Number)
		}
	}
	require.Equal(t, MostLogged+23, r.Made)
}

func TestOnlyARowThatWaitsHasAnEntryForTheSweeper(t *testing.T) {
	for _, state := range []DeliveryState{Waiting, Parked, Delivered, Exhausted, Cancelled} {
		r := Row{ID: "01K", Access: "a", State: state, Due: 7}
		i := r.item()
		AddDueEntry(&i)
		want := store.Key{}
		if state == Waiting {
			want = DueRows.Entry("01K", time.UnixMilli(7).Add(Grace))
		}
		require.Equal(t, want, i.Index1, state)
	}
}

func TestARowIsReadAsItIsStored(t *testing.T) {
	whole := Row{ID: "01K", Shop: "s", Access: "a", Package: "p", Receiver: "r", About: "of",
		Event: events.ProductChange, Changed: "basic", By: events.Self, Trace: "t",
		Body: []byte("{}"), List: store.Key{PK: "BODY#1", SK: "A"},
		Test: true, Expires: 7,
		State: Parked, Reason: Unsubscribed, Due: 1, Taker: "c", Lease: 2, Made: 2, Extra: 1,
		Attempts: []string{"1", "2"}, Asked: true, AskedBy: "k", Ended: Delivered, Replay: "re"}
	v := reflect.ValueOf(whole)
	for n := range v.NumField() {
		require.False(t, v.Field(n).IsZero(), "%s is missing here", v.Type().Field(n).Name)
	}
	for _, r := range []Row{whole, {ID: "01K", Access: "a", State: Waiting, Due: 1}} {
		require.Equal(t, r, RowOf(new(r.item())))
	}
}

func TestARecordThatCannotBeReadIsUnreadable(t *testing.T) {
	i := &store.Item{Key: store.Key{PK: "p", SK: "R#a#r"}, Doc: []byte(`{"id":`)}
	for name, read := range map[string]func() error{
		"a receiver": func() error { _, err := ReceiverOf(i); return err },
		"a release":  func() error { _, err := releaseOf(i); return err },
		"a drain":    func() error { _, err := DrainOf(i); return err },
		"a replay":   func() error { _, err := ReplayingOf(i); return err },
	} {
		require.True(t, store.Poisoned(read()), name)
	}
}

func TestABellThatComesTooSoonIsPutOffUnlessItIsOfAnOlderAttempt(t *testing.T) {
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	row := func(state DeliveryState, due, lease time.Duration, made int64) *store.Item {
		return &store.Item{Index1: store.Key{PK: "DUE#0"}, Text: map[string]string{stateText: string(state)},
			Num: map[string]int64{dueNum: now.Add(due).UnixMilli(), leaseNum: now.Add(lease).UnixMilli(),
				madeNum: made}}
	}
	for name, c := range map[string]struct {
		row   *store.Item
		later time.Duration // 0: the bell is done with
	}{
		"no row":                                  {nil, 0},
		"it has ended":                            {row(Delivered, time.Second, 0, 1), 0},
		"due soon":                                {row(Waiting, time.Second, 0, 1), time.Second},
		"due much later, behind an attempt":       {row(Waiting, time.Hour, 0, 1), 0},
		"due much later, before the first":        {row(Waiting, 10*time.Minute, 0, 0), 10 * time.Minute},
		"another process is at it":                {row(Waiting, 0, Lease, 1), Lease},
		"due, and given back in the same instant": {row(Waiting, 0, 0, 1), time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.later, freeIn(c.row, now)) })
	}
}

// TestTheLevelOfHealthGoesByTheLastAttempts is what data-health shows (contract, "Admin markup").
func TestTheLevelOfHealthGoesByTheLastAttempts(t *testing.T) {
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	before := func(d time.Duration) field.Time { return field.At(now.Add(-d)) }
	lost := func(d time.Duration) map[string]int64 {
		return map[string]int64{countNum(bucketFailures, now.Add(-d)): 1}
	}
	enabled := Receiver{Active: true, Verified: true, Proven: true, State: Enabled}
	off, unverified, failing, disabled := enabled, enabled, enabled, enabled
	off.Active = false
	unverified.Verified, unverified.State = false, Unverified
	failing.State, disabled.State = Failing, Disabled
	failedLast := Health{LastSuccess: before(time.Hour), FailedAt: before(time.Minute), Failures: 1}
	for name, c := range map[string]struct {
		receiver Receiver
		health   Health
		level    HealthLevel
	}{
		"nothing was sent":         {enabled, Health{}, HealthOK},
		"all was taken":            {enabled, Health{LastSuccess: before(time.Hour)}, HealthOK},
		"the first attempt failed": {enabled, Health{FailedAt: before(time.Hour), Failures: 1}, HealthFailures},
		"the last attempt failed":  {enabled, failedLast, HealthFailures},
		"a ping failed": {enabled, Health{LastSuccess: before(time.Minute), FailedAt: before(time.Second)},
			HealthFailures},
		"an attempt of late failed": {enabled,
			Health{LastSuccess: before(time.Minute), counts: lost(2 * time.Minute)}, HealthFailures},
		"an attempt failed long ago": {enabled,
			Health{LastSuccess: before(time.Minute), counts: lost(time.Hour)}, HealthOK},
		"five in a row failed":          {enabled, Health{FailedAt: before(1), Failures: 5}, HealthFailing},
		"the breaker is open":           {failing, failedLast, HealthFailing},
		"it is disabled":                {disabled, Health{}, HealthFailing},
		"its owner has switched it off": {off, failedLast, HealthOff},
		"its ping is on its way":        {unverified, Health{}, HealthOff},
		"it did not answer its ping":    {unverified, Health{FailedAt: before(1)}, HealthFailing},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.level, c.health.Level(c.receiver, now)) })
	}
}
