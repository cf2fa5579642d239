// Package tokens gives a package's vendor the token of an access in exchange for an install code (contract, "System
// webhooks"). The code came with packageActivate at the package's systemUrl. So a vendor serves a shop that activates
// its package without anyone copying tokens. What a code is and how it ends is shared/addon.
package tokens

import (
	"errors"
	"net/http"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/record/change"
)

// Function is the exchange of install codes.
var Function = host.Function{
	Name: "tokens", Doc: "Install codes, exchanged for tokens.",
	HTTP:    register,
	Needs:   append([]host.Need{host.Admits(host.Tokens, host.InstallCodes)}, host.Frame...),
	Timeout: 10 * time.Second, Memory: 512,
}

// perSecond is how many exchanges one address may try in a second. A code has 256 bits, so this is not against guessing
// but against a flood: the operation needs no token and counts against no limit.
const perSecond = 10

func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "POST /api-engine/tokens", ID: "exchangeInstallCode", Tag: "Tokens", Open: true,
		Rate:    perSecond,
		Once:    []string{"token"},
		Summary: "Exchange an install code for a token",
		Doc: "Gives your add-on its token of a shop that has just activated it. The request has no token itself: the " +
			"code of `packageActivate` at a package's system address is good for 15 minutes, and for one token. A " +
			"wrong, used or expired code: 401; 409 `too_many_tokens` when the access has 1,000. Ten requests a " +
			"second of each address, then 429. `token` is in this answer only."}, d.exchange)
}

// door answers the operation.
type door struct{ *host.Platform }

// Fields are what a vendor sends: the code alone.
type Fields struct {
	InstallCode string `json:"installCode" minLength:"1" doc:"The installCode of the latest packageActivate, as it came"`
}

// Token is a new token, with the access that it opens and that access's shop.
type Token struct {
	Token  string `json:"token" doc:"The token itself, shown only in this answer"`
	Access string `json:"accessId"`
	Shop   string `json:"shopId"`
}

// exchange makes a token for a code. The first exchange ends all codes of the same activation; of several at once
// exactly one succeeds.
func (d door) exchange(c *api.Call, in *api.Create[Fields]) (*api.Plain[Token], error) {
	shown := func(t addon.Token) *api.Plain[Token] { return api.PlainOf(Token{t.Text, t.Access, t.Shop}) }
	answer, err := api.Do(c, shown, func(u *change.Unit) (addon.Token, error) {
		return d.Addons().Exchange(c, u, in.Body.InstallCode)
	})
	if errors.Is(err, addon.ErrInstallCode) {
		return nil, refused()
	}
	return answer, err
}

// refused is the one answer for a code that is wrong, used or expired, so that nobody learns which codes there are.
func refused() *problem.Problem {
	return &problem.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated",
		Header: http.Header{"Www-Authenticate": {"Bearer"}},
		Detail: "This install code is not good: it is unknown, was used, or is older than 15 minutes."}
}
