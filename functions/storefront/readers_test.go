package storefront

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
)

// TestOneAddressHasTwoReaders is contract, "One address, two readers".
func TestOneAddressHasTwoReaders(t *testing.T) {
	w := open(t)
	b := w.visitor()
	b.add(w.product("TEA", "100.00", nil), 2)
	b.registered("jana@example.cz", nil)
	for _, path := range []string{"/basket", "/checkout", "/account"} {
		for accept, page := range map[string]bool{hosttest.PageType: true, "text/html": true,
			"TEXT/HTML;q=0.5": true, "text/html;q=0": false,
			"*/*": false, hosttest.JSONType: false, "": false} {
			a := b.Ask("GET", path, "", "", "Accept", accept).Is(200)
			kind := hosttest.JSONType
			if page {
				kind = "text/html; charset=utf-8"
			}
			require.Equal(t, kind, a.Header.Get("Content-Type"), "%s for %q", path, accept)
			require.Equal(t, "private, no-store", a.Header.Get("Cache-Control"), path)
			require.Contains(t, a.Header.Get("Vary"), "Accept, Cookie", path)
			require.Empty(t, a.ETag(), "what is private is not asked for again")
			head := b.Ask("HEAD", path, "", "", "Accept", accept).Is(200)
			require.Equal(t, kind, head.Header.Get("Content-Type"))
		}
	}
	require.Equal(t, b.JSON("GET", "/basket", nil).Text, b.JSON("GET", "/checkout", nil).Text)
}

// TestFormsDoWhatJSONDoes walks the forms of the pages: each leads to what came of it.
func TestFormsDoWhatJSONDoes(t *testing.T) { onBoth(t, formsDoWhatJSONDoes) }

func formsDoWhatJSONDoes(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	b := w.visitor()
	w.leads(b.Form("/basket/items", "productId", product, "quantity", " 2 ", "_from", "x",
		"quoteToken", ""), 303, "/basket")
	line := b.JSON("GET", "/basket", nil).Get("items.0.id")
	w.leads(b.Form("/basket/items/"+line, "_method", "PATCH", "quantity", "3"), 303, "/basket")
	require.Equal(t, "300.00", b.JSON("GET", "/basket", nil).Get("totals.total"))
	w.leads(b.Form("/basket/coupon", "code", "ten"), 303, "/basket")
	require.Equal(t, "270.00", b.JSON("GET", "/basket", nil).Get("totals.total"))
	w.leads(b.Form("/basket/coupon", "_method", "DELETE"), 303, "/basket")
	require.Equal(t, "300.00", b.JSON("GET", "/basket", nil).Get("totals.total"))
	w.leads(b.Form("/basket/items/"+line, "_method", "DELETE"), 303, "/basket")
	require.Empty(t, b.JSON("GET", "/basket", nil).At("items"))

	w.leads(b.Form("/account/register", "email", "jana@example.cz", "password", password, "firstName",
		"Jana", "lastName", "Nováková",
		"phone", "", "billingAddress.street", "", "billingAddress.city", "", "billingAddress.country", "CZ",
		"_preset.billingAddress.country", "CZ", "_to", "/checkout"), 303, "/checkout")
	require.Nil(t, b.JSON("GET", "/account", nil).At("billingAddress"), "a country alone is no address")
	w.leads(b.Form("/account", "_method", "PATCH", "phone", "1", "billingAddress.street", "D",
		"billingAddress.city", "B",
		"billingAddress.zip", "1", "billingAddress.country", "CZ", "password", "", "currentPassword",
		""), 303, "/account?saved")
	me := b.JSON("GET", "/account", nil).Is(200)
	require.Equal(t, []string{"1", "B", "Jana"},
		[]string{me.Get("phone"), me.Get("billingAddress.city"), me.Get("firstName")})
	b.Form("/account", "_method", "PATCH", "phone", "", "billingAddress.street", "", "billingAddress.city", "",
		"billingAddress.zip", "", "billingAddress.country", "").Is(303)
	me = b.JSON("GET", "/account", nil).Is(200)
	require.Nil(t, me.At("phone"))
	require.Nil(t, me.At("billingAddress"))
	w.leads(b.Form("/account/sign-out"), 303, "/")
	w.leads(b.Form("/account/sign-in", "email", "jana@example.cz", "password", password), 303, "/account")

	b.add(product, 1)
	a := b.Form("/checkout", buyerForm()...).Is(303)
	require.Regexp(t, `^/order/[0-9A-Z]{26}[A-Za-z0-9_-]{43}$`, a.Header.Get("Location"))
	require.Empty(t, a.Text)
	w.shown(b.Page(a.Header.Get("Location")), 200)
}

// TestARefusedFormIsShownAgain: with the status that JSON would get, each fault beside its field, what was typed kept.
func TestARefusedFormIsShownAgain(t *testing.T) { onBoth(t, aRefusedFormIsShownAgain) }

func aRefusedFormIsShownAgain(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	w.addon(tea, "POST", "/api-engine/discount-coupons",
		object{"code": "BIG", "type": "amount", "value": "10.00", "minimumOrder": "5000.00"})
	b := w.visitor()
	line := b.add(product, 2).Get("items.0.id")
	shirt := w.product("SHIRT", "100.00",
		object{"variants": []any{object{"code": "A", "stock": object{"quantity": 9}}}})
	sizes := make([]any, 13)
	for i := range sizes {
		sizes[i] = object{"code": fmt.Sprint("B", i), "stock": object{"quantity": 9}}
	}
	coat := w.product("COAT", "100.00", object{"variants": sizes})
	b.registered("jana@example.cz", nil)
	long := strings.Repeat("9", 300)
	for _, c := range []struct {
		says, path string
		fields     []string
		method     string
		body       any // the same as JSON
		status     int
		keeps      []string // values of fields
		marks      []string // ids of fields at fault
	}{
		{"an odd quantity of a product", "/basket/items", []string{"productId", product, "quantity", "1e3x"}, "POST",
			object{"productId": product, "quantity": "1e3x"}, 422, []string{"1e3x"}, []string{"quantity"}},
		{"none of a product", "/basket/items", []string{"productId", product, "quantity", "0"}, "POST",
			object{"productId": product, "quantity": 0}, 422, []string{"0"}, []string{"quantity"}},
		{"no variant", "/basket/items", []string{"productId", shirt, "quantity", "3"}, "POST",
			object{"productId": shirt, "quantity": 3}, 422, []string{`value="3"`}, []string{"variantId"}},
		{"a variant that is none, of many, and none of it", "/basket/items",
			[]string{"productId", coat, "quantity", "0", "variantId", "nope"}, "POST",
			object{"productId": coat, "quantity": 0, "variantId": "nope"}, 422, []string{`value="0"`},
			[]string{"quantity"}},
		{"a variant that is none, of many", "/basket/items",
			[]string{"productId", coat, "quantity", "1", "variantId", "nope"},
			"POST", object{"productId": coat, "quantity": 1, "variantId": "nope"}, 422, nil, []string{"variantId"}},
		{"a variant of what has none", "/basket/items",
			[]string{"productId", product, "quantity", "1", "variantId", noID},
			"POST", object{"productId": product, "quantity": 1, "variantId": noID}, 422, []string{`role="alert"`}, nil},
		{"an odd way of delivery", "/checkout", append(buyerForm(), "delivery", long, "payment", long), "POST",
			with(with(buyer(), "delivery", long), "payment", long), 422, nil, []string{"delivery", "payment"}},
		{"a product that is none", "/basket/items", []string{"productId", noID, "quantity", "1"}, "POST",
			object{"productId": noID, "quantity": 1}, 422, nil, nil},
		{"no product", "/basket/items", []string{"quantity", "1"}, "POST", object{"quantity": 1}, 422, nil, nil},
		{"a price", "/basket/items", []string{"productId", product, "quantity", "1", "unitPrice", "0.01"}, "POST",
			object{"productId": product, "quantity": 1, "unitPrice": "0.01"}, 422, nil, nil},
		{"an odd quantity of a line", "/basket/items/" + line, []string{"_method", "PATCH", "quantity", "-7"}, "PATCH",
			object{"quantity": -7}, 422, []string{"-7"}, []string{"quantity-" + line}},
		{"too many of a line", "/basket/items/" + line, []string{"_method", "PATCH", "quantity", "1000001"}, "PATCH",
			object{"quantity": 1000001}, 422, []string{"1000001"}, []string{"quantity-" + line}},
		{"a line that is not there", "/basket/items/" + noID, []string{"_method", "PATCH", "quantity", "7"}, "PATCH",
			object{"quantity": 7}, 404, nil, nil},
		{"a coupon that nobody has", "/basket/coupon", []string{"code", "<NO>"}, "POST", object{"code": "<NO>"},
			422, []string{"&lt;NO&gt;"},
			[]string{"code"}},
		{"a coupon that does not apply", "/basket/coupon", []string{"code", "BIG"}, "POST",
			object{"code": "BIG"}, 422, []string{"BIG"},
			[]string{"code"}},
		{"a coupon without a code", "/basket/coupon", []string{"code", ""}, "POST", object{},
			422, nil, []string{"code"}},
		{"an empty checkout", "/checkout",
			[]string{"note", "ring <twice>", "email", "", "billingAddress.street", "",
				"billingAddress.city", ""}, "POST",
			object{"note": "ring <twice>"}, 422,
			[]string{">ring &lt;twice&gt;<"}, []string{"email", "firstName", "phone", "billingAddress-city"}},
		{"odd values in a checkout", "/checkout",
			append(buyerForm(), "email", "jana@", "billingAddress.country", "Česko", "phone", long), "POST",
			with(with(with(buyer(), "email", "jana@"), "phone", long), "billingAddress",
				object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "Česko"}), 422, nil, nil},
		{"a price in a checkout", "/checkout", append(buyerForm(), "total", "1.00"), "POST",
			with(buyer(), "total", "1.00"), 422,
			[]string{`value="Dlouhá 12"`, `value="602 00"`}, nil},
		{"an e-mail address that is taken", "/account/register",
			[]string{"email", "jana@example.cz", "password", password + "!",
				"firstName", "Eva", "lastName", "Malá"}, "POST",
			object{"email": "jana@example.cz", "password": password + "!", "firstName": "Eva",
				"lastName": "Malá"}, 409, []string{"Eva", "Malá", "jana@example.cz"}, []string{"email"}},
		{"a short password", "/account/register",
			[]string{"email", "eva@example.cz", "password", "s3cret!!!", "firstName", "Eva",
				"lastName", "Malá"}, "POST",
			object{"email": "eva@example.cz", "password": "s3cret!!!", "firstName": "Eva", "lastName": "Malá"}, 422,
			[]string{"Eva", "eva@example.cz"}, []string{"password"}},
		{"a wrong password", "/account/sign-in", []string{"email", "eva@example.cz", "password", "s3cret!!!"}, "POST",
			object{"email": "eva@example.cz", "password": "s3cret!!!"}, 401, []string{"eva@example.cz"}, nil},
		{"a new address without the password", "/account",
			[]string{"_method", "PATCH", "email", "eva@example.cz"}, "PATCH",
			object{"email": "eva@example.cz"}, 422, []string{"eva@example.cz"}, []string{"currentPassword"}},
		{"a level of one's own", "/account", []string{"_method", "PATCH", "priceLevel", "wholesale"}, "PATCH",
			object{"priceLevel": "wholesale"}, 422, nil, nil},
		{"consent to nothing", "/consent", []string{"value", "maybe"}, "POST", object{"value": "maybe"}, 422, nil, nil},
		{"consent without a value", "/consent", []string{"_to", "/"}, "POST", object{}, 422, nil, nil},
	} {
		t.Run(c.says, func(t *testing.T) {
			b.w.Clock.Pass(60_000_000_000)
			json := b.JSON(c.method, c.path, c.body).Is(c.status)
			require.Equal(t, "application/problem+json", json.Header.Get("Content-Type"))
			page := w.shown(b.Form(c.path, c.fields...), c.status)
			for _, text := range c.keeps {
				require.Contains(t, page.Text, text)
			}
			for _, id := range c.marks {
				require.Regexp(t, `<(input|select|textarea|fieldset)[^>]* id="`+id+`"[^>]* aria-invalid="true"`,
					page.Text)
			}
			require.NotContains(t, page.Text, "s3cret!!!")
			require.NotContains(t, page.Text, password)
			require.Equal(t, 1, strings.Count(page.Text, "<h1"), page.Text)
			require.NotRegexp(t, `role="alert"[^>]*><p></p>|class="fault"[^>]*></p>`, page.Text)
		})
	}
	require.Equal(t, "200.00", b.JSON("GET", "/basket", nil).Get("totals.total"), "nothing was done")
}

// with is the object with one more field, or another value of it.
func with(o object, name string, value any) object {
	all := object{}
	for n, v := range o {
		all[n] = v
	}
	all[name] = value
	return all
}

// TestABodyIsHeldToTheContract: one that is no form, or too large.
func TestABodyIsHeldToTheContract(t *testing.T) {
	w := open(t)
	b := w.visitor()
	product := w.product("TEA", "100.00", nil)
	paths := []string{"/basket/items", "/basket/coupon", "/checkout", "/account/register",
		"/account/sign-in", "/consent"}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			w.shown(b.Ask("POST", path, hosttest.FormType, "note="+strings.Repeat("a", 1<<20)), 413)
			w.shown(b.Ask("POST", path, hosttest.FormType, "note=%zz"), 400)
			w.shown(b.Ask("POST", path, hosttest.FormType, "note=%ff"), 400)
			b.JSON("POST", path, `{"note":"`+strings.Repeat("a", 1<<20)+`"}`).Is(413, "body_too_large")
			b.JSON("POST", path, `{"note":1,"note":2}`).Is(400, "malformed_json")
			b.Ask("POST", path, "text/plain", "{}").Is(415, "unsupported_media_type")
		})
	}
	b.JSON("POST", "/basket/items", object{"productId": product, "quantity": 1,
		"price": "1.00"}).Fault("body.price", "unknown_field")
	b.JSON("POST", "/basket/items", object{"productId": product, "quantity": "1"}).Fault("body.quantity", "wrong_type")
	b.JSON("GET", "/basket?price=1", nil).Is(422)
	require.Empty(t, b.JSON("GET", "/basket", nil).At("items"))
}

// changes are the operations that change something.
var changes = []struct{ method, path, form string }{
	{"POST", "/basket/items", "/basket/items"},
	{"PATCH", "/basket/items/" + noID, "/basket/items/" + noID},
	{"DELETE", "/basket/items/" + noID, "/basket/items/" + noID},
	{"POST", "/basket/coupon", "/basket/coupon"},
	{"DELETE", "/basket/coupon", "/basket/coupon"},
	{"POST", "/checkout", "/checkout"},
	{"POST", "/account/register", "/account/register"},
	{"POST", "/account/sign-in", "/account/sign-in"},
	{"PATCH", "/account", "/account"},
	{"POST", "/account/sign-out", "/account/sign-out"},
	{"POST", "/account/set-password", "/account/set-password"},
	{"POST", "/consent", "/consent"},
	{"POST", "/nowhere", "/nowhere"},
}

// TestWhatAnotherSiteSendsIsRefusedFirst: before the body is looked at, without a cookie, and nothing is done.
func TestWhatAnotherSiteSendsIsRefusedFirst(t *testing.T) {
	w := open(t)
	for _, op := range changes {
		for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"}, {"Origin", "null"},
			{"Origin", "https://evil.example"}, {"Origin", "https://tea.example.evil.example"},
			{"Origin", "https://" + toys},
			{"Sec-Fetch-Site", "cross-site", "Origin", "https://" + tea}, {"Sec-Fetch-Site", "odd"}} {
			b := w.visitor()
			b.Cookies["consent"] = "ggg"
			a := b.JSON(op.method, op.path, `{not json`, from...).Is(403, "cross_site")
			require.Empty(t, a.Header["Set-Cookie"], "%s from %v", op.path, from)
			a = w.shown(b.Ask("POST", op.form, hosttest.FormType, "_method="+op.method+"&x=%zz",
				append(from, "Accept", hosttest.PageType)...), 403)
			require.Empty(t, a.Header["Set-Cookie"], "%s from %v", op.path, from)
			state := w.state(a)
			require.Equal(t, "other", string(state.Page.Type))
			require.Equal(t, op.form, state.Page.Path)
			require.True(t, state.Unread, "without cookies nobody knows the basket")
			require.Contains(t, a.Text, `data-consent-banner hidden`, "the banner was answered")
		}
		for _, from := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"},
			{"Origin", "https://" + tea}, nil} {
			a := w.visitor().JSON(op.method, op.path, `{}`, from...)
			require.NotEqual(t, 403, a.Status, "%s from %v", op.path, from)
		}
	}
	for _, path := range []string{"/", "/basket", "/account/sign-in"} {
		b := w.visitor()
		w.shown(b.Ask("GET", path, "", "", "Accept", hosttest.PageType, "Sec-Fetch-Site", "cross-site"), 200)
	}
}

// TestTheBasketsCookieComesWithEveryPage is contract, "Cookies and other sites": what it is, where it is set, and that
// another value is replaced.
func TestTheBasketsCookieComesWithEveryPage(t *testing.T) {
	w := open(t)
	product := w.product("TEA", "100.00", nil)
	for _, path := range []string{"/", "/basket", "/checkout", "/account/sign-in", "/account/register", "/account",
		"/product-tea", "/nowhere",
		"/order/none", "//odd"} {
		a := w.visitor().Page(path)
		require.Regexp(t, `^basket=[A-Za-z0-9_-]{64}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$`,
			a.Header["Set-Cookie"][0], path)
		require.Len(t, a.Header["Set-Cookie"], 1, path)
	}
	require.Regexp(t, "^basket=", w.visitor().JSON("GET", "/basket", nil).Header.Get("Set-Cookie"))
	for _, path := range []string{"/robots.txt", "/sitemap.xml", frontendSchema} {
		require.Empty(t, w.visitor().Page(path).Is(200).Header["Set-Cookie"], path)
	}
	before := w.Main.Writes()
	b := w.visitor()
	b.Page("/")
	b.Page("/basket")
	require.Equal(t, before, w.Main.Writes(), "a row is made by the first change")
	kept := b.Cookies["basket"]
	b.add(product, 1)
	require.Equal(t, kept, b.Cookies["basket"])

	other := w.visitorOf(toys)
	other.Page("/")
	forged := []byte(kept)
	forged[3] ^= 1
	for name, value := range map[string]string{"forged": string(forged),
		"of another shop": other.Cookies["basket"], "short": "x",
		"empty": "", "of ours by a letter": kept + "A"} {
		b.Cookies["basket"] = value
		require.Empty(t, b.JSON("GET", "/basket", nil).Is(200).At("items"), name)
		require.NotEqual(t, value, b.Cookies["basket"], name)
		require.Len(t, b.Cookies["basket"], 64, name)
	}
	b.Cookies["basket"] = kept
	require.Len(t, b.JSON("GET", "/basket", nil).At("items"), 1)
}

const frontendSchema = "/frontend/v1/eshop.schema.json"

// TestCookiesAreSecureUnlessTheWebsiteIsNot has a website of http.
func TestCookiesAreSecureUnlessTheWebsiteIsNot(t *testing.T) {
	w := open(t, func(p *host.Parts) { p.Shops.Scheme = "http" })
	b := w.visitor()
	a := b.registered("jana@example.cz", nil)
	require.Len(t, a.Header["Set-Cookie"], 2)
	for _, c := range append(a.Header["Set-Cookie"], b.Form("/consent", "value", "granted").Header["Set-Cookie"]...) {
		require.NotContains(t, c, "Secure")
		require.NotContains(t, c, "Domain")
		require.Contains(t, c, "SameSite=Lax")
	}
}

// TestTheConsentIsACookie is the banner's form.
func TestTheConsentIsACookie(t *testing.T) {
	w := open(t)
	for value, cookie := range map[string]string{"granted": "ggg", "denied": "ddd"} {
		b := w.visitor()
		require.Contains(t, b.Page("/").Text, `data-consent-banner>`)
		a := b.Form("/consent", "value", value, "_to", "/basket")
		w.leads(a, 303, "/basket")
		require.Contains(t, a.Header["Set-Cookie"],
			"consent="+cookie+"; Path=/; Max-Age=15552000; Secure; SameSite=Lax")
		require.Contains(t, b.Page("/").Text, `data-consent-banner hidden`)
		require.Contains(t, b.Page("/?consent=again").Text, `data-consent-banner>`)
		b.JSON("POST", "/consent", object{"value": value}).Is(204)
	}
	w.leads(w.visitor().Form("/consent", "value", "denied"), 303, "/")
}

// TestAnsweringTheBannerLosesNothing of what the page was of: where a sign-in leads, and the token of a link.
func TestAnsweringTheBannerLosesNothing(t *testing.T) {
	w := open(t)
	id := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "eva@example.cz", "firstName": "E", "lastName": "M"}).ID()
	unit := w.P.Unit()
	unit.Shop = w.shops[tea]
	token, err := customer.NewAccounts(signin.Tries{}).MakeLink(t.Context(), unit, id)
	require.NoError(t, err)
	room := w.category("Teas", "")
	for i := range 30 {
		w.product(fmt.Sprint("TEA-", i), "1.00", object{"categoryIds": []string{room}})
	}
	w.Index()
	more := html.UnescapeString(regexp.MustCompile(`href="(/teas\?from=[^"]+)" rel="next"`).
		FindStringSubmatch(w.visitor().Page("/teas").Text)[1])
	for address, keeps := range map[string]string{
		"/account/sign-in?to=%2Fcheckout":      `name="_to" value="/checkout"`,
		"/account/register?to=%2Fcheckout":     `href="/account/sign-in?to=%2fcheckout"`,
		"/account/set-password?token=" + token: `name="token" value="` + token + `"`,
		"/account/sign-in":                     `name="_to" value="/account/sign-in"`,
		more:                                   `href="/teas"`,
	} {
		b := w.visitor()
		page := w.shown(b.Page(address), 200).Text
		require.Contains(t, page, keeps)
		to := html.UnescapeString(regexp.MustCompile(`name="_to" value="([^"]*)">\s*<div><h2 id="consent-title"`).
			FindStringSubmatch(page)[1])
		w.leads(b.Form("/consent", "value", "granted", "_to", to), 303, address)
		again := html.UnescapeString(regexp.MustCompile(`href="([^"]*)#consent"`).FindStringSubmatch(page)[1])
		page = w.shown(b.Page(again), 200).Text
		require.Contains(t, page, `data-consent-banner>`)
		require.Contains(t, page, keeps)
	}
}

// TestNobodyIsLedElsewhere: an address to go on to is a path of the shop, whatever was sent.
func TestNobodyIsLedElsewhere(t *testing.T) {
	w := open(t)
	w.visitor().registered("jana@example.cz", nil)
	for i, evil := range []string{"//evil.example", `/\evil.example`, `\\evil.example`, "https://evil.example",
		"javascript:alert(1)", "evil",
		"/\t/evil.example", "\t//evil.example", "/\n/evil.example", " //evil.example", "/a/..//evil.example",
		"/\r\nSet-Cookie: a=b", "/%0d%0aX: y",
		"/%2f/evil.example", "/%5cevil.example"} {
		w.Clock.Pass(60_000_000_000)
		b := w.visitor()
		for path, fields := range map[string][]string{
			"/account/sign-in": {"email", "jana@example.cz", "password", password},
			"/account/register": {"email", fmt.Sprintf("e%d@example.cz", i), "password", password,
				"firstName", "E", "lastName", "M"},
			"/consent": {"value", "granted"},
		} {
			a := b.Form(path, append(fields, "_to", evil)...).Is(303)
			to := a.Header.Get("Location")
			require.Regexp(t, `^/([^/\\\x00-\x1f][^\\\x00-\x1f]*)?$`, to, "%s to %q", path, evil)
		}
		page := b.Page("/account/sign-in?to=" +
			strings.NewReplacer("%", "%25", "\t", "%09", "\n", "%0a", "\r", "%0d", " ", "%20").Replace(evil))
		require.NotContains(t, page.Text, `value="//evil`)
		require.NotContains(t, page.Text, `value="https://evil`)
	}
}

// TestAKeyBelongsToTheBasket: Idempotency-Key on the POSTs.
func TestAKeyBelongsToTheBasket(t *testing.T) { onBoth(t, aKeyBelongsToTheBasket) }

func aKeyBelongsToTheBasket(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	b, other := w.visitor(), w.visitor()
	b.Page("/")
	other.Page("/")
	body := object{"productId": product, "quantity": 1}
	first := b.JSON("POST", "/basket/items", body, "Idempotency-Key", "k").Is(201)
	again := b.JSON("POST", "/basket/items", body, "Idempotency-Key", "k").Is(201)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, first.Text, again.Text)
	b.JSON("POST", "/basket/items", with(body, "quantity", 2), "Idempotency-Key", "k").Is(422, "idempotency_key_reused")
	b.JSON("POST", "/basket/coupon", object{"code": "X"}, "Idempotency-Key", "k").Is(422, "idempotency_key_reused")
	require.Empty(t, other.JSON("POST", "/basket/items", body, "Idempotency-Key",
		"k").Is(201).Header.Get("Idempotent-Replayed"))
	require.Equal(t, "100.00", b.JSON("GET", "/basket", nil).Get("totals.total"))
	b.JSON("POST", "/basket/items", body, "Idempotency-Key", "a b").Is(422, "invalid")

	for range 2 {
		a := b.Ask("POST", "/basket/items", hosttest.FormType, "productId="+product+"&quantity=1",
			"Idempotency-Key", "form")
		w.leads(a, 303, "/basket")
		require.Empty(t, a.Text)
	}
	require.Equal(t, "200.00", b.JSON("GET", "/basket", nil).Get("totals.total"))

	ordered := b.JSON("POST", "/checkout", buyer(), "Idempotency-Key", "order").Is(201)
	require.Equal(t, ordered.Text, b.JSON("POST", "/checkout", buyer(), "Idempotency-Key", "order").Is(201).Text)
	b.JSON("POST", "/checkout", buyer(), "Idempotency-Key", "another").Is(409, "basket_empty")
	third := w.visitor()
	third.Page("/")
	third.add(product, 1)
	form := strings.ReplaceAll("email=jana@example.cz&firstName=J&lastName=N&phone=1"+
		"&billingAddress.street=D&billingAddress.city=B&"+
		"billingAddress.zip=1&billingAddress.country=CZ", "@", "%40")
	made := third.Ask("POST", "/checkout", hosttest.FormType, form, "Idempotency-Key",
		"order").Is(303).Header.Get("Location")
	w.leads(third.Ask("POST", "/checkout", hosttest.FormType, form, "Idempotency-Key", "order"), 303, made)
	w.Clock.Pass(24 * 3600 * 1e9)
	b.JSON("POST", "/checkout", buyer(), "Idempotency-Key", "order").Is(409, "basket_empty")

	member := w.visitor()
	member.Page("/")
	registering := object{"email": "eva@example.cz", "password": password, "firstName": "E", "lastName": "M"}
	member.JSON("POST", "/account/register", registering, "Idempotency-Key", "me").Is(201)
	require.Equal(t, "true", member.JSON("POST", "/account/register", registering, "Idempotency-Key", "me").Is(201).
		Header.Get("Idempotent-Replayed"))
	member.JSON("GET", "/account", nil).Is(200)
	items := hosttest.Together(8, func(int) hosttest.Answer {
		return w.Serve(other.Request("POST", "/basket/items", hosttest.JSONType,
			`{"productId":"`+product+`","quantity":1}`, "Idempotency-Key", "many"))
	})
	n := hosttest.Statuses(items)
	require.Equal(t, 8, n[http.StatusCreated]+n[http.StatusConflict], n)
	require.Equal(t, "200.00", other.JSON("GET", "/basket", nil).Get("totals.total"))
}
