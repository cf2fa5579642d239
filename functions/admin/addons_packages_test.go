package admin

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/developer"
	"eshop/shared/base/permission"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// code makes a custom code of the shop's add-on, with a cleanup order when it is to go, and returns its id.
func (w *world) code(shop, name string, goes bool) string {
	w.T.Helper()
	id := w.addon(shop, "POST", "/api-engine/custom-codes",
		object{"name": name, "position": "bodyEnd", "code": "<b>" + name + "</b>"}).ID()
	if goes {
		w.addon(shop, "POST", "/api-engine/cleanup-orders", object{"customCodeId": id, "packageId": w.pkg})
	}
	w.Clock.Pass(time.Second)
	return id
}

// outcome are the names and ids that a page lists under an outcome.
func outcome(a hosttest.Answer, of string) string {
	a.T.Helper()
	found := regexp.MustCompile(`(?s)<ul class="plain" data-outcome="` + of + `">(.*?)</ul>`).FindStringSubmatch(a.Text)
	require.NotNil(a.T, found, a.Text)
	return found[1]
}

// toldOf are the notices of an event that were told since the last look.
func (w *world) toldOf(e events.Name) (all []events.Notice) {
	for _, c := range w.Main.NewChanges() {
		for _, n := range c.Notices {
			if n.Event == e {
				all = append(all, n)
			}
		}
	}
	return all
}

func TestAPackageIsDeactivatedWithAReport(t *testing.T) { onBoth(t, deactivation) }

func deactivation(t *testing.T, w *world) {
	b := w.ada(tea)
	access := w.accesses[tea]
	path := "/admin/packages/" + access
	goes, stays := w.code(tea, "Goes <1>", true), w.code(tea, "Stays", false)

	list := b.Page("/admin/packages").Shown(200)
	require.Contains(t, list.Text, `<tr data-id="`+access+`" data-state="active">`)
	require.Contains(t, b.Page(path).Shown(200).Text, "Číst zákazníky")
	before := b.Page(path + "/deactivate").Shown(200)
	require.Equal(t, `<li data-id="`+goes+`">Goes &lt;1&gt;</li>`, outcome(before, "removed"))
	require.Equal(t, `<li data-id="`+stays+`">Stays</li>`, outcome(before, "kept"))

	customer := w.addon(tea, "POST", "/api-engine/customers", object{"email": "data@example.cz", "firstName": "A",
		"lastName": "B"}).ID()
	require.Contains(t, before.Text, `data-part="data" data-count="0"`)
	w.addon(tea, "PUT", "/api-engine/customers/"+customer+"/data", object{"crmId": 1})
	require.Contains(t, b.Page(path+"/deactivate").Shown(200).Text, `data-part="data" data-count="1"`)

	w.Main.NewChanges()
	report := does(b, path+"/deactivate")
	told := w.toldOf(events.PackageDeactivate)
	require.Len(t, told, 1)
	require.Contains(t, string(told[0].Data), `"removedCustomCodeIds":["`+goes+`"]`)
	for range 2 { // it is there whenever somebody looks
		require.Equal(t, outcome(before, "removed"), outcome(report, "removed"))
		require.Equal(t, outcome(before, "kept"), outcome(report, "kept"))
		require.Contains(t, report.Text, `data-state="deactivated"`)
		require.Contains(t, report.Text, `data-part="data" data-count="1"`)
		report = b.Page(path + "/deactivate").Shown(200)
	}
	require.Equal(t, 403, w.As(w.tokens[tea], "GET", "/api-engine/status", nil).Status)

	b.Form(path+"/deactivate").Leads(303, path+"/deactivate")
	require.Empty(t, w.toldOf(events.PackageDeactivate), "done twice")
	require.Equal(t, outcome(before, "removed"), outcome(b.Page(path+"/deactivate"), "removed"))

	require.Contains(t, does(b, path+"/activate").Text, `data-state="active"`)
	require.Len(t, w.toldOf(events.PackageActivate), 1)
	b.Form(path+"/activate").Leads(303, path)
	require.Empty(t, w.toldOf(events.PackageActivate), "done twice")
	again := b.Page(path + "/deactivate").Shown(200)
	require.Empty(t, outcome(again, "removed"), "the report is over")
	again = does(b, path+"/deactivate")
	require.Empty(t, outcome(again, "removed"))
	require.Contains(t, outcome(again, "kept"), stays)
	does(b, "/admin/orphans/"+stays+"/delete")
	require.Contains(t, outcome(b.Page(path+"/deactivate").Shown(200), "kept"), stays,
		"it was kept, whatever became of it since")
}

func TestPackagesOfOtherShopsAreNotThere(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	for _, access := range []string{w.accesses[toys], noID, "x"} {
		path := "/admin/packages/" + access
		for _, page := range []string{"", "/deactivate", "/instructions"} {
			b.Page(path + page).Shown(404)
		}
		for _, action := range []string{"/activate", "/deactivate"} {
			b.Form(path + action).Shown(404)
		}
		api := "/admin/api/" + access
		for _, page := range []string{"", "/tokens", "/codes"} {
			b.Page(api + page).Shown(404)
		}
		for _, action := range []string{"/permissions", "/tokens", "/tokens/" + noID + "/revoke",
			"/codes/" + noID + "/delete"} {
			b.Form(api + action).Shown(404)
		}
		b.Form(api+"/codes/"+noID+"/switch", "active", "true").Shown(404)
	}
	require.Contains(t, w.merchant(tea).Page("/admin/packages").Header.Get("Location"), "/admin/sign-in")
	w.merchant(tea).Form("/admin/packages/" + w.accesses[tea] + "/deactivate").Shown(401)
	b.Page("/admin/packages?limit=1").Shown(422)
}

// TestATestShopsPeopleFireAsManySystemWebhooksAsItsDeveloper: both doors and all packages have one count.
func TestATestShopsPeopleFireAsManySystemWebhooksAsItsDeveloper(t *testing.T) {
	onBoth(t, ofADeveloper)
}

func ofADeveloper(t *testing.T, w *world) {
	developer.Function.HTTP(w.P, w.API)
	token := w.operator("POST", "/operator/developers", object{"name": "Eva", "email": "eva@a.cz"}).Get("token")
	eva := func(path string, body object) hosttest.Answer { return w.As(token, "POST", "/developer"+path, body) }
	const domain = "eva.test"
	w.shops[domain] = eva("/shops", object{"name": "Test", "domain": domain, "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "eva@a.cz"}}).Is(201).ID()
	var accesses []string
	for _, code := range []string{"one", "two"} {
		pkg := eva("/packages", object{"code": code, "name": "P", "instructions": "", "permissions": permission.All})
		a := eva("/shops/"+w.shops[domain]+"/accesses", object{"packageId": pkg.Is(201).ID()})
		accesses = append(accesses, a.Is(201).ID())
	}
	w.person(domain, "ada@"+domain, "Ada")
	b := w.ada(domain)
	for n := range 9 {
		b.Page("/admin/packages/" + accesses[n%2] + "/instructions").Shown(200)
	}
	eva("/shops/"+w.shops[domain]+"/accesses/"+accesses[1]+"/open-instructions", nil).Is(200)
	b.Page("/admin/packages/" + accesses[0] + "/instructions").Shown(429)
	b.Form("/admin/packages/" + accesses[1] + "/deactivate").Shown(429)
	eva("/shops/"+w.shops[domain]+"/accesses/"+accesses[1]+"/open-instructions", nil).Is(429, "rate_limited")
	w.ada(tea).Page("/admin/packages/" + w.accesses[tea] + "/instructions").Shown(200)
}

func TestOpeningInstructionsIsTold(t *testing.T) { onBoth(t, instructions) }

func instructions(t *testing.T, w *world) {
	b := w.ada(tea)
	path := "/admin/packages/" + w.accesses[tea] + "/instructions"
	opened := func() []events.Notice { return w.toldOf(events.PackageOpenInstructions) }
	opened()
	page := b.Page(path).Shown(200)
	require.Contains(t, page.Text, "<h2>Hello</h2>")
	require.Contains(t, page.Text, "<p>Do <strong>this</strong>.</p>")
	require.Len(t, opened(), 1)

	for name, c := range map[string]struct {
		method  string
		headers []string
		status  int
	}{
		"fetched ahead": {"GET", []string{"Sec-Purpose", "prefetch"}, 503},
		"shown ahead":   {"GET", []string{"Sec-Purpose", "prefetch;prerender"}, 503},
		"looked at":     {"HEAD", nil, 200},
		"led to by another site": {"GET",
			[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 303},
		"led to by a neighbour": {"GET",
			[]string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate"}, 303},
		"a picture in a page of the admin": {"GET",
			[]string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "image"}, 303},
		"a frame": {"GET",
			[]string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "iframe"}, 303},
	} {
		b.Ask(c.method, path, "", "", append(c.headers, "Accept", hosttest.PageType)...).Is(c.status)
		require.Empty(t, opened(), name)
	}
	w.merchant(tea).Page(path).Is(http.StatusSeeOther)
	stale := w.merchant(tea)
	stale.Cookies[hostOnly+sessionCookie] = noID + ".nobody"
	stale.Page(path).Is(http.StatusSeeOther)
	require.Empty(t, opened(), "nobody is signed in")

	for _, site := range []string{"same-origin", "none"} {
		b.Ask("GET", path, "", "", "Sec-Fetch-Site", site, "Sec-Fetch-Dest", "document").Shown(200)
		require.Len(t, opened(), 1)
	}
	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	b.Page(path).Shown(200)
	require.Len(t, opened(), 1, "in every state")
}

// TestAPackageOnATestShopFiresTenSystemWebhooksASecond, by whatever its people do: the developer chose where they go.
func TestAPackageOnATestShopFiresTenSystemWebhooksASecond(t *testing.T) {
	w := open(t)
	item, err := w.Main.Get(t.Context(), store.Key{PK: "S#" + w.shops[toys], SK: "A"})
	require.NoError(t, err)
	item[0].Doc = append([]byte(`{"developerId":"ada",`), item[0].Doc[1:]...)
	w.Put(w.Main, *item[0])
	w.Clock.Pass(time.Minute) // until nobody remembers the shop as it was
	for domain, bounded := range map[string]bool{toys: true, tea: false} {
		b := w.ada(domain)
		path := "/admin/packages/" + w.accesses[domain]
		for range 4 {
			b.Form(path + "/deactivate").Is(303)
			b.Form(path + "/activate").Is(303)
		}
		b.Page(path + "/instructions").Shown(200)
		b.Page(path + "/instructions").Shown(200)
		for _, again := range []func() hosttest.Answer{
			func() hosttest.Answer { return b.Page(path + "/instructions") },
			func() hosttest.Answer { return b.Form(path + "/deactivate") },
			func() hosttest.Answer { return b.Form(path + "/activate") },
			func() hosttest.Answer { return b.Form(path + "/activation") },
		} {
			require.Equal(t, bounded, again().Status == http.StatusTooManyRequests, domain)
		}
		w.Clock.Pass(time.Second)
		require.NotEqual(t, http.StatusTooManyRequests, b.Form(path+"/activate").Status, "in the next second")
	}
}

func TestASetUpThatIsNotDoneIsShown(t *testing.T) { onBoth(t, setups) }

func setups(t *testing.T, w *world) {
	b := w.ada(tea)
	path := "/admin/packages/" + w.accesses[tea]
	const todo = `<li data-todo="setup">`
	for _, page := range []string{"/admin", "/admin/packages", path} {
		require.NotContains(t, b.Page(page).Shown(200).Text, "setup", page)
	}
	w.addon(tea, "PATCH", "/api-engine/package",
		object{"setup": "required", "setupUrl": "https://addon.example/?a=1&b='2'"})
	for _, page := range []string{"/admin/packages", path} {
		shown := b.Page(page).Shown(200).Text
		require.Contains(t, shown, `<span data-setup="required"><span class="state warn">Nastavení čeká na vás</span> `+
			`<a href="https://addon.example/?a=1&amp;b=%272%27" rel="noreferrer">Dokončit nastavení</a></span>`)
	}
	home := b.Page("/admin").Shown(200).Text
	require.Contains(t, home, todo+`Doplněk čeká, až dokončíte jeho nastavení: <a href="`+path+`">Goods</a></li>`)
	require.NotContains(t, home, "Teď nic.")

	w.addon(tea, "PATCH", "/api-engine/package", object{"setup": "in_progress"})
	require.Contains(t, b.Page(path).Shown(200).Text, `rel="noreferrer">Otevřít nastavení</a>`)
	require.NotContains(t, b.Page("/admin").Shown(200).Text, todo, "nobody is waited for")
	w.addon(tea, "PATCH", "/api-engine/package", object{"setupUrl": nil})
	require.Contains(t, b.Page(path).Shown(200).Text,
		`<span data-setup="in_progress"><span class="state">Nastavuje se</span></span>`)

	w.addon(tea, "PATCH", "/api-engine/package", object{"setup": "required"})
	does(b, path+"/deactivate")
	require.Contains(t, does(b, path+"/activate").Text, `data-state="active"`)
	w.answers(tea)
	for _, page := range []string{"/admin", "/admin/packages", path} {
		require.NotContains(t, b.Page(page).Shown(200).Text, "setup", page)
	}
}

func TestAnAddOnThatDoesNotAnswerItsActivationIsShown(t *testing.T) { onBoth(t, unanswered) }

func unanswered(t *testing.T, w *world) {
	b := w.ada(tea)
	path := "/admin/packages/" + w.accesses[tea]
	require.Contains(t, b.Page("/admin").Shown(200).Text, "Doplňky běží bez chyb")
	require.NotContains(t, b.Page(path).Shown(200).Text, path+"/activation")
	refuses(b, path+"/activation", "not_redeliverable", "nepovedlo")
	does(b, path+"/deactivate")
	since := w.Clock.Now()
	does(b, path+"/activate")
	refuses(b, path+"/activation", "not_redeliverable", "nepovedlo") // it is not queued yet
	row := w.refused(tea)
	require.Contains(t, b.Page("/admin").Shown(200).Text, "Doplňky běží bez chyb", "it has some time to answer")
	w.Clock.Pass(time.Minute)
	home := b.Page("/admin").Shown(200).Text
	require.NotContains(t, home, "Doplňky běží bez chyb")
	moment := since.In(field.Zone()).Format("15:04")
	require.Regexp(t, `<li data-todo="unanswered">Doplněk neodpovídá na své zapnutí od [^:]*`+moment+`: <a href="`+path, home)
	for _, page := range []string{"/admin/packages", path} {
		require.Regexp(t, `<span data-setup="in_progress">.*Na zapnutí neodpovídá od [^<]*`+moment+`</span>`,
			b.Page(page).Shown(200).Text, page)
	}
	require.Contains(t, does(b, path+"/activation").Text, "posílá znovu")
	items, err := w.P.Pipeline.Get(t.Context(), webhook.RowKey(w.pkg, row.ID))
	require.NoError(t, err)
	again := webhook.RowOf(items[0])
	require.Equal(t, []any{webhook.Waiting, webhook.Exhausted, true}, []any{again.State, again.Ended, again.Asked})

	w.answers(tea)
	require.Contains(t, b.Page("/admin").Shown(200).Text, "Doplňky běží bez chyb")
	require.NotContains(t, b.Page(path).Shown(200).Text, "neodpovídá")
	w.ada(toys).Form(path + "/activation").Is(404)
}
