package products

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

func (s *shopful) category(name string, parent ...string) hosttest.Answer {
	s.T.Helper()
	body := obj{"name": name}
	if len(parent) > 0 {
		body["parentId"] = parent[0]
	}
	return s.ask("POST", categoriesPath, body).Is(201)
}

func TestACategorysURLFollowsItsName(t *testing.T) {
	s := open(t)
	a := s.category("Trička")
	require.Equal(t, "https://shop.example/tricka", a.Get("url"))
	require.NotContains(t, a.Body, "parentId")
	s.Main.NewChanges()

	b := s.ask("PATCH", categoriesPath+"/"+a.ID(), obj{"name": "Mikiny"}).Is(200)
	require.Equal(t, "https://shop.example/mikiny", b.Get("url"))
	require.Equal(t, []string{"mikiny system active", "tricka custom"}, s.urls(address.Category, a.ID()))
	require.Equal(t, []events.Group{events.Basic, events.InURLs}, s.one(events.Categories)[0].Groups)
	s.ask("DELETE", categoriesPath+"/"+a.ID(), nil).Is(204)
	require.Equal(t, "https://shop.example/mikiny", s.category("Mikiny").Get("url"))
}

func TestACategoryIsRefusedForEachFault(t *testing.T) {
	s := open(t)
	a := s.category("A")
	other := s.ask("POST", categoriesPath, obj{"name": "O"}, "Authorization", "Bearer other").Is(201).ID()
	for name, c := range map[string]struct {
		body           obj
		location, code string
	}{
		"no name":      {obj{}, "body.name", "required"},
		"a blank name": {obj{"name": " "}, "body.name", "required"},
		"an unknown parent": {obj{"name": "x", "parentId": "01M7XXKDY3HDST93PJ8ZDYB2ZZ"}, "body.parentId",
			"not_found"},
		"an odd parent":  {obj{"name": "x", "parentId": "#"}, "body.parentId", "not_found"},
		"another shop's": {obj{"name": "x", "parentId": other}, "body.parentId", "not_found"},
		"an address":     {obj{"name": "x", "url": "y"}, "body.url", "read_only"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.ask("POST", categoriesPath, c.body).Fault(c.location, c.code)
		})
	}
	s.T = t
	s.ask("PATCH", categoriesPath+"/"+a.ID(), obj{"parentId": a.ID()}).Fault("body.parentId", "conflict")
	s.ask("PATCH", categoriesPath+"/01M7XXKDY3HDST93PJ8ZDYB2ZZ", obj{"name": nil}).Fault("body.name", "required")
}

func TestParentsNeverMakeACircle(t *testing.T) {
	s := open(t)
	a := s.category("A").ID()
	b := s.category("B", a).ID()
	c := s.category("C", b).ID()
	s.ask("PATCH", categoriesPath+"/"+a, obj{"parentId": c}).Fault("body.parentId", "conflict")
	s.ask("PATCH", categoriesPath+"/"+c, obj{"parentId": nil}).Is(200)
	s.ask("PATCH", categoriesPath+"/"+a, obj{"parentId": c}).Is(200)
	s.ask("PATCH", categoriesPath+"/"+c, obj{"parentId": b}).Fault("body.parentId", "conflict")
}

func TestCategoriesHaveABoundOfDepth(t *testing.T) {
	s := open(t)
	parent := s.category("0").ID()
	for range 32 {
		parent = s.category("N", parent).ID()
	}
	s.ask("POST", categoriesPath, obj{"name": "N", "parentId": parent}).Fault("body.parentId", "too_many")
	s.ask("PATCH", categoriesPath+"/"+s.category("M").ID(), obj{"parentId": parent}).Fault("body.parentId", "too_many")
}

func TestTwoMovesAtOnceDoNotCloseACircle(t *testing.T) {
	s := open(t)
	for range 10 {
		a, b := s.category("A").ID(), s.category("B").ID()
		var wg sync.WaitGroup
		status := make([]int, 2)
		wg.Go(func() { status[0] = s.ask("PATCH", categoriesPath+"/"+a, obj{"parentId": b}).Status })
		wg.Go(func() { status[1] = s.ask("PATCH", categoriesPath+"/"+b, obj{"parentId": a}).Status })
		wg.Wait()
		require.ElementsMatch(t, []int{200, 422}, status)
	}
}

func TestACategoryInUseStays(t *testing.T) {
	s := open(t)
	a := s.category("A").ID()
	b := s.category("B", a).ID()
	s.ask("DELETE", categoriesPath+"/"+a, nil).Is(409, "category_in_use")
	p := s.made("P", obj{"categoryIds": []string{b}}).ID()
	q := s.made("Q", obj{"categoryIds": []string{b}}).ID()
	s.ask("DELETE", categoriesPath+"/"+b, nil).Is(409, "category_in_use")
	s.ask("DELETE", path(p), nil).Is(204)
	s.ask("DELETE", categoriesPath+"/"+b, nil).Is(409, "category_in_use")
	s.ask("PATCH", path(q), obj{"categoryIds": []string{}}).Is(200)
	s.ask("DELETE", categoriesPath+"/"+b, nil).Is(204)
	s.ask("DELETE", categoriesPath+"/"+a, nil).Is(204)
	s.ask("PATCH", path(q), obj{"categoryIds": []string{a}}).Fault("body.categoryIds[0]", "not_found")
}

func TestNoCategoryIsBelowOneThatIsGone(t *testing.T) {
	s := open(t)
	for range 20 {
		a, b := s.category("A").ID(), s.category("B").ID()
		var gone, moved, made int
		var wg sync.WaitGroup
		wg.Go(func() { gone = s.ask("DELETE", categoriesPath+"/"+a, nil).Status })
		wg.Go(func() { moved = s.ask("PATCH", categoriesPath+"/"+b, obj{"parentId": a}).Status })
		wg.Go(func() { made = s.ask("POST", categoriesPath, obj{"name": "C", "parentId": a}).Status })
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
	a, b := s.category("A").ID(), s.category("B").ID()
	c := s.category("C", a).ID()
	s.ask("PATCH", categoriesPath+"/"+c, obj{"parentId": b}).Is(200)
	s.ask("DELETE", categoriesPath+"/"+a, nil).Is(204)
	s.ask("DELETE", categoriesPath+"/"+b, nil).Is(409, "category_in_use")
	s.ask("DELETE", categoriesPath+"/"+c, nil).Is(204)
	s.ask("DELETE", categoriesPath+"/"+b, nil).Is(204)
}

// joins are the ways into a category.
var joins = map[string]func(s *shopful, category string) (hosttest.Answer, string){
	"a POST": func(s *shopful, category string) (hosttest.Answer, string) {
		r := s.ask("POST", "/api-engine/products", product("J", obj{"categoryIds": []string{category}}))
		return r, r.Get("id")
	},
	"a PATCH": func(s *shopful, category string) (hosttest.Answer, string) {
		id := s.made("J").ID()
		return s.ask("PATCH", path(id), obj{"categoryIds": []string{category}}), id
	},
}

// joining says whether operations put a product into a category.
func joining(ops []store.Op, category string) bool {
	return slices.ContainsFunc(ops, func(op store.Op) bool {
		return op.Key.PK == catalog.InCategory("shop", category) && op.Kind == store.Putting
	})
}

func TestAProductThatJoinsACategoryAsItGoesLeavesIt(t *testing.T) {
	for name, join := range joins {
		t.Run("the deletion comes first in "+name, func(t *testing.T) {
			s := open(t)
			category := s.ask("POST", "/api-engine/categories", obj{"name": "C"}).Is(201).ID()
			s.Main.Before(func(ops []store.Op) error {
				if joining(ops, category) {
					s.Main.Around(nil)
					s.ask("DELETE", "/api-engine/categories/"+category, nil).Is(204)
				}
				return nil
			})
			r, id := join(s, category)
			require.Less(t, r.Status, 300)
			before := s.get(id)
			require.Equal(t, []any{category}, before.At("categoryIds"))
			s.Main.NewChanges()
			s.Clock.Pass(record.Abandoned + time.Minute)
			s.sweep()
			told := s.one(events.Products)
			require.Equal(t, []events.Group{events.InCategories}, told[0].Groups)
			after := s.get(id)
			require.Empty(t, after.At("categoryIds"))
			require.Equal(t, `"`+told[0].Version+`"`, after.ETag())
			require.Greater(t, after.Get("changed"), before.Get("changed"))
			require.Empty(t, s.all(catalog.InCategory("shop", category)))
		})
		t.Run("the deletion comes last in "+name, func(t *testing.T) {
			s := open(t)
			category := s.ask("POST", "/api-engine/categories", obj{"name": "C"}).Is(201).ID()
			id := ""
			s.Main.Before(func(ops []store.Op) error {
				if ops[0].Key == catalog.CategoryKey("shop", category) {
					s.Main.Around(nil)
					_, id = join(s, category)
				}
				return nil
			})
			s.ask("DELETE", "/api-engine/categories/"+category, nil).Is(204)
			require.Empty(t, s.get(id).At("categoryIds"), "at once")
		})
	}
}

func TestManyJoinAndLeaveAsTheirCategoryGoes(t *testing.T) {
	s := open(t)
	for round := range 8 {
		category := s.ask("POST", "/api-engine/categories", obj{"name": fmt.Sprint("C", round)}).Is(201).ID()
		ids := make([]string, 6)
		for i := range ids {
			ids[i] = s.made(fmt.Sprint("R", round, i)).ID()
		}
		var work sync.WaitGroup
		for i, id := range ids {
			work.Go(func() {
				s.ask("PATCH", path(id), obj{"categoryIds": []string{category}})
				if i%2 == 0 {
					s.ask("PATCH", path(id), obj{"categoryIds": []string{}}).Is(200)
				}
			})
		}
		gone := false
		work.Go(func() { gone = s.ask("DELETE", "/api-engine/categories/"+category, nil).Status == 204 })
		work.Wait()
		if s.Clock.Pass(record.Abandoned + time.Minute); gone {
			s.sweep()
		}
		for i, id := range ids {
			list := s.get(id).At("categoryIds")
			if gone || i%2 == 0 {
				require.Empty(t, list)
			}
			inside := s.all(catalog.InCategory("shop", category))
			require.Equal(t, fmt.Sprint(list) != "[]",
				inside[store.Key{PK: catalog.InCategory("shop", category), SK: id}].SK == id)
		}
	}
}
