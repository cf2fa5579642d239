package admin

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/codes"
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/deliveries"
	"eshop/functions/exports"
	"eshop/functions/imports"
	"eshop/functions/operator"
	"eshop/functions/orders"
	"eshop/functions/products"
	"eshop/functions/quotes"
	"eshop/functions/shop"
	"eshop/functions/storefront"
	"eshop/functions/tokens"
	"eshop/functions/urls"
	"eshop/functions/webhooks"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/staff"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

type object = hosttest.Object

// The hosts of the shops of these tests: a Czech one, and a Slovak one that sells in euros.
const (
	tea  = "tea.example"
	toys = "toys.example"
)

// noID is an id of nothing, password one that is long enough.
const (
	noID     = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"
	password = "hunter2 hunter2"
	tries    = time.Minute
)

// world is two shops, the admin of both, and what an add-on of each may call.
type world struct {
	*hosttest.World
	shops, tokens, accesses, admins map[string]string // by host
	pkg                             string
}

func open(t testing.TB, also ...func(*host.Parts)) *world {
	w := &world{shops: map[string]string{}, tokens: map[string]string{}, accesses: map[string]string{},
		admins: map[string]string{}}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function, codes.Function,
		coupons.Function, customers.Function,
		deliveries.Function, exports.Function, imports.Function, operator.Function, orders.Function, products.Function,
		quotes.Function, shop.Function,
		storefront.Function, tokens.Function, urls.Function, webhooks.Function},
		Platform: func(p *host.Parts) {
			p.Traits, p.Names, p.Environment = host.OneProcess, hosttest.Names{"hooks.example": "1.1.1.1"}, "staging"
			for _, change := range also {
				change(p)
			}
		}})
	w.pkg = w.operator("POST", "/operator/packages",
		object{"code": "goods", "name": "Goods", "instructions": "# Hello\n\nDo **this**.",
			"permissions": permission.All, "systemUrl": "https://hooks.example"}).ID()
	w.opened(tea, "cs_CZ", "CZK")
	w.opened(toys, "sk_SK", "EUR")
	return w
}

// onBoth runs a test on the host of one process and on that of AWS.
func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("one process", func(t *testing.T) { test(t, open(t)) })
	t.Run("AWS", func(t *testing.T) { test(t, open(t, far)) })
}

// far makes the host that of AWS.
func far(p *host.Parts) { p.Traits = hosttest.Traits(false) }

func (w *world) operator(method, path string, body any) hosttest.Answer {
	w.T.Helper()
	a := w.As(hosttest.OperatorToken, method, path, body)
	require.Less(w.T, a.Status, 300, a.Text)
	return a
}

// opened is a shop with an add-on that may do everything, and with one person, ada@<domain>.
func (w *world) opened(domain, locale, currency string) {
	w.T.Helper()
	shop := w.operator("POST", "/operator/shops",
		object{"name": "Shop <" + domain + ">", "domain": domain, "locale": locale,
			"currency": currency, "owner": object{"email": "owner@" + domain}}).ID()
	access := w.operator("POST", "/operator/shops/"+shop+"/accesses",
		object{"packageId": w.pkg, "permissions": permission.All,
			"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000, "active": true})
	w.shops[domain], w.accesses[domain], w.tokens[domain] = shop, access.ID(), access.Get("token")
	w.admins[domain] = w.person(domain, "ada@"+domain, "Ada <of "+domain+">")
	w.answers(domain)
}

// answers has the add-on of a shop answer its activation.
func (w *world) answers(domain string) {
	w.T.Helper()
	u := w.P.Unit()
	u.Shop = w.shops[domain]
	require.NoError(w.T, addon.Answered(w.T.Context(), u, w.P.Callable(),
		addon.InstallCode{Access: w.accesses[domain], Activation: w.P.NewID()}, nil))
}

// refused is the delivery of the last activation of a shop's add-on, which was exhausted.
func (w *world) refused(domain string) webhook.Row {
	w.T.Helper()
	a, err := addon.Accesses.Read(w.T.Context(), w.Main, w.shops[domain], w.accesses[domain])
	require.NoError(w.T, err)
	require.NotZero(w.T, a.Unanswered)
	c := events.Change{Request: w.P.NewID(), Shop: a.Shop, At: int64(a.Unanswered) + 1}
	row, _ := webhook.NewRow(c, events.Sample(events.PackageActivate), webhook.Addressee{Access: w.pkg, Package: w.pkg,
		Receiver: w.pkg, About: a.ID, State: webhook.Exhausted}, w.Clock.Now())
	w.Put(w.P.Pipeline, row)
	return webhook.RowOf(&row)
}

// merchant is somebody new at the address of a shop's admin.
func (w *world) merchant(domain string) *hosttest.Browser { return w.Visitor(w.AdminOf(domain)) }

// person is the id of a new person of a shop, who has the password.
func (w *world) person(domain, email, name string) string {
	w.T.Helper()
	u := w.P.Unit()
	u.Shop = w.shops[domain]
	made, link, err := staff.Make(w.T.Context(), u, staff.Fields{Email: field.Email(email), Name: field.Name(name)})
	require.NoError(w.T, err)
	w.merchant(domain).Form(setPasswordPath+"?token="+link, "password", password).Leads(303, signInPath)
	w.Clock.Pass(tries)
	return made.ID
}

// addon is the answer to a request of the add-on of a shop, which is done.
func (w *world) addon(shop, method, path string, body any) hosttest.Answer {
	w.T.Helper()
	a := w.As(w.tokens[shop], method, path, body)
	require.Less(w.T, a.Status, 300, a.Text)
	return a
}

// ada is the browser of the one person of a shop, signed in.
func (w *world) ada(domain string) *hosttest.Browser {
	w.T.Helper()
	b := w.merchant(domain)
	b.Form(signInPath, "email", "ada@"+domain, "password", password).Leads(303, "/admin")
	w.Clock.Pass(tries)
	return b
}

// does sends a form that is done, and is the page that it leads to.
func does(b *hosttest.Browser, path string, fields ...string) hosttest.Answer {
	b.W.T.Helper()
	to, _, _ := strings.Cut(b.Form(path, fields...).Is(303).Header.Get("Location"), "#")
	return b.Page(to).Shown(200)
}

var secretElement = regexp.MustCompile(`<code data-secret="(token|key|link)">([^<]*)</code>`)

// secretOf is what a page shows once.
func secretOf(a hosttest.Answer, what string) string {
	a.T.Helper()
	found := secretElement.FindStringSubmatch(a.Text)
	require.NotNil(a.T, found, a.Text)
	require.Equal(a.T, what, found[1])
	return found[2]
}

var rowElement = regexp.MustCompile(`<tr data-id="([^"]*)"`)

// rowsOf are the ids of a list's rows.
func rowsOf(a hosttest.Answer) (ids []string) {
	for _, m := range rowElement.FindAllStringSubmatch(a.Text, -1) {
		ids = append(ids, m[1])
	}
	return ids
}
