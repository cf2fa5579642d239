package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// mostCheckout is how many baskets are filled for checkouts before these are measured.
const mostCheckout = 12_000

// storefront measures what shoppers do: pages, and checkouts of baskets of one line, which are filled before. They come
// at once, so there is no row for one worker.
func (b *bench) storefront() error {
	category, product, line, err := b.stockShop()
	if err != nil {
		return err
	}
	for _, page := range []struct{ name, path string }{
		{"product page with its codes", product}, {"home", "/"}, {"category with 24 products", category},
	} {
		b.measure("storefront: "+page.name, 16, func(int) *http.Request {
			r := b.shopper("GET", page.path, "", nil)
			r.Header.Set("Accept", "text/html")
			return r
		})
	}
	baskets, err := b.baskets(mostCheckout)
	if err != nil {
		return err
	}
	add := func(n int) *http.Request { return b.shopper("POST", "/basket/items", baskets[n%mostCheckout], line) }
	if filled := load(16, time.Hour, mostCheckout, add); filled.Failed > 0 {
		return fmt.Errorf("filling baskets: %d failed, first: %s", filled.Failed, filled.First)
	}
	who := map[string]any{"email": "o@example.com", "firstName": "Jana", "lastName": "Nováková",
		"phone":          "+420 601 123 456",
		"billingAddress": map[string]string{"street": "Dlouhá 12", "city": "Praha", "zip": "110 00", "country": "CZ"}}
	b.measureSome("checkout (on disk)", 16, mostCheckout, func(n int) *http.Request {
		return b.shopper("POST", "/checkout", baskets[n], who)
	})
	return nil
}

// stockShop makes a category with 24 products, and two custom codes. It returns the paths of the category and of the
// last product, and that product as a line of a basket.
func (b *bench) stockShop() (categoryPath, productPath string, line map[string]any, err error) {
	path := func(url string) string { return url[len(b.p.run.Demo.StorefrontURL):] }
	var category struct{ ID, URL string }
	if err := b.make("/api-engine/categories", map[string]any{"name": "Měřené zboží"}, &category); err != nil {
		return "", "", nil, err
	}
	var product struct {
		ID, URL  string
		Variants []struct{ ID string }
	}
	for i := range 24 {
		body := map[string]any{}
		if err := json.Unmarshal([]byte(productBody(1_000_000+i)), &body); err != nil {
			return "", "", nil, err
		}
		body["categoryIds"] = []string{category.ID}
		if err := b.make("/api-engine/products", body, &product); err != nil {
			return "", "", nil, err
		}
	}
	for _, position := range []string{"head", "bodyEnd"} {
		code := map[string]any{"name": "Měření", "position": position,
			"code": "<script>window.measured = true</script>"}
		if err := b.make("/api-engine/custom-codes", code, nil); err != nil {
			return "", "", nil, err
		}
	}
	line = map[string]any{"productId": product.ID, "variantId": product.Variants[0].ID, "quantity": 1}
	return path(category.URL), path(product.URL), line, nil
}

// make makes a record over the API.
func (b *bench) make(path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return decode(b.partner("POST", path, text), into)
}

// shopper is a request of a script in a shopper's page, with its cookies.
func (b *bench) shopper(method, path, cookies string, body any) *http.Request {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	r, err := http.NewRequest(method, b.p.base+path, bytes.NewReader(text))
	if err != nil {
		panic(err) // addresses are the platform's own
	}
	r.Host = "localhost" // the demo shop's: the platform's own host has no storefront
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", cookies)
	return r
}

// baskets are the cookies of n new visitors, each with an empty basket.
func (b *bench) baskets(n int) ([]string, error) {
	all := make([]string, n)
	for i := range all {
		answer, err := client.Do(b.shopper("GET", "/basket", "", nil))
		if err != nil {
			return nil, err
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		for _, c := range answer.Cookies() {
			if c.Name == "basket" {
				all[i] = "basket=" + c.Value
			}
		}
		if all[i] == "" {
			return nil, fmt.Errorf("GET /basket: %d, and no basket", answer.StatusCode)
		}
	}
	return all, nil
}
