package coupons

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
)

func TestACouponIsShownAsItWasMade(t *testing.T) {
	w := newWorld(t)
	made := w.made(" Léto ", `,"minimumOrder":"500.00","validFrom":"2026-11-01T00:00:00Z","validTo":"2026-12-01T00:00:00+01:00","usageLimit":3,"active":false`)
	require.Equal(t, map[string]any{"id": made.ID(), "code": "Léto", "type": "percentage", "value": "10.00",
		"minimumOrder": "500.00",
		"validFrom":    "2026-11-01T00:00:00.000Z", "validTo": "2026-11-30T23:00:00.000Z",
		"usageLimit": 3.0, "used": 0.0, "active": false, "created": made.Body["created"],
		"changed": made.Body["created"]}, made.Body)
	changed := w.do("PATCH", at(made), `{"active":true,"usageLimit":null,"validTo":null}`).Is(200)
	require.NotContains(t, changed.Body, "usageLimit")
	require.NotContains(t, changed.Body, "validTo")
}

func TestFieldsOfCouponsAreChecked(t *testing.T) {
	w := newWorld(t)
	one := w.made("ONE", "")
	for _, c := range []struct{ body, at, code string }{
		{`"type":"amount","value":"1.00"`, "body.code", "required"},
		{`"code":" ","type":"amount","value":"1.00"`, "body.code", "required"},
		{`"code":"` + strings.Repeat("x", 65) + `","type":"amount","value":"1.00"`, "body.code", "too_long"},
		{`"code":"A","type":"gift","value":"1.00"`, "body.type", "bad_format"},
		{`"code":"A","type":"amount","value":1`, "body.value", "wrong_type"},
		{`"code":"A","type":"amount","value":"1.5"`, "body.value", "bad_format"},
		{`"code":"A","type":"amount","value":"-1.00"`, "body.value", "bad_format"},
		{`"code":"A","type":"percentage","value":"0.00"`, "body.value", "too_small"},
		{`"code":"A","type":"percentage","value":"100.01"`, "body.value", "too_big"},
		{`"code":"A","type":"amount","value":"1.00","minimumOrder":"x"`, "body.minimumOrder", "bad_format"},
		{`"code":"A","type":"amount","value":"1.00","validFrom":"2026-11-02T00:00:00Z","validTo":"2026-11-01T00:00:00Z"`, "body.validTo", "conflict"},
		{`"code":"A","type":"amount","value":"1.00","validFrom":"tomorrow"`, "body.validFrom", "bad_format"},
		{`"code":"A","type":"amount","value":"1.00","usageLimit":-1`, "body.usageLimit", "too_small"},
		{`"code":"A","type":"amount","value":"1.00","usageLimit":1.5`, "body.usageLimit", "wrong_type"},
		{`"code":"A","type":"amount","value":"1.00","used":1`, "body.used", "read_only"},
	} {
		w.Fault(w.do("POST", path, "{"+c.body+"}"), c.at, c.code)
	}
	w.Fault(w.do("PATCH", at(one), `{"value":"100.01"}`), "body.value", "too_big")
	w.Fault(w.do("PATCH", at(one), `{"used":5}`), "body.used", "read_only")
	w.Fault(w.do("PATCH", at(one), `{"code":null}`), "body.code", "required")
	require.Equal(t, 200, w.do("PATCH", at(one), `{"type":"amount","value":"500.00"}`).Status)
	w.Fault(w.do("PATCH", at(one), `{"type":"percentage"}`), "body.value", "too_big")
	for _, v := range []string{"0.01", "100.00"} {
		require.Equal(t, 201, w.do("POST", path, `{"code":"V`+v+`","type":"percentage","value":"`+v+`"}`).Status)
	}
	require.Equal(t, true, w.made("ACT", "").Body["active"], "active unless it is said otherwise")
}

func TestCodesOfCouponsAreUniqueWithoutCase(t *testing.T) {
	w := newWorld(t)
	summer, winter := w.made("Léto", ""), w.made("Zima", "")
	w.Refused(w.do("POST", path, `{"code":"LÉTO","type":"amount","value":"1.00"}`), 409, "code_taken")
	w.Refused(w.do("PATCH", at(winter), `{"code":"léto"}`), 409, "code_taken")
	require.Equal(t, "LÉTO", w.do("PATCH", at(summer), `{"code":"LÉTO"}`).Body["code"], "its own in another case")
	require.Equal(t, []string{"LÉTO"}, w.do("GET", path+"?code=l%C3%A9to", "").Each("code"))
}

// use counts n orders of the coupon as an order does.
func (w *world) use(coupon string, n int) error {
	for range n {
		c, err := sale.Coupons.Read(w.T.Context(), w.Main.Table, shop, coupon)
		if err != nil {
			return err
		}
		op, record := c.Use(shop, w.P.Unit().NextVersion(c.Version))
		if _, err := w.Main.Table.Write(context.Background(),
			events.Change{Request: "r", Shop: shop, Records: []events.Record{record}}, op); err != nil {
			return err
		}
	}
	return nil
}

func TestUsesAreCountedUpToTheLimit(t *testing.T) {
	w := newWorld(t)
	made := w.made("TWICE", `,"usageLimit":2`)
	require.NoError(t, w.use(made.ID(), 2))
	require.True(t, store.IsCondition(w.use(made.ID(), 1)))
	require.Equal(t, 2.0, w.do("GET", at(made), "").Body["used"])
	lowered := w.do("PATCH", at(made), `{"usageLimit":1}`)
	require.Equal(t, 200, lowered.Status, "below used is allowed")
	require.Equal(t, 2.0, lowered.Body["used"])
	require.True(t, store.IsCondition(w.use(made.ID(), 1)))
	require.Equal(t, 200, w.do("PATCH", at(made), `{"usageLimit":null}`).Status)
	require.NoError(t, w.use(made.ID(), 3))
	require.Equal(t, 5.0, w.do("GET", at(made), "").Body["used"])
}

func TestAUseFindsOutThatTheCouponChanged(t *testing.T) {
	w := newWorld(t)
	made := w.made("TEN", "")
	was, err := sale.Coupons.Read(t.Context(), w.Main, shop, made.ID())
	require.NoError(t, err)
	op, _ := was.Use(shop, w.P.Unit().NextVersion(was.Version))
	require.Equal(t, 200, w.do("PATCH", at(made), `{"value":"20.00"}`).Status)
	_, err = w.Main.Table.Write(t.Context(), events.Nothing, op)
	require.True(t, store.IsCondition(err))
	require.Equal(t, 204, w.do("DELETE", at(made), "").Status)
	_, err = w.Main.Table.Write(t.Context(), events.Nothing, op)
	require.True(t, store.IsCondition(err))
}

func TestAChangeGetsThroughBetweenOrders(t *testing.T) {
	w := newWorld(t)
	made := w.made("TEN", "")
	left := 5
	var busy func()
	busy = func() {
		require.NoError(t, w.use(made.ID(), 1))
		if left--; left > 0 {
			w.Main.Meanwhile(busy)
		}
	}
	w.Main.Meanwhile(busy)
	changed := w.do("PATCH", at(made), `{"active":false}`)
	require.Equal(t, 200, changed.Status, changed.Text)
	require.Equal(t, 5.0, changed.Body["used"], "no use is lost")
	require.Equal(t, changed.Body, w.do("GET", at(made), "").Body)
	w.Main.Meanwhile(func() { require.NoError(t, w.use(made.ID(), 1)) })
	w.Refused(w.do("PATCH", at(made), `{"active":true}`, "If-Match", changed.ETag()), 412, "version_conflict")
	w.Main.Meanwhile(func() { require.NoError(t, w.use(made.ID(), 1)) })
	require.Equal(t, 204, w.do("DELETE", at(made), "").Status)
}

func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	for _, code := range []string{"A", "B", "C"} {
		w.made(code, "")
	}
	made := w.made("TEN", "")
	for _, b := range []struct {
		name, method, path, body string
		waves                    []int
		write                    float64
	}{
		{"read one", "GET", at(made), "", []int{2}, 1},
		{"a page", "GET", path, "", []int{2, 1}, 1},
		{"by code", "GET", path + "?code=ten", "", []int{2, 1}, 1},
		{"a change", "PATCH", at(made), `{"value":"11.00"}`, []int{2, 1}, 4},
		{"a change of its code", "PATCH", at(made), `{"code":"ELEVEN"}`, []int{2, 1}, 9},
		{"a creation", "POST", path, `{"code":"P","type":"amount","value":"1.00"}`, []int{1, 1}, 6},
		{"a deletion, with its code", "DELETE", at(made), "", []int{2, 1}, 6},
	} {
		t.Run(b.name, func(t *testing.T) {
			w.InWaves(b.waves, func() {
				r := w.do(b.method, b.path, b.body)
				require.Less(t, r.Status, 300, r.Text)
			})
			_, write := w.Meter().Units()
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}
