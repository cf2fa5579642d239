package admin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAShopsOrderStatesAreMadeChangedAndDeleted(t *testing.T) { onBoth(t, shopsStates) }

func shopsStates(t *testing.T, w *world) {
	b := w.ada(tea)
	require.Len(t, rowsOf(b.Page("/admin/order-states").Shown(200)), 6)
	b.Page("/admin/order-states/new").Shown(200)
	w.hears()
	made := does(b, "/admin/order-states", "name", "Čeká na <platbu>", "color", "#1f9d55",
		"position", "0", "final", "false")
	require.Contains(t, made.Text, "Čeká na &lt;platbu&gt;")
	require.Equal(t, []string{"states created"}, w.hears())
	page := b.Page("/admin/order-states").Shown(200)
	id := rowsOf(page)[0]
	require.Contains(t, page.Text, `fill="#1f9d55"`)
	require.NotContains(t, page.Text, "style=")
	over := w.addon(tea, "GET", "/api-engine/order-states/"+id, nil)
	require.Equal(t, []any{"Čeká na <platbu>", 0.0, false},
		[]any{over.At("name"), over.At("position"), over.At("final")}, "states are listed by position")

	path := "/admin/order-states/" + id
	require.Contains(t, b.Form(path, "name", "Waiting", "color", "url(https://evil.example)").Shown(422).Text,
		`id="color-fault" data-code="bad_format"`, "only plain colors are taken")
	does(b, path, "name", "Waiting", "position", "", "final", "false", "final", "true", "color", "#1F9D55")
	require.Equal(t, []string{"states changed"}, w.hears())
	over = w.addon(tea, "GET", "/api-engine/order-states/"+id, nil)
	require.Equal(t, []any{"Waiting", 7.0, true}, []any{over.At("name"), over.At("position"), over.At("final")},
		"without a position it is the last one")
	b.Form(path, "name", "Waiting").Leads(303, path)
	require.Empty(t, w.hears())
	wrong := b.Form(path, "name", "", "position", "-1").Shown(422).Text
	require.Contains(t, wrong, `id="name-fault" data-code="required"`)
	require.Contains(t, wrong, `id="position-fault" data-code="too_small"`)

	other := w.ada(toys)
	other.Page(path).Shown(404)
	other.Form(path, "name", "x").Shown(404)
	other.Form(path + "/delete").Shown(404)
	require.Empty(t, w.hears())

	b.Form(path+"/delete").Leads(303, "/admin/order-states")
	require.Equal(t, []string{"states deleted"}, w.hears())
	require.NotContains(t, rowsOf(b.Page("/admin/order-states").Shown(200)), id)
	page = b.Page("/admin/order-states?includeDeleted=true").Shown(200)
	require.Contains(t, rowsOf(page), id)
	require.Contains(t, page.Text, `data-id="`+id+`" data-state="inactive"`)
	require.NotContains(t, b.Page(path).Shown(200).Text, "<button>Uložit", "nothing can be changed of a deleted state")
	require.Contains(t, b.Page(path).Text, `href="/admin/orders?stateId=`+id+`"`, "its orders are found from its page")
	require.Contains(t, b.Form(path, "name", "x").Shown(409).Text, `role="alert" data-code="state_deleted"`)
	b.Form(path+"/delete").Leads(303, "/admin/order-states")
	require.Empty(t, w.hears(), "done twice it tells nothing")

	rows := rowsOf(b.Page("/admin/order-states").Shown(200))
	for _, id := range rows[1:] {
		b.Form("/admin/order-states/" + id + "/delete").Is(303)
	}
	last := b.Form("/admin/order-states/" + rows[0] + "/delete").Shown(409).Text
	require.Contains(t, last, `role="alert" data-code="last_state"`)
	require.Contains(t, last, `data-id="`+rows[0]+`" data-state="active"`)
	require.Contains(t, last, `value="Nová"`)
}
