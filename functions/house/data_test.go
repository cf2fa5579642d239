package house_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/base/permission"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/addondata"
)

// besides are the collections beside whose records packages keep data.
var besides = []string{"/api-engine/customers", "/api-engine/products", "/api-engine/orders"}

// installs installs another package on the world's shop and returns the address of its access, and its token.
func (w *world) installs(code string) (access, token string) {
	w.T.Helper()
	sample := w.sample("POST /operator/packages")
	sample["code"] = code
	pkg := w.As(hosttest.OperatorToken, "POST", "/operator/packages", sample).Is(201).ID()
	at := "/operator/shops/" + w.made["POST /operator/shops"].ID() + "/accesses"
	a := w.As(hosttest.OperatorToken, "POST", at, object{"packageId": pkg}).Is(201)
	return at + "/" + a.ID(), a.Get("token")
}

// follows has a function do its work, by its name. One that follows changes gets those since the last time.
func (w *world) follows(name string) {
	w.T.Helper()
	for _, f := range functions.List {
		switch {
		case f.Name != name:
		case f.Tick != nil:
			require.NoError(w.T, f.Tick.Handler(w.P)(w.T.Context()))
		default:
			_, err := f.Feed.Handler(w.P)(w.T.Context(), w.Main.NewChanges())
			require.NoError(w.T, err)
		}
	}
}

func TestAnAddOnKeepsDataBesideARecord(t *testing.T) {
	for _, path := range besides {
		t.Run(path, func(t *testing.T) {
			w := open(t)
			at := path + "/" + w.made["POST "+path].ID()
			do := func(method, more string, body any, headers ...string) hosttest.Answer {
				w.Clock.Pass(time.Second)
				return w.As(w.token, method, at+more, body, headers...)
			}
			was := do("GET", "", nil).Is(200)
			none := do("GET", "/data", nil).Is(200)
			require.Equal(t, "{}\n", none.Text)
			w.Main.NewChanges()
			const kept = `{"a":{"b":[null,"<é>",12345678901234567890]},"z":1.0}`
			first := do("PUT", "/data", " { \"z\":1.0,\n\"a\":{\"b\":[null,\"<é>\",12345678901234567890]}} ",
				"If-Match", none.ETag()).Is(200)
			require.Equal(t, kept+"\n", first.Text, "sorted by name, with all digits that were sent")
			require.Equal(t, []string{first.Text, first.ETag()}, []string{do("GET", "/data", nil).Text,
				do("GET", "/data", nil).ETag()})
			do("GET", "/data", nil, "If-None-Match", first.ETag()).Is(304)
			require.Equal(t, first.ETag(), do("PUT", "/data", kept).Is(200).ETag(), "the same again")

			require.Empty(t, w.Main.NewChanges(), "nobody is told")
			is := do("GET", "", nil).Is(200)
			require.Equal(t, []string{was.Text, was.ETag()}, []string{is.Text, is.ETag()})
			do("GET", "", nil, "If-None-Match", was.ETag()).Is(304)
			with := do("GET", "?data=true", nil, "If-None-Match", was.ETag()).Is(200)
			require.Equal(t, strings.TrimSuffix(was.Text, "}\n")+`,"data":`+kept+"}\n", with.Text)
			require.Equal(t, was.ETag(), with.ETag())
			require.Equal(t, was.Text, do("GET", "?data=false", nil).Text)
			for _, query := range []string{"?data=true", "?data=true&externalId=" + text(was, "externalId"),
				"?data=true&number=" + text(was, "number"), "?data=true&itemsPerPage=250"} {
				if strings.HasSuffix(query, "=") {
					continue
				}
				found := w.Next(w.token, "GET", path+query, nil).Is(200)
				require.Contains(t, found.Text, `,"data":`+kept+"}", query)
			}
			require.NotContains(t, w.Next(w.token, "GET", path, nil).Is(200).Text, `"data":`)

			do("PUT", "/data", object{}, "If-Match", none.ETag()).Is(412)
			do("DELETE", "/data", nil, "If-Match", none.ETag()).Is(412)
			second := do("PUT", "/data", object{"n": 2}, "If-Match", first.ETag()).Is(200)
			require.NotEqual(t, first.ETag(), second.ETag())
			do("DELETE", "/data", nil, "If-Match", second.ETag()).Is(204)
			do("DELETE", "/data", nil).Is(204)
			require.Equal(t, none.ETag(), do("GET", "/data", nil).Is(200).ETag())
			do("PUT", "/data", object{"n": 2}).Is(200)
			require.Equal(t, "{}\n", do("PUT", "/data", object{}).Is(200).Text)
			require.Contains(t, do("GET", "?data=true", nil).Text, `,"data":{}}`)
		})
	}
}

// text is a field of a record, "" where it has none.
func text(a hosttest.Answer, field string) string {
	s, _ := a.At(field).(string)
	return s
}

func TestDataOfAnAddOnAreAnObjectOfFourKiB(t *testing.T) {
	w := open(t)
	at := w.path("PUT /api-engine/customers/{id}/data")
	put := func(body string) hosttest.Answer { return w.Next(w.token, "PUT", at, body) }
	long := func(n int) string { return `{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}` }
	put(long(4096)).Is(200)
	put(strings.Repeat(" ", 9000) + long(4096)).Is(200)
	put(long(4097)).Fault("body", "too_big")
	put(long(100_000)).Fault("body", "too_big")
	for _, body := range []string{`[]`, `"a"`, `1`, `null`, `true`, `[{}]`} {
		put(body).Fault("body", "wrong_type")
	}
	for _, body := range []string{``, `{`, `{"a":1,"a":2}`, `{"b":{"a":1,"\u0061":2}}`, `{"a":"\ud800"}`, `{} {}`,
		`{"a":NaN}`, "{\"a\":\"\xff\"}", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)} {
		put(body).Is(400, "malformed_json")
	}
	deep := strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600)
	require.Equal(t, deep+"\n", put(deep).Is(200).Text)
	require.Equal(t, deep+"\n", w.Next(w.token, "GET", at, nil).Text)
	w.Next(w.token, "PUT", at, `{"a":1}`, "Content-Type", "text/plain").Is(415)
	for _, path := range besides {
		for _, id := range []string{"01KAJ0000000000000000000S1", "x", w.made["POST /operator/shops"].ID()} {
			for method, body := range map[string]any{"GET": nil, "PUT": object{"a": 1}, "DELETE": nil} {
				w.Next(w.token, method, path+"/"+id+"/data", body).Is(404)
			}
		}
	}
	w.Next(w.token, "GET", "/api-engine/categories?data=true", nil).Fault("query.data", "unknown_field")
}

func TestDataOfAnAddOnTakeThePermissionsOfTheRecord(t *testing.T) {
	w := open(t)
	access, token := w.installs("narrow")
	for i, path := range besides {
		at := path + "/" + w.made["POST "+path].ID()
		reads := [...]permission.Permission{permission.ReadCustomers, permission.ReadProducts, permission.ReadOrders}[i]
		writes := [...]permission.Permission{permission.WriteCustomers, permission.WriteProducts,
			permission.WriteOrders}[i]
		has := func(p permission.Permission) {
			w.As(hosttest.OperatorToken, "PATCH", access, object{"permissions": []permission.Permission{p}}).Is(200)
		}
		has(writes)
		w.Next(token, "GET", at+"/data", nil).Is(403)
		w.Next(token, "PUT", at+"/data", object{"a": 1}).Is(200)
		has(reads)
		w.Next(token, "GET", at+"/data", nil).Is(200)
		w.Next(token, "PUT", at+"/data", object{"a": 2}).Is(403)
		w.Next(token, "DELETE", at+"/data", nil).Is(403)
	}
}

// TestDataOfAnAddOnGoWithIt has two packages on a shop, of which one is deactivated twice.
func TestDataOfAnAddOnGoWithIt(t *testing.T) {
	w := open(t)
	access, token := w.installs("other")
	at := func(path string) string { return path + "/" + w.made["POST "+path].ID() }
	puts := func(n int) {
		for _, path := range besides {
			w.Next(token, "PUT", at(path)+"/data", object{"other": n}).Is(200)
		}
	}
	kept := func(token string) (all []string) {
		for _, path := range besides {
			all = append(all, strings.TrimSpace(w.Next(token, "GET", at(path)+"/data", nil).Is(200).Text))
		}
		return all
	}
	does := func(what string) { w.As(hosttest.OperatorToken, "POST", access+"/"+what, nil).Is(200) }
	w.Next(w.token, "PUT", at(besides[0])+"/data", object{"mine": 1}).Is(200)
	puts(1)
	others, mine := kept(token), []string{`{"mine":1}`, "{}", "{}"}
	require.Equal(t, []string{`{"other":1}`, `{"other":1}`, `{"other":1}`}, others)
	require.Equal(t, mine, kept(w.token), "none of another package's")
	require.NotContains(t, w.Next(w.token, "GET", at(besides[0])+"?data=true", nil).Text, "other")

	does("deactivate")
	w.Next(token, "GET", at(besides[0])+"/data", nil).Is(403, "package_inactive")
	w.Clock.Pass(7*24*time.Hour - time.Minute)
	w.follows("sweeper")
	does("activate")
	require.Equal(t, others, kept(token), "it is back")
	w.Clock.Pass(time.Hour)
	w.follows("sweeper")
	require.Equal(t, others, kept(token), "and stays")

	does("deactivate")
	w.Clock.Pass(7*24*time.Hour + time.Minute)
	w.follows("sweeper")
	does("activate")
	require.Equal(t, []string{"{}", "{}", "{}"}, kept(token), "it is gone")
	require.Equal(t, mine, kept(w.token))

	puts(2) // a package that is taken from the shop and comes back is activated again
	pkg, u := w.As(hosttest.OperatorToken, "GET", access, nil).Get("packageId"), w.P.Unit()
	u.Shop = w.made["POST /operator/shops"].ID()
	require.NoError(t, w.P.Leaving().Uninstall(t.Context(), u, path.Base(access)))
	w.Clock.Pass(24 * time.Hour)
	again := w.As(hosttest.OperatorToken, "POST", path.Dir(access), object{"packageId": pkg}).Is(201)
	w.Clock.Pass(7 * 24 * time.Hour)
	w.follows("sweeper")
	require.Equal(t, []string{`{"other":2}`, `{"other":2}`, `{"other":2}`}, kept(again.Get("token")))
}

// TestDataOfAnAddOnStayWhileItsShopMayBeRestored: nothing can be activated there meanwhile.
func TestDataOfAnAddOnStayWhileItsShopMayBeRestored(t *testing.T) {
	w := open(t)
	access, token := w.installs("other")
	at := besides[0] + "/" + w.made["POST "+besides[0]].ID() + "/data"
	shop := "/operator/shops/" + w.made["POST /operator/shops"].ID()
	w.Next(token, "PUT", at, object{"other": 1}).Is(200)
	w.As(hosttest.OperatorToken, "DELETE", shop, nil)
	for range 10 {
		w.Clock.Pass(24 * time.Hour)
		w.follows("sweeper")
	}
	w.As(hosttest.OperatorToken, "POST", shop+"/restore", nil).Is(200)
	w.Clock.Pass(24 * time.Hour)
	w.follows("sweeper")
	w.As(hosttest.OperatorToken, "POST", access+"/activate", nil).Is(200)
	require.Equal(t, "{\"other\":1}\n", w.Next(token, "GET", at, nil).Is(200).Text)
}

// TestDataOfAnAddOnGoWithTheRecord counts what is stored.
func TestDataOfAnAddOnGoWithTheRecord(t *testing.T) {
	w := open(t)
	access, token := w.installs("other")
	at := func(path string) string { return path + "/" + w.made["POST "+path].ID() }
	shop, own := w.made["POST /operator/shops"].ID(), w.made["POST /operator/shops/{shopId}/accesses"]
	stored := func() (all [2]int) {
		for i, pkg := range []string{own.Get("packageId"),
			w.As(hosttest.OperatorToken, "GET", access, nil).Get("packageId")} {
			n, err := addondata.Count(t.Context(), w.Main, shop, pkg)
			require.NoError(t, err)
			all[i] = n
		}
		return all
	}
	for _, path := range besides {
		w.Next(token, "PUT", at(path)+"/data", object{"other": 1}).Is(200)
		w.Next(w.token, "PUT", at(path)+"/data", object{"mine": 1}).Is(200)
	}
	require.Equal(t, [2]int{3, 3}, stored())

	product := at("/api-engine/products")
	w.Main.Meanwhile(func() { w.Next(token, "DELETE", product, nil).Is(204) })
	w.As(w.token, "PUT", product+"/data", object{"mine": 2}).Is(404) // it was there when it was read
	for method, body := range map[string]any{"GET": nil, "PUT": object{"a": 1}, "DELETE": nil} {
		w.As(w.token, method, product+"/data", body).Is(404)
	}
	w.follows("indexer")
	require.Equal(t, [2]int{2, 2}, stored())

	w.Next(w.token, "DELETE", at("/api-engine/customers")+"?erase=true", nil).Is(202)
	require.Equal(t, [2]int{}, stored(), "the customer's, and the order's")
	w.Next(token, "PUT", at("/api-engine/orders")+"/data", object{"other": 3}).Is(200)
	require.Equal(t, [2]int{0, 1}, stored())
	w.Next(token, "GET", at("/api-engine/customers")+"/data", nil).Is(404)

	w.As(hosttest.OperatorToken, "DELETE", "/operator/shops/"+shop, nil).Is(202) // and with the shop
	w.Clock.Pass(2 * time.Minute)
	w.follows("sweeper")
	ends := func() int {
		page, err := w.Main.Query(t.Context(), store.Query{PK: addondata.Ending(shop)})
		require.NoError(t, err)
		return len(page.Items)
	}
	require.Equal(t, 2, ends())
	w.Clock.Pass(31 * 24 * time.Hour)
	for range 20 {
		w.follows("sweeper")
		w.Clock.Pass(10 * time.Second)
	}
	require.Zero(t, ends())
}
