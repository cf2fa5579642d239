package admin

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
)

func TestWhoIsNotSignedInIsLedToDoSo(t *testing.T) { onBoth(t, notSignedIn) }

func notSignedIn(t *testing.T, w *world) {
	b := w.merchant(tea)
	b.Page("/admin/coupons?code=a").Leads(303, "/admin/sign-in?to=%2Fadmin%2Fcoupons%3Fcode%3Da")
	over := b.Ask("POST", "/admin/coupons", hosttest.FormType, "code=A", "Accept", hosttest.PageType, "Sec-Fetch-Site",
		"same-origin", "Referer", "https://elsewhere.example/admin/coupons/new?lang=en").Shown(401)
	require.Regexp(t, `role="alert" data-code="unauthenticated"[^>]*><p>Nejste přihlášeni, takže se nic neuložilo`,
		over.Text)
	require.Contains(t, over.Text, `<input type="hidden" name="_to" value="/admin/coupons/new?lang=en">`)
	require.NotContains(t, b.Form("/admin/coupons", "code", "A").Shown(401).Text, `name="_to"`)
	b.Page("/admin/nowhere").Leads(303, "/admin/sign-in?to=%2Fadmin%2Fnowhere")
	page := b.Page("/admin/sign-in?to=/admin/coupons").Shown(200)
	require.Contains(t, page.Text, `name="_to" value="/admin/coupons"`)
	require.NotContains(t, b.Page("/admin/sign-in?to=//evil.example").Shown(200).Text, "evil")
	require.Contains(t, b.Form(signInPath, "email", "ada@tea.example", "password", "wrong").Shown(401).Text,
		`data-code="sign_in_failed"`)
	b.Form(signInPath, "email", "ada@tea.example", "password", password, "_to",
		"/admin/coupons").Leads(303, "/admin/coupons")
	b.Page("/admin/coupons").Shown(200)
	b.Page("/admin/nowhere").Shown(404)
	b.Page("/admin/").Leads(303, "/admin")

	w.Clock.Pass(staff.SessionLife - time.Hour)
	b.Page("/admin/coupons").Shown(200)
	w.Clock.Pass(staff.SessionLife - time.Hour)
	b.Page("/admin/coupons").Shown(200)
	w.Clock.Pass(staff.SessionLife + time.Second)
	b.Page("/admin/coupons").Is(303)
}

// TestAFaultOfThePlatformIsNotCalledAnUnknownShop: where the shop is known the page is its own, and else says to try
// again.
func TestAFaultOfThePlatformIsNotCalledAnUnknownShop(t *testing.T) {
	onBoth(t, aFaultOfThePlatformIsNotCalledAnUnknownShop)
}

func aFaultOfThePlatformIsNotCalledAnUnknownShop(t *testing.T, w *world) {
	b := w.ada(tea)
	w.Main.Before(func([]store.Op) error { panic("what nobody foresaw") })
	a := b.Form("/admin/people", "email", "eva@tea.example", "name", "Eva").Shown(500)
	require.Contains(t, a.Text, `data-code="internal"`)
	require.Contains(t, a.Text, "Ada &lt;of tea.example&gt;")

	w.Restart()
	require.Contains(t, w.merchant("nobody.example").Page("/admin").Shown(404).Text, "There is no shop here")
	w.Main.Down()
	require.Contains(t, b.Page("/admin").Shown(503).Text, "try again in a moment")
}

func TestPagesAreInTheLanguageThatIsAskedFor(t *testing.T) {
	w := open(t)
	for _, c := range []struct{ host, asked, accepts, lang string }{
		{tea, "", "", "cs"}, {toys, "", "", "sk"}, {tea, "", "en-GB,en;q=0.9", "en"}, {tea, "", "de", "cs"},
		{tea, "?lang=sk", "en", "sk"}, {tea, "?lang=de", "en", "en"},
	} {
		b := w.merchant(c.host)
		a := b.Ask("GET", signInPath+c.asked, "", "", "Accept-Language", c.accepts).Shown(200)
		require.Contains(t, a.Text, `<html lang="`+c.lang+`">`, "%+v", c)
		if c.asked == "?lang=sk" {
			require.Contains(t, b.Page(signInPath).Text, `<html lang="sk">`, "it is kept")
		}
	}
}

func TestEveryEnvironmentButProductionIsMarked(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	for _, a := range []string{b.Page("/admin/coupons").Shown(200).Text,
		w.merchant(tea).Page(signInPath).Shown(200).Text} {
		require.Contains(t, a, `<b data-environment="staging">staging</b>`)
	}
	w = open(t, func(p *host.Parts) { p.Environment = "production" })
	require.NotContains(t, w.ada(tea).Page("/admin/coupons").Shown(200).Text, "data-environment")
	require.NotContains(t, w.merchant(tea).Page(signInPath).Shown(200).Text, "data-environment")
}

// TestRefusalsAreInTheVisitorsLanguage has those whose problem says more in English.
func TestRefusalsAreInTheVisitorsLanguage(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	for _, a := range []hosttest.Answer{
		b.Page("/admin/products?itemsPerPage=0").Shown(422),
		b.Form("/admin/sign-out", "everywhere", "x").Shown(422),
		b.Ask("POST", "/admin/categories", "text/plain", "x", "Accept", hosttest.PageType, "Sec-Fetch-Site",
			"same-origin").Shown(415), b.Ask("POST", "/admin/categories", "application/json", "x", "Accept",
			hosttest.PageType, "Sec-Fetch-Site", "same-origin").Shown(400),
	} {
		require.Contains(t, a.Text, `role="alert"`)
		require.NotRegexp(t, `must be|The body|Send the`, a.Text)
	}
}

func TestAnActionWithoutABodyIsAnEmptyForm(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	act := func(path, contentType string) hosttest.Answer {
		return b.Ask("POST", path, contentType, "", "Accept", hosttest.PageType, "Sec-Fetch-Site", "same-origin")
	}
	require.Regexp(t, `name="name"[^>]* aria-invalid="true"`, act("/admin/categories", "").Shown(422).Text)
	require.Contains(t, act("/admin/imports", "").Shown(422).Text, `role="alert"`)
	act("/admin/products/stock", "").Is(303)
	act("/admin/shop", "application/json").Is(303)
	act("/admin/sign-out", "").Is(303)
}
