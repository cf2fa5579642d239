package orders

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"eshop/shared/api"
)

// BenchmarkOrders makes orders of one line on disk, sixteen at a time, of many products and of one; and reads lists.
func BenchmarkOrders(b *testing.B) {
	w := newWorld(b)
	w.seed()
	var products []string
	for i := range 200 {
		products = append(products, w.product(fmt.Sprint("P", i), "10.00", 900_000_000).ID())
	}
	var n atomic.Int64
	for _, c := range []struct {
		name         string
		method, path string
		body         func(n int64) string
	}{
		{"create, of 200 products", "POST", path, func(n int64) string { return order(products[n%200]) }},
		{"create, of one product", "POST", path, func(int64) string { return order(products[0]) }},
		{"list of 50", "GET", path + "?changed[after]=2026-11-21", func(int64) string { return "" }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8) // of two processors
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ask(b, w.API, c.method, c.path, c.body(n.Add(1)))
				}
			})
		})
	}
}

func order(product string) string {
	return `{"email":"jana@example.cz","items":[{"productId":"` + product + `","quantity":1}]}`
}

// ask makes a call whose answer only has to be no refusal.
func ask(b *testing.B, a *api.API, method, path, body string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+all)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	out := httptest.NewRecorder()
	if a.ServeHTTP(out, r); out.Code >= http.StatusMultipleChoices {
		b.Error(out.Body)
	}
}
