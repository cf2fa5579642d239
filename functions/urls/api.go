// Package urls is the API of the addresses of products and categories in the storefront (contract, "Custom URLs"). What
// they are and how they are changed is shared/catalog/address.
//
// api.go has what is done to one URL, list.go the collection, url.go what answers show.
//
// What a partner can count on: an item always has exactly one active URL, and its others lead there by one 301; a new
// URL and the end of the one before it are one transaction; a system URL, which is made from the item's name, cannot be
// deleted.
package urls

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/catalog/address"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Function is the API of URLs.
var Function = host.Function{
	Name: "urls", Doc: "Custom URLs of products and categories: list, read, make, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

// Where URLs are, and their tag in the documents.
const path, tag = "/api-engine/custom-urls", "Custom URLs"

func register(p *host.Platform, a *api.API) {
	d := door{main: p.Main, addresses: p.URLs()}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listUrls", Tag: tag, Needs: permission.ReadURLs, Summary: "List URLs",
		Doc: "The addresses that the platform made and the custom ones: all of the shop, or with `urlItem` those of " +
			"one product or category. Sorted by `changed`, then `id`."}, d.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createUrl", Tag: tag, Needs: permission.WriteURLs,
		Summary: "Make a custom URL",
		Doc: "The new address becomes the active one of its item, and the ones before lead to it; `adjusted` says " +
			"that the slug is not what was sent. 200 when the item had that slug already: it is active again. A slug " +
			"taken by another item gets a suffix, up to `-100`; then 409 `slug_taken`. Receivers are told of a " +
			"product by `productChange`. An item has up to 100 URLs made so; then 409 `too_many_urls`."}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readUrl", Tag: tag, Needs: permission.ReadURLs,
		Summary: "Read a URL"}, d.read)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteUrl", Tag: tag, Needs: permission.WriteURLs,
		Summary: "Delete a custom URL",
		Doc: "Deletes an address. If it was the active one, the newest remaining one made by a POST is active again, " +
			"in the end the system URL, which cannot be deleted (409 `system_url`). Receivers are told of a product " +
			"by `productChange`."}, d.delete)
}

// door answers the operations.
type door struct {
	main      store.Table
	addresses address.Addresses
}

// create makes a slug of what was sent, and makes that URL the item's active one. A slug of another item gets a suffix.
// A slug that the item has already is not made twice: that URL is active again, and the answer is 200.
func (d door) create(c *api.Call, in *api.Create[CustomURLFields]) (*api.CreatedOrFound[CustomURLCreated], error) {
	f := in.Body
	return api.Do(c, f.placed, func(u *change.Unit) (address.AddedURL, error) {
		return d.addresses.AddURL(c, u, address.Owner{Kind: f.Item.Type, Item: f.Item.ID}, string(f.URL))
	})
}

// placed is the answer of a POST: 201 with a new URL, 200 with a URL that the item had already. `adjusted` tells the
// caller that the slug differs from what they sent, so they need not compare.
func (f CustomURLFields) placed(u address.AddedURL) *api.CreatedOrFound[CustomURLCreated] {
	status := 200
	if u.New {
		status = 201
	}
	return &api.CreatedOrFound[CustomURLCreated]{Status: status, ETag: api.ETag(u.Version), Location: path + "/" + u.ID,
		Body: CustomURLCreated{CustomURL: show(u.URL), Adjusted: u.Adjusted(string(f.URL))}}
}

// read shows one URL, system or custom, active or not.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[CustomURL], error) {
	u, err := d.addresses.ReadURL(c, c.Unit(), in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(show(u), u.Version), nil
}

// delete deletes a custom URL. If it was active, the newest remaining one that was made by a POST becomes active again,
// in the end the system URL: an item is never without an address.
func (d door) delete(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.addresses.DeleteURL(c, u, in.ID) })
}
