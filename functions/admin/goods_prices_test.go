package admin

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/catalog"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

func TestAPercentageIsReadAsPeopleTypeIt(t *testing.T) {
	for text, want := range map[string]catalog.Percent{"": 0, "5": 500, "+5 %": 500, "-10": -1000, "−2,5": -250,
		"0.25": 25, "1000": 100_000} {
		got, is := percentOf(text)
		require.True(t, is, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"x", "-100", "1000.01", "5%5", "1,234", "--1", "-"} {
		_, is := percentOf(text)
		require.False(t, is, text)
	}
}

func TestThePricesOfManyAreChangedAtOnce(t *testing.T) { onBoth(t, pricesAreChanged) }

func pricesAreChanged(t *testing.T, w *world) {
	b := w.ada(tea)
	category := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Čaje"}).ID()
	inside := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Zelené", "parentId": category}).ID()
	levels := func(price string) []object {
		return []object{{"level": "vip", "price": "1.00"}, {"level": "default", "price": price}}
	}
	one := w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "Sencha",
		"priceLevels": levels("119.00"), "categoryIds": []string{category}}).ID()
	other := w.addon(tea, "POST", "/api-engine/products", object{"code": "B", "name": "Matcha",
		"priceLevels": levels("200.00"), "categoryIds": []string{inside}, "variants": []object{
			{"code": "B-1", "priceLevels": []object{{"level": "default", "price": "100.00"}}}, {"code": "B-2"}}})
	w.addon(tea, "POST", "/api-engine/products", object{"code": "C", "name": "Hrnek", "priceLevels": levels("50.00")})
	own, inherits := other.At("variants.0.id").(string), other.At("variants.1.id").(string)
	w.Index()
	price := func(product, path string) any {
		return w.addon(tea, "GET", "/api-engine/products/"+product, nil).At(path)
	}
	require.Len(t, rowsOf(b.Page("/admin/prices").Shown(200)), 5)
	require.Contains(t, b.Page("/admin/products").Shown(200).Text, "od\u00a0100", "as shoppers see it")

	// A preview changes nothing, and says what would be.
	w.Main.NewChanges()
	preview := b.Page("/admin/prices?categoryId=" + category + "&percent=-10&rounding=1").Shown(200)
	require.Equal(t, []string{other.ID(), own, inherits, one}, rowsOf(preview), "by name, those inside, too")
	require.Contains(t, preview.Text, `<b data-changes>3</b>`)
	require.Contains(t, preview.Text, `name="price.`+one+`" value="107,00"`)
	require.Contains(t, preview.Text, `name="_shown.price.`+one+`" value="119,00"`)
	require.Regexp(t, `name="price.`+other.ID()+`.`+inherits+`" value=""[^>]* placeholder="200,00"`, preview.Text)
	require.Empty(t, w.Main.NewChanges())
	require.Equal(t, "119.00", price(one, "priceLevels.1.price"))
	sent := untouched(t, preview, "/admin/prices")
	saved := does(b, "/admin/prices", pairs(sent)...)
	require.Contains(t, saved.Text, "Matcha, Matcha – B-1 a 1 další")
	require.NotContains(t, saved.Text, "data-changes", "saved, it proposes nothing once more")
	require.Contains(t, saved.Text, `value="`+category+`" selected`, "of the same category")
	require.Equal(t, []any{"107.00", "1.00", "180.00", "90.00", []any{}}, []any{price(one, "priceLevels.1.price"),
		price(one, "priceLevels.0.price"), price(other.ID(), "priceLevels.1.price"),
		price(other.ID(), "variants.0.priceLevels.0.price"), price(other.ID(), "variants.1.priceLevels")})
	told := w.Main.NewChanges()
	require.Len(t, told, 1, "one change")
	require.Len(t, told[0].Records, 2)

	// What others have set meanwhile is not overwritten, what was sold is no conflict, and nothing typed is lost.
	w.addon(tea, "PATCH", "/api-engine/products/"+one, object{"priceLevels": levels("150.00")})
	w.addon(tea, "PATCH", "/api-engine/products/"+other.ID(), object{"stock": object{"quantity": 3}})
	form := []string{"price." + one, "99", "_shown.price." + one, "107,00",
		"price." + other.ID(), "185", "_shown.price." + other.ID(), "180,00"}
	conflict := b.Form("/admin/prices", form...).Shown(422)
	require.NotContains(t, conflict.Text, `value="185`, "what is saved is not sent again")
	require.Contains(t, conflict.Text, `data-code="price_changed"`)
	require.Contains(t, conflict.Text, `name="price.`+one+`" value="99`)
	require.Contains(t, conflict.Text, `name="_shown.price.`+one+`" value="150,00"`)
	require.Contains(t, conflict.Text, `role="status">Ostatní údaje jsou uložené.`)
	require.Equal(t, []any{"150.00", "185.00"},
		[]any{price(one, "priceLevels.1.price"), price(other.ID(), "priceLevels.1.price")})
	does(b, "/admin/prices", pairs(untouched(t, conflict, "/admin/prices"))...)
	require.Equal(t, "99.00", price(one, "priceLevels.1.price"), "who saves it again has seen it")

	beside := b.Form("/admin/prices", "price."+other.ID(), "x", "price."+other.ID()+"."+own, "80,00",
		"_shown.price."+other.ID()+"."+own, "80,00").Shown(422).Text
	require.Contains(t, beside, `name="_shown.price.`+other.ID()+"."+own+`" value="90,00"`, "what was not touched")
	does(b, "/admin/prices", "price."+other.ID()+"."+own, "", "price."+other.ID()+"."+inherits, "1 250,50")
	require.Equal(t, []any{[]any{}, "1250.50"}, []any{price(other.ID(), "variants.0.priceLevels"),
		price(other.ID(), "variants.1.priceLevels.0.price")}, "an empty one is the product's")
	for text, code := range map[string]string{"": "required", "x": "bad_format", "-1": "bad_format",
		"1,234": "bad_format"} {
		wrong := b.Form("/admin/prices", "price."+one, text).Shown(422).Text
		require.Regexp(t, `(?s)name="price.`+one+`".*?data-code="`+code+`"`, wrong, text)
	}
	require.Contains(t, b.Form("/admin/prices", "price."+noID, "1").Shown(422).Text, `data-code="not_found"`)
	w.ada(toys).Form("/admin/prices", "price."+one, "1").Shown(422)
	b.Form("/admin/prices", "odd", "1").Shown(422)
	wrong := b.Page("/admin/prices?percent=-100").Shown(422).Text
	require.Regexp(t, `id="percent"[^>]* value="-100"[^>]* aria-invalid="true"`, wrong)
	require.NotContains(t, wrong, "data-changes")
	b.Page("/admin/prices?rounding=7").Shown(422)
	require.Equal(t, "99.00", price(one, "priceLevels.1.price"))
}

// TestAPreviewGoesOnPageByPage: saved, it leads to that of the next page, and after the last one to the list.
func TestAPreviewGoesOnPageByPage(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	var ids []string
	for i := range 3 {
		ids = append(ids, w.sells(tea, "K-"+strconv.Itoa(i), "100.00"))
	}
	w.Index()
	page := b.Page("/admin/prices?percent=10&itemsPerPage=2").Shown(200)
	for _, of := range [][]string{ids[:2], ids[2:]} {
		require.ElementsMatch(t, of, rowsOf(page))
		require.Contains(t, page.Text, "data-changes")
		page = does(b, "/admin/prices", pairs(untouched(t, page, "/admin/prices"))...)
	}
	require.NotContains(t, page.Text, "data-changes")
	for _, id := range ids {
		require.Equal(t, "110.00", w.addon(tea, "GET", "/api-engine/products/"+id, nil).At("priceLevels.0.price"))
	}
}

// TestAPageOfManyIsBoundedByItsFields goes through the prices of 50 products of 500 variants: what a page shows, a form
// can send, and saved it leads to the page after it.
func TestAPageOfManyIsBoundedByItsFields(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	var ids []string
	for p := range 4 {
		ids = append(ids, w.wide(fmt.Sprint("A", p+10)))
	}
	small := w.sells(tea, "Z", "1.00") // by name the last one
	w.Index()
	next := regexp.MustCompile(`href="(/admin/prices\?[^"]*)" rel="next"`)
	page := b.Page("/admin/prices?percent=10&itemsPerPage=250").Shown(200)
	page = does(b, "/admin/prices", pairs(untouched(t, page, "/admin/prices"))...)
	require.Contains(t, page.Text, "a\u00a0499\u00a0dalších</p>")
	for _, id := range []string{ids[0], ids[1]} {
		p := w.addon(tea, "GET", "/api-engine/products/"+id, nil)
		for i := range catalog.MaxVariants {
			require.Equal(t, map[string]string{ids[0]: "110.00", ids[1]: "100.00"}[id],
				p.At(fmt.Sprintf("variants.%d.priceLevels.0.price", i)))
		}
	}
	for _, id := range ids[1:] {
		rows := rowsOf(page)
		require.Len(t, rows, 1+catalog.MaxVariants)
		require.Equal(t, id, rows[0])
		page = b.Page(html.UnescapeString(next.FindStringSubmatch(page.Text)[1])).Shown(200)
	}
	require.Equal(t, []string{small}, rowsOf(page))
	require.Len(t, rowsOf(b.Page("/admin/products/stock?sort=name").Shown(200)), catalog.MaxVariants)
}

// wide is a new product of as many variants as one can have, each with a price of its own.
func (w *world) wide(name string) (id string) {
	w.T.Helper()
	at := []object{{"level": "default", "price": "100.00"}}
	var some []object
	for n := range catalog.MaxVariants {
		some = append(some, object{"code": fmt.Sprint(name, "-", n), "priceLevels": at})
		switch {
		case len(some) < 60 && n+1 < catalog.MaxVariants:
			continue
		case id == "":
			id = w.addon(tea, "POST", "/api-engine/products",
				object{"code": name, "name": name, "priceLevels": at, "variants": some}).ID()
		default:
			w.addon(tea, "POST", "/api-engine/products/"+id+"/variants", object{"items": some})
		}
		some = nil
	}
	return id
}

func TestProductsAreFilteredAndSorted(t *testing.T) { onBoth(t, productsAreChosen) }

func productsAreChosen(t *testing.T, w *world) {
	b := w.ada(tea)
	category := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Čaje"}).ID()
	names := map[string]string{}
	at := func(price string) []object { return []object{{"level": "default", "price": price}} }
	for _, p := range []object{
		{"name": "Sencha", "priceLevels": at("9.00"), "categoryIds": []string{category}},
		{"name": "Hrnek", "priceLevels": at("30.00"), "stock": object{"quantity": 6}},
		{"name": "Matcha", "priceLevels": at("120.00"), "active": false, "categoryIds": []string{category},
			"stock": object{"quantity": 1}},
	} {
		w.Clock.Pass(time.Second)
		p["code"] = p["name"]
		names[w.addon(tea, "POST", "/api-engine/products", p).ID()] = p["name"].(string)
	}
	w.Index()
	w.Clock.Pass(time.Minute) // the menu is read anew
	list := func(path, query string) string {
		t.Helper()
		var all []string
		for _, id := range rowsOf(b.Page(path + query).Shown(200)) {
			all = append(all, names[id])
		}
		return strings.Join(all, ", ")
	}
	for query, want := range map[string]string{
		"?sort=price":                                  "Sencha, Hrnek, Matcha",
		"?sort=-price":                                 "Matcha, Hrnek, Sencha",
		"?sort=name":                                   "Hrnek, Matcha, Sencha",
		"?sort=newest":                                 "Matcha, Hrnek, Sencha",
		"?sort=stock":                                  "Sencha, Matcha, Hrnek",
		"?active=false":                                "Matcha",
		"?active=true&sort=name":                       "Hrnek, Sencha",
		"?inStock=false":                               "Sencha",
		"?inStock=true&active=true":                    "Hrnek",
		"?categoryId=" + category + "&sort=name":       "Matcha, Sencha",
		"?categoryId=" + category + "&inStock=true":    "Matcha",
		"?categoryId=" + noID:                          "",
		"?q=se&categoryId=" + category + "&sort=price": "Sencha",
		"?q=hrnek&categoryId=" + category:              "",
	} {
		require.Equal(t, want, list("/admin/products", query), query)
	}
	require.Equal(t, "Matcha", list("/admin/products/stock", "?inStock=true&categoryId="+category))
	for hrnek, want := range []string{"Sencha, Hrnek, Matcha", "Sencha, Hrnek, Matcha", "Sencha, Matcha, Hrnek"} {
		for id, name := range names {
			if quantity := []int{0, 5, 6}[hrnek]; name == "Hrnek" {
				w.addon(tea, "PATCH", "/api-engine/products/"+id, object{"stock": object{"quantity": quantity}})
			}
		}
		w.Index()
		require.Equal(t, want, list("/admin/products", "?sort=stock"))
	}
	first := b.Page("/admin/products?sort=-price&itemsPerPage=2").Shown(200)
	next := html.UnescapeString(regexp.MustCompile(`href="/admin/products(\?[^"]*)" rel="next"`).
		FindStringSubmatch(first.Text)[1])
	require.Equal(t, "Sencha", list("/admin/products", next))
	require.Contains(t, b.Page("/admin/products"+next).Text, `<a href="/admin/products?itemsPerPage=2&amp;sort=-price">`,
		"the first page is of the same list")
	b.Page("/admin/products?sort=-stock").Shown(422)
	more := regexp.MustCompile(`(?s)<details class="further">.*?</details>`).FindString(first.Text)
	require.Equal(t, 3, strings.Count(more, "<label"), "what few need stands behind more")
	require.Contains(t, b.Page("/admin/products?externalId=7").Text, `<details class="further" open>`)
}

func TestSelectedProductsAreChangedAtOnce(t *testing.T) { onBoth(t, selectedAreChanged) }

func selectedAreChanged(t *testing.T, w *world) {
	b := w.ada(tea)
	category := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Čaje"}).ID()
	one, other := w.sells(tea, "A", "1.00"), w.sells(tea, "B", "2.00")
	over := func(product, path string) any {
		return w.addon(tea, "GET", "/api-engine/products/"+product, nil).At(path)
	}
	both := func(more ...string) []string { return append([]string{"productId", one, "productId", other}, more...) }
	w.Main.NewChanges()
	done := does(b, "/admin/products/selected", both("do", "hide", "_to", "/admin/products?active=true")...)
	require.Contains(t, done.Text, "Upravené produkty: 2")
	require.Equal(t, []any{false, false}, []any{over(one, "active"), over(other, "active")})
	require.Len(t, w.Main.NewChanges(), 1, "one change")
	does(b, "/admin/products/selected", both("do", "hide")...)
	require.Empty(t, w.Main.NewChanges(), "they are so already")
	does(b, "/admin/products/selected", "productId", one, "do", "show")
	require.Equal(t, []any{true, false}, []any{over(one, "active"), over(other, "active")})

	does(b, "/admin/products/selected", both("do", "join", "categoryId", category)...)
	require.Equal(t, []any{[]any{category}, []any{category}},
		[]any{over(one, "categoryIds"), over(other, "categoryIds")})
	does(b, "/admin/products/selected", "productId", one, "do", "leave", "categoryId", category)
	require.Equal(t, []any{[]any{}, []any{category}}, []any{over(one, "categoryIds"), over(other, "categoryIds")})

	// What cannot be done is said of each, and the others are done.
	var full []string
	for i := range 20 {
		full = append(full, w.addon(tea, "POST", "/api-engine/categories", object{"name": strconv.Itoa(i)}).ID())
	}
	w.addon(tea, "PATCH", "/api-engine/products/"+one, object{"categoryIds": full})
	last := w.addon(tea, "POST", "/api-engine/categories", object{"name": "Poslední"}).ID()
	some := does(b, "/admin/products/selected", both("productId", noID, "do", "join", "categoryId", last)...)
	require.Contains(t, some.Text, "Upravené produkty: 1")
	require.Contains(t, html.UnescapeString(some.Text), "Tea <A> – Produkt už je v tolika kategoriích")
	require.Contains(t, some.Text, noID+" – Nenalezeno")
	require.Equal(t, []any{category, last}, over(other, "categoryIds"))
	require.Len(t, over(one, "categoryIds"), 20)

	require.Contains(t, does(b, "/admin/products/selected", "do", "hide").Text, "Nic jste nevybrali.")
	wrong := b.Form("/admin/products/selected", both("do", "join", "categoryId", noID)...).Shown(422)
	require.Contains(t, wrong.Text, `<a href="#categoryId">`)
	require.ElementsMatch(t, []string{one, other}, untouched(t, wrong, "/admin/products/selected")["productId"],
		"they are still selected")
	b.Form("/admin/products/selected", both("do", "sell")...).Shown(422)
	b.Form("/admin/products/selected", "productId", "x", "do", "hide").Shown(422)
	w.ada(toys).Form("/admin/products/selected", both("do", "hide")...).Is(303)
	require.Equal(t, true, over(one, "active"), "they are another shop's")
}

func TestWhatIsDoneInPartIsSaidAndTheRestIsKept(t *testing.T) { onBoth(t, doneInPart) }

// doneInPart has the store fail in the second transaction of a batch, and in the second of two batches.
func doneInPart(t *testing.T, w *world) {
	b := w.ada(tea)
	var names, prices, selected []string // the names in the order in which they are saved
	for i := range 120 {
		made := w.addon(tea, "POST", "/api-engine/products", object{"code": fmt.Sprint("A", i), "name": "A",
			"priceLevels": []object{{"level": "default", "price": "1.00"}},
			"variants":    []object{{"code": fmt.Sprint("V", i)}}})
		names = append(names, "price."+made.ID()+"."+made.At("variants.0.id").(string))
		selected = append(selected, "productId", made.ID())
	}
	slices.Sort(names)
	for _, name := range names {
		prices = append(prices, name, "2", "_shown."+name, "")
	}
	w.Index()
	failing := func(done int, meanwhile func(), path string, fields ...string) hosttest.Answer {
		w.Main.Before(func(ops []store.Op) error {
			if len(ops) < 20 { // no batch
				return nil
			}
			if done--; done >= 0 {
				return nil
			}
			if meanwhile != nil {
				meanwhile()
				meanwhile = nil
			}
			return store.ErrUnavailable
		})
		defer w.Main.Before(nil)
		return b.Form(path, fields...).Shown(503)
	}
	price := func(name string) any {
		product, variant, _ := strings.Cut(strings.TrimPrefix(name, "price."), ".")
		return w.addon(tea, "GET", "/api-engine/products/"+product+"/variants/"+variant, nil).At("priceLevels.0.price")
	}
	setBySomebody := func(name, price string) {
		product, variant, _ := strings.Cut(strings.TrimPrefix(name, "price."), ".")
		w.addon(tea, "PATCH", "/api-engine/products/"+product+"/variants/"+variant,
			object{"priceLevels": []object{{"level": "default", "price": price}}})
	}
	priced := func() (n int) {
		for _, p := range w.addon(tea, "GET", "/api-engine/products?itemsPerPage=250", nil).Items() {
			variant := p["variants"].([]any)[0].(map[string]any)
			n += len(variant["priceLevels"].([]any))
		}
		return n
	}
	none := failing(0, nil, "/admin/prices", prices...)
	require.Equal(t, 0, priced())
	require.NotContains(t, none.Text, "Uložené hodnoty")
	require.Contains(t, none.Text, "Co se neuložilo, zůstalo ve formuláři")
	require.Equal(t, 120, strings.Count(none.Text, ` value="2" type=`), "nothing that was typed is lost")

	setBySomebody(names[0], "5.00")
	half := failing(1, func() {
		setBySomebody(names[1], "9.00") // which is set already
		setBySomebody(names[119], "7.00")
	}, "/admin/prices", pairs(untouched(t, none, "/admin/prices"))...)
	require.Equal(t, 49+2, priced(), "those whose head and part fit into one transaction beside a note of it")
	require.Contains(t, half.Text, `role="status">Uložené hodnoty: 49</p>`)
	require.Contains(t, half.Text, "Co se neuložilo, zůstalo ve formuláři")
	require.Contains(t, half.Text, "Chyba je na naší straně.")
	require.Equal(t, 120-49, strings.Count(half.Text, ` value="2" type=`), "nothing that was typed is lost")
	require.Equal(t, 1, strings.Count(half.Text, `data-code="price_changed"><`), "of what was refused it is said, too")
	require.Regexp(t, `(?s)name="`+names[0]+`" value="2".*?data-code="price_changed"`, half.Text)
	told := b.Form("/admin/prices", pairs(untouched(t, half, "/admin/prices"))...).Shown(422)
	require.Equal(t, 120, priced())
	require.Regexp(t, `(?s)name="`+names[119]+`" value="2".*?data-code="price_changed"`, told.Text)
	require.Equal(t, []any{"2.00", "9.00", "2.00", "7.00"},
		[]any{price(names[0]), price(names[1]), price(names[118]), price(names[119])},
		"nobody's price is overwritten who has not been told of")
	does(b, "/admin/prices", pairs(untouched(t, told, "/admin/prices"))...)
	require.Equal(t, []any{"9.00", "2.00"}, []any{price(names[1]), price(names[119])})

	none = failing(0, nil, "/admin/products/selected", append(selected, "do", "hide")...)
	require.Contains(t, none.Text, "Všechny zůstaly vybrané")
	require.Len(t, untouched(t, none, "/admin/products/selected")["productId"], 120)
	half = failing(1, nil, "/admin/products/selected", append(selected, "do", "hide", "_to", "/admin/products?q=a")...)
	require.Contains(t, half.Text, `role="status">Upravené produkty: 100</p>`)
	require.Contains(t, half.Text, "Všechny zůstaly vybrané")
	again := untouched(t, half, "/admin/products/selected")
	require.Len(t, again["productId"], 120)
	require.Equal(t, []string{"hide"}, again["do"])
	require.Contains(t, does(b, "/admin/products/selected", pairs(again)...).Text, `value="a"`)
	require.Empty(t, w.addon(tea, "GET", "/api-engine/products?itemsPerPage=250", nil).Items()[0]["active"])
}
