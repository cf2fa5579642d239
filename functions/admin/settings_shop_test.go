package admin

import (
	"strings"
	"testing"

	"eshop/shared/images"
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
		f, err := shop.FaceOf(items[0])
		require.NoError(t, err)
		return f
	}
	b.Form("/admin/shop", "name", "Tea house", "accent", "#b4552d", "welcome", "Tea <3", "terms", "# Terms", "contact",
		"", "payment.transfer", "Pay {total}").Leads(303, "/admin/shop")
	want := shop.Face{Accent: "#b4552d", Welcome: "Tea <3", Terms: "# Terms",
		Payment: shop.Payment{Transfer: "Pay {total}"}}
	require.Equal(t, want, face())
	require.Equal(t, "Tea house", w.operator("GET", "/operator/shops/"+w.shops[tea], nil).At("name"))

	// As the page sends it: with a file, and with what it has shown, which leaves what others have changed.
	texts := []string{"accent", "#000000", "_shown.accent", "#000000", "welcome", "", "_shown.welcome", "Tea <3",
		"payment.onDelivery", "At the door\r\nin cash"}
	uploadAs(t, b, "/admin/shop", "logo", texts, dyed(t, 7)).Leads(303, "/admin/shop")
	want.Welcome, want.Payment.OnDelivery = "", "At the door\nin cash"
	got := face()
	require.Equal(t, [2]int{2, 2}, [2]int{got.Logo.Width, got.Logo.Height})
	want.Logo = got.Logo
	require.Equal(t, want, got)
	page := b.Page("/admin/shop").Shown(200).Text
	require.Contains(t, page, `<img class="logo" src="https://tea.example/images/`)
	require.Contains(t, page, "At the door")

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
}
