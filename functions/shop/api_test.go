package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/limit"
	"eshop/shared/limit/memory"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// world is the shop's API over a file that holds one shop with one access.
type world struct {
	*testing.T
	*api.API
	table  store.Table
	caller api.Caller
	meter  *store.Meter
	shop   access.Shop
	pkg    access.Package
	access access.Access
}

func newWorld(t *testing.T) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	w := &world{T: t, table: db.Table("main"),
		shop: access.Shop{ID: "S", Name: "Zahrada", Domain: "www.zahrada.cz", Locale: "cs_CZ", Currency: "CZK", Owner: access.Owner{Email: "o@zahrada.cz"}, Version: "01KAJ0000000000000000000S1"},
		pkg:  access.Package{ID: "P", Code: "sync", Name: "Sync", Instructions: "secret of the vendor", Permissions: []api.Permission{api.ReadShop, api.ReadOrders}, Version: "01KAJ0000000000000000000P1"},
		access: access.Access{ID: "A", Shop: "S", Package: "P", State: access.Active,
			Permissions: []api.Permission{api.ReadCustomers, api.ReadShop}, Version: "01KAJ0000000000000000000A1"},
		caller: api.Caller{Access: "A", Package: "P", Shop: "S", Active: true, Permissions: []api.Permission{api.ReadShop},
			Limits: limit.Limits{Hourly: 3, Daily: 10}, Version: "2026-11-01"},
	}
	w.save()
	w.API = api.New(api.Config{Table: w.table, Counters: memory.Open(db.Table("counters")), Key: make([]byte, 32), BaseURL: "http://api.test",
		Authenticate: func(context.Context, string) (*api.Caller, error) { return &w.caller, nil },
		Now:          func() time.Time { return now }, Random: rand.NewChaCha8([32]byte{}), Log: slog.New(slog.DiscardHandler)})
	register(&host.Platform{Main: w.table, Environment: "staging",
		Website: func(_, domain string) string { return "https://" + domain }}, w.API)
	return w
}

func (w *world) save() {
	_, err := w.table.Write(w.Context(), events.Nothing, store.Put(w.shop.Item()), store.Put(w.pkg.Item()), store.Put(w.access.Item()))
	require.NoError(w, err)
}

func (w *world) get(path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer token")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	ctx, m := store.WithMeter(r.Context())
	w.meter = m
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r.WithContext(ctx))
	return rec
}

// hourlyRemaining is the header as the contract spells it.
var hourlyRemaining = "X-RateLimit-Hourly-Remaining"

func TestTheStatusIsAfterItsOwnCharge(t *testing.T) {
	w := newWorld(t)
	for left := 2; left >= 0; left-- {
		r := w.get("/api-engine/status")
		require.JSONEq(t, fmt.Sprintf(`{"accessId":"A","permissions":["shop:read"],"limits":{"hourly":3,"daily":10},
			"remaining":{"hourly":%d,"daily":%d},"version":"2026-11-01","environment":"staging"}`, left, left+7), r.Body.String())
		require.Equal(t, []string{strconv.Itoa(left)}, r.Header()[hourlyRemaining])
		require.Equal(t, 1, w.meter.Calls(), "the counter's")
	}
	require.Equal(t, http.StatusTooManyRequests, w.get("/api-engine/status").Code)
}

func TestAnyTokenHasAStatus(t *testing.T) {
	w := newWorld(t)
	w.caller.Permissions, w.caller.Version = nil, ""
	r := w.get("/api-engine/status")
	var s Status
	require.NoError(t, json.Unmarshal(r.Body.Bytes(), &s))
	require.Equal(t, []api.Permission{}, s.Permissions)
	require.Equal(t, api.Version, s.Version)
	require.Equal(t, http.StatusForbidden, w.get("/api-engine/shop").Code)
	require.Equal(t, http.StatusForbidden, w.get("/api-engine/package").Code)
}

func TestTheShopIsShownWithItsAddress(t *testing.T) {
	w := newWorld(t)
	r := w.get("/api-engine/shop")
	require.JSONEq(t, `{"id":"S","name":"Zahrada","domain":"www.zahrada.cz","websiteUrl":"https://www.zahrada.cz","locale":"cs_CZ","currency":"CZK",
		"owner":{"email":"o@zahrada.cz"}}`, r.Body.String())
	require.Equal(t, api.ETag(w.shop.Version), r.Header().Get("ETag"))
	require.Equal(t, 2, w.meter.Calls())
	require.Equal(t, http.StatusNotModified, w.get("/api-engine/shop", "If-None-Match", r.Header().Get("ETag")).Code)
}

func TestThePackageIsShownAsItIsOnTheShop(t *testing.T) {
	w := newWorld(t)
	r := w.get("/api-engine/package")
	require.JSONEq(t, `{"id":"P","code":"sync","name":"Sync","state":"active","permissions":["shop:read"],"locale":"cs_CZ"}`, r.Body.String())
	require.Equal(t, 2, w.meter.Calls())
}

func TestThePackagesTagMovesWithWhatItShowsAndNothingElse(t *testing.T) {
	w := newWorld(t)
	w.caller.Limits = limit.Default
	tag := func() string { w.save(); return w.get("/api-engine/package").Header().Get("ETag") }
	first := tag()
	require.Len(t, first, 28)
	w.shop.Name, w.access.Hourly, w.pkg.Instructions = "Les", 9, "other"
	require.Equal(t, first, tag())
	w.access.Permissions = append(w.access.Permissions, api.ReadOrders)
	second := tag()
	w.shop.Locale = "sk_SK"
	third := tag()
	w.pkg.Name = "New"
	require.Len(t, map[string]bool{first: true, second: true, third: true, tag(): true}, 4)
}

func TestAShopThatIsNotThereIs404(t *testing.T) {
	w := newWorld(t)
	w.caller.Shop = "other"
	require.Equal(t, http.StatusNotFound, w.get("/api-engine/shop").Code)
	require.Equal(t, http.StatusNotFound, w.get("/api-engine/package").Code)
}
