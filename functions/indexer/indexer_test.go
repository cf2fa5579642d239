package indexer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/customers"
	"eshop/functions/orders"
	"eshop/functions/products"
	"eshop/shared/base/words"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/sale"
	"eshop/shared/search"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop  = "01SHAP0000000000000000000A"
	other = "01SHAP0000000000000000000B"
)

// world is what can be searched, with the indexer behind it.
type world struct{ *hosttest.World }

// newWorld is a world in which the indexer follows the feed.
func newWorld(t *testing.T) *world {
	w := lagging(t)
	handle := Function.Feed.Handler(w.P)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		feed := w.DB.Follower("main", search.Follower)
		_ = feed.Follow(ctx, 100, func(ctx context.Context, changes []events.Change) error {
			_, err := handle(ctx, changes)
			return err
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return w
}

// lagging is a world whose index nobody keeps.
func lagging(t *testing.T) *world {
	w := &world{hosttest.Open(t, hosttest.Setup{Authenticate: hosttest.AuthenticateByText, ReadersWait: true,
		Functions: []host.Function{customers.Function, products.Function, orders.Function}})}
	u := &change.Unit{Shop: shop, Table: w.Main, Now: w.Clock.Now, Random: hosttest.Random()}
	ops, _ := sale.NewOrderStates(u, shop, "cs_CZ")
	_, err := u.Write(t.Context(), nil, events.Nothing, ops...)
	require.NoError(t, err)
	return w
}

func (w *world) do(method, path string, body any) hosttest.Answer {
	w.T.Helper()
	return w.Next(shop, method, path, body)
}

// found is a field of what a search finds; more is the rest of the query.
func (w *world) found(kind, field, search string, more ...string) string {
	w.T.Helper()
	query := "?q=" + url.QueryEscape(search) + strings.Join(more, "")
	return strings.Join(w.do("GET", "/api-engine/"+kind+query, nil).Is(200).Each(field), ", ")
}

func (w *world) customer(first, last, email string) hosttest.Answer {
	w.T.Helper()
	return w.do("POST", "/api-engine/customers",
		hosttest.Object{"firstName": first, "lastName": last, "email": email}).Is(201)
}

// variant is one of a product.
func variant(code string) hosttest.Object {
	return hosttest.Object{"code": code, "name": code, "ean": "859" + code, "stock": hosttest.Object{"quantity": 5}}
}

func (w *world) product(name, code string, variants ...hosttest.Object) hosttest.Answer {
	w.T.Helper()
	body := hosttest.Object{"name": name, "code": code, "stock": hosttest.Object{"quantity": 5},
		"priceLevels": []hosttest.Object{{"level": "default", "price": "10.00"}}}
	if len(variants) > 0 {
		body["variants"] = variants
	}
	return w.do("POST", "/api-engine/products", body).Is(201)
}

func TestACustomerIsFoundByWhatIsKnownOfThem(t *testing.T) {
	w := newWorld(t)
	jana := w.customer("Jana", "Nováková", "jana@example.cz")
	w.do("PATCH", "/api-engine/customers/"+jana.ID(),
		`{"company":"Čajovna U Lípy s.r.o.","phone":"+420 601 123 456","note":"tajné"}`).Is(200)
	w.customer("Jan", "Dvořák", "dvorak@example.cz")
	for search, want := range map[string]string{
		"nov": "jana@example.cz", "NOVÁKOVÁ jana": "jana@example.cz", "lipy": "jana@example.cz",
		"601 123 456": "jana@example.cz", "+420601123456": "jana@example.cz",
		"jana@example.cz": "jana@example.cz", "ja": "dvorak@example.cz, jana@example.cz",
		"ana": "", "tajné": "", "jana dvorak": "", "?!": "",
	} {
		require.Equal(t, want, w.found("customers", "email", search), search)
	}
	require.Equal(t, "jana@example.cz, dvorak@example.cz", w.found("customers", "email", "ja", "&order[changed]=asc"))
	require.Equal(t, "", w.found("customers", "email", "dvorak", "&email=jana@example.cz"), "both count")
	require.Equal(t, "jana@example.cz", w.found("customers", "email", "nov", "&email=jana@example.cz"))
	require.Empty(t, w.Next(other, "GET", "/api-engine/customers?q=jana", nil).Is(200).Items(), "of another shop none")
}

func TestAProductIsFoundByNameCodeAndEAN(t *testing.T) {
	w := newWorld(t)
	w.product("Sypaný čaj Earl Grey", "TEA-1", variant("EG-100"), variant("EG-500"))
	w.product("Konvice na čaj", "POT-1")
	for search, want := range map[string]string{
		"caj": "POT-1, TEA-1", "earl sy": "TEA-1", "tea-1": "TEA-1", "eg-5": "TEA-1", "859eg": "TEA-1", "grey pot": "",
	} {
		require.Equal(t, want, w.found("products", "code", search), search)
	}
	require.Equal(t, "", w.found("products", "code", "konvice", "&code=TEA-1"))
	require.Equal(t, "TEA-1", w.found("products", "code", "earl", "&code=EG-100"))
}

func TestAnOrderIsFoundByNumberNamesAndState(t *testing.T) {
	w := newWorld(t)
	tea := w.product("Čaj", "TEA").ID()
	place := func(email, last string) hosttest.Answer {
		return w.do("POST", "/api-engine/orders", hosttest.Object{"email": email,
			"items": []hosttest.Object{{"productId": tea, "quantity": 1}},
			"billingAddress": hosttest.Object{"firstName": "Jan", "lastName": last, "street": "A 1", "city": "Brno",
				"zip": "60200", "country": "CZ"}}).Is(201)
	}
	first, second := place("a@example.cz", "Novák"), place("b@example.cz", "Šťastný")
	number := first.Get("number")
	require.Equal(t, number, w.found("orders", "number", number))
	require.Equal(t, second.Get("number")+", "+number, w.found("orders", "number", number[:5]))
	require.Equal(t, number, w.found("orders", "number", "novak"))
	require.Equal(t, second.Get("number"), w.found("orders", "number", "b@example.cz"))

	fresh := first.Get("stateId")
	next := w.do("GET", "/api-engine/order-states", nil).Each("id")[1]
	in := func(state, more string) string {
		return strings.Join(w.do("GET", "/api-engine/orders?stateId="+state+more, nil).Is(200).Each("number"), ", ")
	}
	require.Equal(t, number+", "+second.Get("number"), in(fresh, ""))
	w.do("PATCH", "/api-engine/orders/"+first.ID(), hosttest.Object{"note": "změněná"}).Is(200)
	require.Equal(t, second.Get("number")+", "+number, in(fresh, ""), "by what changed last")
	w.do("PATCH", "/api-engine/orders/"+first.ID(), hosttest.Object{"stateId": next}).Is(200)
	require.Equal(t, second.Get("number"), in(fresh, ""))
	require.Equal(t, number, in(next, "&q=novak"))
	require.Equal(t, "", in(next, "&q=stastny"))
	require.Equal(t, "", in("nothing", ""))
}

func TestProductsAreListedByTheirNames(t *testing.T) {
	w := newWorld(t)
	made := func(name, code string) string {
		return w.do("POST", "/api-engine/products", hosttest.Object{"name": name, "code": code,
			"priceLevels": []hosttest.Object{{"level": "default", "price": "1.00"}}}).Is(201).ID()
	}
	var chai string
	for i, name := range []string{"Čaj 100 g", "Chai", "Čaj 50 g", "Hrnek", "Cukr", "čaj"} {
		if id := made(name, fmt.Sprint("X-", i)); name == "Chai" {
			chai = id
		}
	}
	_, load := catalog.ProductList(w.Main, shop, "")
	listed := func(text string, each int) string {
		var all []string
		for after, more := "", true; more; more = after != "" {
			rows, _ := w.P.Search().Choose(shop, search.Choice{Text: text, By: search.ByName})
			page, next, err := record.Page(t.Context(), rows, record.Asked{After: after, Limit: each}, load)
			require.NoError(t, err)
			for _, p := range page {
				all = append(all, string(p.Name))
			}
			after = next
		}
		return strings.Join(all, ", ")
	}
	const all = "Cukr, čaj, Čaj 50 g, Čaj 100 g, Hrnek, Chai"
	require.Equal(t, all, listed("", 10))
	require.Equal(t, all, listed("", 2), "page by page")
	require.Equal(t, "čaj, Čaj 50 g, Čaj 100 g", listed("caj", 2), "what is found, too")
	require.Equal(t, all, listed("x", 4))
	require.Empty(t, listed("—", 4))
	w.do("PATCH", "/api-engine/products/"+chai, `{"stock":{"quantity":9},"code":"NEW"}`).Is(200)
	require.Equal(t, all, listed("", 10), "only a name moves it")
	w.do("PATCH", "/api-engine/products/"+chai, `{"name":"Absint"}`).Is(200)
	require.Equal(t, "Absint, Cukr, čaj, Čaj 50 g, Čaj 100 g, Hrnek", listed("", 10))
	w.do("DELETE", "/api-engine/products/"+chai, nil).Is(204)
	require.Equal(t, "Cukr, čaj, Čaj 50 g, Čaj 100 g, Hrnek", listed("", 10))
}

func TestWhatIsShownIsAsItIsNow(t *testing.T) {
	w := newWorld(t)
	a, b := w.customer("Jana", "Nová", "a@example.cz"), w.customer("Jana", "Nová", "b@example.cz")
	require.Equal(t, "b@example.cz, a@example.cz", w.found("customers", "email", "nov"))
	w.do("PATCH", "/api-engine/customers/"+a.ID(), `{"note":"1"}`).Is(200)
	require.Equal(t, "a@example.cz, b@example.cz", w.found("customers", "email", "nov"), "the newest change first")
	w.do("PATCH", "/api-engine/customers/"+a.ID(), `{"lastName":"Stará"}`).Is(200)
	require.Equal(t, "b@example.cz", w.found("customers", "email", "nov"))
	require.Equal(t, "a@example.cz", w.found("customers", "email", "star jana"))
	w.do("DELETE", "/api-engine/customers/"+b.ID(), nil).Is(204)
	require.Equal(t, "", w.found("customers", "email", "nov"))
	require.Equal(t, []string{"a", "cz", "example", "jana", "stara"}, w.rows("C"), "nothing is left of what is gone")
}

// rows are the words that the index has of records of the kind.
func (w *world) rows(letter string) (words []string) {
	for c := 'a'; c <= 'z'; c++ {
		page, err := w.P.Pipeline.Query(w.T.Context(),
			store.Query{PK: "S#" + shop + "#WORDS#" + letter + "#" + string(c)})
		require.NoError(w.T, err)
		for _, i := range page.Items {
			word, _, _ := strings.Cut(i.SK, "#")
			words = append(words, word)
		}
	}
	return words
}

func TestPagesOfASearchShowEachRecordOnce(t *testing.T) {
	w := newWorld(t)
	for _, many := range []int{7, 150} {
		t.Run(fmt.Sprint(many), func(t *testing.T) {
			last := fmt.Sprintf("Mnohá%d", many)
			var want []string
			for i := range many {
				email := fmt.Sprintf("c%d.%d@example.cz", many, i)
				w.customer("Jana", last, email)
				want = append([]string{email}, want...)
			}
			for order, want := range map[string][]string{"": want, "&order[changed]=asc": reversed(want)} {
				var all []string
				page := w.do("GET", "/api-engine/customers?itemsPerPage=4&q="+url.QueryEscape(last)+order, nil).Is(200)
				for {
					all = append(all, page.Each("email")...)
					next, more := page.Body["nextCursor"].(string)
					if !more {
						break
					}
					page = w.do("GET", "/api-engine/customers?itemsPerPage=4&cursor="+next, nil)
				}
				require.Equal(t, want, all)
			}
		})
	}
}

func reversed(all []string) []string {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

func TestASearchHasOneToFiveWords(t *testing.T) {
	w := newWorld(t)
	for _, kind := range []string{"customers", "products", "orders"} {
		w.do("GET", "/api-engine/"+kind+"?q=a+b+c+d+e+f", nil).Fault("query.q", "bad_format")
		w.do("GET", "/api-engine/"+kind+"?q="+strings.Repeat("a", 101), nil).Fault("query.q", "too_long")
		w.do("GET", "/api-engine/"+kind+"?q=+a+b+c+d++e+", nil).Is(200)
	}
}

// TestASearchTakesThreeCallsWhateverTheSizeOfTheShop counts them; the fourth is every request's, to the counter.
func TestASearchTakesThreeCallsWhateverTheSizeOfTheShop(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.customer("Jana", "Nováková", fmt.Sprintf("c%d@example.cz", i))
		w.product("Čaj", fmt.Sprint("T-", i), variant(fmt.Sprint("V-", i)))
	}
	for _, path := range []string{"customers?q=nov+jana", "products?q=caj", "products?q=v-5&itemsPerPage=10",
		"orders?q=nov", "orders?stateId=" + shop} {
		w.do("GET", "/api-engine/"+path, nil).Is(200)
		require.LessOrEqual(t, w.Meter().Calls(), 4, path)
		_, units := w.Meter().Units()
		require.LessOrEqual(t, units, 1.0, "the counter's")
	}
}

// TestOnlyWhatRowsHoldWritesThem counts the rows, each once with its entry: some of the stock writes none, its last
// piece all, and a category its own.
func TestOnlyWhatRowsHoldWritesThem(t *testing.T) {
	w := lagging(t)
	p, written := *w.P, 0
	p.Pipeline = storetest.Faulty{Table: w.P.Pipeline,
		Around: func(c storetest.Call, do func() error) error { written += len(c.Ops); return do() }}
	index := Function.Feed.Handler(&p)
	kettles := w.do("POST", "/api-engine/categories", `{"name":"Konvice"}`).Is(201).ID()
	tea := w.product("Zelený čaj", "TEA").ID()
	field := func(body string) func() (string, any) {
		return func() (string, any) { return "products/" + tea, body }
	}
	quantity := func(to int) func() (string, any) {
		return func() (string, any) {
			return "products/batch/stock", hosttest.Object{"items": []hosttest.Object{{"id": tea, "quantity": to}}}
		}
	}
	const entry, ofAll, ofWords = 1, 1, 3 // in the list of all; zeleny, caj, tea
	for _, c := range []struct {
		says string
		ask  func() (string, any)
		rows int
	}{
		{"a text", field(`{"shortDescription":"krátký","description":"dlouhý","manufacturer":"Kdo"}`), 0},
		{"some of the stock", quantity(4), 0},
		{"the last piece", quantity(0), ofAll + ofWords + entry},
		{"pieces again", quantity(9), ofAll + ofWords + entry},
		{"a price", field(`{"priceLevels":[{"level":"default","price":"12.00"}]}`), ofAll + ofWords + entry},
		{"the same price", field(`{"priceLevels":[{"level":"default","price":"12.00"}]}`), 0},
		{"a category", field(`{"categoryIds":["` + kettles + `"]}`), 1 + entry},
		{"a price in a category", field(`{"priceLevels":[{"level":"default","price":"13.00"}]}`), ofAll + ofWords + 1 + entry},
		{"a word less", field(`{"name":"Zelený"}`), ofWords + entry},
		{"hidden", field(`{"active":false}`), ofWords - 1 + ofAll + 1 + entry},
	} {
		if c.says == "a text" {
			_, err := index(t.Context(), w.Main.NewChanges())
			require.NoError(t, err)
			require.Equal(t, ofAll+ofWords+entry, written, "a new product")
		}
		path, body := c.ask()
		w.do("PATCH", "/api-engine/"+path, body).Is(200)
		written = 0
		_, err := index(t.Context(), w.Main.NewChanges())
		require.NoError(t, err)
		require.Equal(t, c.rows, written, c.says)
	}
}

// hits are the products that a search of a shopper finds.
func (w *world) hits(asked string) []search.Hit {
	w.T.Helper()
	found, err := w.P.Search().Find(w.T.Context(), search.Products, shop, words.Ask(asked).Loosely())
	require.NoError(w.T, err)
	return found.Hits
}

// TestAHitSaysWhatAListNeeds: the lowest price at each level, whether it is there, and how near it is.
func TestAHitSaysWhatAListNeeds(t *testing.T) {
	w := newWorld(t)
	tea := w.do("POST", "/api-engine/categories", `{"name":"Čaje"}`).Is(201).ID()
	green := w.do("POST", "/api-engine/categories", `{"name":"Zelené"}`).Is(201).ID()
	made := func(body hosttest.Object) string { return w.do("POST", "/api-engine/products", body).Is(201).ID() }
	levels := func(all ...string) (prices []hosttest.Object) {
		for i := 0; i < len(all); i += 2 {
			prices = append(prices, hosttest.Object{"level": all[i], "price": all[i+1]})
		}
		return prices
	}
	pot := made(hosttest.Object{"name": "Konvička", "code": "A", "priceLevels": levels("default", "90.00"),
		"categoryIds": []string{tea, green}})
	cup := made(hosttest.Object{"name": "Hrnek", "code": "B", "priceLevels": levels("default", "50.00", "vip", "45.00"),
		"categoryIds": []string{green}, "variants": []hosttest.Object{
			{"code": "KONVICKA-1", "stock": hosttest.Object{"quantity": 1}, "priceLevels": levels("default", "40.00")},
			{"code": "KONVICKA-2", "priceLevels": levels("default", "30.00"), "active": false}}})
	set := made(hosttest.Object{"name": "Konvičky v sadě", "code": "C", "priceLevels": levels("default", "300.00")})
	made(hosttest.Object{"name": "Konvička tajná", "code": "D", "priceLevels": levels("default", "1.00"),
		"active": false, "categoryIds": []string{tea}})
	rank := map[string]int{}
	for _, hit := range w.hits("konvičky") {
		if price, sold := hit.PriceAt("default"); sold {
			rank[hit.ID+" "+price.String()+fmt.Sprint(" ", hit.InStock)] = hit.Rank
		}
	}
	require.Equal(t, map[string]int{set + " 300.00 false": 0, pot + " 90.00 false": 2, cup + " 40.00 true": 3}, rank)
	vip, _ := w.hits("hrnek")[0].PriceAt("vip")
	require.Equal(t, "40.00", vip.String(), "of a variant that has no price at the level, its default one")

	in := func(categories ...string) (ids []string) {
		found, err := w.P.Search().In(t.Context(), shop, categories)
		require.NoError(t, err)
		require.False(t, found.Cut)
		for _, hit := range found.Hits {
			ids = append(ids, hit.ID)
		}
		return ids
	}
	require.Equal(t, []string{pot}, in(tea))
	require.Equal(t, []string{cup, pot}, in(tea, green), "each once, the newest first")
	w.do("DELETE", "/api-engine/products/"+cup, nil).Is(204)
	require.Equal(t, []string{pot}, in(tea, green))
	w.do("PATCH", "/api-engine/products/"+pot, hosttest.Object{"categoryIds": []string{tea}}).Is(200)
	require.Empty(t, in(green))
}

// TestAListIsChosenByWhatTheIndexHas: of all products, found ones and categories, hidden ones, too, in each order, and
// of more than are read for their places.
func TestAListIsChosenByWhatTheIndexHas(t *testing.T) {
	w := newWorld(t)
	tea := w.do("POST", "/api-engine/categories", `{"name":"Čaje"}`).Is(201).ID()
	names := map[string]string{}
	made := func(name, price string, more hosttest.Object) {
		w.Clock.Pass(time.Second)
		more["name"], more["code"] = name, strings.ReplaceAll(name, " ", "-")
		more["priceLevels"] = []hosttest.Object{{"level": "default", "price": price}}
		names[w.do("POST", "/api-engine/products", more).Is(201).ID()] = name
	}
	some := hosttest.Object{"quantity": 3}
	made("Konev", "30.00", hosttest.Object{"stock": some})
	made("Čaj zelený", "100.00", hosttest.Object{"categoryIds": []string{tea}})
	made("Hrnek", "9.00", hosttest.Object{"active": false, "stock": some})
	made("Čaj černý", "20.00", hosttest.Object{"categoryIds": []string{tea}, "active": false})
	list := func(c search.Choice, descending bool, each int) (all []string) {
		_, load := catalog.ProductList(w.Main, shop, "")
		for after, more := "", true; more; more = after != "" {
			rows, cut := w.P.Search().Choose(shop, c)
			page, next, err := record.Page(t.Context(), rows,
				record.Asked{After: after, Limit: each, Descending: descending}, load)
			require.NoError(t, err)
			require.False(t, cut())
			for _, p := range page {
				all = append(all, names[p.ID])
			}
			after = next
		}
		return all
	}
	all := func(search.Hit) bool { return true }
	hidden := func(h search.Hit) bool { return h.Offer != nil && h.Hidden }
	gone := func(h search.Hit) bool { return h.Offer == nil || !h.InStock }
	orders := func(each int) {
		t.Helper()
		for says, c := range map[string]struct {
			search.Choice
			descending bool
			want       string
		}{
			"by name": {search.Choice{By: search.ByName, Fits: all}, false,
				"Čaj černý, Čaj zelený, Hrnek, Konev"},
			"by price": {search.Choice{By: search.ByPrice}, false,
				"Hrnek, Čaj černý, Konev, Čaj zelený"},
			"the dearest first": {search.Choice{By: search.ByPrice}, true,
				"Čaj zelený, Konev, Čaj černý, Hrnek"},
			"newest": {search.Choice{By: search.ByMaking}, true,
				"Čaj černý, Hrnek, Čaj zelený, Konev"},
			"hidden": {search.Choice{Fits: hidden, By: search.ByName}, false,
				"Čaj černý, Hrnek"},
			"sold out": {search.Choice{Fits: gone, By: search.ByName}, false,
				"Čaj černý, Čaj zelený"},
			"of a category": {search.Choice{In: []string{tea}, By: search.ByPrice}, false,
				"Čaj černý, Čaj zelený"},
			"found": {search.Choice{Text: "caj", Fits: hidden}, true,
				"Čaj černý"},
			"found in a category": {search.Choice{Text: "cerny", In: []string{tea}}, true,
				"Čaj černý"},
			"found elsewhere": {search.Choice{Text: "hrnek", In: []string{tea}}, true,
				""},
		} {
			ours := slices.DeleteFunc(list(c.Choice, c.descending, each), func(name string) bool { return name == "" })
			require.Equal(t, c.want, strings.Join(ours, ", "), says)
		}
	}
	orders(10)
	orders(1)
	for i := range 120 { // more than are read for their places
		w.Clock.Pass(time.Second)
		w.do("POST", "/api-engine/products", hosttest.Object{"name": "Další " + strconv.Itoa(i), "code": w.P.NewID(),
			"priceLevels": []hosttest.Object{{"level": "default", "price": "50.00"}}, "stock": some}).Is(201)
	}
	orders(50)
}

// TestASearchReadsFiveThousandRows: in two queries where a row takes more than a fifth of a kilobyte. It says that
// there are more.
func TestASearchReadsFiveThousandRows(t *testing.T) {
	w := lagging(t)
	row := func(of, sk string, i int) store.Op {
		return store.Put(store.Item{Key: store.Key{PK: "S#" + shop + of, SK: fmt.Sprintf("%s#%026d", sk, i)},
			Doc: []byte(`{"w":["kniha","` + strings.Repeat("x", 200) +
				`"],"n":2,"p":[{"level":"default","price":"1.00"}]}`)})
	}
	for i := 0; i < search.MaxRows; i += 50 {
		var ops []store.Op
		for n := i; n < i+50; n++ {
			ops = append(ops, row("#WORDS#P#k", "kniha", n), row("#IN#P#books", "", n))
		}
		_, err := w.P.Pipeline.Write(t.Context(), events.Nothing, ops...)
		require.NoError(t, err)
	}
	for _, more := range []bool{false, true} {
		found, err := w.P.Search().Find(t.Context(), search.Products, shop, words.Ask("kniha"))
		require.NoError(t, err)
		require.Equal(t, more, found.Cut)
		require.Len(t, found.Hits, search.MaxRows)
		ctx, meter := store.WithMeter(t.Context())
		found, err = w.P.Search().In(ctx, shop, []string{"books", "none"})
		require.NoError(t, err)
		require.Equal(t, more, found.Cut)
		require.Len(t, found.Hits, search.MaxRows)
		require.Equal(t, 3, meter.Calls())
		_, err = w.P.Pipeline.Write(t.Context(), events.Nothing, row("#WORDS#P#k", "kniha", search.MaxRows),
			row("#IN#P#books", "", search.MaxRows))
		require.NoError(t, err)
	}
}

// TestAnIndexOfBeforeIsMadeAnew: until then storefronts find nothing by it, and a start says so.
func TestAnIndexOfBeforeIsMadeAnew(t *testing.T) {
	w := lagging(t)
	tea := w.product("Čaj", "TEA").ID()
	old := func() bool { is, err := w.P.Search().IsOld(t.Context(), shop); require.NoError(t, err); return is }
	require.False(t, old(), "nothing is there")
	_, err := Function.Feed.Handler(w.P)(t.Context(), w.Main.NewChanges())
	require.NoError(t, err)
	require.False(t, old())
	for _, partition := range []string{"#WORDS#P#c", "#ENTRY#P#" + tea} {
		page, err := w.P.Pipeline.Query(t.Context(), store.Query{PK: "S#" + shop + partition})
		require.NoError(t, err)
		page.Items[0].Doc = []byte(`["caj","said"]`)
		_, err = w.P.Pipeline.Write(t.Context(), events.Nothing, store.Put(page.Items[0]))
		require.NoError(t, err)
	}
	require.True(t, old())
	require.Nil(t, w.hits("caj said")[0].Offer)
	for at := ""; ; {
		r, err := w.P.Search().Rebuild(t.Context(), shop, at)
		require.NoError(t, err)
		if at = r.Next; at == "" {
			break
		}
	}
	require.False(t, old())
	require.Empty(t, w.hits("said"))
	require.NotNil(t, w.hits("caj")[0].Offer)
}

// TestOfManyCodesEachNewOneIsOneRow adds variants to a product that has more codes than a row holds.
func TestOfManyCodesEachNewOneIsOneRow(t *testing.T) {
	w := lagging(t)
	handle := Function.Feed.Handler(w.P)
	units := func() (written float64) {
		ctx, meter := store.WithMeter(t.Context())
		_, err := handle(ctx, w.Main.NewChanges())
		require.NoError(t, err)
		_, written = meter.Units()
		return written
	}
	var variants []hosttest.Object
	for i := range 60 {
		variants = append(variants, variant(fmt.Sprint("LONGCODE", 1000+i)))
	}
	tea := w.product("Čaj", "TEA", variants...)
	require.Greater(t, units(), 200.0)
	w.do("POST", "/api-engine/products/"+tea.ID()+"/variants", variant("LONGCODE2000")).Is(201)
	more := units()
	require.Positive(t, more)
	require.LessOrEqual(t, more, 20.0, "two words and the entry")
	require.Equal(t, tea.ID(), w.hits("longcode2000")[0].ID)
}

// TestWhoReadBeforeAChangeDoesNotHaveTheLastWord is two indexers at once, of which the slower one has read what is no
// more.
func TestWhoReadBeforeAChangeDoesNotHaveTheLastWord(t *testing.T) {
	w := lagging(t)
	index := Function.Feed.Handler(w.P)
	jana := w.customer("Jana", "Nová", "a@example.cz")
	made := w.Main.NewChanges()
	slow, came := *w.P, false
	slow.Pipeline = storetest.Faulty{Table: w.P.Pipeline, Around: func(c storetest.Call, do func() error) error {
		if c.Ops != nil && !came {
			came = true
			w.do("DELETE", "/api-engine/customers/"+jana.ID(), nil).Is(204)
			_, err := index(t.Context(), w.Main.NewChanges())
			require.NoError(t, err)
		}
		return do()
	}}
	_, err := Function.Feed.Handler(&slow)(t.Context(), made)
	require.NoError(t, err)
	require.Empty(t, w.rows("C"))
}

func TestWhatFailedIsDoneAgainAndWhatDidNotIsNotHeldUp(t *testing.T) {
	w := lagging(t)
	var changes []events.Change
	for _, name := range []string{"Alfa", "Beta", "Gama"} {
		w.customer("Jana", name, name+"@example.cz")
		changes = append(changes, w.Main.NewChanges()...)
	}
	broken := *w.P
	broken.Pipeline = storetest.Faulty{Table: w.P.Pipeline, Around: func(c storetest.Call, do func() error) error {
		if slices.ContainsFunc(c.Ops, func(o store.Op) bool { return strings.HasPrefix(o.Item.SK, "beta#") }) {
			return errRefused
		}
		return do()
	}}
	done, err := Function.Feed.Handler(&broken)(t.Context(), changes)
	require.ErrorIs(t, err, errRefused)
	require.Equal(t, 1, done, "the host hands over the second one and those behind it again")
	none, err := Function.Feed.Handler(&broken)(t.Context(), changes[1:2])
	require.ErrorIs(t, err, errRefused)
	require.Zero(t, none, "nor is it handled alone")
	done, err = Function.Feed.Handler(w.P)(t.Context(), changes[done:])
	require.NoError(t, err)
	require.Equal(t, 2, done)
	require.Len(t, slices.DeleteFunc(w.rows("C"), func(w string) bool { return w != "jana" }), 3)
}

var errRefused = errors.New("refused")

func TestTheIndexIsMadeAnew(t *testing.T) {
	w := lagging(t)
	for i := range 120 {
		w.customer("Jana", "Nováková", fmt.Sprintf("c%d@example.cz", i))
	}
	w.product("Čaj", "TEA")
	indexed, steps := 0, 0
	for at := ""; ; steps++ {
		r, err := w.P.Search().Rebuild(t.Context(), shop, at)
		require.NoError(t, err)
		indexed += r.Indexed
		if at = r.Next; at == "" {
			break
		}
	}
	require.Equal(t, 121, indexed)
	require.Less(t, steps, 10)
	found, err := w.P.Search().Find(t.Context(), search.Customers, shop, words.Ask("novakova"))
	require.NoError(t, err)
	require.False(t, found.Cut)
	require.Len(t, found.Hits, 120)
}
