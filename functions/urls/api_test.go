package urls

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/catalog/address"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
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
		{"Basket price list", ""},
		{"Basket price", "basket-price"},
		{"docs/errors", "docs-errors"},
		{strings.Repeat("slovo ", 40), "slovo" + strings.Repeat("-slovo", 24)},
		{strings.Repeat("x", 200), strings.Repeat("x", 150)},
	} {
		t.Run(c.sent[:min(len(c.sent), 20)], func(t *testing.T) {
			product := w.product(fmt.Sprint(len(c.sent), c.slug[:min(len(c.slug), 30)]), "Zboží")
			if c.slug == "" {
				w.post(product, c.sent).Is(422, "slug_reserved")
				return
			}
			r := w.post(product, c.sent).Is(201)
			require.Equal(t, c.slug, r.Get("slug"))
			require.Equal(t, "/"+c.slug, r.Get("path"))
			require.Equal(t, "custom", r.Get("kind"))
			require.Equal(t, true, r.Body["active"])
			require.Equal(t, obj{"type": "product", "id": product}, r.Body["urlItem"])
			require.Equal(t, c.slug != c.sent, r.Body["adjusted"] == true,
				"adjusted where it differs from what was sent")
			shown := w.ask("GET", "/api-engine/products/"+product, nil).Is(200)
			require.Equal(t, "https://shop.example/"+c.slug, shown.Get("url"))
		})
	}
	product := w.product("empty", "Zboží")
	for _, s := range []string{"🎁", "", "  ", "---", "日本"} {
		w.post(product, s).Is(422, "slug_empty")
	}
}

func TestBadInputIsRefused(t *testing.T) {
	w := newWorld(t)
	product := w.product("X", "A")
	foreign := w.As("other", "POST", "/api-engine/categories", obj{"name": "C"}).Is(201).ID()
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
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": strings.Repeat("x", 64<<10+1)},
			"body.url", "too_long"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": "x", "slug": "x"}, "body.slug", "read_only"},
		{obj{"urlItem": obj{"type": "product", "id": product}, "url": "x", "active": true}, "body.active", "read_only"},
		{`[]`, "body", "wrong_type"},
	} {
		w.ask("POST", path, c.body).Fault(c.location, c.code)
	}
	require.Equal(t, []string{"a system active"}, w.of("product:"+product))
	for query, location := range map[string]string{"urlItem=x": "urlItem", "urlItem=product:": "urlItem",
		"urlItem=order:" + product: "urlItem",
		"kind=both":                "kind", "active=1": "active", "slug=x": "slug", "itemsPerPage=0": "itemsPerPage"} {
		r := w.ask("GET", path+"?"+query, nil).Is(422, "invalid")
		require.Contains(t, r.Text, `"query.`+location+`"`)
	}
	require.Empty(t, w.of("product:nobody"))
	w.ask("DELETE", path+"/"+product, nil).Is(404, "not_found")
	w.ask("PATCH", path+"/"+product, obj{}).Is(405)
}

func TestTheURLThatWasActiveBecomesInactiveInTheSameWrite(t *testing.T) {
	w := newWorld(t)
	for _, of := range []string{"product", "category"} {
		t.Run(of, func(t *testing.T) {
			item := w.category("Čaje")
			kind, place := events.Categories, "/api-engine/categories/"+item
			if of == "product" {
				item = w.product("X", "Sypaný")
				kind, place = events.Products, "/api-engine/products/"+item
			}
			before := w.ask("GET", place, nil).Is(200)
			w.Main.NewChanges()
			one := w.ask("POST", path, wanted(of, item, of+" první")).Is(201)
			told := w.Main.NewChanges()
			require.Len(t, told, 1)
			after := w.ask("GET", place, nil).Is(200)
			require.NotEqual(t, before.Header.Get("ETag"), after.Header.Get("ETag"))
			require.Less(t, before.Get("changed"), after.Get("changed"))
			require.Equal(t, "https://shop.example/"+of+"-prvni", after.Get("url"))
			r := told[0].Records
			require.Equal(t, []any{kind, item, events.Changed, []events.Group{events.InURLs}},
				[]any{r[0].Kind, r[0].ID, r[0].Did, r[0].Groups})
			require.Equal(t, `"`+r[0].Version+`"`, after.Header.Get("ETag"))
			require.Equal(t, []any{events.URLs, events.Changed}, []any{r[1].Kind, r[1].Did})
			require.Equal(t, []any{events.URLs, one.ID(), events.Created}, []any{r[2].Kind, r[2].ID, r[2].Did})
			require.Equal(t, `"`+r[2].Version+`"`, one.Header.Get("ETag"))

			w.ask("POST", path, wanted(of, item, of+" druhá")).Is(201)
			gone := w.ask("GET", at(one), nil).Is(200)
			require.Equal(t, false, gone.Body["active"])
			require.NotEqual(t, one.Header.Get("ETag"), gone.Header.Get("ETag"))
			require.Len(t, w.of(of+":"+item), 3)
		})
	}
}

func TestASlugThatTheItemHasIsMadeActiveAgain(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	other := w.product("Y", "Taken")
	b := w.post(p, "b").Is(201)
	w.Main.NewChanges()
	same := w.post(p, "B").Is(200)
	require.Equal(t, b.ID(), same.ID())
	require.Equal(t, true, same.Body["adjusted"])
	require.Equal(t, b.Header.Get("ETag"), same.Header.Get("ETag"), "it is active: nothing changes")
	require.Empty(t, w.Main.NewChanges())

	two := w.post(p, "taken").Is(201)
	require.Equal(t, "taken-2", two.Get("slug"))
	require.Equal(t, b.ID(), w.post(p, "b").Is(200).ID())
	again := w.post(p, "taken").Is(200)
	require.Equal(t, []any{two.ID(), "taken-2", true}, []any{again.ID(), again.Get("slug"), again.Body["active"]},
		"its own -2 included")
	system := w.post(p, "a").Is(200)
	require.Equal(t, []any{"system", true}, []any{system.Get("kind"), system.Body["active"]})
	require.Equal(t, []string{"a system active", "b custom", "taken-2 custom"}, w.of("product:"+p))
	require.Equal(t, []string{"taken system active"}, w.of("product:"+other))
	w.rename(p, "Q")
	require.Equal(t, 200, w.post(p, "a").Status, "what a rename has left, too")
	require.Equal(t, []string{"a custom active", "b custom", "q system", "taken-2 custom"}, w.of("product:"+p))
}

func TestATakenSlugGetsASuffixUpToAHundred(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	c := w.category("C")
	first := w.ask("POST", path, wanted("category", c, "super")).Is(201)
	require.Nil(t, first.Body["adjusted"])
	r := w.post(p, "super").Is(201)
	require.Equal(t, []any{"super-2", true}, []any{r.Get("slug"), r.Body["adjusted"]},
		"products and categories share their slugs")
	for n := 3; n <= 100; n++ {
		require.Equal(t, fmt.Sprint("super-", n),
			w.ask("POST", path, wanted("category", w.category(fmt.Sprint("K", n)), "super")).Is(201).Get("slug"))
	}
	last := w.category("Poslední")
	w.ask("POST", path, wanted("category", last, "Super")).Is(409, "slug_taken")
	require.Equal(t, []string{"posledni system active"}, w.of("category:"+last))

	w.ask("DELETE", at(r), nil).Is(204)
	require.Equal(t, "super-2", w.ask("POST", path, wanted("category", last, "Super")).Is(201).Get("slug"),
		"a deleted one is free")
	long := strings.Repeat("y", 150)
	w.post(p, long).Is(201)
	require.Equal(t, long[:148]+"-2", w.ask("POST", path, wanted("category", last, long)).Is(201).Get("slug"))
}

func TestTheSlugsOfWhatWasDeletedAreFree(t *testing.T) {
	w := newWorld(t)
	p, q := w.product("X", "A"), w.product("Y", "Q")
	w.post(p, "super").Is(201)
	w.ask("DELETE", "/api-engine/products/"+p, nil).Is(204)
	require.Empty(t, w.of("product:"+p))
	require.Equal(t, "super", w.post(q, "super").Is(201).Get("slug"))
	require.Equal(t, "a", w.post(q, "a").Is(201).Get("slug"))
}

func TestDeletingTheActiveURLMakesTheNewestPostedOneActive(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	one, two := w.post(p, "one").Is(201), w.post(p, "two").Is(201)
	w.rename(p, "B") // leaves /a, which nobody posted
	three := w.post(p, "three").Is(201)
	w.Main.NewChanges()
	w.ask("DELETE", at(one), nil, "If-Match", `"other"`).Is(412, "version_conflict")
	require.Empty(t, w.Main.NewChanges())

	w.ask("DELETE", at(three), nil, "If-Match", three.Header.Get("ETag")).Is(204)
	require.Equal(t, []string{"a custom", "b system", "one custom", "two custom active"}, w.of("product:"+p))
	r := w.Main.NewChanges()[0].Records
	require.Equal(t, []any{events.Products, events.Changed, []events.Group{events.InURLs}},
		[]any{r[0].Kind, r[0].Did, r[0].Groups})
	require.Equal(t, []any{two.ID(), events.Changed}, []any{r[1].ID, r[1].Did})
	require.Equal(t, []any{three.ID(), events.Deleted}, []any{r[2].ID, r[2].Did})
	w.ask("GET", at(three), nil).Is(404)
	w.ask("DELETE", at(three), nil).Is(404)

	w.ask("DELETE", at(one), nil).Is(204)
	require.Equal(t, []string{"a custom", "b system", "two custom active"}, w.of("product:"+p))
	w.ask("DELETE", at(two), nil).Is(204)
	require.Equal(t, []string{"a custom", "b system active"}, w.of("product:"+p), "in the end the system URL")
	require.Equal(t, "https://shop.example/b", w.ask("GET", "/api-engine/products/"+p, nil).Get("url"))
}

func TestASystemURLCannotBeDeleted(t *testing.T) {
	w := newWorld(t)
	w.category("C")
	page := w.ask("GET", path+"?kind=system", nil).Is(200)
	system := page.Body["items"].([]any)[0].(obj)["id"].(string)
	w.ask("DELETE", path+"/"+system, nil, "If-Match", `"x"`).Is(412)
	w.ask("DELETE", path+"/"+system, nil).Is(409, "system_url")
	w.ask("GET", path+"/"+system, nil).Is(200)
}

func TestARenamedItemsURLsObeyTheSameRules(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	custom := w.post(p, "super").Is(201)
	w.rename(p, "B")
	require.Equal(t, []string{"a custom", "b system", "super custom active"}, w.of("product:"+p),
		"what was active stays so")
	w.rename(p, "A")
	require.Equal(t, []string{"a system", "b custom", "super custom active"}, w.of("product:"+p),
		"a name that comes back takes its slug back")
	w.ask("DELETE", at(custom), nil).Is(204)
	require.Equal(t, []string{"a system active", "b custom"}, w.of("product:"+p))
	b := w.post(p, "b").Is(200)
	w.rename(p, "B")
	require.Equal(t, []string{"a custom", "b system active"}, w.of("product:"+p), "the slug that was active stays so")
	w.ask("GET", at(b), nil).Is(404)
	a := w.post(p, "a").Is(200)
	w.ask("DELETE", at(a), nil).Is(204)
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
			for _, x := range w.ask("GET", path+"?kind=custom&urlItem=product:"+p, nil).Body["items"].([]any) {
				w.ask("DELETE", path+"/"+x.(obj)["id"].(string), nil).Is(204)
			}
		},
		func() { w.post(p, "other") },
	} {
		name := map[bool]string{true: "B", false: "A"}[strings.Contains(fmt.Sprint(w.of("product:"+p)), "a system")]
		// The first write loses its slug to what it left; the second is made upon what was read before meanwhile.
		w.Main.Meanwhile(func() { w.Main.Meanwhile(meanwhile) })
		w.rename(p, name)
		slug := strings.ToLower(name)
		found := w.of("product:" + p)
		require.Contains(t, fmt.Sprint(found), slug+" system")
		require.Equal(t, 1, strings.Count(fmt.Sprint(found), "active"), found)
	}
}

func TestAURLIsReadableAsSoonAsItIsMadeWhereTheIndexIsBehind(t *testing.T) {
	w := newWorld(t, host.Traits{})
	made := w.post(w.product("X", "A"), "b").Is(201)
	w.index.blind = 2
	w.ask("GET", at(made), nil).Is(200)
	w.Clock.Pass(time.Minute)
	w.index.blind = 1
	w.ask("GET", at(made), nil).Is(404, "not_found")
	w.ask("GET", at(made), nil).Is(200)
}

func TestAnIDThatIsNotOfTheLastSecondsIsLookedForOnce(t *testing.T) {
	w := newWorld(t, host.Traits{})
	now := w.Clock.Now()
	for _, made := range []time.Time{now.Add(4 * time.Second), now.Add(time.Hour),
		time.Date(10889, 1, 1, 0, 0, 0, 0, time.UTC),
		now.Add(-11 * time.Second), time.UnixMilli(0)} {
		for _, method := range []string{"GET", "DELETE"} {
			w.index.asked = 0
			w.ask(method, path+"/"+id.Stamp(made)+"0000000000000000", nil).Is(404, "not_found")
			require.Equal(t, 1, w.index.asked, "%s of %s", method, made)
		}
	}
}

func TestTheCollectionHasTheShopsURLsByTheirChange(t *testing.T) {
	w := newWorld(t)
	var items []string
	for i := range 30 {
		items = append(items, w.product(fmt.Sprint(i), fmt.Sprint("Čaj ", i)))
		w.post(items[i], fmt.Sprint("super ", i)).Is(201)
	}
	w.category("Káva")
	walk := func(query string) (slugs []string) {
		for next := query; next != ""; {
			page := w.ask("GET", path+"?"+next, nil).Is(200)
			for _, x := range page.Body["items"].([]any) {
				slugs = append(slugs, x.(obj)["slug"].(string))
			}
			next = ""
			if cursor, more := page.Body["nextCursor"].(string); more {
				require.Contains(t, page.Header.Get("Link"), `rel="next"`)
				next = "itemsPerPage=7&cursor=" + cursor
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
		w.post(items[0], fmt.Sprint("nula ", i)).Is(201)
	}
	own := walk("itemsPerPage=7&urlItem=product:" + items[0])
	require.Len(t, own, 22)
	require.Equal(t, "nula-19", own[21])
	down := walk("itemsPerPage=7&order[changed]=desc&urlItem=product:" + items[0])
	require.Len(t, down, 22)
	require.Equal(t, []string{"nula-19"}, walk("active=true&urlItem=product:"+items[0]))
	since := w.ask("GET", path+"?urlItem=product:"+items[0]+"&order[changed]=desc",
		nil).Body["items"].([]any)[0].(obj)["changed"].(string)
	require.Equal(t, []string{"nula-18", "nula-19"},
		walk("urlItem=product:"+items[0]+"&changed[after]="+url.QueryEscape(since)), "both changed in one write")
	page := w.ask("GET", path+"?itemsPerPage=7&urlItem=product:"+items[0], nil).Is(200)
	w.ask("GET", path+"?urlItem=product:"+items[1]+"&cursor="+page.Get("nextCursor"), nil).Is(422, "bad_cursor")
	w.As("other", "GET", path+"?cursor="+page.Get("nextCursor"), nil).Is(422, "bad_cursor")
	require.Empty(t, w.As("other", "GET", path, nil).Is(200).Body["items"])
}

func TestURLsThatADeletionLeftBehindAreNotShown(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	made := w.post(p, "b").Is(201)
	_, own, err := address.URLsOf(t.Context(), w.Main, "shop", address.Owner{Kind: address.Product, Item: p})
	require.NoError(t, err)
	w.ask("DELETE", "/api-engine/products/"+p, nil).Is(204)
	for _, u := range own {
		w.Put(w.Main, u.Stored("shop"))
	}
	require.Empty(t, w.ask("GET", path, nil).Is(200).Body["items"])
	w.ask("GET", at(made), nil).Is(404)
	w.ask("DELETE", at(made), nil).Is(404)
}

func TestARepeatedPOSTOfASlugThatWasRevivedIsAnsweredAsTheFirst(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	first := w.post(p, "B").Is(201)
	w.post(p, "c").Is(201)
	for _, replayed := range []string{"", "true"} {
		a := w.ask("POST", path, wanted("product", p, "B"), "Idempotency-Key", "k").Is(200)
		require.Equal(t, []string{first.ID(), replayed}, []string{a.ID(), a.Header.Get("Idempotent-Replayed")})
	}
}

// TestTheBudgetsAreKept counts calls with the counter's. A URL is found by its id through an index: that is one call
// more than a read by key.
func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	p := w.product("X", "A")
	for i := range 60 {
		w.post(w.product(fmt.Sprint(i), fmt.Sprint("Čaj ", i)), fmt.Sprint("url ", i)).Is(201)
	}
	var made hosttest.Answer
	for _, b := range []struct {
		name  string
		do    func() hosttest.Answer
		calls int
		write float64
	}{
		{"make", func() hosttest.Answer { made = w.post(p, "b"); return made }, 5, 15},
		{"make active again", func() hosttest.Answer { return w.post(p, "a") }, 4, 13},
		{"nothing to do", func() hosttest.Answer { return w.post(p, "a") }, 3, 1},
		{"make with a suffix, the claims and their owners read",
			func() hosttest.Answer { return w.post(p, "url 7") }, 7, 15},
		{"read", func() hosttest.Answer { return w.ask("GET", at(made), nil) }, 3, 1},
		{"a page of 50", func() hosttest.Answer { return w.ask("GET", path, nil) }, 3, 1},
		{"the URLs of one", func() hosttest.Answer { return w.ask("GET", path+"?urlItem=product:"+p, nil) }, 3, 1},
		{"delete", func() hosttest.Answer { return w.ask("DELETE", at(made), nil) }, 5, 11},
	} {
		t.Run(b.name, func(t *testing.T) {
			r := b.do()
			require.Less(t, r.Status, 300, r.Text)
			_, write := w.Meter().Units()
			require.Equal(t, b.calls, w.Meter().Calls(), "calls")
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}
