package operator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/operator"
	"eshop/functions/orders"
	"eshop/functions/webhooks"
	"eshop/shared/access"
	"eshop/shared/signature"
)

func TestOnlyTheOperatorIsAnswered(t *testing.T) {
	w := open(t)
	made, _ := w.install(w.shop("a.cz"), w.pack("a"))
	for _, token := range []string{"", "other", made.get("token")} {
		w.as(token, "GET", "/operator/shops", nil).is(401, "unauthenticated")
	}
	require.Empty(t, w.do("GET", "/operator/shops", nil).is(200).raw("X-RateLimit-Request-Cost"), "no limit")
}

func TestAShopIsMadeReadAndListed(t *testing.T) {
	w := open(t)
	made := w.do("POST", "/operator/shops", shopBody(" Shop.Example.CZ ")).is(201)
	id := made.get("id")
	require.Equal(t, "/operator/shops/"+id, made.header.Get("Location"))
	require.Equal(t, object{"id": id, "name": "Shop", "domain": "shop.example.cz", "websiteUrl": "https://shop.example.cz", "locale": "cs_CZ",
		"currency": "CZK", "owner": object{"email": "jana@example.cz"}, "created": "2026-11-21T02:05:12.583Z", "changed": "2026-11-21T02:05:12.583Z"}, made.body)
	read := w.do("GET", "/operator/shops/"+id, nil).is(200)
	require.Equal(t, made.body, read.body)
	require.Equal(t, made.etag(), read.etag())
	w.do("GET", "/operator/shops/"+id, nil, "If-None-Match", read.etag()).is(304)
	w.shop("b.cz")
	require.Len(t, w.do("GET", "/operator/shops", nil).items(), 2)
	require.Len(t, w.do("GET", "/operator/shops?itemsPerPage=1&order[changed]=desc", nil).items(), 1)
	w.do("GET", "/operator/shops/"+nobody, nil).is(404, "not_found")
	require.Empty(t, w.told())
}

func TestANewShopHasItsOrderStatesInItsLanguage(t *testing.T) {
	w := open(t)
	for locale, want := range map[string][]string{
		"cs_CZ": {"new Nová false", "processing Vyřizuje se false", "shipped Odeslána false", "delivered Doručena false", "cancelled Stornována true", "returned Vrácena true"},
		"sk_SK": {"new Nová false", "processing Vybavuje sa false", "shipped Odoslaná false", "delivered Doručená false", "cancelled Stornovaná true", "returned Vrátená true"},
	} {
		made := w.do("POST", "/operator/shops", object{"name": "Shop", "domain": locale[:2] + ".example", "locale": locale, "currency": "EUR",
			"owner": object{"email": "jana@example.cz"}}).is(201)
		states, err := orders.AllStates(t.Context(), w.table, made.body["id"].(string))
		require.NoError(t, err)
		got := make([]string, len(states))
		for _, s := range states {
			got[s.Position-1] = fmt.Sprint(s.Key, " ", s.Name, " ", s.Final)
		}
		require.Equal(t, want, got)
		change := w.table.changes[len(w.table.changes)-1]
		require.Equal(t, made.body["id"], change.Shop)
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
		a := w.do("POST", "/operator/shops", body).is(422, "invalid")
		require.Equal(t, at, a.body["errors"].([]any)[0].(object)["location"], a.text)
	}
	for _, name := range []string{"name", "domain", "locale", "currency", "owner"} {
		body := shopBody("a.cz")
		delete(body, name)
		w.do("POST", "/operator/shops", body).at("body."+name, "required")
	}
	require.Empty(t, w.do("GET", "/operator/shops", nil).items())
}

func TestADomainIsAHostName(t *testing.T) {
	w := open(t)
	for domain, want := range map[string]int{
		"a.cz": 201, "sub.a-b.cz": 201, "localhost": 201, "xn--mj-kia.cz": 201, "1.a2.cz": 201,
		"": 422, ".": 422, "a.": 422, ".a.cz": 422, "a..cz": 422, "-a.cz": 422, "a-.cz": 422, "a_b.cz": 422, "127.0.0.1": 422,
		"2130706433": 422, "a.cz:8080": 422, "https://a.cz": 422, "a.cz/": 422, "á.cz": 422, "user@a.cz": 422, "[::1]": 422,
		strings.Repeat("a", 64) + ".cz": 422, strings.Repeat("abcdefg.", 32) + "cz": 422,
	} {
		w.do("POST", "/operator/shops", shopBody(domain)).is(want)
	}
}

func TestADomainBelongsToOneShop(t *testing.T) {
	w := open(t)
	first, second := w.shop("a.cz"), w.shop("b.cz")
	w.do("POST", "/operator/shops", shopBody("A.CZ")).is(409, "domain_taken")
	w.do("PATCH", "/operator/shops/"+second, object{"domain": "a.cz"}).is(409, "domain_taken")
	w.do("PATCH", "/operator/shops/"+first, object{"domain": "c.cz"}).is(200)
	w.do("PATCH", "/operator/shops/"+second, object{"domain": "a.cz"}).is(200)
	w.do("PATCH", "/operator/shops/"+second, object{"domain": "A.cz"}).is(200)
	w.do("PATCH", "/operator/shops/"+first, object{"domain": "b.cz"}).is(200)
	w.do("POST", "/operator/shops", shopBody("c.cz")).is(201)
}

func TestOfParallelShopsWithOneDomainOneIsMade(t *testing.T) {
	w := open(t)
	var made atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if w.do("POST", "/operator/shops", shopBody("a.cz")).status == 201 {
				made.Add(1)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, made.Load())
	require.Len(t, w.do("GET", "/operator/shops", nil).items(), 1)
}

func TestAnotherOwnerIsToldUnlessNothingChanged(t *testing.T) {
	w := open(t)
	id := w.shop("a.cz")
	before := w.do("GET", "/operator/shops/"+id, nil)
	w.pass(time.Second)
	same := w.do("PATCH", "/operator/shops/"+id, object{"owner": object{"email": "jana@example.cz"}, "name": "Shop"}).is(200)
	require.Equal(t, before.body, same.body)
	require.Equal(t, before.etag(), same.etag())
	w.do("PATCH", "/operator/shops/"+id, object{"name": "Other"}).is(200)
	require.Empty(t, w.told(), "only the owner is told of")
	w.pass(time.Second)
	changed := w.do("PATCH", "/operator/shops/"+id, object{"owner": object{"email": "petr@example.cz"}, "domain": "b.cz"}).is(200)
	require.Equal(t, "2026-11-21T02:05:14.583Z", changed.get("changed"))
	require.NotEqual(t, before.etag(), changed.etag())
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.ShopOwnerChange, told[0].Event)
	require.JSONEq(t, `{"ownerEmail":"petr@example.cz","websiteUrl":"https://b.cz","originatedAt":"2026-11-21T02:05:14.583Z"}`, string(told[0].Data))
}

func TestRecordsAreChangedOnConditionOfTheirVersion(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "shop:read")
	_, path := w.install(shop, pkg)
	for path, body := range map[string]object{
		"/operator/shops/" + shop:   {"name": "Other"},
		"/operator/packages/" + pkg: {"name": "Other"},
		path:                        {"hourlyLimit": 5},
	} {
		tag := w.do("GET", path, nil).is(200).etag()
		w.do("PATCH", path, body, "If-Match", `"x"`).is(412, "version_conflict")
		w.do("PATCH", path, body, "If-Match", tag).is(200)
		w.do("PATCH", path, body, "If-Match", tag).is(412, "version_conflict")
		w.do("PATCH", path, body, "If-Match", "*").is(200)
		w.do("PATCH", path, object{}, "Content-Type", "application/merge-patch+json").is(200)
		w.do("PATCH", path, object{"nonsense": 1}).at("body.nonsense", "unknown_field")
	}
}

func TestAChangeThatComesBetweenIsNotLost(t *testing.T) {
	w := open(t)
	path := "/operator/shops/" + w.shop("a.cz")
	between := func() { w.do("PATCH", path, object{"locale": "sk_SK"}).is(200) }
	w.table.before = between
	both := w.do("PATCH", path, object{"name": "Other"}).is(200)
	require.Equal(t, "sk_SK", both.get("locale"))
	require.Equal(t, "Other", both.get("name"))
	w.table.before = func() { w.do("PATCH", path, object{"locale": "cs_CZ"}).is(200) }
	w.do("PATCH", path, object{"name": "Third"}, "If-Match", both.etag()).is(412, "version_conflict")
}

func TestAPackageIsMadeReadChangedAndListed(t *testing.T) {
	w := open(t)
	made := w.do("POST", "/operator/packages", packageBody("configurator", "products:read", "customers:read")).is(201)
	id := made.get("id")
	require.Equal(t, object{"id": id, "code": "configurator", "name": "Package", "instructions": "# Do it",
		"permissions": []any{"products:read", "customers:read"}, "created": "2026-11-21T02:05:12.583Z", "changed": "2026-11-21T02:05:12.583Z"}, made.body)
	require.Equal(t, "/operator/packages/"+id, made.header.Get("Location"))
	w.do("POST", "/operator/packages", packageBody("configurator")).is(409, "code_taken")
	other := w.pack("other")
	w.do("PATCH", "/operator/packages/"+other, object{"code": "configurator"}).is(409, "code_taken")
	changed := w.do("PATCH", "/operator/packages/"+id, object{"code": "c2", "permissions": nil, "instructions": "x"}).is(200)
	require.Equal(t, []any{}, changed.body["permissions"])
	w.do("PATCH", "/operator/packages/"+other, object{"code": "configurator"}).is(200)
	require.Equal(t, changed.body, w.do("GET", "/operator/packages/"+id, nil).is(200).body)
	require.Len(t, w.do("GET", "/operator/packages", nil).items(), 2)
	w.do("GET", "/operator/packages/"+nobody, nil).is(404)
	w.do("POST", "/operator/packages", packageBody("p", "all")).at("body.permissions[0]", "bad_format")
	w.do("POST", "/operator/packages", packageBody("p", "shop:read", "shop:read")).at("body.permissions[1]", "duplicate")
	w.do("POST", "/operator/packages", object{"code": "p", "name": "P"}).at("body.instructions", "required")
	require.Empty(t, w.told())
}

// names resolves what a test gives it.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, has := n[strings.TrimSuffix(host, ".")]; has {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, nil
}

func TestASystemURLObeysTheRulesOfReceivers(t *testing.T) {
	w := open(t)
	w.p.Names = names{"vendor.example.com": "1.1.1.1", "inside.example.com": "10.0.0.1"}
	id := w.pack("a")
	path := "/operator/packages/" + id
	for _, bad := range []string{"https://inside.example.com/", "https://nowhere.example.com/", "http://vendor.example.com/", "https://10.0.0.1/", "x", ""} {
		w.do("PATCH", path, object{"systemUrl": bad}).at("body.systemUrl", "bad_format")
	}
	body := packageBody("b")
	body["systemUrl"] = "http://127.0.0.1:8080/operator"
	w.do("POST", "/operator/packages", body).at("body.systemUrl", "bad_format")
	set := w.do("PATCH", path, object{"systemUrl": "https://vendor.example.com/hooks"}).is(200)
	require.Equal(t, "https://vendor.example.com/hooks", set.get("systemUrl"))
	w.p.Names = names{}
	w.do("PATCH", path, object{"systemUrl": "https://vendor.example.com/hooks", "name": "Other"}).is(200)
	cleared := w.do("PATCH", path, object{"systemUrl": nil}).is(200)
	require.NotContains(t, cleared.body, "systemUrl")
}

func TestASystemKeySignsAndTheOneBeforeItForADay(t *testing.T) {
	w := open(t)
	id := w.pack("a")
	path := "/operator/packages/" + id + "/system-keys"
	w.do("POST", "/operator/packages/"+nobody+"/system-keys", nil).is(404)
	live := func() (states []webhooks.KeyState, texts []string) {
		keys, err := webhooks.KeysOf(context.Background(), w.p, id)
		require.NoError(t, err)
		for _, k := range keys {
			states, texts = append(states, k.State), append(texts, k.Key.Text())
		}
		return states, texts
	}
	first := w.do("POST", path, nil, "Idempotency-Key", "1").is(201)
	_, err := signature.Parse(first.get("key"))
	require.NoError(t, err)
	require.Equal(t, "primary", first.get("state"))
	again := w.do("POST", path, nil, "Idempotency-Key", "1").is(201)
	require.NotContains(t, again.body, "key", "shown once")
	require.Equal(t, first.get("id"), again.get("id"))
	second := w.do("POST", path, nil).is(201)
	states, texts := live()
	require.Equal(t, []webhooks.KeyState{webhooks.Primary, webhooks.Retiring}, states)
	require.Equal(t, []string{second.get("key"), first.get("key")}, texts)
	third := w.do("POST", path, nil).is(201)
	_, texts = live()
	require.Equal(t, []string{third.get("key"), second.get("key")}, texts, "one key before it, not two")
	w.pass(24 * time.Hour)
	_, texts = live()
	require.Equal(t, []string{third.get("key")}, texts)
}

func TestAPackageIsInstalledAndActivated(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "products:read", "shop:read")
	made, path := w.install(shop, pkg)
	require.Equal(t, path, made.header.Get("Location"))
	token := made.get("token")
	require.Regexp(t, `^esk_test_[0-9A-Za-z]{43}$`, token)
	delete(made.body, "token")
	require.Equal(t, object{"id": made.get("id"), "shopId": shop, "packageId": pkg, "state": "active", "permissions": []any{"products:read", "shop:read"},
		"hourlyLimit": 7200., "dailyLimit": 86400., "created": "2026-11-21T02:05:12.583Z", "changed": "2026-11-21T02:05:12.583Z"}, made.body)
	read := w.do("GET", path, nil).is(200)
	require.Equal(t, made.body, read.body)
	require.Equal(t, made.etag(), read.etag())
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.Notice{Event: events.PackageActivate, Access: made.get("id"), Package: pkg, Data: json.RawMessage(
		`{"packageId":"` + pkg + `","websiteUrl":"https://a.cz","locale":"cs_CZ","occurredAt":"2026-11-21T02:05:12.583Z"}`)}, told[0])
	me := w.as(token, "GET", "/api-engine/me", nil).is(200)
	require.Equal(t, shop, me.body["Shop"])
	require.Equal(t, "2026-11-01", me.body["Version"])
	w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg}).is(409, "package_installed")
	require.Len(t, w.do("GET", "/operator/shops/"+shop+"/accesses", nil).items(), 1)
	w.install(w.shop("b.cz"), pkg)
}

func TestAnAccessCanBeInstalledOnly(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "shop:read")
	made := w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg, "active": false, "hourlyLimit": 3, "dailyLimit": 9}).is(201)
	require.Equal(t, "installed", made.get("state"))
	require.EqualValues(t, 3, made.body["hourlyLimit"])
	path := made.header.Get("Location")
	w.as(made.get("token"), "GET", "/api-engine/me", nil).is(403, "package_inactive")
	same := w.do("POST", path+"/deactivate", nil).is(200)
	require.Equal(t, "installed", same.get("state"))
	require.Empty(t, w.told())
	w.do("POST", path+"/activate", nil).is(200)
	require.Len(t, w.told(), 1)
	me := w.as(made.get("token"), "GET", "/api-engine/me", nil).is(200)
	require.Equal(t, "3", me.raw("X-RateLimit-Hourly-Limit"))
	require.Equal(t, "9", me.raw("X-RateLimit-Daily-Limit"))
}

func TestAnAccessIsCheckedWhenItIsMade(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "shop:read")
	path := "/operator/shops/" + shop + "/accesses"
	w.do("POST", path, object{}).at("body.packageId", "required")
	w.do("POST", path, object{"packageId": nobody}).at("body.packageId", "not_found")
	w.do("POST", path, object{"packageId": "x"}).at("body.packageId", "not_found")
	w.do("POST", path, object{"packageId": pkg, "permissions": []string{"orders:read"}}).at("body.permissions[0]", "conflict")
	w.do("POST", path, object{"packageId": pkg, "permissions": []string{"none"}}).at("body.permissions[0]", "bad_format")
	w.do("POST", path, object{"packageId": pkg, "hourlyLimit": 0}).at("body.hourlyLimit", "too_small")
	w.do("POST", path, object{"packageId": pkg, "hourlyLimit": 3_600_001}).at("body.hourlyLimit", "too_big")
	w.do("POST", path, object{"packageId": pkg, "dailyLimit": 86_400_001}).at("body.dailyLimit", "too_big")
	w.do("POST", path, object{"packageId": pkg, "active": "yes"}).at("body.active", "wrong_type")
	w.do("POST", path, object{"packageId": pkg, "state": "active"}).at("body.state", "read_only")
	w.do("POST", "/operator/shops/"+nobody+"/accesses", object{"packageId": pkg}).is(404, "not_found")
	w.do("GET", "/operator/shops/"+nobody+"/accesses", nil).is(404, "not_found")
	require.Empty(t, w.do("GET", path, nil).items())
	none := w.do("POST", path, object{"packageId": pkg, "permissions": []string{}, "hourlyLimit": nil}).is(201)
	require.Equal(t, []any{}, none.body["permissions"])
}

func TestWhatChangesAboutAnAccessCountsAtOnce(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a", "products:read", "shop:read")
	made, path := w.install(shop, pkg)
	me := func() answer { return w.as(made.get("token"), "GET", "/api-engine/me", nil) }
	require.Equal(t, []any{"products:read", "shop:read"}, me().body["Permissions"])
	changed := w.do("PATCH", path, object{"permissions": []string{"shop:read"}, "hourlyLimit": 5, "dailyLimit": 6}).is(200)
	require.EqualValues(t, 5, changed.body["hourlyLimit"])
	require.Equal(t, []any{"shop:read"}, me().body["Permissions"])
	require.Equal(t, "6", me().raw("X-RateLimit-Daily-Limit"))
	w.do("PATCH", path, object{"permissions": []string{"orders:read"}}).at("body.permissions[0]", "conflict")
	w.do("PATCH", path, object{"packageId": pkg}).at("body.packageId", "read_only")
	back := w.do("PATCH", path, object{"hourlyLimit": nil, "dailyLimit": nil}).is(200)
	require.EqualValues(t, 7200, back.body["hourlyLimit"])
	require.EqualValues(t, 86400, back.body["dailyLimit"])
	same := w.do("PATCH", path, object{"hourlyLimit": nil}).is(200)
	require.Equal(t, back.etag(), same.etag())
	w.do("PATCH", "/operator/packages/"+pkg, object{"permissions": []string{"products:read"}}).is(200)
	require.Empty(t, me().body["Permissions"], "what counts is what both hold")
	require.Equal(t, []any{"shop:read"}, w.do("GET", path, nil).body["permissions"])
	w.do("PATCH", path, object{"hourlyLimit": 7}).is(200)
	w.do("PATCH", "/operator/shops/"+shop, object{"locale": "sk_SK"}).is(200)
	require.Equal(t, "sk_SK", me().body["Locale"])
	w.do("POST", path+"/deactivate", nil).is(200)
	me().is(403, "package_inactive")
	w.do("POST", path+"/activate", nil).is(200)
	me().is(200)
}

func TestActivatingAndDeactivatingTwiceTellsOnce(t *testing.T) {
	w := open(t)
	pkg := w.pack("a")
	made, path := w.install(w.shop("a.cz"), pkg)
	w.told()
	require.Equal(t, made.etag(), w.do("POST", path+"/activate", nil).is(200).etag())
	require.Empty(t, w.told())
	off := w.do("POST", path+"/deactivate", nil).is(200)
	require.Equal(t, "deactivated", off.get("state"))
	require.Equal(t, off.etag(), w.do("POST", path+"/deactivate", nil).is(200).etag())
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.PackageDeactivate, told[0].Event)
	require.JSONEq(t, `{"packageId":"`+pkg+`","websiteUrl":"https://a.cz","locale":"cs_CZ","occurredAt":"2026-11-21T02:05:12.583Z",
		"removedCustomCodeIds":[],"keptCustomCodeIds":[]}`, string(told[0].Data))
	w.do("POST", path+"/activate", nil).is(200)
	require.Len(t, w.told(), 1)
}

func TestStatesMoveAsThePackagesDo(t *testing.T) {
	for _, x := range []struct{ is, to, next access.State }{
		{access.Installed, access.Active, access.Active},
		{access.Installed, access.Deactivated, access.Installed},
		{access.Active, access.Active, access.Active},
		{access.Active, access.Deactivated, access.Deactivated},
		{access.Deactivated, access.Active, access.Active},
		{access.Deactivated, access.Deactivated, access.Deactivated},
	} {
		require.Equal(t, x.next, operator.Next(x.is, x.to))
	}
}

func TestInstructionsAreOpenedInEveryState(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a")
	made, path := w.install(shop, pkg)
	w.do("POST", path+"/deactivate", nil).is(200)
	before := w.do("GET", path, nil)
	w.told()
	opened := w.do("POST", path+"/open-instructions", nil).is(200)
	require.Equal(t, object{"instructions": "# Do it"}, opened.body)
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.Notice{Event: events.PackageOpenInstructions, Access: made.get("id"), Package: pkg,
		Data: json.RawMessage(`{"packageId":"` + pkg + `","locale":"cs_CZ","openedAt":"2026-11-21T02:05:12.583Z"}`)}, told[0])
	require.Equal(t, before.etag(), w.do("GET", path, nil).etag())
}

func TestTokensAreMadeListedAndRevoked(t *testing.T) {
	w := open(t)
	first, path := w.install(w.shop("a.cz"), w.pack("a"))
	w.pass(time.Second)
	end := "2026-11-21T03:00:00.000Z"
	made := w.do("POST", path+"/tokens", object{"expiresAt": end}).is(201)
	token := made.get("token")
	require.Equal(t, token[len(token)-4:], made.get("last4"))
	list := w.do("GET", path+"/tokens", nil).items()
	require.Len(t, list, 2)
	require.NotContains(t, list[0], "token")
	require.NotContains(t, list[0], "lastUsedAt")
	require.Equal(t, object{"id": made.get("id"), "last4": made.get("last4"), "expiresAt": end, "created": "2026-11-21T02:05:13.583Z"}, list[1])
	w.as(token, "GET", "/api-engine/me", nil).is(200)
	require.Equal(t, "2026-11-21T02:05:13.583Z", w.do("GET", path+"/tokens?created[strictly_after]=2026-11-21T02:05:12.583Z", nil).items()[0]["lastUsedAt"])
	w.do("DELETE", path+"/tokens/"+made.get("id"), nil).is(204)
	w.as(token, "GET", "/api-engine/me", nil).is(401, "unauthenticated")
	w.as(first.get("token"), "GET", "/api-engine/me", nil).is(200)
	w.do("DELETE", path+"/tokens/"+made.get("id"), nil).is(404, "not_found")
	require.Len(t, w.do("GET", path+"/tokens", nil).items(), 1)
	for cursor, n := "", 0; n < 2; n++ {
		w.do("POST", path+"/tokens", []any{object{}, nil}[n]).is(201)
		page := w.do("GET", path+"/tokens?itemsPerPage=1"+cursor, nil)
		require.Len(t, page.items(), 1)
		cursor = "&cursor=" + page.get("nextCursor")
	}
	w.do("POST", path+"/tokens", object{"expiresAt": "tomorrow"}).at("body.expiresAt", "bad_format")
}

func TestATokenIsRefusedFromItsExpiryOn(t *testing.T) {
	w := open(t)
	_, path := w.install(w.shop("a.cz"), w.pack("a"))
	token := w.do("POST", path+"/tokens", object{"expiresAt": "2026-11-21T02:05:13.583Z"}).is(201).get("token")
	w.as(token, "GET", "/api-engine/me", nil).is(200)
	w.pass(time.Second)
	w.as(token, "GET", "/api-engine/me", nil).is(401)
}

func TestTokensAreLiveInProductionOnly(t *testing.T) {
	w := open(t)
	w.p.Environment = "production"
	made, _ := w.install(w.shop("a.cz"), w.pack("a"))
	require.Regexp(t, `^esk_live_`, made.get("token"))
}

func TestAnAccessIsFoundInItsShopOnly(t *testing.T) {
	w := open(t)
	pkg := w.pack("a")
	mine, path := w.install(w.shop("a.cz"), pkg)
	token := w.do("GET", path+"/tokens", nil).items()[0]["id"].(string)
	_, other := w.install(w.shop("b.cz"), pkg)
	foreign := other[:strings.LastIndex(other, "/")+1] + mine.get("id")
	for path, method := range map[string]string{"": "GET", "/activate": "POST", "/deactivate": "POST", "/open-instructions": "POST", "/tokens": "GET"} {
		w.do(method, foreign+path, nil).is(404, "not_found")
	}
	w.do("PATCH", foreign, object{"hourlyLimit": 1}).is(404, "not_found")
	w.do("POST", foreign+"/tokens", object{}).is(404, "not_found")
	w.do("DELETE", foreign+"/tokens/"+token, nil).is(404, "not_found")
	w.do("DELETE", other+"/tokens/"+token, nil).is(404, "not_found")
	w.do("GET", strings.Replace(path, mine.get("id"), "odd", 1), nil).is(404, "not_found")
}

func TestTheOperatorsKeysGiveTheFirstAnswerWithoutItsSecrets(t *testing.T) {
	w := open(t)
	shop, pkg := w.shop("a.cz"), w.pack("a")
	all := "/operator/shops/" + shop + "/accesses"
	first := w.do("POST", all, object{"packageId": pkg}, "Idempotency-Key", "k").is(201)
	again := w.do("POST", all, object{"packageId": pkg}, "Idempotency-Key", "k").is(201)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.NotContains(t, again.body, "token")
	require.Equal(t, first.get("id"), again.get("id"))
	w.do("POST", all, object{"packageId": nobody}, "Idempotency-Key", "k").is(422, "idempotency_key_reused")
	path := first.header.Get("Location")
	one := w.do("POST", path+"/tokens", object{}, "Idempotency-Key", "t").is(201)
	two := w.do("POST", path+"/tokens", object{}, "Idempotency-Key", "t").is(201)
	require.NotContains(t, two.body, "token")
	require.Equal(t, one.get("id"), two.get("id"))
	require.Len(t, w.do("GET", path+"/tokens", nil).items(), 2)
	made := w.do("POST", "/operator/shops", shopBody("b.cz"), "Idempotency-Key", "s").is(201)
	require.Equal(t, made.body, w.do("POST", "/operator/shops", shopBody("b.cz"), "Idempotency-Key", "s").is(201).body)
	off := w.do("POST", path+"/deactivate", nil, "Idempotency-Key", "d").is(200)
	w.do("POST", path+"/activate", nil).is(200)
	require.Equal(t, off.body, w.do("POST", path+"/deactivate", nil, "Idempotency-Key", "d").is(200).body, "replayed, not done again")
	require.Equal(t, "active", w.do("GET", path, nil).get("state"))
}

func TestTheOperatorsAPIIsNotInThePublicDocument(t *testing.T) {
	for path := range open(t).frame.OpenAPI().Paths {
		require.False(t, strings.HasPrefix(path, "/operator"), path)
	}
}
