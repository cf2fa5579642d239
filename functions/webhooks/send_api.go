package webhooks

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/api"
)

// registerSends registers what is sent when somebody asks for it: tests and replays.
func (d door) registerSends(a *api.API) {
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/test", ID: "testReceiver", Tag: tag, Status: 202,
		Summary: "Test a receiver",
		Doc: "Sends one sample of the event, with `\"test\": true` in its body and ids of nothing, whatever the " +
			"receiver's events and the access's permissions. One attempt, in the log, counted nowhere."}, d.test)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/replay", ID: "replayReceiver", Tag: tag, Status: 202,
		Summary: "Replay deliveries",
		Doc: "The receiver's deliveries that were created from `from` to `to`, both inclusive, go out again under " +
			"their ids, in the order of their creation. It stops for an open breaker."}, d.replay)
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

func (d door) test(ctx context.Context, in *testIn) (*api.Answer[ReceiverRecord], error) {
	return d.sendOnDemand(ctx, in.ID, events.Notice{Event: in.Body.Event, Test: true})
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

// defaultPerSecond is the rate of a replay that asks for none.
const defaultPerSecond = 10

// complete is the replay with the defaults of what it does not say.
func (r Replay) complete(now time.Time) (events.Replay, error) {
	var faults api.Faults
	refuseTwice(&faults, "states", r.States)
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
		r.PerSecond = defaultPerSecond
	}
	return events.Replay{From: int64(r.From), To: int64(to), States: r.States, PerSecond: r.PerSecond}, faults.Err()
}

func (d door) replay(ctx context.Context, in *replayIn) (*api.Answer[ReceiverRecord], error) {
	replay, err := in.Body.complete(d.Now())
	if err != nil {
		return nil, err
	}
	return d.sendOnDemand(ctx, in.ID, events.Notice{Package: api.From(ctx).Package, Replay: &replay})
}

// sendOnDemand tells the receiver the notice, if something may be sent to it.
func (d door) sendOnDemand(ctx context.Context, id string, n events.Notice) (*api.Answer[ReceiverRecord], error) {
	f, err := d.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := f.Sendable(); err != nil {
		return nil, err
	}
	n.Access, n.Receiver = f.Access, f.ID
	return d.send(ctx, f, api.From(ctx).Told(f.Shop, n), toldNum)
}
