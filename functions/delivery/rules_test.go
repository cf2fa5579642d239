package delivery

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/egress"
	"eshop/shared/queue"
	"eshop/shared/signature"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// TestTheContractsVector holds the headers against the vector of the contract (section 5, "Keys").
func TestTheContractsVector(t *testing.T) {
	key, err := signature.Parse("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	require.NoError(t, err)
	body := []byte(`{"id":"01","event":"ping","data":{"nonce":"n"}}`)
	h := headers(webhook.Row{ID: "01", Event: events.Ping, Made: 2}, time.Unix(1795226712, 0), body,
		[]webhook.LiveKey{{State: webhook.Primary, Key: key}})
	require.Equal(t, http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"eshop-webhooks/1"},
		"X-Webhook-Event": {"ping"}, "X-Webhook-Id": {"01"}, "X-Webhook-Attempt": {"3"},
		"X-Webhook-Timestamp": {"1795226712"},
		"X-Webhook-Signature": {"sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4"},
		"Webhook-Id":          {"01"}, "Webhook-Timestamp": {"1795226712"},
		"Webhook-Signature": {"v1,dHB+9rxMWmt0n6y4cIrdCk8qW4B3qdKwWKGI1OYY+K0="},
	}, h)
}

func TestAPendingKeySignsBesideThePrimaryOnly(t *testing.T) {
	primary, _ := signature.FromBytes(make([]byte, 32))
	second := make([]byte, 32)
	second[0] = 1
	pending, _ := signature.FromBytes(second)
	h := headers(webhook.Row{ID: "01"}, time.Unix(1, 0), []byte("{}"), []webhook.LiveKey{
		{State: webhook.Primary, Key: primary}, {State: webhook.Pending, Key: pending}})
	require.Equal(t, []string{signature.Hex(primary, 1, []byte("{}"))}, h["X-Webhook-Signature"])
	require.Equal(t, []string{signature.Standard("01", 1, []byte("{}"), primary, pending)}, h["Webhook-Signature"])
}

func TestTheWaitsOfTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		webhook := rapid.StringMatching(`[0-9A-HJKMNP-TV-Z]{26}`).Draw(t, "webhook")
		n := rapid.IntRange(1, 12).Draw(t, "attempts made")
		asked := time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "asked"))
		end := time.Unix(1795226712, 0)
		at, more := next(webhook, n, end, asked)
		require.Equal(t, n < 10, more)
		if !more {
			return
		}
		wait, planned := at.Sub(end), Waits[n]
		require.GreaterOrEqual(t, wait, planned*8/10)
		require.LessOrEqual(t, wait, max(planned*12/10, min(asked, 24*time.Hour)))
		require.GreaterOrEqual(t, wait, min(asked, 24*time.Hour))
		again, _ := next(webhook, n, end, asked)
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
		webhook := rapid.StringMatching(`[0-9A-HJKMNP-TV-Z]{26}`).Draw(t, "webhook")
		start := time.Unix(1795226712, 0)
		plain, asking := start, start
		for n := 1; n < len(Waits); n++ {
			plain, _ = next(webhook, n, plain, 0)
			asking, _ = next(webhook, n, asking, time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "asked")))
		}
		require.LessOrEqual(t, plain.Sub(start).Hours(), 82.4)
		require.LessOrEqual(t, asking.Sub(start), 10*24*time.Hour)
	})
}

func TestADrainDoublesOnSuccessHalvesWhenItIsTooMuchAndElseStays(t *testing.T) {
	at := time.UnixMilli(1000)
	row := func(state webhook.DeliveryState, status int, failure string, ms int64) *store.Item {
		attempt := logged(1, outcome{answer: egress.Answer{Status: status}, failure: failure, at: time.UnixMilli(ms)})
		return &store.Item{Text: map[string]string{webhook.StateText: string(state), webhook.AttemptText(1): attempt}}
	}
	good, slow, waits := row(webhook.Delivered, 200, "", 1000), row(webhook.Parked, 429, "status 429", 1000), row(webhook.Parked, 0, "", 0)
	for _, x := range []struct {
		rate, want int
		rows       []*store.Item
	}{
		{1, 2, []*store.Item{good}},
		{4, 8, []*store.Item{good, nil, row(webhook.Cancelled, 0, "", 0)}},
		{fastest, fastest, []*store.Item{good}},
		{8, 4, []*store.Item{good, slow}},
		{1, 1, []*store.Item{slow}},
		{8, 4, []*store.Item{waits, row(webhook.Waiting, 503, "status 503", 1001)}},
		{8, 4, []*store.Item{row(webhook.Exhausted, 0, "timeout", 1000)}},
		{8, 8, []*store.Item{good, waits}},
		{8, 8, []*store.Item{row(webhook.Waiting, 500, "status 500", 1000)}},
		{8, 8, []*store.Item{row(webhook.Parked, 503, "status 503", 999)}},
	} {
		require.Equal(t, x.want, paced(x.rate, x.rows, at))
	}
}

func TestRetryAfterCountsOf429And503Only(t *testing.T) {
	for status, counts := range map[int]bool{429: true, 503: true, 500: false, 301: false, 0: false} {
		require.Equal(t, counts, asked(egress.Answer{Status: status, RetryAfter: time.Minute}) > 0, status)
	}
}

func TestBellsAreReadAsTheyWereWritten(t *testing.T) {
	for _, b := range []webhook.Bell{{Access: "a", ID: "i", Receiver: "r"}, {Access: "a", ID: "i", Receiver: "r", Called: true}, {Access: "a", ID: "i", Receiver: "r", Retry: true},
		{Access: "a", ID: "i", Receiver: "r", Parked: true}, {Access: "a", ID: "i", Receiver: "r", Retry: true, Parked: true, Probe: true}} {
		m := b.Message(-time.Second)
		require.Equal(t, "r", m.Group)
		require.Zero(t, m.Delay)
		read, ok := webhook.BellIn(m.Body)
		require.True(t, ok)
		require.Equal(t, b, read)
	}
	require.Equal(t, queue.MaxDelay, webhook.Bell{}.Message(time.Hour).Delay)
	for _, odd := range []string{"", "a b", "a b c d", "a b c retry e"} {
		_, ok := webhook.BellIn(odd)
		require.False(t, ok, odd)
	}
}

func TestALaneHoldsSixteenAndOfASuspectTwo(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls := newLanes(func() time.Time { return now })
	fresh, retry, next := webhook.Bell{Receiver: "r"}, webhook.Bell{Receiver: "r", Retry: true}, webhook.Bell{Receiver: "r", Retry: true, Called: true}
	l, _, _ := ls.enter(fresh)
	for range 40 {
		other, _, _ := ls.enter(fresh)
		require.Same(t, l, other, "a healthy lane lets deliveries be claimed ahead")
	}
	for range healthyLane {
		require.True(t, ls.start(t.Context(), l))
	}
	began := make(chan bool)
	go func() { began <- ls.start(t.Context(), l) }()
	require.Eventually(t, func() bool { ls.mu.Lock(); defer ls.mu.Unlock(); return len(l.waiting) == 1 }, 10*time.Second, time.Millisecond)
	ls.finish(l, time.Millisecond, false)
	require.True(t, <-began, "the place of one that ended goes to the next")
	require.Equal(t, healthyLane, l.running)

	ls.finish(l, 10*time.Second, true)
	refused, _, kept := ls.enter(fresh)
	require.Nil(t, refused)
	require.True(t, kept, "there is no place for it")
	var called []webhook.Bell
	for range 40 {
		called = append(called, ls.leave(l)...)
	}
	require.Equal(t, []webhook.Bell{next}, called, "of a suspect one bells belong into the retry queue")
	l.called = 0 // the queue lost it
	refused, later, kept := ls.enter(fresh)
	require.Nil(t, refused)
	require.Zero(t, later)
	require.False(t, kept, "there is a place, but not for a fresh one")
	entered, _, _ := ls.enter(retry)
	require.NotNil(t, entered)
	for range 20 {
		_, _, kept := ls.enter(retry)
		require.True(t, kept)
	}
	ls.finish(l, time.Millisecond, false)
	require.Len(t, ls.leave(l), 20, "one success and it is healthy again")
	entered, _, _ = ls.enter(fresh)
	require.NotNil(t, entered)
}

// TestALaneForgetsNoBell plays hosts: bells come in any order, are admitted, hurry or miss their place, and fail or do not.
func TestALaneForgetsNoBell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1795226712, 0)
		ls := newLanes(func() time.Time { return now })
		bells := rapid.IntRange(1, 400).Draw(t, "bells")
		var ringing, admitted []webhook.Bell
		for n := range bells {
			ringing = append(ringing, webhook.Bell{Receiver: "r", ID: strconv.Itoa(n)})
		}
		did := map[string]bool{}
		for len(ringing)+len(admitted) > 0 {
			if len(admitted) == 0 || len(ringing) > 0 && rapid.Bool().Draw(t, "rings") {
				b := ringing[0]
				ringing = ringing[1:]
				switch l, _, kept := ls.enter(b); {
				case l != nil:
					admitted = append(admitted, b)
				case !kept:
					b.Retry = true
					ringing = append(ringing, b)
				}
				continue
			}
			b, l := admitted[0], ls.of["r"]
			admitted = admitted[1:]
			if rapid.IntRange(0, 3).Draw(t, "misses its place at three") == 3 {
				ringing = append(ringing, b)
			} else {
				require.False(t, did[b.ID])
				did[b.ID] = ls.start(context.Background(), l)
				ls.finish(l, time.Millisecond, rapid.Bool().Draw(t, "fails"))
			}
			ringing = append(ringing, ls.leave(l)...)
		}
		require.Len(t, did, bells)
		require.Zero(t, ls.kept)
	})
}

func TestLanesKeepABoundedNumberOfBells(t *testing.T) {
	ls := newLanes(time.Now)
	_, _, _ = ls.enter(webhook.Bell{Receiver: "r"})
	ls.kept = mostKept - 1
	l := ls.of["r"]
	l.suspect, l.admitted = true, suspectLane
	_, _, kept := ls.enter(webhook.Bell{Receiver: "r", Retry: true})
	require.True(t, kept)
	refused, later, kept := ls.enter(webhook.Bell{Receiver: "r", Retry: true})
	require.Nil(t, refused)
	require.False(t, kept)
	require.Equal(t, farthest, later)
}

func TestWhatALaneCalledAndAFullQueueDroppedHoldsUpNothing(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls := newLanes(func() time.Time { return now })
	b := webhook.Bell{Receiver: "r", Retry: true}
	l, _, _ := ls.enter(b)
	l.suspect, l.admitted = true, suspectLane
	for range 10 {
		_, _, kept := ls.enter(b)
		require.True(t, kept)
	}
	require.Len(t, ls.leave(l), 1)
	require.Len(t, ls.leave(l), 1)
	l.admitted = 1 // the two called never came
	now = now.Add(patience + 1)
	require.Len(t, ls.leave(l), suspectLane)
}

func TestASlowReceiverIsSuspectAndAFullLaneTakesNoMoreThanASecondsWork(t *testing.T) {
	ls := newLanes(time.Now)
	b := webhook.Bell{Receiver: "r"}
	l, _, _ := ls.enter(b)
	require.True(t, ls.start(t.Context(), l))
	l.mean = 500 * time.Millisecond
	n := 0
	for entered, _, _ := ls.enter(b); entered != nil; entered, _, _ = ls.enter(b) {
		n++
	}
	require.Equal(t, healthyLane-1+32, n)
	ls.finish(l, slow+1, false)
	require.True(t, l.suspect)
}

func TestIdleLanesAreForgottenWhenThereAreMany(t *testing.T) {
	ls := newLanes(time.Now)
	busy, _, _ := ls.enter(webhook.Bell{Receiver: "busy"})
	for range forgotten {
		l, _, _ := ls.enter(webhook.Bell{Receiver: time.Now().String()})
		ls.leave(l)
	}
	require.LessOrEqual(t, len(ls.of), forgotten)
	require.Same(t, busy, ls.of["busy"])
}
