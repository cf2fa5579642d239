package products

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
	"eshop/shared/unique"
)

const categoriesPath = "/api-engine/categories"

func (s *shopful) category(name string, parent ...string) answer {
	s.t.Helper()
	body := obj{"name": name}
	if len(parent) > 0 {
		body["parentId"] = parent[0]
	}
	return s.ask("POST", categoriesPath, body).is(201)
}

func TestACategoryIsMadeReadChangedAndDeleted(t *testing.T) {
	s := open(t)
	a := s.category("Trička")
	require.Equal(t, "https://shop.example/tricka", a.text("url"))
	require.NotContains(t, a.body, "parentId")
	require.Equal(t, categoriesPath+"/"+a.id(), a.header.Get("Location"))
	require.Equal(t, []events.Record{{Kind: events.Categories, ID: a.id(), Did: events.Created, Version: strings.Trim(a.etag(), `"`)}}, s.one(events.Categories))
	g := s.ask("GET", categoriesPath+"/"+a.id(), nil).is(200)
	require.Equal(t, a.raw, g.raw)
	require.Equal(t, a.etag(), g.etag())
	s.ask("GET", categoriesPath+"/"+a.id(), nil, "Authorization", "Bearer other").is(404)

	b := s.ask("PATCH", categoriesPath+"/"+a.id(), obj{"name": "Mikiny"}).is(200)
	require.Equal(t, "https://shop.example/mikiny", b.text("url"))
	require.Equal(t, []string{"mikiny system active", "tricka custom"}, s.urls(OfCategory, a.id()))
	require.Equal(t, []events.Group{events.Basic, events.InURLs}, s.one(events.Categories)[0].Groups)
	n := s.table.count()
	require.Equal(t, b.etag(), s.ask("PATCH", categoriesPath+"/"+a.id(), obj{"name": "Mikiny"}).is(200).etag())
	require.Equal(t, n, s.table.count())
	s.ask("PATCH", categoriesPath+"/"+a.id(), obj{"name": "x"}, "If-Match", a.etag()).is(412)

	s.ask("DELETE", categoriesPath+"/"+a.id(), nil, "If-Match", a.etag()).is(412)
	s.ask("DELETE", categoriesPath+"/"+a.id(), nil).is(204)
	require.Equal(t, events.Deleted, s.one(events.Categories)[0].Did)
	s.ask("GET", categoriesPath+"/"+a.id(), nil).is(404)
	s.ask("DELETE", categoriesPath+"/"+a.id(), nil).is(404)
	require.Empty(t, s.ask("GET", categoriesPath, nil).is(200).at("items"))
	require.Equal(t, "https://shop.example/mikiny", s.category("Mikiny").text("url"))
}

func TestACategoryIsRefusedForEachFault(t *testing.T) {
	s := open(t)
	a := s.category("A")
	other := s.ask("POST", categoriesPath, obj{"name": "O"}, "Authorization", "Bearer other").is(201).id()
	for name, c := range map[string]struct {
		body           obj
		location, code string
	}{
		"no name":              {obj{}, "body.name", "required"},
		"a blank name":         {obj{"name": " "}, "body.name", "required"},
		"an unknown parent":    {obj{"name": "x", "parentId": "01M7XXKDY3HDST93PJ8ZDYB2ZZ"}, "body.parentId", "not_found"},
		"an odd parent":        {obj{"name": "x", "parentId": "#"}, "body.parentId", "not_found"},
		"another shop's":       {obj{"name": "x", "parentId": other}, "body.parentId", "not_found"},
		"an address":           {obj{"name": "x", "url": "y"}, "body.url", "read_only"},
		"a field nobody knows": {obj{"name": "x", "colour": "red"}, "body.colour", "unknown_field"},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.ask("POST", categoriesPath, c.body).fault(c.location, c.code)
		})
	}
	s.t = t
	s.ask("PATCH", categoriesPath+"/"+a.id(), obj{"parentId": a.id()}).fault("body.parentId", "conflict")
	s.ask("PATCH", categoriesPath+"/01M7XXKDY3HDST93PJ8ZDYB2ZZ", obj{"name": nil}).fault("body.name", "required")
}

func TestParentsNeverMakeACircle(t *testing.T) {
	s := open(t)
	a := s.category("A").id()
	b := s.category("B", a).id()
	c := s.category("C", b).id()
	s.ask("PATCH", categoriesPath+"/"+a, obj{"parentId": c}).fault("body.parentId", "conflict")
	s.ask("PATCH", categoriesPath+"/"+c, obj{"parentId": nil}).is(200)
	s.ask("PATCH", categoriesPath+"/"+a, obj{"parentId": c}).is(200)
	s.ask("PATCH", categoriesPath+"/"+c, obj{"parentId": b}).fault("body.parentId", "conflict")
}

func TestTwoMovesAtOnceDoNotCloseACircle(t *testing.T) {
	s := open(t)
	for range 10 {
		a, b := s.category("A").id(), s.category("B").id()
		var wg sync.WaitGroup
		status := make([]int, 2)
		wg.Go(func() { status[0] = s.ask("PATCH", categoriesPath+"/"+a, obj{"parentId": b}).status })
		wg.Go(func() { status[1] = s.ask("PATCH", categoriesPath+"/"+b, obj{"parentId": a}).status })
		wg.Wait()
		require.ElementsMatch(t, []int{200, 422}, status)
	}
}

func TestACategoryInUseStays(t *testing.T) {
	s := open(t)
	a := s.category("A").id()
	b := s.category("B", a).id()
	s.ask("DELETE", categoriesPath+"/"+a, nil).is(409, "category_in_use")
	p := s.made("P", obj{"categoryIds": []string{b}}).id()
	q := s.made("Q", obj{"categoryIds": []string{b}}).id()
	s.ask("DELETE", categoriesPath+"/"+b, nil).is(409, "category_in_use")
	s.ask("DELETE", path(p), nil).is(204)
	s.ask("DELETE", categoriesPath+"/"+b, nil).is(409, "category_in_use")
	s.ask("PATCH", path(q), obj{"categoryIds": []string{}}).is(200)
	s.ask("DELETE", categoriesPath+"/"+b, nil).is(204)
	s.ask("DELETE", categoriesPath+"/"+a, nil).is(204)
	s.ask("PATCH", path(q), obj{"categoryIds": []string{a}}).fault("body.categoryIds[0]", "not_found")
}

func TestNoCategoryIsBelowOneThatIsGone(t *testing.T) {
	s := open(t)
	for range 20 {
		a, b := s.category("A").id(), s.category("B").id()
		var gone, moved, made int
		var wg sync.WaitGroup
		wg.Go(func() { gone = s.ask("DELETE", categoriesPath+"/"+a, nil).status })
		wg.Go(func() { moved = s.ask("PATCH", categoriesPath+"/"+b, obj{"parentId": a}).status })
		wg.Go(func() { made = s.ask("POST", categoriesPath, obj{"name": "C", "parentId": a}).status })
		wg.Wait()
		if gone == 204 {
			require.Equal(t, []int{422, 422}, []int{moved, made})
		} else {
			require.Equal(t, 409, gone)
			require.True(t, moved == 200 || made == 201)
		}
	}
}

func TestAMovedCategoryLeavesItsParent(t *testing.T) {
	s := open(t)
	a, b := s.category("A").id(), s.category("B").id()
	c := s.category("C", a).id()
	s.ask("PATCH", categoriesPath+"/"+c, obj{"parentId": b}).is(200)
	s.ask("DELETE", categoriesPath+"/"+a, nil).is(204)
	s.ask("DELETE", categoriesPath+"/"+b, nil).is(409, "category_in_use")
	s.ask("DELETE", categoriesPath+"/"+c, nil).is(204)
	s.ask("DELETE", categoriesPath+"/"+b, nil).is(204)
}

// joins are the ways into a category.
var joins = map[string]func(s *shopful, category string) (answer, string){
	"a POST": func(s *shopful, category string) (answer, string) {
		r := s.ask("POST", "/api-engine/products", product("J", obj{"categoryIds": []string{category}}))
		return r, r.text("id")
	},
	"a PATCH": func(s *shopful, category string) (answer, string) {
		id := s.made("J").id()
		return s.ask("PATCH", path(id), obj{"categoryIds": []string{category}}), id
	},
}

// joining says whether operations put a product into a category.
func joining(ops []store.Op, category string) bool {
	return slices.ContainsFunc(ops, func(op store.Op) bool {
		return op.Key.PK == InCategory("shop", category) && op.Kind == store.Putting
	})
}

func TestAProductThatJoinsACategoryAsItGoesLeavesIt(t *testing.T) {
	for name, join := range joins {
		t.Run("the deletion comes first in "+name, func(t *testing.T) {
			s := open(t)
			category := s.ask("POST", "/api-engine/categories", obj{"name": "C"}).is(201).id()
			s.table.before = func(ops []store.Op) error {
				if joining(ops, category) {
					s.table.before = nil
					s.ask("DELETE", "/api-engine/categories/"+category, nil).is(204)
				}
				return nil
			}
			r, id := join(s, category)
			require.Less(t, r.status, 300)
			before := s.get(id)
			require.Equal(t, []any{category}, before.at("categoryIds"))
			s.table.told()
			s.clock.pass(unique.Crash + time.Minute)
			s.sweep()
			told := s.one(events.Products)
			require.Equal(t, []events.Group{events.InCategories}, told[0].Groups)
			after := s.get(id)
			require.Empty(t, after.at("categoryIds"))
			require.Equal(t, `"`+told[0].Version+`"`, after.etag())
			require.Greater(t, after.text("changed"), before.text("changed"))
			require.Empty(t, s.all(InCategory("shop", category)))
		})
		t.Run("the deletion comes last in "+name, func(t *testing.T) {
			s := open(t)
			category := s.ask("POST", "/api-engine/categories", obj{"name": "C"}).is(201).id()
			id := ""
			s.table.before = func(ops []store.Op) error {
				if ops[0].Key == CategoryKey("shop", category) {
					s.table.before = nil
					_, id = join(s, category)
				}
				return nil
			}
			s.ask("DELETE", "/api-engine/categories/"+category, nil).is(204)
			require.Empty(t, s.get(id).at("categoryIds"), "at once")
		})
	}
}

func TestManyJoinAndLeaveAsTheirCategoryGoes(t *testing.T) {
	s := open(t)
	for round := range 8 {
		category := s.ask("POST", "/api-engine/categories", obj{"name": fmt.Sprint("C", round)}).is(201).id()
		ids := make([]string, 6)
		for i := range ids {
			ids[i] = s.made(fmt.Sprint("R", round, i)).id()
		}
		var work sync.WaitGroup
		for i, id := range ids {
			work.Go(func() {
				s.ask("PATCH", path(id), obj{"categoryIds": []string{category}})
				if i%2 == 0 {
					s.ask("PATCH", path(id), obj{"categoryIds": []string{}}).is(200)
				}
			})
		}
		gone := false
		work.Go(func() { gone = s.ask("DELETE", "/api-engine/categories/"+category, nil).status == 204 })
		work.Wait()
		if s.clock.pass(unique.Crash + time.Minute); gone {
			s.sweep()
		}
		for i, id := range ids {
			list := s.get(id).at("categoryIds")
			if gone || i%2 == 0 {
				require.Empty(t, list)
			}
			inside := s.all(InCategory("shop", category))
			require.Equal(t, fmt.Sprint(list) != "[]", inside[productInCategory("shop", category, id)].SK == id)
		}
	}
}
