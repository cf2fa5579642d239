package admin

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/webhook"
)

// budget is what an operation asks of the stores: so many calls side by side, one wave behind the other. {customers} in
// a query or a field is the id of the shop's customer.
type budget struct {
	path   string // as it is registered, and a query
	fields []string
	waves  []int
}

// pageBudgets are what each page reads. The first call is for who is signed in, but where nobody is asked.
var pageBudgets = []budget{
	{"/admin", nil, []int{1, 5, 2, 2, 1}}, // a process that knows the states of the shop asks in four waves
	{"/admin/orders", nil, []int{1, 1, 1, 1}},
	{"/admin/orders?customerId={customers}", nil, []int{1, 1, 1, 1}},
	// The shop's ways are read beside whatever the form of an order reads first.
	{"/admin/orders/new", nil, []int{1, 1}},
	{"/admin/orders/new?customerId={customers}", nil, []int{1, 2}},
	{"/admin/orders/{id}", nil, []int{1, 1, 1, 1}}, // the last one is for the name of who made it: a shopper has none
	{"/admin/orders/{id}/delivery-note", nil, []int{1, 1, 1}},
	{"/admin/customers", nil, []int{1, 1, 1}},
	{"/admin/customers?email=eva@tea.example", nil, []int{1, 1, 1}},
	{"/admin/customers/new", nil, []int{1}},
	{"/admin/customers/{id}", nil, []int{1, 1, 1, 1, 1}}, // which orders there are, and then the last ones
	{"/admin/coupons", nil, []int{1, 1, 1}},
	{"/admin/coupons/new", nil, []int{1}},
	{"/admin/coupons/{id}", nil, []int{1, 1}},
	{"/admin/order-states", nil, []int{1, 1, 1}},
	{"/admin/order-states/new", nil, []int{1}},
	{"/admin/order-states/{id}", nil, []int{1, 1}},
	{"/admin/products", nil, []int{1, 4, 1}}, // a shop's products lie in four partitions
	{"/admin/products?code=%3Cb%3E1", nil, []int{1, 1, 1}},
	{"/admin/products/new", nil, []int{1}},
	{"/admin/products/{id}", nil, []int{1, 1}},
	{"/admin/products/{id}/variants/{variantId}", nil, []int{1, 1}},
	{"/admin/products/{id}/generate?parameters=A:b", nil, []int{1, 1}},
	{"/admin/products?categoryId={categories}&active=true&sort=price", nil, []int{1, 1, 1, 1}},
	{"/admin/products?q=b&categoryId={categories}&sort=name", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/products?inStock=false", nil, []int{1, 1}}, // none is: what is takes two more
	{"/admin/prices", nil, []int{1, 1, 1, 1}},
	{"/admin/prices?categoryId={categories}&percent=10", nil, []int{1, 1, 1, 1}},
	{"/admin/products/stock", nil, []int{1, 1, 1, 1}},
	{"/admin/products/stock?q=nothing", nil, []int{1, 1}}, // nothing is found: what is takes two more
	{"/admin/products/stock?code=%3Cb%3E1", nil, []int{1, 1, 1}},
	{"/admin/categories", nil, []int{1, 1, 1}},
	{"/admin/categories/new", nil, []int{1}},
	{"/admin/categories/{id}", nil, []int{1, 1}},
	{"/admin/urls", nil, []int{1, 1, 1, 1}},
	{"/admin/urls?urlItem=product:{products}", nil, []int{1, 2, 1}},
	{"/admin/imports", nil, []int{1, 1, 1}},
	{"/admin/imports/{id}", nil, []int{1, 1, 1}},
	{"/admin/imports/columns/{type}", nil, []int{1}},
	{"/admin/exports", nil, []int{1, 1, 1}},
	{"/admin/exports/{id}", nil, []int{1, 1}},
	{"/admin/packages", nil, []int{1, 1, 1, 1}},
	{"/admin/packages/{accessId}", nil, []int{1, 1, 1}},
	{"/admin/packages/{accessId}/deactivate", nil, []int{1, 1, 1, 1, 1, 1}},
	// It is told, so it is done as an action is, and is in the trail.
	{"/admin/packages/{accessId}/instructions", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/tokens", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}/webhook-security", nil, []int{1, 1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}/receivers", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}/receivers/{id}/replay", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}/deliveries", nil, []int{1, 1, 1, 1, 4}}, // an access's deliveries lie in four partitions
	{"/admin/api/{accessId}/deliveries?receiverId={receivers}", nil, []int{1, 1, 1, 1, 4}},
	{"/admin/api/{accessId}/deliveries/{id}", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}/codes", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/orphans", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/search?q=nothing", nil, []int{1, 4}}, // nothing is found: each kind of what is takes two more,
	{"/admin/shop", nil, []int{1, 1}},
	{"/admin/people", nil, []int{1, 1, 1}},
	{"/admin/activity", nil, []int{1, 1, 1, 1}},
	{"/admin/sign-in", nil, nil},
	{"/admin/set-password?token={link}", nil, []int{1, 1}},
}

// actionBudgets are what each action reads and writes, in an order in which all can be done. Who is signed in is known
// before anything else is read. Behind what stands here, an entry of the audit trail is written.
var actionBudgets = []budget{
	{"/admin/orders/new", []string{"customerId", "{customers}", "_goods", "nothing", "_customer", "nobody",
		"items.0.productId", "{products}", "items.0.variantId", "{variants}"},
		[]int{1, 2, 4, 1}}, // with the claim of a code
	{"/admin/orders", []string{"email", "eva@example.cz", "items.0.productId", "{products}", "items.0.variantId",
		"{variants}", "items.0.quantity", "1"}, []int{1, 2, 2, 1}},
	{"/admin/orders", []string{"_keep", "true", "email", "eva@example.cz", "billingAddress.firstName", "E",
		"billingAddress.lastName", "N", "billingAddress.street", "S", "billingAddress.city", "C", "billingAddress.zip",
		"1", "billingAddress.country", "CZ", "items.0.productId", "{products}", "items.0.variantId", "{variants}",
		"items.0.quantity", "1"}, []int{1, 1, 2, 2, 1, 1}},
	{"/admin/orders/{id}/state", []string{"stateId", "{processing}"}, []int{1, 2, 1}},
	{"/admin/orders/{id}/note", []string{"note", "x"}, []int{1, 1, 1}},
	{"/admin/orders/{id}/shipment", []string{"trackingNumber", "x"}, []int{1, 1, 1}},
	{"/admin/orders/state", []string{"stateId", "{shipped}", "orderId", "{orders}"}, []int{1, 2, 1}},
	{"/admin/orders/{id}/ship", []string{"stateId", "{shipped}", "trackingNumber", "y"}, []int{1, 2, 1}},
	{"/admin/customers", []string{"email", "j@example.cz", "firstName", "J", "lastName", "N"}, []int{1, 1}},
	{"/admin/customers/{id}", []string{"phone", "2"}, []int{1, 1, 1}},
	{"/admin/customers/{id}/sign-in-link", nil, []int{1, 1, 1, 1}},
	{"/admin/coupons", []string{"code", "TEN", "type", "percentage", "value", "10.00"}, []int{1, 1}},
	{"/admin/coupons/{id}", []string{"value", "11.00"}, []int{1, 1, 1}},
	{"/admin/order-states", []string{"name", "Packed"}, []int{1, 1, 1}},
	{"/admin/order-states/{id}", []string{"name", "Packing"}, []int{1, 1, 1}},
	{"/admin/products", []string{"code", "B", "name", "B", "priceLevels.default", "1.00"}, []int{1, 1, 1}},
	{"/admin/products/{id}", []string{"priceLevels.default", "2.00"}, []int{1, 1, 1}},
	{"/admin/products/{id}/variants", []string{"code", "W", "name", "W"}, []int{1, 1, 1, 1}},
	{"/admin/products/{id}/variants/{variantId}", []string{"name", "V"}, []int{1, 1, 1}},
	{"/admin/products/{id}/variants-table", []string{"variants.{variants}.quantity", "6"}, []int{1, 1, 1}},
	{"/admin/products/{id}/generate", []string{"parameters", "A: b"}, []int{1, 1, 1, 1, 1}},
	{"/admin/products/{id}/images", nil, []int{1, 1, 1, 1, 1, 1, 1}}, // the image is made in two writes
	{"/admin/products/{id}/images/{n}/move", []string{"to", "1"}, []int{1, 1, 1}},
	{"/admin/products/{id}/images/{n}/delete", nil, []int{1, 1, 1}},
	{"/admin/products/stock", []string{"quantity.{products}.{variants}", "3"},
		[]int{1, 1, 1, 1, 1}}, // the last two read what it is called
	{"/admin/prices", []string{"price.{products}", "3"}, []int{1, 1, 1, 1, 1}},
	{"/admin/products/selected", []string{"productId", "{products}", "do", "hide"}, []int{1, 1, 1}},
	{"/admin/categories", []string{"name", "C"}, []int{1, 1, 1}},
	{"/admin/categories/{id}", []string{"name", "D"}, []int{1, 1, 1, 1}},
	{"/admin/urls", []string{"urlItem", "product:{products}", "url", "new-tea"}, []int{1, 2, 1, 1}},
	{"/admin/imports", []string{"type", "products", "format", "csv"}, []int{1, 1}},
	{"/admin/exports", []string{"type", "orders"}, []int{1, 1}},
	{"/admin/imports/columns/{type}", nil, []int{1}}, // of another file: shown again
	{"/admin/api/{accessId}/permissions", []string{"permission", "products:read"}, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/tokens", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/webhook-security/keys", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/webhook-security/keys/{id}/activate", nil, []int{1, 1, 1}},
	{"/admin/api/{accessId}/webhook-security/keys/{id}/revoke", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/receivers/{id}/enable", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/receivers/{id}/ping", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/receivers/{id}/replay", []string{"from", "2026-11-21T00:00"}, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/deliveries/{id}/redeliver", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/api/{accessId}/codes/{id}/switch", []string{"active", "false"}, []int{1, 1, 1, 1}},
	{"/admin/shop", []string{"name", "Tea"}, []int{1, 1, 1, 1}},
	{"/admin/shop/preview", []string{"welcome", "Tea"}, []int{1, 1}},
	{"/admin/people", []string{"email", "eva@example.cz", "name", "Eva"}, []int{1, 1}},
	{"/admin/people/{id}/sign-in-link", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/receivers/{id}/delete", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/codes/{id}/delete", nil, []int{1, 1, 1, 1}},
	{"/admin/api/{accessId}/tokens/{id}/revoke", nil, []int{1, 1, 1, 1}},
	{"/admin/packages/{accessId}/deactivate", nil, []int{1, 1, 1, 1, 1, 1}},
	{"/admin/packages/{accessId}/activate", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/packages/{accessId}/activation", nil, []int{1, 1, 1, 4, 1, 1, 1}},
	{"/admin/orphans/{id}/delete", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/urls/{id}/delete", nil, []int{1, 1, 1, 1, 2, 1}},
	{"/admin/coupons/{id}/delete", nil, []int{1, 1, 1}},
	{"/admin/customers/{id}/delete", nil, []int{1, 1, 1}},
	// Who was deleted can be erased, for the orders' sake: here one order.
	{"/admin/customers/{id}/erase", nil, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	{"/admin/order-states/{id}/delete", nil, []int{1, 1, 1}},
	{"/admin/products/{id}/variants/{variantId}/delete", nil, []int{1, 1, 1}},
	// One of the reads is of the images that were sent to us. A deletion releases the claims of what it deletes by a
	// call of its own, behind the tombstone.
	{"/admin/products/{id}/delete", nil, []int{1, 1, 1, 1, 1}},
	{"/admin/categories/{id}/delete", nil, []int{1, 2, 1, 1, 1, 1, 1}},
	{"/admin/set-password?token={link}", []string{"password", password}, []int{1, 1, 1, 1, 1, 1, 1}},
	{"/admin/people/{id}/delete", nil, []int{1, 1, 1}},
	{"/admin/sign-out", nil, []int{1, 1}},
	{"/admin/sign-in", []string{"email", "ada@tea.example", "password", password}, []int{1, 1, 1, 1, 1}},
}

// TestNoPageAsksForMoreThanItShows holds all pages and actions to their budgets, in a shop that is known, as that of
// each host is that was visited of late.
func TestNoPageAsksForMoreThanItShows(t *testing.T) {
	w := open(t, far)
	w.hasBudgets(http.MethodGet, pageBudgets)
	w.hasBudgets(http.MethodPost, actionBudgets)
	mine, b, stranger := w.busy(), w.ada(tea), w.ada(tea)
	ended := sessionOf(stranger)
	stranger.Form("/admin/sign-out").Is(303)
	stranger.Cookies[hostOnly+sessionCookie] = ended
	w.Index()
	b.Page("/admin/orders").Shown(200)
	b.Page("/admin/products/new").Shown(200)
	for _, p := range pageBudgets {
		t.Run("GET "+p.path, func(t *testing.T) {
			w.T = t
			path := mine.asked(t, p.path)
			if strings.HasPrefix(path, signInPath) || strings.HasPrefix(path, setPasswordPath) {
				w.InWaves(p.waves, func() { w.merchant(tea).Page(path).Shown(200) })
				return
			}
			w.InWaves(p.waves, func() { b.Page(path).Shown(200) })
			// Nothing of a page is read for who is not signed in.
			w.InWaves([]int{1}, func() { stranger.Page(path).Is(303) })
		})
	}
	for _, p := range actionBudgets {
		t.Run("POST "+p.path, func(t *testing.T) {
			w.T = t
			path, fields := mine.asked(t, p.path), slices.Clone(p.fields)
			for i := range fields {
				fields[i] = mine.named(fields[i])
			}
			if strings.HasSuffix(path, "/activation") {
				w.refused(tea)
			}
			// These do nothing, so nothing is in the trail of them.
			if p.path == newOrderPath || p.path == shopPath+"/preview" {
				w.InWaves(p.waves, func() { b.Form(path, fields...).Shown(200) })
				return
			}
			w.InWaves(append(slices.Clone(p.waves), 1), func() {
				switch p.path {
				case importsPath:
					sent(t, b, path, "code,name\nA,Tea\n", fields...).Is(303)
				case productsPath + "/{id}/images":
					upload(t, b, path, dyed(t, 1)).Is(303)
				default:
					b.Form(path, fields...).Is(303)
				}
			})
		})
	}
}

// hasBudgets wants a budget for each operation of a method that people use, and none for others.
func (w *world) hasBudgets(method string, all []budget) {
	w.T.Helper()
	registered, budgeted := map[string]bool{}, map[string]bool{}
	for _, pattern := range w.everywhere() {
		if m, path, _ := strings.Cut(pattern, " "); m == method && path != "/admin/nowhere" {
			registered[path] = true
		}
	}
	for _, b := range all {
		path, _, _ := strings.Cut(b.path, "?")
		budgeted[path] = true
	}
	require.Equal(w.T, slices.Sorted(maps.Keys(registered)), slices.Sorted(maps.Keys(budgeted)))
}

// asked is the address of a budget's path, with the shop's ids.
func (k kept) asked(t testing.TB, path string) string {
	path, query, has := strings.Cut(path, "?")
	path = k.filled(t, "GET "+path, nil)
	if has {
		path += "?" + k.named(query)
	}
	return path
}

// named is a text with the ids that it names.
func (k kept) named(text string) string {
	for name, id := range k {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// busy makes a record of each kind in the tea shop, and what is wrong with add-ons: a receiver that fails, and a code
// that another add-on left when it was deactivated.
func (w *world) busy() kept {
	w.T.Helper()
	mine := w.full(tea)
	mine["processing"], mine["shipped"] = w.stateID(tea, "processing"), w.stateID(tea, "shipped")
	mine["people"] = w.person(tea, "bo@"+tea, "Bo")
	mine["receivers"] = w.listening(tea, webhook.Failing, "timeout").ID
	mine["deliveries"] = w.delivery(tea, mine["receivers"])
	u := w.P.Unit()
	u.Shop = w.shops[tea]
	link, err := staff.NewAccounts(signin.Tries{}).MakeLink(w.T.Context(), u, mine["people"])
	require.NoError(w.T, err)
	mine["link"] = link
	other := w.operator("POST", "/operator/packages", object{"code": "left", "name": "Left", "instructions": "-",
		"permissions": permission.All}).ID()
	accesses := "/operator/shops/" + w.shops[tea] + "/accesses"
	access := w.operator("POST", accesses, object{"packageId": other})
	mine["orphans"] = w.As(access.Get("token"), "POST", "/api-engine/custom-codes",
		object{"name": "Left", "position": "head", "code": "<i>"}).Is(201).ID()
	w.operator("POST", accesses+"/"+access.ID()+"/deactivate", nil)
	return mine
}
