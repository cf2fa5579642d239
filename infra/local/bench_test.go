package local

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkOperations is the whole chain without a network: allocations and time of each operation on the demo shop.
func BenchmarkOperations(b *testing.B) {
	s, err := Start(context.Background(),
		Settings{Addr: "127.0.0.1:0", Data: b.TempDir(), Environment: "development", Demo: true,
			Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Stop()) })
	require.NoError(b, call(s, s.Run.OperatorToken, "PATCH", "/operator/shops/"+s.Run.Demo.ShopID+
		"/accesses/"+s.Run.Demo.AccessID,
		map[string]int{"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000}, nil))
	var customers, products struct{ Items []struct{ ID string } }
	require.NoError(b, call(s, s.Run.Demo.Token, "GET", "/api-engine/customers", nil, &customers))
	require.NoError(b, call(s, s.Run.Demo.Token, "GET", "/api-engine/products", nil, &products))
	made := 0
	for _, x := range []struct{ name, method, path, body string }{
		{"read customer", "GET", "/api-engine/customers/" + customers.Items[0].ID, ""},
		{"read product", "GET", "/api-engine/products/" + products.Items[1].ID, ""},
		{"list products", "GET", "/api-engine/products?itemsPerPage=50", ""},
		{"create customer", "POST", "/api-engine/customers",
			`{"email":"b%d@example.com","firstName":"Jana","lastName":"Nováková"}`},
		{"change product", "PATCH", "/api-engine/products/" + products.Items[0].ID, `{"stock":{"quantity":%d}}`},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				s.API.ServeHTTP(w, request1(x.method, x.path, x.body, s.Run.Demo.Token, &made))
				if w.Code >= 300 {
					b.Fatal(w.Code, w.Body.String())
				}
			}
		})
	}
}

// BenchmarkStorefront is what a visitor without a cookie is shown of the demo shop, without a network.
func BenchmarkStorefront(b *testing.B) {
	s, err := Start(context.Background(),
		Settings{Addr: "127.0.0.1:0", Data: b.TempDir(), Environment: "development", Demo: true,
			Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Stop()) })
	var products, categories struct{ Items []struct{ URL string } }
	require.NoError(b, call(s, s.Run.Demo.Token, "GET", "/api-engine/products", nil, &products))
	require.NoError(b, call(s, s.Run.Demo.Token, "GET", "/api-engine/categories", nil, &categories))
	for _, position := range []string{"head", "bodyEnd"} {
		require.NoError(b, call(s, s.Run.Demo.Token, "POST", "/api-engine/custom-codes",
			map[string]any{"name": "Měření", "position": position,
				"code": "<script>window.measured = true</script>"}, nil))
	}
	for _, x := range []struct{ name, url string }{
		{"home", s.Run.Demo.StorefrontURL + "/"},
		{"category", categories.Items[0].URL},
		{"product", products.Items[0].URL},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("GET", x.url, nil)
				r.Header.Set("Accept", "text/html")
				w := httptest.NewRecorder()
				s.API.ServeHTTP(w, r)
				if w.Code != 200 {
					b.Fatal(w.Code, w.Body.String())
				}
				b.SetBytes(int64(w.Body.Len()))
			}
		})
	}
}

func request1(method, path, body, token string, made *int) *http.Request {
	if strings.Contains(body, "%d") {
		*made++
		body = fmt.Sprintf(body, *made+time.Now().Nanosecond()%1000*1_000_000)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	return r
}
