// Package deliveries is the API of the log of an access's webhook deliveries, and of the redelivery of one of them
// (contract, "Deliveries"). The rules are shared/webhook's.
//
// What a partner can count on: every webhook of the last 30 days is here, pings and tests too, with its attempts and
// the exact body that was sent (an install code left out). So a partner can find out what went wrong without asking us.
// Deliveries to a package's systemUrl are the operator's to show, and are not here.
package deliveries

import (
	"context"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// Function is the API of the log of deliveries. It writes to the pipeline and sends to both queues, because a
// redelivery rings for the delivery again.
var Function = host.Function{
	Name: "deliveries", Doc: "The log of an access's webhook deliveries, and redelivery.",
	// A read waits for 20 s at most, and the front door for 30.
	HTTP: register, Timeout: 29 * time.Second, Memory: 512,
	Needs: append([]host.Need{
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
	}, host.Frame...),
}

const path = "/api-engine/webhook-deliveries"

func register(p *host.Platform, a *api.API) {
	d := door{main: p.Main, rows: p.Pipeline, now: p.Now, pipeline: p.Webhooks()}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listDeliveries", Tag: "Webhooks",
		Summary: "List the access's deliveries",
		Doc: "Every webhook of the last 30 days and what became of it, pings and tests among them. Sorted by " +
			"`created`; newest first with `order[created]=desc`."},
		d.list)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readDelivery", Tag: "Webhooks",
		Summary: "Read a delivery with its attempts and its body",
		Doc: "Each attempt with its status, its duration and the first 2 KiB of your answer. Kept 30 days. " +
			"`wait=20` answers when the delivery has ended (`delivered`, `exhausted`, `cancelled`), " +
			"or after so many seconds as it is then."},
		d.read)
	api.Add(a, api.Op{Route: "POST " + path + "/{id}/redeliver", ID: "redeliver", Tag: "Webhooks",
		Summary: "Redeliver", Status: 202,
		Doc: "One further attempt of the same delivery at once, under the same id, also past an open breaker; " +
			"one that waits or is parked has its next attempt now. A delivered one stays delivered when it fails."},
		d.redeliver)
}

// door answers the operations.
type door struct {
	main     store.Table
	rows     store.Table // of the pipeline
	now      func() time.Time
	pipeline webhook.Pipeline
}

// Query is the query of the list: which receiver, event and state, and created when.
type Query struct {
	api.CreatedList
	webhook.Wanted
}

// list lists the access's deliveries by `created`, without their attempts.
func (d door) list(c *api.Call, in *Query) (*api.Collection[webhook.Listed], error) {
	rows, load := webhook.DeliveryList(d.rows, c.Access, in.Wanted, d.now())
	return api.Page(c, in, rows, load)
}

// asked is the input of a delivery's GET.
type asked struct {
	api.ByID
	Wait int `query:"wait" minimum:"1" maximum:"20" doc:"How many seconds the answer waits at most for the delivery to end"`
}

// look is how often a read that waits looks at the delivery.
const look = time.Second

// read shows a delivery with its attempts and its body. The answer to a ping or test promises its Location. In the one
// process that is kept: a delivery that is not there yet is looked for again once the batcher has handled what was
// acknowledged. On AWS it is there a moment later, for which a read that waits waits, too.
func (d door) read(c *api.Call, in *asked) (*api.Plain[webhook.Delivery], error) {
	for until := d.now().Add(time.Duration(in.Wait) * time.Second); d.now().Before(until); {
		if ended, err := d.hasEnded(c, c.Access, in.ID); ended || err != nil {
			break // what is wrong is said by the read itself
		}
		select {
		case <-time.After(look):
		case <-c.Done():
			return nil, c.Err()
		}
	}
	delivery, err := d.find(c, c.Access, in.ID)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(*delivery), nil
}

// hasEnded looks whether the delivery is there and nothing more happens to it. One that was delivered and is sent again
// has not ended.
func (d door) hasEnded(ctx context.Context, access, id string) (bool, error) {
	ctx, end := store.Look(ctx)
	defer end()
	delivery, err := d.find(ctx, access, id)
	if problem.Is(err, "not_found") {
		return false, nil
	}
	return err == nil && delivery.State.Ended() && delivery.NextAttempt == 0, err
}

// find reads the delivery, once more where it may be there only now.
func (d door) find(ctx context.Context, access, id string) (*webhook.Delivery, error) {
	handled := store.Lag(d.main, "")
	delivery, err := webhook.ReadDelivery(ctx, d.rows, access, id, d.now())
	if problem.Is(err, "not_found") && handled(ctx) {
		return webhook.ReadDelivery(ctx, d.rows, access, id, d.now())
	}
	return delivery, err
}

// redeliver asks for one more attempt at once, under the same webhook id, also past an open breaker. The request's
// Idempotency-Key is kept with the delivery itself: a request that comes twice means one attempt.
func (d door) redeliver(c *api.Call, in *api.ByID) (*api.Asked[webhook.Delivery], error) {
	delivery, err := webhook.Redeliver(c, c.Unit(), d.pipeline, c.Access, in.ID,
		c.Header("Idempotency-Key"), c.Admitted)
	if err != nil {
		return nil, err
	}
	return &api.Asked[webhook.Delivery]{Location: path + "/" + delivery.ID, Body: *delivery}, nil
}
