package admin

import (
	"context"
	"errors"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/page"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/sale"
	"eshop/shared/webhook"
)

var partElement = regexp.MustCompile(`data-part="([a-z]+)" data-count="([^"]+)"`)

var todoElement = regexp.MustCompile(`data-todo="([a-z]+)" data-count="([^"]+)"`)

// partsOf are the parts of the dashboard with their counts.
func partsOf(a hosttest.Answer) map[string]string {
	parts := map[string]string{}
	for _, m := range partElement.FindAllStringSubmatch(a.Text, -1) {
		parts[m[1]] = html.UnescapeString(m[2])
	}
	return parts
}

// sold makes an order of a product of the shop.
func (w *world) sold(shop, product string) string {
	w.T.Helper()
	return w.addon(shop, "POST", "/api-engine/orders",
		object{"email": "eva@example.com", "items": []object{{"productId": product, "quantity": 1}}}).ID()
}

// listening makes a receiver of the shop's add-on, in a state.
func (w *world) listening(shop string, state webhook.ReceiverState, failure string) webhook.Receiver {
	w.T.Helper()
	u := w.P.Unit()
	r := webhook.Receiver{ID: u.NewID(), Shop: w.shops[shop], Access: w.accesses[shop],
		URL: "https://hooks.example/" + string(state), Events: events.Names,
		Active: true, State: state, Verified: true, Proven: true, Version: u.NextVersion("")}
	health := store.Put(store.Item{Key: webhook.HealthKey(r.ID)})
	for _, ops := range [][]store.Op{{store.Put(r.Item()), health},
		{webhook.ShowPingFailure(r.ID, failure, w.Clock.Now())}} {
		_, err := w.P.Main.Write(w.T.Context(), events.Nothing, ops...)
		require.NoError(w.T, err)
	}
	return r
}

func TestTheDashboardSaysWhatIsWrong(t *testing.T) { onBoth(t, dashboardParts) }

func dashboardParts(t *testing.T, w *world) {
	b := w.ada(tea)
	empty := b.Page("/admin").Shown(200)
	require.Equal(t, map[string]string{"orders": "0", "receivers": "0", "limits": "0", "orphans": "0"}, partsOf(empty))
	require.Contains(t, empty.Text, "Doplňky běží bez chyb")

	product := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "A", "priceLevels": []object{{"level": "default", "price": "10.00"}},
			"stock": object{"quantity": 100}}).ID()
	old := w.sold(tea, product)
	w.Clock.Pass(2 * time.Hour)
	w.ada(tea)
	late := w.sold(tea, product)
	w.Clock.Pass(23 * time.Hour)
	b = w.ada(tea)
	w.addon(tea, "PATCH", "/api-engine/orders/"+old, object{"note": "changed now, made long ago"})
	newest := w.sold(tea, product)
	shown := b.Page("/admin").Shown(200)
	require.Equal(t, "2", partsOf(shown)["orders"])
	require.Equal(t, []string{newest, late}, rowsOf(shown))
	require.Contains(t, shown.Text, `data-state="new"`)
	require.Contains(t, shown.Text, `<p class="big">10`+"\u00a0Kč", "the other one is of yesterday")

	// What is to be done: the orders that nobody has begun with, what was sent without a number, and what runs out.
	todo := func() string {
		w.Index()
		var all []string
		for _, m := range todoElement.FindAllStringSubmatch(b.Page("/admin").Shown(200).Text, -1) {
			all = append(all, m[1]+" "+m[2])
		}
		return strings.Join(all, ", ")
	}
	require.Equal(t, "new 3", todo())
	var shipped string
	for _, state := range w.addon(tea, "GET", "/api-engine/order-states", nil).At("items").([]any) {
		if s := state.(map[string]any); s["key"] == "shipped" {
			shipped = s["id"].(string)
		}
	}
	w.addon(tea, "PATCH", "/api-engine/orders/"+old, object{"stateId": shipped})
	w.addon(tea, "PATCH", "/api-engine/products/"+product, object{"stock": object{"quantity": 3}})
	require.Equal(t, "new 2, unnumbered 1, short 1", todo())
	w.addon(tea, "PATCH", "/api-engine/orders/"+old+"/order-delivery-payment", object{"trackingNumber": "DR1"})
	w.addon(tea, "PATCH", "/api-engine/products/"+product, object{"stock": object{"quantity": 6}})
	require.Equal(t, "new 2", todo())

	enabled := w.listening(tea, webhook.Enabled, "timeout")
	failing := w.listening(tea, webhook.Failing, "status 500")
	w.listening(tea, webhook.Disabled, "connect")
	shown = b.Page("/admin").Shown(200)
	require.Equal(t, "3", partsOf(shown)["receivers"], "one whose attempt failed is not fine before its breaker opens")
	require.Contains(t, shown.Text, `<li data-id="`+enabled.ID+`" data-state="enabled" data-health="failures">`)
	require.Contains(t, shown.Text, `<li data-id="`+failing.ID+`" data-state="failing" data-health="failing">`)
	require.Contains(t, shown.Text, `<li data-todo="receiver">`)
	require.Contains(t, shown.Text, "Odpověděl stavem 500.")
	require.Contains(t, shown.Text, "Nepodařilo se k němu připojit.")
	require.NotContains(t, shown.Text, "Doplňky běží bez chyb")

	w.operator("PATCH", "/operator/shops/"+w.shops[tea]+"/accesses/"+w.accesses[tea], object{"hourlyLimit": 100})
	charge := func(n int64) {
		used, err := w.P.Counters.Used(t.Context(), limit.Day{Access: w.accesses[tea], At: w.Clock.Now()})
		require.NoError(t, err)
		n -= used[0].Hours[w.Clock.Now().UTC().Hour()]
		_, err = w.P.Counters.Charge(t.Context(), w.accesses[tea], limit.Max, n, w.Clock.Now())
		require.NoError(t, err)
	}
	charge(80)
	require.Equal(t, "0", partsOf(b.Page("/admin"))["limits"], "80 % is not above 80 %")
	charge(81)
	near := b.Page("/admin").Shown(200)
	require.Equal(t, "1", partsOf(near)["limits"])
	require.Contains(t, near.Text, `<li data-id="`+w.accesses[tea]+`" data-state="active">`)

	w.code(tea, "Goes", true)
	w.code(tea, "Stays", false)
	require.Equal(t, "0", partsOf(b.Page("/admin"))["orphans"])
	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	left := b.Page("/admin").Shown(200)
	require.Contains(t, left.Text, `<li data-id="`+w.accesses[tea]+`" data-state="deactivated">`)
	after := partsOf(left)
	require.Equal(t, []string{"1", "0"}, []string{after["orphans"], after["receivers"]},
		"an add-on that is not active gets no webhooks")
	require.Equal(t, map[string]string{"orders": "0", "receivers": "0", "limits": "0", "orphans": "0"},
		partsOf(w.ada(toys).Page("/admin")))
}

func TestTheDashboardAsksInThreeRounds(t *testing.T) {
	w := open(t, far)
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "A", "priceLevels": []object{{"level": "default", "price": "10.00"}},
			"stock": object{"quantity": 100}}).ID()
	for range 7 {
		w.sold(tea, product)
	}
	w.listening(tea, webhook.Failing, "timeout")
	b.Page("/admin") // the process knows the shop's states from now on
	// The first call is for who is signed in.
	w.InWaves([]int{1, 6, 2, 1}, func() { b.Page("/admin").Shown(200) })
}

// blind is counters that cannot be read.
type blind struct{ limit.Counters }

func (blind) Used(context.Context, ...limit.Day) ([]limit.Used, error) {
	return nil, errors.New("no counters today")
}

func TestTheUseOfLimitsThatCannotBeReadIsNotNone(t *testing.T) {
	w := open(t, func(p *host.Parts) { p.Counters = blind{p.Counters} })
	b := w.ada(tea)
	dashboard := b.Page("/admin").Shown(200)
	require.Equal(t, "unknown", partsOf(dashboard)["limits"])
	for _, a := range []hosttest.Answer{dashboard, b.Page("/admin/api/" + w.accesses[tea]).Shown(200)} {
		require.Contains(t, a.Text, texts().Say(page.Czech, "api.unread"))
		require.NotContains(t, a.Text, "Doplňky běží bez chyb")
	}
}

func TestMoreOrdersThanAreReadAreNotCountedAsAll(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	u := w.P.Unit()
	for range 150 { // of 100 rows, more than a page of the index has
		var ops []store.Op
		for range 100 {
			o := u.NewID()
			place := record.IndexKey(sale.OrdersOf(w.shops[tea]), u.NextVersion(""), o)
			ops = append(ops, store.Put(store.Item{Key: store.Key{PK: "row of an order", SK: o}, Index1: place}))
		}
		_, err := w.P.Main.Write(t.Context(), events.Nothing, ops...)
		require.NoError(t, err)
	}
	count := partsOf(b.Page("/admin").Shown(200))["orders"]
	require.Regexp(t, `^[1-9][0-9]{3,}\+$`, count)
}

var stepElement = regexp.MustCompile(`<li data-step="([a-z]+)" data-state="(done|open)">.*?href="([^"]+)"`)

// TestANewShopIsToldWhatItNeeds takes its first steps, each where its link leads: the block is gone when all are done,
// and until then nobody is told that there is nothing to do.
func TestANewShopIsToldWhatItNeeds(t *testing.T) { onBoth(t, firstSteps) }

func firstSteps(t *testing.T, w *world) {
	b := w.ada(tea)
	open := func() (left []string) {
		t.Helper()
		w.Index()
		shown := b.Page("/admin").Shown(200)
		for _, m := range stepElement.FindAllStringSubmatch(shown.Text, -1) {
			path, _, _ := strings.Cut(html.UnescapeString(m[3]), "#")
			b.Page(path).Shown(200)
			if m[2] == "open" {
				left = append(left, m[1])
			}
		}
		require.Equal(t, left == nil, strings.Contains(shown.Text, texts().Say(page.Czech, "todo.nothing")))
		return left
	}
	require.Equal(t, []string{"logo", "texts", "payment", "category", "product"}, open())
	access := w.operator("POST", "/operator/shops/"+w.shops[tea]+"/accesses", object{"active": false,
		"packageId": w.operator("POST", "/operator/packages", object{"code": "late", "name": "Late",
			"instructions": "-", "permissions": permission.All}).ID()}).ID()
	require.Equal(t, []string{"logo", "texts", "payment", "category", "product", "addon"}, open())
	does(b, "/admin/packages/"+access+"/activate")
	require.NotContains(t, open(), "addon")
	does(b, "/admin/shop", "contact", "Dlouhá 1")
	require.Contains(t, open(), "texts", "there are no terms")
	does(b, "/admin/shop", "terms", "## Reklamace")
	require.Equal(t, []string{"logo", "payment", "category", "product"}, open())
	does(b, "/admin/shop", "payment.transfer.note", "19-2000145399/0800")
	does(b, "/admin/categories", "name", "Čaje")
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "A", "active": false,
		"images":      []object{{"url": "https://i.example/a.png"}},
		"priceLevels": []object{{"level": "default", "price": "10.00"}}}).ID()
	require.Equal(t, []string{"logo", "product"}, open(), "nobody sees it")
	does(b, "/admin/products/"+product, "active", "true", "images.0.url", "")
	require.Equal(t, []string{"logo", "product"}, open(), "it has no picture")
	does(b, "/admin/products/"+product, "images.0.url", "https://i.example/a.png")
	require.Equal(t, []string{"logo"}, open())
	uploadAs(t, b, "/admin/shop", "logo", nil, dyed(t, 7)).Leads(303, "/admin/shop")
	require.Empty(t, open())
}

// TestWhatDoesNotRunIsNotCalledFine: a shop without an active add-on has none that runs without errors.
func TestWhatDoesNotRunIsNotCalledFine(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	require.NotContains(t, b.Page("/admin").Shown(200).Text, "Doplňky běží bez chyb")
}
