package journeys

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// exchanged follows an activation to the package's systemUrl, and the code that comes there to a token that works.
func exchanged(t *testing.T, w *world) {
	o := w.operate(t)
	vendor := newListener(t)
	pkg := o.post("/operator/packages", fields{"code": unique("addon"), "name": "Doplněk", "instructions": "",
		"permissions": everything,
		"systemUrl":   vendor.url}).id()
	shop := w.shopWith(t, everything...).shop
	installed := o.post("/operator/shops/"+shop+"/accesses", fields{"packageId": pkg})
	told := vendor.hears("packageActivate", installed.id()).data(t)
	require.Equal(t, installed.id(), told["accessId"])
	nobody := client{t, w.url, "no token"}
	exchange := func(status int) answer {
		return nobody.do(status, "POST", "/api-engine/tokens", fields{"installCode": told["installCode"]})
	}
	made := exchange(http.StatusCreated)
	require.Equal(t, []string{installed.id(), shop}, []string{made.text("accessId"), made.text("shopId")})
	token := client{t, w.url, made.text("token")}
	require.Equal(t, installed.id(), token.get("/api-engine/status").text("accessId"))
	known := "/operator/shops/" + shop + "/accesses/" + installed.id() + "/tokens"
	eventually(t, patience, func() bool {
		return slices.ContainsFunc(o.get(known).items("items"), func(k fields) bool { return k["lastUsedAt"] != nil })
	}, "the first use shows")
	token.post("/api-engine/customers", someone())
	exchange(http.StatusUnauthorized).problem(401, "unauthenticated")
}

// developed is an author's first hour: a developer, a test shop, a package with a key, and its life on the shop.
func developed(t *testing.T, w *world) {
	made := w.operate(t).post("/operator/developers", fields{"name": "Ada", "email": "ada@addon.example"})
	author, vendor := client{t, w.url, made.text("token")}, newListener(t)
	shop := author.post("/developer/shops", fields{"name": "Test", "domain": unique("shop") + ".test",
		"locale": "cs_CZ", "currency": "CZK", "owner": fields{"email": "ada@addon.example"}, "demo": true})
	require.Equal(t, true, shop.fields()["test"])
	pkg := author.post("/developer/packages", fields{"code": unique("own"), "name": "Own", "instructions": "",
		"permissions": everything, "systemUrl": vendor.url}).id()
	require.NotEmpty(t, author.post("/developer/packages/"+pkg+"/system-keys", nil).text("key"))
	access := author.post("/developer/shops/"+shop.id()+"/accesses", fields{"packageId": pkg})
	told := vendor.hears("packageActivate", access.id()).data(t)
	token := client{t, w.url, client{t, w.url, ""}.post("/api-engine/tokens",
		fields{"installCode": told["installCode"]}).text("token")}
	require.NotEmpty(t, token.get("/api-engine/products").items("items"))
	eventually(t, patience, func() bool {
		return slices.ContainsFunc(author.get("/developer/packages/"+pkg+"/webhook-deliveries").items("items"),
			func(d fields) bool { return d["state"] == "delivered" })
	}, "the delivery shows")
	author.do(200, "POST", "/developer/shops/"+shop.id()+"/accesses/"+access.id()+"/deactivate", nil)
	vendor.hears("packageDeactivate", pkg)

	bare := author.post("/developer/packages", fields{"code": unique("bare"), "name": "Bare", "instructions": "",
		"permissions": everything}).id()
	author.post("/developer/shops/"+shop.id()+"/accesses", fields{"packageId": bare})
	var heard []fields
	eventually(t, patience, func() bool {
		heard = author.get("/developer/packages/" + bare + "/system-events").items("items")
		return len(heard) > 0
	}, "what a systemUrl would hear is listed")
	code := heard[0]["body"].(fields)["data"].(fields)["installCode"]
	client{t, w.url, ""}.post("/api-engine/tokens", fields{"installCode": code})
}

// operated is one of the operator's people, who has a token until it is ended, and whose deeds the trail names.
func operated(t *testing.T, w *world) {
	o := w.operate(t)
	made := o.post("/operator/tokens", fields{"name": "Jana"})
	jana := client{t, w.url, made.text("token")}
	shop := jana.post("/operator/shops", fields{"name": "Čajovna", "domain": unique("shop") + ".example",
		"locale": "cs_CZ", "currency": "CZK", "owner": fields{"email": "jana@example.cz"}}).id()
	jana.do(202, "DELETE", "/operator/shops/"+shop, nil)
	o.do(204, "DELETE", "/operator/tokens/"+made.id(), nil)
	jana.do(401, "GET", "/operator/shops", nil)

	var trail []fields
	eventually(t, patience, func() bool {
		trail = o.get("/operator/audit?shopId=" + shop).items("items")
		return len(trail) == 2
	}, "the trail of the shop has both")
	for i, method := range []string{"POST", "DELETE"} {
		require.Equal(t, []any{method, made.id(), "Jana"},
			[]any{trail[i]["method"], trail[i]["tokenId"], trail[i]["tokenName"]})
	}
}
