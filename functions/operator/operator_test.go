package operator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
	"eshop/shared/shop"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

func TestOnlyTheOperatorIsAnswered(t *testing.T) {
	w := open(t)
	made, _ := w.install(w.shop("a.cz"), w.pack("a"))
	for _, token := range []string{"", "other", made.Get("token")} {
		w.As(token, "GET", "/operator/shops", nil).Is(401, "unauthenticated")
	}
	require.Empty(t, w.do("GET", "/operator/shops", nil).Is(200).Raw("X-RateLimit-Request-Cost"), "no limit")
}

// TestNoOperationIsAnybodyElses asks each operation of the operator's with what is no token, where the hash is the
// right one, that of a text too short for a token, or none at all.
func TestNoOperationIsAnybodyElses(t *testing.T) {
	const token, short = hosttest.OperatorToken, "nineteen-characters"
	require.Len(t, short, api.OperatorToken-1)
	none := []string{"", "Bearer", "Bearer ", "Bearer   ", "Bearer " + short, "Bearer " + strings.Repeat(" ", 30),
		"Bearer other-" + token, token, "Basic " + token, "Digest " + token, "Bearer" + token, "Bearer\t" + token,
		"Bearer " + token + ", Bearer " + token}
	for name, hash := range map[string][32]byte{"the token's": host.TokenHash(token), "none": {},
		"of an empty text": host.TokenHash(""), "of blanks": host.TokenHash("   "),
		"of a short one": host.TokenHash(short)} {
		t.Run(name, func(t *testing.T) {
			w := openWith(t, func(p *host.Parts) { p.Operator = hash })
			asked := 0
			for _, pattern := range w.API.Patterns() {
				method, path, _ := strings.Cut(pattern, " ")
				if !strings.HasPrefix(path, "/operator") {
					continue
				}
				asked++
				for _, header := range none {
					w.do(method, path, nil, "Authorization", header).Is(401, "unauthenticated")
				}
				r := w.Request(token, method, path, nil)
				delete(r.Header, "Authorization")
				w.Serve(r).Is(401, "unauthenticated")
				r = w.Request(token, method, path, nil)
				r.Header.Add("Authorization", "Bearer "+token)
				w.Serve(r).Is(401, "unauthenticated")
			}
			require.Greater(t, asked, 20)
		})
	}
	w := open(t)
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER ", "Bearer    "} {
		w.do("GET", "/operator/shops", nil, "Authorization", scheme+token).Is(200)
	}
}

func TestAShopIsShownAsItWasMade(t *testing.T) {
	w := open(t)
	made := w.do("POST", "/operator/shops", shopBody(" Shop.Example.CZ ")).Is(201)
	id := made.ID()
	require.Equal(t, object{"id": id, "name": "Shop", "domain": "shop.example.cz",
		"websiteUrl": "https://shop.example.cz", "locale": "cs_CZ",
		"currency": "CZK", "owner": object{"email": "jana@example.cz"}, "created": "2026-11-21T02:05:12.583Z",
		"changed": "2026-11-21T02:05:12.583Z"}, made.Body)
	w.do("POST", "/operator/shops", shopBody("SHOP.example.cz")).Is(409, "domain_taken")
	require.Empty(t, w.told())
}

func TestAShopsWebsiteFollowsItsDomainAndIsNotKept(t *testing.T) {
	w := open(t)
	id := w.shop("a.cz")
	require.Equal(t, "https://b.cz", w.do("PATCH", "/operator/shops/"+id, object{"domain": "b.cz"}).Is(200).
		Get("websiteUrl"))
	require.Equal(t, "https://b.cz", w.do("GET", "/operator/shops", nil).Items()[0]["websiteUrl"])
	items, err := w.Main.Get(t.Context(), shop.Key(id))
	require.NoError(t, err)
	require.NotContains(t, string(items[0].Doc), "websiteUrl")
}

func TestNoPackageIsDeleted(t *testing.T) {
	w := open(t)
	path := "/operator/packages/" + w.pack("a")
	w.do("DELETE", path, nil).Is(405, "method_not_allowed")
	w.do("GET", path, nil).Is(200)
}

func TestANewShopHasItsOrderStatesInItsLanguage(t *testing.T) {
	w := open(t)
	for locale, want := range map[string][]string{
		"cs_CZ": {"new Nová false", "processing Vyřizuje se false", "shipped Odeslána false",
			"delivered Doručena false", "cancelled Stornována true", "returned Vrácena true"},
		"sk_SK": {"new Nová false", "processing Vybavuje sa false", "shipped Odoslaná false",
			"delivered Doručená false", "cancelled Stornovaná true", "returned Vrátená true"},
	} {
		made := w.do("POST", "/operator/shops",
			object{"name": "Shop", "domain": locale[:2] + ".example", "locale": locale, "currency": "EUR",
				"owner": object{"email": "jana@example.cz"}}).Is(201)
		states, err := sale.AllStates(t.Context(), w.Main, made.Body["id"].(string))
		require.NoError(t, err)
		got := make([]string, len(states))
		for _, s := range states {
			got[s.Position-1] = fmt.Sprint(s.Key, " ", s.Name, " ", s.Final)
		}
		require.Equal(t, want, got)
		told := w.Main.Changes()
		change := told[len(told)-1]
		require.Equal(t, made.Body["id"], change.Shop)
		require.Len(t, change.Records, 6, "the change feed begins with them")
	}
}

func TestAShopsFieldsAreChecked(t *testing.T) {
	w := open(t)
	for at, bad := range map[string]object{
		"body.domain":      {"domain": "a b.cz"},
		"body.locale":      {"locale": "en_US"},
		"body.currency":    {"currency": "USD"},
		"body.name":        {"name": " "},
		"body.owner.email": {"owner": object{"email": "jana"}},
		"body.owner":       {"owner": "jana"},
		"body.id":          {"id": nobody},
		"body.websiteUrl":  {"websiteUrl": "https://x.cz"},
		"body.colour":      {"colour": "red"},
	} {
		body := shopBody("a.cz")
		for k, v := range bad {
			body[k] = v
		}
		a := w.do("POST", "/operator/shops", body).Is(422, "invalid")
		require.Equal(t, at, a.Body["errors"].([]any)[0].(object)["location"], a.Text)
	}
	for _, name := range []string{"name", "domain", "locale", "currency", "owner"} {
		body := shopBody("a.cz")
		delete(body, name)
		w.do("POST", "/operator/shops", body).Fault("body."+name, "required")
	}
	require.Empty(t, w.do("GET", "/operator/shops", nil).Items())
}

func TestADomainIsAHostName(t *testing.T) {
	w := open(t)
	for domain, want := range map[string]int{
		"a.cz": 201, "sub.a-b.cz": 201, "localhost": 422, "tea": 201, "xn--mj-kia.cz": 201, "1.a2.cz": 201,
		"": 422, ".": 422, "a.": 422, ".a.cz": 422, "a..cz": 422, "-a.cz": 422, "a-.cz": 422, "a_b.cz": 422,
		"127.0.0.1": 422, "2130706433": 422, "a.cz:8080": 422,
		"admin.a.cz": 422, "Admin.A.cz": 422, "administrace.cz": 201,
		"https://a.cz": 422, "a.cz/": 422, "á.cz": 422,
		"user@a.cz": 422, "[::1]": 422, strings.Repeat("a", 64) + ".cz": 422,
		strings.Repeat("abcdefg.", 32) + "cz": 422,
	} {
		w.do("POST", "/operator/shops", shopBody(domain)).Is(want)
	}
}

func TestAnotherOwnerIsToldUnlessNothingChanged(t *testing.T) {
	w := open(t)
	id := w.shop("a.cz")
	before := w.do("GET", "/operator/shops/"+id, nil)
	w.Clock.Pass(time.Second)
	same := w.do("PATCH", "/operator/shops/"+id,
		object{"owner": object{"email": "jana@example.cz"}, "name": "Shop"}).Is(200)
	require.Equal(t, before.Body, same.Body)
	require.Equal(t, before.ETag(), same.ETag())
	w.do("PATCH", "/operator/shops/"+id, object{"name": "Other"}).Is(200)
	require.Empty(t, w.told(), "only the owner is told of")
	w.Clock.Pass(time.Second)
	changed := w.do("PATCH", "/operator/shops/"+id,
		object{"owner": object{"email": "petr@example.cz"}, "domain": "b.cz"}).Is(200)
	require.Equal(t, "2026-11-21T02:05:14.583Z", changed.Get("changed"))
	require.NotEqual(t, before.ETag(), changed.ETag())
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.ShopOwnerChange, told[0].Event)
	require.JSONEq(t, `{"ownerEmail":"petr@example.cz","websiteUrl":"https://b.cz","originatedAt":"2026-11-21T02:05:14.583Z"}`, string(told[0].Data))
}

func TestAnAccessIsChangedOnConditionOfItsVersion(t *testing.T) {
	w := open(t)
	_, path := w.install(w.shop("a.cz"), w.pack("a", "shop:read"))
	tag := w.do("GET", path, nil).Is(200).ETag()
	w.do("PATCH", path, object{"hourlyLimit": 5}, "If-Match", `"x"`).Is(412, "version_conflict")
	w.do("PATCH", path, object{"hourlyLimit": 5}, "If-Match", tag).Is(200)
	w.do("PATCH", path, object{"hourlyLimit": 5}, "If-Match", tag).Is(412, "version_conflict")
	w.do("PATCH", path, object{"hourlyLimit": 5}, "If-Match", "*").Is(200)
	w.do("PATCH", path, object{"nonsense": 1}).Fault("body.nonsense", "unknown_field")
}

func TestAPackagesPermissionsAreChecked(t *testing.T) {
	w := open(t)
	made := w.do("POST", "/operator/packages", packageBody("configurator", "products:read", "customers:read")).Is(201)
	id := made.ID()
	require.Equal(t, object{"id": id, "code": "configurator", "name": "Package", "instructions": "# Do it",
		"permissions": []any{"products:read", "customers:read"}, "created": "2026-11-21T02:05:12.583Z",
		"changed": "2026-11-21T02:05:12.583Z"}, made.Body)
	changed := w.do("PATCH", "/operator/packages/"+id,
		object{"code": "c2", "permissions": nil, "instructions": "x"}).Is(200)
	require.Equal(t, []any{}, changed.Body["permissions"])
	w.do("POST", "/operator/packages", packageBody("p", "all")).Fault("body.permissions[0]", "bad_format")
	w.do("POST", "/operator/packages", packageBody("p", "shop:read", "shop:read")).
		Fault("body.permissions[1]", "duplicate")
	w.do("POST", "/operator/packages", object{"code": "p", "name": "P"}).Fault("body.instructions", "required")
	require.Empty(t, w.told())
}

func TestASystemURLObeysTheRulesOfReceivers(t *testing.T) {
	w := open(t)
	w.P.Names = hosttest.Names{"vendor.example.com": "1.1.1.1", "inside.example.com": "10.0.0.1"}
	id := w.pack("a")
	path := "/operator/packages/" + id
	for _, bad := range []string{"https://inside.example.com/", "https://nowhere.example.com/",
		"http://vendor.example.com/", "https://10.0.0.1/", "x", ""} {
		w.do("PATCH", path, object{"systemUrl": bad}).Fault("body.systemUrl", "bad_format")
	}
	body := packageBody("b")
	body["systemUrl"] = "http://127.0.0.1:8080/operator"
	w.do("POST", "/operator/packages", body).Fault("body.systemUrl", "bad_format")
	body["permissions"] = []string{"shop:read", "shop:read"}
	require.Len(t, w.do("POST", "/operator/packages", body).Is(422, "invalid").Body["errors"], 2,
		"all that is wrong at once")
	set := w.do("PATCH", path, object{"systemUrl": "https://vendor.example.com/hooks"}).Is(200)
	require.Equal(t, "https://vendor.example.com/hooks", set.Get("systemUrl"))
	w.P.Names = hosttest.Names{}
	w.do("PATCH", path, object{"systemUrl": "https://vendor.example.com/hooks", "name": "Other"}).Is(200)
	cleared := w.do("PATCH", path, object{"systemUrl": nil}).Is(200)
	require.NotContains(t, cleared.Body, "systemUrl")
}

func TestASystemKeySignsAndTheOneBeforeItForADay(t *testing.T) {
	w := open(t)
	id := w.pack("a")
	path := "/operator/packages/" + id + "/system-keys"
	w.do("POST", "/operator/packages/"+nobody+"/system-keys", nil).Is(404)
	live := func() (states []signingkey.State, texts []string) {
		keys, err := w.P.SigningKeys().Live(context.Background(), id)
		require.NoError(t, err)
		for _, k := range keys {
			states, texts = append(states, k.State), append(texts, k.Key.Text())
		}
		return states, texts
	}
	first := w.do("POST", path, nil, "Idempotency-Key", "1").Is(201)
	_, err := signature.Parse(first.Get("key"))
	require.NoError(t, err)
	require.Equal(t, "primary", first.Get("state"))
	again := w.do("POST", path, nil, "Idempotency-Key", "1").Is(201)
	require.NotContains(t, again.Body, "key", "shown once")
	require.Equal(t, first.ID(), again.ID())
	second := w.do("POST", path, nil).Is(201)
	states, texts := live()
	require.Equal(t, []signingkey.State{signingkey.Primary, signingkey.Retiring}, states)
	require.Equal(t, []string{second.Get("key"), first.Get("key")}, texts)
	third := w.do("POST", path, nil).Is(201)
	_, texts = live()
	require.Equal(t, []string{third.Get("key"), second.Get("key")}, texts, "one key before it, not two")
	w.Clock.Pass(24 * time.Hour)
	_, texts = live()
	require.Equal(t, []string{third.Get("key")}, texts)
}

func TestAPackageIsInstalledAndActivated(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "products:read", "shop:read")
	made, path := w.install(shop, pkg)
	require.Equal(t, path, made.Header.Get("Location"))
	token := made.Get("token")
	require.Regexp(t, `^esk_test_[0-9A-Za-z]{43}$`, token)
	delete(made.Body, "token")
	require.Equal(t, object{"id": made.ID(), "shopId": shop, "packageId": pkg, "state": "active",
		"permissions": []any{"products:read", "shop:read"},
		"hourlyLimit": 7200., "dailyLimit": 86400., "setup": "done", "created": "2026-11-21T02:05:12.583Z",
		"changed": "2026-11-21T02:05:12.583Z"}, made.Body)
	read := w.do("GET", path, nil).Is(200)
	require.Equal(t, made.Body, read.Body)
	require.Equal(t, made.ETag(), read.ETag())
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.Notice{Event: events.PackageActivate, Access: made.ID(), Package: pkg,
		Data: json.RawMessage(
			`{"packageId":"` + pkg + `","websiteUrl":"https://a.cz","locale":"cs_CZ","occurredAt":"2026-11-21T02:05:12.583Z"}`)}, told[0])
	me := w.As(token, "GET", "/api-engine/me", nil).Is(200)
	require.Equal(t, shop, me.Body["Shop"])
	require.Equal(t, "2026-11-01", me.Body["Version"])
	w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg}).Is(409, "package_installed")
	require.Len(t, w.do("GET", "/operator/shops/"+shop+"/accesses", nil).Items(), 1)
	w.install(w.shop("b.cz"), pkg)
}

func TestAShopHasAThousandPackagesHoweverManyAreInstalledAtOnce(t *testing.T) {
	w := open(t)
	shop := w.shop("a.cz")
	packages := make([]string, addon.MaxAccesses+10)
	for i := range packages {
		packages[i] = w.pack("p"+strconv.Itoa(i), "shop:read")
	}
	answers := hosttest.Together(len(packages), func(i int) hosttest.Answer {
		return w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": packages[i]})
	})
	require.Equal(t, map[int]int{201: addon.MaxAccesses, 409: 10}, hosttest.Statuses(answers))
	all, err := addon.AccessesOf(t.Context(), w.Main, shop)
	require.NoError(t, err)
	require.Len(t, all, addon.MaxAccesses)
	another := w.pack("another", "shop:read")
	w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": another}).Is(409, "too_many_packages")
	w.install(w.shop("b.cz"), another)
}

func TestAccessesAreListedWithTheirUseOfToday(t *testing.T) {
	w := open(t)
	a, b, first, second := w.shop("a.cz"), w.shop("b.cz"), w.pack("first", "shop:read"), w.pack("second", "shop:read")
	made, _ := w.install(a, first)
	on := map[string]string{a + first: made.ID()}
	for _, x := range [][2]string{{a, second}, {b, first}} {
		w.Clock.Pass(time.Second)
		made, _ := w.install(x[0], x[1])
		on[x[0]+x[1]] = made.ID()
	}
	token := made.Get("token")
	for range 3 {
		w.As(token, "GET", "/api-engine/me", nil).Is(200)
	}
	w.Clock.Pass(time.Hour)
	w.As(token, "GET", "/api-engine/me", nil).Is(200)
	ids := func(query string) (all []string) {
		for _, x := range w.do("GET", "/operator/accesses"+query, nil).Is(200).Items() {
			all = append(all, x["id"].(string))
		}
		return all
	}
	require.Equal(t, []string{on[a+first], on[a+second]}, ids("?shopId="+a))
	require.Equal(t, []string{on[a+first], on[b+first]}, ids("?packageId="+first))
	require.Equal(t, []string{on[b+first]}, ids("?packageId="+first+"&shopId="+b))
	require.Empty(t, ids("?packageId="+second+"&shopId="+b))
	require.Empty(t, ids("?shopId=nobodys"))
	w.do("GET", "/operator/accesses", nil).Fault("query.packageId", "required")

	use := w.do("GET", "/operator/accesses?shopId="+a, nil).Items()[0]
	require.Equal(t, []any{1., 4., 7200.}, []any{use["usedThisHour"], use["usedToday"], use["hourlyLimit"]})
	require.NotContains(t, use, "token")
	page := w.do("GET", "/operator/accesses?packageId="+first+"&itemsPerPage=1", nil).Is(200)
	require.Len(t, page.Items(), 1)
	require.NotEmpty(t, page.Body["nextCursor"])
	deactivated := w.do("POST", "/operator/shops/"+a+"/accesses/"+on[a+first]+"/deactivate", nil).Is(200)
	require.Equal(t, "deactivated", deactivated.Body["state"])
	require.Equal(t, []string{on[b+first], on[a+first]}, ids("?packageId="+first), "by changed")
}

func TestAShopIsFoundByItsDomainWithoutCase(t *testing.T) {
	w := open(t)
	w.shop("a.cz")
	require.Equal(t, []string{w.shop("b.cz")}, w.do("GET", "/operator/shops?domain=B.cz", nil).Each("id"))
}

func TestAnAccessCanBeInstalledOnly(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "shop:read")
	made := w.do("POST", "/operator/shops/"+shop+"/accesses",
		object{"packageId": pkg, "active": false, "hourlyLimit": 3, "dailyLimit": 9}).Is(201)
	require.Equal(t, "installed", made.Get("state"))
	require.EqualValues(t, 3, made.Body["hourlyLimit"])
	path := made.Header.Get("Location")
	w.As(made.Get("token"), "GET", "/api-engine/me", nil).Is(403, "package_inactive")
	same := w.do("POST", path+"/deactivate", nil).Is(200)
	require.Equal(t, "installed", same.Get("state"))
	require.Empty(t, w.told())
	w.do("POST", path+"/activate", nil).Is(200)
	require.Len(t, w.told(), 1)
	me := w.As(made.Get("token"), "GET", "/api-engine/me", nil).Is(200)
	require.Equal(t, "3", me.Raw("X-RateLimit-Hourly-Limit"))
	require.Equal(t, "9", me.Raw("X-RateLimit-Daily-Limit"))
}

func TestAnAccessIsCheckedWhenItIsMade(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "shop:read")
	path := "/operator/shops/" + shop + "/accesses"
	w.do("POST", path, object{}).Fault("body.packageId", "required")
	w.do("POST", path, object{"packageId": nobody}).Fault("body.packageId", "not_found")
	w.do("POST", path, object{"packageId": "x"}).Fault("body.packageId", "not_found")
	w.do("POST", path, object{"packageId": pkg, "permissions": []string{"orders:read"}}).
		Fault("body.permissions[0]", "conflict")
	w.do("POST", path, object{"packageId": pkg, "permissions": []string{"none"}}).
		Fault("body.permissions[0]", "bad_format")
	w.do("POST", path, object{"packageId": pkg, "hourlyLimit": 0}).Fault("body.hourlyLimit", "too_small")
	w.do("POST", path, object{"packageId": pkg, "hourlyLimit": 3_600_001}).Fault("body.hourlyLimit", "too_big")
	w.do("POST", path, object{"packageId": pkg, "dailyLimit": 86_400_001}).Fault("body.dailyLimit", "too_big")
	w.do("POST", path, object{"packageId": pkg, "active": "yes"}).Fault("body.active", "wrong_type")
	w.do("POST", path, object{"packageId": pkg, "state": "active"}).Fault("body.state", "read_only")
	w.do("POST", "/operator/shops/"+nobody+"/accesses", object{"packageId": pkg}).Is(404, "not_found")
	w.do("GET", "/operator/shops/"+nobody+"/accesses", nil).Is(404, "not_found")
	require.Empty(t, w.do("GET", path, nil).Items())
	none := w.do("POST", path, object{"packageId": pkg, "permissions": []string{}, "hourlyLimit": nil}).Is(201)
	require.Equal(t, []any{}, none.Body["permissions"])
}

func TestWhatChangesAboutAnAccessCountsAtOnce(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "products:read", "shop:read")
	made, path := w.install(shop, pkg)
	me := func() hosttest.Answer { return w.As(made.Get("token"), "GET", "/api-engine/me", nil) }
	require.Equal(t, []any{"products:read", "shop:read"}, me().Body["Permissions"])
	turned := w.do("PATCH", path, object{"permissions": []string{"shop:read", "products:read"}}).Is(200)
	require.Equal(t, w.do("GET", path, nil).ETag(), turned.ETag())
	require.Equal(t, []any{"products:read", "shop:read"}, turned.Body["permissions"], "another order is no change")
	changed := w.do("PATCH", path, object{"permissions": []string{"shop:read"}, "hourlyLimit": 5,
		"dailyLimit": 6}).Is(200)
	require.EqualValues(t, 5, changed.Body["hourlyLimit"])
	require.Equal(t, []any{"shop:read"}, me().Body["Permissions"])
	require.Equal(t, "6", me().Raw("X-RateLimit-Daily-Limit"))
	w.do("PATCH", path, object{"permissions": []string{"orders:read"}}).Fault("body.permissions[0]", "conflict")
	w.do("PATCH", path, object{"packageId": pkg}).Fault("body.packageId", "read_only")
	back := w.do("PATCH", path, object{"hourlyLimit": nil, "dailyLimit": nil}).Is(200)
	require.EqualValues(t, 7200, back.Body["hourlyLimit"])
	require.EqualValues(t, 86400, back.Body["dailyLimit"])
	same := w.do("PATCH", path, object{"hourlyLimit": nil}).Is(200)
	require.Equal(t, back.ETag(), same.ETag())
	w.do("PATCH", "/operator/packages/"+pkg, object{"permissions": []string{"products:read"}}).Is(200)
	require.Empty(t, me().Body["Permissions"], "what counts is what both hold")
	require.Equal(t, []any{"shop:read"}, w.do("GET", path, nil).Body["permissions"])
	w.do("PATCH", path, object{"hourlyLimit": 7}).Is(200)
	require.Equal(t, []any{}, w.do("PATCH", path, object{"permissions": []string{}}).Is(200).Body["permissions"])
	require.Equal(t, []any{}, w.do("PATCH", path, object{"hourlyLimit": 8}).Is(200).Body["permissions"],
		"none stay none")
	require.Equal(t, []any{"products:read"}, w.do("PATCH", path, object{"permissions": nil}).
		Is(200).Body["permissions"], "null sets them back to the package's")
	w.do("PATCH", "/operator/shops/"+shop, object{"locale": "sk_SK"}).Is(200)
	require.Equal(t, "sk_SK", me().Body["Locale"])
	w.do("POST", path+"/deactivate", nil).Is(200)
	me().Is(403, "package_inactive")
	w.do("POST", path+"/activate", nil).Is(200)
	me().Is(200)
}

func TestActivatingAndDeactivatingTwiceTellsOnce(t *testing.T) {
	w := open(t)
	pkg := w.pack("a")
	made, path := w.install(w.shop("a.cz"), pkg)
	w.told()
	require.Equal(t, made.ETag(), w.do("POST", path+"/activate", nil).Is(200).ETag())
	require.Empty(t, w.told())
	off := w.do("POST", path+"/deactivate", nil).Is(200)
	require.Equal(t, "deactivated", off.Get("state"))
	require.Equal(t, off.ETag(), w.do("POST", path+"/deactivate", nil).Is(200).ETag())
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.PackageDeactivate, told[0].Event)
	require.JSONEq(t, `{"packageId":"`+pkg+`","websiteUrl":"https://a.cz","locale":"cs_CZ","occurredAt":"2026-11-21T02:05:12.583Z",
		"removedCustomCodeIds":[],"keptCustomCodeIds":[]}`, string(told[0].Data))
	w.do("POST", path+"/activate", nil).Is(200)
	require.Len(t, w.told(), 1)
}

func TestInstructionsAreOpenedInEveryState(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a")
	made, path := w.install(shop, pkg)
	w.do("POST", path+"/deactivate", nil).Is(200)
	before := w.do("GET", path, nil)
	w.told()
	opened := w.do("POST", path+"/open-instructions", nil).Is(200)
	require.Equal(t, object{"instructions": "# Do it"}, opened.Body)
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.Notice{Event: events.PackageOpenInstructions, Access: made.ID(), Package: pkg,
		Data: json.RawMessage(`{"packageId":"` + pkg +
			`","locale":"cs_CZ","openedAt":"2026-11-21T02:05:12.583Z"}`)}, told[0])
	require.Equal(t, before.ETag(), w.do("GET", path, nil).ETag())
}

func TestTokensAreMadeListedAndRevoked(t *testing.T) {
	w := open(t)
	first, path := w.install(w.shop("a.cz"), w.pack("a"))
	w.Clock.Pass(time.Second)
	end := "2026-11-21T03:00:00.000Z"
	made := w.do("POST", path+"/tokens", object{"expiresAt": end}).Is(201)
	token := made.Get("token")
	require.Equal(t, token[len(token)-4:], made.Get("last4"))
	list := w.do("GET", path+"/tokens", nil).Items()
	require.Len(t, list, 2)
	require.NotContains(t, list[0], "token")
	require.NotContains(t, list[0], "lastUsedAt")
	require.Equal(t, object{"id": made.ID(), "last4": made.Get("last4"), "expiresAt": end,
		"created": "2026-11-21T02:05:13.583Z"}, list[1])
	w.As(token, "GET", "/api-engine/me", nil).Is(200)
	require.Equal(t, "2026-11-21T02:05:13.583Z",
		w.do("GET", path+"/tokens?created[strictly_after]=2026-11-21T02:05:12.583Z", nil).Items()[0]["lastUsedAt"])
	w.do("DELETE", path+"/tokens/"+made.ID(), nil).Is(204)
	w.As(token, "GET", "/api-engine/me", nil).Is(401, "unauthenticated")
	w.As(first.Get("token"), "GET", "/api-engine/me", nil).Is(200)
	w.do("DELETE", path+"/tokens/"+made.ID(), nil).Is(404, "not_found")
	require.Len(t, w.do("GET", path+"/tokens", nil).Items(), 1)
	for cursor, n := "", 0; n < 2; n++ {
		w.do("POST", path+"/tokens", []any{object{}, nil}[n]).Is(201)
		page := w.do("GET", path+"/tokens?itemsPerPage=1"+cursor, nil)
		require.Len(t, page.Items(), 1)
		cursor = "&cursor=" + page.Get("nextCursor")
	}
	w.do("POST", path+"/tokens", object{"expiresAt": "tomorrow"}).Fault("body.expiresAt", "bad_format")
	now := w.Clock.Now().UTC().Format(time.RFC3339Nano)
	for _, past := range []string{"2020-01-01T00:00:00Z", now} {
		w.do("POST", path+"/tokens", object{"expiresAt": past}).Fault("body.expiresAt", "too_small")
	}
}

// TestAnAccessHasAThousandTokens: whoever makes more revokes some first.
func TestAnAccessHasAThousandTokens(t *testing.T) {
	w := open(t)
	made, path := w.install(w.shop("a.cz"), w.pack("a"))
	for range addon.MaxTokens - 2 { // beside the first one and the next
		w.Put(w.Main, addon.Token{ID: w.P.NewID(), Access: made.ID()}.Pointer())
	}
	last := w.do("POST", path+"/tokens", nil).Is(201)
	w.do("POST", path+"/tokens", nil).Is(409, "too_many_tokens")
	w.do("DELETE", path+"/tokens/"+last.ID(), nil).Is(204)
	w.do("POST", path+"/tokens", nil).Is(201)
}

// TestAShopHasAThousandAdmins, whoever makes them.
func TestAShopHasAThousandAdmins(t *testing.T) {
	w := open(t)
	shop := w.shop("a.cz")
	w.Put(w.Main, store.Item{Key: store.Key{PK: "S#" + shop, SK: "ADMINS"},
		Num: map[string]int64{"admins": staff.MaxAdmins - 1}})
	add := func(email string) hosttest.Answer {
		return w.do("POST", "/operator/shops/"+shop+"/admins", object{"name": "A", "email": email})
	}
	last := add("a@a.cz").Is(201)
	add("b@a.cz").Is(409, "too_many_admins")
	w.do("DELETE", "/operator/shops/"+shop+"/admins/"+last.ID(), nil).Is(204)
	add("b@a.cz").Is(201)
}

func TestATokenIsRefusedFromItsExpiryOn(t *testing.T) {
	w := open(t)
	_, path := w.install(w.shop("a.cz"), w.pack("a"))
	token := w.do("POST", path+"/tokens", object{"expiresAt": "2026-11-21T02:05:13.583Z"}).Is(201).Get("token")
	w.As(token, "GET", "/api-engine/me", nil).Is(200)
	w.Clock.Pass(time.Second)
	w.As(token, "GET", "/api-engine/me", nil).Is(401)
}

func TestTokensAreLiveInProductionOnly(t *testing.T) {
	w := open(t)
	w.P.Environment = "production"
	made, _ := w.install(w.shop("a.cz"), w.pack("a"))
	require.Regexp(t, `^esk_live_`, made.Get("token"))
}

func TestAnAccessIsFoundInItsShopOnly(t *testing.T) {
	w := open(t)
	pkg := w.pack("a")
	mine, path := w.install(w.shop("a.cz"), pkg)
	token := w.do("GET", path+"/tokens", nil).Items()[0]["id"].(string)
	_, other := w.install(w.shop("b.cz"), pkg)
	foreign := other[:strings.LastIndex(other, "/")+1] + mine.ID()
	for path, method := range map[string]string{"": "GET", "/activate": "POST", "/deactivate": "POST",
		"/open-instructions": "POST", "/tokens": "GET"} {
		w.do(method, foreign+path, nil).Is(404, "not_found")
	}
	w.do("PATCH", foreign, object{"hourlyLimit": 1}).Is(404, "not_found")
	w.do("POST", foreign+"/tokens", object{}).Is(404, "not_found")
	w.do("DELETE", foreign+"/tokens/"+token, nil).Is(404, "not_found")
	w.do("DELETE", other+"/tokens/"+token, nil).Is(404, "not_found")
	w.do("GET", strings.Replace(path, mine.ID(), "odd", 1), nil).Is(404, "not_found")
}

func TestTheOperatorsKeysGiveTheFirstAnswerWithoutItsSecrets(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a")
	all := "/operator/shops/" + shop + "/accesses"
	first := w.do("POST", all, object{"packageId": pkg}, "Idempotency-Key", "k").Is(201)
	again := w.do("POST", all, object{"packageId": pkg}, "Idempotency-Key", "k").Is(201)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.NotContains(t, again.Body, "token")
	require.Equal(t, first.ID(), again.ID())
	w.do("POST", all, object{"packageId": nobody}, "Idempotency-Key", "k").Is(422, "idempotency_key_reused")
	path := first.Header.Get("Location")
	one := w.do("POST", path+"/tokens", object{}, "Idempotency-Key", "t").Is(201)
	two := w.do("POST", path+"/tokens", object{}, "Idempotency-Key", "t").Is(201)
	require.NotContains(t, two.Body, "token")
	require.Equal(t, one.ID(), two.ID())
	require.Len(t, w.do("GET", path+"/tokens", nil).Items(), 2)
	made := w.do("POST", "/operator/shops", shopBody("b.cz"), "Idempotency-Key", "s").Is(201)
	require.Equal(t, made.Body, w.do("POST", "/operator/shops", shopBody("b.cz"), "Idempotency-Key", "s").Is(201).Body)
	admin := object{"email": "petra@example.cz", "name": "Petra"}
	person := w.do("POST", "/operator/shops/"+shop+"/admins", admin, "Idempotency-Key", "p").Is(201)
	same := w.do("POST", "/operator/shops/"+shop+"/admins", admin, "Idempotency-Key", "p").Is(201)
	require.NotContains(t, same.Body, "setPasswordUrl")
	require.Equal(t, person.ID(), same.ID())
	off := w.do("POST", path+"/deactivate", nil, "Idempotency-Key", "d").Is(200)
	w.do("POST", path+"/activate", nil).Is(200)
	require.Equal(t, off.Body, w.do("POST", path+"/deactivate", nil, "Idempotency-Key", "d").Is(200).Body,
		"replayed, not done again")
	require.Equal(t, "active", w.do("GET", path, nil).Get("state"))
}

func TestAdminsAreMadeListedAndDeleted(t *testing.T) {
	w := open(t)
	mine, other := w.shop("a.cz"), w.shop("b.cz")
	all, others := "/operator/shops/"+mine+"/admins", "/operator/shops/"+other+"/admins"
	petra := object{"email": "Petra@example.cz", "name": " Petra Malá "}
	made := w.do("POST", all, petra).Is(201)
	require.Regexp(t, `^https://`+strings.ToLower(mine)+`\.admin\.example/admin/set-password\?token=[A-Za-z0-9_-]{43}$`,
		made.Get("setPasswordUrl"))
	shown := object{"id": made.ID(), "email": "Petra@example.cz", "name": "Petra Malá",
		"created": "2026-11-21T02:05:12.583Z"}
	require.Equal(t, []object{shown}, w.do("GET", all, nil).Is(200).Items())
	shown["setPasswordUrl"] = made.Get("setPasswordUrl")
	require.Equal(t, shown, made.Body)
	w.do("POST", all, object{"email": "petra@EXAMPLE.cz", "name": "P"}).Is(409, "email_taken")
	w.do("POST", others, petra).Is(201)
	w.do("POST", all, object{"email": "petra", "name": "P"}).Fault("body.email", "bad_format")
	w.do("POST", all, object{"email": "a@b.cz"}).Fault("body.name", "required")
	w.do("POST", all, object{"email": "a@b.cz", "name": "P", "password": "of mine"}).
		Fault("body.password", "unknown_field")

	second := w.do("POST", all, object{"email": "jan@example.cz", "name": "Jan"}).Is(201)
	page := w.do("GET", all+"?itemsPerPage=1", nil).Is(200)
	require.Len(t, page.Items(), 1)
	page = w.do("GET", all+"?itemsPerPage=1&cursor="+page.Get("nextCursor"), nil).Is(200)
	require.Equal(t, second.ID(), page.Items()[0]["id"])
	w.do("DELETE", others+"/"+made.ID(), nil).Is(404, "not_found")
	w.do("DELETE", all+"/"+made.ID(), nil).Is(204)
	w.do("DELETE", all+"/"+made.ID(), nil).Is(404, "not_found")
	w.do("DELETE", all+"/"+second.ID(), nil).Is(204)
	require.Empty(t, w.do("GET", all, nil).Items(), "the operator may delete the last one, too")
	require.Len(t, w.do("GET", others, nil).Items(), 1)
	for _, method := range []string{"GET", "POST"} {
		w.do(method, "/operator/shops/"+nobody+"/admins", map[string]any{"POST": petra}[method]).Is(404, "not_found")
	}
	require.Empty(t, w.told())
}

// TestAnAdminSetsTheirPasswordByTheAddress that the operator was given, and is signed out by the operator.
func TestAnAdminSetsTheirPasswordByTheAddress(t *testing.T) {
	w := open(t)
	mine := w.shop("a.cz")
	all := "/operator/shops/" + mine + "/admins"
	made := w.do("POST", all, object{"email": "petra@example.cz", "name": "Petra"}).Is(201)
	_, token, _ := strings.Cut(made.Get("setPasswordUrl"), "?token=")
	accounts := staff.NewAccounts(signin.Tries{Key: w.P.Key})
	u, by := w.P.Unit(), signin.Visitor{Address: "192.0.2.1"}
	u.Shop = mine
	_, err := accounts.SetPassword(t.Context(), u, by, token, "correct horse battery")
	require.NoError(t, err)
	_, text, err := accounts.SignIn(t.Context(), u, by,
		signin.Form{Email: "petra@example.cz", Password: "correct horse battery"})
	require.NoError(t, err)
	signed := func() *staff.Admin {
		items, err := w.Main.Get(t.Context(), accounts.Keys(mine, text)...)
		require.NoError(t, err)
		a, _, err := accounts.SignedIn(items, w.P.Now())
		require.NoError(t, err)
		return a
	}
	require.Equal(t, made.ID(), signed().ID)
	w.do("DELETE", all+"/"+made.ID(), nil).Is(204)
	require.Nil(t, signed())
}

func TestTheOperatorsAPIIsNotInThePublicDocument(t *testing.T) {
	for path := range open(t).API.OpenAPI(api.Newest()).Paths {
		require.False(t, strings.HasPrefix(path, "/operator"), path)
	}
}
