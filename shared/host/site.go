package host

import (
	"context"
	"strings"

	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/shop"
)

// Site is a shop as people come to it: by its host.
type Site struct {
	Shop    *shop.Shop
	Website string // its address without a slash at its end
	Secure  bool   // of cookies: the address is https
}

// Site is the shop of the call's host, a problem not_found when no shop has it. The call is one of that shop from then
// on, and may do what these permissions say.
func (p *Platform) Site(ctx context.Context, c *api.Call, may ...permission.Permission) (Site, error) {
	s, err := p.Hosts.Of(ctx, c.HTTP().Host)
	if err != nil {
		return Site{}, err
	}
	if s == nil {
		return Site{}, problem.NotFound()
	}
	at := Site{Shop: s, Website: shop.Website(p.Website).URL(*s)}
	at.Secure = !strings.HasPrefix(at.Website, "http://")
	c.Caller = &change.Caller{Shop: s.ID, Website: at.Website, Locale: s.Locale, Currency: s.Currency, Active: true,
		Permissions: may}
	return at, nil
}
