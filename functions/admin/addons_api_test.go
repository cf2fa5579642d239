package admin

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/page"
	"eshop/shared/ports/limit"
)

func TestAnAccessIsGivenPermissions(t *testing.T) { onBoth(t, permissions) }

func permissions(t *testing.T, w *world) {
	b := w.ada(tea)
	path := "/admin/api/" + w.accesses[tea]
	is := func() any {
		return w.operator("GET", "/operator/shops/"+w.shops[tea]+"/accesses/"+w.accesses[tea], nil).At("permissions")
	}
	shown := does(b, path+"/permissions", "permission", "orders:read", "permission", "products:read")
	require.Equal(t, []any{"orders:read", "products:read"}, is())
	require.Equal(t, 2, strings.Count(shown.Text, " checked>"))
	version := w.operator("GET", "/operator/shops/"+w.shops[tea]+"/accesses/"+w.accesses[tea], nil).Header.Get("ETag")
	does(b, path+"/permissions", "permission", "products:read", "permission", "orders:read")
	require.Equal(t, version, w.operator("GET", "/operator/shops/"+w.shops[tea]+"/accesses/"+w.accesses[tea],
		nil).Header.Get("ETag"),
		"the same ones in another order are no change")

	w.operator("PATCH", "/operator/packages/"+w.pkg, object{"permissions": []string{"orders:read", "products:read"}})
	wrong := b.Form(path+"/permissions", "permission", "orders:read", "permission", "customers:read").Shown(422)
	require.Contains(t, wrong.Text, `data-code="conflict"`)
	require.Contains(t, wrong.Text, `id="permission-fault"`)
	b.Form(path+"/permissions", "permission", "everything").Shown(422)
	require.Equal(t, []any{"orders:read", "products:read"}, is(), "never more than the package's")

	does(b, path+"/permissions", "permission", "")
	require.Empty(t, is())
}

var hourRow = regexp.MustCompile(`<time datetime="([^"]+)">[^<]*</time></th><td class="right">([^<]*)</td>`)

func TestTheUseOfLimitsIsShownByHours(t *testing.T) { onBoth(t, useByHours) }

func useByHours(t *testing.T, w *world) {
	ctx, access, now := t.Context(), w.accesses[tea], w.Clock.Now()
	l := limit.Limits{Hourly: 3_600_000, Daily: 86_400_000}
	for back, cost := range map[int]int64{0: 1_200, 3: 7, 25: 9, 47: 11, 48: 13} {
		_, err := w.P.Counters.Charge(ctx, access, l, cost, now.Add(-time.Duration(back)*time.Hour))
		require.NoError(t, err)
	}
	page := w.ada(tea).Page("/admin/api/" + access).Shown(200)
	rows := hourRow.FindAllStringSubmatch(page.Text, -1)
	require.Len(t, rows, 48)
	cost := map[string]string{}
	for _, r := range rows {
		cost[r[1]] = strings.ReplaceAll(r[2], "\u00a0", "")
	}
	at := func(back int) string {
		return now.Add(-time.Duration(back) * time.Hour).UTC().Truncate(time.Hour).Format(time.RFC3339)
	}
	require.Equal(t, []string{"1200", "7", "9", "11", "0"},
		[]string{cost[at(0)], cost[at(3)], cost[at(25)], cost[at(47)], cost[at(1)]})
	require.Equal(t, 48, strings.Count(page.Text, "<rect "))
	require.Contains(t, page.Text, `height="4"`, "1200 on a scale up to 40 000, about a hundredth of the limit")
	require.Contains(t, page.Text, "<small>40\u00a0000</small><small>20\u00a0000</small><small>0</small>")
	require.NotContains(t, page.Text, "style=")
}

type unreachable struct{ limit.Counters }

func (unreachable) Used(context.Context, ...limit.Day) ([]limit.Used, error) {
	return nil, errors.New("no route")
}

func TestWithoutCountersTheRestIsShown(t *testing.T) {
	w := open(t, func(p *host.Parts) { p.Counters = unreachable{p.Counters} })
	b := w.ada(tea)
	require.Contains(t, b.Page("/admin/api/"+w.accesses[tea]).Shown(200).Text, "teď nemůžeme zjistit")
	require.Contains(t, b.Page("/admin").Shown(200).Text, "teď nemůžeme zjistit")
}

func TestTokensAreMadeShownOnceAndRevoked(t *testing.T) { onBoth(t, tokensOfAccess) }

func tokensOfAccess(t *testing.T, w *world) {
	b := w.ada(tea)
	path := "/admin/api/" + w.accesses[tea] + "/tokens"
	first := rowsOf(b.Page(path).Shown(200))
	require.Len(t, first, 1)
	w.addon(tea, "GET", "/api-engine/status", nil)
	require.NotContains(t, b.Page(path).Text, "Zatím nepoužit", "its first use is shown at once")

	made := b.Form(path, "expiresAt", "2027-01-01T00:00").Leads(303, path)
	page := b.Page(path).Shown(200)
	token := secretOf(page, "token")
	require.NotContains(t, made.Header.Get("Location")+strings.Join(made.Header.Values("Set-Cookie"), ""), token)
	require.Contains(t, page.Text, "1.\u00a01.\u00a02027 00:00")
	require.Equal(t, 200, w.As(token, "GET", "/api-engine/status", nil).Status)
	require.NotContains(t, b.Page(path).Shown(200).Text, token, "it is shown once")
	forever := secretOf(does(b, path, "expiresAt", ""), "token")
	require.Len(t, rowsOf(b.Page(path)), 3)
	require.Len(t, rowsOf(b.Page(path+"?itemsPerPage=2&order[created]=desc").Shown(200)), 2)
	b.Page(path + "?order[changed]=desc").Shown(422)
	for _, text := range []string{"soon", "2020-01-01T00:00"} {
		wrong := b.Form(path, "expiresAt", text).Shown(422)
		require.Contains(t, wrong.Text, `id="expiresAt-fault"`)
	}

	ids := rowsOf(b.Page(path + "?order[created]=desc"))
	does(b, path+"/"+ids[0]+"/revoke")
	b.Form(path + "/" + ids[0] + "/revoke").Shown(404)
	require.Equal(t, 401, w.As(forever, "GET", "/api-engine/status", nil).Status)
	require.Equal(t, 200, w.As(token, "GET", "/api-engine/status", nil).Status)
	other := "/admin/api/" + w.accesses[toys] + "/tokens/"
	w.ada(toys).Form(other + ids[1] + "/revoke").Shown(404)
}

func TestTheScaleOfAChartIsNotItsHighestBar(t *testing.T) {
	for n, top := range map[int64]int64{0: 2, 1: 2, 3: 4, 10: 10, 11: 20, 72: 80, 100: 100, 101: 200, 7200: 8000} {
		require.Equal(t, top, roundUp(n), n)
	}
	v := &visit{lang: page.English}
	c := v.chart([]limit.Hour{{Cost: 1}, {Cost: 0}}, 7200)
	require.Equal(t, []any{"80", "40", int64(-1)}, []any{c.Top, c.Half, c.LimitAt})
	require.Equal(t, []int64{2, 0}, []int64{c.Bars[0].Height, c.Bars[1].Height}, "one request is seen, and is low")
	near := v.chart([]limit.Hour{{Cost: 60}}, 100)
	require.Equal(t, []any{"100", int64(0), int64(72)}, []any{near.Top, near.LimitAt, near.Bars[0].Height})
}
