package webhooks_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/queue"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
	"eshop/shared/webhook"
)

// steps are the messages for drains that were sent since the last call.
func (w *world) steps() (all []webhook.Step) {
	w.T.Helper()
	got, err := w.P.Retry.(queue.Queue).Receive(context.Background(), queue.MaxBatch, 0)
	require.NoError(w.T, err)
	for _, m := range got {
		s, is := webhook.ParseStep(m.Body)
		require.True(w.T, is)
		require.Equal(w.T, s.Receiver, m.Group)
		all = append(all, s)
	}
	return all
}

func TestADrainBeginsAtOnceAndNotWhenTheSweeperComesBy(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	path := receivers + "/" + id
	w.verify(id)
	begun := func(why string) {
		t.Helper()
		require.Equal(t, []webhook.Step{w.drain(id).Step()}, w.steps(), why)
	}
	require.Empty(t, w.steps(), "nothing was parked for one that proves its first address")
	for _, s := range []webhook.ReceiverState{webhook.Failing, webhook.Disabled} {
		_, err := webhook.EnterState(context.Background(), w.P.Unit(), w.P.Webhooks(), *w.stored(id), s, 0)
		require.NoError(t, err)
		require.Empty(t, w.steps(), "nothing is to be done soon")
		w.do("POST", path+"/enable", nil).Is(200)
		begun("it is enabled from " + string(s))
		w.do("POST", path+"/enable", nil).Is(200)
		require.Empty(t, w.steps(), "it is enabled already")
	}
	w.do("PATCH", path, object{"url": url + "2"}).Is(200)
	require.Empty(t, w.steps())
	w.verify(id)
	begun("it proves a new address")
	require.NoError(t, webhook.EnsureDrain(context.Background(), w.P.Unit(), w.P.Webhooks(), *w.stored(id)))
	begun("something was parked as its breaker closed")
	w.do("DELETE", path, nil).Is(204)
	begun("what is parked is cancelled")
}

// away is a queue that cannot be reached.
type away struct{}

func (away) Send(context.Context, ...queue.Message) error { return queue.ErrUnavailable }

func TestWithoutTheQueueAReceiverIsEnabledAndTheSweeperBegins(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	w.verify(id)
	w.trip(id, webhook.Failing)
	w.P.Retry = away{}
	require.Equal(t, "enabled", w.do("POST", receivers+"/"+id+"/enable", nil).Is(200).Get("state"))
	require.Equal(t, w.P.Now().UTC(), w.drain(id).Due.UTC())
}

func TestADrainThatWaitsLooksSoonAtWhatIsParkedMeanwhile(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	w.verify(id)
	d := webhook.Drain{Release: webhook.Release{Receiver: id,
		Head: job.Head{Version: w.P.NewID(), Due: w.P.Now().Add(time.Hour)}}}
	w.Put(w.P.Main, d.Item())
	require.NoError(t, webhook.EnsureDrain(context.Background(), w.P.Unit(), w.P.Webhooks(), *w.stored(id)))
	require.Equal(t, w.P.Now().Add(webhook.StepInterval).UTC(), w.drain(id).Due.UTC())
}

func TestWhatIsParkedForAReceiverThatIsGoneByNowIsLookedAtSoonWhateverItWas(t *testing.T) {
	w := open(t)
	for _, s := range []webhook.ReceiverState{webhook.Failing, webhook.Disabled, webhook.Unverified} {
		gone := webhook.Receiver{ID: "gone-" + string(s), Shop: "s", Access: "a", State: s, Proven: true,
			Since: field.At(w.P.Now())}
		require.NoError(t, webhook.EnsureDrain(context.Background(), w.P.Unit(), w.P.Webhooks(), gone))
		require.False(t, w.drain(gone.ID).Due.After(w.P.Now().Add(webhook.StepInterval)), s)
	}
}
