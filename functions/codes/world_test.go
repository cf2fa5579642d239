package codes_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/codes"
	"eshop/functions/operator"
	"eshop/shared/addon"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/record/change"
)

const (
	codesPath  = "/api-engine/custom-codes"
	ordersPath = "/api-engine/cleanup-orders"
	nobody     = "01KYFXV0000000000000000000"
)

type object = hosttest.Object

// world is the API of codes beside the operator's, with a shop on which a package is active.
type world struct {
	*hosttest.World
	shop   string
	addon  tenant
	second int
}

// tenant is a package on a shop.
type tenant struct{ shop, pkg, access, token string }

func (a tenant) path() string { return "/operator/shops/" + a.shop + "/accesses/" + a.access }

func newWorld(t testing.TB) *world {
	w := &world{World: hosttest.Open(t, hosttest.Setup{Functions: []host.Function{operator.Function, codes.Function},
		Platform: func(p *host.Parts) { p.Traits = host.OneProcess }})}
	w.shop = w.newShop("sk_SK")
	w.addon = w.install(w.shop, w.newPackage())
	w.Main.NewChanges()
	return w
}

func (w *world) operate(method, path string, body any, header ...string) hosttest.Answer {
	w.T.Helper()
	return w.As(hosttest.OperatorToken, method, path, body, header...)
}

func (w *world) newShop(locale string) string {
	w.second++
	return w.operate("POST", "/operator/shops",
		object{"name": "Obchod", "domain": fmt.Sprintf("s%d.example.cz", w.second),
			"locale": locale, "currency": "EUR", "owner": object{"email": "o@example.cz"}}).Is(201).ID()
}

func (w *world) newPackage() string {
	w.second++
	return w.operate("POST", "/operator/packages",
		object{"code": fmt.Sprintf("p%d", w.second), "name": "P", "instructions": "",
			"permissions": []string{"codes:read", "codes:write"}}).Is(201).ID()
}

func (w *world) install(shop, pkg string, permissions ...string) tenant {
	body := object{"packageId": pkg}
	if len(permissions) > 0 {
		body["permissions"] = permissions
	}
	a := w.operate("POST", "/operator/shops/"+shop+"/accesses", body).Is(201)
	return tenant{shop, pkg, a.ID(), a.Get("token")}
}

// do is as the world's package, a second later.
func (w *world) do(method, path string, body any, header ...string) hosttest.Answer {
	w.T.Helper()
	return w.Next(w.addon.token, method, path, body, header...)
}

func widget(name string) object {
	return object{"name": name, "position": "bodyEnd", "code": "<i>" + name + "</i>"}
}

// code makes a custom code and returns its id.
func (w *world) code(name string) string {
	w.T.Helper()
	return w.do("POST", codesPath, widget(name)).Is(201).ID()
}

func (w *world) orderOf(code string) object {
	return object{"customCodeId": code, "packageId": w.addon.pkg}
}

// order makes a cleanup order of a code.
func (w *world) order(code string) hosttest.Answer {
	w.T.Helper()
	return w.do("POST", ordersPath, w.orderOf(code)).Is(201)
}

func (w *world) status(order string) string {
	w.T.Helper()
	return w.As(w.addon.token, "GET", ordersPath+"/"+order, nil).Is(200).Get("status")
}

func (w *world) deactivate(header ...string) hosttest.Answer {
	w.T.Helper()
	return w.operate("POST", w.addon.path()+"/deactivate", nil, header...).Is(200)
}

func (w *world) activate() { w.T.Helper(); w.operate("POST", w.addon.path()+"/activate", nil).Is(200) }

// notices are what was told of packages since the last call; of records nothing is.
func (w *world) notices() (all []events.Notice) {
	for _, c := range w.Main.NewChanges() {
		require.Empty(w.T, c.Records)
		all = append(all, c.Notices...)
	}
	return all
}

// stored are the ids of the shop's codes as the storefront reads them.
func (w *world) stored() []string {
	w.T.Helper()
	all, err := addon.CodesOf(w.T.Context(), w.P.Main, w.shop)
	require.NoError(w.T, err)
	ids := []string{}
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// unit is a unit of work on the world's shop.
func (w *world) unit() *change.Unit {
	u := w.P.Unit()
	u.Shop, u.Request = w.shop, w.P.NewID()
	return u
}
