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
	s.table.told()
	one := s.ask("POST", path(p.id(), "variants"), obj{"code": "A-1", "name": "M", "parameters": []obj{{"name": "size", "value": "M"}}}).is(201)
	require.Equal(t, path(p.id(), "variants", one.id()), one.header.Get("Location"))
	require.Equal(t, []events.Record{{Kind: events.Products, ID: p.id(), Did: events.Changed, Variants: []string{one.id()},
		Groups: []events.Group{events.Variants}, Version: strings.Trim(one.etag(), `"`)}}, s.one(events.Products))
	require.Equal(t, s.get(p.id()).etag(), one.etag())
	require.Equal(t, s.get(p.id()).at("variants.0"), any(one.body))

	many := s.ask("POST", path(p.id(), "variants"), obj{"items": variants("B", 60)}).is(201)
	require.Equal(t, s.ids(many, "items"), s.one(events.Products)[0].Variants)
	require.Equal(t, s.get(p.id()).etag(), many.etag())
	require.Empty(t, many.header.Get("Location"))
	require.Len(t, s.get(p.id()).at("variants"), 61)
	require.Equal(t, one.raw, s.ask("GET", path(p.id(), "variants", one.id()), nil).is(200).raw)
	require.Equal(t, many.etag(), s.ask("GET", path(p.id(), "variants", one.id()), nil).etag())
}

func TestAProductHasAtMost500Variants(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 60)})
	for n := range 7 {
		s.ask("POST", path(p.id(), "variants"), obj{"items": variants(fmt.Sprint("A", n), 60)}).is(201)
	}
	s.ask("POST", path(p.id(), "variants"), obj{"items": variants("Z", 21)}).fault("body", "too_many")
	s.ask("POST", path(p.id(), "variants"), obj{"items": variants("Z", 20)}).is(201)
	s.ask("POST", path(p.id(), "variants"), obj{"code": "one more"}).fault("body", "too_many")
	g := s.get(p.id())
	require.Len(t, g.at("variants"), 500)
	s.table.told()
	s.ask("DELETE", path(p.id()), nil).is(204)
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
		"a level twice":       {obj{"items": []obj{{"code": "v", "priceLevels": prices("a", "1.00", "a", "1.00")}}}, "body.items[0].priceLevels[1].level", "duplicate"},
		"stock below zero":    {obj{"code": "v", "stock": obj{"quantity": -1}}, "body.stock.quantity", "too_small"},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.ask("POST", path(p.id(), "variants"), c.body).fault(c.location, c.code)
		})
	}
	s.t = t
	s.ask("POST", path(p.id(), "variants"), "[]").fault("body", "wrong_type")
	s.ask("POST", path(p.id(), "variants"), obj{"items": nil}).is(422)
	s.ask("POST", path("01M7XXKDY3HDST93PJ8ZDYB2ZZ", "variants"), obj{"code": "v"}).is(404)
}

func TestAChangeOfAVariantMovesItsProduct(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 3)})
	v := p.text("variants.1.id")
	s.table.told()
	for _, c := range []struct {
		patch  obj
		groups []events.Group
	}{
		{obj{"ean": "1"}, []events.Group{events.Variants}},
		{obj{"code": "new"}, []events.Group{events.Variants}},
		{obj{"active": false}, []events.Group{events.Variants}},
		{obj{"stock": obj{"quantity": 1}}, []events.Group{events.Stock}},
		{obj{"priceLevels": prices("default", "1.00")}, []events.Group{events.Prices}},
		{obj{"priceLevels": nil, "stock": nil, "ean": nil}, []events.Group{events.Prices, events.Stock, events.Variants}},
	} {
		a := s.ask("PATCH", path(p.id(), "variants", v), c.patch).is(200)
		require.Equal(t, []events.Record{{Kind: events.Products, ID: p.id(), Did: events.Changed, Variants: []string{v}, Groups: c.groups,
			Version: strings.Trim(a.etag(), `"`)}}, s.one(events.Products), "%v", c.patch)
		g := s.get(p.id())
		require.Equal(t, g.etag(), a.etag())
		require.Equal(t, g.at("variants.1"), any(a.body))
		n := s.table.count()
		require.Equal(t, a.etag(), s.ask("PATCH", path(p.id(), "variants", v), c.patch).is(200).etag())
		require.Equal(t, n, s.table.count(), "the same again writes nothing")
	}
	require.Equal(t, "A-0", s.get(p.id()).at("variants.0.code"))
}

func TestARemovedVariantIsTold(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 3)})
	v := p.text("variants.1.id")
	s.table.told()
	s.ask("DELETE", path(p.id(), "variants", v), nil, "If-Match", `"x"`).is(412, "version_conflict")
	s.ask("DELETE", path(p.id(), "variants", v), nil, "If-Match", p.etag()).is(204)
	r := s.one(events.Products)[0]
	require.Equal(t, []string{v}, r.Variants)
	require.Equal(t, []events.Group{events.Variants}, r.Groups)
	require.Equal(t, []string{p.text("variants.0.id"), p.text("variants.2.id")}, s.ids(s.get(p.id()), "variants"))
	for _, method := range []string{"GET", "DELETE"} {
		s.ask(method, path(p.id(), "variants", v), nil).is(404)
	}
	s.ask("PATCH", path(p.id(), "variants", v), obj{"ean": "1"}).is(404)
	s.ask("PATCH", path(p.id(), "variants", v), obj{"code": ""}).is(422)
	b := s.ask("PATCH", "/api-engine/products/batch/stock", obj{"items": []obj{{"id": p.id(), "variantId": v, "quantity": 1}}}).is(207)
	require.Equal(t, "not_found", b.text("results.0.error.code"))
}

func TestARemovedPartIsGone(t *testing.T) {
	s := open(t)
	p := s.made("A", obj{"variants": variants("A", 51)})
	s.ask("DELETE", path(p.id(), "variants", p.text("variants.50.id")), nil).is(204)
	require.Equal(t, s.ids(p, "variants")[:50], s.ids(s.get(p.id()), "variants"))
	require.Len(t, s.ask("GET", "/api-engine/products", nil).is(200).at("items.0.variants"), 50)
	s.ask("POST", path(p.id(), "variants"), obj{"code": "A-50"}).is(201)
	require.Len(t, s.get(p.id()).at("variants"), 51)
}
