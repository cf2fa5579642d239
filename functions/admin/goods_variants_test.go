package admin

import (
	"html"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/record/field"
)

// shirt is a product with so many variants, and the ids of these.
func (w *world) shirt(variants int) (id string, ids []string) {
	w.T.Helper()
	var all []object
	for i := range variants {
		all = append(all, object{"code": "S-" + strconv.Itoa(i), "name": "size " + strconv.Itoa(i),
			"stock": object{"quantity": 9}})
	}
	made := w.addon(tea, "POST", "/api-engine/products", object{"code": "S", "name": "Shirt", "variants": all,
		"priceLevels": []object{{"level": "default", "price": "100.00"}}})
	for i := range variants {
		ids = append(ids, made.At("variants."+strconv.Itoa(i)+".id").(string))
	}
	return made.ID(), ids
}

// cellOf is the name of a field of the table of variants.
func cellOf(variant, of string) string { return "variants." + variant + "." + of }

func TestVariantsAreChangedInOneTable(t *testing.T) { onBoth(t, variantsAreATable) }

func variantsAreATable(t *testing.T, w *world) {
	b := w.ada(tea)
	id, ids := w.shirt(3)
	at := "/admin/products/" + id + "/variants-table"
	over := func(path string) any { return w.addon(tea, "GET", "/api-engine/products/"+id, nil).At(path) }
	form := untouched(t, b.Page("/admin/products/"+id).Shown(200), at)
	require.Equal(t, "S-0", form.Get(cellOf(ids[0], "code")))
	w.addon(tea, "PATCH", "/api-engine/products/"+id+"/variants/"+ids[1], object{"stock": object{"quantity": 4}})
	w.Main.NewChanges()
	form.Set(cellOf(ids[0], "price"), "129,50")
	form.Set(cellOf(ids[2], "quantity"), "7")
	form.Set(cellOf(ids[2], "code"), "S-XL")
	saved := does(b, at, pairs(form)...)
	require.Contains(t, saved.Text, `role="status">Uloženo: size 0, size 2</p>`)
	require.Len(t, w.Main.NewChanges(), 1, "one change")
	require.Equal(t, []any{"129.50", 9.0, 4.0, 7.0, "S-XL"}, []any{over("variants.0.priceLevels.0.price"),
		over("variants.0.stock.quantity"), over("variants.1.stock.quantity"), over("variants.2.stock.quantity"),
		over("variants.2.code")}, "what others have changed stays")
	require.Contains(t, saved.Text, `name="`+cellOf(ids[0], "price")+`" value="129,50"`)
	require.Contains(t, saved.Text, `name="_shown.`+cellOf(ids[0], "price")+`" value="129,50"`)
	again := untouched(t, saved, at)
	does(b, at, pairs(again)...)
	require.Empty(t, w.Main.NewChanges(), "nobody has touched it")
	does(b, at, cellOf(ids[0], "price"), "")
	require.Equal(t, []any{}, over("variants.0.priceLevels"), "it is sold at the product's price")
	does(b, at, cellOf(ids[0], "code"), "S-1", cellOf(ids[1], "code"), "S-0")
	require.Equal(t, []any{"S-1", "S-0"}, []any{over("variants.0.code"), over("variants.1.code")}, "two swap theirs")

	w.Main.NewChanges()
	wrong := b.Form(at, cellOf(ids[0], "price"), "x", cellOf(ids[1], "quantity"), "-1", cellOf(ids[1], "code"), "",
		cellOf(ids[2], "quantity"), "5").Shown(422).Text
	for _, id := range []string{ids[0] + "-price", ids[1] + "-quantity", ids[1] + "-code"} {
		require.Contains(t, wrong, `<a href="#variants-`+id+`">`)
		require.Contains(t, wrong, `<p class="fault" id="variants-`+id+`-fault"`)
	}
	require.Contains(t, wrong, `name="`+cellOf(ids[2], "quantity")+`" value="5"`, "nothing that was typed is lost")
	require.Contains(t, b.Form(at, cellOf(noID, "quantity"), "5", cellOf(ids[2], "quantity"), "5").Shown(422).Text,
		`data-code="not_found"`, "it is gone")
	for _, odd := range []string{"odd", "variants." + ids[0], cellOf(ids[0], "name"), cellOf(ids[0], "code") + ".x"} {
		require.Contains(t, b.Form(at, odd, "1").Shown(422).Text, `data-code="unknown_field"`, odd)
	}
	var many []string
	for range 41 {
		many = append(many, cellOf(w.P.NewID(), "quantity"), "1")
	}
	require.Contains(t, b.Form(at, many...).Shown(422).Text, `data-code="too_many"`)
	require.Empty(t, w.Main.NewChanges(), "all or nothing")
	w.ada(toys).Form(at, cellOf(ids[0], "quantity"), "1").Shown(404)
}

// TestATableOfManyVariantsHasPages saves on the second page, and stays there.
func TestATableOfManyVariantsHasPages(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	id, ids := w.shirt(25)
	page := b.Page("/admin/products/" + id + "?from=20").Shown(200)
	require.Less(t, len(page.Text), 50<<10)
	require.Less(t, len(b.Page("/admin/products/"+id).Text), 50<<10)
	at := "/admin/products/" + id + "/variants-table"
	form := untouched(t, page, at)
	form.Set(cellOf(ids[24], "quantity"), "x")
	again := untouched(t, b.Form(at, pairs(form)...).Shown(422), at)
	require.Equal(t, "x", again.Get(cellOf(ids[24], "quantity")))
	again.Set(cellOf(ids[24], "quantity"), "1")
	require.Equal(t, "/admin/products/"+id+"?from=20#variants",
		b.Form(at, pairs(again)...).Is(303).Header.Get("Location"))
}

// TestAPartOfAProductThatIsSavedIsNamed adds, changes and deletes a variant: each leads back to where it was done.
func TestAPartOfAProductThatIsSavedIsNamed(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	id, ids := w.shirt(1)
	of := "/admin/products/" + id
	for _, c := range []struct{ path, leads, said string }{
		{of + "/variants", of + "#variants", "Přidáno: red"},
		{of + "/variants/" + ids[0], of + "/variants/" + ids[0], "Uloženo: red"},
		{of + "/variants/" + ids[0] + "/delete", of + "#variants", "Smazáno: red"},
		{of, of, "Uloženo: red"},
	} {
		fields := []string{"name", "red"}
		switch {
		case strings.HasSuffix(c.path, "/delete"):
			fields = []string{"_of", "red"}
		case strings.HasSuffix(c.path, "/variants"):
			fields = append(fields, "code", "S-RED")
		}
		a := b.Form(c.path, fields...).Is(303)
		require.Equal(t, c.leads, a.Header.Get("Location"))
		to, _, _ := strings.Cut(c.leads, "#")
		require.Contains(t, b.Page(to).Shown(200).Text, `role="status">`+c.said+`</p>`)
	}
}

func TestVariantsAreMadeOfParameters(t *testing.T) { onBoth(t, variantsAreGenerated) }

func variantsAreGenerated(t *testing.T, w *world) {
	b := w.ada(tea)
	id, _ := w.shirt(0)
	at := "/admin/products/" + id + "/generate"
	w.addon(tea, "POST", "/api-engine/products/"+id+"/variants", object{"code": "OLD", "name": "old",
		"parameters": []object{{"name": "color", "value": "RED"}, {"name": "Size", "value": "S"}}})
	fields := []string{"parameters", "Size: S, M\r\nColor: red, žlutá,\r\n", "price", "1 129,50", "quantity", "3",
		"code", "T"}
	w.Main.NewChanges()
	query := "?parameters=" + escaped(fields[1]) + "&price=" + escaped(fields[3]) + "&quantity=3&code=T"
	shown := b.Page(at + query).Shown(200)
	for _, part := range []string{`<th scope="row">S / žlutá</th>`, "T-S-ZLUTA", "T-M-RED", "1\u00a0129,50\u00a0Kč"} {
		require.Contains(t, html.UnescapeString(shown.Text), part)
	}
	require.NotContains(t, shown.Text, "T-S-RED", "it is there, by another name")
	require.Empty(t, w.Main.NewChanges(), "it is shown only")
	_, sent, _ := strings.Cut(shown.Text, `<form method="post" action="`+at+`">`)
	require.Contains(t, sent, `name="price" value="1 129,50"`, "what was asked for is made")

	made := does(b, at, fields...)
	require.Contains(t, html.UnescapeString(made.Text), "Přidáno: S / žlutá, M / red a 1 další<")
	told := w.Main.NewChanges()
	require.Len(t, told, 1, "one change")
	require.Equal(t, []events.Group{events.Variants}, told[0].Records[0].Groups[:1])
	over := w.addon(tea, "GET", "/api-engine/products/"+id, nil)
	require.Equal(t, []any{"S / žlutá", "T-S-ZLUTA", "1129.50", 3.0, "Color", "žlutá", true},
		[]any{over.At("variants.1.name"), over.At("variants.1.code"), over.At("variants.1.priceLevels.0.price"),
			over.At("variants.1.stock.quantity"), over.At("variants.1.parameters.1.name"),
			over.At("variants.1.parameters.1.value"), over.At("variants.1.active")})
	w.Main.NewChanges()
	require.Contains(t, does(b, at, fields...).Text, "Všechny tyto varianty už produkt má", "done twice it makes none")
	require.Empty(t, w.Main.NewChanges())

	for field, wrong := range map[string]string{"parameters": "Size", "price": "x", "quantity": "-1"} {
		form := map[string]string{"parameters": "Size: XL", "price": "", "quantity": "", field: wrong}
		var sent []string
		query := "?"
		for name, value := range form {
			sent, query = append(sent, name, value), query+"&"+name+"="+escaped(value)
		}
		mark := `name="` + field + `"[^>]* aria-invalid="true"`
		require.Regexp(t, mark, b.Form(at, sent...).Shown(422).Text)
		require.Regexp(t, mark, b.Page(at+query).Shown(200).Text)
	}
	lot := "A: " + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ", ""), ",") + ", a, a\nB: 1, 2, 3"
	require.Contains(t, b.Page(at+"?parameters="+escaped(lot)).Shown(200).Text, "Najednou jich vznikne 40")
	does(b, at, "parameters", lot)
	require.Len(t, w.addon(tea, "GET", "/api-engine/products/"+id, nil).At("variants"), 44)
	require.Contains(t, b.Form(at, "parameters", lot+"\nC: 1, 2, 3, 4, 5, 6").Shown(422).Text, `data-code="too_many"`)
	w.ada(toys).Form(at, "parameters", "Size: S").Shown(404)
}

func TestACodeIsMadeOfAPatternAndNeverTwice(t *testing.T) {
	had := map[string]bool{"T-CERVENA": true, "T-CERVENA-2": true}
	for _, c := range []struct{ value, want string }{{"Červená", "T-CERVENA-3"}, {"50 g", "T-50-G"}, {"—", "T"},
		{strings.Repeat("x", 100), "T-" + strings.Repeat("X", 62)}} {
		parameters := []catalog.Parameter{{Name: "n", Value: field.Line(c.value)}}
		require.Equal(t, field.Code(c.want), freeCode("T", parameters, had))
	}
}
