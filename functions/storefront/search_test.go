package storefront

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/search"
)

// goods are products to search for: four teas of which one is inactive, and a pot.
func (w *world) goods() {
	tick := func() { w.Clock.Pass(time.Second) }
	w.product("EG", "129.00", object{"name": "Sypaný čaj Earl Grey", "ean": "8591234567890",
		"shortDescription": "Černý čaj s bergamotem, z Cejlonu.", "manufacturer": "Ronnefeldt"})
	tick()
	w.product("GP", "89.50", object{"name": "Zelený čaj Gunpowder", "stock": object{"quantity": 0}})
	tick()
	w.product("OO", "300.00", object{"name": "Čaj Oolong", "variants": []any{
		object{"code": "OO-50", "priceLevels": levels("200.00"), "stock": object{"quantity": 5}},
		object{"code": "OO-100"}}})
	w.product("X", "1.00", object{"name": "Čaj, který se neprodává", "active": false})
	w.product("POT", "500.00", object{"name": "Konvice"})
	w.Index()
}

func TestProductsAreFound(t *testing.T) { onBoth(t, productsAreFound) }

func productsAreFound(t *testing.T, w *world) {
	w.goods()
	b := w.visitor()
	found := func(query string) string {
		var names []string
		for _, one := range b.JSON("GET", "/search?"+query, nil).Is(200).Items() {
			names = append(names, fmt.Sprint(one["name"]))
		}
		return strings.Join(names, ", ")
	}
	for query, want := range map[string]string{
		"q=caj":                   "Čaj Oolong, Zelený čaj Gunpowder, Sypaný čaj Earl Grey",
		"q=EARL+sypan":            "Sypaný čaj Earl Grey",
		"q=oo-50":                 "Čaj Oolong",
		"q=85912":                 "Sypaný čaj Earl Grey",
		"q=cerny":                 "", // neither what is said of a product
		"q=ronne":                 "", // nor its maker is a word of it
		"q=konvici":               "Konvice",
		"q=čaje":                  "Čaj Oolong, Zelený čaj Gunpowder, Sypaný čaj Earl Grey",
		"q=aj":                    "",
		"q=caj&sort=price":        "Zelený čaj Gunpowder, Sypaný čaj Earl Grey, Čaj Oolong",
		"q=caj&sort=-price":       "Čaj Oolong, Sypaný čaj Earl Grey, Zelený čaj Gunpowder",
		"q=caj&sort=newest":       "Čaj Oolong, Zelený čaj Gunpowder, Sypaný čaj Earl Grey",
		"q=caj&inStock=true":      "Čaj Oolong, Sypaný čaj Earl Grey",
		"q=caj&min=100&max=129":   "Sypaný čaj Earl Grey",
		"q=caj&min=89,5&max=89.5": "Zelený čaj Gunpowder",
	} {
		require.Equal(t, want, found(query), query)
	}
	one := b.JSON("GET", "/search?q=oolong", nil).Is(200)
	require.Equal(t, "200.00", one.Get("items.0.price"), "the lowest")
	require.True(t, strings.HasSuffix(one.Get("items.0.url"), "/caj-oolong"), one.Text)
	require.Equal(t, true, one.At("items", 0, "inStock"))
	require.Empty(t, w.Visitor(toys).JSON("GET", "/search?q=caj", nil).Is(200).Items(), "of another shop none")
}

func TestASearchThatCannotBeMeantIsRefused(t *testing.T) {
	b := open(t).visitor()
	for query, field := range map[string]string{"q=": "q", "q=a+b+c+d+e+f": "q", "q=a&sort=name": "sort",
		"q=a&min=cheap": "min", "q=a&inStock=maybe": "inStock",
		"q=" + strings.Repeat("a", 101): "q"} {
		code := "bad_format"
		switch {
		case len(query) > 100:
			code = "too_long"
		case field == "inStock":
			code = "wrong_type"
		}
		b.JSON("GET", "/search?"+query, nil).Fault("query."+field, code)
	}
	b.JSON("GET", "/search?q=a&cursor=24", nil).Is(422, "bad_cursor")
}

// TestEndingsAreNoObstacleToShoppers: what is nearest comes first, and a variant's code last.
func TestEndingsAreNoObstacleToShoppers(t *testing.T) {
	w := open(t)
	w.goods()
	w.product("V", "9.00", object{"name": "Zelený čaj v sáčku"})
	w.product("ZV", "9.00", object{"name": "Lžička", "variants": []any{object{"code": "ZELENY-1"}}})
	w.Index()
	b := w.visitor()
	const teas = "Zelený čaj v sáčku, Zelený čaj Gunpowder"
	for asked, want := range map[string]string{"zelený": teas + ", Lžička", "zelených": teas + ", Lžička",
		"zelené čaje": teas, "konvici": "Konvice"} {
		r := b.JSON("GET", "/search?q="+url.QueryEscape(asked), nil).Is(200)
		require.Equal(t, want, strings.Join(r.Each("name"), ", "), asked)
	}
	page := w.shown(b.Page("/search?q="+url.QueryEscape("zelené čaje")), 200).Text
	require.Contains(t, page, "Gunpowder")
	require.Contains(t, page, `value="zelené čaje" required`, "what was asked for stays in the box")
	require.Contains(t, page, `class="sift"`)
	require.NotContains(t, w.shown(b.Page("/search?q=rum"), 200).Text, `class="sift"`, "there is nothing to sort")
	require.Contains(t, w.shown(b.Page("/search?q=caj&min=9000"), 200).Text, `class="sift"`)
}

// TestASearchTakesFewCalls: three of who is signed in, the one for the visitor among them, and one more of a stranger,
// who is counted; less where nothing is found.
func TestASearchTakesFewCalls(t *testing.T) {
	w := open(t, far)
	w.goods()
	visitor, member := w.visitor(), w.visitor()
	member.registered("jana@example.cz", nil)
	for _, c := range []struct {
		q     string
		calls int
	}{
		{"oolong", 3}, {"čaj", 3}, {"čaj&sort=price", 3},
		{"rum", 2}, {"rumy", 2},
		{"rumy levné", 3}, // each of the two words may lead
		{"zelené čaje", 3},
	} {
		for b, counted := range map[*browser]int{visitor: 1, member: 0} {
			b.Page("/")
			w.Meter()
			b.Page("/search?q=" + strings.ReplaceAll(url.QueryEscape(c.q), "%26sort%3D", "&sort="))
			require.Equal(t, c.calls+counted, w.Meter().Calls(), c.q)
		}
	}
}

// TestSearchesOfStrangersHaveABound: those of their address, by a page as by a script, and none of who is signed in.
func TestSearchesOfStrangersHaveABound(t *testing.T) { onBoth(t, searchesHaveABound) }

func searchesHaveABound(t *testing.T, w *world) {
	w.goods()
	member := w.visitor()
	member.registered("jana@example.cz", nil)
	for range 120 {
		w.visitor().JSON("GET", "/search?q=caj", nil).Is(200)
	}
	r := w.visitor().JSON("GET", "/search?q=caj", nil).Is(429, "rate_limited")
	require.NotEmpty(t, r.Header.Get("Retry-After"))
	w.shown(w.visitor().Page("/search?q=caj"), 429)
	w.shown(w.visitor().Page("/search"), 200)
	w.Visitor(toys).JSON("GET", "/search?q=caj", nil).Is(200)
	member.JSON("GET", "/search?q=caj", nil).Is(200)
	w.Clock.Pass(time.Minute)
	w.visitor().JSON("GET", "/search?q=caj", nil).Is(200)
}

// TestALongListIsSortedAndSiftedWhole: 130 books, of which nine cost 60 at most, half of them in a category's child.
func TestALongListIsSortedAndSiftedWhole(t *testing.T) {
	w := open(t)
	w.Clock.Pass(99 * time.Hour) // no other test has products with these ids, whose cards are kept
	shelf := w.category("Books", "")
	room, last := w.category("Novels", shelf), ""
	for i := range 130 {
		in := []string{room, shelf}[i%2]
		last = w.product(fmt.Sprint("B", i), fmt.Sprintf("%d.90", 51+i), object{"name": fmt.Sprint("Kniha č. ", i),
			"categoryIds": []string{in}, "stock": object{"quantity": i % 2}})
	}
	w.Index()
	b := w.visitor()
	for _, at := range []string{"/search?q=kniha&", "/books?"} {
		page := w.shown(b.Page(at+"max=60"), 200).Text
		require.Contains(t, page, "Nalezené produkty: 9", at)
		require.Equal(t, 9, strings.Count(page, "Kniha č."), at)
		page = w.shown(b.Page(at+"sort=price&inStock=true"), 200).Text
		require.Contains(t, page, "Nalezené produkty: 65", at)
		require.Regexp(t, `(?s)Kniha č. 1<.*Kniha č. 3<.*Kniha č. 5<`, page)
		page = w.shown(b.Page(at+"sort=-price"), 200).Text
		require.Regexp(t, `(?s)Kniha č. 129<.*Kniha č. 128<`, page)
		require.Contains(t, w.shown(b.Page(at+"min=9000"), 200).Text, "Nalezené produkty: 0")
	}
	require.Contains(t, w.shown(b.Page("/novels"), 200).Text, "Nalezené produkty: 65")
	const robots = `<meta name="robots" content="noindex">`
	require.NotContains(t, w.shown(b.Page("/books?from=24"), 200).Text, robots)
	require.Contains(t, w.shown(b.Page("/books?sort=price"), 200).Text, robots)
	w.change(last, object{"priceLevels": levels("1.00")})
	w.Index()
	require.Contains(t, w.shown(b.Page("/books?max=2"), 200).Text, "Nalezené produkty: 1", "what is remembered is over")
}

// TestAListThatWasCutSaysSo, and never that there is nothing.
func TestAListThatWasCutSaysSo(t *testing.T) {
	w := open(t)
	var ops []store.Op
	for i := range search.MaxRows + 1 {
		ops = append(ops, store.Put(store.Item{
			Key: store.Key{PK: "S#" + w.shops[tea] + "#WORDS#P#k", SK: fmt.Sprintf("kniha#%026d", i)},
			Doc: []byte(`{"w":["kniha"],"n":1,"p":[{"level":"default","price":"7.00"}]}`)}))
	}
	for some := range slices.Chunk(ops, store.MaxOperations) {
		_, err := w.P.Pipeline.Write(t.Context(), events.Nothing, some...)
		require.NoError(t, err)
	}
	b := w.visitor()
	r := b.JSON("GET", "/search?q=kniha", nil).Is(200)
	require.Equal(t, true, r.Body["cut"])
	require.NotEmpty(t, r.Body["nextCursor"])
	page := w.shown(b.Page("/search?q=kniha&max=1"), 200).Text
	require.Contains(t, page, "Prošli jsme prvních")
	require.NotContains(t, page, "Nic jsme nenašli")
	require.Contains(t, w.shown(b.Page("/search?q=kniha&from=4992"), 200).Text, "Prošli jsme prvních")
	require.NotContains(t, w.shown(b.Page("/search?q=kniha&from=4992"), 200).Text, `rel="next"`)
	require.Nil(t, b.JSON("GET", "/search?q=kni&inStock=true", nil).Is(200).Body["nextCursor"])
}

// TestThePageOfASearchTakesWhatPeopleType: a person is never refused for it.
func TestThePageOfASearchTakesWhatPeopleType(t *testing.T) {
	w := open(t)
	w.goods()
	b := w.visitor()
	for query, shown := range map[string]string{
		"":                               "Napište název produktu",
		"q=caj":                          "Nalezené produkty: 3",
		"q=caj+&min=sto&max=&sort=drahe": "Nalezené produkty: 3",
		"q=caj&from=99":                  "Nalezené produkty: 3",
		"q=caj&from=x&cursor=x":          "Nalezené produkty: 3",
		"q=konvice&inStock=true":         "Nalezené produkty: 1",
		"q=nic":                          "Nic jsme nenašli",
		"q=" + url.QueryEscape("sypany caj earl grey sypany konvice"):             "Nalezené produkty: 1",
		"q=" + url.QueryEscape(hostile):                                           "Nic jsme nenašli",
		"q=" + strings.Repeat("a", 101):                                           "Nic jsme nenašli",
		"q=caj&sort=price&min=" + url.QueryEscape(hostile) + "&utm_source=letter": "Nalezené produkty: 3",
	} {
		page := b.Page("/search?" + query).Shown(200)
		require.Contains(t, page.Text, shown, query)
		require.NotContains(t, page.Text, "<script>alert(1)")
		require.Contains(t, page.Text, `<meta name="robots" content="noindex">`)
	}
	w.category("Kávy", "")
	w.Clock.Pass(time.Minute) // the menu is read anew
	require.Contains(t, b.Page("/search?q=rooibs").Text, `<ul class="rooms"><li><a href="/kavy">`)
	require.Contains(t, b.Page("/").Text, `action="/search" role="search"`, "from every page")
}

func TestThePagesOfASearchLeadOn(t *testing.T) {
	w := open(t)
	for i := range 60 {
		w.product(fmt.Sprint("P", i), "10.00", object{"name": fmt.Sprint("Hrnek ", i)})
	}
	w.Index()
	b, seen := w.visitor(), map[string]bool{}
	const query = "q=hrnek&sort=price"
	cursor, path := "", "/search?"+query
	for pages := 1; ; pages++ {
		r := b.JSON("GET", "/search?"+query+cursor, nil).Is(200)
		for _, id := range r.Each("productId") {
			require.False(t, seen[id])
			seen[id] = true
		}
		page := b.Page(path).Shown(200).Text
		next, more := r.Body["nextCursor"].(string)
		on := regexp.MustCompile(`href="(/search[^"]+)" rel="next"`).FindStringSubmatch(page)
		require.Equal(t, more, len(on) > 0)
		if !more {
			require.Equal(t, 3, pages)
			break
		}
		cursor, path = "&cursor="+next, html.UnescapeString(on[1])
	}
	require.Len(t, seen, 60)
}
