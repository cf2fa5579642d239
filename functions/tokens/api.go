// Package tokens gives a package's vendor the token of an access in exchange for an install code, which came with
// packageActivate: so a vendor serves a shop that activates its package without anyone copying tokens (contract, section
// 5, "Who").
package tokens

import (
	"context"
	"net/http"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

// Function is the exchange of install codes.
var Function = host.Function{
	Name: "tokens", Doc: "Install codes, exchanged for tokens.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

// perSecond is how many exchanges an address may try in a second.
const perSecond = 10

func register(p *host.Platform, a *api.API) {
	g := group{p}
	api.Add(a, api.Op{Route: "POST /api-engine/tokens", ID: "exchangeInstallCode", Tag: "Tokens", Open: true, Rate: perSecond, Once: []string{"token"},
		Summary: "Exchange an install code for a token",
		Doc: "Needs no token: the code of `packageActivate` at a package's system address is good for 15 minutes, and for one token. " +
			"A wrong, used or expired code: 401. Ten requests a second of each address, then 429. `token` is in this answer only."}, g.exchange)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

// Fields are what a vendor sends.
type Fields struct {
	InstallCode string `json:"installCode" minLength:"1" doc:"Of the latest packageActivate, as it came"`
}

// Token is a new token and what it opens.
type Token struct {
	Token  string `json:"token" doc:"Shown only in this answer"`
	Access string `json:"accessId"`
	Shop   string `json:"shopId"`
}

// exchange makes a token of the access that the code is for. Of several exchanges of one activation's codes at once
// exactly one succeeds. While the package is not active on the shop the code stays unused.
func (g group) exchange(ctx context.Context, in *api.Create[Fields]) (*api.Plain[Token], error) {
	code, err := g.find(ctx, in.Body.InstallCode)
	if err != nil {
		return nil, err
	}
	a, err := g.active(ctx, code)
	if err != nil {
		return nil, err
	}
	c := api.From(ctx)
	secret := addon.NewToken(g.Random, g.Production())
	t := addon.TokenFor(a, secret, c.NewID(), nil)
	defer g.Accesses.DropToken(t.Hash)
	answer := api.PlainOf(Token{secret, a.ID, a.Shop})
	_, err = c.Write(ctx, answer, events.Nothing, store.Put(t.Item(), store.Absent()), store.Put(t.Pointer(), store.Absent()), code.Used(c.Now()))
	if _, used := store.Failed(err, code.UsedKey()); used {
		return nil, refused()
	}
	return answer, err
}

// find is the code as it was kept, when it is good still.
func (g group) find(ctx context.Context, text string) (addon.InstallCode, error) {
	items, err := g.Main.Get(ctx, addon.InstallCodeKey(addon.Hash(text)))
	if err != nil {
		return addon.InstallCode{}, err
	}
	if items[0] == nil {
		return addon.InstallCode{}, refused()
	}
	code, err := addon.InstallCodeOf(items[0])
	if err == nil && code.Expires <= api.At(g.Now()) {
		return code, refused()
	}
	return code, err
}

// active is the access that an unused code is for, if its package is active on the shop.
func (g group) active(ctx context.Context, code addon.InstallCode) (addon.Access, error) {
	items, err := g.Main.Get(ctx, code.UsedKey(), addon.Key(code.Shop, code.Access))
	if err != nil {
		return addon.Access{}, err
	}
	if items[0] != nil || items[1] == nil {
		return addon.Access{}, refused()
	}
	a, err := addon.Of(items[1])
	if err == nil && a.State != addon.Active {
		return a, api.Forbidden("package_inactive", "The package of this install code is not active on the shop.")
	}
	return a, err
}

// refused is the same for a code that is wrong, used or expired.
func refused() *api.Problem {
	return &api.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated", Header: http.Header{"Www-Authenticate": {"Bearer"}},
		Detail: "This install code is not good: it is unknown, was used, or is older than 15 minutes."}
}
