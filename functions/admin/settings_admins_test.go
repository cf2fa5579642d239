package admin

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

func TestPeopleAreAddedAndDeleted(t *testing.T) { onBoth(t, peopleOfAShop) }

func peopleOfAShop(t *testing.T, w *world) {
	ada := w.ada(tea)
	require.Equal(t, []string{w.admins[tea]}, rowsOf(ada.Page("/admin/people").Shown(200)))

	last := ada.Form("/admin/people/" + w.admins[tea] + "/delete").Shown(409)
	require.Contains(t, last.Text, `role="alert" data-code="last_admin"`)
	require.Equal(t, []string{w.admins[tea]}, rowsOf(last), "the list stays in view")

	ada.Form("/admin/people", "email", "eva@tea.example", "name", "Eva").Leads(303, "/admin/people")
	added := ada.Page("/admin/people").Shown(200)
	link := secretOf(added, "link")
	require.Len(t, rowsOf(added), 2)
	require.NotContains(t, ada.Page("/admin/people").Shown(200).Text, "data-secret", "it is shown once")
	at, err := url.Parse(link)
	require.NoError(t, err)
	require.Equal(t, "https://tea.admin.example/admin/set-password", strings.TrimSuffix(link, "?"+at.RawQuery))

	taken := ada.Form("/admin/people", "email", "EVA@tea.example", "name", "Eve").Shown(409)
	require.Contains(t, taken.Text, `role="alert" data-code="email_taken"`)
	require.Contains(t, taken.Text, `value="Eve"`)
	require.Contains(t, ada.Form("/admin/people", "email", "eva").Shown(422).Text, `data-code="required"`)

	eva := w.merchant(tea)
	first := eva.Page(at.RequestURI()).Shown(200)
	require.Contains(t, first.Text, `href="/admin/set-password?lang=sk&amp;token=`+at.Query().Get("token"),
		"in another language, too")
	require.Contains(t, first.Text, `action="/admin/set-password?`+at.RawQuery+`"`)
	require.Contains(t, eva.Form(setPasswordPath+"?"+at.RawQuery, "password", "short").Shown(422).Text,
		`action="/admin/set-password?`+at.RawQuery+`"`)
	eva.Form(setPasswordPath, "token", at.Query().Get("token"), "password", "another good one").Shown(404)
	eva.Form(setPasswordPath+"?"+at.RawQuery, "password", "another good one").Leads(303, signInPath)
	for _, used := range []hosttest.Answer{eva.Page(at.RequestURI()).Shown(404),
		eva.Form(setPasswordPath+"?"+at.RawQuery, "password", "another good one").Shown(404)} {
		require.Contains(t, used.Text, "Byl použit, nebo vypršel. Požádejte o nový")
	}
	eva.Form(signInPath, "email", "Eva@tea.example", "password", "another good one").Leads(303, "/admin")
	w.Clock.Pass(tries)

	id := rowsOf(added)[1]
	ada.Form("/admin/people/"+id+"/sign-in-link").Leads(303, "/admin/people")
	at, err = url.Parse(secretOf(ada.Page("/admin/people").Shown(200), "link"))
	require.NoError(t, err)
	w.merchant(tea).Form(setPasswordPath+"?"+at.RawQuery, "password", password).Leads(303, signInPath)
	eva.Page("/admin/people").Leads(303, "/admin/sign-in?to=%2Fadmin%2Fpeople")
	w.Clock.Pass(tries)
	eva.Form(signInPath, "email", "eva@tea.example", "password", password).Leads(303, "/admin")

	eva.Form("/admin/people/"+w.admins[tea]+"/delete").Leads(303, "/admin/people")
	ada.Page("/admin/people").Is(303)
	ada.Form("/admin/people", "email", "x@tea.example", "name", "X").Shown(401)
	eva.Form("/admin/people/" + w.admins[tea] + "/delete").Shown(404)
	eva.Form("/admin/people/" + w.admins[tea] + "/sign-in-link").Shown(404)
	require.Equal(t, []string{id}, rowsOf(eva.Page("/admin/people").Shown(200)))

	eva.Form("/admin/people", "email", "ida@tea.example", "name", "Ida").Leads(303, "/admin/people")
	at, err = url.Parse(secretOf(eva.Page("/admin/people").Shown(200), "link"))
	require.NoError(t, err)
	w.merchant(tea).Form(setPasswordPath+"?"+at.RawQuery, "password", password).Leads(303, signInPath)
	require.Equal(t, 1, strings.Count(eva.Page("/admin/people?lang=en").Shown(200).Text, "This is your own account"))
	eva.Form("/admin/people/"+id+"/delete", "_of", "Eva").Leads(303, signInPath)
	require.Contains(t, eva.Page(signInPath).Shown(200).Text, "Deleted: Eva")
}
