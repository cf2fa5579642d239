// Package webhooks is the API of an access's own webhooks (contract, section 4, "Webhooks"): its receivers here, what
// is sent to them on demand in send_api.go, its signing keys in keys_api.go. The rules are shared/webhook's.
package webhooks

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

// Function is the API of an access's own webhooks.
var Function = host.Function{
	Name: "webhooks", Doc: "Webhooks: an access's receivers, their pings, its signing keys.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,
	// Drains begin by a message to the retry queue.
	Needs: append([]host.Need{
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Signing, Does: []host.Action{host.Seal}},
	}, host.Frame...),
}

const (
	receiversPath  = "/api-engine/webhooks"
	keysPath       = "/api-engine/webhook-signing-keys"
	deliveriesPath = "/api-engine/webhook-deliveries" // another function's
	tag            = "Webhooks"
)

// door is the operations; the platform is all they have.
type door struct{ *host.Platform }

func register(p *host.Platform, a *api.API) {
	d := door{p}
	d.registerReceivers(a)
	d.registerSends(a)
	d.registerKeys(a)
}

func (d door) registerReceivers(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + receiversPath, ID: "listReceivers", Tag: tag,
		Summary: "List the access's receivers", Doc: "At most ten."}, d.list)
	api.Add(a, api.Op{Route: "POST " + receiversPath, ID: "createReceiver", Tag: tag,
		Summary: "Register a receiver",
		Doc: "Its address gets one `ping` with a nonce and is `enabled` when it answers 2xx with the nonce in its " +
			"body. 409 `too_many_receivers` above ten."}, d.create)
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
			"`Location` is its delivery: there at once in the one process, a moment later on AWS."},
		d.ping)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/enable", ID: "enableReceiver", Tag: tag, Status: 200,
		Summary: "Enable a failing receiver",
		Doc: "Closes the breaker at once. Changes nothing on an enabled one; " +
			"409 `receiver_unverified` on one whose address never answered a ping."}, d.enable)
}

// owner is whose receivers the caller's are.
func owner(c *api.Call) webhook.Owner {
	return webhook.Owner{Shop: c.Shop, Access: c.Access, Package: c.Package}
}

func (d door) answer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return api.Of(f.Record(d.Now()), f.Version)
}

func (d door) createdAnswer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return d.answer(f).At(receiversPath + "/" + f.ID)
}

// sentAnswer is the answer with the address of the delivery that was asked for.
func (d door) sentAnswer(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return d.answer(f).At(deliveriesPath + "/" + f.Sent)
}

func (d door) list(c *api.Call, in *api.List) (*api.Collection[webhook.ReceiverRecord], error) {
	rows, load := webhook.ReceiverList(d.Main, owner(c), d.Now())
	return api.Page(c, *in, rows, load)
}

func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[webhook.ReceiverRecord], error) {
	f, err := webhook.Read(c, d.Main, owner(c), in.ID)
	if err != nil {
		return nil, err
	}
	return d.answer(f), nil
}

func (d door) create(c *api.Call, in *api.Create[webhook.Fields]) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.createdAnswer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Register(c, u, d.Callable(), owner(c), c.Permissions, in.Body)
	})
}

func (d door) change(c *api.Call, in *api.Change[webhook.Fields]) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.answer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Change(c, u, d.Callable(), owner(c), in.ID,
			func(was webhook.Fields) (webhook.Fields, error) {
				return api.Apply(c, in.Body, was)
			})
	})
}

func (d door) delete(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error {
		return webhook.Delete(c, u, d.Webhooks(), owner(c), in.ID)
	})
}

func (d door) enable(c *api.Call, in *api.ByID) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.answer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Enable(c, u, d.Webhooks(), owner(c), in.ID)
	})
}

func (d door) ping(c *api.Call, in *api.ByID) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.sentAnswer, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Ping(c, u, owner(c), in.ID)
	})
}
