package webhooks

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
)

// registerOnce registers what is sent when somebody asks for it: tests and replays.
func (g group) registerOnce(a *api.API) {
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/test", ID: "testReceiver", Tag: "Webhooks", Summary: "Test a receiver", Status: 202,
		Doc: "Sends one sample of the event, with `\"test\": true` in its body and ids of nothing, whatever the receiver's events and the access's permissions. One attempt, in the log, counted nowhere."}, g.test)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/replay", ID: "replayReceiver", Tag: "Webhooks", Summary: "Replay deliveries", Status: 202,
		Doc: "The receiver's deliveries that were created from `from` to `to`, both inclusive, go out again under their ids, in the order of their creation. It stops for an open breaker."}, g.replay)
}

// Sendable is why nothing but pings may be sent to the receiver, nil when something may: a breaker that is open is no reason.
func (r Receiver) Sendable() error {
	switch {
	case !r.Active:
		return api.Conflict("receiver_inactive", "The receiver is switched off: set active to true.")
	case !r.Verified:
		return api.Conflict("receiver_unverified", "The receiver's address has not answered a ping with its nonce yet: ping it.")
	}
	return nil
}

// Test is the event that a receiver is tested with.
type Test struct {
	Event events.Name `json:"event" enum:"customerCreate,customerChange,customerDelete,productCreate,productChange,productDelete,orderChange,shopOwnerChange,packageActivate,packageDeactivate,packageOpenInstructions"`
}

// testIn is a receiver and its test.
type testIn struct {
	api.ByID
	Body Test
}

func (g group) test(ctx context.Context, in *testIn) (*api.Answer[ReceiverRecord], error) {
	return g.tell(ctx, in.ID, events.Notice{Event: in.Body.Event, Test: true})
}

// Replay is which deliveries of a receiver go out again.
type Replay struct {
	From      api.Time  `json:"from" doc:"Created at or after this moment"`
	To        *api.Time `json:"to,omitempty" doc:"Created at or before this moment; now when not given"`
	States    []string  `json:"states,omitempty" enum:"delivered,exhausted" doc:"In these states; both when not given"`
	PerSecond int       `json:"perSecond,omitempty" minimum:"1" maximum:"100" doc:"How many go out each second, at most; 10 when not given"`
}

// replayIn is a receiver and its replay.
type replayIn struct {
	api.ByID
	Body Replay
}

// perSecond is the rate of a replay that asks for none.
const perSecond = 10

// asked is the replay with what it does not say.
func (r Replay) asked(now time.Time) (events.Replay, error) {
	var faults api.Faults
	twice(&faults, "states", r.States)
	to := api.At(now)
	if r.To != nil {
		to = *r.To
	}
	if to < r.From && len(faults) == 0 {
		faults.Add("to", api.Conflicting, "must not be before from")
	}
	if len(r.States) == 0 {
		r.States = []string{"delivered", "exhausted"}
	}
	if r.PerSecond == 0 {
		r.PerSecond = perSecond
	}
	return events.Replay{From: int64(r.From), To: int64(to), States: r.States, PerSecond: r.PerSecond}, faults.Err()
}

func (g group) replay(ctx context.Context, in *replayIn) (*api.Answer[ReceiverRecord], error) {
	asked, err := in.Body.asked(g.Now())
	if err != nil {
		return nil, err
	}
	return g.tell(ctx, in.ID, events.Notice{Package: api.From(ctx).Package, Replay: &asked})
}

// tell hands the notice on to the receiver, if something may be sent to it.
func (g group) tell(ctx context.Context, id string, n events.Notice) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	r, b, err := g.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := r.Sendable(); err != nil {
		return nil, err
	}
	n.Access, n.Receiver = r.Access, r.ID
	answer := b.answer(r)
	_, err = c.Write(ctx, answer, c.Told(r.Shop, n),
		store.Update(HealthKey(r.ID), store.Set{Num: map[string]int64{"told": c.Now().UnixMilli()}}, store.Present()))
	if store.IsCondition(err) {
		return nil, api.NotFound() // deleted since it was read
	}
	return answer, err
}
