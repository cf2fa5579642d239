package orders

import (
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
)

const statesPath = "/api-engine/order-states"

func (g group) registerStates(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + statesPath, ID: "listOrderStates", Tag: "Order states", Needs: api.ReadOrders,
		Summary: "List order states", Doc: "By (`changed`, `id`). Deleted ones are left out unless `includeDeleted` is true."}, g.listStates)
	api.Add(a, api.Op{Route: "POST " + statesPath, ID: "createOrderState", Tag: "Order states", Needs: api.WriteOrders,
		Summary: "Create an order state", Doc: "409 `too_many_states` when the shop has 100, or a thousand with the deleted ones."}, g.createState)
	api.Add(a, api.Op{Route: "GET " + statesPath + "/{id}", ID: "readOrderState", Tag: "Order states", Needs: api.ReadOrders,
		Summary: "Read an order state", Doc: "A deleted one too, with `deleted` true."}, g.readState)
	api.Add(a, api.Op{Route: "PATCH " + statesPath + "/{id}", ID: "changeOrderState", Tag: "Order states", Needs: api.WriteOrders, Reads: api.ReadOrders,
		Summary: "Change an order state", Doc: "409 `state_deleted` for a deleted one. Without `orders:read` the answer is `id` and `changed` only."}, g.changeState)
	api.Add(a, api.Op{Route: "DELETE " + statesPath + "/{id}", ID: "deleteOrderState", Tag: "Order states", Needs: api.WriteOrders,
		Summary: "Mark an order state as deleted", Doc: "It leaves the collection and can still be read by its id; orders in it stay there. 409 `last_state` for the last one left."}, g.deleteState)
}

// A shop has at most maxStates, and maxMarked with those that are marked as deleted: all are read when an order is made.
const (
	maxStates = 100
	maxMarked = 1_000
)

// stateListing is the query of the collection.
type stateListing struct {
	api.List
	Deleted bool `query:"includeDeleted" doc:"Shows deleted ones, too"`
}

// states are all of the shop's. A shop from before there were any gets them here.
func (g group) states(ctx context.Context) ([]State, error) {
	c := api.From(ctx)
	all, err := AllStates(ctx, g.Main, c.Shop)
	if err != nil || len(all) > 0 {
		return all, err
	}
	ops, told := NewStates(c, c.Shop, c.Locale)
	if _, err := c.Write(ctx, nil, c.Changed(told...), ops...); err != nil && !store.IsCondition(err) {
		return nil, err
	}
	return AllStates(ctx, g.Main, c.Shop)
}

func (g group) listStates(ctx context.Context, in *stateListing) (*api.Collection[State], error) {
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{StatesOfShop(api.From(ctx).Shop)}}
	return api.Page(ctx, in.List, rows, api.Load(g.Main, func(item *store.Item) (State, time.Time, bool, error) {
		s, err := StateOf(item)
		return s, s.Changed.Go(), in.Deleted || !s.Deleted, err
	}))
}

func (g group) readState(ctx context.Context, in *api.ByID) (*api.Answer[State], error) {
	s, err := ReadState(ctx, g.Main, api.From(ctx).Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(s, s.Version), nil
}

func (g group) createState(ctx context.Context, in *api.Create[StateFields]) (*api.Answer[State], error) {
	c := api.From(ctx)
	all, err := g.states(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) >= maxMarked {
		return nil, tooManyStates()
	}
	made := State{ID: c.NewID(), StateFields: in.Body}.at(c.Next(""))
	made.Created = made.Changed
	if made.Position == last {
		made.Position = behind(all)
	}
	answer := api.Of(made, made.Version).At(statesPath + "/" + made.ID)
	_, err = c.Write(ctx, answer, c.Changed(made.record(events.Created)), store.Put(made.item(c.Shop), store.Absent()),
		store.Update(liveKey(c.Shop), store.Set{Add: map[string]int64{live: 1}}, store.AtMost(live, maxStates-1)))
	if _, full := store.Failed(err, liveKey(c.Shop)); full {
		return nil, tooManyStates()
	}
	return answer, err
}

func tooManyStates() *api.Problem {
	return api.Conflict("too_many_states", "The shop has as many order states as it can have: change one of them.")
}

func (g group) changeState(ctx context.Context, in *api.Change[StateFields]) (*api.Answer[State], error) {
	return api.Again(ctx, func() (*api.Answer[State], error) { return g.tryChangeState(ctx, in) })
}

// tryChangeState fails with the store's *store.ConditionError when another request changed the state meanwhile.
func (g group) tryChangeState(ctx context.Context, in *api.Change[StateFields]) (*api.Answer[State], error) {
	c := api.From(ctx)
	was, err := g.currentState(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if was.Deleted {
		return nil, api.Conflict("state_deleted", "The order state is deleted: it cannot be changed.")
	}
	fields, err := api.Apply(ctx, in.Body, was.StateFields)
	if err != nil {
		return nil, err
	}
	if fields.Position == last {
		all, err := g.states(ctx)
		if err != nil {
			return nil, err
		}
		fields.Position = behind(slices.DeleteFunc(all, func(s State) bool { return s.ID == was.ID }))
	}
	if fields == was.StateFields {
		return api.Of(was, was.Version), nil
	}
	now := was.at(c.Next(was.Version))
	now.StateFields = fields
	answer := api.Of(now, now.Version)
	_, err = c.Write(ctx, answer, c.Changed(now.record(events.Changed)), store.Put(now.item(c.Shop), store.VersionIs(was.Version)))
	return answer, err
}

func (g group) deleteState(ctx context.Context, in *api.ByID) (*api.None, error) {
	return api.Again(ctx, func() (*api.None, error) { return &api.None{}, g.tryDeleteState(ctx, in.ID) })
}

func (g group) tryDeleteState(ctx context.Context, id string) error {
	c := api.From(ctx)
	was, err := g.currentState(ctx, id)
	if err != nil || was.Deleted {
		return err
	}
	now := was.at(c.Next(was.Version))
	now.Deleted, now.DeletedAt = true, &now.Changed
	_, err = c.Write(ctx, &api.None{}, c.Changed(now.record(events.Deleted)), store.Put(now.item(c.Shop), store.VersionIs(was.Version)),
		store.Update(liveKey(c.Shop), store.Set{Add: map[string]int64{live: -1}}, store.AtLeast(live, 2)))
	_, outdated := store.Failed(err, StateKey(c.Shop, id))
	if _, lone := store.Failed(err, liveKey(c.Shop)); lone && !outdated {
		return api.Conflict("last_state", "It is the only order state left: make another one first.")
	}
	return err
}

// currentState is the order state that the request means to write to, held against its If-Match.
func (g group) currentState(ctx context.Context, id string) (State, error) {
	c := api.From(ctx)
	was, err := ReadState(ctx, g.Main, c.Shop, id)
	if err != nil {
		return was, err
	}
	return was, c.Match(was.Version)
}
