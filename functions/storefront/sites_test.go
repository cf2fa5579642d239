package storefront

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/slug"
	"eshop/shared/frontend"
	"eshop/shared/host/hosttest"
)

// hostile is a text that would do harm where it is not escaped.
const hostile = `"'><script>alert(1)</script><!-- {{.}}`

func (w *world) category(name, parent string) string {
	w.T.Helper()
	body := object{"name": name}
	if parent != "" {
		body["parentId"] = parent
	}
	return w.addon(tea, "POST", "/api-engine/categories", body).ID()
}

// slug gives a product or category an address, and answers the URL.
func (w *world) slug(of, id, slug string) hosttest.Answer {
	w.T.Helper()
	return w.addon(tea, "POST", "/api-engine/custom-urls", object{"urlItem": object{"type": of, "id": id}, "url": slug})
}

// TestEachPageTellsScriptsWhatItIs walks the types of pages of the frontend contract.
func TestEachPageTellsScriptsWhatItIs(t *testing.T) { onBoth(t, eachPageTellsScriptsWhatItIs) }

func eachPageTellsScriptsWhatItIs(t *testing.T, w *world) {
	room := w.category("Teas", "")
	product := w.product("TEA", "100.00", object{"categoryIds": []string{room}, "variants": []any{
		object{"code": "OFF", "active": false, "priceLevels": levels("1.00")},
		object{"code": "A", "name": "a", "stock": object{"quantity": 9}, "priceLevels": levels("90.00")},
		object{"code": "B", "priceLevels": levels("80.00")}}})
	variant := w.As(w.tokens[tea], "GET", "/api-engine/products/"+product, nil).Get("variants.1.id")
	b := w.visitor()
	me := b.registered("jana@example.cz", nil).ID()
	b.add(product, 2, object{"variantId": variant})
	ordered := b.confirmation(b.checkout())
	line := b.add(product, 2, object{"variantId": variant}).Get("items.0.id")
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	b.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Is(200)
	for path, want := range map[string]object{
		"/":                {"type": "home", "path": "/"},
		"/?utm_source=<x>": {"type": "home", "path": "/"},
		"/teas":            {"type": "category", "path": "/teas", "categoryId": room},
		"/teas?from=odd":   {"type": "category", "path": "/teas", "categoryId": room},
		"/product-tea": {"type": "product", "path": "/product-tea", "productId": product,
			"product": object{"id": product, "code": "TEA", "name": "Product TEA", "price": "80.00"}},
		"/basket":              {"type": "basket", "path": "/basket"},
		"/checkout?x":          {"type": "checkout", "path": "/checkout"},
		ordered:                {"type": "orderConfirmed", "path": ordered},
		"/account":             {"type": "account", "path": "/account"},
		"/account/register":    {"type": "account", "path": "/account/register"},
		"/account/sign-in?to=": {"type": "account", "path": "/account/sign-in"},
		"/nowhere":             {"type": "other", "path": "/nowhere"},
		"/account/nowhere":     {"type": "account", "path": "/account/nowhere"},
		"/a/b":                 {"type": "other", "path": "/a/b"},
	} {
		page := b.Page(path)
		state := stateElement.FindStringSubmatch(page.Text)
		require.NotNil(t, state, path)
		var got object
		require.NoError(t, json.Unmarshal([]byte(state[1]), &got), path)
		if page.Status == 404 { // "a 404 is other everywhere"
			want["type"] = "other"
		}
		require.Equal(t, want, got["page"], path)
		require.Equal(t, object{"id": w.shops[tea], "locale": "cs_CZ", "currency": "CZK"}, got["shop"], path)
		require.Equal(t, object{"loggedIn": true, "customerId": me}, got["user"], path)
		require.Equal(t, object{"items": []any{object{"id": line, "productId": product, "variantId": variant,
			"code": "A", "name": "Product TEA – a",
			"quantity": 2.0, "unitPrice": "90.00"}}, "coupons": []any{object{"code": "TEN", "discount": "18.00"}},
			"totals": object{"total": "162.00"}, "currency": "CZK"}, got["basket"], path)
		require.Regexp(t, `^[0-9a-f]{8}$`, got["told"].(object)["signIn"])
		script := strings.Index(page.Text, "<script")
		require.Equal(t, strings.Index(page.Text, `<script type="application/json" id="eshop-state">`), script,
			"before any other script")
		require.Regexp(t, `</script><script src="/[^"]+"></script>`, page.Text[script:])
		require.Equal(t, 1, strings.Count(page.Text, "<h1"), path)
	}
	stranger := w.state(w.visitor().Page("/"))
	require.False(t, stranger.User.LoggedIn)
	require.Equal(t, frontend.Told{At: stranger.Told.At}, stranger.Told)
	require.Equal(t, "0.00", stranger.Basket.Totals.Total)
	all := w.product("NONE", "5.00", object{"variants": []any{object{"code": "N1", "active": false}}})
	page := w.shown(b.Page("/product-none"), 200)
	require.Equal(t, all, w.state(page).Page.Product.ID)
	require.NotContains(t, page.Text, "NaN")
}

// TestAnAddressLongerThanAnySlugIsNotLookedFor: there is no key of a store so long.
func TestAnAddressLongerThanAnySlugIsNotLookedFor(t *testing.T) {
	w := open(t)
	for _, n := range []int{slug.Max, slug.Max + 1, 2030} {
		w.shown(w.visitor().Page("/"+strings.Repeat("x", n)), 404)
	}
}

// TestAnOldAddressLeadsToTheNewOne in one hop; that of something nobody sees leads nowhere.
func TestAnOldAddressLeadsToTheNewOne(t *testing.T) { onBoth(t, anOldAddressLeadsToTheNewOne) }

func anOldAddressLeadsToTheNewOne(t *testing.T, w *world) {
	room := w.category("Teas", "")
	product := w.product("TEA", "100.00", nil)
	for _, slug := range []string{"green", "greener", "greenest"} {
		w.slug("product", product, slug)
		w.slug("category", room, slug+"-room")
	}
	w.change(product, object{"name": "Another"})
	b := w.visitor()
	for _, old := range []string{"/product-tea", "/green", "/greener", "/another"} {
		for _, ask := range []string{"GET", "HEAD"} {
			a := b.Ask(ask, old+"?utm_source=x", "", "", "Accept", hosttest.PageType)
			require.Equal(t, 301, a.Status, old)
			require.Equal(t, "/greenest?utm_source=x", a.Header.Get("Location"), old)
		}
	}
	w.leads(b.Ask("GET", "/green", "", ""), 301, "/greenest")
	w.leads(b.Page("/teas"), 301, "/greenest-room")
	w.leads(b.Page("/greener-room"), 301, "/greenest-room")
	w.shown(b.Page("/greenest"), 200)
	w.shown(b.Page("/greenest-room"), 200)
	for _, odd := range []string{"/Greenest", "/GREEN", "/greenest/", "//greenest", "/greenest//", "/./greenest",
		"/x/../greenest", "/greenest%2F", "/%2Fgreenest",
		"/greenest%20", "/greenest.", "/greenest%00", "/gr%C3%A9enest", "/%E2%82%AC", "/" + strings.Repeat("a", 3000),
		"/greenest%0a", "/greenest%23A"} {
		a := w.shown(b.Page(odd), 404)
		require.Equal(t, "other", string(w.state(a).Page.Type), odd)
		b.Ask("GET", odd, "", "", "Accept", hosttest.JSONType).Is(404)
	}
	w.change(product, object{"active": false})
	for _, path := range []string{"/greenest", "/green", "/product-tea"} {
		w.shown(b.Page(path), 404)
	}
	w.addon(tea, "DELETE", "/api-engine/products/"+product, nil)
	for _, path := range []string{"/greenest", "/green", "/product-tea"} {
		w.shown(b.Page(path), 404)
	}
	w.addon(tea, "DELETE", "/api-engine/categories/"+room, nil)
	w.Clock.Pass(30 * time.Second) // for so long the menu is remembered on AWS
	w.shown(b.Page("/greenest-room"), 404)
	w.shown(b.Page("/teas"), 404)
}

var (
	cardLinks = regexp.MustCompile(`<li><a href="(/product-[^"]+)">(?:<img|<span class="pic)`)
	nextLink  = regexp.MustCompile(`href="([^"]*\?from=[^"]*)"`)
)

// TestACategoryIsReadPageByPage: each active product once, and its subcategories.
func TestACategoryIsReadPageByPage(t *testing.T) {
	w := open(t)
	room := w.category("Teas", "")
	w.category("Green teas", room)
	for i := range 30 {
		w.Clock.Pass(time.Millisecond)
		w.product(fmt.Sprint("P", i), "1.00", object{"categoryIds": []string{room}, "active": i%10 != 3})
	}
	w.Index()
	b := w.visitor()
	seen, path := map[string]int{}, "/teas"
	for pages := 0; path != ""; pages++ {
		require.Less(t, pages, 5)
		page := w.shown(b.Page(path), 200)
		require.Contains(t, page.Text, `href="/green-teas"`)
		for _, card := range cardLinks.FindAllStringSubmatch(page.Text, -1) {
			seen[card[1]]++
		}
		path = ""
		if next := nextLink.FindAllStringSubmatch(strings.SplitN(page.Text, "<main", 2)[1], -1); len(next) > 0 {
			path = strings.ReplaceAll(next[len(next)-1][1], "&amp;", "&")
		}
	}
	require.Len(t, seen, 27)
	for card, n := range seen {
		require.Equal(t, 1, n, card)
	}
	w.shown(b.Page("/green-teas"), 200)
	require.Len(t, cardLinks.FindAllString(w.shown(b.Page("/"), 200).Text, -1), 24, "the newest")
}

var linkedData = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)

// TestNothingOfAMerchantOrShopperIsRun but the merchant's own code: names, descriptions, notes, addresses, what was
// typed.
func TestNothingOfAMerchantOrShopperIsRun(t *testing.T) {
	w := open(t)
	room := w.category(hostile, "")
	product := w.product("H<1>", "100.00",
		object{"name": hostile, "shortDescription": hostile, "description": hostile, "manufacturer": hostile,
			"ean": "8591234567890", "categoryIds": []string{room},
			"images": []any{object{"url": "https://cdn.example/a.jpg?a=1&b='2'", "alt": hostile}},
			"stock":  object{"quantity": 9, "availability": hostile}, "hasUnits": true,
			"units": []any{object{"unit": hostile, "quantity": 10}}})
	path := func(of, id string) string {
		return w.As(w.tokens[tea], "GET", "/api-engine/custom-urls?active=true&urlItem="+of+":"+id,
			nil).Get("items.0.path")
	}
	b := w.visitor()
	b.registered("jana@example.cz", object{"firstName": hostile, "lastName": hostile, "company": hostile})
	b.add(product, 1, object{"quoteToken": w.quote(product, "9.00", object{"note": hostile})})
	body := buyer()
	body["firstName"], body["delivery"], body["note"] = hostile, hostile, hostile
	ordered := b.confirmation(b.JSON("POST", "/checkout", body).Is(201))
	b.add(product, 1, object{"quoteToken": w.quote(product, "9.00", object{"note": hostile})})
	pages := map[string]hosttest.Answer{"a form shown again": b.Form("/checkout",
		append(buyerForm(), "note", hostile, "email", hostile, hostile, hostile)...),
		"a coupon": b.Form("/basket/coupon", "code", hostile)}
	for _, at := range []string{"/", path("category", room), path("product", product), "/basket", "/checkout", ordered,
		"/account", "/nowhere?" + "q=%3Cscript%3E",
		"/account/sign-in?to=/%22%3E%3Cscript%3Ealert(1)"} {
		pages[at] = b.Page(at)
	}
	for at, page := range pages {
		require.Equal(t, "text/html; charset=utf-8", page.Header.Get("Content-Type"), at)
		require.NotContains(t, page.Text, "<script>alert", at)
		require.NotContains(t, page.Text, "<!--", at)
		require.NotContains(t, page.Text, `="`+hostile, at)
		for _, found := range linkedData.FindAllStringSubmatch(page.Text, -1) {
			require.True(t, json.Valid([]byte(found[1])), "%s: %s", at, found[1])
		}
		w.state(page)
	}
	page := pages[path("product", product)].Text
	var data object
	require.NoError(t, json.Unmarshal([]byte(linkedData.FindAllStringSubmatch(page, -1)[1][1]), &data))
	require.Equal(t, []any{"Product", hostile, "8591234567890", "100.00", "CZK", "https://schema.org/InStock"},
		[]any{data["@type"], data["name"],
			data["gtin"], data["offers"].(object)["price"], data["offers"].(object)["priceCurrency"],
			data["offers"].(object)["availability"]})
	at := path("product", product)
	for _, meta := range []string{`<link rel="canonical" href="https://tea.example` + at + `">`,
		`<meta property="og:url" content="https://tea.example` + at + `">`,
		`<meta property="og:type" content="product">`, `<meta property="og:title"`,
		`<meta property="og:image" content="https://cdn.example/a.jpg`} {
		require.Contains(t, page, meta)
	}
	for _, private := range []string{"/basket", "/checkout", ordered, "/account", "/nowhere"} {
		require.Contains(t, pages[private+map[string]string{"/nowhere": "?q=%3Cscript%3E"}[private]].Text,
			`name="robots" content="noindex"`, private)
	}
}

// TestTheMerchantsCodeRunsAsItIs: at its place, in the order of its creation, on error pages too.
func TestTheMerchantsCodeRunsAsItIs(t *testing.T) {
	w := open(t)
	code := func(position, text string, active bool) string {
		w.Clock.Pass(time.Second)
		return w.addon(tea, "POST", "/api-engine/custom-codes",
			object{"name": text, "position": position, "code": text, "active": active}).ID()
	}
	code("bodyEnd", "<script>end(1 < 2 && '{{.}}')</script>", true)
	first := code("head", "<script>head(1)</script>", true)
	code("head", "<script>head(2)</script>", true)
	code("head", "<script>never()</script>", false)
	code("orderConfirmed", "<b>thanks & bye</b>", true)
	code("bodyEnd", "<script>end(2)</script>", true)
	product := w.product("TEA", "1.00", nil)
	b := w.visitor()
	b.add(product, 1)
	ordered := b.confirmation(b.checkout())
	b.add(product, 1)
	pages := map[string]hosttest.Answer{"refused": b.Form("/basket/coupon", "code", "x"),
		"of another site": b.Ask("POST", "/basket", hosttest.FormType, "x=y", "Origin", "null")}
	for _, path := range []string{"/", "/product-tea", "/basket", "/checkout", "/account/sign-in", "/account/register",
		"/nowhere", "//odd", "/order/x", ordered} {
		pages[path] = b.Page(path)
	}
	for path, page := range pages {
		head, body, _ := strings.Cut(page.Text, "</head>")
		require.Contains(t, head, "<script>head(1)</script><script>head(2)</script>", path)
		require.Less(t, strings.Index(head, "eshop-state"), strings.Index(head, "head(1)"), path)
		require.Contains(t, body, "<script>end(1 < 2 && '{{.}}')</script><script>end(2)</script>", path)
		require.NotContains(t, page.Text, "never()", path)
		require.Equal(t, path == ordered, strings.Contains(page.Text, "<b>thanks & bye</b>"), path)
		require.Empty(t, page.Header.Get("Content-Security-Policy"), path)
		require.Equal(t, "nosniff", page.Header.Get("X-Content-Type-Options"), path)
		require.Empty(t, page.ETag(), path)
	}
	w.addon(tea, "DELETE", "/api-engine/custom-codes/"+first, nil)
	require.NotContains(t, b.Page("/").Text, "head(1)")
}

// TestCrawlersFindWhatIsPublic: robots.txt, and the sitemap with its parts.
func TestCrawlersFindWhatIsPublic(t *testing.T) {
	w := open(t)
	w.category("Teas", "")
	w.product("TEA", "1.00", nil)
	w.product("OFF", "1.00", object{"active": false})
	w.productOf(toys, "TOY", "1.00", nil)
	b := w.visitor()
	robots := b.Page("/robots.txt").Is(200)
	require.Equal(t, "text/plain; charset=utf-8", robots.Header.Get("Content-Type"))
	require.Contains(t, robots.Text, "\nSitemap: https://tea.example/sitemap.xml\n")
	for _, line := range strings.Split(robots.Text, "\n") {
		if path, is := strings.CutPrefix(line, "Disallow: "); is {
			require.Regexp(t, `[/$?]$`, path, "a product may begin like it: /basketball")
		}
	}
	var index struct {
		XMLName xml.Name `xml:"sitemapindex"`
		Locs    []string `xml:"sitemap>loc"`
	}
	a := b.Page("/sitemap.xml").Is(200)
	require.Equal(t, "application/xml; charset=utf-8", a.Header.Get("Content-Type"))
	require.NoError(t, xml.Unmarshal([]byte(a.Text), &index))
	var all []string
	for _, part := range index.Locs {
		var urls struct {
			XMLName xml.Name `xml:"urlset"`
			Locs    []string `xml:"url>loc"`
			Mods    []string `xml:"url>lastmod"`
		}
		path, own := strings.CutPrefix(part, "https://tea.example")
		require.True(t, own, part)
		require.NoError(t, xml.Unmarshal([]byte(b.Page(path).Is(200).Text), &urls))
		all = append(all, urls.Locs...)
		for _, mod := range urls.Mods {
			_, err := time.Parse(time.RFC3339, mod)
			require.NoError(t, err)
		}
	}
	require.ElementsMatch(t, []string{"https://tea.example/teas", "https://tea.example/product-tea"}, all)
	for _, odd := range []string{"x", "", "-1.", "99.", "0.x", "0.%23", "categories.", "0..."} {
		b.Page("/sitemap.xml?part=" + odd).Is(404)
	}
}

// TestPagesAreSmallAndPacked: gzip to who takes it, files with addresses by their content for a year.
func TestPagesAreSmallAndPacked(t *testing.T) {
	w := open(t)
	for i := range 24 {
		w.product(fmt.Sprint("P", i), "1.00", nil)
	}
	a := w.visitor().Ask("GET", "/", "", "", "Accept", hosttest.PageType)
	require.Empty(t, a.Header.Get("Content-Encoding"))
	packed := w.visitor().Ask("GET", "/", "", "", "Accept", hosttest.PageType, "Accept-Encoding", "br, gzip")
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	require.Less(t, len(packed.Text), len(a.Text)/2)
	require.Less(t, len(a.Text), 50_000)
	require.Contains(t, strings.Join(packed.Header.Values("Vary"), ","), "Accept-Encoding")
	for _, found := range regexp.MustCompile(`(?:href|src)="(/(?:static|frontend)/[^"]+)"`).
		FindAllStringSubmatch(a.Text, -1) {
		file := w.visitor().Ask("GET", found[1], "", "").Is(200)
		require.Contains(t, file.Header.Get("Cache-Control"), "max-age=31536000", found[1])
		require.Contains(t, file.Header.Get("Cache-Control"), "immutable", found[1])
		require.Empty(t, file.Header["Set-Cookie"])
	}
	head := w.visitor().Ask("HEAD", "/", "", "", "Accept", hosttest.PageType).Is(200)
	require.Empty(t, head.Text)
	w.visitor().Ask("POST", "/", hosttest.FormType, "a=b", "Accept", hosttest.PageType).Is(405)
	require.Equal(t, "GET, HEAD", w.visitor().Ask("DELETE", "/product-p1", "", "", "Accept",
		hosttest.PageType).Is(405).Header.Get("Allow"))
}

// TestAProductLeadsToOthersOfItsCategory: to four of them at most, which are in stock, and back to the category.
func TestAProductLeadsToOthersOfItsCategory(t *testing.T) {
	w := open(t)
	w.Clock.Pass(time.Hour) // so that no other test has products of these ids, whose cards this process keeps
	room, other := w.category("Teas", ""), w.category("Cups", "")
	in := func(code string, stock int, rooms ...string) {
		w.product(code, "1.00", object{"categoryIds": rooms, "stock": object{"quantity": stock}})
	}
	in("A", 9, room, other)
	b := w.visitor()
	others := func(path string) (all []string) {
		_, section, has := strings.Cut(w.shown(b.Page(path), 200).Text, `id="related"`)
		for _, m := range regexp.MustCompile(`<li><a href="(/[^"]+)"><span class="pic`).FindAllStringSubmatch(section, -1) {
			all = append(all, m[1])
		}
		require.Equal(t, has, all != nil)
		return all
	}
	require.Empty(t, others("/product-a"), "it stands alone")
	in("CUP", 9, other)
	require.Empty(t, others("/product-a"), "nobody looks into its second category")
	for _, code := range []string{"B", "C", "D", "E"} {
		in(code, 9, room)
	}
	in("OUT", 0, room)
	require.Equal(t, []string{"/product-e", "/product-d", "/product-c", "/product-b"}, others("/product-a"))
	require.Equal(t, []string{"/product-b", "/product-a", "/product-e", "/product-d"}, others("/product-c"))
	in("F", 9, room)
	require.Len(t, others("/product-a"), 4)
	require.Contains(t, b.Page("/product-a").Text, `<li><a href="/teas">Teas</a></li>`)
	sold := w.product("G", "1.00", object{"categoryIds": []string{room}})
	refused := w.shown(b.Form("/basket/items", "productId", sold, "quantity", "0"), 422)
	require.Contains(t, refused.Text, `id="related"`)
}
