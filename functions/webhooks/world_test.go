package webhooks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/operator"
	"eshop/functions/webhooks"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
)

// world is a platform with an access.
type world struct {
	*hosttest.World
	access, token string // of the shop a.cz
}

// open is a world in the one process, whose parts these functions change.
func open(t *testing.T, turn ...func(*host.Parts)) *world {
	w := &world{World: hosttest.Open(t, hosttest.Setup{Functions: []host.Function{operator.Function, webhooks.Function},
		Platform: func(p *host.Parts) {
			p.Traits, p.Names = host.OneProcess,
				hosttest.Names{"example.com": "1.1.1.1", "inside.example.com": "10.0.0.1"}
			for _, f := range turn {
				f(p)
			}
		}})}
	w.access, w.token = w.install("a.cz")
	return w
}

// told is what was told since the last call.
func (w *world) told() []events.Notice {
	var all []events.Notice
	for _, c := range w.Main.NewChanges() {
		require.Empty(w.T, c.Records)
		require.NotEmpty(w.T, c.Shop)
		all = append(all, c.Notices...)
	}
	return all
}

// do is as the access.
func (w *world) do(method, path string, in any, header ...string) hosttest.Answer {
	return w.As(w.token, method, path, in, header...)
}

// install makes a shop with a package of its own that may read customers, and returns the access and its token.
func (w *world) install(domain string) (access, token string) {
	shop := w.As(hosttest.OperatorToken, "POST", "/operator/shops",
		object{"name": "Shop", "domain": domain, "locale": "cs_CZ", "currency": "CZK",
			"owner": object{"email": "jana@example.cz"}}).Is(201).ID()
	pkg := w.As(hosttest.OperatorToken, "POST", "/operator/packages",
		object{"code": domain, "name": "P", "instructions": "",
			"permissions": []string{"customers:read", "orders:read"}}).Is(201).ID()
	made := w.As(hosttest.OperatorToken, "POST", "/operator/shops/"+shop+"/accesses",
		object{"packageId": pkg, "permissions": []string{"customers:read"}}).Is(201)
	w.Main.NewChanges() // what a new shop tells is others' matter
	return made.ID(), made.Get("token")
}

type object = hosttest.Object

const nobody = "01KYFXV0000000000000000000"
