package host

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/record/change"
	"eshop/shared/shop"
)

// Site is a shop as people come to it: by its host.
type Site struct {
	Shop    *shop.Shop
	Website string // the storefront's address without a slash at its end
	Secure  bool   // of cookies: the address is https
}

// Site is the shop whose storefront has the call's host; not_found if no shop has it. From then on the call is one of
// that shop, and may do what these permissions say.
func (p *Platform) Site(c *api.Call, may ...permission.Permission) (Site, error) {
	s, err := p.Hosts.ByStorefront(c, c.HTTP().Host)
	return p.enter(c, s, err, may)
}

// AdminSite is Site for the shop whose admin has the call's host.
func (p *Platform) AdminSite(c *api.Call, may ...permission.Permission) (Site, error) {
	s, err := p.Hosts.ByAdmin(c, c.HTTP().Host)
	return p.enter(c, s, err, may)
}

// enter makes the call one of the shop that was found.
func (p *Platform) enter(c *api.Call, shop *shop.Shop, err error, may []permission.Permission) (Site, error) {
	if err != nil {
		return Site{}, err
	}
	if shop == nil {
		return Site{}, problem.NotFound()
	}
	at := Site{Shop: shop, Website: p.Shops.Website(*shop)}
	at.Secure = !strings.HasPrefix(at.Website, "http://")
	c.Caller = &change.Caller{Shop: shop.ID, Website: at.Website, Locale: string(shop.Locale), Currency: shop.Currency,
		Active: true, Permissions: may}
	return at, nil
}

// ShopNames are the names that the platform has for itself, or gives to shops.
func (p *Platform) ShopNames() shop.Names {
	names := shop.Names{Places: p.Shops, Tests: p.TestDomain, Own: slices.Clone(p.Kept),
		Kept: []string{"localhost"}}
	for _, address := range []string{p.BaseURL, p.DoorURL} {
		if at, err := url.Parse(address); err == nil && at.Hostname() != "" {
			names.Own = append(names.Own, strings.ToLower(at.Hostname()))
		}
	}
	return names
}

// adminAt is the address of the admin of the shop whose storefront has a host, without a slash at its end; "" if no
// shop has that host.
func (p *Platform) adminAt(ctx context.Context, host string) (string, error) {
	s, err := p.Hosts.ByStorefront(ctx, host)
	if err != nil || s == nil {
		return "", err
	}
	return p.Shops.Admin(*s), nil
}
