package products

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

func prices(pairs ...string) []obj {
	all := []obj{}
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, obj{"level": pairs[i], "price": pairs[i+1]})
	}
	return all
}

func list(n int, make func(i int) any) []any {
	all := []any{}
	for i := range n {
		all = append(all, make(i))
	}
	return all
}

func TestAProductIsRefusedForEachFaultOfForm(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct {
		more     obj
		location string
		code     string
	}{
		"no code":             {obj{"code": nil}, "body.code", "required"},
		"a blank code":        {obj{"code": "  "}, "body.code", "required"},
		"a long code":         {obj{"code": strings.Repeat("c", 65)}, "body.code", "too_long"},
		"a blank name":        {obj{"name": " "}, "body.name", "required"},
		"a long name":         {obj{"name": strings.Repeat("n", 256)}, "body.name", "too_long"},
		"a control character": {obj{"name": "a\u0001"}, "body.name", "bad_format"},
		"a long text": {obj{"description": strings.Repeat("d", 64<<10+1)},
			"body.description", "too_long"},
		"no default price": {obj{"priceLevels": prices("vip", "1.00")}, "body.priceLevels", "required"},
		"no prices":        {obj{"priceLevels": nil}, "body.priceLevels", "required"},
		"a level twice": {obj{"priceLevels": prices("default", "1.00", "vip", "1.00", " vip", "2.00")},
			"body.priceLevels[2].level", "duplicate"},
		"51 levels": {obj{"priceLevels": list(51,
			func(i int) any { return obj{"level": fmt.Sprint(i), "price": "1.00"} })}, "body.priceLevels", "too_many"},
		"a price with one place": {obj{"priceLevels": prices("default", "1.0")}, "body.priceLevels[0].price",
			"bad_format"},
		"a negative price": {obj{"priceLevels": prices("default", "-1.00")}, "body.priceLevels[0].price",
			"bad_format"},
		"a price with a leading zero": {obj{"priceLevels": prices("default", "01.00")}, "body.priceLevels[0].price",
			"bad_format"},
		"a price of thirteen digits": {obj{"priceLevels": prices("default", "1000000000000.00")},
			"body.priceLevels[0].price", "bad_format"},
		"a price that is a number": {obj{"priceLevels": []obj{{"level": "default", "price": 1}}},
			"body.priceLevels[0].price", "wrong_type"},
		"a rate above 100":           {obj{"vatRate": "100.01"}, "body.vatRate", "bad_format"},
		"a rate of one place":        {obj{"vatRate": "21.0"}, "body.vatRate", "bad_format"},
		"a rate with a leading zero": {obj{"vatRate": "021.00"}, "body.vatRate", "bad_format"},
		"units without hasUnits": {obj{"units": []obj{{"unit": "box", "quantity": 2}}}, "body.units",
			"conflicting"},
		"hasUnits without units": {obj{"hasUnits": true}, "body.units", "required"},
		"a unit twice": {obj{"hasUnits": true, "units": []obj{{"unit": "box", "quantity": 2},
			{"unit": "box", "quantity": 3}}}, "body.units[1].unit", "duplicate"},
		"a unit of none": {obj{"hasUnits": true, "units": []obj{{"unit": "box", "quantity": 0}}},
			"body.units[0].quantity", "too_small"},
		"a unit of a half": {obj{"hasUnits": true, "units": []obj{{"unit": "box", "quantity": 0.5}}},
			"body.units[0].quantity", "wrong_type"},
		"21 units": {obj{"hasUnits": true, "units": list(21,
			func(i int) any { return obj{"unit": fmt.Sprint(i), "quantity": 1} })}, "body.units", "too_many"},
		"21 images": {obj{"images": list(21,
			func(i int) any { return obj{"url": "https://a.example/1"} })}, "body.images", "too_many"},
		"an image at ftp": {obj{"images": []obj{{"url": "ftp://a.example/1"}}}, "body.images[0].url",
			"bad_format"},
		"an image without a host": {obj{"images": []obj{{"url": "https:///1"}}}, "body.images[0].url",
			"bad_format"},
		"an image at a long address": {obj{"images": []obj{{"url": "https://a.example/" +
			strings.Repeat("a", 2000)}}}, "body.images[0].url", "too_long"},
		"an unknown category": {obj{"categoryIds": []string{"01M7XXKDY3HDST93PJ8ZDYB2ZZ"}},
			"body.categoryIds[0]", "not_found"},
		"an odd category":  {obj{"categoryIds": []string{"x#y"}}, "body.categoryIds[0]", "not_found"},
		"a category twice": {obj{"categoryIds": []string{"x", "x"}}, "body.categoryIds[1]", "duplicate"},
		"negative stock":   {obj{"stock": obj{"quantity": -1}}, "body.stock.quantity", "too_small"},
		"too much stock": {obj{"stock": obj{"quantity": 1_000_000_000_000}},
			"body.stock.quantity", "too_big"},
		"a field that the server makes": {obj{"url": "https://a.example"}, "body.url", "read_only"},
		"61 variants":                   {obj{"variants": variants("V", 61)}, "body.variants", "too_many"},
		"a variant without a code":      {obj{"variants": []obj{{}}}, "body.variants[0].code", "required"},
		"a variant with an id": {obj{"variants": []obj{{"code": "v", "id": "x"}}}, "body.variants[0].id",
			"read_only"},
		"a variant with a blank name": {obj{"variants": []obj{{"code": "v", "name": " "}}},
			"body.variants[0].name", "required"},
		"a variant's level twice": {obj{"variants": []obj{{"code": "v",
			"priceLevels": prices("a", "1.00", "a", "1.00")}}}, "body.variants[0].priceLevels[1].level", "duplicate"},
	} {
		t.Run(name, func(t *testing.T) {
			body := product("P", c.more)
			for k, v := range body {
				if v == nil {
					delete(body, k)
				}
			}
			code := c.code
			if code == "conflicting" {
				code = "conflict"
			}
			s.T = t
			s.ask("POST", "/api-engine/products", body).Fault(c.location, code)
		})
	}
	s.nothing()
	require.Zero(t, s.Main.Writes())
}

func TestAProductIsReadAsItWasMade(t *testing.T) {
	s := open(t)
	a := s.made("TR-1", obj{"externalId": "x", "ean": "859", "manufacturer": "M", "shortDescription": "s",
		"description": "a\nb\t<b>",
		"vatRate":     "21.00", "images": []obj{{"url": "https://a.example/1", "alt": "one"}}, "active": false,
		"hasUnits": true,
		"units":    []obj{{"unit": "box", "quantity": 12}}, "stock": obj{"quantity": 3, "availability": "soon"},
		"priceLevels": prices("default", "100.00", "vip", "90.50"), "variants": variants("TR-1", 2)})
	require.Equal(t, "https://shop.example/product-tr-1", a.Get("url"))
	g := s.get(a.ID())
	require.Equal(t, a.Text, g.Text)
	require.Equal(t, false, g.At("active"))
	require.Equal(t, true, g.At("variants.0.active"), "true unless it is said otherwise")
	require.Equal(t, 3.0, g.At("stock.quantity"))
}

func TestAListIsNeverNull(t *testing.T) {
	s := open(t)
	a := s.made("A")
	for _, field := range []string{"images", "units", "categoryIds", "variants"} {
		require.NotNil(t, a.At(field), field)
		require.Empty(t, a.At(field), field)
	}
	b := s.ask("PATCH", path(a.ID()), obj{"images": nil, "units": nil, "categoryIds": nil}).Is(200)
	require.Equal(t, a.Text, b.Text)
}

func TestACreationIsToldWithAllVariants(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 3)})
	require.Equal(t, []events.Record{{Kind: events.Products, ID: a.ID(), Did: events.Created,
		Variants: s.ids(a, "variants"),
		Version:  strings.Trim(a.ETag(), `"`)}}, s.one(events.Products))
}

func TestAChangeIsToldByWhatItTouched(t *testing.T) {
	s := open(t)
	category := s.ask("POST", "/api-engine/categories", obj{"name": "C"}).Is(201).ID()
	id := s.made("A", obj{"variants": variants("A", 2), "hasUnits": true,
		"units": []obj{{"unit": "box", "quantity": 2}}}).ID()
	s.Main.NewChanges()
	for _, c := range []struct {
		patch  obj
		groups []events.Group
	}{
		{obj{"ean": "1"}, []events.Group{events.Basic}},
		{obj{"active": false}, []events.Group{events.Basic}},
		{obj{"images": []obj{{"url": "http://a.example"}}}, []events.Group{events.Basic}},
		{obj{"description": "d"}, []events.Group{events.Basic}},
		{obj{"stock": obj{"quantity": 1}}, []events.Group{events.Stock}},
		{obj{"stock": obj{"availability": "soon"}}, []events.Group{events.Stock}},
		{obj{"priceLevels": prices("default", "1.00")}, []events.Group{events.Prices}},
		{obj{"hasUnits": false}, []events.Group{events.Units}},
		{obj{"categoryIds": []string{category}}, []events.Group{events.InCategories}},
		{obj{"name": "Another"}, []events.Group{events.Basic, events.InURLs}},
		{obj{"name": "ANOTHER"}, []events.Group{events.Basic}},
		{obj{"ean": nil, "stock": obj{"quantity": 0, "availability": nil}}, []events.Group{events.Basic, events.Stock}},
	} {
		a := s.ask("PATCH", path(id), c.patch).Is(200)
		require.Equal(t, []events.Record{{Kind: events.Products, ID: id, Did: events.Changed, Groups: c.groups,
			Version: strings.Trim(a.ETag(), `"`)}},
			s.one(events.Products), "%v", c.patch)
		n := s.Main.Writes()
		again := s.ask("PATCH", path(id), c.patch).Is(200)
		require.Equal(t, a.ETag(), again.ETag(), "the same again changes nothing: %v", c.patch)
		require.Equal(t, n, s.Main.Writes())
		s.nothing()
	}
}

func TestUnitsFollowHasUnits(t *testing.T) {
	s := open(t)
	box := []obj{{"unit": "box", "quantity": 2}}
	id := s.made("A").ID()
	s.ask("PATCH", path(id), obj{"hasUnits": true}).Fault("body.units", "required")
	s.ask("PATCH", path(id), obj{"units": box}).Fault("body.units", "conflict")
	s.ask("PATCH", path(id), obj{"hasUnits": true, "units": box}).Is(200)
	s.ask("PATCH", path(id), obj{"hasUnits": false, "units": box}).Fault("body.units", "conflict")
	s.ask("PATCH", path(id), obj{"units": []obj{}}).Fault("body.units", "required")
	require.Empty(t, s.ask("PATCH", path(id), obj{"hasUnits": false}).Is(200).At("units"))
}

func TestVariantsOfAPatchAreRefused(t *testing.T) {
	s := open(t)
	id := s.made("A", obj{"variants": variants("A", 1)}).ID()
	s.ask("PATCH", path(id), obj{"variants": []obj{}}).Fault("body.variants", "read_only").
		Says("cannot be set here: change them at /api-engine/products/{id}/variants")
}

func TestFaultsComeBeforeTheRecordAndItsVersion(t *testing.T) {
	s := open(t)
	a := s.made("A")
	nobody := "01M7XXKDY3HDST93PJ8ZDYB2ZZ"
	bad := obj{"priceLevels": prices("a", "1.00")}
	s.ask("PATCH", path(nobody), bad).Fault("body.priceLevels", "required")
	s.ask("PATCH", path(a.ID()), bad, "If-Match", `"x"`).Fault("body.priceLevels", "required")
}

func TestWhoMayNotReadSeesIDAndChangedOfAVariantOnly(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 1)})
	v := a.Get("variants.0.id")
	b := s.ask("PATCH", path(a.ID(), "variants", v), obj{"ean": "1"}, "Authorization", "Bearer writer").Is(200)
	require.Equal(t, obj{"id": v, "changed": s.get(a.ID()).Get("changed")}, b.Body)
}

func TestCodesAreUniqueOverProductsAndVariants(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 1)})
	for name, body := range map[string]obj{
		"another product's":     product("A"),
		"another's variant's":   product("A-0"),
		"a variant's, taken":    product("B", obj{"variants": []obj{{"code": "A"}}}),
		"its own variant's":     product("C", obj{"variants": []obj{{"code": "C"}}}),
		"two variants the same": product("C", obj{"variants": []obj{{"code": "D"}, {"code": "D"}}}),
	} {
		s.ask("POST", "/api-engine/products", body).Is(409, "code_taken")
		_ = name
	}
	b := s.made("B")
	s.ask("PATCH", path(b.ID()), obj{"code": "A-0"}).Is(409, "code_taken")
	s.ask("POST", path(b.ID(), "variants"), obj{"code": "A"}).Is(409, "code_taken")
	s.ask("PATCH", path(a.ID(), "variants", a.Get("variants.0.id")), obj{"code": "A"}).Is(409, "code_taken")
	s.ask("POST", "/api-engine/products", product("A"), "Authorization", "Bearer other").Is(201)
}

func TestParallelChangesOfDifferentFieldsAllStay(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 2)})
	var wg sync.WaitGroup
	for _, c := range []struct {
		path string
		body obj
	}{
		{path(a.ID()), obj{"ean": "1"}},
		{path(a.ID(), "variants", a.Get("variants.0.id")), obj{"ean": "2"}},
		{batchPath("stock"), obj{"items": []obj{{"id": a.ID(), "change": 3}}}},
		{batchPath("basic"), obj{"items": []obj{{"id": a.ID(), "active": false}}}},
	} {
		wg.Go(func() {
			if got := s.ask("PATCH", c.path, c.body); got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Text)
			}
		})
	}
	wg.Wait()
	g := s.get(a.ID())
	require.Equal(t, []any{"1", "2", 3.0, false},
		[]any{g.At("ean"), g.At("variants.0.ean"), g.At("stock.quantity"), g.At("active")})
}

func TestACodeGivenUpIsFree(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 2), "externalId": "x2"})
	s.ask("PATCH", path(a.ID()), obj{"code": "A2"}).Is(200)
	s.ask("DELETE", path(a.ID(), "variants", a.Get("variants.0.id")), nil).Is(204)
	s.ask("PATCH", path(a.ID(), "variants", a.Get("variants.1.id")), obj{"code": "A-9"}).Is(200)
	s.made("A", obj{"externalId": "x"})
	s.made("A-0")
	s.made("A-1")
}

func TestADeletedProductLeavesItsNames(t *testing.T) {
	s := open(t)
	category := s.ask("POST", "/api-engine/categories", obj{"name": "C"}).Is(201).ID()
	a := s.made("A", obj{"variants": variants("A", 60), "externalId": "x", "categoryIds": []string{category},
		"description": strings.Repeat("d", 9000)})
	s.Main.NewChanges()
	s.ask("DELETE", path(a.ID()), nil).Is(204)
	deleted := s.one(events.Products)
	require.Len(t, deleted, 1)
	require.Equal(t, events.Deleted, deleted[0].Did)
	require.Equal(t, s.ids(a, "variants"), deleted[0].Variants)
	require.Empty(t, deleted[0].Groups)

	page, err := s.Main.Query(t.Context(), store.Query{PK: catalog.ProductKey("shop", a.ID()).PK})
	require.NoError(t, err)
	require.Len(t, page.Items, 1, "the tombstone alone")
	s.ask("DELETE", "/api-engine/categories/"+category, nil).Is(204)
	left, err := s.Main.Get(t.Context(), catalog.CodeKey("shop", "A"), catalog.CodeKey("shop", "A-59"),
		catalog.ExternalKey("shop", "x"),
		address.SlugKey("shop", a.Get("url")[strings.LastIndex(a.Get("url"), "/")+1:]), address.SlugKey("shop", "c"))
	require.NoError(t, err)
	require.Equal(t, make([]*store.Item, len(left)), left, "claims that nobody wants any more would stay for ever")

	b := s.made("A", obj{"variants": variants("A", 2), "externalId": "x"})
	require.Equal(t, a.Get("url"), b.Get("url"))
}

func TestAClaimWithoutAnOwnerIsFreeAfterFiveMinutes(t *testing.T) {
	s := open(t)
	left := record.AcquireClaim(catalog.CodeKey("shop", "A"), "P#01M7XXKDY3HDST93PJ8ZDYB2ZZ", s.Clock.Now(), nil)
	_, err := s.Main.Write(t.Context(), events.Nothing, left)
	require.NoError(t, err)
	s.ask("POST", "/api-engine/products", product("A")).Is(409, "code_taken")
	s.Clock.Pass(5 * time.Minute)
	s.made("A")
}

func TestTheCollectionFindsByCodeAndExternalID(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60), "externalId": "x"})
	b := s.made("B")
	for query, want := range map[string][]string{
		"?code=A":                           {a.ID()},
		"?code=A-59":                        {a.ID()},
		"?code=a":                           {},
		"?code=B":                           {b.ID()},
		"?externalId=x":                     {a.ID()},
		"?externalId=x&code=A-1":            {a.ID()},
		"?externalId=x&code=B":              {},
		"?code=A&changed[after]=2026-11-22": {},
	} {
		got := s.ids(s.ask("GET", "/api-engine/products"+query, nil).Is(200), "items")
		require.ElementsMatch(t, want, got, query)
	}
}

func TestTheCollectionGoesByChangedOverAllShards(t *testing.T) {
	s := open(t)
	var want []string
	for i := range 23 {
		want = append(want, s.made(fmt.Sprint("P", i),
			obj{"variants": variants(fmt.Sprint("P", i), i%3*20), "description": strings.Repeat("d", i%2*9000)}).ID())
	}
	s.ask("PATCH", path(want[4]), obj{"ean": "1"}).Is(200)
	want = append(append(append([]string{}, want[:4]...), want[5:]...), want[4])
	var got []string
	next := "/api-engine/products?itemsPerPage=5"
	for next != "" {
		a := s.ask("GET", next, nil).Is(200)
		got = append(got, s.ids(a, "items")...)
		for i, v := range a.At("items").([]any) {
			require.Equal(t, s.get(s.ids(a, "items")[i]).Body, v)
		}
		next = ""
		if c, more := a.Body["nextCursor"]; more {
			next = "/api-engine/products?cursor=" + c.(string) + "&itemsPerPage=5"
		}
	}
	require.Equal(t, want, got)
}

func TestLongTextsAreApart(t *testing.T) {
	s := open(t)
	long := strings.Repeat("d", 60<<10)
	a := s.made("A", obj{"description": long, "shortDescription": "s"})
	head, err := s.Main.Get(t.Context(), catalog.ProductKey("shop", a.ID()))
	require.NoError(t, err)
	require.Less(t, len(head[0].Doc), 1000)
	require.Equal(t, long, s.get(a.ID()).Get("description"))
	s.ask("PATCH", path(a.ID()), obj{"shortDescription": "t"}).Is(200)
	require.Equal(t, long, s.get(a.ID()).Get("description"))
	s.ask("PATCH", "/api-engine/products/batch/basic", obj{"items": []obj{{"id": a.ID(), "description": nil}}}).Is(200)
	g := s.get(a.ID())
	require.NotContains(t, g.Body, "description")
	require.Equal(t, "t", g.Get("shortDescription"))
	s.ask("PATCH", "/api-engine/products/batch/basic",
		obj{"items": []obj{{"id": a.ID(), "description": long, "name": "N"}}}).Is(200)
	s.ask("PATCH", "/api-engine/products/batch/basic", obj{"items": []obj{{"id": a.ID(), "name": "O"}}}).Is(200)
	require.Equal(t, long, s.get(a.ID()).Get("description"))
}

func TestABatchThatMakesATextLongPutsItApart(t *testing.T) {
	s := open(t)
	id := s.made("A", obj{"variants": variants("A", 2), "shortDescription": "s"}).ID()
	long := strings.Repeat("d", 60<<10)
	s.batch("basic", []obj{{"id": id, "description": long}}).Is(200)
	head, err := s.Main.Get(t.Context(), catalog.ProductKey("shop", id))
	require.NoError(t, err)
	require.Less(t, len(head[0].Doc), 1000)
	g := s.get(id)
	require.Equal(t, long, g.Get("description"))
	require.Equal(t, "s", g.Get("shortDescription"))
	require.Equal(t, []string{"unchanged"}, statuses(s.batch("basic", []obj{{"id": id, "description": long}}).Is(200)))
	s.batch("basic", []obj{{"id": id, "description": nil}}).Is(200)
	g = s.get(id)
	require.NotContains(t, g.Body, "description")
	require.Len(t, g.At("variants"), 2)
	s.sound([]string{id}, "")
}

func TestAProductTooHeavyIsRefused(t *testing.T) {
	s := open(t)
	wide := strings.Repeat("\U0001F600", 255)
	images := list(10, func(int) any {
		return obj{"url": "https://a.example/" + strings.Repeat("\U0001F600", 1900), "alt": wide}
	})
	levels := list(49, func(i int) any { return obj{"level": fmt.Sprint(i) + wide[:4*250], "price": "1.00"} })
	levels = append(levels, obj{"level": "default", "price": "1.00"})
	units := list(20, func(i int) any { return obj{"unit": fmt.Sprint(i) + wide[:4*250], "quantity": 1} })
	body := product("A", obj{"images": images, "priceLevels": levels})
	id := s.ask("POST", "/api-engine/products", body).Is(201).ID()
	for _, n := range []int{60, 6} {
		for try := 0; ; try++ {
			more := list(n, func(i int) any {
				return obj{"code": fmt.Sprint("A", n, "-", try, "-", i), "stock": obj{"availability": wide}}
			})
			a := s.ask("POST", path(id, "variants"), obj{"items": more})
			if a.Status != 201 {
				a.Fault("body", "too_big")
				require.True(t, n < 60 || try > 0)
				break
			}
			require.Less(t, try, map[int]int{60: 8, 6: 10}[n], "sixty more had no room")
		}
	}
	s.get(id)
	// A batch makes no product either that a request would not.
	require.Equal(t, []string{"failed invalid"},
		statuses(s.batch("has-units", []obj{{"id": id, "hasUnits": true, "units": units}}).Is(207)))
	s.ask("PATCH", path(id), obj{"hasUnits": true, "units": units}).Fault("body", "too_big")
}

func TestOthersWritingMeanwhileAreNotOverwritten(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"stock": obj{"quantity": 5}})
	raced := false
	s.Main.Before(func(ops []store.Op) error {
		if raced || ops[0].Key != catalog.ProductKey("shop", a.ID()) {
			return nil
		}
		raced = true
		_, err := s.Main.Table.Write(t.Context(), events.Nothing,
			store.Update(ops[0].Key, store.Set{Version: "01M7XXKDY3HDST93PJ8ZDYB2ZZ", Add: map[string]int64{"q": -2}}))
		return err
	})
	s.ask("PATCH", path(a.ID()), obj{"name": "B"}).Is(200)
	require.Equal(t, 3.0, s.get(a.ID()).At("stock.quantity"))

	raced = false
	s.ask("PATCH", path(a.ID()), obj{"name": "C"}, "If-Match", s.get(a.ID()).ETag()).Is(412, "version_conflict")
	require.True(t, raced)
}

func TestWritesKeepToTheirCapacity(t *testing.T) {
	s := open(t)
	a, b := s.category("A").ID(), s.category("B").ID()
	require.LessOrEqual(t, s.units(s.made("P2")), 14.0)
	p := s.made("Q", obj{"categoryIds": []string{a, b}})
	require.LessOrEqual(t, s.units(p), 14.0+2*2)
	require.LessOrEqual(t, s.units(s.ask("PATCH", path(p.ID()), obj{"ean": "1"})), 4.0)
	require.LessOrEqual(t, s.units(s.ask("PATCH", path(p.ID()), obj{"externalId": "x"})), 9.0)
	require.LessOrEqual(t, s.units(s.ask("PATCH", path(p.ID()), obj{"code": "R"})), 9.0)
	ids := s.many(100)
	require.LessOrEqual(t, s.units(s.batch("stock", items(ids, func(int) obj { return obj{"change": 1} }))), 425.0)
}
