package delivery

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/webhook"
	"eshop/shared/webhook/inflight"
)

// sentTo is a queue that takes down what is sent.
type sentTo struct {
	queue.Sender
	sent []queue.Message
}

func (s *sentTo) Send(_ context.Context, messages ...queue.Message) error {
	s.sent = append(s.sent, messages...)
	return nil
}

func TestADoubledBellOfWhatIsUnderWayKeepsNoPlaceAndRingsAgain(t *testing.T) {
	now := time.Unix(1795226712, 0)
	process := inflight.Alone("p", func() time.Time { return now })
	bell := func(id string) webhook.Bell { return webhook.Bell{ID: id, Receiver: "r", Retry: true} }
	sick, _ := process.Enter(bell("sick"))
	require.True(t, sick.Start(t.Context()))
	require.Empty(t, sick.Leave(inflight.Attempt{Made: true, Failed: true}))
	process.End(bell("sick"))
	var slots []inflight.Slot
	for n := range 2 { // as many as a suspect receiver has
		slot, _ := process.Enter(bell(fmt.Sprint("running", n)))
		require.NotNil(t, slot)
		slots = append(slots, slot)
	}
	doubled := bell("doubled")
	for _, b := range []webhook.Bell{doubled, bell("next")} {
		_, verdict := process.Enter(b)
		require.True(t, verdict.InBacklog)
	}
	woken := slots[0].Leave(inflight.Attempt{})
	require.Equal(t, []string{"doubled"}, ids(woken))
	underWay, _ := process.Enter(webhook.Bell{ID: "doubled", Receiver: "another lane"}) // its first message is at it
	require.NotNil(t, underWay)

	retry := &sentTo{}
	c := &courier{Platform: &host.Platform{Process: process,
		Parts: host.Parts{Queues: host.Queues{Retry: retry, Fresh: &sentTo{}}}}}
	require.True(t, c.bell(t.Context(), t.Context(), woken[0]))
	require.Len(t, retry.sent, 2)
	next, _ := webhook.ParseBell(retry.sent[0].Body)
	require.Equal(t, "next", next.ID, "its slot is that of the next")
	slot, _ := process.Enter(next)
	require.NotNil(t, slot)
	require.Equal(t, doubled.Message(webhook.Lease), retry.sent[1], "it is woken no more")

	doubled.Parked = true
	require.True(t, c.bell(t.Context(), t.Context(), doubled))
	require.Len(t, retry.sent, 2, "the drain rings for what is parked")
}

func ids(bells []webhook.Bell) (all []string) {
	for _, b := range bells {
		all = append(all, b.ID)
	}
	return all
}

func TestOfSeveralSlowAttemptsAtAReceiverOneIsNoted(t *testing.T) {
	var s slowReceivers
	now := time.Unix(1795226712, 0)
	require.True(t, s.note("r", now))
	require.False(t, s.note("r", now))
	require.True(t, s.note("other", now))
	require.False(t, s.note("r", now.Add(timeout)))
	require.True(t, s.note("r", now.Add(timeout+1)))
	require.Len(t, s.at, 1, "what is over is forgotten")
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	at := time.Unix(1795226712, 0)
	k, tallied := newStandings(&host.Platform{}), newTally()
	for n := range maxRemembered + 1 {
		name := fmt.Sprint(n)
		k.by.Set(name, remembered{})
		tallied.count(name, at)
	}
	k.by.Set(fmt.Sprint(maxRemembered), remembered{})
	tallied.count(fmt.Sprint(maxRemembered), at)
	require.EqualValues(t, 2, tallied.collect(fmt.Sprint(maxRemembered), at))
	known, won := 0, 2
	for n := range maxRemembered + 1 {
		if _, has := k.by.Get(fmt.Sprint(n)); has {
			known++
		}
		won += int(tallied.collect(fmt.Sprint(n), at))
	}
	require.Equal(t, maxRemembered, known, "one made room for the last, and none for what was known already")
	require.Equal(t, maxRemembered+1, won)
}

func TestOnlySuccessesOfTheWindowAreTallied(t *testing.T) {
	c := newTally()
	at := time.Unix(1795226712, 0)
	c.count("r", at)
	c.count("r", at.Add(webhook.Window))
	require.EqualValues(t, 2, c.collect("r", at.Add(webhook.Window)), "taken once")
	require.Zero(t, c.collect("r", at.Add(webhook.Window)))
	c.count("r", at)
	c.count("r", at.Add(webhook.Window+1))
	require.EqualValues(t, 1, c.collect("r", at.Add(webhook.Window+1)), "one is too old")
	c.count("r", at)
	require.Zero(t, c.collect("r", at.Add(webhook.Window+1)))
}
