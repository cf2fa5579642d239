package browser

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/shared/base/permission"
	"eshop/shared/frontend/browsertest"
)

// platform is the whole platform with its demo shop, one for all tests, once a test has a browser to look at it.
var platform struct {
	sync.Once
	*local.Server
	data string
	err  error
	late atomic.Int64 // minutes that its clock is ahead
}

func TestMain(m *testing.M) {
	code := browsertest.Main(m)
	if platform.Server != nil {
		if err := platform.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "the platform does not stop:", err)
			code = 1
		}
		os.RemoveAll(platform.data)
	}
	os.Exit(code)
}

// shopper opens a shopper's first tab. What its pages' scripts leave uncaught, or write as an error, fails the test.
func shopper(t *testing.T) *browsertest.Tab {
	t.Helper()
	return tabOf(t, browsertest.NewShopper(t))
}

func tabOf(t *testing.T, s *browsertest.Shopper) *browsertest.Tab {
	t.Helper()
	tab := s.Tab()
	t.Cleanup(func() { require.Empty(t, tab.Faults()) })
	return tab
}

// started is the platform's address. It comes after the first shopper, for without a browser nothing is to be started.
func started(t *testing.T) string {
	t.Helper()
	platform.Do(func() {
		if platform.data, platform.err = os.MkdirTemp("", "eshop-browser"); platform.err != nil {
			return
		}
		platform.Server, platform.err = local.Start(t.Context(),
			local.Settings{Addr: "127.0.0.1:0", Data: platform.data,
				Environment: "development", Demo: true, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
				Now: func() time.Time { return time.Now().Add(time.Duration(platform.late.Load()) * time.Minute) }})
	})
	require.NoError(t, platform.err)
	return platform.BaseURL
}

// triesAnew lets a minute of the platform's time go by: all tests come from one address, whose tries of passwords are
// counted.
func triesAnew() { platform.late.Add(1) }

type fields = map[string]any

// client calls the API with a token.
type client struct {
	t     *testing.T
	token string
}

func operator(t *testing.T) client {
	t.Helper()
	started(t)
	return client{t, platform.Run.OperatorToken}
}

// do is the answer's JSON; nil where there is none.
func (c client) do(status int, method, path string, body any) fields {
	c.t.Helper()
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(c.t, err)
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, platform.BaseURL+path, sent)
	require.NoError(c.t, err)
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(r)
	require.NoError(c.t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(c.t, err)
	require.Equal(c.t, status, got.StatusCode, "%s %s: %s", method, path, text)
	if len(text) == 0 {
		return nil
	}
	return decoded(c.t, text)
}

func decoded(t *testing.T, text []byte) (answer fields) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, &answer))
	return answer
}

func (c client) get(path string) fields { c.t.Helper(); return c.do(200, "GET", path, nil) }

func (c client) post(path string, body any) fields {
	c.t.Helper()
	return c.do(201, "POST", path, body)
}

// shop is one with an add-on's client that may do everything there.
type shop struct {
	client
	id, url      string
	access, pkg  string
	tea, mug     string // paths of products: one without variants at 119, one with two at 249 and 259
	teaID, mugID string
	gift         string // the path of the product that the configurator is shown by, in the demo shop
}

var shops atomic.Int64

// newShop is a shop of the test's own with two products in a category.
func newShop(t *testing.T, locale, currency string) *shop {
	t.Helper()
	o, n := operator(t), shops.Add(1)
	made := o.post("/operator/shops", fields{"name": fmt.Sprintf("Čajovna %d", n),
		"domain": fmt.Sprintf("shop%d.example.com", n),
		"locale": locale, "currency": currency, "owner": fields{"email": "owner@example.com"}})
	s := &shop{id: made["id"].(string)}
	s.pkg = o.post("/operator/packages", fields{"code": fmt.Sprintf("tester-%d", n), "name": "Tester",
		"instructions": "# Tester", "permissions": permission.All})["id"].(string)
	access := o.post("/operator/shops/"+s.id+"/accesses", fields{"packageId": s.pkg})
	s.access, s.client = "/operator/shops/"+s.id+"/accesses/"+access["id"].(string), client{t, access["token"].(string)}
	s.url = s.get("/api-engine/shop")["websiteUrl"].(string)
	category := s.post("/api-engine/categories", fields{"name": "Čaje"})["id"]
	s.tea, s.teaID = s.sells(fields{"code": "CAJ-1", "name": "Ľubovníkový čaj", "categoryIds": []any{category},
		"shortDescription": "Bylinný čaj z ľubovníku.", "vatRate": "12.00", "stock": fields{"quantity": 40},
		"priceLevels": price("119.00")})
	s.mug, s.mugID = s.sells(fields{"code": "POR-1", "name": "Hrnek se zvonkem", "categoryIds": []any{category},
		"vatRate": "21.00", "priceLevels": price("249.00"), "variants": []fields{
			{"code": "POR-1-1", "name": "modrá", "stock": fields{"quantity": 3}, "priceLevels": price("249.00"),
				"parameters": []fields{{"name": "Barva", "value": "modrá"}}},
			{"code": "POR-1-2", "name": "zelená", "stock": fields{"quantity": 3}, "priceLevels": price("259.00"),
				"parameters": []fields{{"name": "Barva", "value": "zelená"}}}}})
	return s
}

func price(p string) []fields { return []fields{{"level": "default", "price": p}} }

// sells makes a product and is its path and id.
func (s *shop) sells(product fields) (path, id string) {
	s.t.Helper()
	made := s.post("/api-engine/products", product)
	address, err := url.Parse(made["url"].(string))
	require.NoError(s.t, err)
	return address.Path, made["id"].(string)
}

// installs puts a custom code into the shop's pages, and is its id.
func (s *shop) installs(position, code string) string {
	s.t.Helper()
	return s.post("/api-engine/custom-codes",
		fields{"name": position, "position": position, "code": code})["id"].(string)
}

// order is the shop's only one as its merchant reads it.
func (s *shop) order() fields {
	s.t.Helper()
	all := s.get("/api-engine/orders")["items"].([]any)
	require.Len(s.t, all, 1)
	return all[0].(fields)
}

// fill types each field's value, by its name.
func fill(tab *browsertest.Tab, values map[string]string) {
	for name, value := range values {
		tab.Fill(fmt.Sprintf("main [name=%q]", name), value)
	}
}

// jana is what the form of a checkout asks for.
var jana = map[string]string{"email": "jana@example.com", "phone": "+420 601 123 456", "firstName": "Jana",
	"lastName": "Nováková", "billingAddress.street": "Dlouhá 12", "billingAddress.city": "Brno",
	"billingAddress.zip": "602 00"}

const (
	toBasket = `main form[action="/basket/items"] .button`
	toOrder  = `main form[action="/checkout"] button`
	send     = `main form > button`
)

// puts adds one of the product at the path to the basket, by a click.
func (s *shop) puts(tab *browsertest.Tab, path string) {
	tab.Go(s.url + path)
	pieces := browsertest.Eval[int](tab, count)
	tab.Click(toBasket)
	tab.Wait(fmt.Sprintf("%s === %d", count, pieces+1))
}

// count is the number of pieces that the page's head shows.
const count = `Number(document.querySelector("[data-cart-count]").textContent)`

// pictures is where pictures are wanted; "" nowhere.
func pictures() string {
	if to := os.Getenv("SCREENSHOTS"); to != "" {
		return filepath.Clean(to)
	}
	return ""
}
