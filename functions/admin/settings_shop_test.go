package admin

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"eshop/shared/images"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/shop"

	"github.com/stretchr/testify/require"
)

func TestPeopleSetTheirShopsNameAndOwner(t *testing.T) { onBoth(t, shopsSettings) }

func shopsSettings(t *testing.T, w *world) {
	b := w.ada(tea)
	page := b.Page("/admin/shop").Shown(200)
	for _, part := range []string{`data-id="` + w.shops[tea] + `"`, "Shop &lt;tea.example&gt;", "owner@tea.example",
		"https://tea.example/", "CZK"} {
		require.Contains(t, page.Text, part)
	}
	w.hears()
	page = does(b, "/admin/shop", "name", "Tea house", "owner.email", "owner@tea.example")
	require.Contains(t, page.Text, `value="Tea house"`)
	require.Empty(t, w.hears(), "the owner is the same")
	page = does(b, "/admin/shop", "name", "Tea house", "owner.email", "new@tea.example")
	require.Contains(t, page.Text, `value="new@tea.example"`)
	require.Equal(t, []string{"shopOwnerChange"}, w.hears())
	b.Form("/admin/shop", "owner.email", "new@tea.example").Leads(303, "/admin/shop")
	require.Empty(t, w.hears(), "done twice it tells nothing")

	wrong := b.Form("/admin/shop", "name", " ", "owner.email", "nobody").Shown(422).Text
	require.Contains(t, wrong, `id="name-fault"`)
	require.Contains(t, wrong, `id="owner-email-fault"`)
	require.Contains(t, wrong, `value="nobody"`, "what was typed is kept")
	require.Contains(t, b.Form("/admin/shop", "name", "X", "owner.email", "").Shown(422).Text,
		`id="owner-email-fault" data-code="required"`)
	for _, name := range []string{"domain", "currency", "locale", "owner.name"} {
		b.Form("/admin/shop", "name", "X", name, "x").Shown(422)
	}
	require.Equal(t, "Tea house", w.operator("GET", "/operator/shops/"+w.shops[tea], nil).At("name"))
	require.Equal(t, "Shop <toys.example>", w.operator("GET", "/operator/shops/"+w.shops[toys], nil).At("name"))
}

func TestAShopGetsAFaceOfItsOwn(t *testing.T) { onBoth(t, shopsFace) }

func shopsFace(t *testing.T, w *world) {
	b := w.ada(tea)
	face := func() shop.Face {
		items, err := w.P.Main.Get(t.Context(), shop.FaceKey(w.shops[tea]))
		require.NoError(t, err)
		f, err := shop.FaceOf(items[0], "cs_CZ")
		require.NoError(t, err)
		return f
	}
	b.Form("/admin/shop", "name", "Tea house", "accent", "#b4552d", "welcome", "Tea <3", "terms", "# Terms", "contact",
		"").Leads(303, "/admin/shop")
	want := face() // with the ways of a new shop
	want = shop.Face{Accent: "#b4552d", Welcome: "Tea <3", Terms: "# Terms", Ways: want.Ways}
	require.Equal(t, want, face())
	require.Equal(t, "Tea house", w.operator("GET", "/operator/shops/"+w.shops[tea], nil).At("name"))

	// As the page sends it: with a file, and with what it has shown, which leaves what others have changed.
	texts := []string{"accent", "#000000", "_shown.accent", "#000000", "welcome", "", "_shown.welcome", "Tea <3"}
	uploadAs(t, b, "/admin/shop", "logo", texts, dyed(t, 7)).Leads(303, "/admin/shop")
	want.Welcome = ""
	got := face()
	require.Equal(t, [2]int{2, 2}, [2]int{got.Logo.Width, got.Logo.Height})
	want.Logo = got.Logo
	require.Equal(t, want, got)
	shown := b.Page("/admin/shop").Shown(200).Text
	require.Contains(t, shown, `<img class="logo" src="https://tea.example/images/`)

	key := images.Key(images.IDOf(images.KeyOf(got.Logo.URL)))
	shows := func() bool {
		rows, err := w.P.Main.Query(t.Context(), store.Query{PK: key.PK, From: "P#"})
		require.NoError(t, err)
		return len(rows.Items) == 1 && rows.Items[0].Num["until"] == 0
	}
	require.True(t, shows(), "so the picture stays")
	none := []byte("no picture")
	wrong := uploadAs(t, b, "/admin/shop", "logo", []string{"name", " ", "accent", "red"}, none).Shown(422)
	require.Contains(t, wrong.Text, `id="name-fault"`)
	require.Contains(t, wrong.Text, `id="accent-fault" data-code="bad_format"`)
	require.Contains(t, uploadAs(t, b, "/admin/shop", "logo", nil, none).Shown(415).Text,
		`id="logo-fault" data-code="unsupported_media_type"`)
	require.Contains(t, uploadAs(t, b, "/admin/shop", "logo", nil, make([]byte, 4<<20+1)).Shown(413).Text,
		`id="logo-fault" data-code="body_too_large"`)
	long := strings.Repeat("a", 20_001)
	require.Contains(t, b.Form("/admin/shop", "terms", long).Shown(422).Text, `id="terms-fault" data-code="too_long"`)
	require.Equal(t, want, face(), "nothing of a refused form is kept")

	uploadAs(t, b, "/admin/shop", "logo", []string{"_shown.deleteLogo", "false",
		"deleteLogo", "false"}, nil).Leads(303, "/admin/shop")
	require.Equal(t, want, face(), "a box that nobody has ticked says nothing")
	uploadAs(t, b, "/admin/shop", "logo", []string{"_shown.deleteLogo", "false", "deleteLogo", "false",
		"deleteLogo", "true"}, nil).Leads(303, "/admin/shop")
	require.Zero(t, face().Logo)
	require.False(t, shows(), "the picture ends in a day")
	require.NotContains(t, b.Page("/admin/shop").Shown(200).Text, `class="logo"`)

	// A preview saves nothing. Its address is sealed for this shop, short, and good for ten minutes.
	preview := func(fields ...string) string {
		at := b.Form("/admin/shop/preview", fields...).Shown(200).Text
		found := regexp.MustCompile(`href="https://tea\.example/\?look=([\w-]+)"`).FindStringSubmatch(at)
		require.Len(t, found, 2, at)
		return found[1]
	}
	look := func(shop string, sealed string) map[string]string {
		return page.Previews(w.P.Key, shop).Open(sealed, w.P.Now()).Look
	}
	writes := w.Main.Writes()
	sealed := preview("name", "Tea room", "accent", "#fedcba", "_shown.accent", "#000000", "welcome", "Hi <3",
		"deleteHero", "false", "deleteHero", "true")
	require.Equal(t, map[string]string{"name": "Tea room", "accent": "#fedcba", "welcome": "Hi <3",
		"deleteLogo": "false", "deleteHero": "true"}, look(w.shops[tea], sealed))
	require.Nil(t, look(w.shops[toys], sealed))
	require.Less(t, len(preview("name", strings.Repeat("<", 255), "welcome", strings.Repeat("<", 300))), 5_000)
	wrong = b.Form("/admin/shop/preview", "accent", "red", "welcome", strings.Repeat("a", 301)).Shown(422)
	require.Contains(t, wrong.Text, `id="accent-fault" data-code="bad_format"`)
	require.Contains(t, b.Form("/admin/shop/preview", "welcome", strings.Repeat("a", 301)).Shown(422).Text,
		`id="welcome-fault" data-code="too_long"`)
	require.Equal(t, writes, w.Main.Writes())
	w.Clock.Pass(page.NoteLife + time.Second)
	require.Nil(t, look(w.shops[tea], sealed))

	// The picture of the first page comes and goes as the logo does.
	require.Contains(t, uploadAs(t, b, "/admin/shop", "hero", nil, none).Shown(415).Text,
		`id="hero-fault" data-code="unsupported_media_type"`)
	uploadAs(t, b, "/admin/shop", "hero", nil, dyed(t, 9)).Leads(303, "/admin/shop")
	require.Equal(t, [2]int{2, 2}, [2]int{face().Hero.Width, face().Hero.Height})
	require.Contains(t, b.Page("/admin/shop").Shown(200).Text, `<img class="hero" src="https://tea.example/images/`)
	b.Form("/admin/shop", "deleteHero", "true").Leads(303, "/admin/shop")
	require.Zero(t, face().Hero)
	require.Regexp(t, `<input id="accent" name="accent" type="color" value="#b4552d"`, b.Page("/admin/shop").Text)
	b.Form("/admin/shop", "accent", "").Leads(303, "/admin/shop")
	shown = b.Page("/admin/shop").Text
	require.Contains(t, shown, `name="_shown.accent" value="#26483a"`, "a form sends no colour that nobody chose")
}

func TestAShopsWaysAreItsOwn(t *testing.T) { onBoth(t, shopsWays) }

func shopsWays(t *testing.T, w *world) {
	b := w.ada(tea)
	ways := func() shop.Ways {
		ways, err := shop.WaysOf(t.Context(), w.P.Main, w.shops[tea])
		require.NoError(t, err)
		return ways
	}
	keys := func(l shop.WayList) (keys []string) {
		for _, w := range l {
			keys = append(keys, w.Key)
		}
		return keys
	}
	first := ways()
	require.Equal(t, []string{"courier", "pickup"}, keys(first.Delivery))
	require.Equal(t, []string{"transfer", "onDelivery"}, keys(first.Payment))
	require.Equal(t, first, first.On(), "a new shop offers all of them")
	require.True(t, first.Delivery.Named("Osobní odběr").Pickup)

	b.Form("/admin/shop", "delivery.courier.name", "Posel", "delivery.courier.note", "Do dvou dnů\r\naž domů",
		"delivery.pickup.on", "false", "payment.transfer.iban", "cz65 0800 0000 1920 0014 5399",
		"payment.transfer.note", "Pay {total}").Leads(303, "/admin/shop")
	now := ways()
	require.Equal(t, shop.WayFields{Name: "Posel", On: true, Note: "Do dvou dnů\naž domů"}, now.Delivery[0].WayFields)
	require.Equal(t, []string{"courier"}, keys(now.On().Delivery))
	require.Equal(t, "CZ6508000000192000145399", string(now.Payment[0].IBAN))
	require.Equal(t, first.Payment[1], now.Payment[1], "what the form says nothing of stays")

	// One field that is cleared clears no more.
	b.Form("/admin/shop", "delivery.courier.note", "", "_shown.delivery.courier.note", "Do dvou dnů\naž domů").
		Leads(303, "/admin/shop")
	require.Equal(t, shop.WayFields{Name: "Posel", On: true}, ways().Delivery[0].WayFields)
	require.Len(t, ways().Delivery, 2)

	// One more gets a key by its name, and is on unless it says otherwise.
	for _, name := range []string{"Zásilkovna", "ZÁSILKOVNA", "New"} {
		b.Form("/admin/shop", "delivery.new.name", name, "delivery.new.pickup", "true").Leads(303, "/admin/shop")
	}
	require.Equal(t, []string{"courier", "pickup", "zasilkovna", "zasilkovna-2", "new-2"}, keys(ways().Delivery))
	require.Equal(t, shop.WayFields{Name: "New", On: true, Pickup: true}, ways().Delivery[4].WayFields)
	b.Form("/admin/shop", "payment.new.name", "Kartou", "payment.new.on", "false").Leads(303, "/admin/shop")
	require.Equal(t, shop.Way{Key: "kartou", WayFields: shop.WayFields{Name: "Kartou"}}, ways().Payment[2])

	page := b.Page("/admin/shop").Shown(200).Text
	for _, part := range []string{`name="delivery.courier.name"`, `name="delivery.zasilkovna-2.pickup"`,
		`name="payment.new.iban"`, `value="CZ65 0800 0000 1920 0014 5399"`} {
		require.Contains(t, page, part)
	}

	kept := ways()
	wrong := b.Form("/admin/shop", "delivery.courier.name", " ", "delivery.pickup.name", "New",
		"delivery.pickup.note", strings.Repeat("a", 2_001), "payment.transfer.iban", "CZ65 0800 0000 1920 0014 5398",
		"payment.new.note", "without a name").Shown(422).Text
	for _, part := range []string{`id="delivery-courier-name-fault" data-code="required"`,
		`id="delivery-new-2-name-fault" data-code="duplicate"`, `id="delivery-pickup-note-fault" data-code="too_long"`,
		`id="payment-transfer-iban-fault" data-code="bad_format"`, `id="payment-new-name-fault" data-code="required"`,
		"without a name"} {
		require.Contains(t, wrong, part)
	}
	for _, name := range []string{"delivery.nobody.name", "payment.transfer.price", "payment.transfer.pickup",
		"delivery.courier.iban", "payment.stripe.on"} {
		b.Form("/admin/shop", name, "true").Shown(422)
	}
	require.Equal(t, kept, ways(), "nothing of a refused form is kept")
}

func TestAShopOfManyWaysIsSavedAsItIsShown(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	for i := range 28 {
		b.Form("/admin/shop", "delivery.new.name", "D"+strconv.Itoa(i), "payment.new.name", "P"+strconv.Itoa(i)).
			Leads(303, "/admin/shop")
	}
	require.Contains(t, b.Form("/admin/shop", "delivery.new.name", "One more").Shown(422).Text,
		`id="delivery-new-name-fault" data-code="too_many"`)
	var sent []string
	for _, field := range fields.FindAllStringSubmatch(b.Page("/admin/shop").Shown(200).Text, -1) {
		if !strings.Contains(field[1], ".new.") { // whose boxes the page does not tick
			sent = append(sent, field[1], field[2])
		}
	}
	require.Greater(t, len(sent), 2*400)
	uploadAs(t, b, "/admin/shop", "logo", sent, dyed(t, 3)).Leads(303, "/admin/shop")
}

// fields are the inputs of ways on a page.
var fields = regexp.MustCompile(`<input[^>]* name="((?:_shown\.)?(?:delivery|payment)\.[^"]+)"[^>]* value="([^"]*)"`)
