package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/egress"
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
	used := func(o *Outcome) { o.Used = 1 }
	row := Row{ID: "01K", Event: events.ProductChange, State: Waiting}
	tenth, parked, again, twice, ping := row, row, row, row, row
	tenth.Made = 9
	parked.State = Parked
	again.Ended, again.Asked = Delivered, 1
	twice.Ended, twice.Asked = Exhausted, 2
	ping.Event = events.Ping
	for name, x := range map[string]struct {
		row   Row
		o     Outcome
		state DeliveryState
		waits bool
	}{
		"answered 2xx":              {row, sent(200, ""), Delivered, false},
		"failed":                    {row, sent(500, "status 500"), Waiting, true},
		"failed for the tenth time": {tenth, sent(500, "status 500"), Exhausted, false},
		"failed, and the breaker is open": {row, sent(500, "status 500", func(o *Outcome) { o.Parks = true }),
			Parked, false},
		"a probe that failed": {parked, sent(500, "status 500", func(o *Outcome) { o.Probed = true }),
			Parked, false},
		"a ping that failed": {ping, sent(0, TimedOut), Exhausted, false},
		"a proof that was not kept": {ping, sent(200, "", func(o *Outcome) { o.Proof = "https://a" }),
			Waiting, true},
		"not to be sent":                  {row, Outcome{Cancelled: Unsubscribed}, Cancelled, false},
		"not to be sent now":              {row, Outcome{Withheld: Parked}, Parked, false},
		"failed when sent once more":      {again, sent(500, "status 500", used), Delivered, false},
		"asked for twice":                 {twice, sent(200, "", used), Waiting, true},
		"asked for twice, not to be sent": {twice, Outcome{Cancelled: Unsubscribed, Used: 1}, Exhausted, false},
	} {
		after, wait := x.row.after(x.o, end)
		require.Equal(t, x.state, after.State, name)
		require.Equal(t, x.waits, wait > 0, name)
	}
}
