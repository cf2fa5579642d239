package admin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAShopsDiscountCodesAreMadeChangedAndDeleted(t *testing.T) { onBoth(t, discountCodes) }

func discountCodes(t *testing.T, w *world) {
	b := w.ada(tea)
	require.Contains(t, b.Page("/admin/coupons").Shown(200).Text, "Zatím nemáte žádný slevový kód.")
	b.Page("/admin/coupons/new").Shown(200)

	made := does(b, "/admin/coupons", "code", "LETO", "type", "percentage", "value", "10.00", "minimumOrder", "",
		"usageLimit", "",
		"validFrom", "2026-11-22T10:00", "validTo", "", "active", "false", "active", "true")
	require.Contains(t, made.Text, "Vytvořeno: LETO<")
	id := rowsOf(b.Page("/admin/coupons").Shown(200))[0]
	over := w.addon(tea, "GET", "/api-engine/discount-coupons/"+id, nil)
	require.Equal(t, []any{"LETO", "2026-11-22T09:00:00.000Z", true},
		[]any{over.At("code"), over.At("validFrom"), over.At("active")},
		"a time without a zone is the shop's own")
	require.NotContains(t, b.Page("/admin/coupons/"+id).Shown(200).Text, "Vytvořeno", "it is said once")

	again := b.Form("/admin/coupons", "code", "leto", "type", "percentage", "value", "5.00").Shown(409)
	require.Contains(t, again.Text, `role="alert" data-code="code_taken"`)
	require.Contains(t, again.Text, `value="leto"`, "what was typed is kept")
	wrong := b.Form("/admin/coupons/"+id, "code", "", "type", "percentage", "value", "ten", "odd", "1").Shown(422)
	require.Contains(t, wrong.Text, `aria-invalid="true"`)
	require.Contains(t, wrong.Text, `data-code="required"`)

	for _, c := range [][]string{{"2027-01-01T10:00", "", "Zatím neplatí"},
		{"2026-01-01T10:00", "2026-02-01T10:00", "Platnost skončila"}} {
		does(b, "/admin/coupons/"+id, "validFrom", c[0], "validTo", c[1])
		require.Contains(t, b.Page("/admin/coupons").Shown(200).Text, c[2])
	}
	does(b, "/admin/coupons/"+id, "value", "12.50", "validFrom", "", "validTo", "")
	over = w.addon(tea, "GET", "/api-engine/discount-coupons/"+id, nil)
	require.Equal(t, []any{"12.50", nil, "LETO"}, []any{over.At("value"), over.At("validFrom"), over.At("code")},
		"an empty field clears, a missing one stays")

	require.Contains(t, b.Page("/admin/coupons").Shown(200).Text, "12,5\u00a0%")
	require.Contains(t, b.Page("/admin/coupons?code=none").Shown(200).Text, "Nic tomu neodpovídá.")
	require.Equal(t, []string{id}, rowsOf(b.Page("/admin/coupons?code=leto&changed%5Bafter%5D=").Shown(200)))
	require.Empty(t, rowsOf(b.Page("/admin/coupons?code=zima").Shown(200)))
	b.Page("/admin/coupons?limit=1").Shown(422)
	b.Page("/admin/coupons?itemsPerPage=0").Shown(422)
	w.ada(toys).Page("/admin/coupons/" + id).Shown(404)

	require.Contains(t, does(b, "/admin/coupons/"+id+"/delete", "_of", "<LETO>").Text, "Smazáno: &lt;LETO&gt;<")
	b.Form("/admin/coupons/" + id + "/delete").Shown(404)
	b.Page("/admin/coupons/" + id).Shown(404)
}
