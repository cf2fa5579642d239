package products

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog/address"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/pending"
)

const nobody = "01M7XXKDY3HDST93PJ8ZDYB2ZZ"

func batchPath(kind string) string { return "/api-engine/products/batch/" + kind }

// batch sends items.
func (s *shopful) batch(kind string, items []obj, headers ...string) hosttest.Answer {
	s.T.Helper()
	return s.ask("PATCH", batchPath(kind), obj{"items": items}, headers...)
}

// many creates n products.
func (s *shopful) many(n int, more ...obj) []string {
	s.T.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = s.made(fmt.Sprint("M", i), more...).ID()
	}
	s.Main.NewChanges()
	return ids
}

func items(ids []string, more func(i int) obj) []obj {
	all := make([]obj, len(ids))
	for i, id := range ids {
		all[i] = more(i)
		all[i]["id"] = id
	}
	return all
}

// statuses are the results' in order, a failed one's with its code.
func statuses(a hosttest.Answer) (all []string) {
	a.T.Helper()
	for _, r := range a.At("results").([]any) {
		m := r.(map[string]any)
		status := m["status"].(string)
		if e, failed := m["error"].(map[string]any); failed {
			status += " " + e["code"].(string)
		}
		all = append(all, status)
	}
	return all
}

func TestABatchIsRefusedForEachFaultOfForm(t *testing.T) {
	s := open(t)
	id := s.made("A").ID()
	s.Main.NewChanges()
	n := s.Main.Writes()
	for name, c := range map[string]struct {
		kind           string
		item           obj
		location, code string
	}{
		"no id":                    {"basic", obj{"id": nil}, "body.items[0].id", "required"},
		"an unknown field":         {"basic", obj{"ean": "1"}, "body.items[0].ean", "unknown_field"},
		"a null name":              {"basic", obj{"name": nil}, "body.items[0].name", "required"},
		"a null code":              {"basic", obj{"code": nil}, "body.items[0].code", "required"},
		"a null activity":          {"basic", obj{"active": nil}, "body.items[0].active", "required"},
		"a blank name":             {"basic", obj{"name": " "}, "body.items[0].name", "required"},
		"a name of a number":       {"basic", obj{"name": 1}, "body.items[0].name", "wrong_type"},
		"activity in words":        {"basic", obj{"active": "yes"}, "body.items[0].active", "wrong_type"},
		"both quantity and change": {"stock", obj{"quantity": 1, "change": 1}, "body.items[0].change", "conflict"},
		"a negative quantity":      {"stock", obj{"quantity": -1}, "body.items[0].quantity", "too_small"},
		"half a change":            {"stock", obj{"change": 0.5}, "body.items[0].change", "wrong_type"},
		"no hasUnits":              {"has-units", obj{}, "body.items[0].hasUnits", "required"},
		"units without hasUnits": {"has-units", obj{"hasUnits": false, "units": []obj{{"unit": "a", "quantity": 1}}},
			"body.items[0].units", "conflict"},
		"hasUnits with empty units": {"has-units", obj{"hasUnits": true, "units": []obj{}},
			"body.items[0].units", "required"},
		"a unit twice": {"has-units", obj{"hasUnits": true, "units": []obj{{"unit": "a", "quantity": 1},
			{"unit": "a", "quantity": 1}}}, "body.items[0].units[1].unit", "duplicate"},
		"a unit of none": {"has-units", obj{"hasUnits": true, "units": []obj{{"unit": "a", "quantity": 0}}},
			"body.items[0].units[0].quantity", "too_small"},
		"21 units": {"has-units", obj{"hasUnits": true, "units": list(21,
			func(i int) any { return obj{"unit": fmt.Sprint(i), "quantity": 1} })}, "body.items[0].units", "too_many"},
		"no prices": {"price-levels", obj{}, "body.items[0].priceLevels", "required"},
		"a level twice": {"price-levels", obj{"priceLevels": prices("a", "1.00", "a", "1.00")},
			"body.items[0].priceLevels[1].level", "duplicate"},
		"an odd price": {"price-levels", obj{"priceLevels": prices("a", "1")},
			"body.items[0].priceLevels[0].price", "bad_format"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			item := obj{"id": id}
			for k, v := range c.item {
				item[k] = v
			}
			if item["id"] == nil {
				delete(item, "id")
			}
			s.batch(c.kind, []obj{item}).Fault(c.location, c.code)
		})
	}
	s.T = t
	s.batch("stock", []obj{}).Fault("body.items", "required")
	s.batch("stock", []obj{{"id": id, "change": 1}, {"id": id, "change": 1}}).Fault("body.items[1].id", "duplicate")
	s.batch("stock", items(make([]string, 101), func(i int) obj { return obj{"quantity": 1} })).
		Is(413, "too_many_items")
	s.batch("stock", items(make([]string, 100), func(i int) obj { return obj{"quantity": 1} }), "Idempotency-Key", "k").
		Is(413, "too_many_items")
	s.ask("PATCH", batchPath("stock")+"?errorPolicy=skip", obj{"items": []obj{{"id": id}}}).Is(422)
	s.ask("PATCH", batchPath("stock")+"?dryRun=maybe", obj{"items": []obj{{"id": id}}}).Is(422)
	require.Equal(t, n, s.Main.Writes())
	s.nothing()
}

func TestABatchAnswersEachItem(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 2), "stock": obj{"quantity": 5}})
	b := s.made("B")
	s.Main.NewChanges()
	v := a.Get("variants.0.id")
	r := s.batch("stock", []obj{
		{"id": a.ID(), "change": -5},
		{"id": a.ID(), "variantId": v, "change": -11},
		{"id": a.ID(), "variantId": nobody, "change": 1},
		{"id": nobody, "quantity": 1},
		{"id": b.ID(), "quantity": 0},
		{"id": "odd#id", "quantity": 0},
		{"id": a.ID(), "variantId": a.Get("variants.1.id"), "quantity": 3, "availability": "soon"},
	}).Is(207)
	require.Equal(t, []string{"changed", "failed insufficient_stock", "failed not_found", "failed not_found",
		"unchanged", "failed not_found", "changed"}, statuses(r))
	require.Equal(t, 2.0, r.At("changed"))
	require.Equal(t, 1.0, r.At("cost"))
	require.Equal(t, obj{"index": 1.0, "id": a.ID(), "variantId": v, "status": "failed",
		"error": r.At("results.1.error")}, r.At("results.1"))
	told := s.one(events.Products)
	require.Equal(t, []events.Record{{Kind: events.Products, ID: a.ID(), Did: events.Changed,
		Variants: []string{a.Get("variants.1.id")},
		Groups:   []events.Group{events.Stock}, Version: strings.Trim(s.get(a.ID()).ETag(), `"`)}}, told)
	g := s.get(a.ID())
	require.Equal(t, 0.0, g.At("stock.quantity"))
	require.Equal(t, obj{"quantity": 3.0, "availability": "soon"}, g.At("variants.1.stock"))
	require.Equal(t, b.ETag(), s.get(b.ID()).ETag())

	r = s.batch("stock", []obj{{"id": a.ID(), "variantId": a.Get("variants.1.id"), "availability": nil},
		{"id": b.ID(), "availability": nil}}).Is(200)
	require.Equal(t, []string{"changed", "unchanged"}, statuses(r))
	require.Equal(t, obj{"quantity": 3.0}, s.get(a.ID()).At("variants.1.stock"))
}

func TestABatchOf100IsOneChange(t *testing.T) {
	s := open(t)
	ids := s.many(100)
	r := s.batch("stock", items(ids, func(i int) obj { return obj{"change": 1} })).Is(200)
	require.Equal(t, 100.0, r.At("changed"))
	require.Equal(t, 10.0, r.At("cost"))
	require.Equal(t, "10", r.Raw("X-RateLimit-Request-Cost"))
	told := s.one(events.Products)
	require.Len(t, told, 100)
	for i, record := range told {
		require.Equal(t, ids[i], record.ID, "in the order of the items")
	}
}

func TestWhatWasNotChangedIsGivenBack(t *testing.T) {
	s := open(t)
	ids := s.many(40)
	r := s.batch("stock", items(ids, func(i int) obj { return obj{"quantity": min(max(0, i-28), 1)} })).Is(200)
	require.Equal(t, 11.0, r.At("changed"))
	require.Equal(t, 2.0, r.At("cost"))
	require.Equal(t, "2", r.Raw("X-RateLimit-Request-Cost"))

	poor := []string{"Authorization", "Bearer poor"}
	r = s.batch("stock", items(ids, func(i int) obj { return obj{"change": 0} }), poor...).Is(200)
	require.Equal(t, "1", r.Raw("X-RateLimit-Request-Cost"))
	require.Equal(t, "11", r.Raw("X-RateLimit-Hourly-Remaining"))
	s.batch("stock", items(ids, func(i int) obj { return obj{"change": 1} }), poor...).Is(200)
	s.batch("stock", items(ids, func(i int) obj { return obj{"change": 1} }), poor...).Is(200)
	r = s.batch("stock", items(ids, func(i int) obj { return obj{"change": 1} }), poor...).Is(429, "rate_limited")
	require.Equal(t, "0", r.Raw("X-RateLimit-Request-Cost"))
	require.Equal(t, "3", r.Raw("X-RateLimit-Hourly-Remaining"))
	require.Equal(t, 2.0, s.get(ids[0]).At("stock.quantity"))
}

func TestABatchUnderAKeyIsAnsweredAgainAsItWas(t *testing.T) {
	s := open(t)
	id := s.made("A").ID()
	sent := []obj{{"id": id, "change": 1}, {"id": nobody, "change": 1}}
	first := s.batch("stock", sent, "Idempotency-Key", "k").Is(207)
	again := s.batch("stock", sent, "Idempotency-Key", "k").Is(207)
	require.Equal(t, first.Body, again.Body)
	require.Equal(t, 1.0, s.get(id).At("stock.quantity"))
}

func TestADryRunWritesNothing(t *testing.T) {
	s := open(t)
	ids := s.many(30, obj{"stock": obj{"quantity": 1}})
	n := s.Main.Writes()
	r := s.ask("PATCH", batchPath("stock")+"?dryRun=true",
		obj{"items": items(ids, func(i int) obj { return obj{"change": -1 - i%2} })}).Is(207)
	require.Equal(t, 15.0, r.At("changed"))
	require.Equal(t, 2.0, r.At("cost"))
	require.Equal(t, "1", r.Raw("X-RateLimit-Request-Cost"))
	r = s.ask("PATCH", batchPath("basic")+"?dryRun=true", obj{"items": []obj{{"id": ids[0], "code": "M1"},
		{"id": ids[1], "code": "free", "name": "Q"}, {"id": ids[2], "code": "free"}}}).Is(207)
	require.Equal(t, []string{"failed code_taken", "changed", "failed code_taken"}, statuses(r))
	s.ask("PATCH", batchPath("stock")+"?dryRun=true&errorPolicy=rejectAll",
		obj{"items": []obj{{"id": ids[0], "change": 1}, {"id": nobody}}}).Is(422, "batch_rejected")
	require.Equal(t, n, s.Main.Writes())
	s.nothing()
}

func TestAllOrNothing(t *testing.T) {
	s := open(t)
	ids := s.many(3)
	bad := []obj{{"id": ids[0], "change": 1}, {"id": ids[1], "change": -1}, {"id": ids[2], "change": 0}}
	r := s.ask("PATCH", batchPath("stock")+"?errorPolicy=rejectAll", obj{"items": bad}).Is(422, "batch_rejected")
	require.Equal(t, []string{"unchanged", "failed insufficient_stock", "unchanged"}, statuses(r))
	require.Equal(t, "1", r.Raw("X-RateLimit-Request-Cost"))
	s.nothing()
	r = s.ask("PATCH", batchPath("stock")+"?errorPolicy=rejectAll", obj{"items": bad[:1]}).Is(200)
	require.Equal(t, []string{"changed"}, statuses(r))
	r = s.ask("PATCH", batchPath("basic")+"?errorPolicy=rejectAll",
		obj{"items": []obj{{"id": ids[0], "code": "new"}, {"id": ids[1], "code": "M2"}}}).Is(422, "batch_rejected")
	require.Equal(t, []string{"unchanged", "failed code_taken"}, statuses(r))
	require.Equal(t, "M0", s.get(ids[0]).Get("code"))
}

func TestIfMatchOfAnItemMeansItsProduct(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"stock": obj{"quantity": 5}})
	for _, tag := range []string{a.ETag(), strings.Trim(s.ask("PATCH", path(a.ID()), obj{"ean": "1"}).ETag(), `"`)} {
		r := s.batch("stock", []obj{{"id": a.ID(), "change": 1, "ifMatch": tag}})
		if tag == a.ETag() {
			require.Equal(t, []string{"failed version_conflict"}, statuses(r.Is(207)))
		} else {
			require.Equal(t, []string{"changed"}, statuses(r.Is(200)))
		}
	}
	s.batch("has-units", []obj{{"id": a.ID(), "hasUnits": true, "units": []obj{{"unit": "a", "quantity": 1}},
		"ifMatch": s.get(a.ID()).ETag()}}).Is(200)
	empty := s.batch("stock", []obj{{"id": a.ID(), "change": 1, "ifMatch": ""}})
	require.Contains(t, empty.Fault("body.items[0].ifMatch", "bad_format").Text, `"is shorter than 1 character"`,
		"it is not \"any\"")
	none := s.batch("stock", []obj{})
	require.Contains(t, none.Fault("body.items", "required").Text, `"needs at least 1 entry"`)
}

func TestBasicsAreChangedInABatch(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60), "description": "d"})
	s.Main.NewChanges()
	r := s.batch("basic", []obj{{"id": a.ID(), "name": "B", "code": "B", "shortDescription": "s", "description": nil,
		"active": false}}).Is(200)
	require.Equal(t, []string{"changed"}, statuses(r))
	told := s.one(events.Products)[0]
	require.Equal(t, []events.Group{events.Basic, events.InURLs}, told.Groups)
	require.Empty(t, told.Variants)
	g := s.get(a.ID())
	require.Equal(t, "https://shop.example/b", g.Get("url"))
	require.Equal(t, a.At("variants"), g.At("variants"))
	require.NotContains(t, g.Body, "description")
	require.Equal(t, []string{"b system active", "product-a custom"}, s.urls(address.Product, a.ID()))
	require.Equal(t, []string{"unchanged"},
		statuses(s.batch("basic", []obj{{"id": a.ID(), "name": "B", "active": false}}).Is(200)))
	require.Equal(t, []string{"failed code_taken"},
		statuses(s.batch("basic", []obj{{"id": a.ID(), "code": "A-7"}}).Is(207)), "its own variant's")
	s.made("A")
}

func TestUnitsAreChangedInABatch(t *testing.T) {
	s := open(t)
	ids := s.many(3)
	box := []obj{{"unit": "box", "quantity": 6}}
	r := s.batch("has-units", []obj{{"id": ids[0], "hasUnits": true, "units": box}, {"id": ids[1], "hasUnits": true},
		{"id": ids[2], "hasUnits": false}}).Is(207)
	require.Equal(t, []string{"changed", "failed invalid", "unchanged"}, statuses(r))
	require.Equal(t, []events.Group{events.Units}, s.one(events.Products)[0].Groups)
	r = s.batch("has-units", []obj{{"id": ids[0], "hasUnits": true}}).Is(200)
	require.Equal(t, []string{"unchanged"}, statuses(r))
	s.batch("has-units", []obj{{"id": ids[0], "hasUnits": false}}).Is(200)
	require.Empty(t, s.get(ids[0]).At("units"))
}

func TestPricesAreReplacedInABatch(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60)})
	b := s.made("B")
	s.Main.NewChanges()
	v, w := a.Get("variants.0.id"), a.Get("variants.59.id")
	r := s.batch("price-levels", []obj{
		{"id": b.ID(), "priceLevels": prices("default", "5.00", "vip", "4.00")},
		{"id": a.ID(), "variantId": w, "priceLevels": prices("default", "7.00")},
		{"id": a.ID(), "variantId": v, "priceLevels": prices("default", "6.00")},
		{"id": a.ID(), "priceLevels": prices("vip", "1.00")},
	}).Is(207)
	require.Equal(t, []string{"changed", "changed", "changed", "failed invalid"}, statuses(r))
	told := s.one(events.Products)
	require.Equal(t, []string{b.ID(), a.ID()}, []string{told[0].ID, told[1].ID})
	require.Equal(t, []string{w, v}, told[1].Variants)
	require.Equal(t, []events.Group{events.Prices}, told[1].Groups)
	require.Equal(t, "7.00", s.get(a.ID()).Get("variants.59.priceLevels.0.price"))
	r = s.batch("price-levels", []obj{{"id": a.ID(), "variantId": v, "priceLevels": []obj{}},
		{"id": b.ID(), "priceLevels": []obj{}}}).Is(207)
	require.Equal(t, []string{"changed", "failed invalid"}, statuses(r))
	require.Empty(t, s.get(a.ID()).At("variants.0.priceLevels"))
}

func TestCodesOf99ProductsAreOneChange(t *testing.T) {
	s := open(t)
	ids := s.many(99)
	r := s.batch("basic", items(ids, func(i int) obj {
		return obj{"code": fmt.Sprint("N", i), "name": fmt.Sprint("Name ", i)}
	}), "Idempotency-Key", "k").Is(200)
	require.Equal(t, 99.0, r.At("changed"))
	told := s.one(events.Products)
	require.Len(t, told, 99)
	for i, id := range ids {
		require.Equal(t, id, told[i].ID)
		g := s.get(id)
		require.Equal(t, fmt.Sprint("N", i), g.Get("code"))
		require.Equal(t, fmt.Sprint("https://shop.example/name-", i), g.Get("url"))
		require.Equal(t, `"`+told[i].Version+`"`, g.ETag())
	}
	left, err := s.Main.Get(t.Context(), pending.Key(r.Header.Get("X-Request-Id")))
	require.NoError(t, err)
	require.Nil(t, left[0])
	n := s.Main.Writes()
	again := s.batch("basic", items(ids, func(i int) obj {
		return obj{"code": fmt.Sprint("N", i), "name": fmt.Sprint("Name ", i)}
	}), "Idempotency-Key", "k").Is(200)
	require.Equal(t, r.Body, again.Body)
	require.Equal(t, n, s.Main.Writes())
}

func TestOneNameForAHundredProducts(t *testing.T) {
	s := open(t)
	ids := s.many(100)
	s.made("X", obj{"name": "Same"})
	s.Main.NewChanges()
	r := s.batch("basic", items(ids, func(i int) obj { return obj{"name": "Same"} })).Is(200)
	require.Equal(t, 100.0, r.At("changed"))
	seen := map[string]bool{}
	for _, id := range ids {
		seen[s.get(id).Get("url")] = true
		s.urls(address.Product, id)
	}
	require.Len(t, seen, 100)
}

func TestADryRunFindsTheNamesThatOthersHave(t *testing.T) {
	s := open(t)
	ids := s.many(3)
	n := s.Main.Writes()
	asked := []obj{{"id": ids[0], "code": "M2"}, {"id": ids[1], "code": "free"}}
	require.Equal(t, []string{"failed code_taken", "changed"}, statuses(s.batch("basic?dryRun=true", asked).Is(207)))
	s.batch("basic?dryRun=true&errorPolicy=rejectAll", asked).Is(422, "batch_rejected")
	require.Equal(t, n, s.Main.Writes())
}

func TestASlugIsForTheNextWhenWhoChoseItFirstIsGone(t *testing.T) {
	s := open(t)
	ids := s.many(2)
	raced := false
	s.Main.Before(func([]store.Op) error {
		if !raced {
			raced = true
			s.ask("DELETE", path(ids[0]), nil).Is(204)
		}
		return nil
	})
	r := s.batch("basic", items(ids, func(int) obj { return obj{"name": "Both"} })).Is(207)
	require.Equal(t, []string{"failed not_found", "changed"}, statuses(r))
	require.True(t, strings.HasSuffix(s.get(ids[1]).Get("url"), "/both"), s.get(ids[1]).Get("url"))
}

func TestACrashBetweenTransactionsIsTold(t *testing.T) {
	s := open(t)
	ids := s.many(100)
	n := 0
	s.Main.Before(func([]store.Op) error {
		if n++; n == 3 {
			return store.ErrUnavailable
		}
		return nil
	})
	r := s.batch("basic", items(ids, func(i int) obj { return obj{"code": fmt.Sprint("N", i)} })).Is(503, "unavailable")
	s.Main.Around(nil)
	s.nothing()
	require.Equal(t, "N0", s.get(ids[0]).Get("code"))
	require.Equal(t, "M99", s.get(ids[99]).Get("code"))
	left, err := s.Main.Get(t.Context(), pending.Key(r.Header.Get("X-Request-Id")))
	require.NoError(t, err)
	require.False(t, pending.Jobs.IsDue(left[0], s.Clock.Now()))
	s.Clock.Pass(timeout)
	require.True(t, pending.Jobs.IsDue(left[0], s.Clock.Now()))
	change, _, err := pending.EndOverdue(left[0])
	require.NoError(t, err)
	require.Equal(t, r.Header.Get("X-Request-Id"), change.Request)
	told := map[string]bool{}
	for _, record := range change.Records {
		told[record.ID] = true
	}
	for _, id := range ids {
		require.True(t, told[id])
	}
}

func TestABatchThatTheSweeperEndedIsUnavailable(t *testing.T) {
	s := open(t)
	ids := s.many(100)
	swept := false
	s.Main.Before(func(ops []store.Op) error {
		for _, op := range ops {
			if op.Kind == store.Deleting && strings.HasPrefix(op.Key.PK, "PEND#") && !swept {
				swept = true
				_, err := s.Main.Table.Write(t.Context(), events.Nothing, store.Delete(op.Key))
				return err
			}
		}
		return nil
	})
	s.batch("basic", items(ids, func(i int) obj { return obj{"code": fmt.Sprint("N", i)} })).Is(503, "unavailable")
	require.True(t, swept)
	s.nothing()
}

func TestItemsThatLostTheirProductAreDroppedAndTheOthersDone(t *testing.T) {
	s := open(t)
	ids := s.many(3, obj{"stock": obj{"quantity": 5}})
	raced := false
	s.Main.Before(func(ops []store.Op) error {
		if raced || len(ops) != 3 {
			return nil
		}
		raced = true
		for i, to := range []int64{5, 1, 0} {
			if _, err := s.Main.Table.Write(t.Context(), events.Nothing,
				store.Update(ops[i].Key, store.Set{Version: nobody, Num: map[string]int64{"q": to}})); err != nil {
				return err
			}
		}
		return nil
	})
	r := s.batch("stock", items(ids, func(i int) obj { return obj{"change": -2} })).Is(207)
	require.True(t, raced)
	require.Equal(t, []string{"changed", "failed insufficient_stock", "failed insufficient_stock"}, statuses(r))
	require.Len(t, s.one(events.Products), 1)
}

func TestParallelChangesAddUpAndNeverGoBelowZero(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 1), "stock": obj{"quantity": 100}})
	v := a.Get("variants.0.id")
	var wg sync.WaitGroup
	var mu sync.Mutex
	taken := map[string]int{}
	for w := range 8 {
		wg.Go(func() {
			for i := range 10 {
				n := 1 + (w+i)%4
				r := s.batch("stock", []obj{{"id": a.ID(), "change": -n}, {"id": a.ID(), "variantId": v, "change": -1}})
				mu.Lock()
				for j, status := range statuses(r) {
					switch {
					case status == "changed" && j == 0:
						taken["own"] += n
					case status == "changed":
						taken["variant"]++
					case status != "failed insufficient_stock":
						t.Errorf("%d %s", r.Status, r.Text)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	g := s.get(a.ID())
	require.Equal(t, float64(100-taken["own"]), g.At("stock.quantity"))
	require.Equal(t, float64(10-taken["variant"]), g.At("variants.0.stock.quantity"))
	require.Equal(t, 10, taken["variant"])
	require.GreaterOrEqual(t, g.At("stock.quantity"), 0.0)
}

func TestACodeChangesHandsInNoBatch(t *testing.T) {
	for name, c := range map[string]struct {
		wanted   [3]int // whose code each of the three asks for; -1: a new one, 3: none
		statuses []string
		codes    [3]string // afterwards
	}{
		"given up before it is asked for": {[3]int{-1, 0, 3}, []string{"changed", "failed code_taken"},
			[3]string{"N0", "C1", "C2"}},
		"asked for before it is given up": {[3]int{1, -1, 3}, []string{"failed code_taken", "changed"},
			[3]string{"C0", "N1", "C2"}},
		"two change places": {[3]int{1, 0, 3}, []string{"failed code_taken", "failed code_taken"},
			[3]string{"C0", "C1", "C2"}},
		"three go round": {[3]int{1, 2, 0},
			[]string{"failed code_taken", "failed code_taken", "failed code_taken"}, [3]string{"C0", "C1", "C2"}},
		"three go round the other way": {[3]int{2, 0, 1},
			[]string{"failed code_taken", "failed code_taken", "failed code_taken"}, [3]string{"C0", "C1", "C2"}},
		"a chain": {[3]int{1, 2, -1},
			[]string{"failed code_taken", "failed code_taken", "changed"}, [3]string{"C0", "C1", "N2"}},
		"a chain from its end": {[3]int{-1, 0, 1},
			[]string{"changed", "failed code_taken", "failed code_taken"}, [3]string{"N0", "C1", "C2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			var ids []string
			for i := range 3 {
				ids = append(ids, s.made(fmt.Sprint("C", i)).ID())
			}
			var asked []obj
			for i, of := range c.wanted {
				switch of {
				case 3:
				case -1:
					asked = append(asked, obj{"id": ids[i], "code": fmt.Sprint("N", i)})
				default:
					asked = append(asked, obj{"id": ids[i], "code": fmt.Sprint("C", of)})
				}
			}
			require.Equal(t, c.statuses, statuses(s.batch("basic?dryRun=true", asked).Is(207)), "tried out")
			rejected := statuses(s.batch("basic?errorPolicy=rejectAll", asked).Is(422, "batch_rejected"))
			require.Equal(t, strings.ReplaceAll(fmt.Sprint(c.statuses), "changed", "unchanged"), fmt.Sprint(rejected),
				"all that could not have gone through")
			require.Equal(t, c.statuses, statuses(s.batch("basic", asked).Is(207)))
			for i, id := range ids {
				require.Equal(t, c.codes[i], s.get(id).Get("code"))
			}
		})
	}
}
