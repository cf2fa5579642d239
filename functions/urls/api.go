// Package urls is the API of the addresses of products and categories in the storefront (contract, section 4, "Custom
// URLs"). What they are and how they are changed is shared/catalog.
package urls

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/host"
	"eshop/shared/permission"
)

// Function is the API of URLs.
var Function = host.Function{
	Name: "urls", Doc: "Custom URLs of products and categories: list, read, make, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

const path, tag = "/api-engine/custom-urls", "Custom URLs"

func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listUrls", Tag: tag, Needs: permission.ReadURLs, Summary: "List URLs",
		Doc: "System and custom ones by (`changed`, `id`), of one product or category with `urlItem`, " +
			"else of the shop."}, d.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createUrl", Tag: tag, Needs: permission.WriteURLs,
		Summary: "Make a custom URL",
		Doc: "It becomes the active one of its item; `adjusted` says that the slug is not what was sent. 200 " +
			"when the item had that slug already: it is active again. A slug taken by another item gets a suffix, " +
			"up to `-100`; then 409 `slug_taken`. An item has up to 100 URLs made so; then 409 `too_many_urls`. " +
			"Fires `productChange` of a product."}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readUrl", Tag: tag, Needs: permission.ReadURLs,
		Summary: "Read a URL"}, d.read)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteUrl", Tag: tag, Needs: permission.WriteURLs,
		Summary: "Delete a custom URL",
		Doc: "If it was active, the newest remaining one made by a POST is again, in the end the system URL. " +
			"409 `system_url` of that one. Fires `productChange` of a product."}, d.delete)
}

// door is the operations.
type door struct{ *host.Platform }

func (d door) create(c *api.Call, in *api.Create[Fields]) (*api.CreatedOrFound[Made], error) {
	f := in.Body
	return api.Do(c, f.placed, func(u *change.Unit) (catalog.AddedURL, error) {
		return d.Catalog().AddURL(c, u, f.Item.Type, f.Item.ID, string(f.URL))
	})
}

// placed is the answer of a POST: 201 with a new URL, 200 with one that the item had already.
func (f Fields) placed(u catalog.AddedURL) *api.CreatedOrFound[Made] {
	status := 200
	if u.New {
		status = 201
	}
	return &api.CreatedOrFound[Made]{Status: status, ETag: api.ETag(u.Version), Location: path + "/" + u.ID,
		Body: Made{URL: show(u.URL), Adjusted: u.Adjusted(string(f.URL))}}
}

func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[URL], error) {
	u, err := d.Catalog().ReadURL(c, c.Unit(), in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(show(u), u.Version), nil
}

func (d door) delete(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.Catalog().DeleteURL(c, u, in.ID) })
}
