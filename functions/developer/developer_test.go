package developer_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/codes"
	"eshop/functions/developer"
	"eshop/functions/images"
	"eshop/functions/operator"
	"eshop/functions/products"
	"eshop/functions/storefront"
	"eshop/functions/webhooks"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/shop"
)

type object = hosttest.Object

// world is a platform with the doors of the operator, of developers, partners and shoppers.
type world struct{ *hosttest.World }

func open(t *testing.T, otherwise ...func(*host.Parts)) world {
	return world{hosttest.Open(t, hosttest.Setup{
		Functions: []host.Function{operator.Function, developer.Function, products.Function, storefront.Function,
			images.Function,
			codes.Function, webhooks.Function},
		Platform: func(p *host.Parts) {
			p.Traits, p.Names = host.OneProcess, hosttest.Names{"hooks.example.com": "1.1.1.1"}
			for _, f := range otherwise {
				f(p)
			}
		}})}
}

// developer makes one, and returns the token.
func (w world) developer(name string) string {
	return w.As(hosttest.OperatorToken, "POST", "/operator/developers",
		object{"name": name, "email": name + "@example.com"}).Is(201).Get("token")
}

func shopBody(domain string) object {
	return object{"name": "Test", "domain": domain, "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "jana@example.com"}}
}

func packageBody(code string) object {
	return object{"code": code, "name": "Package", "instructions": "# Do it", "permissions": []string{"products:read"}}
}

func TestADeveloperIsLetInByTheirTokenUntilItEnds(t *testing.T) {
	w := open(t)
	made := w.As(hosttest.OperatorToken, "POST", "/operator/developers",
		object{"name": "Ada", "email": "ada@example.com"}).Is(201)
	token, at := made.Get("token"), "/operator/developers/"+made.ID()
	require.True(t, strings.HasPrefix(token, "esk_dev_"), "%s", token[:8])
	w.As(token, "GET", "/developer/shops", nil).Is(200)
	require.NotContains(t, w.As(hosttest.OperatorToken, "GET", at, nil).Is(200).Body, "token")
	require.NotContains(t, w.As(hosttest.OperatorToken, "GET", "/operator/developers", nil).Is(200).Text, token)
	require.Equal(t, "Eva", w.As(hosttest.OperatorToken, "PATCH", at, object{"name": "Eva"}).Is(200).Get("name"))
	w.As(token, "GET", "/developer/shops", nil).Is(200)

	next := w.As(hosttest.OperatorToken, "POST", at+"/token", nil).Is(201).Get("token")
	w.As(token, "GET", "/developer/shops", nil).Is(401, "unauthenticated")
	w.As(next, "GET", "/developer/shops", nil).Is(200)
	w.As(hosttest.OperatorToken, "DELETE", at, nil).Is(204)
	w.As(next, "GET", "/developer/shops", nil).Is(401, "unauthenticated")
	w.As(hosttest.OperatorToken, "GET", at, nil).Is(404)
	w.As(hosttest.OperatorToken, "POST", at+"/token", nil).Is(404)
}

// TestADeveloperRenewsTheirToken: the one before ends at once, and no other is told what the new one is.
func TestADeveloperRenewsTheirToken(t *testing.T) {
	var log bytes.Buffer
	w := open(t, func(p *host.Parts) { p.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	ada, eve := w.developer("ada"), w.developer("eve")
	shop := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201).ID()
	for _, token := range []string{"", hosttest.OperatorToken, "esk_dev_" + strings.Repeat("x", 43)} {
		w.As(token, "POST", "/developer/token", nil).Is(401, "unauthenticated")
	}
	log.Reset()
	made := w.As(ada, "POST", "/developer/token", nil, "Idempotency-Key", "k").Is(201)
	next := made.Get("token")
	require.Regexp(t, `^esk_dev_[0-9A-Za-z]{43}$`, next)
	require.Regexp(t, `path=/developer/token .*developer=`+made.ID(), log.String())
	require.NotContains(t, log.String(), next)
	w.As(ada, "GET", "/developer/shops", nil).Is(401, "unauthenticated")
	w.As(ada, "POST", "/developer/token", nil, "Idempotency-Key", "k").Is(401, "unauthenticated")
	require.Equal(t, []string{shop}, w.As(next, "GET", "/developer/shops", nil).Is(200).Each("id"))
	w.As(eve, "GET", "/developer/shops", nil).Is(200)
	require.NotContains(t, w.As(next, "POST", "/developer/token", nil, "Idempotency-Key", "k").Is(201).Body, "token",
		"it is in the first answer only")
	at := "/operator/developers/" + made.ID()
	require.NotContains(t, w.As(hosttest.OperatorToken, "GET", at, nil).Is(200).Body, "token")
	for range 93 { // the requests of both tokens are the developer's
		w.As(next, "GET", "/developer/shops", nil).Is(200)
	}
	// Of two renewals at once, the second has sent a token that has ended.
	w.Main.Meanwhile(func() { next = w.As(next, "POST", "/developer/token", nil).Is(201).Get("token") })
	w.As(next, "POST", "/developer/token", nil).Is(401, "unauthenticated")
	w.As(next, "GET", "/developer/shops", nil).Is(200)
	w.As(next, "POST", "/developer/token", nil).Is(429, "rate_limited")
	w.As(hosttest.OperatorToken, "DELETE", at, nil).Is(204)
	w.As(next, "POST", "/developer/token", nil).Is(401, "unauthenticated")
}

func TestATokenOpensItsOwnDoorOnly(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	for _, path := range []string{"/operator/shops", "/operator/developers", "/api-engine/products"} {
		w.As(ada, "GET", path, nil).Is(401, "unauthenticated")
	}
	shop := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201).ID()
	pkg := w.As(ada, "POST", "/developer/packages", packageBody("a")).Is(201).ID()
	access := w.As(ada, "POST", "/developer/shops/"+shop+"/accesses", object{"packageId": pkg}).Is(201).Get("token")
	for _, token := range []string{"", "other", hosttest.OperatorToken, access} {
		w.As(token, "GET", "/developer/shops", nil).Is(401, "unauthenticated")
		w.As(token, "GET", "/developer/nowhere", nil).Is(401, "unauthenticated")
	}
}

func TestADeveloperTriesAPackageOnATestShop(t *testing.T) {
	w := open(t, func(p *host.Parts) { p.Environment = "production" })
	ada := w.developer("ada")
	made := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201)
	require.Equal(t, true, made.Body["test"])
	shop := "/developer/shops/" + made.ID()
	require.Equal(t, shop, made.Header.Get("Location"))
	require.Equal(t, made.Body, w.As(ada, "GET", shop, nil).Is(200).Body)
	require.Equal(t, []string{made.ID()}, w.As(ada, "GET", "/developer/shops", nil).Each("id"))
	require.Equal(t, "Renamed", w.As(ada, "PATCH", shop, object{"name": "Renamed"}).Is(200).Get("name"))
	require.Equal(t, true, w.As(hosttest.OperatorToken, "GET", "/operator/shops/"+made.ID(), nil).Is(200).Body["test"])

	pkg := w.As(ada, "POST", "/developer/packages", packageBody("a")).Is(201).ID()
	require.Equal(t, []string{pkg}, w.As(ada, "GET", "/developer/packages", nil).Each("id"))
	require.NotEmpty(t, w.As(ada, "POST", "/developer/packages/"+pkg+"/system-keys", nil).Is(201).Get("key"))
	installed := w.As(ada, "POST", shop+"/accesses", object{"packageId": pkg, "active": false}).Is(201)
	require.True(t, strings.HasPrefix(installed.Get("token"), "esk_test_"), "in production, too")
	access := shop + "/accesses/" + installed.ID()
	w.As(ada, "PATCH", access, object{"hourlyLimit": 7201}).Is(422, "invalid")
	require.Equal(t, 100., w.As(ada, "PATCH", access, object{"hourlyLimit": 100}).Is(200).Body["hourlyLimit"])
	require.Equal(t, access, installed.Header.Get("Location"))
	require.Equal(t, "active", w.As(ada, "POST", access+"/activate", nil).Is(200).Get("state"))
	token := w.As(ada, "POST", access+"/tokens", object{}).Is(201).Get("token")
	require.True(t, strings.HasPrefix(token, "esk_test_"))
	w.As(token, "GET", "/api-engine/products", nil).Is(200)
	require.Equal(t, "deactivated", w.As(ada, "POST", access+"/deactivate", nil).Is(200).Get("state"))
	require.Equal(t, "# Do it", w.As(ada, "POST", access+"/open-instructions", nil).Is(200).Get("instructions"))
	require.Len(t, w.As(ada, "GET", shop+"/accesses", nil).Each("id"), 1)
	w.As(ada, "POST", shop+"/admins", object{"name": "Jana", "email": "jana@example.com"}).Is(201)
}

// TestWhatIsAnothersIsNotThere asks each operation below a shop or a package of one developer's as another one.
func TestWhatIsAnothersIsNotThere(t *testing.T) {
	w := open(t)
	ada, eve := w.developer("ada"), w.developer("eve")
	shop := w.As(ada, "POST", "/developer/shops", shopBody("a.test")).Is(201).ID()
	told := packageBody("a")
	told["systemUrl"] = "https://hooks.example.com/system"
	pkg := w.As(ada, "POST", "/developer/packages", told).Is(201).ID()
	w.As(ada, "GET", "/developer/packages/"+pkg+"/system-webhook", nil).Is(200)
	w.As(ada, "POST", "/developer/packages/"+pkg+"/system-webhook/enable", nil).Is(200)
	access := w.As(ada, "POST", "/developer/shops/"+shop+"/accesses", object{"packageId": pkg}).Is(201).ID()
	token := w.As(ada, "GET", "/developer/shops/"+shop+"/accesses/"+access+"/tokens", nil).Each("id")[0]
	admin := w.As(ada, "POST", "/developer/shops/"+shop+"/admins",
		object{"name": "Jana", "email": "jana@example.com"}).Is(201).ID()
	bodies := map[string]any{"accesses": object{"packageId": pkg}, "tokens": object{},
		"admins": object{"name": "Eve", "email": "eve@example.com"}}
	asked := 0
	for _, pattern := range w.API.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		if !strings.HasPrefix(path, "/developer/") || !strings.Contains(path, "{") {
			continue
		}
		asked++
		w.Clock.Pass(time.Second)
		id := shop
		if strings.HasPrefix(path, "/developer/packages") {
			id = pkg
		}
		path = strings.NewReplacer("{id}", id, "{shopId}", shop, "{packageId}", pkg, "{accessId}", access,
			"{tokenId}", token, "{adminId}", admin, "{deliveryId}", pkg).Replace(path)
		body := bodies[path[strings.LastIndexByte(path, '/')+1:]]
		if method == http.MethodPatch {
			body = object{}
		}
		w.As(eve, method, path, body).Is(404, "not_found")
	}
	require.Greater(t, asked, 21)
	for _, list := range []string{"/developer/shops", "/developer/packages", "/developer/shops?domain=a.test"} {
		require.Empty(t, w.As(eve, "GET", list, nil).Is(200).Each("id"), list)
	}
	require.Equal(t, []string{shop}, w.As(ada, "GET", "/developer/shops?domain=A.test", nil).Is(200).Each("id"))

	// Nor does a package go to another's shop, the operator's own neither.
	own := w.As(eve, "POST", "/developer/shops", shopBody("e.test")).Is(201).ID()
	public := w.As(hosttest.OperatorToken, "POST", "/operator/packages", packageBody("public")).Is(201).ID()
	for _, other := range []string{pkg, public} {
		for _, may := range []string{"products:read", "orders:read"} { // which the package has, and lacks
			a := w.As(eve, "POST", "/developer/shops/"+own+"/accesses",
				object{"packageId": other, "permissions": []string{may}}).Is(422, "invalid")
			require.Equal(t, "body.packageId", a.At("errors", 0, "location"), "nothing is said of it")
		}
	}
	w.As(eve, "POST", "/developer/packages", packageBody("a")).Is(409, "code_taken")
	w.As(eve, "POST", "/developer/shops", shopBody("a.test")).Is(409, "domain_taken")
}

// TestNamesThatAreNotForAShop: what a test shop serves, its developer writes. So it is not to have a name that anybody
// takes for the platform's or for a merchant's (contract, "Names").
func TestNamesThatAreNotForAShop(t *testing.T) {
	w := open(t, func(p *host.Parts) {
		p.BaseURL, p.DoorURL = "https://api.example.com", "https://x.example.net"
		p.TestDomain, p.Kept = "dev.example.com", []string{"old.example.com"}
		p.Shops = shop.Places{Host: "shops.example.com"}
	})
	ada := w.developer("ada")
	for _, domain := range []string{"tea.test", "sub.coffee.test", "milk.dev.example.com"} {
		w.As(hosttest.OperatorToken, "POST", "/operator/shops", shopBody(domain)).Is(201)
	}
	own := w.As(ada, "POST", "/developer/shops", shopBody("mine.test")).Is(201).ID()
	live := w.As(hosttest.OperatorToken, "POST", "/operator/shops", shopBody("live.example")).Is(201).ID()
	refused := func(domain, code string, byOperator bool) {
		paths := map[string]string{ada: "/developer/shops/" + own}
		if byOperator {
			paths[hosttest.OperatorToken] = "/operator/shops/" + live
		}
		for token, at := range paths {
			for _, a := range []hosttest.Answer{w.As(token, "POST", path.Dir(at), shopBody(domain)),
				w.As(token, "PATCH", at, object{"domain": domain})} {
				a.Is(422, "invalid")
				require.Equal(t, "body.domain "+code, a.Get("errors.0.location")+" "+a.Get("errors.0.code"), domain)
			}
		}
	}
	for _, domain := range []string{"api.example.com", "API.example.com", "x.example.net", "localhost",
		"shops.example.com", "01kaj00000000000000000000a.shops.example.com",
		"old.example.com", "dev.example.com"} {
		refused(domain, "conflict", true)
	}
	for _, domain := range []string{"admin.mine.test", "x.admin.test", "admin"} {
		refused(domain, "bad_format", true)
	}
	for _, domain := range []string{"test", "mine.example", "mytest", "adev.example.com", "shop.example.cz"} {
		refused(domain, "bad_format", false)
	}
	for _, domain := range []string{"www.tea.test", "a.b.tea.test", "coffee.test", "www.milk.dev.example.com"} {
		refused(domain, "conflict", false)
	}
	for _, domain := range []string{"offee.test", "b.coffee.test", "www.mine.test", "x.dev.example.com"} {
		w.As(ada, "PATCH", "/developer/shops/"+own, object{"domain": domain}).Is(200)
	}
}

// TestALiveShopsOldNameStaysItsOwn: old bookmarks and mails lead there for long.
func TestALiveShopsOldNameStaysItsOwn(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	shop := w.As(hosttest.OperatorToken, "POST", "/operator/shops", shopBody("old.test")).Is(201).ID()
	moves := func(domain string) hosttest.Answer {
		return w.As(hosttest.OperatorToken, "PATCH", "/operator/shops/"+shop, object{"domain": domain})
	}
	taken := func(domain string) {
		w.As(ada, "POST", "/developer/shops", shopBody(domain)).Is(409, "domain_taken")
		w.As(hosttest.OperatorToken, "POST", "/operator/shops", shopBody(domain)).Is(409, "domain_taken")
	}
	below := func(code int) { // www.new.test: beside the old name's pages, and cookies for it
		own := w.As(ada, "POST", "/developer/shops", shopBody("www.new.test"))
		if own.Is(code); code == 422 {
			require.Equal(t, "body.domain conflict", own.Get("errors.0.location")+" "+own.Get("errors.0.code"))
		}
	}
	moves("new.test").Is(200)
	taken("old.test")
	below(422)
	moves("old.test").Is(200) // it is free for the shop at once
	taken("new.test")
	w.Clock.Pass(30*24*time.Hour - time.Minute)
	taken("new.test")
	taken("old.test")
	below(422)
	w.Clock.Pass(time.Minute)
	below(201)
	own := w.As(ada, "POST", "/developer/shops", shopBody("new.test")).Is(201).ID()
	w.As(ada, "PATCH", "/developer/shops/"+own, object{"domain": "other.test"}).Is(200)
	w.As(ada, "POST", "/developer/shops", shopBody("new.test")).Is(201) // a test shop's needs no such time
	taken("old.test")
}

func TestADeveloperHasFiveTestShops(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	for _, domain := range []string{"1.test", "2.test", "3.test", "4.test", "5.test"} {
		w.As(ada, "POST", "/developer/shops", shopBody(domain)).Is(201)
	}
	w.As(ada, "POST", "/developer/shops", shopBody("6.test")).Is(409, "too_many_shops")
	w.As(w.developer("eve"), "POST", "/developer/shops", shopBody("6.test")).Is(201)
}

func TestATestShopIsFilledOnWish(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	body := shopBody("a.test")
	body["demo"] = true
	made := w.As(ada, "POST", "/developer/shops", body, "Idempotency-Key", "once").Is(201)
	require.NotContains(t, made.Body, "demo")
	require.Equal(t, made.ID(), w.As(ada, "POST", "/developer/shops", body, "Idempotency-Key", "once").Is(201).ID())
	pkg := w.As(ada, "POST", "/developer/packages", packageBody("a")).Is(201).ID()
	token := w.As(ada, "POST", "/developer/shops/"+made.ID()+"/accesses", object{"packageId": pkg}).Is(201).Get("token")
	names := w.As(token, "GET", "/api-engine/products?itemsPerPage=250", nil).Is(200).Each("name")
	require.Len(t, names, 23)
	require.Contains(t, names, "Hrnek se zvonkem 300 ml")
}

// TestWhoseTestShopLacksGoodsIsTold, with the shop to delete.
func TestWhoseTestShopLacksGoodsIsTold(t *testing.T) {
	fails, ofProduct := true, func(r events.Record) bool { return r.Kind == events.Products }
	w := open(t, func(p *host.Parts) {
		p.Main = storetest.Faulty{Table: p.Main, Around: func(c storetest.Call, do func() error) error {
			if fails && slices.ContainsFunc(c.Change.Records, ofProduct) {
				return store.ErrUnavailable
			}
			return do()
		}}
	})
	ada := w.developer("ada")
	body := shopBody("a.test")
	body["demo"] = true
	told := w.As(ada, "POST", "/developer/shops", body).Is(503, "unavailable").Get("detail")
	made := w.As(ada, "GET", "/developer/shops", nil).Is(200).Each("id")
	require.Len(t, made, 1)
	require.Contains(t, told, made[0])

	fails = false
	w.As(ada, "DELETE", "/developer/shops/"+made[0], nil).Is(202)
	w.Clock.Pass(time.Minute)
	w.work(made[0])
	w.As(ada, "POST", "/developer/shops", body).Is(201)
}

// TestATestShopIsAlive in the words of its locale and at prices of its currency: a shopper finds all goods with their
// pictures, and buys a pack.
func TestATestShopIsAlive(t *testing.T) {
	for _, c := range []struct {
		locale, currency         string
		mug, path, colour, shown string
	}{
		{"cs_CZ", "CZK", "Hrnek se zvonkem 300 ml", "/hrnek-se-zvonkem-300-ml", "bílá", "249\u00a0Kč"},
		{"sk_SK", "EUR", "Hrnček so zvončekom 300 ml", "/hrncek-so-zvoncekom-300-ml", "biela", "9,90\u00a0€"},
		{"cs_CZ", "EUR", "Hrnek se zvonkem 300 ml", "/hrnek-se-zvonkem-300-ml", "bílá", "9,90\u00a0€"},
		{"sk_SK", "CZK", "Hrnček so zvončekom 300 ml", "/hrncek-so-zvoncekom-300-ml", "biela", "249\u00a0Kč"},
	} {
		t.Run(c.locale+" "+c.currency, func(t *testing.T) {
			w := open(t)
			body := shopBody("a.test")
			body["demo"], body["locale"], body["currency"] = true, c.locale, c.currency
			w.As(w.developer("ada"), "POST", "/developer/shops", body).Is(201)
			w.Index()
			shopper := w.Visitor("a.test")
			home := shopper.Page("/").Is(200).Text
			require.Equal(t, 23, strings.Count(home, `<img src="/images/`), "each product has its picture")
			for category, goods := range map[string]int{"/caje": 10, "/kava": 6, "/porcelan-a-doplnky": 7} {
				require.Equal(t, goods, strings.Count(shopper.Page(category).Is(200).Text, `<span class="what">`), category)
			}
			mug := shopper.Page(c.path).Is(200).Text
			for _, says := range []string{c.mug, c.colour, c.shown} {
				require.Contains(t, mug, says)
			}
			picture := regexp.MustCompile(`/images/[0-9A-Z-]+`).FindString(mug)
			require.Equal(t, "image/png", shopper.Page(picture+"?w=320").Is(200).Header.Get("Content-Type"))
			product := regexp.MustCompile(`data-product="([0-9A-Z]+)"`).FindStringSubmatch(mug)[1]
			variant := regexp.MustCompile(`name="variantId" value="([0-9A-Z]+)"`).FindStringSubmatch(mug)[1]
			shopper.JSON("POST", "/basket/items", object{"productId": product, "variantId": variant,
				"quantity": 1}).Is(201)
			ordered := shopper.JSON("POST", "/checkout", object{"email": "jana@example.com", "firstName": "Jana",
				"lastName": "Nováková", "phone": "+420 601 123 456", "billingAddress": object{"street": "Dlouhá 12",
					"city": "Brno", "zip": "602 00", "country": "CZ"}}).Is(201)
			order := shopper.Page(strings.TrimPrefix(ordered.Get("confirmationUrl"), "https://a.test")).Is(200).Text
			require.Contains(t, order, c.mug+" – "+c.colour)
			require.Contains(t, order, `<img src="`+picture, "and it is what was ordered")
		})
	}
}

func TestADeveloperWhoAsksTooOftenIsRefused(t *testing.T) {
	w := open(t)
	ada, eve := w.developer("ada"), w.developer("eve")
	for range 100 {
		w.As(ada, "GET", "/developer/shops", nil).Is(200)
	}
	require.NotEmpty(t, w.As(ada, "GET", "/developer/shops", nil).Is(429, "rate_limited").Header.Get("Retry-After"))
	w.As(eve, "GET", "/developer/shops", nil).Is(200)
}
