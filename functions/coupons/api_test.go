package coupons

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/id"
	"eshop/shared/store"
)

const wholeOne = `,"minimumOrder":"500.00","validFrom":"2026-11-01T00:00:00Z","validTo":"2026-12-01T00:00:00+01:00","usageLimit":3,"active":false`

func TestACouponIsMadeReadChangedAndDeleted(t *testing.T) {
	w := newWorld(t)
	made := w.made(" Léto ", wholeOne)
	require.Equal(t, map[string]any{"id": made.id(), "code": "Léto", "type": "percentage", "value": "10.00", "minimumOrder": "500.00",
		"validFrom": "2026-11-01T00:00:00.000Z", "validTo": "2026-11-30T23:00:00.000Z", "usageLimit": 3.0, "used": 0.0, "active": false,
		"created": made.body["created"], "changed": made.body["created"]}, made.body)
	require.Equal(t, []events.Record{{Kind: events.Coupons, ID: made.id(), Did: events.Created, Version: strings.Trim(made.etag(), `"`)}}, w.table.told[0].Records)
	require.Equal(t, made.path(), made.Header().Get("Location"))
	read := w.do("GET", made.path(), "")
	require.Equal(t, made.body, read.body)
	require.Equal(t, made.etag(), read.etag())

	changed := w.do("PATCH", made.path(), `{"active":true,"usageLimit":null,"validTo":null}`)
	require.Equal(t, 200, changed.Code, changed.Body.String())
	require.NotContains(t, changed.body, "usageLimit")
	require.Greater(t, changed.body["changed"], made.body["changed"])
	require.Equal(t, changed.body, w.do("GET", made.path(), "").body)
	same := w.do("PATCH", made.path(), `{"code":"Léto"}`)
	require.Equal(t, changed.etag(), same.etag())
	require.Empty(t, w.table.told)
	w.refused(w.do("PATCH", made.path(), `{"active":false}`, "If-Match", made.etag()), 412, "version_conflict")
	w.refused(w.do("DELETE", made.path(), "", "If-Match", made.etag()), 412, "version_conflict")

	require.Equal(t, 204, w.do("DELETE", made.path(), "", "If-Match", changed.etag()).Code)
	require.Equal(t, events.Deleted, w.table.told[0].Records[0].Did)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		w.refused(w.do(method, made.path(), map[string]string{"PATCH": "{}"}[method]), 404, "not_found")
	}
	require.Empty(t, w.do("GET", path, "").codes(t))
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
		{`"code":"A","type":"amount","value":"1.00","id":"1"`, "body.id", "read_only"},
		{`"code":"A","type":"amount","value":"1.00","x":"1"`, "body.x", "unknown_field"},
	} {
		w.fault(w.do("POST", path, "{"+c.body+"}"), c.at, c.code)
	}
	w.fault(w.do("PATCH", one.path(), `{"value":"100.01"}`), "body.value", "too_big")
	w.fault(w.do("PATCH", one.path(), `{"used":5}`), "body.used", "read_only")
	w.fault(w.do("PATCH", one.path(), `{"code":null}`), "body.code", "required")
	require.Equal(t, 200, w.do("PATCH", one.path(), `{"type":"amount","value":"500.00"}`).Code)
	w.fault(w.do("PATCH", one.path(), `{"type":"percentage"}`), "body.value", "too_big")
	for _, v := range []string{"0.01", "100.00"} {
		require.Equal(t, 201, w.do("POST", path, `{"code":"V`+v+`","type":"percentage","value":"`+v+`"}`).Code)
	}
	require.Equal(t, true, w.made("ACT", "").body["active"], "active unless it is said otherwise")
}

func TestCodesOfCouponsAreUniqueWithoutCase(t *testing.T) {
	w := newWorld(t)
	summer, winter := w.made("Léto", ""), w.made("Zima", "")
	w.refused(w.do("POST", path, `{"code":"LÉTO","type":"amount","value":"1.00"}`), 409, "code_taken")
	w.refused(w.do("PATCH", winter.path(), `{"code":"léto"}`), 409, "code_taken")
	require.Equal(t, "LÉTO", w.do("PATCH", summer.path(), `{"code":"LÉTO"}`).body["code"], "its own in another case")
	require.Equal(t, []string{"LÉTO"}, w.do("GET", path+"?code=l%C3%A9to", "").codes(t))
	require.Equal(t, 201, w.as(stranger, "POST", path, `{"code":"Léto","type":"amount","value":"1.00"}`).Code)
	require.Equal(t, 200, w.do("PATCH", summer.path(), `{"code":"Jaro"}`).Code)
	require.Empty(t, w.do("GET", path+"?code=l%C3%A9to", "").codes(t))
	require.Equal(t, 200, w.do("PATCH", winter.path(), `{"code":"léto"}`).Code)
	require.Equal(t, 204, w.do("DELETE", winter.path(), "").Code)
	w.made("LÉTO", "")

	var wg sync.WaitGroup
	made := make(chan int, 20)
	for range 20 {
		wg.Go(func() { made <- w.at(`{"code":"Rush","type":"amount","value":"1.00"}`) })
	}
	wg.Wait()
	close(made)
	n := map[int]int{}
	for status := range made {
		n[status]++
	}
	require.Equal(t, map[int]int{201: 1, 409: 19}, n)
}

func TestCouponsAreListedByChange(t *testing.T) {
	w := newWorld(t)
	a := w.made("A", "")
	b := w.made("B", "")
	w.made("C", "")
	require.Equal(t, 200, w.do("PATCH", a.path(), `{"value":"20.00"}`).Code)
	require.Equal(t, []string{"B", "C", "A"}, w.do("GET", path, "").codes(t))
	require.Equal(t, []string{"C", "A"}, w.do("GET", path+"?changed[strictly_after]="+b.body["changed"].(string), "").codes(t))
	require.Equal(t, []string{"A", "C"}, w.do("GET", path+"?order[changed]=desc&itemsPerPage=2", "").codes(t))
	require.Empty(t, w.do("GET", path+"?code=A&changed[after]=2030-01-01", "").codes(t))
	require.Empty(t, w.as(stranger, "GET", path, "").codes(t))
	w.refused(w.as(stranger, "GET", a.path(), ""), 404, "not_found")
	w.refused(w.as(stranger, "PATCH", a.path(), `{"active":false}`), 404, "not_found")
	w.refused(w.as(writer, "GET", path, ""), 403, "insufficient_permission")
	w.refused(w.as(reader, "POST", path, "{}"), 403, "insufficient_permission")
	require.Len(t, w.as(writer, "PATCH", a.path(), `{"value":"30.00"}`).body, 2)
}

// at makes a coupon beside others, and is the status of the answer.
func (w *world) at(body string) int {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+all)
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	return rec.Code
}

// use counts n orders of the coupon as an order does.
func (w *world) use(coupon string, n int) error {
	for range n {
		c, err := Read(w.t.Context(), w.table.Table, shop, coupon)
		if err != nil {
			return err
		}
		op, record := c.Use(shop, id.New(w.now, &steady{random: rand.NewChaCha8([32]byte{byte(c.Used)})}))
		if _, err := w.table.Table.Write(context.Background(), events.Change{Request: "r", Shop: shop, Records: []events.Record{record}}, op); err != nil {
			return err
		}
	}
	return nil
}

func TestUsesAreCountedUpToTheLimit(t *testing.T) {
	w := newWorld(t)
	made := w.made("TWICE", `,"usageLimit":2`)
	require.NoError(t, w.use(made.id(), 2))
	require.True(t, store.IsCondition(w.use(made.id(), 1)))
	require.Equal(t, 2.0, w.do("GET", made.path(), "").body["used"])
	lowered := w.do("PATCH", made.path(), `{"usageLimit":1}`)
	require.Equal(t, 200, lowered.Code, "below used is allowed")
	require.Equal(t, 2.0, lowered.body["used"])
	require.True(t, store.IsCondition(w.use(made.id(), 1)))
	require.Equal(t, 200, w.do("PATCH", made.path(), `{"usageLimit":null}`).Code)
	require.NoError(t, w.use(made.id(), 3))
	require.Equal(t, 5.0, w.do("GET", made.path(), "").body["used"])
}

func TestAUseFindsOutThatTheCouponChanged(t *testing.T) {
	w := newWorld(t)
	made := w.made("TEN", "")
	was, err := Read(t.Context(), w.table, shop, made.id())
	require.NoError(t, err)
	op, _ := was.Use(shop, was.Version)
	require.Equal(t, 200, w.do("PATCH", made.path(), `{"value":"20.00"}`).Code)
	_, err = w.table.Table.Write(t.Context(), events.Nothing, op)
	require.True(t, store.IsCondition(err))
	require.Equal(t, 204, w.do("DELETE", made.path(), "").Code)
	_, err = w.table.Table.Write(t.Context(), events.Nothing, op)
	require.True(t, store.IsCondition(err))
}

func TestAChangeGetsThroughBetweenOrders(t *testing.T) {
	w := newWorld(t)
	made := w.made("TEN", "")
	left := 5
	var busy func()
	busy = func() {
		require.NoError(t, w.use(made.id(), 1))
		if left--; left > 0 {
			w.table.before = busy
		}
	}
	w.table.before = busy
	changed := w.do("PATCH", made.path(), `{"active":false}`)
	require.Equal(t, 200, changed.Code, changed.Body.String())
	require.Equal(t, 5.0, changed.body["used"], "no use is lost")
	require.Equal(t, changed.body, w.do("GET", made.path(), "").body)
	w.table.before = func() { require.NoError(t, w.use(made.id(), 1)) }
	w.refused(w.do("PATCH", made.path(), `{"active":true}`, "If-Match", changed.etag()), 412, "version_conflict")
	w.table.before = func() { require.NoError(t, w.use(made.id(), 1)) }
	require.Equal(t, 204, w.do("DELETE", made.path(), "").Code)
}

func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	for _, code := range []string{"A", "B", "C"} {
		w.made(code, "")
	}
	made := w.made("TEN", "")
	for _, b := range []struct {
		name, method, path, body string
		calls                    int
		write                    float64
	}{
		{"read one", "GET", made.path(), "", 2, 1},
		{"a page", "GET", path, "", 3, 1},
		{"by code", "GET", path + "?code=ten", "", 3, 1},
		{"a change", "PATCH", made.path(), `{"value":"11.00"}`, 3, 4},
		{"a change of its code", "PATCH", made.path(), `{"code":"ELEVEN"}`, 3, 9},
		{"a creation", "POST", path, `{"code":"P","type":"amount","value":"1.00"}`, 2, 6},
		{"a deletion", "DELETE", made.path(), "", 3, 3},
	} {
		t.Run(b.name, func(t *testing.T) {
			if w.gate.arm(); b.method == http.MethodPost {
				w.gate.disarm() // nothing to read beside the charge
			}
			r := w.do(b.method, b.path, b.body)
			require.Less(t, r.Code, 300, r.Body.String())
			_, write := w.meter.Units()
			require.Equal(t, b.calls, w.meter.Calls(), "calls")
			require.InDelta(t, b.write, write, 0, "write units")
			w.gate.disarm()
		})
	}
}
