package products

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

func TestVariantsAreAddedOneOrSeveral(t *testing.T) {
	s := open(t)
	p := s.made("A")
	s.Main.NewChanges()
	one := s.ask("POST", path(p.ID(), "variants"),
		obj{"code": "A-1", "name": "M", "parameters": []obj{{"name": "size", "value": "M"}}}).Is(201)
	require.Equal(t, path(p.ID(), "variants", one.ID()), one.Header.Get("Location"))
	require.Equal(t, []events.Record{{Kind: events.Products, ID: p.ID(), Did: events.Changed,
		Variants: []string{one.ID()},
		Groups:   []events.Group{events.Variants}, Version: strings.Trim(one.ETag(), `"`)}}, s.one(events.Products))
	require.Equal(t, s.get(p.ID()).ETag(), one.ETag())
	require.Equal(t, s.get(p.ID()).At("variants.0"), any(one.Body))

	s.ask("POST", path(p.ID(), "variants"), obj{"code": "late"}, "If-Match", p.ETag()).Is(412, "version_conflict")
	many := s.ask("POST", path(p.ID(), "variants"), obj{"items": variants("B", 60)}, "If-Match", one.ETag()).Is(201)
	require.Equal(t, s.ids(many, "items"), s.one(events.Products)[0].Variants)
	require.Equal(t, s.get(p.ID()).ETag(), many.ETag())
	require.Empty(t, many.Header.Get("Location"))
	require.Len(t, s.get(p.ID()).At("variants"), 61)
	require.Equal(t, one.Text, s.ask("GET", path(p.ID(), "variants", one.ID()), nil).Is(200).Text)
	require.Equal(t, many.ETag(), s.ask("GET", path(p.ID(), "variants", one.ID()), nil).ETag())
}

func TestAProductHasAtMost500Variants(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 60)})
	for n := range 7 {
		s.ask("POST", path(p.ID(), "variants"), obj{"items": variants(fmt.Sprint("A", n), 60)}).Is(201)
	}
	s.ask("POST", path(p.ID(), "variants"), obj{"items": variants("Z", 21)}).Fault("body", "too_many")
	s.ask("POST", path(p.ID(), "variants"), obj{"items": variants("Z", 20)}).Is(201)
	s.ask("POST", path(p.ID(), "variants"), obj{"code": "one more"}).Fault("body", "too_many")
	g := s.get(p.ID())
	require.Len(t, g.At("variants"), 500)
	s.Main.NewChanges()
	s.ask("DELETE", path(p.ID()), nil).Is(204)
	require.Len(t, s.one(events.Products)[0].Variants, 500)
}

func TestVariantsAreRefusedForEachFault(t *testing.T) {
	s := open(t)
	p := s.made("A")
	for name, c := range map[string]struct {
		body           any
		location, code string
	}{
		"none":                {obj{"items": []obj{}}, "body.items", "required"},
		"61":                  {obj{"items": variants("V", 61)}, "body.items", "too_many"},
		"nothing":             {obj{}, "body.code", "required"},
		"a null code":         {obj{"code": nil}, "body.code", "required"},
		"items and a variant": {obj{"items": variants("V", 1), "code": "v"}, "body.items", "conflict"},
		"an unknown field":    {obj{"code": "v", "colour": "red"}, "body.colour", "unknown_field"},
		"an id":               {obj{"code": "v", "id": "red"}, "body.id", "read_only"},
		"no code in items":    {obj{"items": []obj{{}}}, "body.items[0].code", "required"},
		"a level twice": {obj{"items": []obj{{"code": "v", "priceLevels": prices("a", "1.00", "a", "1.00")}}},
			"body.items[0].priceLevels[1].level", "duplicate"},
		"stock below zero": {obj{"code": "v", "stock": obj{"quantity": -1}}, "body.stock.quantity", "too_small"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.ask("POST", path(p.ID(), "variants"), c.body).Fault(c.location, c.code)
		})
	}
	s.T = t
	s.ask("POST", path(p.ID(), "variants"), "[]").Fault("body", "wrong_type")
	s.ask("POST", path(p.ID(), "variants"), obj{"items": nil}).Is(422)
	s.ask("POST", path("01M7XXKDY3HDST93PJ8ZDYB2ZZ", "variants"), obj{"code": "v"}).Is(404)
}

func TestAChangeOfAVariantMovesItsProduct(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 3)})
	v := p.Get("variants.1.id")
	s.Main.NewChanges()
	for _, c := range []struct {
		patch  obj
		groups []events.Group
	}{
		{obj{"ean": "1"}, []events.Group{events.Variants}},
		{obj{"code": "new"}, []events.Group{events.Variants}},
		{obj{"active": false}, []events.Group{events.Variants}},
		{obj{"stock": obj{"quantity": 1}}, []events.Group{events.Stock}},
		{obj{"priceLevels": prices("default", "1.00")}, []events.Group{events.Prices}},
		{obj{"priceLevels": nil, "stock": obj{"quantity": 0, "availability": nil}, "ean": nil},
			[]events.Group{events.Prices, events.Stock, events.Variants}},
	} {
		a := s.ask("PATCH", path(p.ID(), "variants", v), c.patch).Is(200)
		require.Equal(t, []events.Record{{Kind: events.Products, ID: p.ID(), Did: events.Changed, Variants: []string{v},
			Groups:  c.groups,
			Version: strings.Trim(a.ETag(), `"`)}}, s.one(events.Products), "%v", c.patch)
		g := s.get(p.ID())
		require.Equal(t, g.ETag(), a.ETag())
		require.Equal(t, g.At("variants.1"), any(a.Body))
		n := s.Main.Writes()
		require.Equal(t, a.ETag(), s.ask("PATCH", path(p.ID(), "variants", v), c.patch).Is(200).ETag())
		require.Equal(t, n, s.Main.Writes(), "the same again writes nothing")
	}
	require.Equal(t, "A-0", s.get(p.ID()).At("variants.0.code"))
}

func TestARemovedVariantIsTold(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 3)})
	v := p.Get("variants.1.id")
	s.Main.NewChanges()
	s.ask("DELETE", path(p.ID(), "variants", v), nil, "If-Match", `"x"`).Is(412, "version_conflict")
	s.ask("DELETE", path(p.ID(), "variants", v), nil, "If-Match", p.ETag()).Is(204)
	r := s.one(events.Products)[0]
	require.Equal(t, []string{v}, r.Variants)
	require.Equal(t, []events.Group{events.Variants}, r.Groups)
	require.Equal(t, []string{p.Get("variants.0.id"), p.Get("variants.2.id")}, s.ids(s.get(p.ID()), "variants"))
	for _, method := range []string{"GET", "DELETE"} {
		s.ask(method, path(p.ID(), "variants", v), nil).Is(404)
	}
	s.ask("PATCH", path(p.ID(), "variants", v), obj{"ean": "1"}).Is(404)
	s.ask("PATCH", path(p.ID(), "variants", v), obj{"code": ""}).Is(422)
	b := s.ask("PATCH", "/api-engine/products/batch/stock",
		obj{"items": []obj{{"id": p.ID(), "variantId": v, "quantity": 1}}}).Is(207)
	require.Equal(t, "not_found", b.Get("results.0.error.code"))
}

func TestARemovedPartIsGone(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 51)})
	s.ask("DELETE", path(p.ID(), "variants", p.Get("variants.50.id")), nil).Is(204)
	require.Equal(t, s.ids(p, "variants")[:50], s.ids(s.get(p.ID()), "variants"))
	require.Len(t, s.ask("GET", "/api-engine/products", nil).Is(200).At("items.0.variants"), 50)
	s.ask("POST", path(p.ID(), "variants"), obj{"code": "A-50"}).Is(201)
	require.Len(t, s.get(p.ID()).At("variants"), 51)
}
