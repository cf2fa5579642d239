package importer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
)

// paths are the shop's categories by their names from the top down.
func (w *world) paths() (all []string) {
	w.T.Helper()
	items := w.get("/api-engine/categories?itemsPerPage=250").Items()
	by := map[any]fields{}
	for _, k := range items {
		by[k["id"]] = k
	}
	for _, k := range items {
		path := k["name"].(string)
		for up := by[k["parentId"]]; up != nil; up = by[up["parentId"]] {
			path = up["name"].(string) + " > " + path
		}
		all = append(all, path)
	}
	slices.Sort(all)
	return all
}

// in are the names of the categories that a product is in, in its order.
func (w *world) in(code string) (names []string) {
	w.T.Helper()
	for _, id := range w.product(code)["categoryIds"].([]any) {
		names = append(names, w.get("/api-engine/categories/"+id.(string)).Get("name"))
	}
	return names
}

func TestCategoriesAreNamedAndMadeOnce(t *testing.T) {
	w := newWorld(t)
	kitchen := w.do("POST", "/api-engine/categories", fields{"name": "Kuchyně"}).Is(201).ID()
	w.do("POST", "/api-engine/categories", fields{"name": "Hrnky", "parentId": kitchen}).Is(201)
	r := w.imported(imports.Products, imports.CSV, `kód;název;cena;kategorie
A;a;1;Kuchyně > Hrnky
B;b;1;kuchyne>HRNKY | Novinky
C;c;1;Novinky > Čaje|Pro děti \> 3 roky
D;d;1;Kuchyně > Čaje
E;e;;Nikdy
F;f;1;
B;;;Novinky > Čaje
`)
	require.Equal(t, "done: 7 read, 6 changed, 0 unchanged, 1 failed", r.counts(), r.errors)
	require.Equal(t, []string{"Kuchyně", "Kuchyně > Hrnky", "Kuchyně > Čaje", "Novinky", "Novinky > Čaje",
		"Pro děti > 3 roky"}, w.paths(), "none of a row that is wrong")
	for code, want := range map[string][]string{"A": {"Hrnky"}, "B": {"Čaje"}, "C": {"Čaje", "Pro děti > 3 roky"},
		"D": {"Čaje"}, "F": nil} {
		require.Equal(t, want, w.in(code), code)
	}
	require.NotEqual(t, w.product("C")["categoryIds"], w.product("D")["categoryIds"])
	again := w.imported(imports.Products, imports.CSV, "code,category\nC,Novinky > Čaje|Pro děti \\> 3 roky\n")
	require.Equal(t, "done: 1 read, 0 changed, 1 unchanged, 0 failed", again.counts())
}

// TestTwoImportsMakeOneCategory: the other one names it at the very moment in which this one makes it.
func TestTwoImportsMakeOneCategory(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/api-engine/categories", fields{"name": "Novinky"}).Is(201) // so a name alone tells nothing
	const head = "code,name,priceLevels.default,category\n"
	var other report
	w.between(func(_ int, ops []store.Op) error {
		makes := func(o store.Op) bool { return strings.Contains(o.Key.PK, "#G#") }
		if other.id == "" && slices.ContainsFunc(ops, makes) {
			other.id = "begun"
			other = w.imported(imports.Products, imports.CSV, head+"B,b,1,Akce > Novinky\n")
		}
		return nil
	}, nil)
	r := w.imported(imports.Products, imports.CSV, head+"A,a,1,Akce > Novinky\n")
	for _, one := range []report{r, other} {
		require.Equal(t, "done: 1 read, 1 changed, 0 unchanged, 0 failed", one.counts(), one.errors)
	}
	require.Equal(t, []string{"Akce", "Akce > Novinky", "Novinky"}, w.paths())
	require.Equal(t, w.product("A")["categoryIds"], w.product("B")["categoryIds"])
}

// TestACategoryThatIsDeletedMeanwhileIsMadeAnew, where a row further on names it, or one below it.
func TestACategoryThatIsDeletedMeanwhileIsMadeAnew(t *testing.T) {
	var between strings.Builder // more rows than are read at once
	for n := range 600 {
		fmt.Fprintf(&between, "X%d,x,1,\n", n)
	}
	for _, path := range []string{"Akce", "Akce > Léto"} {
		w := newWorld(t)
		w.do("POST", "/api-engine/categories", fields{"name": "Novinky"}).Is(201)
		id := w.do("POST", "/api-engine/categories", fields{"name": "Akce"}).Is(201).ID()
		w.between(func(_ int, ops []store.Op) error {
			first := func(o store.Op) bool { return strings.Contains(o.Key.PK, "#P#") }
			if gone := id; gone != "" && slices.ContainsFunc(ops, first) {
				id = ""
				w.do("DELETE", "/api-engine/categories/"+gone, nil).Is(204)
			}
			return nil
		}, nil)
		r := w.imported(imports.Products, imports.CSV, "code,name,priceLevels.default,category\nA,a,1,Novinky\n"+
			between.String()+"B,b,1,"+path+"\nC,c,1,"+path+"\n")
		require.Empty(t, id, "it was deleted")
		require.Empty(t, r.errors, path)
		require.Equal(t, slices.Compact([]string{"Akce", path, "Novinky"}), w.paths())
		require.Equal(t, w.product("B")["categoryIds"], w.product("C")["categoryIds"])
	}
}

func TestAnImporterThatDiesHasMadeNoCategoryTwice(t *testing.T) {
	for n := 1; ; n++ {
		w, died := newWorld(t), false
		id := w.begin(imports.Products, imports.CSV,
			"code,name,priceLevels.default,category\nA,a,1,Akce > Novinky\nB,b,1,Akce > Novinky|Akce\n")
		w.between(nil, func(k int) error {
			if k == n {
				died = true
				return errDied
			}
			return nil
		})
		for _, key := range w.keys() {
			_ = w.run(context.Background(), key)
		}
		w.between(nil, nil)
		w.restart()
		w.Clock.Pass(2 * time.Minute)
		w.sweep()
		w.work()
		require.Equal(t, "done: 2 read, 2 changed, 0 unchanged, 0 failed", w.report(id).counts(), n)
		require.Equal(t, []string{"Akce", "Akce > Novinky"}, w.paths(), n)
		if !died {
			require.Greater(t, n, 3, "there was something to die in")
			return
		}
	}
}

func TestCategoriesThatCannotBeMadeAreFaultsOfTheirCell(t *testing.T) {
	w := newWorld(t)
	deep := "x" + strings.Repeat(" > x", 33)
	r := w.imported(imports.Products, imports.CSV, "code,name,priceLevels.default,category\n"+
		"A,a,1,"+strings.Repeat("x", 256)+"\nB,b,1,x"+strings.Repeat("|x", 20)+"\nC,c,1,"+deep+"\n"+
		"D,d,1,"+strings.TrimPrefix(deep, "x > ")+"\nE,e,1,>>\nF,f,1,|\nG,g,1,A>\nH,h,1,A|\n")
	require.Equal(t, "done: 8 read, 1 changed, 0 unchanged, 7 failed", r.counts(), r.errors)
	require.Len(t, w.paths(), 33)
	for _, e := range r.errors {
		require.Equal(t, "body.category", e.Location)
	}
	require.Equal(t, "category must have a name on both sides of > and |.", r.errors[6].Message)
	r = w.imported(imports.Products, imports.CSV, "code,category,categoryIds\nA,x,y\n")
	require.Equal(t, "failed: 0 read, 0 changed, 0 unchanged, 0 failed", r.counts())
	require.Equal(t, `The columns "category" and "categoryIds" are one field: name one of them "-" to leave it out.`, r.errors[0].Message)
}

// TestCategoriesOfAnImportNeedNoFurtherPermission: who may write products may write categories.
func TestCategoriesOfAnImportNeedNoFurtherPermission(t *testing.T) {
	w := newWorld(t)
	w.installs("active", []permission.Permission{permission.WriteProducts}, permission.All)
	id := w.begin(imports.Products, imports.CSV, "code,name,priceLevels.default,category\nA,a,1,Akce\n")
	w.work()
	w.installs("active", permission.All, permission.All)
	require.Equal(t, "done: 1 read, 1 changed, 0 unchanged, 0 failed", w.report(id).counts())
	require.Equal(t, []string{"Akce"}, w.paths())
}
