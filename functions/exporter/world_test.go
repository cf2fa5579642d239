package exporter_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/customers"
	"eshop/functions/exporter"
	door "eshop/functions/exports"
	"eshop/functions/importer"
	importDoor "eshop/functions/imports"
	"eshop/functions/operator"
	"eshop/functions/orders"
	"eshop/functions/products"
	"eshop/functions/sweeper"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/sale"
	shops "eshop/shared/shop"
)

// shop is the one of these tests; its id is the token of an access that has every permission, and the id of that
// access.
const (
	shop    = "01KYFXV0000000000000000SHP"
	pkg     = "01KYFXV0000000000000000PKG"
	version = "01KYFXV0000000000000000001"
	path    = "/api-engine/exports"
)

type object = hosttest.Object

// world is a shop with an exporter and an importer that tests let run.
type world struct {
	*hosttest.World
	files *folder.Bucket
	put   []string // keys that were put, not handled yet
}

func newWorld(t testing.TB) *world {
	w := &world{}
	doors := []host.Function{customers.Function, products.Function, orders.Function, door.Function,
		importDoor.Function, operator.Function}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: doors, Step: time.Millisecond, Authenticate: installed,
		Platform: func(p *host.Parts) {
			var err error
			w.files, err = folder.Open(t.TempDir(), folder.Options{Base: "https://files.example/uploads",
				Downloads: "https://files.example/downloads", Key: []byte("key"), Now: p.Now,
				OnPut: func(key string) { w.put = append(w.put, key) }})
			require.NoError(t, err)
			p.Files, p.Instant = w.files, true
		}})
	w.Put(w.DB.Table("main"), shops.Shop{Head: record.Head{ID: shop, Version: version},
		Fields: shops.Fields{Domain: shop + ".example", Currency: "CZK", Locale: "cs_CZ"}}.Item())
	w.installs(addon.Active, permission.All)
	u := w.P.Unit()
	u.Shop = shop
	states, _ := sale.NewOrderStates(u, shop, "cs_CZ")
	_, err := u.Write(t.Context(), nil, events.Nothing, states...)
	require.NoError(t, err)
	return w
}

// installed is hosttest.AuthenticateByText for accesses of the package.
func installed(ctx context.Context, token string) (*change.Caller, error) {
	c, err := hosttest.AuthenticateByText(ctx, token)
	if err == nil {
		c.Package = pkg
	}
	return c, err
}

// installs makes the shop's access what the operator may make of it, and as at once known as there.
func (w *world) installs(state addon.AccessState, may []permission.Permission) {
	w.T.Helper()
	w.Put(w.DB.Table("main"), addon.Package{Head: record.Head{ID: pkg, Version: version},
		PackageFields: addon.PackageFields{Permissions: may}}.Item(),
		addon.Access{Head: record.Head{ID: shop, Version: version},
			Terms: addon.Terms{Shop: shop, Package: pkg, State: state,
				AccessFields: addon.AccessFields{Permissions: may}}}.Item())
	w.P.Accesses.Drop(shop)
}

func (w *world) do(method, path string, body any) hosttest.Answer {
	w.T.Helper()
	return w.As(shop, method, path, body)
}

// asked is an export that waits.
func (w *world) asked(kind, format string) (id string) {
	w.T.Helper()
	a := w.do("POST", path, object{"type": kind, "format": format}).Is(201)
	require.Equal(w.T, "waiting", a.Get("state"))
	return a.ID()
}

// work lets the machines do all that was put.
func (w *world) work() {
	w.T.Helper()
	for len(w.put) > 0 {
		keys := w.put
		w.put = nil
		for _, key := range keys {
			for _, f := range []host.Function{exporter.Function, importer.Function} {
				if strings.HasPrefix(key, f.Upload.Prefix) {
					require.NoError(w.T, f.Upload.Handler(w.P)(context.Background(), key))
				}
			}
		}
	}
}

// export is the file of an export, made and fetched.
func (w *world) export(kind, format string) string {
	w.T.Helper()
	id := w.asked(kind, format)
	w.work()
	return w.fetch(w.do("GET", path+"/"+id, nil).Is(200).Get("downloadUrl"))
}

// fetch is the file that an address leads to.
func (w *world) fetch(address string) string {
	w.T.Helper()
	to := w.follow(address).Is(302).Header.Get("Location")
	u, err := url.Parse(to)
	require.NoError(w.T, err)
	served := httptest.NewRecorder()
	w.files.Serve(served, httptest.NewRequest(http.MethodGet, to, nil), strings.TrimPrefix(u.Path, "/downloads/"))
	require.Equal(w.T, 200, served.Code)
	b, err := io.ReadAll(served.Body)
	require.NoError(w.T, err)
	return string(b)
}

// follow is the answer to whoever has nothing but the address.
func (w *world) follow(address string) hosttest.Answer {
	w.T.Helper()
	u, err := url.Parse(address)
	require.NoError(w.T, err)
	return w.Serve(httptest.NewRequest(http.MethodGet, u.RequestURI(), nil))
}

// imported is what became of an import of a file, in a line.
func (w *world) imported(kind, format, file string) string {
	w.T.Helper()
	a := w.do("POST", "/api-engine/imports", object{"type": kind, "format": format, "mode": "upsert"}).Is(201)
	u, err := url.Parse(a.Get("uploadUrl"))
	require.NoError(w.T, err)
	require.NoError(w.T, w.files.Receive(w.T.Context(), strings.TrimPrefix(u.Path, "/uploads/"), u.Query(),
		strings.NewReader(file)))
	w.work()
	got := w.do("GET", "/api-engine/imports/"+a.ID(), nil).Is(200)
	text, err := json.Marshal([]any{got.Body["state"], got.Body["rows"]})
	require.NoError(w.T, err)
	return string(text)
}

// sweep is a run of the sweeper's.
func (w *world) sweep() {
	w.T.Helper()
	require.NoError(w.T, sweeper.Function.Tick.Handler(w.P)(context.Background()))
}

// goods makes two customers, two products and an order, some of whose texts are hard to quote.
func (w *world) goods() {
	w.T.Helper()
	jana := w.do("POST", "/api-engine/customers", object{"email": "jana@example.com", "firstName": "Jana",
		"lastName": "Nová", "phone": "+420 601 123 456", "note": "calls \"before\" noon,\nnever later; ok",
		"billingAddress": object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}}).Is(201)
	w.do("POST", "/api-engine/customers", object{"email": "petr@example.com", "firstName": "=1+1",
		"lastName": "-Petr", "priceLevel": "wholesale"}).Is(201)
	tea := w.do("POST", "/api-engine/products", object{"code": "TEA", "name": "Earl Grey", "vatRate": "21.00",
		"stock": object{"quantity": 5},
		"priceLevels": []object{{"level": "default", "price": "1290.50"},
			{"level": "v.i.p", "price": "1000.00"}}}).Is(201)
	w.do("POST", "/api-engine/products", object{"code": "POT", "name": "Pot", "active": false,
		"hasUnits": true, "units": []object{{"unit": "box", "quantity": 6}},
		"priceLevels": []object{{"level": "default", "price": "10.00"}},
		"variants": []object{{"code": "POT-S", "name": "S", "stock": object{"quantity": 2},
			"priceLevels": []object{{"level": "default", "price": "9.00"}}}}}).Is(201)
	w.do("POST", "/api-engine/orders", object{"email": "jana@example.com", "customerId": jana.ID(),
		"items": []object{{"productId": tea.ID(), "quantity": 1}, {"productId": tea.ID(), "quantity": 2}}}).Is(201)
}
