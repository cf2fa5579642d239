package urls

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/base/slug"
	"eshop/shared/catalog/address"
	"eshop/shared/record"
)

// sound requires what is always true of an item's URLs, seen from below: one system URL, one active one, the head says
// which, each slug is claimed for the item and nobody else has it.
func (w *world) sound(t require.TestingT, of address.OwnerKind, item string, slugs map[string]string) {
	head, own, err := address.URLsOf(w.T.Context(), w.Main.Table, "shop", address.Owner{Kind: of, Item: item})
	require.NoError(t, err)
	require.NotNil(t, head)
	var systems, actives []string
	for _, u := range own {
		require.Empty(t, slugs[u.Slug], "one slug, one URL")
		slugs[u.Slug] = item
		if u.System {
			systems = append(systems, u.Slug)
		}
		if u.Active {
			actives = append(actives, u.Slug)
		}
		claims, err := w.Main.Get(w.T.Context(), address.SlugKey("shop", u.Slug))
		require.NoError(t, err)
		require.Equal(t, u.Claims(), record.Owner(claims[0]))
		require.Equal(t, u.Slug, slug.Make(u.Slug))
	}
	require.Equal(t, []string{address.Decode(head).System}, systems)
	require.Equal(t, []string{address.Decode(head).Active}, actives)
}

func TestParallelCreatesLeaveOneActiveURL(t *testing.T) {
	w := newWorld(t)
	items := []string{w.product("X", "A"), w.product("Y", "B")}
	var all sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for i := range 24 {
		all.Go(func() {
			r := w.post(items[i%2], fmt.Sprint("společná ", i/4))
			mu.Lock()
			defer mu.Unlock()
			if r.Status != 201 && r.Status != 200 {
				t.Errorf("%d %s", r.Status, r.Text)
			}
			ids[r.ID()] = true
		})
	}
	all.Wait()
	slugs := map[string]string{}
	for _, item := range items {
		w.sound(t, address.Product, item, slugs)
	}
	require.Len(t, ids, 12, "one for each item and slug: the second of an item finds the first")
}

func TestOneURLIsActiveWhateverHappensSideBySide(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		words := []string{"a", "b", "čaj", "a 2", "basket 2"}
		word := rapid.SampledFrom(words)
		items := []string{w.product("X", word.Draw(rt, "first")), w.product("Y", word.Draw(rt, "second"))}
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			var steps []func()
			for range rapid.IntRange(1, 6).Draw(rt, "at once") {
				item, name := rapid.SampledFrom(items).Draw(rt, "item"), word.Draw(rt, "word")
				switch rapid.IntRange(0, 3).Draw(rt, "what") {
				case 0:
					steps = append(steps, func() { w.ask("PATCH", "/api-engine/products/"+item, obj{"name": name}) })
				case 1:
					steps = append(steps, func() { w.deleteNewest(item) })
				default:
					steps = append(steps, func() { w.post(item, name) })
				}
			}
			var all sync.WaitGroup
			for _, s := range steps {
				all.Go(s)
			}
			all.Wait()
			slugs := map[string]string{}
			for _, item := range items {
				w.sound(rt, address.Product, item, slugs)
			}
		}
	})
}

// deleteNewest deletes the item's custom URL that changed last, if there is one.
func (w *world) deleteNewest(item string) {
	page := w.ask("GET", path+"?kind=custom&order[changed]=desc&itemsPerPage=1&urlItem=product:"+item, nil)
	for _, x := range page.Body["items"].([]any) {
		w.ask("DELETE", path+"/"+x.(obj)["id"].(string), nil)
	}
}

func FuzzPOST(f *testing.F) {
	for _, s := range []string{`"url":"Čaj"`, `"url":""`, `"url":"/basket"`, `"url":null`, `"url":["x"]`,
		`"url":"\ud800"`, `"url":"x","id":"1"`,
		`"url":"\u0000"`, `"url":"a","url":"b"`, `"url":"` + strings.Repeat("á-", 90) + `"`} {
		f.Add(s)
	}
	w := newWorld(f)
	p := w.product("X", "A")
	f.Fuzz(func(t *testing.T, fields string) {
		w.T = t
		r := w.ask("POST", path, `{"urlItem":{"type":"product","id":"`+p+`"},`+fields+`}`)
		require.Less(t, r.Status, 500, r.Text)
		if r.Status >= 300 {
			require.NotEmpty(t, r.Body["code"], r.Text)
			return
		}
		require.Equal(t, r.Get("slug"), slug.Make(r.Get("slug")))
		require.LessOrEqual(t, len(r.Get("slug")), slug.Max)
		w.sound(t, address.Product, p, map[string]string{})
		if r.Get("kind") == "custom" {
			w.ask("DELETE", at(r), nil).Is(204)
		}
	})
}
