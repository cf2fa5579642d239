package products

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/base/remember"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/catalog/shelf"
	"eshop/shared/ports/store"
)

// shelf is what the shop's storefront shows, read each time.
func (s *shopful) shelf() *shelf.Shelf {
	return shelf.New(s.Main, s.Clock.Now, remember.For(s.Clock.Now, 0))
}

// counted is how many calls of the table the function makes.
func (s *shopful) counted(f func(context.Context)) int {
	ctx, meter := store.WithMeter(context.Background())
	f(ctx)
	return meter.Calls()
}

func names(places []*shelf.MenuEntry) (all []string) {
	for _, p := range places {
		all = append(all, p.Name)
	}
	return all
}

func codes(l *shelf.List) (all []string) {
	for _, p := range l.Products {
		all = append(all, p.Code)
	}
	return all
}

func TestTheMenuIsTheTreeOfCategoriesAsItIsNow(t *testing.T) {
	s := open(t)
	shown := s.shelf()
	menu := func() *shelf.Menu { m, err := shown.Menu(t.Context(), "shop"); require.NoError(t, err); return m }
	require.Empty(t, menu().Roots)
	tea := s.category("Tea").ID()
	green := s.category("Green", tea).ID()
	coffee := s.category("Coffee").ID()
	require.Equal(t, []string{"Tea", "Coffee"}, names(menu().Roots))
	require.Equal(t, []string{"Tea", "Green"}, names(menu().Entry(green).Path()))
	require.Equal(t, []string{"Green"}, names(menu().Entry(tea).Children))
	require.Equal(t, []string{tea, green}, menu().Entry(tea).Below())
	s.ask("PATCH", "/api-engine/categories/"+tea, obj{"name": "Fine tea"}).Is(200)
	require.Equal(t, "fine-tea", menu().Entry(tea).Slug)
	s.ask("DELETE", "/api-engine/categories/"+coffee, nil).Is(204)
	require.Equal(t, []string{"Fine tea"}, names(menu().Roots))
	require.Equal(t, 1, s.counted(func(ctx context.Context) { _, _ = shown.Menu(ctx, "shop") }),
		"rows that have not moved")
	other, err := shown.Menu(t.Context(), "other")
	require.NoError(t, err)
	require.Empty(t, other.Roots)
}

func TestWhatAllSeeIsRememberedForItsLife(t *testing.T) {
	s := open(t)
	tea := s.category("Tea").ID()
	s.made("A", obj{"categoryIds": []string{tea}})
	now := s.Clock.Now()
	shown := shelf.New(s.Main, s.Clock.Now, remember.For(func() time.Time { return now }, 30*time.Second))
	look := func(ctx context.Context) {
		_, err := shown.Menu(ctx, "shop")
		require.NoError(t, err)
		_, err = shown.Newest(ctx, "shop")
		require.NoError(t, err)
		_, err = shown.InCategory(ctx, "shop", tea)
		require.NoError(t, err)
	}
	require.NotZero(t, s.counted(look))
	require.Zero(t, s.counted(look))
	now = now.Add(30 * time.Second)
	require.NotZero(t, s.counted(look))
}

func TestAListShowsActiveProductsNewestFirst(t *testing.T) {
	s := open(t)
	tea, shown := s.category("Tea").ID(), s.shelf()
	all := map[string]string{}
	for i := range 60 {
		code := fmt.Sprintf("P%02d", i)
		all[code] = s.made(code, obj{"categoryIds": []string{tea}, "active": i%10 != 9}).ID()
	}
	newest, err := shown.Newest(t.Context(), "shop")
	require.NoError(t, err)
	require.Len(t, newest.Products, shelf.ListSize)
	require.Equal(t, []string{"P58", "P57", "P56"}, codes(newest)[:3])
	l, err := shown.InCategory(t.Context(), "shop", tea)
	require.NoError(t, err)
	require.Len(t, l.Products, shelf.ListSize)
	require.Equal(t, []string{"P58", "P57"}, codes(l)[:2])
	s.ask("PATCH", path(all["P58"]), obj{"active": false}).Is(200)
	s.ask("DELETE", path(all["P57"]), nil).Is(204)
	s.ask("PATCH", path(all["P56"]), obj{"categoryIds": []string{}, "name": "Moved"}).Is(200)
	l, err = shown.InCategory(t.Context(), "shop", tea)
	require.NoError(t, err)
	require.Equal(t, "P55", codes(l)[0])
	calls := s.counted(func(ctx context.Context) { _, _ = shown.InCategory(ctx, "shop", tea) })
	require.LessOrEqual(t, calls, 4, "two readings of rows and heads: what has not changed is not read whole again")
}

func TestAListedProductWithVariantsIsSoldAtTheLowestOfItsActiveOnes(t *testing.T) {
	s := open(t)
	price := func(level, p string) obj { return obj{"level": level, "price": p} }
	s.made("V", obj{"priceLevels": []obj{price("default", "100.00"), price("gold", "95.00")}, "variants": []obj{
		{"code": "V1", "priceLevels": []obj{price("default", "50.00")}, "active": false},
		{"code": "V2", "priceLevels": []obj{price("default", "80.00"), price("gold", "75.00")}},
		{"code": "V3", "stock": obj{"quantity": 2}}}})
	l, err := s.shelf().Newest(t.Context(), "shop")
	require.NoError(t, err)
	for level, want := range map[string]string{"default": "80.00", "gold": "75.00", "unknown": "80.00"} {
		got, others, sold := l.Products[0].PriceAt(level)
		require.Equal(t, want, got.String(), level)
		require.True(t, others)
		require.True(t, sold)
	}
	require.True(t, l.Products[0].InStock)
	require.True(t, l.Products[0].Choice)
	s.made("G", obj{"variants": []obj{{"code": "G1", "active": false}}})
	l, err = s.shelf().Newest(t.Context(), "shop")
	require.NoError(t, err)
	_, _, sold := l.Products[0].PriceAt("default")
	require.False(t, sold)
}

func TestAPageReadsItsProductWhole(t *testing.T) {
	s := open(t)
	id := s.made("V", obj{"variants": variants("V", 40)}).ID()
	s.ask("POST", path(id, "variants"), obj{"items": variants("W", 30)}).Is(201)
	w, err := catalog.ReadProduct(t.Context(), s.Main, "shop", id)
	require.NoError(t, err)
	require.Len(t, w.Variants(), 70)
	claims, err := s.Main.Get(t.Context(), address.SlugKey("shop", "product-v"), address.SlugKey("shop", "nothing"))
	require.NoError(t, err)
	require.Equal(t, address.Owner{Kind: address.Product, Item: id}, address.OwnerOf(claims[0]))
	require.Zero(t, address.OwnerOf(claims[1]))
	s.ask("DELETE", path(id), nil).Is(204)
	_, err = catalog.ReadProduct(t.Context(), s.Main, "shop", id)
	require.True(t, problem.Is(err, "not_found"))
}

func TestACategoryIsWhereItsSlugLeadsAsOfNow(t *testing.T) {
	s := open(t)
	tea := s.category("Tea").ID()
	now := s.Clock.Now()
	shown := shelf.New(s.Main, s.Clock.Now, remember.For(func() time.Time { return now }, 30*time.Second))
	at := func(slug string) *shelf.MenuEntry {
		p, err := shown.At(t.Context(), "shop", tea, slug)
		require.NoError(t, err)
		return p
	}
	require.Equal(t, "tea", at("tea").Slug)
	s.ask("PATCH", "/api-engine/categories/"+tea, obj{"name": "Teas"}).Is(200)
	require.Equal(t, "teas", at("teas").Slug, "the menu is older than that")
	require.Equal(t, "tea", at("tea").Slug, "as the menu has it, for 30 s: nobody is sent on by what is remembered")
	s.ask("DELETE", "/api-engine/categories/"+tea, nil).Is(204)
	require.Nil(t, at("teas"))
}

func TestTheSitemapHasEveryActiveAddressOnce(t *testing.T) {
	s := open(t)
	tea := s.category("Tea").ID()
	for i := range 20 {
		s.made(fmt.Sprintf("P%02d", i), obj{"categoryIds": []string{tea}, "active": i != 7})
	}
	shown := s.shelf()
	parts, err := shown.SitemapNames(t.Context(), "shop")
	require.NoError(t, err)
	slugs := map[string]int{}
	for _, part := range parts {
		urls, ok, err := shown.Sitemap(t.Context(), "shop", part)
		require.NoError(t, err)
		require.True(t, ok)
		for _, u := range urls {
			slugs[u.Slug]++
		}
	}
	require.Len(t, slugs, 20)
	require.Equal(t, 1, slugs["product-p00"])
	require.Zero(t, slugs["product-p07"])
	for _, odd := range []string{"", "4.", "-1.", "00.", "0.x.y", "0.01KAJ.01KAJ", "x", "0." + tea} {
		_, ok, err := shown.Sitemap(t.Context(), "shop", odd)
		require.NoError(t, err)
		require.False(t, ok, odd)
	}
	_, ok, err := shown.Sitemap(t.Context(), "shop", "0."+tea[:10]+"."+tea)
	require.NoError(t, err)
	require.True(t, ok)
}

func TestThePartsOfASitemapAreReadOnceAMinute(t *testing.T) {
	s := open(t)
	now := s.Clock.Now()
	// it reads all else each time
	shown := shelf.New(s.Main, func() time.Time { return now }, remember.For(s.Clock.Now, 0))
	parts := func(shop string) []string {
		p, err := shown.SitemapNames(t.Context(), shop)
		require.NoError(t, err)
		return p
	}
	require.Equal(t, []string{"categories"}, parts("shop"))
	s.made("P", nil)
	now = now.Add(time.Minute - 1)
	require.Equal(t, []string{"categories"}, parts("shop"))
	now = now.Add(1)
	require.Len(t, parts("shop"), 2)
	require.Equal(t, []string{"categories"}, parts("other"), "each shop has its own")
}

func BenchmarkShelf(b *testing.B) {
	s := open(b)
	var tea string
	for i := range 10 {
		tea = s.category(fmt.Sprintf("Tea %d", i)).ID()
	}
	for i := range 40 {
		s.made(fmt.Sprintf("P%02d", i), obj{"categoryIds": []string{tea},
			"variants": variants(fmt.Sprintf("V%d", i), 3)})
	}
	shown := s.shelf()
	b.Run("menu", func(b *testing.B) {
		for b.Loop() {
			_, _ = shown.Menu(b.Context(), "shop")
		}
	})
	b.Run("category", func(b *testing.B) {
		for b.Loop() {
			_, _ = shown.InCategory(b.Context(), "shop", tea)
		}
	})
	b.Run("newest", func(b *testing.B) {
		for b.Loop() {
			_, _ = shown.Newest(b.Context(), "shop")
		}
	})
}
