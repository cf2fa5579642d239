package storefront

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/codes"
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/operator"
	"eshop/functions/orders"
	"eshop/functions/products"
	"eshop/functions/quotes"
	"eshop/functions/urls"
	"eshop/shared/base/permission"
	"eshop/shared/frontend"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/page"
)

type object = hosttest.Object

// The hosts of the shops of these tests: a Czech one, and a Slovak one that sells in euros.
const (
	tea  = "tea.example"
	toys = "toys.example"
)

// nbsp is between a number and its unit.
const nbsp = page.NBSP

// The languages of shops.
var czech, slovak = languageOf("cs_CZ"), languageOf("sk_SK")

// noID is an id of nothing, password one that is long enough.
const (
	noID     = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"
	password = "hunter2 hunter2"
)

// world is two shops, the storefront of both, and what an add-on of each may call.
type world struct {
	*hosttest.World
	shops, tokens, accesses map[string]string // by host
}

func open(t testing.TB, also ...func(*host.Parts)) *world {
	w := &world{shops: map[string]string{}, tokens: map[string]string{}, accesses: map[string]string{}}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function, codes.Function,
		coupons.Function, customers.Function,
		operator.Function, orders.Function, products.Function, quotes.Function, urls.Function},
		Platform: func(p *host.Parts) {
			p.Traits, p.Names = host.OneProcess, hosttest.Names{"hooks.example": "1.1.1.1"}
			for _, change := range also {
				change(p)
			}
		}})
	of := w.operator("POST", "/operator/packages",
		object{"code": "goods", "name": "Goods", "instructions": "#", "permissions": permission.All,
			"systemUrl": "https://hooks.example"}).ID()
	w.opened(of, tea, "cs_CZ", "CZK")
	w.opened(of, toys, "sk_SK", "EUR")
	return w
}

// onBoth runs a test on the host of one process and on that of AWS.
func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("one process", func(t *testing.T) { test(t, open(t)) })
	t.Run("AWS", func(t *testing.T) { test(t, open(t, far)) })
}

func (w *world) operator(method, path string, body any) hosttest.Answer {
	w.T.Helper()
	a := w.As(hosttest.OperatorToken, method, path, body)
	require.Less(w.T, a.Status, 300, a.Text)
	return a
}

// opened is a shop with an add-on that may do everything.
func (w *world) opened(pkg, domain, locale, currency string) {
	w.T.Helper()
	shop := w.operator("POST", "/operator/shops",
		object{"name": "Shop <" + domain + ">", "domain": domain, "locale": locale,
			"currency": currency, "owner": object{"email": "owner@" + domain}}).ID()
	access := w.operator("POST", "/operator/shops/"+shop+"/accesses",
		object{"packageId": pkg, "permissions": permission.All,
			"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000, "active": true})
	w.shops[domain], w.accesses[domain], w.tokens[domain] = shop, access.ID(), access.Get("token")
}

// unlimited lets strangers make as much as they like in a shop.
func (w *world) unlimited(shop string) {
	w.T.Helper()
	w.operator("PATCH", "/operator/shops/"+w.shops[shop], object{"visitorLimits": object{"basketsPerMinute": 0,
		"checkoutsPerMinute": 0, "checkoutsPerBasket": 0}})
}

// addon is the answer to a request of the add-on of a shop, which is done.
func (w *world) addon(shop, method, path string, body any) hosttest.Answer {
	w.T.Helper()
	a := w.As(w.tokens[shop], method, path, body)
	require.Less(w.T, a.Status, 300, a.Text)
	return a
}

func levels(price string) []any { return []any{object{"level": "default", "price": price}} }

// product is the id of a product of the Czech shop, of which there are 1,000; what more says overrides.
func (w *world) product(code, price string, more object) string {
	w.T.Helper()
	return w.productOf(tea, code, price, more)
}

func (w *world) productOf(shop, code, price string, more object) string {
	w.T.Helper()
	body := object{"code": code, "name": "Product " + code, "vatRate": "21.00", "stock": object{"quantity": 1000},
		"priceLevels": levels(price)}
	for name, v := range more {
		body[name] = v
	}
	return w.addon(shop, "POST", "/api-engine/products", body).ID()
}

// change changes a product of the Czech shop.
func (w *world) change(product string, body object) {
	w.T.Helper()
	w.addon(tea, "PATCH", "/api-engine/products/"+product, body)
}

// quote is the token of a price quote of the Czech shop.
func (w *world) quote(product, price string, more object) string {
	w.T.Helper()
	body := object{"productId": product, "unitPrice": price}
	for name, v := range more {
		body[name] = v
	}
	return w.addon(tea, "POST", "/basket-price-quotes", body).Get("quoteToken")
}

// browser is a shopper's, at one host.
type browser struct {
	*hosttest.Browser
	w *world
}

// visitor is somebody new in the Czech shop.
func (w *world) visitor() *browser { return w.visitorOf(tea) }

func (w *world) visitorOf(host string) *browser { return &browser{w.Visitor(host), w} }

// add puts something into the basket and answers that.
func (b *browser) add(product string, quantity int, more ...object) hosttest.Answer {
	b.w.T.Helper()
	body := object{"productId": product, "quantity": quantity}
	for _, m := range more {
		for name, v := range m {
			body[name] = v
		}
	}
	return b.JSON("POST", "/basket/items", body).Is(201)
}

// registered is the browser of a new customer of the shop.
func (b *browser) registered(email string, more object) hosttest.Answer {
	b.w.T.Helper()
	body := object{"email": email, "password": password, "firstName": "Jana", "lastName": "Nováková"}
	for name, v := range more {
		body[name] = v
	}
	return b.JSON("POST", "/account/register", body).Is(201)
}

// buyer is a sound body of a checkout.
func buyer() object {
	return object{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková", "phone": "+420 601 123 456",
		"billingAddress": object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}}
}

// buyerForm is the same as a form has it.
func buyerForm() []string {
	return []string{"email", "jana@example.cz", "firstName", "Jana", "lastName", "Nováková",
		"phone", "+420 601 123 456",
		"billingAddress.street", "Dlouhá 12", "billingAddress.city", "Brno", "billingAddress.zip", "602 00",
		"billingAddress.country", "CZ",
		"billingAddress.company", "", "deliveryAddress.street", "", "deliveryAddress.city", "", "note", ""}
}

// checkout orders what is in the basket.
func (b *browser) checkout() hosttest.Answer {
	b.w.T.Helper()
	return b.JSON("POST", "/checkout", buyer()).Is(201)
}

// confirmation is the path of an order's page.
func (b *browser) confirmation(ordered hosttest.Answer) string {
	b.w.T.Helper()
	return strings.TrimPrefix(ordered.Get("confirmationUrl"), "https://"+b.Host)
}

var stateElement = regexp.MustCompile(`(?s)<script type="application/json" id="eshop-state">(.*?)</script>`)

// state is what a page tells scripts.
func (w *world) state(page hosttest.Answer) frontend.PageState {
	w.T.Helper()
	found := stateElement.FindAllStringSubmatch(page.Text, -1)
	require.Len(w.T, found, 1, page.Text)
	var s frontend.PageState
	require.NoError(w.T, json.Unmarshal([]byte(found[0][1]), &s))
	return s
}

// shown wants a page of a status, for a person.
func (w *world) shown(a hosttest.Answer, status int) hosttest.Answer {
	w.T.Helper()
	return a.Shown(status)
}

// leads wants an answer that leads to an address.
func (w *world) leads(a hosttest.Answer, status int, location string) {
	w.T.Helper()
	a.Leads(status, location)
}
