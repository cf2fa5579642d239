package inflight

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

var moment = time.Unix(1795226712, 0)

// processes are both kinds, each as it is made by a host.
var processes = map[string]func(name string) Process{
	"alone":       func(name string) Process { return Alone(name, func() time.Time { return moment }) },
	"one of many": OneOfMany,
}

// TestProcess is what is promised of every process.
func TestProcess(t *testing.T) {
	b := webhook.Bell{Access: "a", ID: "i", Receiver: "r"}
	for name, made := range processes {
		t.Run(name, func(t *testing.T) {
			t.Run("a delivery under way is not begun beside itself, and again once it has ended", func(t *testing.T) {
				p := made("p")
				slot, _ := p.Enter(b)
				require.True(t, slot.Start(t.Context()))
				second, verdict := p.Enter(b)
				require.Nil(t, second)
				require.Equal(t, Verdict{UnderWay: true}, verdict)
				slot.Leave(Attempt{Made: true})
				p.End(b)
				slot, _ = p.Enter(b)
				require.NotNil(t, slot)
			})
			t.Run("nothing starts when ctx has ended, and its slot is free", func(t *testing.T) {
				p := made("p")
				ended, end := context.WithCancel(t.Context())
				end()
				for range 100 {
					slot, _ := p.Enter(b)
					require.False(t, slot.Start(ended))
					require.Empty(t, slot.Leave(Attempt{}))
					p.End(b)
				}
				slot, _ := p.Enter(b)
				require.True(t, slot.Start(t.Context()))
			})
			t.Run("no two takers are alike", func(t *testing.T) {
				seen := map[string]bool{}
				for _, p := range []Process{made("p"), made("q")} {
					for range 100 {
						taker := p.NewTaker()
						require.False(t, seen[taker])
						seen[taker] = true
					}
				}
			})
			t.Run("a row without a taker is not abandoned", func(t *testing.T) {
				require.False(t, made("p").Abandoned(row("")))
			})
			t.Run("it keeps no bell for which it has a slot", func(t *testing.T) {
				p := made("p")
				_, _ = p.Enter(b)
				require.Zero(t, p.Backlog())
			})
		})
	}
}

// row is a delivery's that was taken; "": it was not.
func row(taker string) *store.Item {
	i := &store.Item{Key: webhook.RowKey("a", "i"), Text: map[string]string{}}
	if taker != "" {
		i.Text["claim"] = taker
	}
	return i
}

// Whoever asks has entered the delivery: so the taker in the row is at it no more.
func TestWhoIsAloneKnowsThatADeliveryIsAbandoned(t *testing.T) {
	alone, many := Alone("p", time.Now), OneOfMany("p")
	for _, taker := range []string{OneOfMany("before").NewTaker(), alone.NewTaker()} {
		require.True(t, alone.Abandoned(row(taker)))
		require.False(t, many.Abandoned(row(taker)), "it may be anybody's")
	}
	require.False(t, many.Abandoned(row(many.NewTaker())))
}
