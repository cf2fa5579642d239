package codes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/addon"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store/storetest"
)

func TestACustomCodeIsMadeReadListedChangedAndDeleted(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", codesPath, widget("a")).Is(201)
	at := "2026-11-21T02:05:13.583Z"
	require.Equal(t, object{"id": made.ID(), "name": "a", "position": "bodyEnd", "code": "<i>a</i>", "active": true,
		"packageId": w.addon.pkg, "created": at, "changed": at}, made.Body)
	path := codesPath + "/" + made.ID()
	changed := w.do("PATCH", path, object{"active": false, "position": "head", "code": ""}).Is(200)
	require.Equal(t, object{"id": made.ID(), "name": "a", "position": "head", "code": "", "active": false,
		"packageId": w.addon.pkg, "created": at, "changed": changed.Get("changed")}, changed.Body)
	w.do("DELETE", path, nil).Is(204)
	require.Empty(t, w.stored())
	require.Empty(t, w.notices(), "nobody is told")
}

func TestWhatACustomCodeMayBe(t *testing.T) {
	w := newWorld(t)
	most := strings.Repeat("ž", 32<<10)
	for name, c := range map[string]struct {
		field       string
		value       any
		place, code string // "": it is taken
	}{
		"in the head":           {"position", "head", "", ""},
		"on an order":           {"position", "orderConfirmed", "", ""},
		"elsewhere":             {"position", "bodyStart", "body.position", "bad_format"},
		"nowhere":               {"position", nil, "body.position", "required"},
		"switched off":          {"active", false, "", ""},
		"64 KiB":                {"code", most, "", ""},
		"a byte more":           {"code", most + "a", "body.code", "too_long"},
		"all that JSON escapes": {"code", strings.Repeat("\"\\<&>\t\r\n\u2028", 100), "", ""},
		"a control character":   {"code", "\x00", "body.code", "bad_format"},
		"no code":               {"code", nil, "body.code", "required"},
		"a blank name":          {"name", " ", "body.name", "required"},
		"a package":             {"packageId", w.addon.pkg, "body.packageId", "read_only"},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			body := widget("a")
			body[c.field] = c.value
			a := w.do("POST", codesPath, body)
			if c.place != "" {
				w.Fault(a, c.place, c.code)
				return
			}
			require.Equal(t, c.value, a.Is(201).Body[c.field])
			require.Equal(t, a.Body, w.do("GET", codesPath+"/"+a.ID(), nil).Is(200).Body)
			require.Contains(t, w.do("GET", codesPath, nil).Items(), a.Body)
		})
	}
}

func TestAnAccessHasItsOwnPackagesCodesOnly(t *testing.T) {
	w := newWorld(t)
	mine := w.code("mine")
	order := w.order(mine).ID()
	neighbour := w.install(w.shop, w.newPackage())
	elsewhere := w.install(w.newShop("cs_CZ"), w.addon.pkg)
	for name, a := range map[string]tenant{"another package": neighbour,
		"the same package on another shop": elsewhere} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			own := w.As(a.token, "POST", codesPath, widget("own")).Is(201)
			for _, path := range []string{codesPath + "/" + mine, ordersPath + "/" + order} {
				w.As(a.token, "GET", path, nil).Is(404, "not_found")
				w.As(a.token, "DELETE", path, nil).Is(404, "not_found")
			}
			w.As(a.token, "PATCH", codesPath+"/"+mine, object{"name": "x"}).Is(404, "not_found")
			require.Equal(t, []string{own.ID()}, w.As(a.token, "GET", codesPath, nil).Each("id"))
			require.Empty(t, w.As(a.token, "GET", ordersPath, nil).Items())
			w.As(a.token, "POST", ordersPath, object{"customCodeId": mine, "packageId": a.pkg}).
				Fault("body.customCodeId", "not_found")
			w.As(a.token, "POST", ordersPath, object{"customCodeId": own.ID(), "packageId": nobody}).
				Fault("body.packageId", "not_found")
			w.operate("POST", a.path()+"/deactivate", nil).Is(200)
		})
	}
	w.As(neighbour.token, "GET", codesPath, nil).Is(403, "package_inactive")
	require.Equal(t, []string{mine}, w.do("GET", codesPath, nil).Each("id"))
	require.Equal(t, "active", w.status(order))
	require.Equal(t, "mine", w.do("GET", codesPath+"/"+mine, nil).Get("name"))
}

func TestTheStorefrontReadsAllCodesOfAShopInTheOrderOfCreated(t *testing.T) {
	w := newWorld(t)
	neighbour := w.install(w.shop, w.newPackage())
	var want []string
	for i := range 6 {
		by := []string{w.addon.token, neighbour.token}[i%2]
		want = append(want, w.Next(by, "POST", codesPath, widget(fmt.Sprint(i))).Is(201).ID())
	}
	w.do("PATCH", codesPath+"/"+want[0], object{"active": false, "name": "changed"}).Is(200)
	w.As(w.install(w.newShop("cs_CZ"), w.addon.pkg).token, "POST", codesPath, widget("another shop's")).Is(201)
	calls := 0
	counted := storetest.Faulty{Table: w.Main, Around: func(_ storetest.Call, do func() error) error {
		calls++
		return do()
	}}
	all, err := addon.CodesOf(t.Context(), counted, w.shop)
	require.NoError(t, err)
	require.Equal(t, 1, calls)
	var got []string
	for _, c := range all {
		got = append(got, c.ID)
	}
	require.Equal(t, want, got)
	require.False(t, all[0].Active)
	require.EqualValues(t, "<i>0</i>", all[0].Code)
	require.Equal(t, addon.AtBodyEnd, all[0].Position)
	require.Equal(t, []string{w.addon.pkg, neighbour.pkg}, []string{all[0].Package, all[1].Package})
}

func TestActiveCodesOfAShopHaveAMebibyteTogetherHoweverManyComeAtOnce(t *testing.T) {
	w := newWorld(t)
	full, small, off := widget("full"), widget("small"), widget("off")
	full["code"], off["active"] = strings.Repeat("x", 64<<10), false
	packages := []string{w.addon.token, w.install(w.shop, w.newPackage()).token}
	answers := hosttest.Together(20, func(i int) hosttest.Answer { // of two packages
		return w.As(packages[i%2], "POST", codesPath, full, "Idempotency-Key", fmt.Sprint(i))
	})
	require.Equal(t, map[int]int{201: 16, 409: 4}, hosttest.Statuses(answers))
	w.do("POST", codesPath, small).Is(409, "too_many_codes")
	waits := w.do("POST", codesPath, off).Is(201).ID()
	w.do("PATCH", codesPath+"/"+waits, object{"code": "<b>longer</b>"}).Is(200)
	w.do("PATCH", codesPath+"/"+waits, object{"active": true}).Is(409, "too_many_codes")

	// What is shortened, switched off, deleted or cleaned up makes room, and is counted off once.
	room := func(bytes int) {
		t.Helper()
		fits := widget("fits")
		fits["code"] = strings.Repeat("x", bytes)
		w.do("POST", codesPath, fits).Is(201)
		w.do("POST", codesPath, small).Is(409, "too_many_codes")
	}
	var own []string
	for _, code := range w.do("GET", codesPath+"?itemsPerPage=100", nil).Is(200).Items() {
		if code["name"] == "full" {
			own = append(own, fmt.Sprint(code["id"]))
		}
	}
	w.do("PATCH", codesPath+"/"+own[0], object{"code": "x"}).Is(200)
	w.do("PATCH", codesPath+"/"+own[0], object{"code": strings.Repeat("x", 101)}).Is(200)
	room(64<<10 - 101)
	w.do("PATCH", codesPath+"/"+own[0], object{"code": strings.Repeat("x", 102)}).Is(409, "too_many_codes")
	w.do("PATCH", codesPath+"/"+own[1], object{"active": false}).Is(200)
	room(64 << 10)
	w.do("DELETE", codesPath+"/"+own[1], nil).Is(204) // it was off
	w.do("POST", codesPath, small).Is(409, "too_many_codes")
	hosttest.Together(4, func(int) hosttest.Answer { return w.do("DELETE", codesPath+"/"+own[2], nil) })
	room(64 << 10)
	w.order(own[3])
	w.order(waits)
	w.deactivate()
	w.activate()
	room(64 << 10)
}

func TestAPackageHasFortyCodesOnAShopHoweverManyComeAtOnce(t *testing.T) {
	w := newWorld(t)
	post := func(i int) hosttest.Answer {
		return w.As(w.addon.token, "POST", codesPath, widget(fmt.Sprint(i)), "Idempotency-Key", fmt.Sprint(i))
	}
	answers := hosttest.Together(60, post)
	require.Equal(t, map[int]int{201: 40, 409: 20}, hosttest.Statuses(answers))
	w.As(w.addon.token, "POST", codesPath, widget("x")).Is(409, "too_many_codes")
	require.Len(t, w.stored(), 40)
	w.As(w.install(w.shop, w.newPackage()).token, "POST", codesPath, widget("x")).Is(201)
	w.As(w.install(w.newShop("cs_CZ"), w.addon.pkg).token, "POST", codesPath, widget("x")).Is(201)
	gone := w.do("GET", codesPath+"?itemsPerPage=5", nil).Each("id")
	hosttest.Together(10, func(i int) hosttest.Answer { // each twice: a code is counted off once
		return w.As(w.addon.token, "DELETE", codesPath+"/"+gone[i/2], nil)
	})
	answers = hosttest.Together(20, func(i int) hosttest.Answer { return post(100 + i) })
	require.Equal(t, map[int]int{201: 5, 409: 15}, hosttest.Statuses(answers))
}

func TestACleanupOrderIsMadeReadListedAndCancelled(t *testing.T) {
	w := newWorld(t)
	code := w.code("a")
	tag := w.do("GET", codesPath+"/"+code, nil).ETag()
	made := w.order(code)
	at := made.Get("created")
	require.Equal(t, object{"id": made.ID(), "customCodeId": code, "packageId": w.addon.pkg, "status": "active",
		"created": at, "changed": at}, made.Body)
	path := ordersPath + "/" + made.ID()
	w.do("POST", ordersPath, w.orderOf(code)).Is(409, "cleanup_exists")
	require.Equal(t, tag, w.do("GET", codesPath+"/"+code, nil).ETag(), "a code does not show its cleanup order")
	w.do("PATCH", path, object{}).Is(405)
	w.do("DELETE", path, nil).Is(204)
	cancelled := w.do("GET", path, nil).Is(200)
	require.Equal(t, "cancelled", cancelled.Get("status"))
	require.NotContains(t, cancelled.Body, "executedAt")
	again := w.order(code)
	require.Equal(t, []string{made.ID(), again.ID()}, w.do("GET", ordersPath, nil).Each("id"))
	require.Empty(t, w.notices())
}

func TestWhatACleanupOrderMayName(t *testing.T) {
	w := newWorld(t)
	code, deleted := w.code("a"), w.code("b")
	w.do("DELETE", codesPath+"/"+deleted, nil).Is(204)
	for name, c := range map[string]struct {
		body        object
		place, code string
	}{
		"an unknown code":   {w.orderOf(nobody), "body.customCodeId", "not_found"},
		"a deleted code":    {w.orderOf(deleted), "body.customCodeId", "not_found"},
		"no id":             {w.orderOf("A#" + code), "body.customCodeId", "not_found"},
		"an empty id":       {w.orderOf(""), "body.customCodeId", "not_found"},
		"no code":           {object{"packageId": w.addon.pkg}, "body.customCodeId", "required"},
		"no package":        {object{"customCodeId": code}, "body.packageId", "required"},
		"another package":   {object{"customCodeId": code, "packageId": w.newPackage()}, "body.packageId", "not_found"},
		"a package unknown": {object{"customCodeId": code, "packageId": nobody}, "body.packageId", "not_found"},
		"a status": {object{"customCodeId": code, "packageId": w.addon.pkg, "status": "active"}, "body.status",
			"read_only"},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			w.Fault(w.do("POST", ordersPath, c.body), c.place, c.code)
		})
	}
	w.do("POST", ordersPath, object{"customCodeId": "", "packageId": ""}).Is(422, "invalid")
	require.Empty(t, w.do("GET", ordersPath, nil).Items())
}

func TestACodeHasOneActiveOrderHoweverManyComeAtOnce(t *testing.T) {
	w := newWorld(t)
	code := w.code("a")
	answers := hosttest.Together(20, func(int) hosttest.Answer {
		return w.As(w.addon.token, "POST", ordersPath, w.orderOf(code))
	})
	require.Equal(t, map[int]int{201: 1, 409: 19}, hosttest.Statuses(answers))
	require.Len(t, w.do("GET", ordersPath, nil).Items(), 1)
}

func TestDeletingACodeCancelsItsOrder(t *testing.T) {
	w := newWorld(t)
	code := w.code("a")
	order := w.order(code).ID()
	w.do("DELETE", codesPath+"/"+code, nil).Is(204)
	require.Equal(t, "cancelled", w.status(order))
	require.Equal(t, code, w.do("GET", ordersPath+"/"+order, nil).Get("customCodeId"), "it stays readable")
	w.do("DELETE", ordersPath+"/"+order, nil).Is(204)

	other := w.code("b")
	var late string
	w.Clock.Pass(time.Second)
	w.Main.Meanwhile(func() { // an order that comes between what the deletion reads and what it writes
		late = w.As(w.addon.token, "POST", ordersPath, w.orderOf(other)).Is(201).ID()
	})
	w.As(w.addon.token, "DELETE", codesPath+"/"+other, nil).Is(204)
	require.Equal(t, "cancelled", w.status(late))
}

func TestAChangeOfACodeKeepsItsOrder(t *testing.T) {
	w := newWorld(t)
	code := w.code("a")
	w.Clock.Pass(time.Second)
	w.Main.Meanwhile(func() { w.As(w.addon.token, "POST", ordersPath, w.orderOf(code)).Is(201) })
	w.As(w.addon.token, "PATCH", codesPath+"/"+code, object{"name": "b"}).Is(200)
	w.do("PATCH", codesPath+"/"+code, object{"name": "c"}).Is(200)
	w.do("POST", ordersPath, w.orderOf(code)).Is(409, "cleanup_exists")
	w.deactivate()
	require.Empty(t, w.stored())
}
