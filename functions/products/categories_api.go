package products

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Where categories are, and their tag in the documents. They take the products' permissions.
const (
	categoriesPath = "/api-engine/categories"
	categoriesTag  = "Categories"
)

// categories registers the operations on categories (contract, "Categories"). They are not plain records: an answer
// holds the absolute address of the category, and a parent must be none of its own children.
func (d door) categories(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + categoriesPath, ID: "listCategories", Tag: categoriesTag, Needs: toRead,
		Summary: "List categories"}, d.listCategories)
	api.Add(a, api.Op{Route: "POST " + categoriesPath, ID: "createCategory", Tag: categoriesTag, Needs: toWrite,
		Summary: "Create a category",
		Doc: "Adds a category, below another one with `parentId`. Names are not unique, so a repeated request makes " +
			"a second one: send an `Idempotency-Key`, or look through the list before you repeat a request that had " +
			"no answer."}, d.createCategory)
	api.Add(a, api.Op{Route: "GET " + categoriesPath + "/{id}", ID: "readCategory", Tag: categoriesTag, Needs: toRead,
		Summary: "Read a category"}, d.readCategory)
	api.Add(a, api.Op{Route: "PATCH " + categoriesPath + "/{id}", ID: "changeCategory", Tag: categoriesTag,
		Needs: toWrite, Reads: toRead, Summary: "Change a category",
		Doc: "Renames a category or moves it below another. One below itself is 422."},
		d.changeCategory)
	api.Add(a, api.Op{Route: "DELETE " + categoriesPath + "/{id}", ID: "deleteCategory", Tag: categoriesTag,
		Needs:   toWrite,
		Summary: "Delete a category", Doc: "Deletes an empty category. 409 `category_in_use` while it has children " +
			"or products."},
		d.removeCategory)
}

// listCategories lists the shop's categories by (changed, id).
func (d door) listCategories(c *api.Call, in *api.List) (*api.Collection[catalog.Category], error) {
	rows := catalog.Categories.Listing(d.Main, c.Shop)
	show := func(item *store.Item) (catalog.Category, time.Time, bool, error) {
		k, at, there, err := catalog.Categories.Show(item)
		return k.Category(c.Website), at, there, err
	}
	return api.Page(c, *in, rows, record.Load(d.Main, show))
}

// category makes the answer with a category, for one call: `url` is absolute, so the caller's website goes into it.
func category(call *api.Call) func(catalog.StoredCategory) *api.Answer[catalog.Category] {
	return func(k catalog.StoredCategory) *api.Answer[catalog.Category] {
		return api.Of(k.Category(call.Website), k.Version)
	}
}

// readCategory shows one category.
func (d door) readCategory(c *api.Call, in *api.ByID) (*api.Answer[catalog.Category], error) {
	k, err := catalog.Categories.Read(c, d.Main, c.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return category(c)(k), nil
}

// createCategory makes a category with its system URL, which is made of its name.
func (d door) createCategory(
	c *api.Call, in *api.Create[catalog.CategoryFields],
) (*api.Answer[catalog.Category], error) {
	of := category(c)
	created := func(k catalog.StoredCategory) *api.Answer[catalog.Category] {
		return of(k).At(categoriesPath + "/" + k.ID)
	}
	return api.Do(c, created, func(u *change.Unit) (catalog.StoredCategory, error) {
		return d.Catalog().CreateCategory(c, u, in.Body)
	})
}

// changeCategory changes a category's name or parent. A parent that is below the category itself is 422.
func (d door) changeCategory(
	c *api.Call, in *api.Change[catalog.CategoryFields],
) (*api.Answer[catalog.Category], error) {
	return api.Do(c, category(c), func(u *change.Unit) (catalog.StoredCategory, error) {
		return d.Catalog().ChangeCategory(c, u, in.ID, patch(c, in.Body).Merge)
	})
}

// removeCategory deletes a category that has neither children nor products, else 409 `category_in_use`.
func (d door) removeCategory(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.Catalog().DeleteCategory(c, u, in.ID) })
}
