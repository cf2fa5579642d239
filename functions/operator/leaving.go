package operator

import (
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host/manage"
	"eshop/shared/job/exports"
	"eshop/shared/job/leaving"
	"eshop/shared/record/change"
	"eshop/shared/shop"
)

// registerLeaving registers what lets a shop leave the platform: all that it has as a file, and its deletion.
func (d door) registerLeaving(a *api.API) {
	const one = "/operator/shops/{shopId}"
	api.Add(a, api.Op{Route: "DELETE " + one, ID: "deleteShop", Tag: "Operator", Summary: "Close and delete a shop",
		Status: 202,
		Doc: "It is closed at once: its storefront and admin are 404, its tokens answer 403 `package_inactive`, and " +
			"each package is told by `packageDeactivate`. 30 days later (`deletesAt`) all that it has is deleted. " +
			"Closing a closed shop changes nothing."}, d.closeShop)
	api.Add(a, api.Op{Route: "GET " + one + "/deletion", ID: "readShopDeletion", Tag: "Operator",
		Summary: "Read how far a shop is deleted", Doc: "Also when the shop is gone."}, d.readDeletion)
	api.Add(a, api.Op{Route: "POST " + one + "/restore", ID: "restoreShop", Tag: "Operator",
		Summary: "Open a closed shop again", Status: 200,
		Doc: "Its packages stay deactivated. 409 `shop_deleting` once the deletion has begun. " +
			"An open shop stays as it is."}, d.restoreShop)
	api.Add(a, api.Op{Route: "POST " + one + "/exports", ID: "exportShop", Tag: "Operator",
		Summary: "Begin an export of a whole shop",
		Doc: "One JSONL file, each line `{\"type\", \"record\"}`: the shop with its settings, then `admins`, " +
			"`accesses`, `states`, `categories`, `products`, `urls`, `coupons`, `customers` and `orders`, as " +
			"answers of the API show them, and as `data` what add-ons keep beside these. It holds nothing else of " +
			"add-ons, and no password, token or key. Pictures " +
			"are named by their addresses, which are good until the shop is deleted. A closed shop can be " +
			"exported, too."}, d.exportShop)
	api.Add(a, api.Op{Route: "GET " + one + "/exports/{exportId}", ID: "readShopExport", Tag: "Operator",
		Summary: "Read an export of a whole shop",
		Doc:     "How far it has come, and `downloadUrl` once it is done: good for 24 hours, for whoever has it."},
		d.readExport)
}

// exportShop begins an export of a whole shop.
func (d door) exportShop(c *api.Call, in *manage.OfShop) (*api.Answer[exports.Export], error) {
	made := func(j *exports.Job) *api.Answer[exports.Export] {
		return api.Of(j.Export, j.Version).At("/operator/shops/" + j.Shop + "/exports/" + j.ID)
	}
	return api.Do(c, made, func(u *change.Unit) (*exports.Job, error) {
		u.Shop = in.Shop
		return d.Exports().BeginWhole(c, u)
	})
}

// shopExport is what the path of an export of a whole shop names.
type shopExport struct {
	manage.OfShop
	Export string `path:"exportId"`
}

// readExport shows how far an export of a whole shop has come, and where its file is.
func (d door) readExport(c *api.Call, in *shopExport) (*api.Answer[exports.Export], error) {
	j, err := d.Exports().ReadAny(c, in.Shop, in.Export)
	if err == nil && j.Type != exports.Whole {
		err = problem.NotFound()
	}
	if err != nil {
		return nil, err
	}
	return api.Of(d.Exports().Show(j, d.BaseURL, d.Now())), nil
}

// closeShop closes a shop, and says when it will be deleted.
func (d door) closeShop(c *api.Call, in *manage.OfShop) (*api.Plain[leaving.Deletion], error) {
	shown := func(j *leaving.Job) *api.Plain[leaving.Deletion] { return api.PlainOf(j.Deletion) }
	return api.Do(c, shown, func(u *change.Unit) (*leaving.Job, error) {
		return d.Leaving().Close(c, u, in.Shop, leaving.Grace)
	})
}

// readDeletion shows how far a shop is deleted.
func (d door) readDeletion(c *api.Call, in *manage.OfShop) (*api.Plain[leaving.Deletion], error) {
	j, err := leaving.Read(c, d.Main, in.Shop)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(j.Deletion), nil
}

// restoreShop opens a closed shop again.
func (d door) restoreShop(c *api.Call, in *manage.OfShop) (*api.Answer[shop.Shop], error) {
	shown := func(s *shop.Shop) *api.Answer[shop.Shop] {
		return api.Of(d.Shops.Show(*s), s.Version)
	}
	return api.Do(c, shown, func(u *change.Unit) (*shop.Shop, error) { return d.Leaving().Restore(c, u, in.Shop) })
}
