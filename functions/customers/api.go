package customers

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Function is the customers' API.
var Function = host.Function{
	Name: "customers", Doc: "Customers: read, list, make, change, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

const path = "/api-engine/customers"

func register(p *host.Platform, a *api.API) {
	g := group{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listCustomers", Tag: "Customers", Needs: api.ReadCustomers,
		Summary: "List customers", Doc: "By (`changed`, `id`). Deleted customers are left out."}, g.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createCustomer", Tag: "Customers", Needs: api.WriteCustomers,
		Summary: "Create a customer", Doc: "Fires `customerCreate`. 409 `email_taken` or `external_id_taken` when another customer of the shop has that value."}, g.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readCustomer", Tag: "Customers", Needs: api.ReadCustomers,
		Summary: "Read a customer", Doc: "404 for a deleted one."}, g.read)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}", ID: "changeCustomer", Tag: "Customers", Needs: api.WriteCustomers, Reads: api.ReadCustomers,
		Summary: "Change a customer", Doc: "Fires `customerChange` when registration data really changed. Without `customers:read` the answer is `id` and `changed` only."}, g.change)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteCustomer", Tag: "Customers", Needs: api.WriteCustomers,
		Summary: "Delete a customer", Doc: "Fires `customerDelete`. The customer's orders keep their `customerId`."}, g.delete)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

// listing is the query of the collection.
type listing struct {
	api.List
	Email      string `query:"email" doc:"The customer with this e-mail address, compared without case"`
	ExternalID string `query:"externalId" doc:"The customer with this external id"`
}

func (g group) read(ctx context.Context, in *api.ByID) (*api.Answer[Customer], error) {
	customer, err := Read(ctx, g.Main, api.From(ctx).Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(customer, customer.Version), nil
}

func (g group) list(ctx context.Context, in *listing) (*api.Collection[Customer], error) {
	if in.Email != "" || in.ExternalID != "" {
		return g.find(ctx, in)
	}
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{OfShop(api.From(ctx).Shop)}}
	return api.Page(ctx, in.List, rows, api.Load(g.Main, show))
}

// find is the page of a filter that one customer at most can match, read through its claim.
func (g group) find(ctx context.Context, in *listing) (*api.Collection[Customer], error) {
	shop := api.From(ctx).Shop
	claim := EmailKey(shop, api.Email(in.Email))
	if in.Email == "" {
		claim = ExternalKey(shop, in.ExternalID)
	}
	item, err := unique.Find(ctx, g.Main, claim, of(shop))
	if err != nil {
		return nil, err
	}
	return api.Found(ctx, in.List, item, show, in.matches)
}

// matches says whether the customer passes all filters.
func (in *listing) matches(c Customer) bool {
	return (in.Email == "" || api.Email(in.Email).Fold() == c.Email.Fold()) &&
		(in.ExternalID == "" || in.ExternalID == string(c.ExternalID))
}

func (g group) create(ctx context.Context, in *api.Create[Fields]) (*api.Answer[Customer], error) {
	c := api.From(ctx)
	made := Customer{ID: c.NewID(), Fields: in.Body}.at(c.Next(""))
	made.Created = made.Changed
	answer := api.Of(made, made.Version).At(path + "/" + made.ID)
	claims := unique.Claims{Take: Claims(c.Shop, made.Fields)}
	err := g.write(ctx, answer, record(made, events.Created), claims, store.Put(made.Item(c.Shop), store.Absent()))
	if store.IsCondition(err) {
		return nil, api.Unavailable(time.Second)
	}
	return answer, err
}

func (g group) change(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Customer], error) {
	return api.Again(ctx, func() (*api.Answer[Customer], error) { return g.tryChange(ctx, in) })
}

// tryChange fails with the store's *store.ConditionError when another request changed the customer meanwhile.
func (g group) tryChange(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Customer], error) {
	c := api.From(ctx)
	was, err := g.current(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, in.Body, was.Fields)
	if err != nil {
		return nil, err
	}
	groups := Groups(was.Fields, fields)
	if len(groups) == 0 {
		return api.Of(was, was.Version), nil
	}
	now := Customer{ID: was.ID, Fields: fields, Created: was.Created}.at(c.Next(was.Version))
	answer := api.Of(now, now.Version)
	var claims unique.Claims
	claims.Take, claims.Leave = unique.Between(Claims(c.Shop, was.Fields), Claims(c.Shop, fields))
	return answer, g.write(ctx, answer, record(now, events.Changed, groups...), claims,
		store.Put(now.Item(c.Shop), store.VersionIs(was.Version)))
}

func (g group) delete(ctx context.Context, in *api.ByID) (*api.None, error) {
	return api.Again(ctx, func() (*api.None, error) { return &api.None{}, g.tryDelete(ctx, in.ID) })
}

func (g group) tryDelete(ctx context.Context, id string) error {
	c := api.From(ctx)
	was, err := g.current(ctx, id)
	if err != nil {
		return err
	}
	gone := was.at(c.Next(was.Version))
	return g.write(ctx, &api.None{}, record(gone, events.Deleted), unique.Claims{},
		store.Put(unique.Tombstone(Key(c.Shop, id), gone.Version, c.Now()), store.VersionIs(was.Version)))
}

// current is the customer that the request means to write to, held against its If-Match.
func (g group) current(ctx context.Context, id string) (Customer, error) {
	c := api.From(ctx)
	was, err := Read(ctx, g.Main, c.Shop, id)
	if err != nil {
		return was, err
	}
	return was, c.Match(was.Version)
}

// write does one operation on a customer in one transaction with its claims, its event, and the answer under the
// request's key.
func (g group) write(ctx context.Context, answer any, r events.Record, claims unique.Claims, op store.Op) error {
	c := api.From(ctx)
	claims.Owner, claims.Of, claims.Now = r.ID, of(c.Shop), c.Now()
	_, err := claims.Write(ctx, g.Main, func(ops ...store.Op) (store.Item, error) {
		return c.Write(ctx, answer, c.Changed(r), ops...)
	}, op)
	return err
}

// record is what happened to a customer.
func record(c Customer, did events.Did, groups ...events.Group) events.Record {
	return events.Record{Kind: events.Customers, ID: c.ID, Did: did, Groups: groups, Version: c.Version}
}
