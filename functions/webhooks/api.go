// Package webhooks is the API of an access's own webhooks (contract, "Webhooks"). Any token of an active access may
// call it, whatever its permissions, and sees only what belongs to the access.
//
// # A tour
//
// api.go has the receivers: where webhooks go, for which events, and how each does. send_api.go has what somebody asks
// to be sent: tests and replays. keys_api.go has the keys that sign, canary.go where the
// canary hears. All rules are in shared/webhook and shared/webhook/signingkey; the log of deliveries is another
// function's (functions/deliveries).
//
// # Promises
//
//   - Another access's receivers and keys are 404.
//   - A key's text is in the answer that makes the key and never again.
//   - What a ping, a test or a replay comes to is not known when it is answered: 202 says that it was asked for, and
//     Location where to look.
package webhooks

import (
	"net/http"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/egress"
	"eshop/shared/host"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/webhook"
	"eshop/shared/webhook/canaryhook"
)

// Function is the API of an access's own webhooks. It seals the signing keys that it makes, and sends to the retry
// queue: a drain, which lets parked deliveries go, begins by a message there.
var Function = host.Function{
	Name: "webhooks", Doc: "Webhooks: an access's receivers, their pings, its signing keys.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,

	Needs: append([]host.Need{
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Signing, Does: []host.Action{host.Seal}},
	}, host.Frame...),
}

const (
	receiversPath = "/api-engine/webhooks"
	keysPath      = "/api-engine/webhook-signing-keys"
	// where functions/deliveries answers
	deliveriesPath = "/api-engine/webhook-deliveries"
	tag            = "Webhooks"
)

// door answers the operations.
type door struct {
	main     store.Table
	now      func() time.Time
	key      []byte
	signing  secret.Keys
	callable egress.Rules
	pipeline webhook.Pipeline
	canaryAt string
}

func register(p *host.Platform, a *api.API) {
	d := door{main: p.Main, now: p.Now, key: p.Key, signing: p.Signing, callable: p.Callable(),
		pipeline: p.Webhooks(), canaryAt: p.Canary}
	d.registerReceivers(a)
	d.registerSends(a)
	d.registerKeys(a)
	// The receiver of the canary (functions/canary): what comes there has gone out to the internet and come in at the
	// API's own address, as to any add-on's server.
	a.Handle("POST "+canaryhook.Path, http.HandlerFunc(d.hear))
}

// registerReceivers registers what is done to receivers: an access's addresses for webhooks, at most ten.
func (d door) registerReceivers(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + receiversPath, ID: "listReceivers", Tag: tag,
		Summary: "List the access's receivers", Doc: "The addresses that webhooks of the access go to, at most ten."},
		d.list)
	api.Add(a, api.Op{Route: "POST " + receiversPath, ID: "createReceiver", Tag: tag,
		Summary: "Register a receiver",
		Doc: "From then on webhooks of these events go to its address, once you have shown that it is yours: it gets " +
			"one `ping` with a nonce and is `enabled` when it answers 2xx with the nonce in its body. 409 " +
			"`too_many_receivers` above ten."}, d.create)
	api.Add(a, api.Op{Route: "GET " + receiversPath + "/{id}", ID: "readReceiver", Tag: tag,
		Summary: "Read a receiver", Doc: "`lastSuccessAt`, `lastFailure` and `nextProbeAt` say how it does."}, d.read)
	api.Add(a, api.Op{Route: "PATCH " + receiversPath + "/{id}", ID: "changeReceiver", Tag: tag,
		Summary: "Change a receiver",
		Doc:     "A new `url` is verified anew, by a ping; the same one changes nothing."}, d.change)
	api.Add(a, api.Op{Route: "DELETE " + receiversPath + "/{id}", ID: "deleteReceiver", Tag: tag,
		Summary: "Delete a receiver", Doc: "What waits for it is cancelled."}, d.delete)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/ping", ID: "pingReceiver", Tag: tag, Status: 202,
		Summary: "Ping a receiver",
		Doc: "Sends one `ping`, whatever the receiver's state: it verifies an address that is not verified yet. " +
			"The answer is the receiver, its `Location` the delivery: there at once in the one process, a moment " +
			"later on AWS."},
		d.ping)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/enable", ID: "enableReceiver", Tag: tag, Status: 200,
		Summary: "Enable a failing receiver",
		Doc: "Webhooks go out again at once, parked ones too: it closes the breaker. Changes nothing on an enabled " +
			"one; 409 `receiver_unverified` on one whose address never answered a ping."}, d.enable)
}

// owner names the caller as the owner of receivers. Every command asks for it, so that no command can find a receiver
// of another access.
func owner(c *api.Call) webhook.Owner {
	return webhook.Owner{Shop: c.Shop, Access: c.Access, Package: c.Package}
}

// answer is the answer with a receiver as it is now. How it does (lastFailure, nextProbeAt, missingPermissions) is of
// the moment; the ETag moves with what somebody wrote only (contract, "Optimistic locking").
func (d door) answer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return api.Of(f.Record(d.now()), f.Version)
}

// createdAnswer is answer with the address of the new receiver.
func (d door) createdAnswer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return d.answer(f).At(receiversPath + "/" + f.ID)
}

// sentAnswer is answer with the address of the delivery that a ping or test has begun.
func (d door) sentAnswer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return d.answer(f).At(deliveriesPath + "/" + f.Sent)
}

// list lists the access's receivers by (changed, id).
func (d door) list(c *api.Call, in *api.List) (*api.Collection[webhook.ReceiverRecord], error) {
	rows, load := webhook.ReceiverList(d.main, owner(c), d.now())
	return api.Page(c, *in, rows, load)
}

// read shows one receiver and how it does. What its access may is read anew, so that missingPermissions is as of now.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[webhook.ReceiverRecord], error) {
	f, err := webhook.Read(c, d.main, owner(c), in.ID)
	if err != nil {
		return nil, err
	}
	return d.answer(f), nil
}

// create registers a receiver and sends its first ping. The address is checked now, and again at every dial; it is
// `unverified` until it answers 2xx with the ping's nonce, and gets nothing but pings until then (contract,
// "Receivers").
func (d door) create(c *api.Call, in *api.Create[webhook.Fields]) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.createdAnswer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Register(c, u, d.callable, owner(c), c.Permissions, in.Body)
	})
}

// change merges the body into the receiver. A new `url` must be verified anew: what is queued waits, and goes there.
func (d door) change(c *api.Call, in *api.Change[webhook.Fields]) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.answer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Change(c, u, d.callable, owner(c), in.ID,
			func(was webhook.Fields) (webhook.Fields, error) {
				return api.Apply(c, in.Body, was)
			})
	})
}

// delete deletes the receiver, and cancels what waits for it with the reason `receiver_deleted`: a deleted receiver
// drops nothing silently.
func (d door) delete(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error {
		return webhook.Delete(c, u, d.pipeline, owner(c), in.ID)
	})
}

// enable closes an open breaker, or brings a disabled receiver back, and lets the parked deliveries go.
func (d door) enable(c *api.Call, in *api.ByID) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.answer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Enable(c, u, d.pipeline, owner(c), in.ID)
	})
}

// ping sends one `ping`, whatever the receiver's state: it is how an address becomes verified.
func (d door) ping(c *api.Call, in *api.ByID) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.sentAnswer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Ping(c, u, owner(c), in.ID)
	})
}
