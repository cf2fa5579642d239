package operator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/operator"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/record/change"
)

// world is a platform with the operator's API.
type world struct{ *hosttest.World }

func open(t *testing.T) *world { return openWith(t, func(*host.Parts) {}) }

// openWith is open on a platform that is otherwise in something.
func openWith(t *testing.T, otherwise func(p *host.Parts)) *world {
	w := &world{hosttest.Open(t, hosttest.Setup{Functions: []host.Function{operator.Function},
		Platform: func(p *host.Parts) { p.Traits = host.OneProcess; otherwise(p) }})}
	api.Add(w.API, api.Op{Route: "GET /api-engine/me", ID: "me"},
		func(c *api.Call, _ *struct{}) (*api.Answer[change.Caller], error) {
			return api.Of(*c.Caller, ""), nil
		})
	return w
}

// told is what was told since the last call, a new shop's order states apart.
func (w *world) told() []events.Notice {
	var all []events.Notice
	for _, c := range w.Main.NewChanges() {
		for _, r := range c.Records {
			require.Equal(w.T, events.States, r.Kind, "of records, only a new shop's order states are told")
		}
		require.NotEmpty(w.T, c.Shop)
		all = append(all, c.Notices...)
	}
	return all
}

// do is as the operator.
func (w *world) do(method, path string, in any, header ...string) hosttest.Answer {
	w.T.Helper()
	return w.As(hosttest.OperatorToken, method, path, in, header...)
}

type object = hosttest.Object

func shopBody(domain string) object {
	return object{"name": "Shop", "domain": domain, "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "jana@example.cz"}}
}

func packageBody(code string, permissions ...string) object {
	return object{"code": code, "name": "Package", "instructions": "# Do it",
		"permissions": append([]string{}, permissions...)}
}

func (w *world) shop(domain string) string {
	return w.do("POST", "/operator/shops", shopBody(domain)).Is(201).ID()
}

func (w *world) pack(code string, permissions ...string) string {
	return w.do("POST", "/operator/packages", packageBody(code, permissions...)).Is(201).ID()
}

// install puts a package on a shop and returns the access and its path.
func (w *world) install(shop, pkg string) (hosttest.Answer, string) {
	a := w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg}).Is(201)
	return a, "/operator/shops/" + shop + "/accesses/" + a.ID()
}

const nobody = "01KYFXV0000000000000000000"
