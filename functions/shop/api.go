package shop

import (
	"context"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/shop"
)

// Function is the API of the shop itself. Almost all that it does is to read, and 256 MB are enough.
var Function = host.Function{
	Name: "shop", Doc: "The caller's status, package and shop.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 256,
}

// register registers three reads, and the one thing that an add-on changes of its access. Status needs no permission,
// so that a partner with any token can see what it may do and what is left of its limits.
func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET /api-engine/status", ID: "readStatus", Tag: "Shop",
		Summary: "Read your status",
		Doc:     "Who you are, what you may do, and what is left of your limits. Any token of an active access."},
		d.status)
	api.Add(a, api.Op{Route: "GET /api-engine/package", ID: "readPackage", Tag: "Shop", Needs: permission.ReadShop,
		Summary: "Read your package", Doc: "Your package as this shop has it: its permissions, its state, how far " +
			"its set-up is."}, d.pkg)
	api.Add(a, api.Op{Route: "PATCH /api-engine/package", ID: "changePackage", Tag: "Shop",
		Needs: permission.ReadShop, Matches: true, Summary: "Say how far your set-up is",
		Doc: "The shop's admin shows it: `required` with a link to `setupUrl`, where somebody of the shop goes on. " +
			"`done` clears `setupUrl`. You can also say it in your answer to `packageActivate`. Of a package with a " +
			"`systemUrl` it is `in_progress` until that was answered with 2xx, unless you say otherwise."}, d.setUp)
	api.Add(a, api.Op{Route: "GET /api-engine/shop", ID: "readShop", Tag: "Shop", Needs: permission.ReadShop,
		Summary: "Read the shop"}, d.shop)
}

// door answers the operations.
type door struct{ *host.Platform }

// nothing is the input of an operation whose caller says it all.
type nothing struct{}

// status answers who the caller is and what is left of its limits after this request.
func (d door) status(c *api.Call, _ *nothing) (*api.Plain[Status], error) {
	left, err := c.Standing(c)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(status(c.Caller, left, d.Environment)), nil
}

// shop answers the caller's shop as it is stored now. What the frame remembers of the caller may be 30 s old on AWS;
// but a GET that was begun after a webhook's arrival must show what the webhook told of (contract, "Answers").
func (d door) shop(c *api.Call, _ *nothing) (*api.Answer[Shop], error) {
	items, err := d.read(c, shop.Key(c.Shop))
	if err != nil {
		return nil, err
	}
	s, err := shop.Decode(items[0])
	if err != nil {
		return nil, err
	}
	return api.Of(shown(s, d.Shops.Website(s)), s.Version), nil
}

// pkg answers the caller's own package as it is on this shop.
func (d door) pkg(c *api.Call, _ *nothing) (*api.Answer[Package], error) {
	p, a, s, err := d.parts(c)
	if err != nil {
		return nil, err
	}
	return answerPackage(installed(p, a, s)), nil
}

// parts are the three records that a package on a shop is shown from, read in one call.
func (d door) parts(c *api.Call) (pkg addon.Package, access addon.Access, tenant shop.Shop, err error) {
	items, err := d.read(c, addon.PackageKey(c.Package), addon.Key(c.Shop, c.Access), shop.Key(c.Shop))
	if err != nil {
		return pkg, access, tenant, err
	}
	if pkg, err = addon.PackageOf(items[0]); err != nil {
		return pkg, access, tenant, err
	}
	if access, err = addon.DecodeAccess(items[1]); err != nil {
		return pkg, access, tenant, err
	}
	tenant, err = shop.Decode(items[2])
	return pkg, access, tenant, err
}

// answerPackage is the answer with a package and its ETag.
func answerPackage(p Package) *api.Answer[Package] { return api.Of(p, p.version()) }

// setUp is the input of what changes the set-up.
type setUp struct {
	Body api.Patch[addon.SetupFields]
}

// setUp merges the body into what the add-on says of its set-up. If-Match is held against what is shown of the package,
// not against the access, of which more is stored than is shown.
func (d door) setUp(c *api.Call, in *setUp) (*api.Answer[Package], error) {
	p, _, s, err := d.parts(c)
	if err != nil {
		return nil, err
	}
	made := func(a addon.Access) *api.Answer[Package] { return answerPackage(installed(p, a, s)) }
	return api.Do(c, made, func(u *change.Unit) (addon.Access, error) {
		u.Door = unmatched{u.Door}
		return addon.SetUp(c, u, d.Callable(), c.Access, func(t addon.Terms) (addon.SetupFields, error) {
			if err := c.Match(installed(p, addon.Access{Terms: t}, s).version()); err != nil {
				return t.SetupFields, err
			}
			next, err := api.Apply(c, in.Body, addon.SetupFields{Setup: t.SetupShown(), SetupURL: t.SetupURL})
			if _, named := in.Body.Get("setupUrl"); !named && next.Setup == addon.SetupDone {
				next.SetupURL = "" // it belonged to the set-up that is done now
			}
			return next, err
		})
	})
}

// unmatched is a unit's door at which no version is held against If-Match.
type unmatched struct{ change.Door }

// Match lets every version pass.
func (unmatched) Match(string) error { return nil }

// read reads the items of keys in one call, in their order. One that is missing makes the whole answer 404.
func (d door) read(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	items, err := d.Main.Get(ctx, keys...)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		if i == nil {
			return nil, problem.NotFound()
		}
	}
	return items, nil
}
