package customers

import (
	"context"
	"encoding/json"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
	"eshop/shared/unique"
	"eshop/shared/upsert"
)

// rows are a shop's customers as the rows of an import make and change them, by their e-mail addresses.
type rows struct{ table store.Table }

// Rows are the customers of the shop of the context's Call. The frame is that of the context.
func Rows(a *api.API, table store.Table) upsert.Kind {
	api.Takes[Fields, Customer](a)
	return rows{table}
}

func (s rows) Begin() {}

// Key is the e-mail address as it is compared; "" when it can be none.
func (s rows) Key(r upsert.Row) string {
	if email, _ := r.Fields["email"].(string); len(email) <= maxKey {
		return api.Email(email).Fold()
	}
	return ""
}

// maxKey is how many bytes of an address are looked up: more than one can have.
const maxKey = 1000

// row is one row: a new customer, or what it makes of one.
type row struct {
	rows
	upsert.Row
	was    *Customer // nil: a new one
	now    Fields
	fault  error
	id     string
	claims *unique.Attempt
}

// Read reads the customers with the rows' e-mail addresses: their claims in one call, then they.
func (s rows) Read(ctx context.Context, all []upsert.Row) ([]upsert.Record, error) {
	shop := api.From(ctx).Shop
	keys := make([]store.Key, len(all))
	for i, r := range all {
		keys[i] = EmailKey(shop, api.Email(s.Key(r)))
	}
	claims, err := store.GetAll(ctx, s.table, keys)
	if err != nil {
		return nil, err
	}
	for i, c := range claims {
		keys[i] = Key(shop, unique.Owner(c))
	}
	items, err := store.GetAll(ctx, s.table, keys)
	if err != nil {
		return nil, err
	}
	records := make([]upsert.Record, len(all))
	for i, item := range items {
		r := &row{rows: s, Row: all[i]}
		if err := r.form(ctx, item); err != nil {
			return nil, err
		}
		records[i] = r
	}
	return records, nil
}

// form holds the row against the rules, as a POST without a customer, as a PATCH of the one there is.
func (r *row) form(ctx context.Context, item *store.Item) error {
	r.was, r.claims, r.id = nil, nil, api.From(ctx).NewID()
	if !unique.Gone(item) {
		was, err := Of(item)
		if err != nil {
			return err
		}
		r.was, r.id = &was, was.ID
	}
	if r.fault = api.Check[Fields, Customer](ctx, r.Fields, r.was != nil); r.fault != nil {
		return nil
	}
	if r.was != nil {
		r.now, r.fault = api.Apply(ctx, api.PatchOf[Fields](r.Fields), r.was.Fields)
		return nil
	}
	raw, err := json.Marshal(r.Fields)
	if err != nil {
		return err
	}
	r.now = Fields{}
	return json.Unmarshal(raw, &r.now)
}

// Plan is a customer's item and the claims that it takes and leaves.
func (r *row) Plan(ctx context.Context) ([]store.Op, []events.Record, error) {
	if r.fault != nil {
		return nil, nil, r.fault
	}
	c := api.From(ctx)
	var before []unique.Claim
	var did events.Record
	now := Customer{ID: r.id, Fields: r.now}
	condition := store.Absent()
	if r.was == nil {
		now = now.at(c.Next(""))
		now.Created = now.Changed
		did = record(now, events.Created)
	} else {
		groups := Groups(r.was.Fields, r.now)
		if len(groups) == 0 {
			return nil, nil, nil
		}
		before, condition = Claims(c.Shop, r.was.Fields), store.VersionIs(r.was.Version)
		now.Created = r.was.Created
		now = now.at(c.Next(r.was.Version))
		did = record(now, events.Changed, groups...)
	}
	if r.claims == nil {
		take, leave := unique.Between(before, Claims(c.Shop, r.now))
		r.claims = unique.Claims{Owner: r.id, Of: of(c.Shop), Now: c.Now(), Take: take, Leave: leave}.Attempt()
	}
	return append(r.claims.Operations(), store.Put(now.Item(c.Shop), condition)), []events.Record{did}, nil
}

// Lost takes over claims that are free, and reads anew what another request has made or changed meanwhile.
func (r *row) Lost(ctx context.Context, refused *store.ConditionError) error {
	shop := api.From(ctx).Shop
	_, stale := store.Failed(refused, Key(shop, r.id))
	if !stale {
		taken := r.claims.Lost(ctx, r.table, refused)
		if taken == nil || r.was != nil {
			return taken
		}
		found, err := unique.Find(ctx, r.table, EmailKey(shop, r.now.Email), of(shop))
		if err != nil || found == nil {
			return coalesce(err, taken)
		}
	}
	again, err := r.Read(ctx, []upsert.Row{r.Row})
	if err == nil {
		*r = *again[0].(*row)
	}
	return err
}

func coalesce(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
