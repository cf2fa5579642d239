package products

import (
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Function is the products' place in THE list.
var Function = host.Function{Name: "products", Doc: "Products, their variants, stock and prices, and categories.",
	HTTP: register, Needs: host.Frame, Timeout: timeout, Memory: 512}

// timeout is how long one call of the function can take.
const timeout = 10 * time.Second

// group is the operations of products and categories.
type group struct{ p *host.Platform }

const tag = "Products"

func register(p *host.Platform, a *api.API) {
	g := group{p}
	read, write := api.ReadProducts, api.WriteProducts
	api.Add(a, api.Op{Route: "GET /api-engine/products", ID: "listProducts", Tag: tag, Needs: read,
		Summary: "List products",
		Doc:     "By (`changed`, `id`), with their variants. `code` finds a variant's product too."}, g.list)
	api.Add(a, api.Op{Route: "POST /api-engine/products", ID: "createProduct", Tag: tag, Needs: write,
		Summary: "Create a product",
		Doc: "With up to 60 variants; more come by a POST to its variants. A price at level `default` is required. " +
			"Fires `productCreate`. 409 `code_taken` or `external_id_taken`."}, g.create)
	api.Add(a, api.Op{Route: "GET /api-engine/products/{id}", ID: "readProduct", Tag: tag, Needs: read,
		Summary: "Read a product"}, g.read)
	api.Add(a, api.Op{Route: "PATCH /api-engine/products/{id}", ID: "changeProduct", Tag: tag, Needs: write, Reads: read,
		Summary: "Change a product",
		Doc: "Its variants are changed at their own addresses. Fires `productChange` when something really changed. " +
			"409 `code_taken` or `external_id_taken`. Without `products:read` the answer is `id` and `changed` only."}, g.change)
	api.Add(a, api.Op{Route: "DELETE /api-engine/products/{id}", ID: "deleteProduct", Tag: tag, Needs: write,
		Summary: "Delete a product",
		Doc:     "With its variants and URLs. Fires `productDelete`. Orders keep their lines."}, g.remove)
	g.variants(a)
	g.batches(a)
	g.categories(a)
}

// listed is the query of the collection.
type listed struct {
	api.List
	Code       string `query:"code" maxLength:"64" doc:"The product with this code, its own or a variant's"`
	ExternalID string `query:"externalId" maxLength:"255" doc:"The product with this externalId"`
}

func (g group) list(ctx context.Context, in *listed) (*api.Collection[Product], error) {
	call := api.From(ctx)
	if in.Code != "" || in.ExternalID != "" {
		found, err := g.found(ctx, call, in)
		if err != nil {
			return nil, err
		}
		return api.One(ctx, in.List, found...)
	}
	rows := api.Rows{Table: g.p.Main, Index: store.Index1, Partitions: ProductShards(call.Shop)}
	return api.Page(ctx, in.List, rows, func(ctx context.Context, rows []store.Item) ([]api.Shown[Product], error) {
		return g.load(ctx, call, rows)
	})
}

// found is the product that the filters name: what they are kept under says which, the product itself says whether it
// is.
func (g group) found(ctx context.Context, call *api.Call, in *listed) ([]api.Shown[Product], error) {
	key := CodeKey(call.Shop, in.Code)
	if in.Code == "" {
		key = ExternalKey(call.Shop, in.ExternalID)
	}
	claims, err := g.p.Main.Get(ctx, key)
	if err != nil || claims[0] == nil {
		return nil, err
	}
	w, err := Read(ctx, g.p.Main, call.Shop, idIn(unique.Owner(claims[0])))
	if w == nil || err != nil || !w.matches(in) {
		return nil, err
	}
	return []api.Shown[Product]{{Record: w.Product(call.Website), At: moment(w.Version)}}, nil
}

// matches says whether the product is what the filters name.
func (w *Whole) matches(in *listed) bool {
	if in.ExternalID != "" && string(w.details.ExternalID) != in.ExternalID {
		return false
	}
	return in.Code == "" || slices.Contains(w.codes(), in.Code)
}

// load reads the products of index rows with everything of them.
func (g group) load(ctx context.Context, call *api.Call, rows []store.Item) ([]api.Shown[Product], error) {
	var keys []store.Key
	for _, r := range rows {
		keys = append(keys, keysOf(r)...)
	}
	items, err := store.GetAll(ctx, g.p.Main, keys)
	if err != nil {
		return nil, err
	}
	by := make(map[string][]store.Item, len(rows))
	for _, item := range items {
		if item != nil {
			by[item.PK] = append(by[item.PK], *item)
		}
	}
	out := make([]api.Shown[Product], len(rows))
	for i, r := range rows {
		if out[i], err = g.shown(ctx, call, r, by[r.PK]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shown is one product of a page. One that was written since its row was, or meanwhile, is read again.
func (g group) shown(
	ctx context.Context, call *api.Call, row store.Item, items []store.Item,
) (api.Shown[Product], error) {
	w, err := assemble(items)
	if err == errTorn {
		w, err = Read(ctx, g.p.Main, call.Shop, idIn(row.PK))
	}
	if w == nil || err != nil {
		return api.Shown[Product]{Gone: true}, err
	}
	size := 0
	for _, i := range items {
		size += len(i.Doc)
	}
	return api.Shown[Product]{Record: w.Product(call.Website), At: moment(w.Version), Size: size}, nil
}

func (g group) read(ctx context.Context, in *api.ByID) (*api.Answer[Product], error) {
	call := api.From(ctx)
	w, err := Read(ctx, g.p.Main, call.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, api.NotFound()
	}
	return api.Of(w.Product(call.Website), w.Version), nil
}

func (g group) create(ctx context.Context, in *api.Create[New]) (*api.Answer[Product], error) {
	call := api.From(ctx)
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	if err := g.categoriesExist(ctx, call.Shop, in.Body.CategoryIDs, nil); err != nil {
		return nil, err
	}
	w := in.Body.whole(call)
	if err := w.draft().allowed(); err != nil {
		return nil, err
	}
	n := newNames(g.p, call.Shop, nil)
	for range api.Rounds(ctx) {
		n.begin(ownerOf(OfProduct, w.ID))
		next := w.clone()
		ops, records, err := g.made(call, next, n)
		if err != nil {
			return nil, err
		}
		answer := api.Of(next.Product(call.Website), next.Version).At("/api-engine/products/" + w.ID)
		if _, err = call.Write(ctx, answer, call.Changed(records...), ops...); err == nil {
			return answer, nil
		}
		if err := n.learn(ctx, err); err != nil {
			return nil, err
		}
	}
	return nil, store.ErrUnavailable
}

// made is what it takes to write a new product, which gets its version and address.
func (g group) made(call *api.Call, w *Whole, n *names) ([]store.Op, []events.Record, error) {
	version := call.Next("")
	w.Created = changedAt(version)
	address, err := n.address(addressed{of: OfProduct, id: w.ID}, string(w.details.Name), stampOf(call, version))
	if err != nil {
		return nil, nil, err
	}
	w.Address = address.Address
	record := events.Record{Kind: events.Products, ID: w.ID, Did: events.Created, Version: version}
	record.Variants = w.VariantIDs()
	ops := append(save(call.Shop, draft{}, w.draft(), version, n), address.ops...)
	return ops, append([]events.Record{record}, address.records...), nil
}

func (g group) change(ctx context.Context, in *api.Change[Fields]) (*api.Answer[Product], error) {
	call := api.From(ctx)
	answer := func(w *Whole) *api.Answer[Product] { return api.Of(w.Product(call.Website), w.Version) }
	w, err := g.edit(ctx, in.ID, edit{
		form:   func() error { _, err := patched(ctx, in.Body, sample()); return err },
		answer: func(w *Whole) any { return answer(w) },
		change: func(before, next *Whole) error {
			d, err := patched(ctx, in.Body, before.Details())
			if err != nil {
				return err
			}
			next.setDetails(d)
			return g.categoriesExist(ctx, call.Shop, d.CategoryIDs, before.details.CategoryIDs)
		},
	})
	if err != nil {
		return nil, err
	}
	return answer(w), nil
}

// remove deletes a product.
func (g group) remove(ctx context.Context, in *api.ByID) (*api.None, error) {
	call := api.From(ctx)
	for range api.Rounds(ctx) {
		w, items, err := readItems(ctx, g.p.Main, call.Shop, in.ID, "")
		if err != nil {
			return nil, err
		}
		if w == nil {
			return nil, api.NotFound()
		}
		if err := call.Match(w.Version); err != nil {
			return nil, err
		}
		_, urls, err := sorted(items)
		if err != nil {
			return nil, err
		}
		first, then, records := remove(call.Shop, &w.Head, urls, call.Next(w.Version), call.Now())
		if _, err = call.Write(ctx, &api.None{}, call.Changed(records...), first...); err == nil {
			g.sweep(ctx, call, then)
			return &api.None{}, nil
		}
		if !store.IsCondition(err) {
			return nil, err
		}
	}
	return nil, store.ErrUnavailable
}

// sweep takes away what a deletion had no room for in its transaction. Nothing depends on it.
func (g group) sweep(ctx context.Context, call *api.Call, ops []store.Op) {
	for len(ops) > 0 {
		n := min(len(ops), store.MaxOperations)
		if _, err := g.p.Main.Write(ctx, events.Nothing, ops[:n]...); err != nil {
			g.p.Log.WarnContext(ctx, "URLs of a deleted product stay behind", "requestId", call.RequestID,
				"count", len(ops), "error", err)
			return
		}
		ops = ops[n:]
	}
}
