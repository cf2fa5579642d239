package webhooks

import (
	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// registerSends registers what is sent because somebody asks for it: tests, and replays of what was sent before.
func (d door) registerSends(a *api.API) {
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/test", ID: "testReceiver", Tag: tag, Status: 202,
		Summary: "Test a receiver",
		Doc: "Shows whether your receiver takes an event: it is sent one sample, with `\"test\": true` in its body " +
			"and ids of nothing, whatever the receiver's events and the access's permissions. One attempt, in the " +
			"log, counted nowhere: a failed one is `exhausted`. The answer is the receiver, its `Location` the " +
			"delivery: there at once in the one process, a moment later on AWS."}, d.test)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/replay", ID: "replayReceiver", Tag: tag, Status: 202,
		Summary: "Replay deliveries",
		Doc: "Sends what your receiver missed or lost once more: its deliveries that were created from `from` to " +
			"`to`, both inclusive, go out again under their ids, in the order of their creation. They are kept for " +
			"30 days: an earlier `from` replays all of them. It stops for an open breaker. The answer is the " +
			"receiver; `Location` is where to read how far the replay is."}, d.replay)
	api.Add(a, api.Op{Route: "GET " + receiversPath + "/{id}/replay", ID: "readReplay", Tag: tag,
		Summary: "Read the last replay",
		Doc:     "How far the receiver's last replay is; 404 when there was none within thirty days."}, d.lastReplay)
}

// WebhookTestNew names the event whose sample is sent.
type WebhookTestNew struct {
	Event field.Event `json:"event"`
}

// testIn is the input of a test: which receiver, and which event.
type testIn struct {
	api.ByID
	Body WebhookTestNew
}

// test sends one sample of an event. A receiver that is not verified or not active is 409. An open breaker does not
// hinder it, because a test is how a partner sees whether a mended receiver works; it counts in no breaker.
func (d door) test(c *api.Call, in *testIn) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.sentAnswer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Test(c, u, owner(c), in.ID, events.Name(in.Body.Event))
	})
}

// replayIn is the input of a replay: which receiver, and which of its deliveries.
type replayIn struct {
	api.ByID
	Body webhook.Replay
}

// replay begins to send old deliveries again, for a partner who lost them. It answers 202; lastReplay shows how far it
// is.
func (d door) replay(c *api.Call, in *replayIn) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.replayAnswer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.BeginReplay(c, u, d.pipeline, owner(c), in.ID, in.Body)
	})
}

// replayAnswer is answer with the address where the replay's progress is read.
func (d door) replayAnswer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return d.answer(f).At(receiversPath + "/" + f.ID + "/replay")
}

// lastReplay shows the receiver's latest replay; 404 when there was none in 30 days.
func (d door) lastReplay(c *api.Call, in *api.ByID) (*api.Plain[webhook.ReplayRecord], error) {
	r, err := webhook.LastReplay(c, d.main, owner(c), in.ID, d.now())
	if err != nil {
		return nil, err
	}
	return api.PlainOf(*r), nil
}
