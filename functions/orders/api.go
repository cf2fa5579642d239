package orders

import (
	"cmp"
	"context"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Function is the API of orders and order states.
var Function = host.Function{
	Name: "orders", Doc: "Orders and order states: read, list, make, move on, track.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

const path = "/api-engine/orders"

func register(p *host.Platform, a *api.API) {
	g := group{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listOrders", Tag: "Orders", Needs: api.ReadOrders,
		Summary: "List orders", Doc: "By (`changed`, `id`), those of a customer too."}, g.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createOrder", Tag: "Orders", Needs: api.WriteOrders,
		Summary: "Create an order", Doc: "Takes stock and uses coupons, all or nothing; fires `orderChange` and the `productChange` of its products. " +
			"409 `insufficient_stock` with `productId`, `variantId` and `available`; 422 `coupon_invalid` with `reason`; 422 `state_deleted`."}, g.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readOrder", Tag: "Orders", Needs: api.ReadOrders,
		Summary: "Read an order"}, g.read)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}", ID: "changeOrder", Tag: "Orders", Needs: api.WriteOrders, Reads: api.ReadOrders,
		Summary: "Move an order to another state, or change its note", Doc: "Moving into the states `cancelled` and `returned` puts the stock back, once. " +
			"409 `state_final` out of a final state, 422 `state_deleted` into a deleted one. Fires `orderChange` when something changed. Without `orders:read` the answer is `id` and `changed` only."}, g.change)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}/order-delivery-payment", ID: "changeTracking", Tag: "Orders", Needs: api.WriteOrders, Reads: api.ReadOrders,
		Summary: "Change an order's tracking number and link", Doc: "`ETag` and `If-Match` are the order's. Fires `orderChange` when something changed. Without `orders:read` the answer is the order's `id` and `changed` only."}, g.track)
	registerStates(a)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

// beside makes the calls at the same time, in turn where the store answers within microseconds. It returns the first error.
func (g group) beside(ctx context.Context, calls ...func() error) error {
	if !g.OneProcess {
		return cmp.Or(guard.Each(ctx, len(calls), func(i int) error { return calls[i]() })...)
	}
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// listing is the query of the collection.
type listing struct {
	api.List
	Number   string `query:"number" maxLength:"64" doc:"The order with this number"`
	Customer string `query:"customerId" maxLength:"64" doc:"The orders of this customer, a deleted one too"`
}

func (g group) read(ctx context.Context, in *api.ByID) (*api.Answer[Order], error) {
	o, err := Read(ctx, g.Main, api.From(ctx).Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(o, o.Version), nil
}

func (g group) list(ctx context.Context, in *listing) (*api.Collection[Order], error) {
	shop := api.From(ctx).Shop
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{OfShop(shop)}}
	switch {
	case in.Number != "":
		return g.numbered(ctx, in)
	case in.Customer != "" && !id.Valid(in.Customer):
		return api.One[Order](ctx, in.List)
	case in.Customer != "":
		rows.Index, rows.Partitions = store.Index2, []string{OfCustomer(shop, in.Customer)}
	}
	return api.Page(ctx, in.List, rows, api.Load(g.Main, show))
}

// numbered is the page with the order of a number.
func (g group) numbered(ctx context.Context, in *listing) (*api.Collection[Order], error) {
	shop := api.From(ctx).Shop
	item, err := unique.Find(ctx, g.Main, NumberKey(shop, in.Number), func(id string) store.Key { return Key(shop, id) })
	if err != nil {
		return nil, err
	}
	return api.Found(ctx, in.List, item, show, func(o Order) bool { return in.Customer == "" || in.Customer == o.CustomerID })
}

// target is the state that a patch names; nil when it names none.
func target(patch api.Patch[Fields]) *string {
	v, _ := patch.Get("stateId")
	if state, is := v.(string); is {
		return &state
	}
	return nil
}

func (g group) change(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Order], error) {
	return api.Again(ctx, func() (*api.Answer[Order], error) { return g.tryChange(ctx, in) })
}

// tryChange fails with the store's *store.ConditionError when another request changed the order, or one of its products,
// meanwhile.
func (g group) tryChange(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Order], error) {
	c := api.From(ctx)
	m, err := g.move(ctx, in.ID, target(in.Body))
	if err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, in.Body, Fields{m.was.StateID, m.was.Note})
	if err != nil {
		return nil, err
	}
	now := m.was
	now.StateID, now.Note = fields.StateID, fields.Note
	if err := now.tooHeavy(); err != nil {
		return nil, err
	}
	var ops []store.Op
	var told []events.Record
	if m.putsBack() {
		if ops, told, err = g.putBack(ctx, m.was); err != nil {
			return nil, err
		}
		now.Returned = true
	}
	return save(ctx, c, m.was, now, ops, told)
}

// save writes the order as it is now, with what comes with it, unless nothing changed.
func save(ctx context.Context, c *api.Call, was, now Order, ops []store.Op, told []events.Record) (*api.Answer[Order], error) {
	g := groups(was, now)
	if len(g) == 0 {
		return api.Of(was, was.Version), nil
	}
	now = now.at(c.Next(was.Version))
	answer := api.Of(now, now.Version)
	ops = append([]store.Op{store.Put(now.item(c.Shop), store.VersionIs(was.Version))}, ops...)
	told = append([]events.Record{now.record(events.Changed, g...)}, told...)
	_, err := c.Write(ctx, answer, c.Changed(told...), ops...)
	return answer, err
}

// track changes the tracking of an order. Its answer is only a part of the order, with the order's entity tag.
func (g group) track(ctx context.Context, in *api.Change[Tracking]) (*api.Answer[Shipping], error) {
	return api.Again(ctx, func() (*api.Answer[Shipping], error) { return g.tryTrack(ctx, in) })
}

func (g group) tryTrack(ctx context.Context, in *api.Change[Tracking]) (*api.Answer[Shipping], error) {
	c := api.From(ctx)
	sent, err := api.Apply(ctx, in.Body, Tracking{})
	if err != nil {
		return nil, err
	}
	if err := sent.check(); err != nil {
		return nil, err
	}
	was, err := Read(ctx, g.Main, c.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	if err := c.Match(was.Version); err != nil {
		return nil, err
	}
	tracking, err := api.Apply(ctx, in.Body, was.Shipping.tracking())
	if err != nil {
		return nil, err
	}
	now := was
	now.Shipping = was.Shipping.with(tracking)
	if g := groups(was, now); len(g) > 0 {
		now = now.at(c.Next(was.Version))
		answer := api.Of(now.Shipping, now.Version)
		c.Brief(now.ID, now.Changed)
		_, err = c.Write(ctx, answer, c.Changed(now.record(events.Changed, g...)), store.Put(now.item(c.Shop), store.VersionIs(was.Version)))
		return answer, err
	}
	c.Brief(was.ID, was.Changed)
	return api.Of(was.Shipping, was.Version), nil
}
