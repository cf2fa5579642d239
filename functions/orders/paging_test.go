package orders

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAWalkWhileWritersRunSkipsNoOrder pages through orders and their coupons while both are changed and more are made:
// each that was there throughout comes at least once (contract, "Collections").
func TestAWalkWhileWritersRunSkipsNoOrder(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 10_000).ID()
	var orders, coupons []string
	for i := range 40 {
		orders = append(orders, w.order(of(line(tea, 1))).ID())
		coupons = append(coupons, w.coupon(fmt.Sprint("C", i), "percentage", "1.00").ID())
		w.Clock.Pass(time.Millisecond)
	}
	var writing sync.WaitGroup
	for n := range 4 {
		writing.Go(func() {
			for i := range 40 {
				w.Clock.Pass(time.Millisecond)
				id := orders[(7*i+n*10)%len(orders)]
				w.do("PATCH", pathOf(id), object{"note": fmt.Sprint(n, i)}).Is(200)
				w.order(with(of(line(tea, 1)), "discountCoupons", []string{fmt.Sprint("C", (3*i+n)%40)}))
			}
		})
	}
	var reading sync.WaitGroup
	for path, there := range map[string][]string{path: orders, "/api-engine/discount-coupons": coupons} {
		reading.Go(func() {
			seen := map[string]bool{}
			for query := "?itemsPerPage=3"; query != ""; {
				page := w.do("GET", path+query, nil).Is(200)
				for _, item := range page.Items() {
					seen[item["id"].(string)] = true
				}
				if query = ""; page.Body["nextCursor"] != nil {
					query = "?itemsPerPage=3&cursor=" + page.Get("nextCursor")
				}
			}
			require.False(t, slices.ContainsFunc(there, func(id string) bool { return !seen[id] }),
				"one was skipped: %s", path)
		})
	}
	writing.Wait()
	reading.Wait()
}
