package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// world is the shop's API over a file that holds one shop with one access.
type world struct {
	*hosttest.World
	caller change.Caller
	shop   shop.Shop
	pkg    addon.Package
	access addon.Access
}

const accessID = "01KAJ0000000000000000000A0"

func newWorld(t *testing.T) *world {
	w := &world{
		shop: shop.Shop{Head: record.Head{ID: "S", Version: "01KAJ0000000000000000000S1"},
			Fields: shop.Fields{Name: "Zahrada", Domain: "www.zahrada.cz", Locale: "cs_CZ", Currency: "CZK",
				Owner: shop.Owner{Email: "o@zahrada.cz"}}},
		pkg: addon.Package{Head: record.Head{ID: "P", Version: "01KAJ0000000000000000000P1"},
			PackageFields: addon.PackageFields{Code: "sync", Name: "Sync", Instructions: "secret of the vendor",
				Permissions: []permission.Permission{permission.ReadShop, permission.ReadOrders}}},
		access: addon.Access{Head: record.Head{ID: accessID, Version: "01KAJ0000000000000000000A1"},
			Terms: addon.Terms{Shop: "S", Package: "P", State: addon.Active,
				AccessFields: addon.AccessFields{Permissions: []permission.Permission{permission.ReadCustomers,
					permission.ReadShop}}}},
		caller: change.Caller{Access: accessID, Package: "P", Shop: "S", Active: true,
			Permissions: []permission.Permission{permission.ReadShop},
			Limits:      limit.Limits{Hourly: 3, Daily: 10}, Version: "2026-11-01"},
	}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function},
		Authenticate: func(context.Context, string) (*change.Caller, error) { return &w.caller, nil },
		Platform:     func(p *host.Parts) { p.Environment = "staging" }})
	w.save()
	return w
}

func (w *world) save() { w.Put(w.Main, w.shop.Item(), w.pkg.Item(), w.access.Item()) }

func (w *world) get(path string, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.As("token", "GET", path, nil, headers...)
}

// hourlyRemaining is the header as the contract spells it.
var hourlyRemaining = "X-RateLimit-Hourly-Remaining"

func TestTheStatusIsAfterItsOwnCharge(t *testing.T) {
	w := newWorld(t)
	for left := 2; left >= 0; left-- {
		r := w.get("/api-engine/status")
		require.JSONEq(t, fmt.Sprintf(`{"accessId":"`+accessID+`","permissions":["shop:read"],"limits":{"hourly":3,"daily":10},
			"remaining":{"hourly":%d,"daily":%d},"version":"2026-11-01","environment":"staging"}`, left, left+7), r.Text)
		require.Equal(t, []string{strconv.Itoa(left)}, r.Header[hourlyRemaining])
		require.Equal(t, 1, w.Meter().Calls(), "the counter's")
	}
	require.Equal(t, http.StatusTooManyRequests, w.get("/api-engine/status").Status)
}

func TestAnyTokenHasAStatus(t *testing.T) {
	w := newWorld(t)
	w.caller.Permissions, w.caller.Version = nil, ""
	r := w.get("/api-engine/status")
	var s Status
	require.NoError(t, json.Unmarshal([]byte(r.Text), &s))
	require.Equal(t, field.Permissions{}, s.Permissions)
	require.Equal(t, events.APIVersion, s.Version)
	require.Equal(t, http.StatusForbidden, w.get("/api-engine/shop").Status)
	require.Equal(t, http.StatusForbidden, w.get("/api-engine/package").Status)
}

func TestTheShopIsShownWithItsAddress(t *testing.T) {
	w := newWorld(t)
	r := w.get("/api-engine/shop")
	require.JSONEq(t, `{"id":"S","name":"Zahrada","domain":"www.zahrada.cz","websiteUrl":"https://www.zahrada.cz","locale":"cs_CZ","currency":"CZK",
		"owner":{"email":"o@zahrada.cz"}}`, r.Text)
	require.Equal(t, api.ETag(w.shop.Version), r.Header.Get("ETag"))
	require.Equal(t, 2, w.Meter().Calls())
	require.Equal(t, http.StatusNotModified, w.get("/api-engine/shop", "If-None-Match", r.Header.Get("ETag")).Status)
}

func TestThePackageIsShownAsItIsOnTheShop(t *testing.T) {
	w := newWorld(t)
	r := w.get("/api-engine/package")
	require.JSONEq(t, `{"id":"P","code":"sync","name":"Sync","state":"active","permissions":["shop:read"],"locale":"cs_CZ",
		"setup":"done"}`, r.Text)
	require.Equal(t, 2, w.Meter().Calls())
}

func TestThePackagesTagMovesWithWhatItShowsAndNothingElse(t *testing.T) {
	w := newWorld(t)
	w.caller.Limits = limit.Default
	tag := func() string { w.save(); return w.get("/api-engine/package").Header.Get("ETag") }
	first := tag()
	require.Len(t, first, 28)
	w.shop.Name, w.access.Hourly, w.pkg.Instructions = "Les", 9, "other"
	require.Equal(t, first, tag())
	w.access.Permissions = append(w.access.Permissions, permission.ReadOrders)
	second := tag()
	w.shop.Locale = "sk_SK"
	third := tag()
	w.pkg.Name = "New"
	require.Len(t, map[string]bool{first: true, second: true, third: true, tag(): true}, 4)
}

func TestAShopThatIsNotThereIs404(t *testing.T) {
	w := newWorld(t)
	w.caller.Shop = "other"
	require.Equal(t, http.StatusNotFound, w.get("/api-engine/shop").Status)
	require.Equal(t, http.StatusNotFound, w.get("/api-engine/package").Status)
}

// setUp is the answer to what the add-on says of its set-up.
func (w *world) setUp(body string, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.As("token", "PATCH", "/api-engine/package", body, headers...)
}

func TestAnAddOnSaysHowFarItsSetUpIs(t *testing.T) {
	const page = "https://addon.example/setup"
	w := newWorld(t)
	w.caller.Limits = limit.Default
	for _, x := range []struct{ body, setup, url string }{
		{`{}`, "done", ""},
		{`{"setup":"required","setupUrl":"` + page + `"}`, "required", page},
		{`{"setup":"in_progress"}`, "in_progress", page},
		{`{"setupUrl":null}`, "in_progress", ""},
		{`{"setupUrl":"` + page + `"}`, "in_progress", page},
		{`{"setup":"done"}`, "done", ""},
		{`{"setup":"done","setupUrl":null}`, "done", ""},
	} {
		r := w.setUp(x.body).Is(200)
		url, _ := r.Body["setupUrl"].(string)
		require.Equal(t, []string{x.setup, x.url}, []string{r.Get("setup"), url}, x.body)
		read := w.get("/api-engine/package")
		require.Equal(t, r.Body, read.Body)
		require.Equal(t, r.ETag(), read.ETag())
		again := w.setUp(x.body)
		require.Equal(t, r.ETag(), again.ETag())
	}
}

func TestWhatASetUpMayNotBe(t *testing.T) {
	w := newWorld(t)
	w.caller.Limits = limit.Default
	for body, fault := range map[string][2]string{
		`{"setup":"ready"}`:                                           {"body.setup", "bad_format"},
		`{"setup":null}`:                                              {"body.setup", "required"},
		`{"state":"done"}`:                                            {"body.state", "read_only"},
		`{"setupUrl":"https://addon.example"}`:                        {"body.setupUrl", "conflict"},
		`{"setup":"done","setupUrl":"https://addon.example"}`:         {"body.setupUrl", "conflict"},
		`{"setup":"required","setupUrl":"http://addon.example"}`:      {"body.setupUrl", "bad_format"},
		`{"setup":"required","setupUrl":"javascript:alert(1)"}`:       {"body.setupUrl", "bad_format"},
		`{"setup":"required","setupUrl":"https://a:b@addon.example"}`: {"body.setupUrl", "bad_format"},
		`{"setup":"required","setupUrl":""}`:                          {"body.setupUrl", "bad_format"},
		`{"setup":"required","setupUrl":"https://addon.example/` + strings.Repeat("a", 2000) + `"}`: {"body.setupUrl",
			"too_long"},
	} {
		w.setUp(body).Fault(fault[0], fault[1])
	}
	require.Equal(t, "done", w.get("/api-engine/package").Get("setup"))
	w.caller.Permissions = nil
	w.setUp(`{"setup":"done"}`).Is(403, "insufficient_permission")
	w.caller.Active = false
	w.setUp(`{"setup":"done"}`).Is(403, "package_inactive")
}

func TestASetUpIsForThePackageThatWasRead(t *testing.T) {
	w := newWorld(t)
	w.caller.Limits = limit.Default
	const required = `{"setup":"required"}`
	tag := w.get("/api-engine/package").ETag()
	w.setUp(required, "If-Match", `"`+w.access.Version+`"`).Is(412, "version_conflict")
	w.access.Hourly = 9 // it is not shown
	w.save()
	first := w.setUp(required, "If-Match", tag, "Idempotency-Key", "k").Is(200)
	w.setUp(`{"setup":"done"}`, "If-Match", tag).Is(412, "version_conflict")
	again := w.setUp(required, "If-Match", tag, "Idempotency-Key", "k").Is(200)
	require.Equal(t, first.Text, again.Text)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))

	// Another shop's access is its own.
	other := w.access
	other.ID, other.Shop = "01KAJ0000000000000000000B0", "S2"
	other.Version = "01KAJ0000000000000000000B1"
	w.Put(w.Main, other.Item())
	w.caller.Access = other.ID
	w.setUp(required).Is(404)
	require.Empty(t, w.Main.NewChanges(), "nobody is told")
}
