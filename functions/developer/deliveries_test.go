package developer_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// deliver writes a delivery of now to a receiver of the access, in a state or with an attempt.
func (w world) deliver(access string, also func(*store.Item)) string {
	c := events.Change{Request: w.P.NewID(), Shop: "shop", At: w.Clock.Now().UnixMilli()}
	i, _ := webhook.NewRow(c, events.Sample(events.ProductChange), webhook.Addressee{Access: access,
		Package: "package", Receiver: "receiver", Version: events.APIVersion}, w.Clock.Now())
	also(&i)
	w.Put(w.P.Pipeline, i)
	w.Clock.Pass(time.Second)
	return i.SK
}

// TestAVendorSeesTheDeliveriesOfAllShops walks through 23 shops by pages of several sizes: each delivery is there once,
// and all of one shop together, by created.
func TestAVendorSeesTheDeliveriesOfAllShops(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	own := w.As(ada, "POST", "/developer/packages", packageBody("own")).Is(201).ID()
	other := w.As(ada, "POST", "/developer/packages", packageBody("other")).Is(201).ID()
	list := "/developer/packages/" + own + "/deliveries"
	var want []string
	failed := ""
	for n := range 23 {
		body := shopBody(fmt.Sprintf("s%d.test", n))
		shop := w.As(hosttest.OperatorToken, "POST", "/operator/shops", body).Is(201).ID()
		install := func(pkg string) string {
			return w.As(hosttest.OperatorToken, "POST", "/operator/shops/"+shop+"/accesses",
				object{"packageId": pkg}).Is(201).ID()
		}
		access := install(own)
		w.deliver(install(other), func(*store.Item) {})
		if n < 11 {
			continue // more of them than a page looks at
		}
		for range n % 4 {
			want = append(want, w.deliver(access, func(*store.Item) {}))
		}
		if n == 22 {
			failed = w.deliver(access, func(i *store.Item) {
				i.Text["state"] = string(webhook.Exhausted)
				i.Num["made"], i.Text["attempt1"] = 1, `{"number":1,"at":1795226712583,"status":500,"error":"status 500"}`
			})
			want = append(want, failed)
		}
	}
	walk := func(token, query string) (ids []string, pages int) {
		for cursor := ""; ; pages++ {
			page := w.As(token, "GET", list+"?"+query+cursor, nil).Is(200)
			ids = append(ids, page.Each("id")...)
			next, _ := page.Body["nextCursor"].(string)
			if next == "" {
				return ids, pages + 1
			}
			cursor = "&cursor=" + url.QueryEscape(next)
		}
	}
	for _, size := range []int{1, 2, 3, 50} {
		got, _ := walk(ada, fmt.Sprintf("itemsPerPage=%d", size))
		require.Equal(t, want, got, "%d in a page", size)
	}
	_, pages := walk(ada, "")
	require.Equal(t, 3, pages, "ten accesses each")
	got, _ := walk(ada, "state=exhausted&event=productChange")
	require.Equal(t, []string{failed}, got)
	require.Contains(t, w.As(ada, "GET", list+"?order[created]=desc&itemsPerPage=1&created[after]=2000-01-01", nil).
		Is(200).Text, `"items":[]`, "a page looks at ten accesses, and has a next one")
	list = "/operator/packages/" + own + "/deliveries"
	got, _ = walk(hosttest.OperatorToken, "")
	require.Equal(t, want, got)
	w.As(w.developer("eve"), "GET", "/developer/packages/"+own+"/deliveries", nil).Is(404, "not_found")
}
