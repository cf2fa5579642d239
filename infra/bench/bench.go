package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// bench is one run: a fresh data folder, filled, measured, thrown away.
type bench struct {
	eshop               string        // the program
	products, customers int           // that the shop is filled with; products of two variants each
	waiting             int           // deliveries that wait and are then drained
	importing           int           // rows of an import
	span                time.Duration // how long each row is measured
	tell                func(line)

	p           *platform
	productIDs  []string
	customerIDs []string
	variantIDs  map[string]string // a product's first
	feed        []string          // the full pages of the change feed
}

// workers are the two loads that rows are measured with.
var workers = []int{1, 16}

// run starts a platform in a data folder of its own, fills it, measures row by row, and ends it.
func (b *bench) run() error {
	data, err := os.MkdirTemp("", "eshop-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	if b.p, err = start(b.eshop, data); err != nil {
		return err
	}
	defer func() { _ = b.p.stop() }()
	if err := b.raise(); err != nil {
		return err
	}
	began := time.Now()
	if err := b.fill(); err != nil {
		return err
	}
	b.tells("made over the API", figure(float64(b.products), "products of two variants", 0),
		figure(float64(b.customers), "customers", 0), figure(time.Since(began).Seconds(), "s", 1))
	if err := b.limits(); err != nil {
		return err
	}
	for _, row := range b.rows() {
		for _, c := range workers {
			b.measure(row.name, c, row.next)
		}
	}
	if err := b.storefront(); err != nil {
		return err
	}
	b.dearest()
	if err := b.webhooks(); err != nil {
		return err
	}
	pss, anon := b.p.top()
	b.tells("memory under load, the most seen", memoryOf(pss, anon)...)
	if err := b.restart(data); err != nil {
		return err
	}
	return b.imports()
}

// raise takes out of the way what would bend the measurements: the limits of the demo access and of visitors, and the
// demo's own receiver, which would be sent every change.
func (b *bench) raise() error {
	run := b.p.run
	operator := func(method, path string, body string) error {
		return send(request(method, b.p.base+path, run.OperatorToken, []byte(body)))
	}
	// all the shoppers that are measured come from one address
	if err := operator("PATCH", "/operator/shops/"+run.Demo.ShopID,
		`{"visitorLimits":{"basketsPerMinute":0,"checkoutsPerMinute":0,"checkoutsPerBasket":0}}`); err != nil {
		return err
	}
	if err := operator("PATCH", "/operator/shops/"+run.Demo.ShopID+"/accesses/"+run.Demo.AccessID,
		`{"hourlyLimit":3600000,"dailyLimit":86400000}`); err != nil {
		return err
	}
	return b.silence()
}

// silence takes the demo receiver away. It is registered by an access of its own, whose token lies in the data folder.
func (b *bench) silence() error {
	token, err := os.ReadFile(filepath.Join(b.p.data, "demo-receiver.token"))
	if err != nil {
		return err
	}
	own, all := strings.TrimSpace(string(token)), b.p.base+"/api-engine/webhooks"
	var list struct{ Items []struct{ ID string } }
	if err := decode(request("GET", all, own, nil), &list); err != nil {
		return err
	}
	for _, w := range list.Items {
		if err := send(request("DELETE", all+"/"+w.ID, own, nil)); err != nil {
			return err
		}
	}
	return nil
}

// partner is a request with the demo's token.
func (b *bench) partner(method, path string, body []byte) *http.Request {
	return request(method, b.p.base+path, b.p.run.Demo.Token, body)
}

// get reads an answer.
func (b *bench) get(path string, into any) error {
	return decode(b.partner("GET", path, nil), into)
}

// fill makes products and customers through the API, as a partner would, and notes their ids.
func (b *bench) fill() error {
	b.variantIDs = make(map[string]string, b.products)
	b.productIDs, b.customerIDs = make([]string, b.products), make([]string, b.customers)
	make := func(n int, path string, body func(int) string, ids []string) error {
		r := load(16, time.Hour, n, func(i int) *http.Request { return b.partner("POST", path, []byte(body(i))) })
		if r.Failed > 0 {
			return fmt.Errorf("filling: %d of %d failed, first: %s", r.Failed, n, r.First)
		}
		return b.ids(path, ids)
	}
	if err := make(b.products, "/api-engine/products", productBody, b.productIDs); err != nil {
		return err
	}
	if err := make(b.customers, "/api-engine/customers", func(i int) string { return customerBody("seed", i) },
		b.customerIDs); err != nil {
		return err
	}
	return b.follow()
}

// feedPage is how many changes a page of the change feed is asked for.
const feedPage = 250

// follow walks the change feed once and notes where its full pages begin: only full pages are measured, so that each
// request does the same work.
func (b *bench) follow() error {
	start := fmt.Sprintf("/api-engine/changes?itemsPerPage=%d", feedPage)
	for next := start; ; {
		var page struct {
			Items      []json.RawMessage
			NextCursor string
		}
		if err := b.get(next, &page); err != nil {
			return err
		}
		switch {
		case len(page.Items) == feedPage:
			b.feed = append(b.feed, next)
		case len(b.feed) == 0:
			return fmt.Errorf("the change feed has a page of %d changes only", len(page.Items))
		default:
			return nil
		}
		next = start + "&cursor=" + page.NextCursor
	}
}

// ids reads the newest ids of a collection.
func (b *bench) ids(path string, ids []string) error {
	next := path + "?itemsPerPage=250&order%5Bchanged%5D=desc"
	for n := 0; n < len(ids); {
		var page struct {
			Items []struct {
				ID       string
				Variants []struct{ ID string }
			}
			NextCursor string
		}
		if err := b.get(next, &page); err != nil {
			return err
		}
		for _, x := range page.Items {
			if n < len(ids) {
				ids[n] = x.ID
				if len(x.Variants) > 0 {
					b.variantIDs[x.ID] = x.Variants[0].ID
				}
				n++
			}
		}
		if page.NextCursor == "" && n < len(ids) {
			return fmt.Errorf("%s: %d records, not %d", path, n, len(ids))
		}
		next = path + "?itemsPerPage=250&cursor=" + page.NextCursor
	}
	return nil
}

// productBody is a product of usual size: two variants, a text, two prices.
func productBody(i int) string {
	return fmt.Sprintf(`{"code":"B-%d","name":"Zkušební výrobek číslo %d",`+
		`"shortDescription":"Výrobek pro měření, s popisem obvyklé délky.","vatRate":"21.00",`+
		`"stock":{"quantity":10},"priceLevels":[{"level":"default","price":"199.00"}],`+
		`"variants":[{"code":"B-%d-1","name":"malý","stock":{"quantity":100000}},`+
		`{"code":"B-%d-2","name":"velký","stock":{"quantity":100000},`+
		`"priceLevels":[{"level":"default","price":"249.00"}]}]}`, i, i, i, i)
}

// customerBody is a customer of usual size.
func customerBody(kind string, i int) string {
	return fmt.Sprintf(`{"email":"%s%d@example.com","firstName":"Jana","lastName":"Nováková",`+
		`"phone":"+420 601 123 456",`+
		`"billingAddress":{"street":"Dlouhá 12","city":"Praha","zip":"110 00","country":"CZ"}}`, kind, i)
}

// row is a line of the report: a name, and the requests that are measured.
type row struct {
	name string
	next call
}

// rows are the requests that are measured with one worker and with sixteen. 7919 is a prime: a stride of it goes round
// all records evenly, unless their number is a multiple of it.
func (b *bench) rows() []row {
	product := func(n int) string { return b.productIDs[n*7919%len(b.productIDs)] }
	made := 0
	return []row{
		{"read customer", func(n int) *http.Request {
			return b.partner("GET", "/api-engine/customers/"+b.customerIDs[n*7919%len(b.customerIDs)], nil)
		}},
		{"read product with variants", func(n int) *http.Request {
			return b.partner("GET", "/api-engine/products/"+product(n), nil)
		}},
		{"list 50 products with variants", func(int) *http.Request {
			return b.partner("GET", "/api-engine/products?itemsPerPage=50", nil)
		}},
		{"create customer (on disk)", func(n int) *http.Request {
			// Each load counts from 0. The number of the load keeps its addresses apart from those of the one before.
			if n == 0 {
				made++
			}
			return b.partner("POST", "/api-engine/customers", []byte(customerBody(fmt.Sprintf("new%d-", made), n)))
		}},
		{"stock update of one product", func(n int) *http.Request {
			return b.partner("PATCH", "/api-engine/products/"+product(n),
				fmt.Appendf(nil, `{"stock":{"quantity":%d}}`, n+11))
		}},
		{"create order of one line (on disk)", func(n int) *http.Request {
			p := n * 7919 % len(b.productIDs)
			return b.partner("POST", "/api-engine/orders", fmt.Appendf(nil,
				`{"email":"o@example.com","items":[{"productId":%q,"variantId":%q,"quantity":1}]}`, b.productIDs[p],
				b.variantIDs[b.productIDs[p]]))
		}},
		{"list 50 orders changed[after]", func(int) *http.Request {
			return b.partner("GET", "/api-engine/orders?itemsPerPage=50&changed%5Bafter%5D=2026-01-01", nil)
		}},
		{fmt.Sprintf("change feed: pages of %d changes", feedPage), func(n int) *http.Request {
			return b.partner("GET", b.feed[n*7919%len(b.feed)], nil)
		}},
	}
}

// measure runs one load and tells of it as a row, with the processor time that the platform took meanwhile.
func (b *bench) measure(name string, c int, next call) { b.measureSome(name, c, 0, next) }

// measureSome is measure of so many calls at most; 0: of as many as may be.
func (b *bench) measureSome(name string, c, limit int, next call) {
	cpu := b.p.cpu()
	r := load(c, b.span, limit, next)
	b.print(name, c, r, b.p.cpu()-cpu)
}

// ms is a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// limits prints what this machine lets any Go program do: an HTTP server that answers 17 bytes, with the same load as
// the rows.
func (b *bench) limits() error {
	cmd, base, err := child("hello")
	if err != nil {
		return err
	}
	defer kill(cmd)
	for _, c := range workers {
		r := load(c, b.span, 0, func(int) *http.Request { return request("GET", base, "", nil) })
		b.print("limit: plain net/http answer", c, r, 0)
	}
	return nil
}

// restart measures a start on the filled folder: from the beginning of the process to its first 200. Afterwards b.p is
// the new process.
func (b *bench) restart(data string) error {
	if err := b.p.stop(); err != nil {
		return err
	}
	platform, err := start(b.eshop, data)
	if err != nil {
		return err
	}
	b.p = platform
	info, err := os.Stat(data + "/eshop.db")
	if err != nil {
		return err
	}
	b.tells("start of the program to the first 200", figure(ms(platform.firstResponse), "ms", 0),
		figure(float64(info.Size()>>20), "MiB of data", 0))
	return nil
}
