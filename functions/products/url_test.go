package products

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// urls are the URLs of a product: slug, and system or custom, active or not.
func (s *shopful) urls(of address.OwnerKind, id string) []string {
	s.T.Helper()
	head, urls, err := address.URLsOf(s.T.Context(), s.Main, "shop", address.Owner{Kind: of, Item: id})
	require.NoError(s.T, err)
	require.NotNil(s.T, head)
	var all []string
	systems, actives := 0, 0
	for _, u := range urls {
		kind := "custom"
		if u.System {
			kind, systems = "system", systems+1
			require.Equal(s.T, u.Key("shop").SK, address.Decode(head).Row)
			require.Equal(s.T, u.Slug, address.Decode(head).System)
		}
		if u.Active {
			kind, actives = kind+" active", actives+1
			require.Equal(s.T, u.Slug, address.Decode(head).Active)
		}
		all = append(all, u.Slug+" "+kind)
		claim, err := s.Main.Get(s.T.Context(), address.SlugKey("shop", u.Slug))
		require.NoError(s.T, err)
		require.Equal(s.T, u.Claims(), claim[0].Text["owner"])
		found, err := address.Addresses{Instant: true}.ReadURL(s.T.Context(), s.unit(), u.ID)
		require.NoError(s.T, err)
		require.Equal(s.T, u, found)
	}
	require.Equal(s.T, 1, systems)
	require.Equal(s.T, 1, actives)
	slices.Sort(all)
	return all
}

func (s *shopful) rename(id, name string) hosttest.Answer {
	s.T.Helper()
	return s.ask("PATCH", path(id), obj{"name": name}).Is(200)
}

func TestEveryProductHasOneSystemURLFromItsName(t *testing.T) {
	s := open(t)
	for _, c := range []struct{ name, slug string }{
		{"Tričko s potiskem", "tricko-s-potiskem"},
		{"Tričko s potiskem", "tricko-s-potiskem-2"},
		{"TRIČKO – s potiskem!", "tricko-s-potiskem-3"},
		{"日本", "product"},
		{"!!!", "product-2"},
		{"Basket", "basket-2"},
		{"basket", "basket-3"},
		{strings.Repeat("slovo ", 40), "slovo" + strings.Repeat("-slovo", 24)},
	} {
		a := s.made(fmt.Sprint(len(c.slug), c.slug[:min(len(c.slug), 40)]), obj{"name": c.name})
		require.Equal(t, "https://shop.example/"+c.slug, a.Get("url"))
		require.Equal(t, []string{c.slug + " system active"}, s.urls(address.Product, a.ID()))
	}
	c := s.ask("POST", "/api-engine/categories", obj{"name": "日本"}).Is(201)
	require.Equal(t, "https://shop.example/category", c.Get("url"))
	c = s.ask("POST", "/api-engine/categories", obj{"name": "Product"}).Is(201)
	require.Equal(t, "https://shop.example/product-3", c.Get("url"), "products and categories share their slugs")
	require.Equal(t, []string{"product-3 system active"}, s.urls(address.Category, c.ID()))
}

func TestARenamedProductKeepsItsOldURL(t *testing.T) {
	s := open(t)
	id := s.made("X", obj{"name": "A"}).ID()
	s.Main.NewChanges()
	require.Equal(t, "https://shop.example/b", s.rename(id, "B").Get("url"))
	require.Equal(t, []string{"a custom", "b system active"}, s.urls(address.Product, id))
	told := s.one(events.URLs)
	require.Equal(t, []events.Did{events.Changed, events.Created}, []events.Did{told[0].Did, told[1].Did})

	require.Equal(t, "https://shop.example/a", s.rename(id, "a").Get("url"),
		"a name that comes back takes its slug back")
	require.Equal(t, []string{"a system active", "b custom"}, s.urls(address.Product, id))
	s.rename(id, "C")
	require.Equal(t, []string{"a custom", "b custom", "c system active"}, s.urls(address.Product, id))
	s.rename(id, "B")
	require.Equal(t, []string{"a custom", "b system active", "c custom"}, s.urls(address.Product, id))
	other := s.made("Y", obj{"name": "A"})
	require.Equal(t, "https://shop.example/a-2", other.Get("url"), "the old slug still belongs to the renamed one")
	s.rename(other.ID(), "Q")
	s.rename(other.ID(), "A")
	require.Equal(t, []string{"a-2 system active", "q custom"}, s.urls(address.Product, other.ID()),
		"its own suffix comes back")
}

func TestWhatWasActiveStaysSoWhenAProductIsRenamed(t *testing.T) {
	s := open(t)
	a := s.made("X", obj{"name": "A"})
	product := address.Owner{Kind: address.Product, Item: a.ID()}
	made, err := address.Addresses{}.AddURL(t.Context(), s.unit(), product, "super")
	require.NoError(t, err)
	version := made.Version
	g := s.get(a.ID())
	require.Equal(t, "https://shop.example/super", g.Get("url"))
	require.Equal(t, `"`+version+`"`, g.ETag())
	s.Main.NewChanges()

	require.Equal(t, "https://shop.example/super", s.rename(a.ID(), "B").Get("url"))
	require.Equal(t, []string{"a custom", "b system", "super custom active"}, s.urls(address.Product, a.ID()))
	require.Equal(t, []events.Group{events.Basic}, s.one(events.Products)[0].Groups)
	s.rename(a.ID(), "Super")
	require.Equal(t, []string{"a custom", "b custom", "super custom active", "super-2 system"},
		s.urls(address.Product, a.ID()), "one made by a POST stays custom")
}

func TestADeletedProductTakesItsURLsAlong(t *testing.T) {
	s := open(t)
	id := s.made("X", obj{"name": "A"}).ID()
	s.rename(id, "B")
	s.Main.NewChanges()
	s.ask("DELETE", path(id), nil).Is(204)
	told := s.one(events.URLs)
	require.Len(t, told, 2)
	require.Equal(t, events.Deleted, told[0].Did)
	page, err := s.Main.Query(t.Context(), store.Query{Index: store.Index1, PK: address.URLs("shop")})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

func TestAProductWithManyURLsIsDeletedWhole(t *testing.T) {
	s := open(t)
	id := s.made("X", obj{"name": "A", "variants": variants("X", 60)}).ID()
	for i := range 120 {
		s.rename(id, fmt.Sprint("Name ", i))
	}
	s.Main.NewChanges()
	s.ask("DELETE", path(id), nil).Is(204)
	require.Len(t, s.one(events.URLs), 101, "renames leave a hundred")
	page, err := s.Main.Query(t.Context(), store.Query{Index: store.Index1, PK: address.URLs("shop")})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

func TestANameNeverMakesAProductImpossible(t *testing.T) {
	s := open(t)
	for name, base := range map[string]string{"Same": "same", strings.Repeat("x", 200): strings.Repeat("x", slug.Max),
		"日本": "product"} {
		for i := range 24 {
			a := s.made(fmt.Sprint(base[:4], i), obj{"name": name})
			suffix := strings.ToLower(a.ID())
			if i < 20 {
				suffix = strconv.Itoa(i + 1)
			}
			if i == 0 {
				suffix = ""
			}
			require.Equal(t, "https://shop.example/"+slug.WithSuffix(base, suffix), a.Get("url"))
			require.LessOrEqual(t, len(slug.WithSuffix(base, suffix)), slug.Max)
			s.urls(address.Product, a.ID())
		}
	}
	c := s.category("Same")
	require.Equal(t, "https://shop.example/same-"+strings.ToLower(c.ID()), c.Get("url"))
	require.Equal(t, "https://shop.example/same-"+strings.ToLower(c.ID()),
		s.ask("PATCH", categoriesPath+"/"+c.ID(), obj{"name": "same!"}).Is(200).Get("url"),
		"the same by another spelling")
}

func TestANameThatBeginsAsPriceQuotesDoGetsItsKindBeforeIt(t *testing.T) {
	s := open(t)
	long := "basket-price" + strings.Repeat("-list", 27)
	for i, c := range []struct{ name, product, category string }{
		{"Basket price list", "product-basket-price-list", "category-basket-price-list"},
		{"BASKET PRICE: LIST", "product-basket-price-list-2", "category-basket-price-list-2"},
		{"Basket price", "basket-price", "category-basket-price-2"},
		{"Basket price!", "product-basket-price-2", "category-basket-price-3"},
		{"Basket prices", "basket-prices", "basket-prices-2"},
		{long, "product-basket-price" + strings.Repeat("-list", 26),
			"category-basket-price" + strings.Repeat("-list", 25)},
	} {
		require.Equal(t, "https://shop.example/"+c.product, s.made(fmt.Sprint("B", i), obj{"name": c.name}).Get("url"))
		require.Equal(t, "https://shop.example/"+c.category, s.category(c.name).Get("url"))
	}
}

func TestANameAllOfWhoseAddressesAreOthersIsRefused(t *testing.T) {
	s := open(t)
	id := s.made("A").ID()
	s.made("B", obj{"name": "Same " + id})
	for i := range 20 {
		s.made(fmt.Sprint(i), obj{"name": "Same"})
	}
	s.ask("PATCH", path(id), obj{"name": "Same"}).Is(409, "slug_taken")
	a := s.batch("basic", []obj{{"id": id, "name": "Same"}}).Is(207)
	require.Equal(t, []string{"failed slug_taken"}, statuses(a))
}

func TestManyCanBeGivenOneNameAtOnce(t *testing.T) {
	s := open(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for i := range 16 {
		wg.Go(func() {
			a := s.ask("POST", "/api-engine/products", product(fmt.Sprint(i), obj{"name": "Same"}))
			mu.Lock()
			defer mu.Unlock()
			if a.Status == 201 {
				seen[a.Get("url")] = true
			} else {
				t.Errorf("%d %s", a.Status, a.Text)
			}
		})
	}
	wg.Wait()
	require.Len(t, seen, 16)
}

func TestABatchThatGivesManyProductsOneNameLooksUpItsSlugsTogether(t *testing.T) {
	s := open(t)
	var items catalog.BasicItems
	for _, id := range s.many(20) {
		items = append(items, catalog.BasicItem{Target: catalog.Target{ID: id},
			Name: field.Maybe[field.Name]{Value: "Same", Sent: true}})
	}
	var report *catalog.Report
	calls := s.counted(func(ctx context.Context) {
		var err error
		report, err = catalog.Catalog{}.ChangeMany(ctx, s.unit(), catalog.Batch{DryRun: true, Room: 100}, items)
		require.NoError(t, err)
	})
	require.Equal(t, 20, report.Changed)
	require.LessOrEqual(t, calls, 8, "heads, first slugs, and a hundred of the slugs behind them in each further call")
}
