package admin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCodesAreSwitchedAndDeleted(t *testing.T) { onBoth(t, codesOfPackage) }

func codesOfPackage(t *testing.T, w *world) {
	b := w.ada(tea)
	path := "/admin/api/" + w.accesses[tea] + "/codes"
	require.Contains(t, b.Page(path).Shown(200).Text, "nic nevkládá")
	goes, stays := w.code(tea, "Goes", true), w.code(tea, "Stays", false)
	page := b.Page(path).Shown(200)
	require.Contains(t, page.Text, `data-id="`+goes+`" data-state="active"`)
	require.Equal(t, 1, strings.Count(page.Text, "data-cleanup="))
	require.Contains(t, page.Text, "&lt;b&gt;Goes&lt;/b&gt;")

	require.Contains(t, does(b, path+"/"+stays+"/switch", "active", "false").Text,
		`data-id="`+stays+`" data-state="inactive"`)
	read := w.addon(tea, "GET", "/api-engine/custom-codes/"+stays, nil)
	require.Equal(t, false, read.At("active"))
	does(b, path+"/"+stays+"/switch", "active", "false")
	require.Equal(t, read.At("changed"),
		w.addon(tea, "GET", "/api-engine/custom-codes/"+stays, nil).At("changed"), "done twice")
	b.Form(path + "/" + stays + "/switch").Shown(422)

	does(b, path+"/"+goes+"/delete")
	b.Form(path + "/" + goes + "/delete").Shown(404)
	require.Equal(t, 404, w.As(w.tokens[tea], "GET", "/api-engine/custom-codes/"+goes, nil).Status)
	other := w.ada(toys)
	toysPath := "/admin/api/" + w.accesses[toys] + "/codes/"
	other.Form(toysPath+stays+"/switch", "active", "true").Shown(404)
	other.Form(toysPath + stays + "/delete").Shown(404)
}

func TestOrphanedCodesAreDeleted(t *testing.T) { onBoth(t, orphanedCodes) }

func orphanedCodes(t *testing.T, w *world) {
	b := w.ada(tea)
	goes, stays, again := w.code(tea, "Goes", true), w.code(tea, "Stays <b>", false), w.code(tea, "Stays, too", false)
	foreign := w.code(toys, "Of toys", false)
	require.Empty(t, rowsOf(b.Page("/admin/orphans").Shown(200)))
	b.Form("/admin/orphans/" + stays + "/delete").Shown(404)

	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	page := b.Page("/admin/orphans").Shown(200)
	require.Equal(t, []string{stays, again}, rowsOf(page))
	require.Contains(t, page.Text, "Stays &lt;b&gt;")
	require.Len(t, rowsOf(b.Page("/admin/orphans?itemsPerPage=1").Shown(200)), 1)
	b.Page("/admin/orphans?name=x").Shown(422)
	for _, id := range []string{goes, foreign, noID, "x"} {
		b.Form("/admin/orphans/" + id + "/delete").Shown(404)
	}
	require.Equal(t, []string{again}, rowsOf(does(b, "/admin/orphans/"+stays+"/delete")))
	b.Form("/admin/orphans/" + stays + "/delete").Shown(404)
	require.Contains(t, b.Page("/admin").Shown(200).Text, `data-part="orphans" data-count="1"`)

	does(b, "/admin/packages/"+w.accesses[tea]+"/activate")
	require.Empty(t, rowsOf(b.Page("/admin/orphans")))
	b.Form("/admin/orphans/" + again + "/delete").Shown(404)
	w.addon(tea, "GET", "/api-engine/custom-codes/"+again, nil)
}
