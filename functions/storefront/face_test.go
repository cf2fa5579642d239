package storefront

import (
	"testing"
	"time"

	"eshop/events"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/shop"

	"github.com/stretchr/testify/require"
)

func TestAShopShowsItsOwnFace(t *testing.T) { onBoth(t, aShopShowsItsOwnFace) }

func aShopShowsItsOwnFace(t *testing.T, w *world) {
	w.product("TEA", "100.00", nil)
	taken := w.product("TERMS", "1.00", nil)
	b := w.visitor()
	plain := w.shown(b.Page("/"), 200).Text
	require.Contains(t, plain, "Vítejte v našem obchodě.")
	require.NotContains(t, plain, "<style>")
	require.NotContains(t, plain, `class="scene"`)
	require.Contains(t, plain, `<span class="pic tile" data-letters="PT"></span>`)
	require.NotContains(t, plain, `href="/terms"`)
	w.shown(b.Page("/terms"), 404)

	// Who orders agrees to the terms of a shop that has some.
	const agrees = `target="_blank">obchodními podmínkami</a>`
	checkout := func() string {
		b := w.visitor()
		b.add(taken, 1)
		return w.shown(b.Page("/checkout"), 200).Text
	}
	require.NotContains(t, checkout(), agrees)

	const key = "01KAJ1V4S7TGXSAKB4YV5Q2D3E-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	face := shop.Face{Logo: shop.Picture{URL: "https://api.example/images/" + key, Width: 400, Height: 100},
		Hero:   shop.Picture{URL: "https://api.example/images/" + key, Width: 900, Height: 600},
		Accent: "#b4552d", Welcome: "Čaj & klid", Terms: "## Za <b>prvé</b>\n[odkaz](javascript:x)\nřádek",
		Ways: shop.Ways{Delivery: shop.WayList{{Key: "shop", WayFields: shop.WayFields{Name: "Osobní odběr", On: true,
			Pickup: true, Note: "Údolní *12*"}}, {Key: "courier", WayFields: shop.WayFields{Name: "Kurýr"}}},
			Payment: shop.WayList{{Key: "transfer", WayFields: shop.WayFields{Name: "Převodem", On: true,
				IBAN: "CZ6508000000192000145399", Note: "Účet 1/0100, VS {number}, {total}"}},
				{Key: "cash", WayFields: shop.WayFields{Name: "Při převzetí", Note: "U dveří"}}}}}
	_, err := w.P.Main.Write(t.Context(), events.Nothing,
		store.Put(store.Item{Key: shop.FaceKey(w.shops[tea]), Version: "1", Doc: record.Document(face)}))
	require.NoError(t, err)
	w.Clock.Pass(time.Minute) // the shop is remembered for half of it

	home := w.shown(b.Page("/"), 200).Text
	for _, part := range []string{`<p>Čaj &amp; klid</p>`, `--accent:#a9502a;`, `<meta name="theme-color" content="#b4552d">`,
		`src="/images/` + key + `?w=320" alt="Shop &lt;` + tea + `&gt;" width="400" height="100"`,
		`<li><a href="/terms">Obchodní podmínky</a></li>`, `/images/` + key + `?w=320"`,
		`<img class="scene" src="/images/` + key + `"`} {
		require.Contains(t, home, part)
	}
	require.NotContains(t, home, `href="/privacy"`)

	// A look that the admin has sealed is shown to who has the address, and kept by nobody.
	sealed := func(shop string) string {
		look, err := page.Previews(w.P.Key, shop).Close(page.Note{Look: map[string]string{"name": "Čajovna",
			"accent": "#ffffff", "welcome": "Jen <zkouška>", "deleteHero": "true"}}, w.P.Random, w.P.Now())
		require.NoError(t, err)
		return "/?look=" + look
	}
	preview := w.shown(b.Page(sealed(w.shops[tea])), 200)
	for _, part := range []string{"Náhled: zatím neuloženo", "<h1>Čajovna</h1><p>Jen &lt;zkouška&gt;</p>", `class="logo"`,
		"--accent:" + rgb{1, 1, 1}.towards(rgb{}, lightPapers).String(), `<meta name="robots" content="noindex">`} {
		require.Contains(t, preview.Text, part)
	}
	require.NotContains(t, preview.Text, `class="scene"`)
	require.NotContains(t, preview.Text, `rel="canonical"`)
	require.Equal(t, "no-store", preview.Header.Get("Cache-Control"))
	late := sealed(w.shops[tea])
	w.Clock.Pass(page.NoteLife + time.Second)
	for _, none := range []string{"/", "/?look=x", late, sealed(w.shops[toys])} {
		saved := w.shown(b.Page(none), 200)
		require.Contains(t, saved.Text, "<p>Čaj &amp; klid</p>")
		require.NotContains(t, saved.Text, "Náhled")
		require.Equal(t, "private, no-cache", saved.Header.Get("Cache-Control"))
	}
	require.Contains(t, b.Page("/sitemap.xml").Is(200).Text, "part=pages")
	pages := b.Page("/sitemap.xml?part=pages").Is(200).Text
	require.Contains(t, pages, "<loc>https://"+tea+"/terms</loc></url>")
	require.NotContains(t, pages, "privacy")
	terms := w.shown(b.Page("/terms"), 200).Text
	require.Contains(t, terms, "<h3>Za ")
	require.Contains(t, terms, "odkaz<br>\nřádek")
	require.NotContains(t, terms, "<b>")
	require.NotContains(t, terms, "javascript:")
	require.Contains(t, terms, `<link rel="canonical" href="https://`+tea+`/terms">`)
	w.shown(b.Page("/privacy"), 404)
	require.Contains(t, checkout(), agrees)
	require.NotContains(t, w.shown(w.visitorOf(toys).Page("/"), 200).Text, "--accent:")

	// A checkout offers what is on, and says of a delivery what the shop says.
	form := checkout()
	for _, part := range []string{`name="delivery" value="Osobní odběr" checked`, "Údolní <em>12</em>",
		`name="payment" value="Převodem" checked`, `id="billingAddress-street-hint"`} {
		require.Contains(t, form, part)
	}
	require.NotContains(t, form, "Kurýr")
	require.NotContains(t, form, "0100")

	// How to pay is said with the order, to who may see whom it is for.
	order := func(b *browser, payment string) string {
		b.add(taken, 2)
		body := buyer()
		body["payment"] = payment
		return b.confirmation(b.JSON("POST", "/checkout", body).Is(201))
	}
	b.registered("jana@example.cz", nil)
	at := order(b, "Převodem")
	number := b.JSON("GET", "/account/orders", nil).Get("items.0.number")
	says := "Účet 1/0100, VS " + number + ", 2\u00a0Kč"
	require.Contains(t, w.shown(b.Page(at), 200).Text, says)
	own := "/account/orders/" + b.JSON("GET", "/account/orders", nil).Get("items.0.id")
	require.Contains(t, w.shown(b.Page(own), 200).Text, says)
	require.NotContains(t, b.JSON("GET", own, nil).Text, "0100")
	w.Clock.Pass(25 * time.Hour)
	require.NotContains(t, w.shown(b.Page(at), 200).Text, "0100")
	require.Contains(t, w.shown(b.Page(own), 200).Text, says)
	paid := w.shown(b.Page(order(w.visitor(), "Při převzetí")), 200).Text
	require.Contains(t, paid, "U dveří", "a way that is off now is still that of an order")
	require.NotContains(t, paid, "0100")
	require.NotContains(t, w.shown(b.Page(order(w.visitor(), "Kartou")), 200).Text, "data-payment")
}
