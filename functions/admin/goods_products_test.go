package admin

import (
	"bytes"
	"errors"
	"html"
	"io"
	"maps"
	"mime/multipart"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/record/job"
)

func TestCategoriesAreMadeMovedAndDeleted(t *testing.T) { onBoth(t, categoriesAreKept) }

func categoriesAreKept(t *testing.T, w *world) {
	b := w.ada(tea)
	does(b, "/admin/categories", "name", "Čaje <b>", "parentId", "")
	list := b.Page("/admin/categories").Shown(200)
	require.NotContains(t, list.Text, "Čaje <b>", "it is escaped")
	top := rowsOf(list)[0]
	made := does(b, "/admin/categories", "name", "Zelené", "parentId", top)
	require.Contains(t, made.Text, "/zelene")
	ids := rowsOf(b.Page("/admin/categories").Shown(200))
	require.Len(t, ids, 2)
	green := ids[1]
	require.Equal(t, top, w.addon(tea, "GET", "/api-engine/categories/"+green, nil).Get("parentId"))
	require.Contains(t, b.Form("/admin/categories/"+top+"/delete").Shown(409).Text,
		`role="alert" data-code="category_in_use"`)
	require.Contains(t, b.Form("/admin/categories/"+top, "parentId", green).Shown(422).Text, `role="alert"`, "a circle")
	does(b, "/admin/categories/"+green, "name", "Bílé", "parentId", "")
	over := w.addon(tea, "GET", "/api-engine/categories/"+green, nil)
	require.Equal(t, []any{"Bílé", nil}, []any{over.At("name"), over.At("parentId")})
	require.Contains(t, b.Page("/admin/categories/"+green).Shown(200).Text, `value="Bílé"`)
	does(b, "/admin/categories/"+green+"/delete")
	b.Form("/admin/categories/" + green + "/delete").Shown(404)
	for _, path := range []string{"/admin/categories/" + top, "/admin/categories/" + noID} {
		w.ada(toys).Page(path).Shown(404)
	}
	w.ada(toys).Form("/admin/categories/"+top, "name", "x").Shown(404)
	b.Page("/admin/categories?odd=1").Shown(422)
}

func TestAddressesOfAProductAreMadeAndDeleted(t *testing.T) { onBoth(t, addressesAreKept) }

func addressesAreKept(t *testing.T, w *world) {
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "Čaj", "priceLevels": []object{{"level": "default", "price": "1.00"}}}).ID()
	item := "product:" + product
	w.Main.NewChanges()
	made := does(b, "/admin/urls", "urlItem", item, "url", "Čaj z hor")
	require.Contains(t, made.Text, "/caj-z-hor")
	require.Contains(t, made.Text, "Upravili jsme ji", "people learn that it is not quite what they wanted")
	told := w.Main.NewChanges()
	require.Len(t, told, 1)
	require.Equal(t, product, told[0].Records[0].ID, "the product's change is told")
	urls := w.addon(tea, "GET", "/api-engine/custom-urls?urlItem="+item+"&active=true", nil).Items()
	require.Equal(t, "caj-z-hor", urls[0]["slug"])
	id := urls[0]["id"].(string)
	require.Contains(t, b.Page("/admin/urls?urlItem="+item).Shown(200).Text, `data-id="`+id+`" data-state="active"`)
	require.Len(t, rowsOf(b.Page("/admin/urls?kind=custom&active=").Shown(200)), 1)
	category := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Čaje"}).ID()
	w.Clock.Pass(30 * time.Second) // by which it is seen on AWS, too
	require.Contains(t, b.Page("/admin/urls").Shown(200).Text, `<option value="category:`+category+`">Čaje</option>`)
	require.Contains(t, b.Page("/admin/products/"+product).Shown(200).Text, `href="/admin/urls?urlItem=`+item+`"`)
	require.Contains(t, b.Page("/admin/urls?urlItem="+item).Shown(200).Text,
		`id="urlItem" name="urlItem" type="text" value="`+item+`"`)
	require.NotContains(t, does(b, "/admin/urls", "urlItem", "category:"+category, "url", "hory").Text,
		"Upravili jsme ji")
	require.Contains(t, b.Form("/admin/urls", "urlItem", item, "url", "---").Shown(422).Text, `data-code="slug_empty"`)
	require.Contains(t, b.Form("/admin/urls", "urlItem", "x", "url", "a").Shown(422).Text, `data-code="bad_format"`)
	all := b.Page("/admin/urls?lang=cs").Shown(200).Text
	for _, is := range []string{`href="/admin/products/` + product + `">Produkt: Čaj</a>`,
		`href="/admin/categories/` + category + `">Kategorie: Čaje</a>`} {
		require.Contains(t, all, is, "rows name what they are of")
	}
	w.ada(toys).Form("/admin/urls", "urlItem", item, "url", "a").Shown(422)
	w.ada(toys).Form("/admin/urls/" + id + "/delete").Shown(404)
	require.Empty(t, rowsOf(w.ada(toys).Page("/admin/urls?urlItem="+item).Shown(200)))
	does(b, "/admin/urls/"+id+"/delete")
	system := w.addon(tea, "GET", "/api-engine/custom-urls?urlItem="+item, nil).Items()[0]
	require.Equal(t, true, system["active"])
	require.Contains(t, b.Form("/admin/urls/"+system["id"].(string)+"/delete").Shown(409).Text,
		`data-code="system_url"`)
}

func TestPricesAreShownByTheirLevels(t *testing.T) { onBoth(t, pricesAreShownByTheirLevels) }

func pricesAreShownByTheirLevels(t *testing.T, w *world) {
	b, prices := w.ada(tea), []object{}
	for _, level := range []string{"vip", "e", "a", "gold", "default", "c"} {
		prices = append(prices, object{"level": level, "price": "99.00"})
	}
	id := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "Čaj", "priceLevels": prices}).ID()
	shown := regexp.MustCompile(`name="priceLevels\.(\w+)"`).FindAllStringSubmatch(
		b.Page("/admin/products/"+id).Shown(200).Text, len(prices)) // behind them is that of a new variant
	levels := make([]string, len(shown))
	for i, m := range shown {
		levels[i] = m[1]
	}
	require.Equal(t, []string{"default", "a", "c", "e", "gold", "vip"}, levels)
}

func TestProductsAndTheirVariantsAreKept(t *testing.T) { onBoth(t, productsAreKept) }

func productsAreKept(t *testing.T, w *world) {
	b := w.ada(tea)
	top := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Tea"}).ID()
	b.Page("/admin/products/new").Shown(200)
	a := b.Form("/admin/products", "name", "Čaj <b>", "code", "A", "active", "false", "active", "true",
		"priceLevels.default", "119.00",
		"vatRate", "21.00", "stock.quantity", "7", "stock.availability", "", "categoryIds", "", "categoryIds", top,
		"_level", "gold", "_price", "99.00", "images.0.url", "https://img.example/a.jpg", "images.0.alt", "",
		"images.1.url", "", "images.1.alt", "", "hasUnits", "false", "units.0.unit", "", "units.0.quantity", "",
		"shortDescription", "", "description", "", "externalId", "", "ean", "", "manufacturer", "").Is(303)
	id := strings.TrimPrefix(a.Header.Get("Location"), "/admin/products/")
	over := func(path string) any { return w.addon(tea, "GET", "/api-engine/products/"+id, nil).At(path) }
	require.Equal(t, []any{object{"level": "default", "price": "119.00"}, object{"level": "gold", "price": "99.00"}},
		over("priceLevels"))
	require.Equal(t, []any{[]any{top}, 7.0, "https://img.example/a.jpg", true},
		[]any{over("categoryIds"), over("stock.quantity"), over("images.0.url"), over("active")})
	shown := b.Page("/admin/products/" + id).Shown(200)
	require.NotContains(t, shown.Text, "Čaj <b>")
	require.Contains(t, shown.Text, `name="priceLevels.gold" type="text" value="99,00"`)

	w.Main.NewChanges()
	does(b, "/admin/products/"+id, "priceLevels.default", "129.00")
	require.Equal(t, []any{object{"level": "default", "price": "129.00"}, object{"level": "gold", "price": "99.00"}},
		over("priceLevels"), "each level stays in its place")
	require.Equal(t, "prices", string(w.Main.NewChanges()[0].Records[0].Groups[0]))
	does(b, "/admin/products/"+id, "priceLevels.gold", "", "priceLevels.default", "129.00", "categoryIds", "",
		"images.0.url", "", "active", "false")
	require.Equal(t, []any{object{"level": "default", "price": "129.00"}}, over("priceLevels"), "an empty one goes")
	require.Equal(t, []any{[]any{}, []any{}, false}, []any{over("categoryIds"), over("images"), over("active")})
	require.Empty(t, w.Main.NewChanges()[1:])
	does(b, "/admin/products/"+id, "name", "Čaj <b>")
	w.addon(tea, "PATCH", "/api-engine/products/"+id,
		object{"priceLevels": []object{{"level": "gold", "price": "99.00"},
			{"level": "default", "price": "129.00"}}})
	w.Main.NewChanges()
	does(b, "/admin/products/"+id, "priceLevels.default", "129.00", "priceLevels.gold", "99.00")
	require.Empty(t, w.Main.NewChanges(), "nothing has changed")
	require.Contains(t, b.Form("/admin/products/"+id, "priceLevels.default", "12,555").Shown(422).Text,
		`aria-invalid="true"`)
	require.Contains(t, b.Form("/admin/products/"+id, "_level", "vip", "_price", "1,555").Shown(422).Text,
		`data-code="bad_format"`)
	for path, fields := range map[string][]string{"/admin/products/" + id: {"priceLevels.default", ""},
		"/admin/products": {"name", "x", "code", "y"}} {
		a := b.Form(path, fields...).Shown(422)
		require.Regexp(t, `name="priceLevels.default"[^>]* aria-invalid="true"`, a.Text)
	}
	require.Contains(t, b.Ask("POST", "/admin/products/"+id, "application/json", "{", "Accept", hosttest.PageType,
		"Sec-Fetch-Site", "same-origin").Shown(400).Text,
		`role="alert" data-code="malformed_json"`)
	does(b, "/admin/products/"+id, "priceLevels.default", "1 129,50", "vatRate", "21")
	require.Equal(t, []any{"1129.50", "21.00"}, []any{over("priceLevels.1.price"), over("vatRate")},
		"as people type it")
	does(b, "/admin/products/"+id, "priceLevels.default", "129")
	require.Equal(t, "129.00", over("priceLevels.1.price"))
	for _, wrong := range [][2]string{{"", "1.00"}, {strings.Repeat("x", 256), "1.00"}} {
		a := b.Form("/admin/products/"+id, "_level", wrong[0], "_price", wrong[1]).Shown(422)
		require.Regexp(t, `name="_level"[^>]* aria-invalid="true"`, a.Text, wrong)
	}
	require.Contains(t, b.Form("/admin/products", "name", "B", "code", "A", "priceLevels.default", "1.00").
		Shown(409).Text, `data-code="code_taken"`)
	require.Equal(t, []string{id}, rowsOf(b.Page("/admin/products?code=A").Shown(200)))

	at := "/admin/products/" + id + "/variants"
	does(b, at, "code", "A-1", "name", "Velký", "stock.quantity", "3", "priceLevels.default", "", "parameters.0.name",
		"Velikost", "parameters.0.value", "velký", "active", "true")
	variant := over("variants.0.id").(string)
	require.Equal(t, []any{"A-1", 3.0, []any{}, "velký"}, []any{over("variants.0.code"),
		over("variants.0.stock.quantity"), over("variants.0.priceLevels"), over("variants.0.parameters.0.value")})
	does(b, at+"/"+variant, "priceLevels.default", "150.00", "name", "")
	require.Equal(t, []any{"150.00", nil}, []any{over("variants.0.priceLevels.0.price"), over("variants.0.name")})
	does(b, at+"/"+variant, "_level", "gold", "_price", "140")
	does(b, at, "code", "A-2", "_level", "gold", "_price", "130,00")
	require.Equal(t, []any{"gold", "140.00", "130.00"},
		[]any{over("variants.0.priceLevels.1.level"), over("variants.0.priceLevels.1.price"),
			over("variants.1.priceLevels.0.price")})
	require.Contains(t, b.Page(at+"/"+variant).Shown(200).Text, `id="variant-`+variant+`-_level"`)
	does(b, at+"/"+over("variants.1.id").(string)+"/delete")
	wrong := b.Form(at+"/"+variant, "code", "").Shown(422)
	require.Contains(t, wrong.Text, `id="variant-`+variant+`-code" name="code"`)
	require.Contains(t, b.Form(at, "code", "A-1").Shown(409).Text, `data-code="code_taken"`)
	require.Contains(t, b.Form(at, "foo", "bar", "code", "").Shown(422).Text, `href="#variant-new-code"`)
	require.Contains(t, b.Form(at+"/"+variant, "foo", "bar").Shown(422).Text, `data-code="unknown_field"`,
		"of no field")
	var many []object
	for i := range 30 {
		many = append(many, object{"name": strconv.Itoa(i), "value": "v"})
	}
	w.addon(tea, "PATCH", "/api-engine/products/"+id+"/variants/"+variant, object{"parameters": many})
	require.Contains(t, b.Page(at+"/"+variant).Shown(200).Text,
		`name="parameters.29.value" type="text" value="v"`, "none is lost by saving")
	does(b, at+"/"+variant+"/delete")
	b.Form(at + "/" + variant + "/delete").Shown(404)
	does(b, "/admin/products/"+id+"/delete")
	b.Form("/admin/products/" + id + "/delete").Shown(404)
}

// TestARecordsFormPutsBackNothingThatOthersChanged opens each form, lets an add-on change the record, and saves the
// form with one field touched.
func TestARecordsFormPutsBackNothingThatOthersChanged(t *testing.T) {
	onBoth(t, formsLeaveWhatTheyDoNotTouch)
}

func formsLeaveWhatTheyDoNotTouch(t *testing.T, w *world) {
	b := w.ada(tea)
	prices := []object{{"level": "default", "price": "10.00"}, {"level": "gold", "price": "9.00"}}
	category := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Tea"}).ID()
	product := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "A", "priceLevels": prices, "stock": object{"quantity": 6},
			"variants": []object{{"code": "A-1", "stock": object{"quantity": 6}}}})
	at := "/products/" + product.ID()
	variant := at + "/variants/" + product.At("variants.0.id").(string)
	customer := "/customers/" + w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "j@example.cz", "firstName": "J", "lastName": "N",
			"billingAddress": object{"street": "S", "city": "B", "zip": "1", "country": "CZ"}}).ID()
	coupon := w.addon(tea, "POST", "/api-engine/discount-coupons",
		object{"code": "TEN", "type": "percentage", "value": "10.00"}).ID()
	state := w.addon(tea, "POST", "/api-engine/order-states", object{"name": "Packed", "color": "#112233"}).ID()
	for _, c := range []struct {
		admin, action, api string // the page, the form on it, and the record over the API
		meanwhile          object
		field, value       string
		keeps              map[string]any
	}{
		{at, at, at, object{"stock": object{"quantity": 4}, "active": false, "categoryIds": []string{category},
			"priceLevels": []object{{"level": "default", "price": "12.00"}, {"level": "gold", "price": "9.00"}},
			"images":      []object{{"url": "https://i.example/a"}}},
			"name", "B", map[string]any{"stock.quantity": 4.0, "active": false, "categoryIds.0": category,
				"priceLevels.0.price": "12.00",
				"images.0.url":        "https://i.example/a", "name": "B"}},
		{at, at, at, object{"priceLevels": []object{{"level": "default", "price": "13.00"},
			{"level": "gold", "price": "9.00"}}},
			"priceLevels.gold", "8.00", map[string]any{"priceLevels.0.price": "13.00", "priceLevels.1.price": "8.00"}},
		{variant, variant, variant, object{"stock": object{"quantity": 4}, "active": false}, "name", "big",
			map[string]any{"stock.quantity": 4.0, "active": false, "name": "big"}},
		{customer, customer, customer, object{"phone": "1", "billingAddress": object{"city": "C"}},
			"billingAddress.street", "T",
			map[string]any{"phone": "1", "billingAddress.city": "C", "billingAddress.street": "T"}},
		{"/coupons/" + coupon, "/coupons/" + coupon, "/discount-coupons/" + coupon,
			object{"active": false, "usageLimit": 5}, "value", "11.00",
			map[string]any{"active": false, "usageLimit": 5.0, "value": "11.00"}},
		{"/categories/" + category, "/categories/" + category, "/categories/" + category, object{"name": "Teas"},
			"parentId", "",
			map[string]any{"name": "Teas"}},
		{"/order-states/" + state, "/order-states/" + state, "/order-states/" + state, object{"final": true},
			"name", "Ready",
			map[string]any{"final": true, "name": "Ready"}},
	} {
		form := untouched(t, b.Page("/admin"+c.admin).Shown(200), "/admin"+c.action)
		w.addon(tea, "PATCH", "/api-engine"+c.api, c.meanwhile)
		form.Set(c.field, c.value)
		wrong := url.Values{"odd": {"1"}}
		maps.Copy(wrong, form)
		again := untouched(t, b.Form("/admin"+c.action, pairs(wrong)...).Shown(422), "/admin"+c.action)
		for _, sent := range []url.Values{again, form} { // what is shown again with its faults leaves the same
			b.Form("/admin"+c.action, pairs(sent)...).Is(303)
			over := w.addon(tea, "GET", "/api-engine"+c.api, nil)
			for field, value := range c.keeps {
				require.Equal(t, value, over.At(field), "%s: %s", c.action, field)
			}
		}
	}
}

func TestAPriceLevelMayBeCalledByADigit(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	id := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "A", "priceLevels": []object{{"level": "default", "price": "10.00"},
			{"level": "1", "price": "9.00"}}}).ID()
	does(b, "/admin/products/"+id, "priceLevels.1", "8.00")
	require.Equal(t, "8.00", w.addon(tea, "GET", "/api-engine/products/"+id, nil).At("priceLevels.1.price"))
}

// untouched are what a browser sends of the form of an action on a page, where nobody touches it.
func untouched(t *testing.T, a hosttest.Answer, action string) url.Values {
	t.Helper()
	_, form, found := strings.Cut(a.Text, `action="`+action+`"`)
	require.True(t, found, action)
	form, _, _ = strings.Cut(form, "</form>")
	values := url.Values{}
	for _, m := range formField.FindAllStringSubmatch(form, -1) {
		input, name := m[0], html.UnescapeString(m[1])
		switch {
		case strings.HasPrefix(input, "<textarea"):
			values.Add(name, html.UnescapeString(m[2]))
		case strings.HasPrefix(input, "<select"):
			chosen := regexp.MustCompile(`value="([^"]*)" selected`).FindStringSubmatch(m[3])
			if chosen == nil { // the first one is
				chosen = regexp.MustCompile(`value="([^"]*)"`).FindStringSubmatch(m[3])
			}
			values.Add(name, html.UnescapeString(chosen[1]))
		case !strings.Contains(input, `type="checkbox"`) || strings.Contains(input, " checked"):
			values.Add(name, html.UnescapeString(regexp.MustCompile(` value="([^"]*)"`).FindStringSubmatch(input)[1]))
		}
	}
	return values
}

var formField = regexp.MustCompile(`(?s)<(?:input|textarea|select)[^>]* name="([^"]*)"[^>]*>(?:([^<]*)</textarea>|((?:<option[^>]*>[^<]*</option>)+))?`)

// pairs are the fields as hosttest sends them.
func pairs(form url.Values) (all []string) {
	for name, values := range form {
		for _, v := range values {
			all = append(all, name, v)
		}
	}
	return all
}

func TestTheStockOfManyIsSetAtOnce(t *testing.T) { onBoth(t, stockIsSet) }

func stockIsSet(t *testing.T, w *world) {
	b := w.ada(tea)
	prices := []object{{"level": "default", "price": "1.00"}}
	one := w.addon(tea, "POST", "/api-engine/products",
		object{"code": "A", "name": "A", "priceLevels": prices, "stock": object{"quantity": 5}}).ID()
	other := w.addon(tea, "POST", "/api-engine/products", object{"code": "B", "name": "B", "priceLevels": prices,
		"variants": []object{{"code": "B-1", "stock": object{"quantity": 2}}}})
	variant := other.At("variants.0.id").(string)
	w.Index()
	page := b.Page("/admin/products/stock").Shown(200).Text
	require.Contains(t, page, `name="quantity.`+one+`" value="5"`)
	require.Contains(t, page, `name="_shown.quantity.`+other.ID()+"."+variant+`" value="2"`)
	// one is sold meanwhile
	w.addon(tea, "PATCH", "/api-engine/products/batch/stock", object{"items": []object{{"id": one, "quantity": 4}}})
	w.Main.NewChanges()
	does(b, "/admin/products/stock", "quantity."+one, "5", "_shown.quantity."+one, "5",
		"quantity."+other.ID()+"."+variant, "9", "_shown.quantity."+other.ID()+"."+variant, "2")
	require.Equal(t, 4.0, w.addon(tea, "GET", "/api-engine/products/"+one, nil).At("stock.quantity"),
		"who did not touch it puts nothing back")
	require.Equal(t, 9.0, w.addon(tea, "GET", "/api-engine/products/"+other.ID(), nil).At("variants.0.stock.quantity"))
	require.Len(t, w.Main.NewChanges(), 1)
	does(b, "/admin/products/stock", "quantity."+one, "8", "quantity."+other.ID()+"."+variant, "7")
	told := w.Main.NewChanges()
	require.Len(t, told, 1, "one change")
	require.Len(t, told[0].Records, 2)
	wrong := b.Form("/admin/products/stock", "quantity."+one, "-1", "quantity."+other.ID(), "x").Shown(422).Text
	require.Contains(t, wrong, `data-code="too_small"`)
	require.Contains(t, b.Form("/admin/products/stock", "quantity."+noID, "1").Shown(422).Text, `role="alert"`)
	half := b.Form("/admin/products/stock", "quantity."+other.ID(), "1", "quantity."+one, "8", "quantity."+noID, "1").
		Shown(422).Text
	require.Contains(t, half, `role="status">Ostatní údaje jsou uložené.`)
	require.NotContains(t, b.Form("/admin/products/stock", "quantity."+one, "8", "quantity."+noID, "x").Shown(422).Text,
		"Ostatní", "nothing was")
	require.Contains(t, b.Form("/admin/products/stock", "quantity."+one, "x").Shown(422).Text, `">Kusů skladem: A: `,
		"whose it is")
	again := b.Form("/admin/products/stock", "quantity."+one, "9", "_shown.quantity."+one, "9",
		"quantity."+other.ID()+"."+variant, "x").Shown(422).Text
	require.NotContains(t, again, `name="quantity.`+one+`"`, "what was not touched is not shown as it was")
	w.ada(toys).Form("/admin/products/stock", "quantity."+one, "1").Shown(422)
	require.Equal(t, 8.0, w.addon(tea, "GET", "/api-engine/products/"+one, nil).At("stock.quantity"))
	b.Form("/admin/products/stock", "odd", "1").Shown(422)
	var gone []string // more than one batch takes
	for range 150 {
		gone = append(gone, "quantity."+w.P.NewID(), "1")
	}
	w.Clock.Pass(time.Second) // its id is behind those that are gone
	last := w.addon(tea, "POST", "/api-engine/products", object{"code": "Z", "name": "Z", "priceLevels": prices}).ID()
	w.Main.NewChanges()
	many := b.Form("/admin/products/stock", append(gone, "quantity."+one, "3", "quantity."+last, "6")...).
		Shown(422).Text
	require.Equal(t, 150, strings.Count(many, `<li data-code="not_found">`), "each is faulted")
	require.Equal(t, 3.0, w.addon(tea, "GET", "/api-engine/products/"+one, nil).At("stock.quantity"),
		"the others are set")
	told = w.Main.NewChanges()
	require.Len(t, told, 2)
	require.NotEqual(t, told[0].Request, told[1].Request, "webhooks of two batches are told apart")
}

// TestTheStockIsListedByNameAndStaysSo counts page by page, while what was counted is saved and other goods are sold.
func TestTheStockIsListedByNameAndStaysSo(t *testing.T) { onBoth(t, stockIsListedByName) }

func stockIsListedByName(t *testing.T, w *world) {
	b := w.ada(tea)
	ids := map[string]string{}
	for i, name := range []string{"Zelený čaj", "Čaj 100 g", "Chai", "Čaj 50 g", "Hrnek", "Cukr"} {
		w.Clock.Pass(time.Second) // so that ids are in this order
		ids[name] = w.addon(tea, "POST", "/api-engine/products", object{"code": "K-" + strconv.Itoa(i), "name": name,
			"priceLevels": []object{{"level": "default", "price": "1.00"}}, "stock": object{"quantity": 3 * i}}).ID()
	}
	w.Index()
	listed := func(query string) (names []string) {
		for _, id := range rowsOf(b.Page("/admin/products/stock" + query).Shown(200)) {
			for name := range ids {
				if ids[name] == id {
					names = append(names, name)
				}
			}
		}
		return names
	}
	all := []string{"Cukr", "Čaj 50 g", "Čaj 100 g", "Hrnek", "Chai", "Zelený čaj"}
	require.Equal(t, all, listed(""))
	next := regexp.MustCompile(`href="/admin/products/stock(\?[^"]*)" rel="next"`).
		FindStringSubmatch(b.Page("/admin/products/stock?itemsPerPage=2").Shown(200).Text)
	saved := does(b, "/admin/products/stock", "_to", "/admin/products/stock?itemsPerPage=2",
		"quantity."+ids["Zelený čaj"], "7")
	require.Contains(t, saved.Text, `role="status">Uloženo: Zelený čaj</p>`)
	require.Equal(t, all[:2], listed("?itemsPerPage=2"))
	w.Clock.Pass(time.Second)
	w.addon(tea, "PATCH", "/api-engine/products/batch/stock",
		object{"items": []object{{"id": ids["Hrnek"], "quantity": 1}}})
	w.Index()
	require.Equal(t, all[2:4], listed(html.UnescapeString(next[1])), "the next page goes on where this one ended")
	require.Equal(t, []string{"Čaj 50 g", "Čaj 100 g", "Zelený čaj"}, listed("?q=caj"))
	require.Equal(t, []string{"Chai"}, listed("?q=k-2"))
	require.Equal(t, []string{"Chai"}, listed("?code=K-2"))
	require.Equal(t, "Hrnek", listed("?order[changed]=desc")[0], "by what has changed where that is asked for")
	require.Empty(t, listed("?q=nic"))
	text := b.Page("/admin/products/stock").Shown(200).Text
	require.Equal(t, 0, strings.Count(text, "Vyprodáno"))
	require.Equal(t, 2, strings.Count(text, "Dochází"))
	for n, said := range map[int]string{2: "Čaj 100 g, Chai<", 3: "Čaj 100 g, Chai a 1 další", 4: "a 2 další"} {
		var form []string
		for _, name := range []string{"Čaj 100 g", "Chai", "Čaj 50 g", "Hrnek"}[:n] {
			form = append(form, "quantity."+ids[name], "0")
		}
		require.Contains(t, html.UnescapeString(does(b, "/admin/products/stock", form...).Text), said)
	}
	require.Equal(t, 4, strings.Count(b.Page("/admin/products/stock").Text, "Vyprodáno"))
}

// TestTheStockThatIsShownAgainIsReadAtOnce, however many products were touched.
func TestTheStockThatIsShownAgainIsReadAtOnce(t *testing.T) {
	w := open(t, far)
	var fields []string
	for _, code := range []string{"A", "B", "C"} {
		id := w.addon(tea, "POST", "/api-engine/products",
			object{"code": code, "name": code, "priceLevels": []object{{"level": "default", "price": "1.00"}}}).ID()
		fields = append(fields, "quantity."+id, "x")
	}
	b := w.ada(tea)
	b.Page("/admin/people")
	w.InWaves([]int{1, 1}, func() { b.Form("/admin/products/stock", fields...).Shown(422) })
}

// sent is a form with a file.
func sent(t *testing.T, b *hosttest.Browser, path, file string, texts ...string) hosttest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(texts); i += 2 {
		require.NoError(t, form.WriteField(texts[i], texts[i+1]))
	}
	part, err := form.CreateFormFile("file", "a.csv")
	require.NoError(t, err)
	_, err = part.Write([]byte(file))
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return b.Ask("POST", path, form.FormDataContentType(), body.String(), "Accept", hosttest.PageType, "Sec-Fetch-Site",
		"same-origin")
}

func TestAFileIsBroughtIn(t *testing.T) {
	var files *folder.Bucket
	var heard []string
	w := open(t, func(p *host.Parts) {
		var err error
		files, err = folder.Open(t.TempDir(), folder.Options{Base: "https://files.example", Key: p.Key, Now: p.Now,
			OnPut: func(key string) { heard = append(heard, key) }})
		require.NoError(t, err)
		p.Files = files
	})
	b := w.ada(tea)
	a := sent(t, b, "/admin/imports", "code,name\nA,Tea\n", "type", "products", "format", "csv").Is(303)
	id := strings.TrimPrefix(a.Header.Get("Location"), "/admin/imports/")
	require.Equal(t, []string{imports.File(w.shops[tea], id)}, heard, "the importer is told")
	page := b.Page("/admin/imports/" + id).Shown(200)
	require.Contains(t, page.Text, `data-id="`+id+`" data-state="waiting" data-live`)
	require.Contains(t, page.Text, `<progress id="progress" max="100" value="0">`)
	require.Equal(t, []string{id}, rowsOf(b.Page("/admin/imports").Shown(200)))
	w.ada(toys).Page("/admin/imports/" + id).Shown(404)
	b.Page("/admin/imports/" + noID).Shown(404)

	require.Contains(t, sent(t, b, "/admin/imports", "", "type", "products", "format", "csv").Shown(422).Text,
		`data-code="required"`)
	require.Contains(t, sent(t, b, "/admin/imports", "x", "type", "birds", "format", "csv").Shown(422).Text,
		`role="alert"`)
	require.Contains(t, sent(t, b, "/admin/imports", strings.Repeat("x", maxImport+1), "type", "products", "format",
		"csv").Shown(413).Text, `id="file-fault" data-code="body_too_large"`)
	require.Contains(t, b.Form("/admin/imports", "type", "products").Text, `role="alert"`)
	k, err := imports.Read(t.Context(), w.Main, w.shops[tea], id)
	require.NoError(t, err)
	require.NoError(t, k.Allowed(t.Context(), nil), "somebody of the shop may")

	require.Contains(t, page.Text, "Všechny přečtené řádky jsou v pořádku.")
	counted := *k
	counted.Rows.Failed = 4
	w.Put(w.P.Main, counted.Item())
	require.NotContains(t, b.Page("/admin/imports/"+id).Shown(200).Text, "v pořádku", "beside four with a fault")
	counted.State = job.Done
	w.Put(w.P.Main, counted.Item())
	require.Contains(t, b.Page("/admin/imports").Shown(200).Text, "Nic se nenahrálo")
	counted.Rows.Changed = 1
	w.Put(w.P.Main, counted.Item())
	require.Contains(t, b.Page("/admin/imports").Shown(200).Text, "Hotovo, některé řádky s chybou")
	for _, failed := range []int64{imports.MaxErrors, imports.MaxErrors + 1} {
		counted.Rows.Failed = failed
		w.Put(w.P.Main, counted.Item())
		more := strings.Contains(b.Page("/admin/imports/"+id).Shown(200).Text, "<p data-more>")
		require.Equal(t, failed > imports.MaxErrors, more, "more were wrong than are listed")
	}
	w.Put(w.P.Main, k.Item())
	fault := imports.Error{Row: 2, Code: "invalid", Location: "body.priceLevels.default",
		Message: "must be <a decimal>"}
	w.Put(w.P.Main, imports.ErrorsItem(w.shops[tea], id, w.Clock.Now(), fault))
	named := imports.Error{Row: 3, Code: "invalid", Location: "body.name", Message: "name is required.",
		Fault: problem.Required}
	w.Put(w.P.Main, imports.ErrorsItem(w.shops[tea], id, w.Clock.Now(), named,
		imports.Error{Row: 4, Code: "code_taken", Message: "Another product has this code."}))
	page = b.Page("/admin/imports/" + id).Shown(200)
	require.Contains(t, page.Text, "<dd>3</dd>", "the list of faults may be ahead of their number")
	require.Contains(t, page.Text, "Vyplňte prosím")
	require.Contains(t, page.Text, "Tento kód už má jiný záznam.")
	require.NotRegexp(t, "is required|Another", page.Text, "what a text says is said in one language")
	for _, part := range []string{"<code>priceLevels.default</code>", "Zkontrolujte prosím tento údaj",
		`lang="en">must be &lt;a decimal&gt;`} {
		require.Contains(t, page.Text, part)
	}
}

// TestTheWrongRowsOfAFileAreAFile: as they stand in it, each with what is wrong with it behind, also a row that is
// wrong in how it is written, or has too few cells.
func TestTheWrongRowsOfAFileAreAFile(t *testing.T) {
	w := open(t)
	b, shop := w.ada(tea), w.shops[tea]
	id := w.addon(tea, "POST", "/api-engine/imports", object{"type": "products", "format": "csv",
		"mode": "upsert"}).ID()
	k, err := imports.Read(t.Context(), w.Main, shop, id)
	require.NoError(t, err)
	file := "\xef\xbb\xbf\ncode;Název;priceLevels.default\r\nA;Čaj;1\r\n\r\n" +
		"B;\"Zelený;\nčaj\";od 119\r\nC\r\nD;x\"y;1\r\nE;Čaj;\r\n"
	require.NoError(t, w.P.Files.Put(t.Context(), imports.File(shop, id), []byte(file)))
	info, err := w.P.Files.Stat(t.Context(), imports.File(shop, id))
	require.NoError(t, err)
	at := "/admin/imports/" + id
	b.Page(at + "?file=wrong").Shown(404)
	k.State, k.Rows.Read, k.Rows.Failed, k.Size, k.Tag = job.Done, 5, 4, info.Size, info.Tag
	w.Put(w.P.Main, k.Item(), imports.ErrorsItem(shop, id, w.Clock.Now(),
		imports.Error{Row: 2, Code: "invalid", Location: "body.priceLevels.default", Fault: problem.BadFormat,
			Key: "B", Value: "od 119"},
		imports.Error{Row: 3, Code: "invalid", Fault: "file_cells", Message: "The row has 1 cells."},
		imports.Error{Row: 4, Code: "invalid", Fault: "file_quoting"}, imports.Error{Row: 5, Code: "invalid",
			Location: "body.priceLevels", Fault: problem.Required, Key: "E"}))
	page := b.Page(at).Shown(200).Text
	require.Contains(t, page, `href="`+at+`?file=wrong" download`)
	require.Regexp(t, `prvních 10.000 a nejvýš 4.MB; co je dál, v něm není`, page, "where the file ends")
	require.Regexp(t, `<code>B</code>(.|\n)*Cena <code>priceLevels.default</code>(.|\n)*<q>od 119</q>: Cena je částka`, page)
	require.Regexp(t, `<code>E</code>(.|\n)*Cena <code>priceLevels</code>(.|\n)*Nový produkt potřebuje cenu. Cena je`, page)
	a := b.Page(at + "?file=wrong").Is(200)
	require.Equal(t, "text/csv; charset=utf-8", a.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="products.csv"`, a.Header.Get("Content-Disposition"))
	lines := strings.SplitAfter(a.Text, "\r\n")
	require.Equal(t, "\xef\xbb\xbfKód;Název;Cena;Chyba\r\n", lines[0], "what people call the columns")
	require.Regexp(t, "^B;\"Zelený;\nčaj\";od 119;\"?Cena: Cena je částka", lines[1])
	require.Regexp(t, `^C;;;\S`, lines[2])
	require.Regexp(t, `^D;x"y;1;+\S`, lines[3])
	require.Regexp(t, `^E;Čaj;;"?Cena: Nový produkt potřebuje cenu`, lines[4])
	require.Len(t, lines, 6)
	head, _ := imports.HeadOf([]byte(a.Text))
	_, sure := imports.Products.Guess(head.Names)
	require.True(t, sure, "it can be sent again")
	w.ada(toys).Page(at + "?file=wrong").Shown(404)
	k.End()
	w.Put(w.P.Main, k.Item())
	require.NotContains(t, b.Page(at).Shown(200).Text, "file=wrong", "its day is over")
	b.Page(at + "?file=wrong").Shown(404)
}

func TestTheColumnsOfAFileAreChosenWhereTheyAreNotKnown(t *testing.T) {
	var files *folder.Bucket
	w := open(t, func(p *host.Parts) {
		var err error
		files, err = folder.Open(t.TempDir(), folder.Options{Base: "https://files.example", Key: p.Key, Now: p.Now})
		require.NoError(t, err)
		p.Files = files
	})
	b := w.ada(tea)
	const at = "/admin/imports/columns/customers"
	uploaded := func(file string, fields ...string) string {
		fields = append([]string{"type", "customers", "format", "csv"}, fields...)
		return sent(t, b, "/admin/imports", file, fields...).Is(303).Header.Get("Location")
	}
	b.Page(at).Shown(404)
	b.Form(at, "column.0", "email").Shown(404)
	b.Page("/admin/imports/columns/birds").Shown(404)
	require.NotEqual(t, at, uploaded("E-mail;Jméno\na@example.cz;Jana\n"), "all columns are known")
	require.Equal(t, at, uploaded("E-mail;Jméno\na@example.cz;Jana\n", "check", "true"), "it was asked for")
	require.NotEqual(t, at, uploaded("\"a", "check", "true"), "its first row cannot be read")
	require.NotEqual(t, at, uploaded("E\x00m\x00", "check", "true"), "it is UTF-16 without a mark")
	require.Equal(t, at, uploaded(strings.Repeat("a;", maxColumns-1)+"a"))
	require.NotEqual(t, at, uploaded(strings.Repeat("a;", maxColumns)+"a"), "nobody chooses so many")

	windows, err := charmap.Windows1250.NewEncoder().String(
		"Kontakt;Jméno;Oblíbená <barva>\r\na@example.cz;Žaneta;<b>\r\n")
	require.NoError(t, err)
	older := b.Page(at).Shown(200)
	require.Equal(t, at, uploaded(windows), "in place of the one before")
	page := b.Page(at).Shown(200)
	for _, part := range []string{`action="` + at + `"`, `<option value="firstName" selected>Jméno</option>`,
		`<option value="" selected>Vynechat</option>`, "Žaneta", "Oblíbená &lt;barva&gt;", "&lt;b&gt;"} {
		require.Contains(t, page.Text, part)
	}
	tag := func(a hosttest.Answer) string {
		_, after, _ := strings.Cut(a.Text, `name="tag" value="`)
		tag, _, _ := strings.Cut(after, `"`)
		return tag
	}
	for _, c := range []struct {
		fields []string
		says   string
	}{
		{[]string{"column.1", "firstName"}, "V žádném sloupci není e-mail"},
		{[]string{"column.0", "email", "column.1", "email"}, `data-code="duplicate"`},
		{[]string{"column.0", "email", "column.1", "nothing"}, `data-code="not_found"`},
		{[]string{"column.0", "email", "column.1", "priceLevels.vip"}, `data-code="not_found"`},
	} {
		a := b.Form(at, append(c.fields, "tag", tag(page))...).Shown(422)
		require.Contains(t, a.Text, c.says)
		require.Contains(t, a.Text, `role="alert"`)
	}
	w.ada(toys).Form(at, "column.0", "email").Shown(404)
	b.Form(at, "tag", tag(older), "column.0", "email").Leads(303, at)
	before := len(rowsOf(b.Page("/admin/imports").Shown(200)))

	to := b.Form(at, "tag", tag(page), "column.0", "email", "column.1", "firstName").Is(303).Header.Get("Location")
	require.Contains(t, b.Page(to).Shown(200).Text, `<progress id="progress"`)
	require.Len(t, rowsOf(b.Page("/admin/imports").Shown(200)), before+1)
	b.Page(at).Shown(404)
	k, err := imports.Read(t.Context(), w.Main, w.shops[tea], strings.TrimPrefix(to, "/admin/imports/"))
	require.NoError(t, err)
	info, err := files.Stat(t.Context(), imports.File(w.shops[tea], k.ID))
	require.NoError(t, err)
	file, err := files.Open(t.Context(), imports.File(w.shops[tea], k.ID), info.Tag, 0)
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, errors.Join(err, file.Close()))
	require.Equal(t, "email;firstName;-\na@example.cz;Žaneta;<b>\r\n", string(text))
}
