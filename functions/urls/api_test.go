package urls

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/products"
	"eshop/shared/store"
)

func TestTheSlugIsMadeByTheRules(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ sent, slug string }{
		{"Příliš žluťoučký kůň", "prilis-zlutoucky-kun"},
		{"Mäso & kôň", "maso-kon"},
		{"Ľubovníkový čaj 2×50g", "lubovnikovy-caj-2-50g"},
		{"ÄÖÜ ß", "aou-ss"},
		{"10 m² (š×v)", "10-m2-s-v"},
		{"--Už__je/tu!--", "uz-je-tu"},
		{"Ďáblík №5", "dablik-no5"},
		{"tak-jak-je", "tak-jak-je"},
		{"/basket/", ""},
		{"API Engine", ""},
		{"docs/errors", "docs-errors"},
		{strings.Repeat("slovo ", 40), "slovo" + strings.Repeat("-slovo", 24)},
		{strings.Repeat("x", 200), strings.Repeat("x", 150)},
	} {
		t.Run(c.sent[:min(len(c.sent), 20)], func(t *testing.T) {
			product := w.product(fmt.Sprint(len(c.sent), c.slug[:min(len(c.slug), 30)]), "Zboží")
			if c.slug == "" {
				w.post(product, c.sent).is(422, "slug_reserved")
				return
			}
			r := w.post(product, c.sent).is(201)
			require.Equal(t, c.slug, r.text("slug"))
			require.Equal(t, "/"+c.slug, r.text("path"))
			require.Equal(t, "custom", r.text("kind"))
			require.Equal(t, true, r.body["active"])
			require.Equal(t, obj{"type": "product", "id": product}, r.body["urlItem"])
			require.Equal(t, c.slug != c.sent, r.body["adjusted"] == true, "adjusted where it differs from what was sent")
			require.Equal(t, path+"/"+r.id(), r.header.Get("Location"))
			require.Equal(t, r.text("created"), r.text("changed"))

			read := w.ask("GET", r.path(), nil).is(200)
			require.Equal(t, r.header.Get("ETag"), read.header.Get("ETag"))
			delete(r.body, "adjusted")
			require.Equal(t, r.body, read.body)
			shown := w.ask("GET", "/api-engine/products/"+product, nil).is(200)
			require.Equal(t, "https://shop.example/"+c.slug, shown.text("url"))
		})
	}
	product := w.product("empty", "Zboží")
	for _, s := range []string{"🎁", "", "  ", "---", "日本"} {
		w.post(product, s).is(422, "slug_empty")
	}
}

func TestBadInputIsRefused(t *testing.T) {
	w := newWorld(t)
	product := w.product("X", "A")
	foreign := w.as("other", "POST", "/api-engine/categories", obj{"name": "C"}).is(201).id()
	for _, c := range []struct {
		body           any
		location, code string
	}{
		{obj{"url": "x"}, "body.urlItem", "required"},
		{obj{"urlItem": obj{"type": "product", "id": product}}, "body.url", "required"},
		{obj{"urlItem": obj{"type": "product"}, "url": "x"}, "body.urlItem.id", "required"},
		{wanted("order", product, "x"), "body.urlItem.type", "bad_format"},
		{wanted("product", "nobody", "x"), "body.urlItem.id", "not_found"},
		{wanted("product", "#../../", "x"), "body.urlItem.id", "not_found"},
		{wanted("category", product, "x"), "body.urlItem.id", "not_found"},
		{wanted("category", foreign, "x"), "body.urlItem.id", "not_found"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": 1}, "body.url", "wrong_type"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": "a\x00b"}, "body.url", "bad_format"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": strings.Repeat("x", 64<<10+1)}, "body.url", "too_long"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": "x", "slug": "x"}, "body.slug", "read_only"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": "x", "active": true}, "body.active", "read_only"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": "x", "what": 1}, "body.what", "unknown_field"},
		{`[]`, "body", "wrong_type"},
	} {
		w.ask("POST", path, c.body).fault(c.location, c.code)
	}
	require.Equal(t, []string{"a system active"}, w.of("product:"+product))
	for query, location := range map[string]string{"urlItem=x": "urlItem", "urlItem=product:": "urlItem", "urlItem=order:" + product: "urlItem",
		"kind=both": "kind", "active=1": "active", "slug=x": "slug", "itemsPerPage=0": "itemsPerPage"} {
		r := w.ask("GET", path+"?"+query, nil).is(422, "invalid")
		require.Contains(t, r.raw, `"query.`+location+`"`)
	}
	require.Empty(t, w.of("product:nobody"))
	w.ask("GET", path+"/nobody", nil).is(404, "not_found")
	w.ask("DELETE", path+"/"+product, nil).is(404, "not_found")
	w.ask("PATCH", path+"/"+product, obj{}).is(405)
}

func TestEachOperationNeedsItsPermission(t *testing.T) {
	w := newWorld(t)
	made := w.post(w.product("X", "A"), "b").is(201)
	for _, c := range []struct{ token, method, path, lacks string }{
		{"shop urls:write", "GET", path, "urls:read"},
		{"shop urls:write", "GET", made.path(), "urls:read"},
		{"shop urls:read", "POST", path, "urls:write"},
		{"shop products:write", "POST", path, "urls:write"},
		{"shop urls:read", "DELETE", made.path(), "urls:write"},
	} {
		r := w.as(c.token, c.method, c.path, nil).is(403, "insufficient_permission")
		require.Equal(t, c.lacks, r.body["permission"])
	}
	w.as("other", "GET", made.path(), nil).is(404)
	w.as("other", "DELETE", made.path(), nil).is(404)
}

func TestTheURLThatWasActiveBecomesInactiveInTheSameWrite(t *testing.T) {
	w := newWorld(t)
	for _, of := range []string{"product", "category"} {
		t.Run(of, func(t *testing.T) {
			item := w.category("Čaje")
			kind, at := events.Categories, "/api-engine/categories/"+item
			if of == "product" {
				item = w.product("X", "Sypaný")
				kind, at = events.Products, "/api-engine/products/"+item
			}
			before := w.ask("GET", at, nil).is(200)
			w.told()
			one := w.ask("POST", path, wanted(of, item, of+" první")).is(201)
			told := w.told()
			require.Len(t, told, 1)
			after := w.ask("GET", at, nil).is(200)
			require.NotEqual(t, before.header.Get("ETag"), after.header.Get("ETag"))
			require.Less(t, before.text("changed"), after.text("changed"))
			require.Equal(t, "https://shop.example/"+of+"-prvni", after.text("url"))
			r := told[0].Records
			require.Equal(t, []any{kind, item, events.Changed, []events.Group{events.InURLs}}, []any{r[0].Kind, r[0].ID, r[0].Did, r[0].Groups})
			require.Equal(t, `"`+r[0].Version+`"`, after.header.Get("ETag"))
			require.Equal(t, []any{events.URLs, events.Changed}, []any{r[1].Kind, r[1].Did})
			require.Equal(t, []any{events.URLs, one.id(), events.Created}, []any{r[2].Kind, r[2].ID, r[2].Did})
			require.Equal(t, `"`+r[2].Version+`"`, one.header.Get("ETag"))

			w.ask("POST", path, wanted(of, item, of+" druhá")).is(201)
			gone := w.ask("GET", one.path(), nil).is(200)
			require.Equal(t, false, gone.body["active"])
			require.NotEqual(t, one.header.Get("ETag"), gone.header.Get("ETag"))
			require.Len(t, w.of(of+":"+item), 3)
		})
	}
}

func TestASlugThatTheItemHasIsMadeActiveAgain(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	other := w.product("Y", "Taken")
	b := w.post(p, "b").is(201)
	w.told()
	same := w.post(p, "B").is(200)
	require.Equal(t, b.id(), same.id())
	require.Equal(t, true, same.body["adjusted"])
	require.Equal(t, b.header.Get("ETag"), same.header.Get("ETag"), "it is active: nothing changes")
	require.Empty(t, w.told())

	two := w.post(p, "taken").is(201)
	require.Equal(t, "taken-2", two.text("slug"))
	require.Equal(t, b.id(), w.post(p, "b").is(200).id())
	again := w.post(p, "taken").is(200)
	require.Equal(t, []any{two.id(), "taken-2", true}, []any{again.id(), again.text("slug"), again.body["active"]}, "its own -2 included")
	system := w.post(p, "a").is(200)
	require.Equal(t, []any{"system", true}, []any{system.text("kind"), system.body["active"]})
	require.Equal(t, []string{"a system active", "b custom", "taken-2 custom"}, w.of("product:"+p))
	require.Equal(t, []string{"taken system active"}, w.of("product:"+other))
	w.rename(p, "Q")
	require.Equal(t, 200, w.post(p, "a").status, "what a rename has left, too")
	require.Equal(t, []string{"a custom active", "b custom", "q system", "taken-2 custom"}, w.of("product:"+p))
}

func TestATakenSlugGetsASuffixUpToAHundred(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	c := w.category("C")
	first := w.ask("POST", path, wanted("category", c, "super")).is(201)
	require.Nil(t, first.body["adjusted"])
	r := w.post(p, "super").is(201)
	require.Equal(t, []any{"super-2", true}, []any{r.text("slug"), r.body["adjusted"]}, "products and categories share their slugs")
	for n := 3; n <= 100; n++ {
		require.Equal(t, fmt.Sprint("super-", n), w.ask("POST", path, wanted("category", w.category(fmt.Sprint("K", n)), "super")).is(201).text("slug"))
	}
	last := w.category("Poslední")
	w.ask("POST", path, wanted("category", last, "Super")).is(409, "slug_taken")
	require.Equal(t, []string{"posledni system active"}, w.of("category:"+last))

	w.ask("DELETE", r.path(), nil).is(204)
	require.Equal(t, "super-2", w.ask("POST", path, wanted("category", last, "Super")).is(201).text("slug"), "a deleted one is free")
	long := strings.Repeat("y", 150)
	w.post(p, long).is(201)
	require.Equal(t, long[:148]+"-2", w.ask("POST", path, wanted("category", last, long)).is(201).text("slug"))
}

func TestTheSlugsOfWhatWasDeletedAreFree(t *testing.T) {
	w := newWorld(t)
	p, q := w.product("X", "A"), w.product("Y", "Q")
	w.post(p, "super").is(201)
	w.ask("DELETE", "/api-engine/products/"+p, nil).is(204)
	require.Empty(t, w.of("product:"+p))
	require.Equal(t, "super", w.post(q, "super").is(201).text("slug"))
	require.Equal(t, "a", w.post(q, "a").is(201).text("slug"))
}

func TestDeletingTheActiveURLMakesTheNewestPostedOneActive(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	one, two := w.post(p, "one").is(201), w.post(p, "two").is(201)
	w.rename(p, "B") // leaves /a, which nobody posted
	three := w.post(p, "three").is(201)
	w.told()
	w.ask("DELETE", one.path(), nil, "If-Match", `"other"`).is(412, "version_conflict")
	require.Empty(t, w.told())

	w.ask("DELETE", three.path(), nil, "If-Match", three.header.Get("ETag")).is(204)
	require.Equal(t, []string{"a custom", "b system", "one custom", "two custom active"}, w.of("product:"+p))
	r := w.told()[0].Records
	require.Equal(t, []any{events.Products, events.Changed, []events.Group{events.InURLs}}, []any{r[0].Kind, r[0].Did, r[0].Groups})
	require.Equal(t, []any{two.id(), events.Changed}, []any{r[1].ID, r[1].Did})
	require.Equal(t, []any{three.id(), events.Deleted}, []any{r[2].ID, r[2].Did})
	w.ask("GET", three.path(), nil).is(404)
	w.ask("DELETE", three.path(), nil).is(404)

	w.ask("DELETE", one.path(), nil).is(204)
	require.Equal(t, []string{"a custom", "b system", "two custom active"}, w.of("product:"+p))
	w.ask("DELETE", two.path(), nil).is(204)
	require.Equal(t, []string{"a custom", "b system active"}, w.of("product:"+p), "in the end the system URL")
	require.Equal(t, "https://shop.example/b", w.ask("GET", "/api-engine/products/"+p, nil).text("url"))
}

func TestASystemURLCannotBeDeleted(t *testing.T) {
	w := newWorld(t)
	w.category("C")
	page := w.ask("GET", path+"?kind=system", nil).is(200)
	system := page.body["items"].([]any)[0].(obj)["id"].(string)
	w.ask("DELETE", path+"/"+system, nil, "If-Match", `"x"`).is(412)
	w.ask("DELETE", path+"/"+system, nil).is(409, "system_url")
	w.ask("GET", path+"/"+system, nil).is(200)
}

func TestARenamedItemsURLsObeyTheSameRules(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	custom := w.post(p, "super").is(201)
	w.rename(p, "B")
	require.Equal(t, []string{"a custom", "b system", "super custom active"}, w.of("product:"+p), "what was active stays so")
	w.rename(p, "A")
	require.Equal(t, []string{"a system", "b custom", "super custom active"}, w.of("product:"+p), "a name that comes back takes its slug back")
	w.ask("DELETE", custom.path(), nil).is(204)
	require.Equal(t, []string{"a system active", "b custom"}, w.of("product:"+p))
	b := w.post(p, "b").is(200)
	w.rename(p, "B")
	require.Equal(t, []string{"a custom", "b system active"}, w.of("product:"+p), "the slug that was active stays so")
	w.ask("GET", b.path(), nil).is(404)
	a := w.post(p, "a").is(200)
	w.ask("DELETE", a.path(), nil).is(204)
	require.Equal(t, []string{"b system active"}, w.of("product:"+p))
	w.rename(p, "A")
	require.Equal(t, []string{"a system active", "b custom"}, w.of("product:"+p))
}

func TestARenameAndAURLAtTheSameMomentLeaveOneActive(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	w.rename(p, "B") // /a is left, inactive
	for _, meanwhile := range []func(){
		func() { w.post(p, "a") },
		func() {
			for _, x := range w.ask("GET", path+"?kind=custom&urlItem=product:"+p, nil).body["items"].([]any) {
				w.ask("DELETE", path+"/"+x.(obj)["id"].(string), nil).is(204)
			}
		},
		func() { w.post(p, "other") },
	} {
		name := map[bool]string{true: "B", false: "A"}[strings.Contains(fmt.Sprint(w.of("product:"+p)), "a system")]
		// The first write loses its slug to what it left; the second is made upon what was read before meanwhile.
		w.table.before = func([]store.Op) { w.table.before = func([]store.Op) { meanwhile() } }
		w.rename(p, name)
		slug := strings.ToLower(name)
		found := w.of("product:" + p)
		require.Contains(t, fmt.Sprint(found), slug+" system")
		require.Equal(t, 1, strings.Count(fmt.Sprint(found), "active"), found)
	}
}

func TestAURLIsReadableAsSoonAsItIsMadeWhereTheIndexIsBehind(t *testing.T) {
	w := newWorld(t)
	w.p.OneProcess = false
	made := w.post(w.product("X", "A"), "b").is(201)
	w.table.blind = 2
	w.ask("GET", made.path(), nil).is(200)
	w.pass(time.Minute)
	w.table.blind = 1
	w.ask("GET", made.path(), nil).is(404, "not_found")
	w.ask("GET", made.path(), nil).is(200)
}

func TestTheCollectionHasTheShopsURLsByTheirChange(t *testing.T) {
	w := newWorld(t)
	var items []string
	for i := range 30 {
		items = append(items, w.product(fmt.Sprint(i), fmt.Sprint("Čaj ", i)))
		w.post(items[i], fmt.Sprint("super ", i)).is(201)
	}
	w.category("Káva")
	walk := func(query string) (slugs []string) {
		for next := query; next != ""; {
			page := w.ask("GET", path+"?"+next, nil).is(200)
			for _, x := range page.body["items"].([]any) {
				slugs = append(slugs, x.(obj)["slug"].(string))
			}
			if next = ""; page.text("nextCursor") != "" {
				require.Contains(t, page.header.Get("Link"), `rel="next"`)
				next = "itemsPerPage=7&cursor=" + page.text("nextCursor")
			}
		}
		return slugs
	}
	require.Len(t, walk("itemsPerPage=7"), 61)
	require.Len(t, walk("itemsPerPage=7&kind=system"), 31)
	custom := walk("itemsPerPage=7&kind=custom&active=true")
	require.Len(t, custom, 30)
	require.Equal(t, "super-0", custom[0])
	require.Len(t, walk("itemsPerPage=7&kind=system&active=false"), 30)
	require.Equal(t, "kava", walk("itemsPerPage=7&order[changed]=desc")[0])
	for i := range 20 {
		w.post(items[0], fmt.Sprint("nula ", i)).is(201)
	}
	own := walk("itemsPerPage=7&urlItem=product:" + items[0])
	require.Len(t, own, 22)
	require.Equal(t, "nula-19", own[21])
	down := walk("itemsPerPage=7&order[changed]=desc&urlItem=product:" + items[0])
	require.Len(t, down, 22)
	require.Equal(t, []string{"nula-19"}, walk("active=true&urlItem=product:"+items[0]))
	since := w.ask("GET", path+"?urlItem=product:"+items[0]+"&order[changed]=desc", nil).body["items"].([]any)[0].(obj)["changed"].(string)
	require.Equal(t, []string{"nula-18", "nula-19"}, walk("urlItem=product:"+items[0]+"&changed[after]="+url.QueryEscape(since)), "both changed in one write")
	page := w.ask("GET", path+"?itemsPerPage=7&urlItem=product:"+items[0], nil).is(200)
	w.ask("GET", path+"?urlItem=product:"+items[1]+"&cursor="+page.text("nextCursor"), nil).is(422, "bad_cursor")
	w.as("other", "GET", path+"?cursor="+page.text("nextCursor"), nil).is(422, "bad_cursor")
	require.Empty(t, w.as("other", "GET", path, nil).is(200).body["items"])
}

func TestURLsThatADeletionLeftBehindAreNotShown(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	made := w.post(p, "b").is(201)
	_, own, err := products.URLsOf(t.Context(), w.table, "shop", products.OfProduct, p)
	require.NoError(t, err)
	w.ask("DELETE", "/api-engine/products/"+p, nil).is(204)
	for _, u := range own {
		w.put(u.Stored("shop"))
	}
	require.Empty(t, w.ask("GET", path, nil).is(200).body["items"])
	w.ask("GET", made.path(), nil).is(404)
	w.ask("DELETE", made.path(), nil).is(404)
}

func TestARepeatedPOSTIsAnsweredAsTheFirst(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	key := []string{"Idempotency-Key", "k1"}
	first := w.ask("POST", path, wanted("product", p, "B"), key...).is(201)
	again := w.ask("POST", path, wanted("product", p, "B"), key...).is(201)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, first.body, again.body)
	require.Equal(t, first.header.Get("ETag"), again.header.Get("ETag"))
	w.post(p, "c").is(201)
	key[1] = "k2"
	revived := w.ask("POST", path, wanted("product", p, "B"), key...).is(200)
	require.Equal(t, first.id(), revived.id())
	w.ask("POST", path, wanted("product", p, "B"), key...).is(200)
	key[1] = "k3"
	w.ask("POST", path, wanted("product", p, "B"), key...).is(200)
	require.Equal(t, "true", w.ask("POST", path, wanted("product", p, "B"), key...).is(200).header.Get("Idempotent-Replayed"))
	w.ask("POST", path, wanted("product", p, "D"), key...).is(422, "idempotency_key_reused")
}

func TestAStoreThatFailsLeavesEverythingAsItWas(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	made := w.post(p, "b").is(201)
	w.table.down = true
	w.post(p, "c").is(503, "unavailable")
	w.ask("DELETE", made.path(), nil).is(503, "unavailable")
	w.table.down = false
	require.Equal(t, []string{"a system", "b custom active"}, w.of("product:"+p))
}

// TestTheBudgetsAreKept counts calls with the counter's. A URL is found by its id through an index: that is one call more
// than a read by key.
func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	for i := range 60 {
		w.post(w.product(fmt.Sprint(i), fmt.Sprint("Čaj ", i)), fmt.Sprint("url ", i)).is(201)
	}
	var made reply
	for _, b := range []struct {
		name  string
		do    func() reply
		calls int
		write float64
	}{
		{"make", func() reply { made = w.post(p, "b"); return made }, 4, 15},
		{"make active again", func() reply { return w.post(p, "a") }, 4, 13},
		{"nothing to do", func() reply { return w.post(p, "a") }, 3, 1},
		{"make with a suffix, the slug being lost, the claims and their owners read", func() reply { return w.post(p, "url 7") }, 9, 23},
		{"read", func() reply { return w.ask("GET", made.path(), nil) }, 3, 1},
		{"a page of 50", func() reply { return w.ask("GET", path, nil) }, 3, 1},
		{"the URLs of one", func() reply { return w.ask("GET", path+"?urlItem=product:"+p, nil) }, 3, 1},
		{"delete", func() reply { return w.ask("DELETE", made.path(), nil) }, 5, 11},
	} {
		t.Run(b.name, func(t *testing.T) {
			r := b.do()
			require.Less(t, r.status, 300, r.raw)
			_, write := w.meter.Units()
			require.Equal(t, b.calls, w.meter.Calls(), "calls")
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}
