package shop

import (
	"context"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// Function is the API of the shop itself. It writes nothing, so it needs only what functions that read need
// (host.ReadingFrame), and 256 MB are enough.
var Function = host.Function{
	Name: "shop", Doc: "The caller's status, package and shop.",
	HTTP: register, Needs: host.ReadingFrame, Timeout: 10 * time.Second, Memory: 256,
}

// register registers three reads. Status needs no permission, so that a partner with any token can see what it may do
// and what is left of its limits.
func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET /api-engine/status", ID: "readStatus", Tag: "Shop",
		Summary: "Read your status",
		Doc:     "Who you are, what you may do, and what is left of your limits. Any token of an active access."},
		d.status)
	api.Add(a, api.Op{Route: "GET /api-engine/package", ID: "readPackage", Tag: "Shop", Needs: permission.ReadShop,
		Summary: "Read your package", Doc: "The caller's own package on this shop."}, d.pkg)
	api.Add(a, api.Op{Route: "GET /api-engine/shop", ID: "readShop", Tag: "Shop", Needs: permission.ReadShop,
		Summary: "Read the shop"}, d.shop)
}

// door answers the operations. All that they need is the platform.
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
// but a GET that was begun after a webhook's arrival must show what the webhook told of (contract, section 2).
func (d door) shop(c *api.Call, _ *nothing) (*api.Answer[Shop], error) {
	items, err := d.read(c, shop.Key(c.Shop))
	if err != nil {
		return nil, err
	}
	s, err := shop.Of(items[0])
	if err != nil {
		return nil, err
	}
	return api.Of(shown(s, shop.Website(d.Website).URL(s)), s.Version), nil
}

// pkg answers the caller's own package as it is on this shop: three records, read in one call.
func (d door) pkg(c *api.Call, _ *nothing) (*api.Answer[Package], error) {
	items, err := d.read(c, addon.PackageKey(c.Package), addon.Key(c.Shop, c.Access), shop.Key(c.Shop))
	if err != nil {
		return nil, err
	}
	p, err := addon.PackageOf(items[0])
	if err != nil {
		return nil, err
	}
	a, err := addon.Of(items[1])
	if err != nil {
		return nil, err
	}
	s, err := shop.Of(items[2])
	if err != nil {
		return nil, err
	}
	shown := installed(p, a, s)
	return api.Of(shown, shown.version()), nil
}

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
