package storefront

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
		"q=cerny+cejlon":          "Sypaný čaj Earl Grey",
		"q=ronne":                 "", // the maker is no word of a product
		"q=čaje":                  "",
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

// TestThePageOfASearchTakesWhatPeopleType: a person is never refused for it.
// TestPeopleAreShownWhatIsLikeIt: of what is found with another ending of a word, only where nothing is found else.
func TestPeopleAreShownWhatIsLikeIt(t *testing.T) {
	w := open(t)
	w.goods()
	b := w.visitor()
	const says = "Přesně to jsme nenašli"
	page := w.shown(b.Page("/search?q="+url.QueryEscape("zelené čaje")), 200).Text
	require.Contains(t, page, says)
	require.Contains(t, page, "Gunpowder")
	require.Contains(t, page, `value="zelené čaje" required`, "what was asked for stays in the box")
	page = w.shown(b.Page("/search?q=caj"), 200).Text
	require.NotContains(t, page, says)
	require.Contains(t, page, `class="sift"`)
	page = w.shown(b.Page("/search?q=rum"), 200).Text
	require.NotContains(t, page, says)
	require.NotContains(t, page, `class="sift"`, "there is nothing to sort")
	require.Contains(t, w.shown(b.Page("/search?q=caj&min=9000"), 200).Text, `class="sift"`)
}

// TestASearchTakesFewCalls: three where something is found, the one for the visitor among them. A page that finds
// nothing asks once more, for words without their endings.
func TestASearchTakesFewCalls(t *testing.T) {
	w := open(t, far)
	w.goods()
	visitor, member := w.visitor(), w.visitor()
	member.registered("jana@example.cz", nil)
	for _, c := range []struct {
		q     string
		calls int
	}{
		{"oolong", 3}, {"čaj", 3},
		{"rum", 2},         // it has no ending
		{"rumy", 3},        // by its stem nothing is found, either
		{"rumy levné", 5},  // each of the two words may lead
		{"zelené čaje", 5}, // what is like it
	} {
		for _, b := range []*browser{visitor, member} {
			b.Page("/")
			w.Meter()
			b.Page("/search?q=" + url.QueryEscape(c.q))
			require.Equal(t, c.calls, w.Meter().Calls(), c.q)
		}
	}
}

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
