// Package developer is the door of those who write add-ons: their own test shops and packages, the packages' accesses
// on these shops, and the system webhooks of those (contract, "Developers"). Its operations stand under /developer and
// take a developer's token. Most of them are the operator's, narrowed to what is the developer's own:
// shared/host/manage has them, as what developers alone may delete. What only developers have is here: a test shop with
// the demo's goods, its deletion, and another token in this file, and in events.go the system webhooks of a package as
// they are sent, for who has no server yet that can be reached.
package developer

import (
	"context"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/host/manage"
	"eshop/shared/images"
	"eshop/shared/job/leaving"
	"eshop/shared/people/developer"
	"eshop/shared/record/change"
	"eshop/shared/shop"
	"eshop/shared/shop/goods"
)

// Function is the developers' API.
var Function = host.Function{
	Name: "developer", Doc: "Developers: own test shops, packages, accesses, tokens.",
	HTTP: register, Timeout: 20 * time.Second, Memory: 512,
	Needs: append(append(manage.Needs(), host.Admits(manage.Admits, host.InstallCodes),
		host.FilesBelow(host.Write, images.Begin)), host.Frame...),
}

const path = "/developer"

func register(p *host.Platform, a *api.API) {
	d := door{manage.Door{Platform: p, Path: path, Tag: "Developers", Whose: "Developer"}}
	shops := d.Shops()
	shops.CreatedApart = true
	api.AddRecords(a, shops)
	api.Add(a, api.Op{Route: "POST " + path + "/shops", ID: "createDeveloperShop", Tag: d.Tag,
		Summary: "Create a test shop",
		Doc: "With `demo` it has the demo's goods. 409 `domain_taken` when another shop has the domain, " +
			"`too_many_shops` when you have five."}, d.createShop)
	api.Add(a, api.Op{Route: "DELETE " + path + "/shops/{id}", ID: "deleteDeveloperShop", Tag: d.Tag,
		Summary: "Delete a test shop", Status: 202,
		Doc: "It is closed at once: its storefront and admin are 404, its tokens answer 403 `package_inactive`, and " +
			"each package is told by `packageDeactivate`. A minute later (`deletesAt`) all that it has is deleted; " +
			"then it is 404, you have room for another, and its domain is free. It cannot be restored."},
		d.deleteShop)
	d.Register(a)
	api.Add(a, api.Op{Route: "POST " + path + "/token", ID: "renewToken", Tag: d.Tag, Once: []string{"token"},
		Summary: "Make another token of yours",
		Doc:     "`token` is in this answer only. The one that you sent ends at once."}, d.renewToken)
	api.Add(a, api.Op{Route: "GET " + path + "/packages/{packageId}/system-events", ID: "listSystemEvents", Tag: d.Tag,
		Summary: "List the system webhooks of a package from test shops, as they are sent",
		Doc: "By `created`. A page ends with an activation that it gives an `installCode`; `nextCursor` leads on. " +
			"A package without `systemUrl` has them, too, as `cancelled` with `no_system_url` in " +
			"`webhook-deliveries`; those of live shops are not in it."},
		d.listSystemEvents)
}

// door answers the operations that are the developers' alone.
type door struct{ manage.Door }

// TestShop is what a developer says of a new test shop.
type TestShop struct {
	shop.Fields
	Demo bool `json:"demo,omitempty" doc:"Whether the new shop has the goods of the demo shop"`
}

// deleteShop closes a test shop of the developer's, and says when it will be deleted.
func (d door) deleteShop(c *api.Call, in *api.ByID) (*api.Plain[leaving.Deletion], error) {
	if _, err := d.Own(c.Caller).Read(c, d.Main, "", in.ID); err != nil {
		return nil, err
	}
	shown := func(j *leaving.Job) *api.Plain[leaving.Deletion] { return api.PlainOf(j.Deletion) }
	return api.Do(c, shown, func(u *change.Unit) (*leaving.Job, error) {
		return d.Leaving().Close(c, u, in.ID, leaving.GraceOfTest)
	})
}

// renewToken gives the developer another token.
func (d door) renewToken(c *api.Call, _ *struct{}) (*api.Plain[developer.Developer], error) {
	return api.Do(c, api.PlainOf[developer.Developer], func(u *change.Unit) (developer.Developer, error) {
		return developer.NewToken(c, u, c.Developer, c.Hash)
	})
}

// createShop makes a test shop of the developer's, with the demo's goods if they are wished for. They are made when the
// shop is there, and its answer kept: where they can't be made, whoever asked is told to begin again.
func (d door) createShop(c *api.Call, in *api.Create[TestShop]) (*api.Answer[shop.Shop], error) {
	made := func(s shop.Shop) *api.Answer[shop.Shop] {
		return api.Of(d.Platform.Shops.Show(s), s.Version).At(path + "/shops/" + s.ID)
	}
	return api.Do(c, made, func(u *change.Unit) (shop.Shop, error) {
		s, err := d.Own(c.Caller).Create(c, u, in.Body.Fields)
		if err != nil || !in.Body.Demo {
			return s, err
		}
		within := d.Unit()
		within.Shop = s.ID
		sells := goods.Market{Locale: s.Locale, Currency: s.Currency}
		if err := sells.Fill(context.WithoutCancel(c), within, d.Catalog(), d.Uploads(nil)); err != nil {
			d.Log.ErrorContext(c, "a test shop lacks goods", "requestId", c.RequestID, "shop", s.ID, "error", err)
			p := problem.Unavailable(time.Minute)
			p.Detail = "The test shop " + s.ID + " is made, but not all of its goods. Delete it, and make another."
			return s, p
		}
		return s, nil
	})
}
