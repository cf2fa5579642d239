package admin

import (
	"testing"

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
