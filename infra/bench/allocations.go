package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"time"

	"eshop/infra/local"
)

// counted is how many requests allocations are averaged over.
const counted = 500

// allocations measures what one request allocates in the platform. The platform runs in this process, and its handler
// is called without a network, because the counters of Go's runtime are those of one process.
func (b *bench) allocations() error {
	data, err := os.MkdirTemp("", "eshop-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	s, err := local.Start(context.Background(), local.Settings{Addr: "127.0.0.1:0", Data: data,
		Environment: "development", Demo: true,
		Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { _ = s.Stop() }()
	product, customer := newest(s, "products"), newest(s, "customers")
	for _, x := range []struct{ name, method, path, body string }{
		{"read customer", "GET", "/api-engine/customers/" + customer, ""},
		{"read product", "GET", "/api-engine/products/" + product, ""},
		{"list products (22)", "GET", "/api-engine/products", ""},
		{"create customer", "POST", "/api-engine/customers",
			`{"email":"a%d@example.com","firstName":"Jana","lastName":"Nováková"}`},
		{"stock update of one product", "PATCH", "/api-engine/products/" + product, `{"stock":{"quantity":%d}}`},
	} {
		n, size, err := allocated(s.API, s.Run.Demo.Token, x.method, x.path, x.body)
		if err != nil {
			return err
		}
		b.tells("in process: "+x.name, figure(n, "allocations", 0), figure(size, "bytes", 0))
	}
	return nil
}

// allocated is the mean of the counted requests. It includes making the request, and the pipeline behind a change, as
// far as that is done by then.
func allocated(h http.Handler, token, method, path, body string) (n, size float64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range counted {
		b := body
		if b != "" {
			// Each body is another one: a change that changes nothing would write nothing.
			b = fmt.Sprintf(body, i+100)
		}
		r := request(method, path, token, []byte(b))
		w := &nowhere{header: http.Header{}}
		h.ServeHTTP(w, r)
		if w.status >= 300 {
			return 0, 0, fmt.Errorf("%s %s: %d", method, path, w.status)
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / counted, float64(after.TotalAlloc-before.TotalAlloc) / counted, nil
}

// nowhere takes an answer and forgets all but the last text that was written.
type nowhere struct {
	header http.Header
	status int
	last   []byte
}

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(b []byte) (int, error) { n.last = append(n.last[:0], b...); return len(b), nil }
func (n *nowhere) WriteHeader(status int)      { n.status = status }

// newest is the id of the newest record of a collection, asked for in this process.
func newest(s *local.Server, collection string) string {
	w := &nowhere{header: http.Header{}}
	s.API.ServeHTTP(w, request("GET", "/api-engine/"+collection+"?itemsPerPage=1", s.Run.Demo.Token, nil))
	_, rest, _ := bytes.Cut(w.last, []byte(`"id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id)
}
