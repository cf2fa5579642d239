//go:build !race

// The race detector holds several times the memory that is measured here, and takes minutes: make test runs this
// without it.
package house_test

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/base/remember"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store/storetest"
)

// The bounds of what an operation answers and holds, whatever the records: the contract's 5 MB, which leaves room below
// the 6 MB of Lambda, and a memory of which a function of 512 MB has several times as much.
const (
	mostAnswered = 5_000_000
	mostHeld     = 24 << 20
)

// weighing is a table that notes how much memory is live whenever it is asked: what the request holds of what it has
// read so far.
type weighing struct {
	mu        sync.Mutex
	live      uint64 // the most that was
	allocated uint64 // in all, when that was looked at last
}

// look collects what is garbage and notes the rest, where enough was allocated since it looked last to matter.
func (w *weighing) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.TotalAlloc-w.allocated < megabyte {
		return
	}
	runtime.GC()
	runtime.ReadMemStats(&m)
	w.live, w.allocated = max(w.live, m.HeapAlloc), m.TotalAlloc
}

// begin is how much is live before a request.
func (w *weighing) begin() uint64 {
	runtime.GC()
	w.mu.Lock()
	defer w.mu.Unlock()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.live, w.allocated = m.HeapAlloc, m.TotalAlloc
	return m.HeapAlloc
}

// The largest records: of each kind so many that together they are more than a page holds.
const (
	largestProducts  = 6  // of 2 MiB each
	largestVariants  = 40 // come in one request
	largestCustomers = 70 // with a note of 64 KiB
	largestOrders    = 25 // of 90 lines
	largestCodes     = 39 // of 64 KiB
	activeCodes      = 15 // of them: one more, and the shop's others, would be over a shop's 1 MiB
)

// widest is a text of so many characters that takes most in JSON, and is an attribute's where it stands in HTML.
func widest(n int) string { return strings.Repeat(`"漢`, n/2) }

// fillUp makes the largest records there can be.
func (w *world) fillUp() {
	w.T.Helper()
	prices, parameters := make([]any, 50), make([]any, 50)
	for i := range prices {
		prices[i] = object{"level": fmt.Sprint("l", i), "price": "199.00"}
		parameters[i] = object{"name": fmt.Sprint("n", i), "value": widest(104)}
	}
	prices[0] = object{"level": "default", "price": "1.00"}
	images := make([]any, 20)
	for i := range images {
		images[i] = object{"url": "https://cdn.example.com/" + strings.Repeat("a", 1900), "alt": widest(250)}
	}
	ids := make([]string, largestProducts)
	var variants []string
	for p := range ids {
		product := with(w.sample("POST /api-engine/products"), "variants", []any{})
		maps.Copy(product, object{"code": fmt.Sprint("W-", p), "externalId": fmt.Sprint("W-", p),
			"name": widest(250), "shortDescription": strings.Repeat("x", 64<<10), "images": images,
			"description": strings.Repeat("x", 64<<10), "priceLevels": prices})
		ids[p] = w.As(w.token, "POST", "/api-engine/products", product).Is(201).ID()
		for part := range 3 {
			items := make([]any, largestVariants)
			for i := range items {
				items[i] = object{"code": fmt.Sprintf("W-%d-%d-%d", p, part, i), "name": widest(250),
					"parameters": parameters, "priceLevels": prices,
					"stock": object{"quantity": 999_999_999_999, "availability": widest(250)}}
			}
			added := w.As(w.token, "POST", "/api-engine/products/"+ids[p]+"/variants", object{"items": items}).Is(201)
			for _, v := range added.Body["items"].([]any) {
				if p == 0 {
					variants = append(variants, v.(object)["id"].(string))
				}
			}
		}
	}
	for i := range largestCustomers {
		customer := with(w.sample("POST /api-engine/customers"), "email", fmt.Sprintf("w%d@example.cz", i))
		customer["externalId"], customer["note"] = fmt.Sprint("w", i), strings.Repeat("x", 64<<10)
		w.As(w.token, "POST", "/api-engine/customers", customer).Is(201)
	}
	lines := make([]any, 90)
	for i := range lines {
		lines[i] = object{"productId": ids[0], "variantId": variants[i], "quantity": 1, "note": widest(250)}
	}
	for range largestOrders {
		order := with(w.sample("POST /api-engine/orders"), "items", lines)
		delete(order, "discountCoupons")
		w.As(w.token, "POST", "/api-engine/orders", order).Is(201)
	}
	for i := range largestCodes {
		code := with(w.sample("POST /api-engine/custom-codes"), "code", strings.Repeat("<", 64<<10))
		code["active"] = i < activeCodes
		w.As(w.token, "POST", "/api-engine/custom-codes", code).Is(201)
	}
	w.made["POST /api-engine/products"] = w.as("GET", "/api-engine/products/"+ids[0]).Is(200)
	w.made["POST /api-engine/products/{id}/variants"] = w.as("GET", "/api-engine/products/"+ids[0]+"/variants/"+
		variants[0]).Is(200)
	w.largest = ids
}

// openLargest is a world with the largest records, and the table that weighs.
func openLargest(t *testing.T) (*world, *weighing) {
	table := &weighing{}
	w := openWith(t, func(p *host.Parts) {
		p.Main = storetest.Faulty{Table: p.Main, Around: func(c storetest.Call, do func() error) error {
			if c.Ops == nil {
				table.look()
			}
			return do()
		}}
		p.Watch = remember.For(p.Now, 0)
	})
	w.fillUp()
	return w, table
}

// TestNoOperationAnswersOrHoldsMoreThanItsBound goes over all of THE list with the largest records there can be.
func TestNoOperationAnswersOrHoldsMoreThanItsBound(t *testing.T) {
	w, table := openLargest(t)
	test := "POST /api-engine/webhooks/{id}/test"
	w.made["POST /api-engine/webhook-deliveries"] = w.ask(test, w.sample(test)).Is(202)
	tried := 0
	hold := func(route string, ask func() hosttest.Answer) {
		t.Run(route, func(t *testing.T) {
			w.T = t
			tried++
			before := table.begin()
			a := ask()
			table.look()
			require.Less(t, a.Status, 500, a.Text)
			require.LessOrEqual(t, len(a.Text), mostAnswered, "the answer")
			held := int64(table.live) - int64(before)
			require.LessOrEqual(t, held, int64(mostHeld), "what it holds at once")
			t.Logf("%d bytes answered, %.1f MiB held", len(a.Text), float64(held)/(1<<20))
		})
	}
	for _, in := range w.API.Inputs() {
		method, _, _ := strings.Cut(in.Route, " ")
		if method == http.MethodDelete || in.Multipart || strings.HasPrefix(in.Route, "POST /operator/shops") ||
			strings.HasPrefix(in.Route, "POST /developer/") {
			continue
		}
		hold(in.Route, func() hosttest.Answer {
			w.round++
			w.Clock.Pass(time.Second)
			if method == http.MethodGet {
				return w.get(in.Route)
			}
			return w.ask(in.Route, w.sample(in.Route))
		})
	}
	access := w.path("PATCH /operator/shops/{shopId}/accesses/{accessId}") // it may do less since that was asked
	w.As(hosttest.OperatorToken, "PATCH", access, object{"permissions": toAny(permission.All)}).Is(200)
	for _, policy := range []string{"", "?errorPolicy=rejectAll", "?dryRun=true"} {
		hold("prices of variants "+policy, func() hosttest.Answer {
			var items []any
			for i, id := range w.largest {
				of := w.as("GET", "/api-engine/products/"+id).Is(200).At("variants", 0, "id")
				items = append(items, object{"id": id, "variantId": of,
					"priceLevels": []any{object{"level": "default", "price": strconv.Itoa(i+len(policy)+7) + ".00"}}})
			}
			table.begin()
			a := w.As(w.token, "PATCH", "/api-engine/products/batch/price-levels"+policy,
				object{"items": items}).Is(200)
			require.Equal(t, float64(len(items)), a.At("changed"))
			return a
		})
	}
	for _, page := range []string{w.made["POST /api-engine/products"].Get("url"), "/", "/sitemap.xml",
		w.made["POST /api-engine/categories"].Get("url")} {
		hold("page "+page, func() hosttest.Answer {
			r := w.Request("", "GET", page, nil, "Accept", "text/html")
			r.Host = w.made["POST /operator/shops"].Get("domain")
			return w.Serve(r)
		})
	}
	require.Greater(t, tried, 80)
}

// get asks for a collection's largest page, or for what a path leads to.
func (w *world) get(route string) hosttest.Answer {
	list := w.path(route)
	if !strings.Contains(route, "{") {
		list += "?itemsPerPage=250"
	}
	r := w.Request(w.tokenAt(list), "GET", list, nil)
	if people(route) {
		r.Header.Del("Authorization")
		r.Host = w.made["POST /operator/shops"].Get("domain")
		for _, c := range w.cookies {
			r.AddCookie(c)
		}
	}
	return w.Serve(r)
}

// TestAWalkOverTheLargestRecordsShowsEachOnceAndReadsItOnce: a page reads what it answers and one record more.
func TestAWalkOverTheLargestRecordsShowsEachOnceAndReadsItOnce(t *testing.T) {
	w, _ := openLargest(t)
	lists := map[string]int{"/api-engine/products": largestProducts, "/api-engine/customers": largestCustomers,
		"/api-engine/orders": largestOrders, "/api-engine/custom-codes": largestCodes}
	for path, least := range lists {
		seen, read, answered := map[string]bool{}, 0.0, 0
		for next := path + "?itemsPerPage=250"; next != ""; {
			a := w.as("GET", next).Is(200)
			units, _ := w.Meter().Units()
			read, answered = read+units*4096, answered+len(a.Text)
			require.LessOrEqual(t, len(a.Text), mostAnswered, path)
			for _, id := range a.Each("id") {
				require.False(t, seen[id], path)
				seen[id] = true
			}
			if next = ""; a.Body["nextCursor"] != nil {
				next = path + "?itemsPerPage=250&cursor=" + a.Get("nextCursor")
			}
		}
		require.GreaterOrEqual(t, len(seen), least, path)
		require.Less(t, read, 1.5*float64(answered)+1e6, "%s: what is read of what is answered", path)
	}
}
