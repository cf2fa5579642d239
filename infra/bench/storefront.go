package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// shopped is what is bought in the rows of the storefront.
type shopped struct {
	product, variant, page string // the product's path
	category               string // a path of a category with 24 products

	mu     sync.Mutex
	tokens []string // of quotes that were registered and not sold yet
}

// The rows of the storefront write to so many baskets side by side that none is contended. Into one basket go as many
// quotes as a shopper may order made to measure.
const (
	basketsAside = 512    // baskets written to in turn
	quotesEach   = 4      // sold into one basket
	mostSold     = 15_000 // quotes, however long the row lasts
	mostCheckout = 12_000 // baskets that are filled for checkouts before these are measured
)

// storefront measures what shoppers do: pages, baskets, quotes, checkouts. The aims are those for c = 16, so there is
// no row for one worker.
func (b *bench) storefront() error {
	s := &shopped{}
	if err := b.stockShop(s); err != nil {
		return err
	}
	page := func(path string) call {
		return func(int) *http.Request { return b.browser("GET", path, "", nil) }
	}
	for _, row := range []row{
		{"storefront: product page with its codes", page(s.page)},
		{"storefront: home", page("/")},
		{"storefront: category with 24 products", page(s.category)},
	} {
		b.measure(row.name, 16, row.next)
	}
	baskets, err := b.baskets(basketsAside)
	if err != nil {
		return err
	}
	add := func(n int) *http.Request {
		return b.shopper("POST", "/basket/items", baskets[n%basketsAside],
			map[string]any{"productId": s.product, "variantId": s.variant, "quantity": 1})
	}
	b.measure("storefront: add to basket (on disk)", 16, add)
	b.measure("storefront: basket as JSON", 16,
		func(n int) *http.Request { return b.shopper("GET", "/basket", baskets[n%basketsAside], nil) })
	if err := b.sellQuotes(s); err != nil {
		return err
	}
	return b.checkouts(s)
}

// stockShop makes a category with 24 products, and two custom codes.
func (b *bench) stockShop(s *shopped) error {
	var category struct{ ID, URL string }
	if err := b.make("/api-engine/categories", map[string]any{"name": "Měřené zboží"}, &category); err != nil {
		return err
	}
	path := func(url string) string { return url[len(b.p.run.Demo.StorefrontURL):] }
	s.category = path(category.URL)
	for i := range 24 {
		var p struct {
			ID, URL  string
			Variants []struct{ ID string }
		}
		body := map[string]any{}
		if err := json.Unmarshal([]byte(productBody(1_000_000+i)), &body); err != nil {
			return err
		}
		body["categoryIds"] = []string{category.ID}
		if err := b.make("/api-engine/products", body, &p); err != nil {
			return err
		}
		// The last of the 24 is the one that is bought.
		s.product, s.variant, s.page = p.ID, p.Variants[0].ID, path(p.URL)
	}
	stock := map[string]any{"stock": map[string]any{"quantity": 900_000_000}}
	text, _ := json.Marshal(stock)
	if err := send(b.partner("PATCH", "/api-engine/products/"+s.product+"/variants/"+s.variant, text)); err != nil {
		return err
	}
	for _, position := range []string{"head", "bodyEnd"} {
		code := map[string]any{"name": "Měření", "position": position,
			"code": "<script>window.measured = true</script>"}
		if err := b.make("/api-engine/custom-codes", code, nil); err != nil {
			return err
		}
	}
	return nil
}

// make makes a record over the API.
func (b *bench) make(path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return decode(b.partner("POST", path, text), into)
}

// browser is a request of a shopper's browser, with its cookies.
func (b *bench) browser(method, path, cookies string, body []byte) *http.Request {
	r, err := http.NewRequest(method, b.p.base+path, bytes.NewReader(body))
	if err != nil {
		panic(err) // addresses are the platform's own
	}
	r.Host = "localhost" // the demo shop's: the platform's own host has no storefront
	r.Header.Set("Accept", "text/html")
	if cookies != "" {
		r.Header.Set("Cookie", cookies)
	}
	return r
}

// shopper is a request of a script in a shopper's page.
func (b *bench) shopper(method, path, cookies string, body any) *http.Request {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	r := b.browser(method, path, cookies, text)
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// baskets are the cookies of n new visitors, each with an empty basket.
func (b *bench) baskets(n int) ([]string, error) {
	all := make([]string, n)
	for i := range all {
		a, err := client.Do(b.shopper("GET", "/basket", "", nil))
		if err != nil {
			return nil, err
		}
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
		for _, c := range a.Cookies() {
			if c.Name == "basket" {
				all[i] = "basket=" + c.Value
			}
		}
		if all[i] == "" {
			return nil, fmt.Errorf("GET /basket: %d, and no basket", a.StatusCode)
		}
	}
	return all, nil
}

// sellQuotes measures two rows: how many quotes are registered, and how many of these are then sold into baskets. A
// quote can be sold once, so the second row ends with the first one's quotes.
func (b *bench) sellQuotes(s *shopped) error {
	b.measureDo("quote registered (on disk)", 0, 0, func(int) error {
		var q struct {
			Token string `json:"quoteToken"`
		}
		err := b.make("/basket-price-quotes",
			map[string]any{"productId": s.product, "variantId": s.variant, "unitPrice": "123.40",
				"note": "Gravírování: Pro Janu"}, &q)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tokens = append(s.tokens, q.Token)
		return err
	})
	n := min(len(s.tokens), mostSold)
	baskets, err := b.baskets(n/quotesEach + 1)
	if err != nil {
		return err
	}
	b.measureToo("quote sold into a basket (on disk)", 1_500, n, func(i int) error {
		return send(b.shopper("POST", "/basket/items", baskets[i%len(baskets)],
			map[string]any{"productId": s.product, "variantId": s.variant,
				"quantity": 2, "quoteToken": s.tokens[i]}))
	})
	return nil
}

// checkouts measures how many baskets of one line become orders. The baskets are filled before, outside the measured
// time.
func (b *bench) checkouts(s *shopped) error {
	baskets, err := b.baskets(mostCheckout)
	if err != nil {
		return err
	}
	filled := load(16, time.Hour, mostCheckout, func(n int) *http.Request {
		return b.shopper("POST", "/basket/items", baskets[n],
			map[string]any{"productId": s.product, "variantId": s.variant, "quantity": 1})
	})
	if filled.failed > 0 {
		return fmt.Errorf("filling baskets: %d failed, first: %s", filled.failed, filled.first)
	}
	b.measureToo("checkout (on disk)", 1_000, mostCheckout, func(n int) error {
		return send(b.shopper("POST", "/checkout", baskets[n],
			map[string]any{"email": "o@example.com", "firstName": "Jana", "lastName": "Nováková",
				"phone": "+420 601 123 456", "billingAddress": map[string]string{"street": "Dlouhá 12", "city": "Praha",
					"zip": "110 00", "country": "CZ"}}))
	})
	return nil
}

// measureDo is measure, at c = 16, of calls that read their answers; rate 0: as fast as may be; limit 0: no limit.
func (b *bench) measureDo(name string, rate, limit int, do func(n int) error) result {
	cpu := b.p.cpu()
	r := loadDo(16, b.Span, rate, limit, do)
	b.print(name, 16, r, b.p.cpu()-cpu)
	return r
}

// measureToo is two rows of the same calls: as fast as may be, and then at the rate that is aimed at. Each call can be
// made once, so the second row keeps up to half of them back for itself.
func (b *bench) measureToo(name string, rate, limit int, do func(n int) error) {
	left := min(rate*int(b.Span.Seconds()), limit/2)
	if left == 0 {
		b.tell(Line{Name: name, Wrong: "too few to measure"})
		return
	}
	did := b.measureDo(name, 0, limit-left, do).requests
	b.measureDo(fmt.Sprintf("… at %d/s", rate), rate, left, func(n int) error { return do(did + n) })
}
