package delivery_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/egress"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/queue/memory"
)

// TestAnImportOf100000ProductsHoldsUpNoOtherTenantsWebhooks proves by the order that another shop's webhook waits for none
// of an import's: it is told last, and arrives while the first of the import's calls are still without an answer.
func TestAnImportOf100000ProductsHoldsUpNoOtherTenantsWebhooks(t *testing.T) {
	t.Parallel()
	const calls, each = 200, events.MaxIDs
	loan := queue.Settings{Visibility: time.Minute}
	fresh, retry := memory.New(loan, nil, 0), memory.New(loan, nil, 0)
	w := newWorld(t, inMemory(fresh, retry), func(p *host.Platform) {
		p.Egress = egress.New(egress.Options{Rules: egress.Rules{AllowLoopback: true}, Whole: time.Hour}) // the test ends the waiting
	})
	over := make(chan struct{})
	importing, other := serve(t, func(http.ResponseWriter, hit) { <-over }), serve(t, nil)
	w.receiver(w.install("importing", api.ReadProducts), importing.URL)
	w.receiver(w.install("other", api.ReadCustomers), other.URL)

	var told []events.Change
	for n := range calls {
		c := w.change("importing")
		for i := range each {
			c.Records = append(c.Records, events.Record{Kind: events.Products, ID: fmt.Sprint("p", n*each+i), Did: events.Created})
		}
		told = append(told, c)
	}
	w.tell(append(told, w.change("other", customer("c")))...)
	defer w.hosted(fresh, retry)()
	answer := sync.OnceFunc(func() { close(over) })
	defer answer()
	require.Eventually(t, func() bool { return len(other.got()) == 1 }, time.Minute, time.Millisecond)
	require.LessOrEqual(t, len(importing.got()), 16, "none of the import's calls has been answered")

	answer()
	require.Eventually(t, func() bool { return len(importing.got()) == calls }, time.Minute, time.Millisecond)
	seen := map[string]bool{}
	for _, h := range importing.got() {
		products := h.data(t)["products"].([]any)
		require.Len(t, products, each)
		for _, p := range products {
			seen[p.(map[string]any)["id"].(string)] = true
		}
	}
	require.Len(t, seen, calls*each, "each product is told once")
}
