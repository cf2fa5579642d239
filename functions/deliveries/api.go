package deliveries

import (
	"context"
	"time"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/api"
	"eshop/shared/host"
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
	g := group{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listDeliveries", Tag: "Webhooks", Summary: "List the access's deliveries",
		Doc: "By `created`; newest first with `order[created]=desc`. Kept 30 days, pings and tests among them."}, g.list)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readDelivery", Tag: "Webhooks", Summary: "Read a delivery with its attempts"}, g.read)
	api.Add(a, api.Op{Route: "POST " + path + "/{id}/redeliver", ID: "redeliver", Tag: "Webhooks", Summary: "Redeliver", Status: 202,
		Doc: "One further attempt of the same delivery at once, under the same id, also past an open breaker; one that waits or is parked has its next attempt now. A delivered one stays delivered when it fails."}, g.redeliver)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

// Query is the query of the list of deliveries.
type Query struct {
	api.CreatedList
	Receiver string         `query:"receiverId" maxLength:"64" doc:"To this receiver"`
	Event    events.Name    `query:"event" enum:"customerCreate,customerChange,customerDelete,productCreate,productChange,productDelete,orderChange,shopOwnerChange,packageActivate,packageDeactivate,packageOpenInstructions,ping" doc:"Of this event"`
	State    delivery.State `query:"state" enum:"waiting,parked,delivered,exhausted,cancelled" doc:"In this state"`
}

// takes says whether the delivery is one that is asked for.
func (q *Query) takes(d Listed) bool {
	return (q.Receiver == "" || q.Receiver == d.Receiver) && (q.Event == "" || q.Event == d.Event) && (q.State == "" || q.State == d.State)
}

func (g group) list(ctx context.Context, in *Query) (*api.Collection[Listed], error) {
	return List(ctx, g.Platform, api.From(ctx).Access, in)
}

// List is a page of the deliveries of an owner: an access, or a package for its systemUrl.
func List(ctx context.Context, p *host.Platform, owner string, in *Query) (*api.Collection[Listed], error) {
	rows := api.Rows{Table: p.Pipeline, Index: store.Primary}
	for n := range delivery.Shards {
		rows.Partitions = append(rows.Partitions, delivery.Partition(owner, n))
	}
	return api.Page(ctx, in, rows, func(_ context.Context, found []store.Item) ([]api.Shown[Listed], error) {
		out := make([]api.Shown[Listed], len(found))
		for i := range found {
			d := show(delivery.Of(&found[i]))
			out[i] = api.Shown[Listed]{Record: d, At: d.Created.Go(), Size: 256, Gone: !visible(&found[i], p.Now()) || !in.takes(d)}
		}
		return out, nil
	})
}

func (g group) read(ctx context.Context, in *api.ByID) (*api.Plain[Delivery], error) {
	return Read(ctx, g.Platform, api.From(ctx).Access, in.ID)
}

// Read is an owner's delivery with its attempts; a 404 when there is none.
func Read(ctx context.Context, p *host.Platform, owner, id string) (*api.Plain[Delivery], error) {
	items, err := p.Pipeline.Get(ctx, delivery.Key(owner, id))
	if err != nil {
		return nil, err
	}
	return answer(p, items[0])
}

// answer is the delivery; a 404 when there is none.
func answer(p *host.Platform, i *store.Item) (*api.Plain[Delivery], error) {
	if !visible(i, p.Now()) {
		return nil, api.NotFound()
	}
	d, err := whole(i)
	return api.PlainOf(d), err
}

func (g group) redeliver(ctx context.Context, in *api.ByID) (*api.Plain[Delivery], error) {
	c := api.From(ctx)
	items, err := g.Pipeline.Get(ctx, delivery.Key(c.Access, in.ID))
	if err != nil {
		return nil, err
	}
	if !visible(items[0], g.Now()) {
		return nil, api.NotFound()
	}
	row := delivery.Of(items[0])
	receiver, err := g.receiver(ctx, row)
	if err != nil {
		return nil, err
	}
	if err := redeliverable(row, receiver); err != nil {
		return nil, err
	}
	if err := c.Admitted(ctx); err != nil {
		return nil, err
	}
	after, err := delivery.Redeliver(ctx, g.Platform, items[0], c.Header("Idempotency-Key"))
	if err != nil {
		return nil, err
	}
	if after == nil {
		return nil, cancelled()
	}
	return answer(g.Platform, after)
}

// receiver is the delivery's, nil when it was deleted.
func (g group) receiver(ctx context.Context, d delivery.Row) (*webhook.Receiver, error) {
	items, err := g.Main.Get(ctx, webhook.ReceiverKey(d.Shop, d.Access, d.Receiver))
	if err != nil || items[0] == nil {
		return nil, err
	}
	r, err := webhook.ReceiverOf(items[0])
	return &r, err
}
