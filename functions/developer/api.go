// Package developer is the door of those who write add-ons: their own test shops and packages, the packages' accesses
// on these shops, and the system webhooks of those (contract, section 10, "Developers"). Its operations stand under
// /developer and take a developer's token. Most of them are the operator's, narrowed to what is the developer's own:
// shared/manage has them. What only developers have is here: a test shop with the demo's goods in this file, and in
// events.go the system webhooks of a package as they are sent, for who has no server yet that can be reached.
package developer

import (
	"context"
	"time"

	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/goods"
	"eshop/shared/host"
	"eshop/shared/manage"
	"eshop/shared/shop"
)

// Function is the developers' API.
var Function = host.Function{
	Name: "developer", Doc: "Developers: own test shops, packages, accesses, tokens.",
	HTTP: register, Timeout: 20 * time.Second, Memory: 512,
	Needs: append(manage.Needs(), host.Frame...),
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
	d.Register(a)
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
	Demo bool `json:"demo,omitempty" doc:"true: with the goods of the demo shop"`
}

// createShop makes a test shop of the developer's, with the demo's goods if they are wished for. A shop whose goods
// could not be made is there all the same: it lacks goods, and the log says why.
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
		if err := goods.Fill(context.WithoutCancel(c), within, d.Catalog()); err != nil {
			d.Log.ErrorContext(c, "a test shop lacks goods", "requestId", c.RequestID, "shop", s.ID, "error", err)
		}
		return s, nil
	})
}
