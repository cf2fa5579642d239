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

// Function is the API of the shop itself.
var Function = host.Function{
	Name: "shop", Doc: "The caller's status, package and shop.",
	HTTP: register, Needs: host.ReadingFrame, Timeout: 10 * time.Second, Memory: 256,
}

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

// door is the operations; the platform is all they have.
type door struct{ *host.Platform }

type nothing struct{}

func (d door) status(c *api.Call, _ *nothing) (*api.Plain[Status], error) {
	left, err := c.Standing(c)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(status(c.Caller, left, d.Environment)), nil
}

func (d door) shop(c *api.Call, _ *nothing) (*api.Answer[View], error) {
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

// read is the items of keys in one call; a problem not_found when one is not there.
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
