package products

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// benched runs a request again and again, without a socket.
func benched(b *testing.B, s *shopful, method, path, body string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer all")
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		w := &blackhole{header: http.Header{}}
		s.API.ServeHTTP(w, r)
		if w.status >= 300 {
			b.Fatal(w.status)
		}
	}
}

// blackhole is an answer that nobody reads.
type blackhole struct {
	header http.Header
	status int
	io.Writer
}

func (b *blackhole) Header() http.Header            { return b.header }
func (b *blackhole) WriteHeader(status int)         { b.status = status }
func (b *blackhole) Write(body []byte) (int, error) { return len(body), nil }

func BenchmarkProducts(b *testing.B) {
	s := open(b)
	var id string
	for i := range 100 {
		id = s.made(fmt.Sprint(i), obj{"variants": variants(fmt.Sprint(i), 2), "stock": obj{"quantity": 1}}).ID()
	}
	b.Run("read", func(b *testing.B) { benched(b, s, "GET", path(id), "") })
	b.Run("list of 50", func(b *testing.B) { benched(b, s, "GET", "/api-engine/products", "") })
	b.Run("stock", func(b *testing.B) {
		benched(b, s, "PATCH", batchPath("stock"), `{"items":[{"id":"`+id+`","change":1}]}`)
	})
	b.Run("change", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			benchOne(b, s, fmt.Sprintf(`{"ean":"%d"}`, i), id)
		}
	})
}

func benchOne(b *testing.B, s *shopful, body, id string) {
	r := httptest.NewRequest("PATCH", path(id), strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer all")
	r.Header.Set("Content-Type", "application/json")
	s.API.ServeHTTP(&blackhole{header: http.Header{}}, r)
}
