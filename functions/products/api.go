// Package products is the API of a shop's products, their variants and categories, and of the batch edits (contract,
// "Products" and "Categories"). What they are and how they are changed is shared/catalog.
//
// # A tour
//
// api.go has products, variants_api.go the variants of one product, batches_api.go the four batch edits,
// categories_api.go the categories. Each operation calls one command of shared/catalog and encodes what comes back.
//
// # Promises
//
//   - A variant is a part of its product: whatever changes it moves the product's ETag and `changed`, and If-Match at a
//     variant means the product's ETag.
//   - A change fires productChange once for its request, and only when something really changed. A batch is told as one
//     change, whatever its transactions are.
//   - A batch costs one request for every ten items begun that really changed (contract, "Rate limits"); what was
//     charged beyond that is given back.
package products

import (
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/record/change"
	"eshop/shared/search"
)

// Function is the API of products and categories.
var Function = host.Function{Name: "products", Doc: "Products, their variants, stock and prices, and categories.",
	HTTP: register, Needs: host.SearchingFrame, Timeout: timeout, Memory: 512}

// timeout is how long one call of the function can take, and so how long a batch may hold the products that it writes.
const timeout = 10 * time.Second

// door answers the operations.
type door struct{ *host.Platform }

const (
	productsPath = "/api-engine/products"
	tag          = "Products"

	toRead, toWrite = permission.ReadProducts, permission.WriteProducts
)

// register registers the products' operations, and then those of variants, batches and categories.
func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET " + productsPath, ID: "listProducts", Tag: tag, Needs: toRead,
		Query: []api.Param{api.SearchParam}, Data: events.Products, Summary: "List products",
		Doc: "Products come whole, with their variants, sorted by `changed`, then `id`. `code` finds the product of " +
			"a variant's code, too."}, d.list)
	api.Add(a, api.Op{Route: "POST " + productsPath, ID: "createProduct", Tag: tag, Needs: toWrite,
		Summary: "Create a product",
		Doc: "Adds a product with its texts, prices and stock, and up to 60 variants; [add " +
			"more](/docs/variants#createVariants) afterwards. It needs a price at level `default`. Tells receivers " +
			"by `productCreate`. 409 `code_taken` or `external_id_taken`. A product holds up to 300 KiB beside its " +
			"variants, and these up to 2 MiB; above that 422 with `too_big` at `body`."}, d.create)
	api.Add(a, api.Op{Route: "GET " + productsPath + "/{id}", ID: "readProduct", Tag: tag, Needs: toRead,
		Data: events.Products, Summary: "Read a product"}, d.read)
	api.Add(a, api.Op{Route: "PATCH " + productsPath + "/{id}", ID: "changeProduct", Tag: tag,
		Needs: toWrite, Reads: toRead,
		Apart:   map[string]string{"variants": "change them at " + productsPath + "/{id}/variants"},
		Summary: "Change a product",
		Doc: "Changes the fields that you send, and tells receivers by `productChange` when something really " +
			"changed. Variants are changed [at their own addresses](/docs/variants#changeVariant). 409 `code_taken` " +
			"or `external_id_taken`."},
		d.change)
	api.Add(a, api.Op{Route: "DELETE " + productsPath + "/{id}", ID: "deleteProduct", Tag: tag, Needs: toWrite,
		Summary: "Delete a product",
		Doc: "Takes the product off the shop, with its variants and URLs, and tells receivers by " +
			"`productDelete`. Orders keep their lines."}, d.remove)
	api.AddData[catalog.Product](a, api.Data{Kind: events.Products, Key: catalog.ProductKey, Path: productsPath,
		ID: "Product", One: "a product", NeedsToRead: toRead, NeedsToWrite: toWrite})
	d.variants(a)
	d.batches(a)
	d.categories(a)
}

// listed is the query of the collection: that of every collection, and `code` or `externalId`.
type listed struct {
	api.List
	catalog.ProductFilter
}

// list lists products with their variants by (changed, id). A `code` or an `externalId` finds one product at most, so
// it is read by its claim and not by walking the list; `code` finds the product of a variant, too.
func (d door) list(c *api.Call, in *listed) (*api.Collection[catalog.Product], error) {
	searched := c.Query(api.SearchParam.Name) != ""
	if in.One() {
		w, err := in.Find(c, d.Main, c.Shop)
		if w != nil && searched {
			if all, _ := w.Words(); !c.Words().Finds(all) {
				w = nil
			}
		}
		return api.One(in.List, w.Shown(c.Website)), err
	}
	rows, load := catalog.ProductList(d.Main, c.Shop, c.Website)
	if searched {
		rows = d.Search().Listing(search.Products, c.Shop, c.Words())
	}
	return api.Page(c, c.SearchOrder(in.List), rows, load)
}

// answer is the answer with a product and its ETag. `url` is absolute, so the caller's website goes into it.
func answer(call *api.Call, w *catalog.Whole) *api.Answer[catalog.Product] {
	return api.Of(w.Product(call.Website), w.Version)
}

// product reads one product with its variants; 404 for an unknown one and for another shop's alike.
func (d door) product(c *api.Call, id string) (*catalog.Whole, error) {
	return catalog.ReadProduct(c, d.Main, c.Shop, id)
}

// read shows one product with its variants.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[catalog.Product], error) {
	w, err := d.product(c, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(c, w), nil
}

// create makes a product with up to 60 variants and its system URL, and fires productCreate alone: that covers all that
// is made with it (contract, "Body").
func (d door) create(c *api.Call, in *api.Create[catalog.ProductNew]) (*api.Answer[catalog.Product], error) {
	created := func(w *catalog.Whole) *api.Answer[catalog.Product] {
		return answer(c, w).At(productsPath + "/" + w.ID)
	}
	return api.Do(c, created, func(u *change.Unit) (*catalog.Whole, error) {
		return d.Catalog().CreateProduct(c, u, in.Body)
	})
}

// change merges the body into the product. `variants` in it are 422: a variant is changed at its own address.
func (d door) change(c *api.Call, in *api.Change[catalog.ProductFields]) (*api.Answer[catalog.Product], error) {
	changed := func(w *catalog.Whole) *api.Answer[catalog.Product] { return answer(c, w) }
	return api.Do(c, changed, func(u *change.Unit) (*catalog.Whole, error) {
		return d.Catalog().ChangeProduct(c, u, in.ID, patch(c, in.Body))
	})
}

// patch is a merge patch as commands take one: how it is merged into what is stored, and what was sent, by name.
func patch[F any](c *api.Call, body api.Patch[F]) catalog.Patch[F] {
	return catalog.Patch[F]{Merge: func(current F) (F, error) { return api.Apply(c, body, current) }, Sent: body.Get}
}

// remove deletes a product with its variants and URLs, and fires productDelete. Orders keep their lines.
func (d door) remove(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.Catalog().DeleteProduct(c, u, in.ID) })
}
