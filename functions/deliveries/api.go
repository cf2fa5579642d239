// Package deliveries is the API of the log of an access's webhook deliveries, and of the redelivery of one of them
// (contract, section 4, "Webhooks"). The rules are shared/webhook's.
package deliveries

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/problem"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Function is the API of the log of deliveries.
var Function = host.Function{
	Name: "deliveries", Doc: "The log of an access's webhook deliveries, and redelivery.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,
	Needs: append([]host.Need{
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
	}, host.Frame...),
}

const path = "/api-engine/webhook-deliveries"

func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listDeliveries", Tag: "Webhooks",
		Summary: "List the access's deliveries",
		Doc:     "By `created`; newest first with `order[created]=desc`. Kept 30 days, pings and tests among them."},
		d.list)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readDelivery", Tag: "Webhooks",
		Summary: "Read a delivery with its attempts and its body",
		Doc:     "Each attempt with its status, its duration and the first 2 KiB of your answer. Kept 30 days."},
		d.read)
	api.Add(a, api.Op{Route: "POST " + path + "/{id}/redeliver", ID: "redeliver", Tag: "Webhooks",
		Summary: "Redeliver", Status: 202,
		Doc: "One further attempt of the same delivery at once, under the same id, also past an open breaker; " +
			"one that waits or is parked has its next attempt now. A delivered one stays delivered when it fails."},
		d.redeliver)
}

// door is the operations; the platform is all they have.
type door struct{ *host.Platform }

// Query is the query of the list of deliveries.
type Query struct {
	api.CreatedList
	webhook.Wanted
}

func (d door) list(c *api.Call, in *Query) (*api.Collection[webhook.Listed], error) {
	rows, load := webhook.DeliveryList(d.Pipeline, c.Access, in.Wanted, d.Now())
	return api.Page(c, in, rows, load)
}

// read shows a delivery. Where the batcher works in this process, the delivery of a ping or test is there as soon as
// that is answered, as its Location promises; on AWS it is there when the batcher has handled it.
func (d door) read(c *api.Call, in *api.ByID) (*api.Plain[webhook.Delivery], error) {
	handled := store.Lag(d.Main)
	find := func() (*webhook.Delivery, error) {
		return webhook.ReadDelivery(c, d.Pipeline, c.Access, in.ID, d.Now())
	}
	delivery, err := find()
	if problem.Is(err, "not_found") && handled(c) {
		delivery, err = find()
	}
	if err != nil {
		return nil, err
	}
	return api.PlainOf(*delivery), nil
}

func (d door) redeliver(c *api.Call, in *api.ByID) (*api.Asked[webhook.Delivery], error) {
	delivery, err := webhook.Redeliver(c, c.Unit(), d.Webhooks(), c.Access, in.ID,
		c.Header("Idempotency-Key"), c.Admitted)
	if err != nil {
		return nil, err
	}
	return &api.Asked[webhook.Delivery]{Location: path + "/" + delivery.ID, Body: *delivery}, nil
}
