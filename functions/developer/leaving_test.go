package developer_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/leaving"
	"eshop/shared/ports/store"
	"eshop/shared/record/addondata"
	"eshop/shared/webhook"
)

// work goes on with the deletion of a shop, as the sweeper does.
func (w world) work(shop string) {
	w.T.Helper()
	for range 5 {
		j, err := leaving.Read(w.T.Context(), w.Main, shop)
		require.NoError(w.T, err)
		require.NoError(w.T, w.P.Leaving().Work(w.T.Context(), j, 100))
	}
}

// TestADeveloperDeletesATestShop: it is closed at once and gone a minute later, with its goods; then there is room for
// another, at its domain.
func TestADeveloperDeletesATestShop(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	body := shopBody("a.test")
	body["demo"] = true
	shop := w.As(ada, "POST", "/developer/shops", body).Is(201).ID()
	for _, domain := range []string{"b.test", "c.test", "d.test", "e.test"} {
		w.As(ada, "POST", "/developer/shops", shopBody(domain)).Is(201)
	}
	pkg := w.As(ada, "POST", "/developer/packages", packageBody("a")).Is(201).ID()
	one := "/developer/shops/" + shop
	token := w.As(ada, "POST", one+"/accesses", object{"packageId": pkg}).Is(201).Get("token")
	w.Visitor("a.test").Page("/caje").Is(200)
	w.Main.NewChanges()

	w.As(ada, "DELETE", one, nil, "If-Match", `"other"`).Is(412)
	closed := w.As(ada, "DELETE", one, nil).Is(202)
	require.Equal(t, "closing", closed.Get("state"))
	require.Equal(t, events.PackageDeactivate, w.Main.NewChanges()[0].Notices[0].Event)
	w.Visitor("a.test").Page("/caje").Is(404)
	w.As(token, "GET", "/api-engine/products", nil).Is(403, "package_inactive")
	require.Equal(t, closed.Get("deletesAt"), w.As(ada, "GET", one, nil).Is(200).Get("deletesAt"))
	require.Equal(t, closed.Body, w.As(ada, "DELETE", one, nil).Is(202).Body)
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(409, "too_many_shops")

	w.Clock.Pass(time.Minute)
	w.work(shop)
	w.As(ada, "GET", one, nil).Is(404)
	w.As(ada, "DELETE", one, nil).Is(404)
	w.As(token, "GET", "/api-engine/products", nil).Is(401)
	w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201)
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(409, "too_many_shops")
	w.As(ada, "DELETE", "/developer/packages/"+pkg, nil).Is(204)
}

// TestADeveloperDeletesAnAccess with all that belongs to it, and installs the package anew.
func TestADeveloperDeletesAnAccess(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	shop := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201).ID()
	body := packageBody("a")
	body["permissions"] = []string{"products:read", "codes:write"}
	pkg := w.As(ada, "POST", "/developer/packages", body).Is(201).ID()
	all := "/developer/shops/" + shop + "/accesses"
	installed := w.As(ada, "POST", all, object{"packageId": pkg}).Is(201)
	one, token := all+"/"+installed.ID(), installed.Get("token")
	code := object{"name": "c", "position": "head", "code": "<b>c</b>", "active": true}
	w.As(token, "POST", "/api-engine/custom-codes", code).Is(201)
	w.As(token, "POST", "/api-engine/webhooks", object{"url": "https://hooks.example.com/",
		"events": []string{"productChange"}}).Is(201)
	old := w.As(ada, "GET", one, nil).Is(200).Header.Get("ETag")
	w.As(ada, "PATCH", one, object{"hourlyLimit": 10}).Is(200)
	w.As(ada, "DELETE", one, nil, "If-Match", old).Is(412)
	w.Main.NewChanges()

	w.As(ada, "DELETE", one, nil).Is(204)
	told := w.Main.NewChanges()[0].Notices
	require.Equal(t, events.PackageDeactivate, told[0].Event)
	require.Equal(t, installed.ID(), told[0].Access)
	w.As(token, "GET", "/api-engine/products", nil).Is(401, "unauthenticated")
	w.As(ada, "GET", one, nil).Is(404)
	w.As(ada, "DELETE", one, nil).Is(404)
	require.Empty(t, w.As(ada, "GET", all, nil).Is(200).Each("id"))
	ends := addondata.Ending(shop) // what the package has kept beside records ends a week later
	left := slices.DeleteFunc(addon.Partitions(shop), func(pk string) bool { return pk == ends })
	for _, partition := range append(left, "AC#"+installed.ID(), addon.TokensOf(installed.ID())) {
		rows, err := w.Main.Query(t.Context(), store.Query{PK: partition, Limit: 10})
		require.NoError(t, err)
		require.Empty(t, rows.Items, partition)
	}
	again := w.As(ada, "POST", all, object{"packageId": pkg}).Is(201)
	require.NotContains(t, w.Visitor("a.test").Page("/").Text, "<b>c</b>")
	for range 40 { // as many as a package may have, so none of before is counted
		w.As(again.Get("token"), "POST", "/api-engine/custom-codes", code).Is(201)
	}
	w.As(ada, "POST", all+"/"+again.ID()+"/deactivate", nil).Is(200)
	w.Main.NewChanges()
	w.As(ada, "DELETE", all+"/"+again.ID(), nil).Is(204)
	require.Empty(t, w.Main.NewChanges(), "it was told when it was deactivated")
}

// TestAnAccessWhoseDeletionWasCutIsDeletedByTheNext cuts it at each of its writes.
func TestAnAccessWhoseDeletionWasCutIsDeletedByTheNext(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	shop := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201).ID()
	pkg := w.As(ada, "POST", "/developer/packages", packageBody("a")).Is(201).ID()
	all := "/developer/shops/" + shop + "/accesses"
	one := all + "/" + w.As(ada, "POST", all, object{"packageId": pkg}).Is(201).ID()
	cuts := 0
	for status := 0; status != 204; cuts++ {
		w.Clock.Pass(time.Second)
		writes := 0
		w.Main.Before(func([]store.Op) error {
			if writes++; writes > cuts {
				return store.ErrUnavailable
			}
			return nil
		})
		status = w.As(ada, "DELETE", one, nil).Status
		w.Main.Before(nil)
		if status != 204 {
			require.Equal(t, 503, status)
			w.As(ada, "GET", one, nil).Is(200)
		}
	}
	require.Greater(t, cuts, 2)
	w.As(ada, "POST", all, object{"packageId": pkg}).Is(201)
}

// TestADeveloperDeletesAPackage that no shop has installed: its code is free, and there is room for another.
func TestADeveloperDeletesAPackage(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	shop := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201).ID()
	body := packageBody("a")
	body["systemUrl"] = "https://hooks.example.com/system"
	pkg := w.As(ada, "POST", "/developer/packages", body).Is(201).ID()
	one := "/developer/packages/" + pkg
	w.As(ada, "POST", one+"/system-keys", nil).Is(201)
	for n := range 19 {
		w.As(ada, "POST", "/developer/packages", packageBody("other-"+strconv.Itoa(n))).Is(201)
	}
	all := "/developer/shops/" + shop + "/accesses"
	access := w.As(ada, "POST", all, object{"packageId": pkg, "active": false}).Is(201).ID()
	w.As(ada, "DELETE", one, nil).Is(409, "package_installed")
	w.As(ada, "POST", "/developer/packages", packageBody("b")).Is(409, "too_many_packages")
	w.As(ada, "DELETE", all+"/"+access, nil).Is(204)

	w.As(ada, "DELETE", one, nil).Is(204)
	for _, at := range []string{"", "/system-webhook", "/webhook-deliveries", "/deliveries", "/system-events"} {
		w.As(ada, "GET", one+at, nil).Is(404)
	}
	w.As(ada, "DELETE", one, nil).Is(404)
	require.NotContains(t, w.As(ada, "GET", "/developer/packages", nil).Each("id"), pkg)
	w.As(ada, "POST", all, object{"packageId": pkg}).Is(422, "invalid")
	items, err := w.Main.Get(t.Context(), webhook.SystemKey(pkg), addon.PackageKey(pkg))
	require.NoError(t, err)
	require.Equal(t, []*store.Item{nil, nil}, items)
	keys, err := w.Main.Query(t.Context(), store.Query{PK: "AC#" + pkg, Limit: 10})
	require.NoError(t, err)
	require.Empty(t, keys.Items)
	w.As(ada, "POST", "/developer/packages", packageBody("a")).Is(201)
	w.As(ada, "POST", "/developer/packages", packageBody("b")).Is(409, "too_many_packages")
}

// TestATestShopThatLeftMakesRoom: a developer may have another one then.
func TestATestShopThatLeftMakesRoom(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	var last string
	for _, domain := range []string{"a.test", "b.test", "c.test", "d.test", "e.test"} {
		last = w.As(ada, "POST", "/developer/shops", shopBody(domain)).Is(201).ID()
	}
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(409, "too_many_shops")
	w.As(hosttest.OperatorToken, "DELETE", "/operator/shops/"+last, nil).Is(202)
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(409, "too_many_shops")
	w.Clock.Pass(leaving.Grace)
	w.work(last)
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(201)
}
