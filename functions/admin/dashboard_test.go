package admin

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/limit"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

var partElement = regexp.MustCompile(`data-part="([a-z]+)" data-count="([0-9]+)"`)

// partsOf are the parts of the dashboard with their counts.
func partsOf(a hosttest.Answer) map[string]string {
	parts := map[string]string{}
	for _, m := range partElement.FindAllStringSubmatch(a.Text, -1) {
		parts[m[1]] = m[2]
	}
	return parts
}

// order makes an order of a product of the shop.
func (w *world) sold(shop, product string) string {
	w.T.Helper()
	return w.addon(shop, "POST", "/api-engine/orders", object{"email": "eva@example.com", "items": []object{{"productId": product, "quantity": 1}}}).ID()
}

// receiver is one of the shop's add-on in a state.
func (w *world) listening(shop string, state webhook.ReceiverState, failure string) webhook.Receiver {
	w.T.Helper()
	u := w.P.Unit()
	r := webhook.Receiver{ID: u.NewID(), Shop: w.shops[shop], Access: w.accesses[shop], URL: "https://hooks.example/" + string(state),
		Active: true, State: state, Verified: true, Proven: true, Version: u.Next("")}
	health := store.Put(store.Item{Key: webhook.HealthKey(r.ID)})
	for _, ops := range [][]store.Op{{store.Put(r.Item()), health}, {webhook.ShowFailure(r.ID, failure, w.Clock.Now())}} {
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
	require.Contains(t, empty.Text, "Vše je v pořádku")

	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "A", "priceLevels": []object{{"level": "default", "price": "10.00"}}, "stock": object{"quantity": 100}}).ID()
	old := w.sold(tea, product)
	w.Clock.Pass(2 * time.Hour)
	w.ada(tea)
	late := w.sold(tea, product)
	w.Clock.Pass(23 * time.Hour)
	b = w.ada(tea)
	w.addon(tea, "PATCH", "/api-engine/orders/"+old, object{"note": "changed now, made long ago"})
	newest := w.sold(tea, product)
	page := b.Page("/admin").Shown(200)
	require.Equal(t, "2", partsOf(page)["orders"])
	require.Equal(t, []string{newest, late}, rowsOf(page))
	require.Contains(t, page.Text, `data-state="new"`)

	w.listening(tea, webhook.Enabled, "timeout")
	failing := w.listening(tea, webhook.Failing, "status 500")
	w.listening(tea, webhook.Disabled, "connect")
	page = b.Page("/admin").Shown(200)
	require.Equal(t, "2", partsOf(page)["receivers"])
	require.Contains(t, page.Text, `<li data-id="`+failing.ID+`" data-state="failing">`)
	require.Contains(t, page.Text, "odpovídá chybou: status 500")
	require.Contains(t, page.Text, "nelze připojit")
	require.NotContains(t, page.Text, "Vše je v pořádku")

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
	require.Equal(t, "1", partsOf(b.Page("/admin"))["limits"])

	w.code(tea, "Goes", true)
	w.code(tea, "Stays", false)
	require.Equal(t, "0", partsOf(b.Page("/admin"))["orphans"])
	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	after := partsOf(b.Page("/admin").Shown(200))
	require.Equal(t, []string{"1", "0"}, []string{after["orphans"], after["receivers"]}, "an add-on that is not active gets no webhooks")
	require.Equal(t, map[string]string{"orders": "0", "receivers": "0", "limits": "0", "orphans": "0"}, partsOf(w.ada(toys).Page("/admin")))
}

func TestTheDashboardAsksSixTimesInTwoRounds(t *testing.T) {
	w := open(t, far, warm)
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "A", "priceLevels": []object{{"level": "default", "price": "10.00"}}, "stock": object{"quantity": 100}}).ID()
	for range 7 {
		w.sold(tea, product)
	}
	w.listening(tea, webhook.Failing, "timeout")
	b.Page("/admin/people")
	w.InWaves([]int{3, 3}, func() { b.Page("/admin").Shown(200) })
}
