package admin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/shop/audit"
)

func TestTheTrailSaysWhoDidWhat(t *testing.T) { onBoth(t, trailIsKept) }

func trailIsKept(t *testing.T, w *world) {
	ada := w.ada(tea)
	does(ada, "/admin/coupons", "code", "TEN", "type", "percentage", "value", "10.00")
	coupon := rowsOf(ada.Page("/admin/coupons").Shown(200))[0]
	does(ada, "/admin/coupons/"+coupon, "value", "11.00")
	w.As(hosttest.OperatorToken, "PATCH", "/operator/shops/"+w.shops[tea], object{"name": "Čajovna"}).Is(200)
	ada.Form("/admin/coupons/"+coupon, "value", "x").Shown(422)
	does(ada, "/admin/order-states", "name", "Waiting")

	page := ada.Page("/admin/activity?lang=en").Shown(200)
	require.Len(t, rowsOf(page), 8, "shop, admin, password, sign-in and four changes: nothing refused or only read")
	for _, is := range []string{"Ada", "Signed in", "Created", "Changed", "Platform operator",
		`href="/admin/shop"`, `href="/admin/coupons/` + coupon + `"`, ": TEN</a>", ">Order states: Waiting</a>",
		`<td data-label="What">Password set</td><td data-label="Where"><a href="/admin/people">People: Ada`} {
		require.Contains(t, page.Text, is)
	}
	other := w.ada(toys).Page("/admin/activity?lang=en&order[created]=asc").Shown(200)
	require.Len(t, rowsOf(other), 4, "another shop has its own")
	require.NotContains(t, other.Text, coupon)

	does(ada, "/admin/coupons/"+coupon+"/delete")
	page = ada.Page("/admin/activity?lang=en").Shown(200)
	require.Contains(t, page.Text, "Deleted")
	require.Len(t, rowsOf(page), 9)
	require.Empty(t, rowsOf(ada.Page("/admin/activity?created[after]=2030-01-01").Shown(200)))
}

func TestAnActionIsSaidByItsPath(t *testing.T) {
	const one = "01KYFXV00000000000000000AA"
	for path, is := range map[string]string{
		"/admin/people":                                    "activity.created",
		"/admin/people/" + one:                             "activity.changed",
		"/admin/products/stock":                            "activity.changed",
		"/admin/orders/" + one + "/ship":                   "activity.changed",
		"/admin/api/" + one + "/tokens/" + one + "/revoke": "activity.deleted",
		"/admin/sign-out":                                  "activity.signedOut",
		"/admin/set-password":                              "activity.passwordSet",
	} {
		require.Equal(t, is, deedOf(audit.Entry{Admin: one, Method: "POST", Path: path}), path)
	}
	of := "/admin/products/" + one
	variant := audit.Entry{Admin: one, Method: "POST", Path: of + "/variants/x"}
	require.Equal(t, of, recordOf(variant, productsPath))
	key := audit.Entry{Shop: one, Method: "POST", Path: audit.Shops + one + "/accesses/" + one + "/tokens"}
	require.Equal(t, "/admin/packages/"+one, recordOf(key, packagesPath), "where it shows here")
}
