package coupons

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Function is the discount coupons' API.
var Function = host.Function{
	Name: "coupons", Doc: "Discount coupons: read, list, make, change, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

const path = "/api-engine/discount-coupons"

func register(p *host.Platform, a *api.API) {
	g := group{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listCoupons", Tag: "Discount coupons", Needs: api.ReadCoupons,
		Summary: "List discount coupons", Doc: "By (`changed`, `id`); an order that uses a coupon changes it. Deleted coupons are left out."}, g.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createCoupon", Tag: "Discount coupons", Needs: api.WriteCoupons,
		Summary: "Create a discount coupon", Doc: "409 `code_taken` when another coupon of the shop has the code, compared without case."}, g.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readCoupon", Tag: "Discount coupons", Needs: api.ReadCoupons,
		Summary: "Read a discount coupon", Doc: "404 for a deleted one."}, g.read)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}", ID: "changeCoupon", Tag: "Discount coupons", Needs: api.WriteCoupons, Reads: api.ReadCoupons,
		Summary: "Change a discount coupon", Doc: "Orders keep what it took off them. Without `coupons:read` the answer is `id` and `changed` only."}, g.change)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteCoupon", Tag: "Discount coupons", Needs: api.WriteCoupons,
		Summary: "Delete a discount coupon", Doc: "Orders keep what it took off them."}, g.delete)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

// listing is the query of the collection.
type listing struct {
	api.List
	Code string `query:"code" doc:"The coupon with this code, compared without case"`
}

func (g group) read(ctx context.Context, in *api.ByID) (*api.Answer[Coupon], error) {
	c, err := Read(ctx, g.Main, api.From(ctx).Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(c, c.Version), nil
}

func (g group) list(ctx context.Context, in *listing) (*api.Collection[Coupon], error) {
	shop := api.From(ctx).Shop
	if in.Code == "" {
		rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{OfShop(shop)}}
		return api.Page(ctx, in.List, rows, api.Load(g.Main, show))
	}
	item, err := unique.Find(ctx, g.Main, CodeKey(shop, api.Code(in.Code)), of(shop))
	if err != nil {
		return nil, err
	}
	return api.Found(ctx, in.List, item, show, func(c Coupon) bool { return Fold(c.Code) == Fold(api.Code(in.Code)) })
}

func (g group) create(ctx context.Context, in *api.Create[Fields]) (*api.Answer[Coupon], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	call := api.From(ctx)
	made := Coupon{ID: call.NewID(), Fields: in.Body}.at(call.Next(""))
	made.Created, made.Rev = made.Changed, made.Version
	answer := api.Of(made, made.Version).At(path + "/" + made.ID)
	take := unique.Claims{Take: claims(call.Shop, made.Fields)}
	err := g.write(ctx, answer, made.record(events.Created), take, store.Put(made.item(call.Shop), store.Absent()))
	if store.IsCondition(err) {
		return nil, api.Unavailable(time.Second)
	}
	return answer, err
}

func (g group) change(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Coupon], error) {
	return api.Again(ctx, func() (*api.Answer[Coupon], error) { return g.tryChange(ctx, in) })
}

// tryChange fails with the store's *store.ConditionError when another request changed the coupon, or an order used it,
// meanwhile.
func (g group) tryChange(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Coupon], error) {
	call := api.From(ctx)
	was, err := g.current(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, in.Body, was.Fields)
	if err != nil {
		return nil, err
	}
	if err := fields.check(); err != nil {
		return nil, err
	}
	if fields.same(was.Fields) {
		return api.Of(was, was.Version), nil
	}
	now := Coupon{ID: was.ID, Fields: fields, Used: was.Used, Created: was.Created}.at(call.Next(was.Version))
	now.Rev = now.Version
	answer := api.Of(now, now.Version)
	var take unique.Claims
	take.Take, take.Leave = unique.Between(claims(call.Shop, was.Fields), claims(call.Shop, fields))
	return answer, g.write(ctx, answer, now.record(events.Changed), take, store.Put(now.item(call.Shop), store.VersionIs(was.Version)))
}

func (g group) delete(ctx context.Context, in *api.ByID) (*api.None, error) {
	return api.Again(ctx, func() (*api.None, error) { return &api.None{}, g.tryDelete(ctx, in.ID) })
}

func (g group) tryDelete(ctx context.Context, id string) error {
	call := api.From(ctx)
	was, err := g.current(ctx, id)
	if err != nil {
		return err
	}
	gone := was.at(call.Next(was.Version))
	return g.write(ctx, &api.None{}, gone.record(events.Deleted), unique.Claims{},
		store.Put(unique.Tombstone(Key(call.Shop, id), gone.Version, call.Now()), store.VersionIs(was.Version)))
}

// current is the coupon that the request means to write to, held against its If-Match.
func (g group) current(ctx context.Context, id string) (Coupon, error) {
	call := api.From(ctx)
	was, err := Read(ctx, g.Main, call.Shop, id)
	if err != nil {
		return was, err
	}
	return was, call.Match(was.Version)
}

// write does one operation on a coupon in one transaction with its claims, its event, and the answer under the request's
// key.
func (g group) write(ctx context.Context, answer any, r events.Record, take unique.Claims, op store.Op) error {
	call := api.From(ctx)
	take.Owner, take.Of, take.Now = r.ID, of(call.Shop), call.Now()
	_, err := take.Write(ctx, g.Main, func(ops ...store.Op) (store.Item, error) {
		return call.Write(ctx, answer, call.Changed(r), ops...)
	}, op)
	return err
}
