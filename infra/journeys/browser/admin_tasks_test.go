package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
	"eshop/shared/webhook/signature"
)

// addon is an add-on's receiver: it echoes every webhook, and remembers who has signed each.
type addon struct {
	*httptest.Server
	mu   sync.Mutex
	got  []*http.Request
	body [][]byte
}

func listening(t *testing.T) *addon {
	a := &addon{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.got, a.body = append(a.got, r), append(a.body, body)
		a.mu.Unlock()
		_, _ = w.Write(body)
	}))
	t.Cleanup(a.Close)
	return a
}

// heard says whether a webhook of the event came that this key has signed.
func (a *addon) heard(event, key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, err := signature.Parse(key)
	for i, r := range a.got {
		stamp, _ := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64)
		if err == nil && r.Header.Get("X-Webhook-Event") == event &&
			signature.Verify(r.Header.Get("X-Webhook-Signature"), stamp, a.body[i], k) {
			return true
		}
	}
	return false
}

func (a *addon) hears(t *testing.T, event, key string) {
	t.Helper()
	require.Eventually(t, func() bool { return a.heard(event, key) }, time.Minute, 10*time.Millisecond, event)
}

// at is the address of an access's page in the admin.
func (s *shop) at(page string) string { return s.admin() + "/admin/api/" + path.Base(s.access) + page }

// TestAMerchantRotatesAKey: from the first key to the webhook that the second one has signed.
func TestAMerchantRotatesAKey(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s, hooks := newShop(t, "cs_CZ", "CZK"), listening(t)
	s.signsIn(tab, "en")
	tab.Go(s.at("/webhook-security"))
	tab.Follow(`form[action$="/keys"] button`)
	first := tab.Text(`[data-secret="key"]`)
	tab.Click(`[data-secret="key"] + button`)
	tab.Wait(`document.querySelector('[data-secret="key"] + button').textContent === "Copied"`)
	require.Empty(t, tab.URL()[len(s.at("/webhook-security")):], "it is in no address")
	tab.Reload()
	require.False(t, browsertest.Eval[bool](tab, `Boolean(document.querySelector("[data-secret]"))`),
		"it is shown once")
	receiver := s.post("/api-engine/webhooks",
		fields{"url": hooks.URL, "events": []string{"productChange", "orderChange"}})["id"].(string)
	hooks.hears(t, "ping", first)
	require.Eventually(t, func() bool { return s.get("/api-engine/webhooks/" + receiver)["state"] == "enabled" },
		time.Minute, 10*time.Millisecond)

	tab.Go(s.admin() + "/admin/products/" + s.teaID)
	tab.Fill(`[name="priceLevels.default"]`, "129.00")
	tab.Click(`form[action$="` + s.teaID + `"] button`)
	tab.Wait(`document.querySelector(".notice.good")?.textContent.startsWith("Saved: ")`)
	hooks.hears(t, "productChange", first)

	tab.Go(s.at("/webhook-security"))
	tab.Follow(`form[action$="/keys"] button`)
	second := tab.Text(`[data-secret="key"]`)
	require.NotEqual(t, first, second)
	tab.Follow(`form[action$="/activate"] button`)
	require.Equal(t, []string{"primary", "retiring"}, browsertest.Eval[[]string](tab,
		`[...document.querySelectorAll("section[data-state]")].map((e) => e.dataset.state).sort()`))
	triesAnew() // a change of keys counts for every attempt that begins ten seconds later
	tab.Go(s.admin() + "/admin/products/stock")
	tab.Fill(`[name="quantity.`+s.teaID+`"]`, "4")
	tab.Click(`[name="quantity.` + s.teaID + `"] + button`)
	tab.Click(".save button")
	tab.Wait(`document.querySelector(".notice.good")?.textContent.startsWith("Saved: ")`)
	hooks.hears(t, "productChange", second)
	require.Equal(t, 5.0, s.get("/api-engine/products/" + s.teaID)["stock"].(fields)["quantity"])
	tab.Go(s.at("/deliveries"))
	require.NotEmpty(t, tab.Text(`tr[data-state="delivered"]`))
}

// TestAMerchantKeepsVariants makes variants of parameters and changes their prices in the table: the page stays where
// it is, says what was done, and shows what is stored.
func TestAMerchantKeepsVariants(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "cs")
	product := s.admin() + "/admin/products/" + s.mugID
	tab.Go(product)
	tab.Follow(`a[href$="/generate"]`)
	tab.Fill("#parameters", "Barva: bílá, zlatá")
	tab.Follow(`form[method=get][action$="/generate"] button`)
	tab.Follow(`form[method=post][action$="/generate"] button`)
	require.Equal(t, product+"#variants", tab.URL())
	require.Equal(t, "Přidáno: bílá, zlatá", tab.Text(".notice.good"))
	variant := s.get("/api-engine/products/" + s.mugID)["variants"].([]any)[3].(fields)["id"].(string)
	tab.Fill(`[name="variants.`+variant+`.price"]`, "279,555")
	tab.Click(`form[action$="/variants-table"] > button`)
	tab.Wait(`document.querySelector("[aria-invalid]")`)
	require.Contains(t, tab.Text("#variants [role=alert]"), "zlatá")
	tab.Fill(`[name="variants.`+variant+`.price"]`, "279")
	tab.Run(`scrollTo(0, document.body.scrollHeight); window.kept = true`)
	tab.Click(`form[action$="/variants-table"] > button`)
	tab.Wait(`document.querySelector(".notice.good")?.textContent === "Uloženo: zlatá"`)
	tab.Wait(`window.kept && document.querySelector('[name="variants.` + variant + `.price"]').value === "279,00"`)
	require.Greater(t, browsertest.Eval[float64](tab, `scrollY`), 300.0)
	price := s.get("/api-engine/products/" + s.mugID)["variants"].([]any)[3].(fields)["priceLevels"]
	require.Equal(t, []any{fields{"level": "default", "price": "279.00"}}, price)
}

// TestAMerchantDeactivatesAnAddOn: what will go is listed before, what went after, and the pages show it.
func TestAMerchantDeactivatesAnAddOn(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	goes, stays := s.installs("bodyEnd", `<p id="widget">widget</p>`), s.installs("bodyEnd", `<p id="stays">stays</p>`)
	s.post("/api-engine/cleanup-orders", fields{"customCodeId": goes, "packageId": s.pkg})
	s.signsIn(tab, "cs")
	tab.Go(s.admin() + "/admin/packages/" + path.Base(s.access) + "/deactivate")
	const outcome = `Object.fromEntries([...document.querySelectorAll("[data-outcome]")].map((e) => [e.dataset.outcome, [...e.querySelectorAll("[data-id]")].map((x) => x.dataset.id).join()]))`
	want := map[string]string{"removed": goes, "kept": stays}
	require.Equal(t, want, browsertest.Eval[map[string]string](tab, outcome))
	tab.Follow(`form[action$="/deactivate"] button`)
	require.Equal(t, want, browsertest.Eval[map[string]string](tab, outcome), "the report")
	tab.Go(s.url + s.tea)
	require.Equal(t, "stays", tab.Text("#stays"))
	require.False(t, browsertest.Eval[bool](tab, `Boolean(document.querySelector("#widget"))`))
	tab.Go(s.admin() + "/admin")
	require.Equal(t, "1", browsertest.Eval[string](tab,
		`document.querySelector('[data-part="orphans"]').dataset.count`))
	tab.Go(s.admin() + "/admin/orphans")
	tab.Click(`details:has(form[action$="/` + stays + `/delete"]) > summary`) // it asks once more
	tab.Click(`form[action$="/` + stays + `/delete"] button`)
	tab.Wait(`document.querySelector("main .notice.good") && !document.querySelector('form[action$="/delete"]')`)
	tab.Go(s.url + s.tea)
	require.False(t, browsertest.Eval[bool](tab, `Boolean(document.querySelector("#stays"))`))
}

// TestAMerchantBringsAFileIn: the page follows it to its end, and shows what was wrong. The wrong rows are mended in
// the file that it gives, and are sent again. Categories that the file names are made.
func TestAMerchantBringsAFileIn(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin/imports")
	tab.Run(`const files = new DataTransfer();
		files.items.add(new File(["Code,Name,Price,Category\nCSV-1,Brought in,10.00,Kitchen > Mugs\nCSV-2,Mended,x,Kitchen > Mugs|New\n"], "goods.csv"));
		document.querySelector("#file").files = files.files`)
	tab.Follow(button)
	tab.Run(`window.stays = true`)
	tab.Wait(`document.querySelector("[data-live][data-over]")`)
	require.True(t, browsertest.Eval[bool](tab, `Boolean(window.stays)`), "it is the same page still")
	require.Equal(t, "done", browsertest.Eval[string](tab, `document.querySelector("[data-live]").dataset.state`))
	require.NotEmpty(t, tab.Text("[data-live] tr[data-code]"), "faults come with the counts")
	require.Equal(t, "Brought in", s.get("/api-engine/products?code=CSV-1")["items"].([]any)[0].(fields)["name"])

	wrong := browsertest.Eval[string](tab, `fetch(document.querySelector("a[download]").href).then((a) => a.text())`)
	require.Contains(t, wrong, `CSV-2,Mended,x,Kitchen > Mugs|New,"Price: A price is`)
	s.uploads(tab, strings.Replace(wrong, ",x,", ",12.50,", 1))
	tab.Wait(`document.querySelector("[data-live][data-over]")`)
	require.Equal(t, "1", tab.Text(".facts dd:nth-of-type(2)"), "it was saved without a question")
	require.False(t, browsertest.Eval[bool](tab, `Boolean(document.querySelector("a[download]"))`))
	names := map[any]any{}
	for _, k := range s.get("/api-engine/categories")["items"].([]any) {
		names[k.(fields)["name"]] = k.(fields)["id"]
	}
	require.Equal(t, []any{names["Mugs"], names["New"]},
		s.get("/api-engine/products?code=CSV-2")["items"].([]any)[0].(fields)["categoryIds"])
}

// TestAMerchantTakesAListToASpreadsheet: by the button below a list, which leads to the file once it is made.
func TestAMerchantTakesAListToASpreadsheet(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "cs")
	s.takesOut(tab, "products")
	got, err := http.Get(browsertest.Eval[string](tab, `document.querySelector("[data-live] a.button").href`))
	require.NoError(t, err)
	defer got.Body.Close()
	require.Equal(t, `attachment; filename="products.csv"`, got.Header.Get("Content-Disposition"))
	file, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(file), "\xef\xbb\xbfID;Kód;Název;Cena;"), string(file))
	require.Contains(t, string(file), s.teaID)
}

// TestAMerchantFindsOutWhyAnAddOnDoesNotHear: from the home page over the receiver to a delivery that failed, which is
// sent again. The page follows its attempt, and keeps the focus and what was unfolded.
func TestAMerchantFindsOutWhyAnAddOnDoesNotHear(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	receiver := s.receives(refusing(t, 500, "database is locked"), "enabled", "productChange")
	s.do(200, "PATCH", "/api-engine/products/"+s.teaID, fields{"stock": fields{"quantity": 3}})
	failed := "/api-engine/webhook-deliveries?failed=true&receiverId=" + receiver
	s.until(func() bool { return len(s.get(failed)["items"].([]any)) == 1 })
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin")
	require.Equal(t, "1", browsertest.Eval[string](tab,
		`document.querySelector('[data-part="receivers"]').dataset.count`))
	tab.Follow(`[data-part="receivers"] a`)
	require.Equal(t, "Has failures", tab.Text(`[data-health="failures"] .state`))
	tab.Run(`window.stays = true`)
	tab.Click(`form[action$="/ping"] button`)
	tab.Wait(`document.querySelector(".notice.good") && document.querySelector("[data-live][id]:not([data-over])") === null`)

	tab.Go(s.at("/deliveries?failed=true"))
	require.Equal(t, "500", browsertest.Eval[string](tab, `document.querySelector("td[data-status]").dataset.status`))
	tab.Follow(`tbody th a`)
	tab.Run(`window.stays = true`)
	const attempts = `document.querySelectorAll("[data-live] tbody tr").length`
	was := browsertest.Eval[int](tab, attempts)
	tab.Click(`form[action$="/redeliver"] button`)
	tab.Wait(fmt.Sprint(attempts, " > ", was))
	require.True(t, browsertest.Eval[bool](tab, `window.stays && document.activeElement.closest("form[data-live]") !== null`),
		"the page and the focus stay")
	require.Contains(t, tab.Text(".notice.good"), "being resent")
}

// TestAMerchantNeedsNoScripts: an order is moved on, and a token is made, by a browser without JavaScript.
func TestAMerchantNeedsNoScripts(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	order := s.post("/api-engine/orders",
		fields{"email": "jana@example.com", "items": []fields{{"productId": s.teaID, "quantity": 1}}})["id"].(string)
	tab.WithoutScripts()
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin/orders")
	tab.Follow(`tr[data-id="` + order + `"] a`)
	states := s.get("/api-engine/order-states")["items"].([]any) // made at once, so in no order
	is := slices.IndexFunc(states, func(state any) bool { return state.(fields)["key"] == "shipped" })
	shipped := states[is].(fields)["id"].(string)
	tab.Follow(`form[action$="/ship"] button`) // the state is preselected
	require.Equal(t, shipped, s.get("/api-engine/orders/" + order)["stateId"])
	tab.Go(s.at("/tokens"))
	tab.Follow(`form[action$="/tokens"] button`)
	token := tab.Text(`[data-secret="token"]`)
	require.Equal(t, s.id, client{t, token}.get("/api-engine/shop")["id"])
}

// TestAMerchantTakesAnOrderByPhone: with scripts the page stays where it is; without them each search is a round trip.
// Enter searches and never orders; two clicks make one order.
func TestAMerchantTakesAnOrderByPhone(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprint("scripts ", scripts), func(t *testing.T) {
			t.Parallel()
			tab := shopper(t)
			s := newShop(t, "sk_SK", "EUR")
			s.post("/api-engine/customers", fields{"email": "jana@example.com", "firstName": "Jana", "lastName": "Nová",
				"phone": "777 123 456", "billingAddress": fields{"street": "Dlhá 1", "city": "Nitra", "zip": "949 01",
					"country": "SK"}})
			if !scripts {
				tab.WithoutScripts()
			}
			s.signsIn(tab, "en")
			does := func(what string) { // and waits for what comes of it
				if scripts {
					tab.Click(what)
					tab.Wait(`!document.querySelector("form.order")?.ariaBusy`)
				} else {
					tab.Follow(what)
				}
			}
			enter := func() {
				if scripts {
					tab.Press("\r")
				} else {
					tab.Enter()
				}
			}
			tab.Go(s.admin() + "/admin/orders")
			tab.Follow(`a[href="/admin/orders/new"]`)
			tab.Fill(`[name="note"]`, "Ring twice")
			tab.Fill(`[name="_customer"]`, "777123456")
			enter()
			tab.Wait(`document.querySelector('[name="_pick"]')`)
			does(`[name="_pick"]`)
			require.Equal(t, []string{"jana@example.com", "Dlhá 1", "Ring twice"}, []string{value(tab, "email"),
				value(tab, "billingAddress.street"), value(tab, "note")})
			require.Equal(t, "_goods", browsertest.Eval[string](tab, `document.activeElement.name`), "what comes next")
			tab.Fill(`[name="_goods"]`, "hrnek")
			enter()
			tab.Wait(`document.querySelector('[name="_add"]')`)
			does(`[name="_add"]`)
			if scripts {
				s.askedInVain(tab)
			}
			fill(tab, map[string]string{"items.0.quantity": "999999"})
			tab.Follow(`.save button`)
			tab.Wait(`document.querySelector("#items-0-quantity-fault")`)
			require.Equal(t, "insufficient_stock", browsertest.Eval[string](tab,
				`document.querySelector("#items-0-quantity-fault").dataset.code`))
			fill(tab, map[string]string{"items.0.quantity": "2"})
			if scripts {
				tab.Run(`const b = document.querySelector(".save button"); b.click(); b.click()`)
				tab.Wait(`document.querySelector(".history")`)
			} else {
				tab.Follow(`.save button`)
			}
			require.Contains(t, tab.Text(".notice.good"), "The order has been created: order")
			made := s.get("/api-engine/orders")["items"].([]any)
			require.Len(t, made, 1)
			require.Equal(t, []any{"Ring twice", "Doručenie na adresu"}, []any{made[0].(fields)["note"],
				made[0].(fields)["orderDeliveryPayment"].(fields)["delivery"]})
		})
	}
}

// askedInVain asks for something within the form of an order that could be made, and gets no answer, one that is no
// page of ours, and one that is not the form: what is typed stays, what was wrong is told, and nothing is ordered.
// Nothing can be typed while an answer is awaited, which would undo it.
func (s *shop) askedInVain(tab *browsertest.Tab) {
	s.t.Helper()
	tab.Run(`window.asks = window.fetch; window.stays = true`)
	for answer, says := range map[string]string{
		`throw new TypeError("the network is gone")`:                                               "Something went wrong",
		`return new Response("<h1>Bad Gateway</h1>", { status: 502 })`:                             "Something went wrong",
		`return new Response('<main><div role="alert"><p>Who?</p></div></main>', { status: 401 })`: "Who?",
	} {
		tab.Run(`window.fetch = async () => { window.shut = document.querySelector("form.order").inert; ` + answer + ` }`)
		tab.Fill(`[name="billingAddress.company"]`, says)
		tab.Click(`[name="_recount"]`)
		tab.Wait(`!document.querySelector("form.order").ariaBusy &&
			document.querySelector("main > [role=alert]")?.textContent.includes(` + strconv.Quote(says) + `)`)
		require.Equal(s.t, []any{true, true, false, says, "_recount"}, browsertest.Eval[[]any](tab, `[window.stays,
			window.shut, document.querySelector("form.order").inert,
			document.querySelector('[name="billingAddress.company"]').value, document.activeElement.name]`))
	}
	tab.Run(`window.fetch = window.asks`)
	tab.Click(`[name="_recount"]`)
	tab.Wait(`!document.querySelector("main > [role=alert]")`)
	require.Empty(s.t, s.get("/api-engine/orders")["items"])
}

// TestAMerchantShipsOrders: one order with its number in place, and then all by one choice, without another page.
func TestAMerchantShipsOrders(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	var orders []string
	for range 3 {
		orders = append(orders, s.post("/api-engine/orders",
			fields{"email": "jana@example.com",
				"items": []fields{{"productId": s.teaID, "quantity": 1}}})["id"].(string))
	}
	s.signsIn(tab, "en")
	tab.Width(360)
	tab.Go(s.admin() + "/admin/orders/" + orders[0])
	require.True(t, browsertest.Eval[bool](tab, `
		document.querySelector('form[action$="/ship"]').getBoundingClientRect().top <
		document.querySelector(".lines").getBoundingClientRect().top`), "on a phone the action comes before the facts")
	tab.Width(1280)
	require.True(t, browsertest.Eval[bool](tab, `
		document.querySelector('form[action$="/ship"]').getBoundingClientRect().left >
		document.querySelector(".lines").getBoundingClientRect().right`), "on a desk it is beside them")
	tab.Run(`window.stays = true`)
	tab.Fill("#ship-trackingNumber", "DR1")
	tab.Click(`form[action$="/ship"] button`)
	tab.Wait(`document.querySelector(".notice.good")`)
	require.Contains(t, tab.Text(".notice.good"), "Shipped: order 2026")
	require.Contains(t, tab.Text(".split aside"), "DR1")
	require.True(t, browsertest.Eval[bool](tab, `Boolean(window.stays) && !document.querySelector('form[action$="/ship"]')`))

	tab.Go(s.admin() + "/admin/orders")
	tab.Run(`window.stays = true`)
	tab.Click("[data-all] input")
	tab.Run(`const to = document.querySelector("#bulk-state"); to.value = [...to].find((o) => o.text === "Doručena").value`)
	tab.Click(".bulk .actions button")
	tab.Wait(`document.querySelector(".notice.good")`)
	require.Contains(t, tab.Text(".notice.good"), "Orders changed: 3")
	require.Equal(t, []int{3, 0}, browsertest.Eval[[]int](tab, `[document.querySelectorAll('tr[data-state="delivered"]').length,
		document.querySelectorAll(".bulk :checked:not(option)").length]`), "and none is chosen any more")
	require.True(t, browsertest.Eval[bool](tab, `Boolean(window.stays)`), "it is the same page still")
	tab.Follow(`.tabs a[href*="stateId"]`)
	require.True(t, browsertest.Eval[bool](tab,
		`document.querySelector(".tabs [aria-current]").search.includes("stateId")`))
}

// TestAMerchantGivesTheShopAFace: a colour is looked at before it is saved, then logo, colour and terms are in the
// shop, and the logo is taken away by a box.
func TestAMerchantGivesTheShopAFace(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin/shop")
	const accent = `getComputedStyle(document.documentElement).getPropertyValue("--accent")`
	const preview = `main form [formaction$="/preview"]`
	// It opens in a new tab: the form stays as it is, and is still not left without a word.
	fill(tab, map[string]string{"welcome": "Tea, and time for it."})
	tab.Run(`document.querySelector("#accent").value = "#f0a0c0";
		addEventListener("submit", (event) => event.preventDefault(), {once: true})`)
	tab.Click(preview)
	require.True(t, browsertest.Eval[bool](tab, `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`))
	require.Equal(t, "_blank", browsertest.Eval[string](tab, `document.querySelector('`+preview+`').formTarget`))
	for _, width := range []int{360, 1280} {
		tab.Width(width)
		seen(t, tab, "admin-shop-en", width, false)
	}
	tab.Run(`document.querySelector('` + preview + `').removeAttribute("formtarget")`)
	tab.Follow(preview)
	for _, width := range []int{360, 1280} {
		tab.Width(width)
		seen(t, tab, "admin-shop-preview-en", width, false)
	}
	tab.Follow(`main .button`)
	require.Contains(t, tab.Text(".notice"), "Náhled")
	require.Contains(t, tab.Text(".hero"), "Tea, and time for it.")
	require.Equal(t, "#8b5d6f", browsertest.Eval[string](tab, accent), "darkened until it can be read")
	for _, width := range []int{360, 1280} {
		tab.Width(width)
		seen(t, tab, "home-preview", width, false)
	}
	tab.Go(s.url + "/")
	require.NotContains(t, tab.Text("main"), "Tea, and time for it.")

	tab.Go(s.admin() + "/admin/shop")
	tab.Run(`const canvas = new OffscreenCanvas(80, 40), files = new DataTransfer();
		canvas.getContext("2d").fillRect(0, 0, 40, 40);
		canvas.convertToBlob().then((png) => {
			files.items.add(new File([png], "logo.png"));
			for (const id of ["#logo", "#hero"]) document.querySelector(id).files = files.files;
			document.querySelector("#accent").value = "#b4552d"; // its picker is the browser's
		})`)
	tab.Wait(`document.querySelector("#logo").files.length === 1`)
	fill(tab, map[string]string{"terms": "## Orders"})
	tab.Follow(`main form .button`)
	require.Contains(t, tab.Text(".notice.good"), "Saved: ")

	tab.Go(s.url + "/")
	tab.Wait(`document.querySelector(".logo").naturalWidth === 80 &&
		document.querySelector(".scene").naturalWidth > 0`)
	for _, width := range []int{360, 1280} {
		tab.Width(width)
		seen(t, tab, "home-own", width, false)
	}
	require.Equal(t, "#a9502a", browsertest.Eval[string](tab, accent))
	tab.Follow(`footer a[href="/terms"]`)
	require.Equal(t, "Orders", tab.Text(".prose h3"))

	tab.Go(s.admin() + "/admin/shop")
	tab.Click(`#deleteLogo`)
	tab.Enter() // it saves, though the first button that is seen is that of the preview
	require.Contains(t, tab.Text(".notice.good"), "Saved: ")
	tab.Go(s.url + "/")
	require.False(t, browsertest.Eval[bool](tab, `Boolean(document.querySelector(".logo"))`))
	require.Equal(t, "#a9502a", browsertest.Eval[string](tab, accent), "what was not touched stays")
}

// uploads sends a file of products to be imported, as somebody does who chooses it in the form.
func (s *shop) uploads(tab *browsertest.Tab, file string) {
	tab.Go(s.admin() + "/admin/imports")
	tab.Run(`const files = new DataTransfer();
		files.items.add(new File([` + strconv.Quote(file) + `], "goods.csv"));
		document.querySelector("#file").files = files.files`)
	tab.Follow(button)
}

// TestAMerchantSaysWhatTheColumnsOfAFileAre: where a column is not known one is asked what the columns are, with the
// known ones chosen already, and then the file is imported.
func TestAMerchantSaysWhatTheColumnsOfAFileAre(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "cs")
	s.uploads(tab, "Označení;Název;Cena;Barva\nCSV-9;Hrnek;1 290,5 Kč;modrá\n")
	require.Equal(t, []string{"", "name", "priceLevels.default", ""}, browsertest.Eval[[]string](tab,
		`[...document.querySelectorAll("main select")].map(s => s.value)`))
	tab.Follow(button)
	require.Contains(t, tab.Text(`[role="alert"]`), "Označení")
	tab.Run(`document.querySelector("#column-0").value = "code"`)
	tab.Follow(button)
	tab.Wait(`document.querySelector("[data-live][data-over]")`)
	require.Equal(t, "done", browsertest.Eval[string](tab, `document.querySelector("[data-live]").dataset.state`))
	require.Equal(t, "Hrnek", s.get("/api-engine/products?code=CSV-9")["items"].([]any)[0].(fields)["name"])
}

// TestWhatIsNotSavedIsNotLostWithoutAWord: a page has several forms; to save one leaves what is typed in another, and
// says so before.
func TestWhatIsNotSavedIsNotLostWithoutAWord(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "cs")
	tab.Go(s.admin() + "/admin/orders/" + s.post("/api-engine/orders", fields{"email": "jana@example.com",
		"items": []fields{{"productId": s.teaID, "quantity": 1}}})["id"].(string))
	tab.Run(`window.asked = []; window.confirm = (text) => { asked.push(text); return asked.length > 1 };
		for (const part of document.querySelectorAll("details")) part.open = true`)
	const asked = `asked.length`
	tab.Fill(`form[action$="/shipment"] [name="trackingNumber"]`, "DR1")
	tab.Fill(`form[action$="/note"] [name="note"]`, "Zabalit")
	tab.Click(`form[action$="/note"] button`)
	require.Equal(t, 1, browsertest.Eval[int](tab, asked), "the shipment is not saved")
	require.Equal(t, "Na stránce jsou další neuložené změny. Pokračovat bez jejich uložení?",
		browsertest.Eval[string](tab, `asked[0]`))
	tab.Click(`form[action$="/note"] button`)
	tab.Wait(`document.querySelector(".notice.good")`)
	require.Equal(t, "DR1", browsertest.Eval[string](tab,
		`document.querySelector('form[action$="/shipment"] [name="trackingNumber"]').value`))
	tab.Click(`form[action$="/shipment"] button`)
	tab.Wait(`!document.querySelector('form[action$="/shipment"]').ariaBusy`)
	tab.Reload()
	require.Equal(t, "DR1", browsertest.Eval[string](tab,
		`document.querySelector('form[action$="/shipment"] [name="trackingNumber"]').value`))
}

// TestAMerchantIsToldTheFirstSteps: each leads to where it is done, and is ticked off then.
func TestAMerchantIsToldTheFirstSteps(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "sk_SK", "EUR")
	s.signsIn(tab, "sk")
	tab.Go(s.admin() + "/admin")
	const open = `[...document.querySelectorAll('[data-step][data-state="open"]')].map((e) => e.dataset.step).join()`
	require.Equal(t, "logo,texts,payment,product", browsertest.Eval[string](tab, open))
	for _, width := range []int{1280, 360} {
		tab.Width(width)
		seen(t, tab, "admin-new-shop-sk", width, false)
	}
	tab.Width(1280)
	tab.Follow(`[data-step="texts"] a`)
	require.Equal(t, "contact", browsertest.Eval[string](tab, `document.querySelector(":target").id`))
	fill(tab, map[string]string{"contact": "Dlhá 1, Žilina", "terms": "## Reklamácie"})
	tab.Follow("main form>p>.button")
	tab.Go(s.admin() + "/admin")
	require.Equal(t, "logo,payment,product", browsertest.Eval[string](tab, open))
}

// choose chooses an option of a field, by its value.
func choose(tab *browsertest.Tab, field, value string) {
	tab.Run(fmt.Sprintf("document.querySelector(%q).value = %q", field, value))
}

// TestAMerchantChangesFiftyPrices counts the clicks: by a preview of so many percent, and by the page alone where there
// are no scripts.
func TestAMerchantChangesFiftyPrices(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		tab := shopper(t)
		s := newShop(t, "cs_CZ", "CZK")
		books := s.post("/api-engine/categories", fields{"name": "Knihy"})["id"].(string)
		for i := range 50 {
			s.sells(fields{"code": fmt.Sprint("K-", i), "name": fmt.Sprint("Kniha č. ", i), "categoryIds": []any{books},
				"priceLevels": price(fmt.Sprintf("%d.90", 100+i))})
		}
		if !scripts {
			tab.WithoutScripts()
		}
		s.signsIn(tab, "cs")
		tab.Width(1280)
		clicks := 0
		follow := func(selector string) { tab.Follow(selector); clicks++ }
		follow(`.menu a[href="/admin/prices"]`)
		choose(tab, "#filter-categoryId", books)
		tab.Fill("#percent", "-10")
		choose(tab, "#rounding", "9")
		clicks += 2 * 2 // a choice is two
		follow(`.change button`)
		require.Equal(t, "50", tab.Text("[data-changes]"))
		if scripts {
			for _, width := range []int{1280, 360} {
				tab.Width(width)
				seen(t, tab, "admin-prices-preview-cs", width, false)
			}
			tab.Width(1280)
		}
		tab.Fill(`tbody tr:first-child input:not([type=hidden])`, "555") // a preview can be corrected
		follow(`.save button`)
		require.Contains(t, tab.Text(".notice.good"), "48\u00a0dalších")
		require.Equal(t, 7, clicks)
		prices := map[string]int{}
		for _, p := range s.get("/api-engine/products?itemsPerPage=250")["items"].([]any) {
			at := p.(fields)["priceLevels"].([]any)[0].(fields)["price"].(string)
			if strings.HasSuffix(at, "9.00") {
				at = "9.00"
			}
			prices[at]++
		}
		require.Equal(t, map[string]int{"555.00": 1, "9.00": 51}, prices, "the tea and the mug are 119 and 249")
	}
}

// TestAMerchantHidesAndSortsProducts: what is selected in the list is hidden, and put into a category, without another
// page; the list shows what is asked for.
func TestAMerchantHidesAndSortsProducts(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	sale := s.post("/api-engine/categories", fields{"name": "Výprodej"})["id"].(string)
	s.signsIn(tab, "cs")
	tab.Go(s.admin() + "/admin/products")
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector("#filter-externalId").checkVisibility()`))
	tab.Click("[data-all] input")
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector("#categoryId").checkVisibility()`))
	choose(tab, "#do", "join")
	choose(tab, "#categoryId", sale)
	tab.Run(`window.stays = true`)
	for _, width := range []int{1280, 360} {
		tab.Width(width)
		seen(t, tab, "admin-products-selected-cs", width, false)
	}
	tab.Width(1280)
	tab.Click(".bulk .actions button")
	tab.Wait(`document.querySelector(".notice.good")?.textContent === "Upravené produkty: 2"`)
	require.Contains(t, s.get("/api-engine/products/" + s.teaID)["categoryIds"], sale)
	tab.Click(`[value="` + s.mugID + `"]`)
	choose(tab, "#do", "hide")
	tab.Click(".bulk .actions button")
	tab.Wait(`document.querySelector('tr[data-id="` + s.mugID + `"]').dataset.state === "inactive"`)
	require.True(t, browsertest.Eval[bool](tab, `Boolean(window.stays)`), "it is the same page still")
	choose(tab, "#filter-active", "true")
	choose(tab, "#filter-sort", "-price")
	tab.Follow(".filters button")
	require.Equal(t, []string{s.teaID}, browsertest.Eval[[]string](tab,
		`[...document.querySelectorAll("tbody tr")].map((e) => e.dataset.id)`))
}
