package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/egress"
)

func TestWhatAnOutcomeMakesOfADelivery(t *testing.T) {
	end := time.UnixMilli(1_795_226_712_000)
	sent := func(status int, failure string, also ...func(*Outcome)) Outcome {
		o := Outcome{At: end, End: end, Answer: egress.Answer{Status: status}, Failure: failure}
		for _, f := range also {
			f(&o)
		}
		return o
	}
	row := Row{ID: "01K", Event: events.ProductChange, State: Waiting, Due: 1}
	tenth, parked, again, exhausted, ping, test := row, row, row, row, row, row
	tenth.Made = 9
	parked.State = Parked
	again.Ended, again.Asked = Delivered, true
	exhausted.Ended = Exhausted
	ping.Event = events.Ping
	test.Test = true
	parks, probed := func(o *Outcome) { o.Parks = true }, func(o *Outcome) { o.Probed = true }
	letGo := func(o *Outcome) { o.LetGo = true }
	at := func(d time.Duration) int64 { return end.Add(d).UnixMilli() }
	for name, x := range map[string]struct {
		row   Row
		o     Outcome
		state DeliveryState
		due   int64 // at least; 1: as it was
	}{
		"answered 2xx":                     {row, sent(200, ""), Delivered, 1},
		"failed":                           {row, sent(500, "status 500"), Waiting, at(8 * time.Second)},
		"failed for the tenth time":        {tenth, sent(500, "status 500"), Exhausted, 1},
		"failed, and the breaker is open":  {row, sent(500, "status 500", parks), Parked, at(0)},
		"the tenth, and the breaker opens": {tenth, sent(500, "status 500", parks), Exhausted, 1},
		"a probe that failed":              {parked, sent(500, "status 500", probed), Parked, at(0)},
		"a probe behind the ninth":         {tenth, sent(500, "status 500", probed), Parked, at(0)},
		"let go, and asked for less":       {parked, sent(429, "status 429", letGo), Parked, at(8 * time.Second)},
		"let go, and failed otherwise":     {parked, sent(500, "status 500", letGo), Waiting, at(8 * time.Second)},
		"a ping that failed":               {ping, sent(0, TimedOut), Exhausted, 1},
		"a test that failed":               {test, sent(500, "status 500"), Exhausted, 1},
		"not to be sent":                   {row, Outcome{Cancelled: Unsubscribed, End: end}, Cancelled, 1},
		"not to be sent now":               {row, Outcome{Withheld: Parked, End: end}, Parked, 1},
		"not to be sent ever":              {row, Outcome{Withheld: Exhausted, End: end}, Exhausted, 1},
		"sent again, answered 2xx":         {exhausted, sent(200, ""), Delivered, 1},
		"sent again, failed":               {again, sent(500, "status 500"), Delivered, 1},
		"sent again, not to be sent":       {exhausted, Outcome{Cancelled: Unsubscribed, End: end}, Exhausted, 1},
		"sent again, not to be sent now":   {again, Outcome{Withheld: Parked, End: end}, Delivered, 1},
	} {
		before := x.row
		before.Taker, before.Lease = "c", 2
		after := before.after(x.o)
		require.Equal(t, x.state, after.State, name)
		require.True(t, after.Due == x.due || x.due > 1 && after.Due > x.due, name)
		require.Equal(t, x.state == Cancelled, after.Reason != "", name)
		require.Equal(t, []any{"", int64(0), false, DeliveryState("")},
			[]any{after.Taker, after.Lease, after.Asked, after.Ended}, "%s: nobody has it any more", name)
	}
}

// TestWhatIsSentAgainRemembersHowItEnded: until it is answered 2xx, and afterwards, it shows that end.
func TestWhatIsSentAgainRemembersHowItEnded(t *testing.T) {
	now := time.UnixMilli(1_795_226_712_000)
	for state, ended := range map[DeliveryState]DeliveryState{
		Delivered: Delivered, Exhausted: Exhausted, Cancelled: "", Parked: "", Waiting: "",
	} {
		again := Row{ID: "01K", State: state}.again(now)
		require.Equal(t, Row{ID: "01K", State: Waiting, Ended: ended, Due: now.UnixMilli()}, again, state)
	}
}
