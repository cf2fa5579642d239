package browser

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/admin"
	"eshop/infra/local"
	"eshop/shared/api"
	"eshop/shared/frontend/browsertest"
	"eshop/shared/host"
)

// adminPassword is that of people whom tests make.
const adminPassword = "dost dlouhé heslo"

// button sends the first form of the page's content.
const button = "main form button"

// admin is the address of the shop's admin.
func (s *shop) admin() string { return strings.Replace(s.url, "localhost", "admin.localhost", 1) }

// signsIn makes a person of the shop and signs them in, in a language.
func (s *shop) signsIn(tab *browsertest.Tab, lang string) {
	s.t.Helper()
	triesAnew()
	made := operator(s.t).post("/operator/shops/"+s.id+"/admins",
		fields{"email": fmt.Sprintf("ada-%d@example.com", shops.Add(1)), "name": "Ada Nováková"})
	tab.Go(made["setPasswordUrl"].(string) + "&lang=" + lang)
	tab.Fill("#password", adminPassword)
	tab.Follow(button)
	tab.Fill("#email", made["email"].(string))
	tab.Fill("#password", adminPassword)
	tab.Follow(button)
	require.Equal(s.t, s.admin()+"/admin", tab.URL())
}

// idInPath is an id in an address, or the place for one in that of an operation.
var idInPath = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}|{[a-zA-Z]+}`)

// kindOf is what an address of the admin shows, whatever it shows it of: its path with "id" for ids.
func kindOf(path string) string {
	return strings.Trim(strings.ReplaceAll(idInPath.ReplaceAllString(strings.TrimPrefix(path, "/admin"), "id"),
		"/", "-"), "-")
}

// kindsOfPages are what all pages of the admin show that lie behind the sign-in.
func kindsOfPages() (kinds []string) {
	a := api.New(api.Config{})
	admin.Function.HTTP(&host.Platform{}, a)
	for _, pattern := range a.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		kind := kindOf(path)
		behind := !slices.Contains([]string{"sign-in", "set-password"}, kind) && !strings.HasPrefix(kind, "static")
		if method == "GET" && behind {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// crawl looks at one page of each kind to which links of the admin lead.
func (s *shop) crawl(tab *browsertest.Tab, look func(kind string)) (kinds []string) {
	s.t.Helper()
	waiting := []string{"/admin", "/admin/nowhere", "/admin/search?q=a"} // there a form leads
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		plain, _, _ := strings.Cut(path, "?")
		kind := kindOf(plain)
		if slices.Contains(kinds, kind) {
			continue
		}
		kinds = append(kinds, kind)
		tab.Go(s.admin() + path)
		look(kind)
		waiting = append(waiting, browsertest.Eval[[]string](tab, `[...document.querySelectorAll("main a:not([download]), .menu a")].filter((a) =>
			a.host === location.host && a.pathname.startsWith("/admin") && !a.search && !a.hash).map((a) => a.pathname)`)...)
	}
	return kinds
}

// beginsOrder fills the form of a new order with a line, and has searched for more and for a customer.
func (s *shop) beginsOrder(tab *browsertest.Tab) {
	s.t.Helper()
	tab.Go(s.admin() + "/admin/orders/new")
	for _, search := range []string{"_goods", "_goods", "_customer"} {
		tab.Fill(`[name="`+search+`"]`, map[string]string{"_goods": "s", "_customer": "a"}[search])
		tab.Press("\r")
		if search == "_goods" {
			tab.Wait(`document.querySelector('[name="_add"]')`)
			tab.Click(`[name="_add"]`)
			tab.Wait(`document.querySelector('[name="_remove"]') && !document.querySelector('[name="_add"]')`)
		}
	}
	tab.Wait(`document.querySelector('[name="_pick"]')`)
	tab.Fill(`[name="_goods"]`, "s")
	tab.Press("\r")
	tab.Wait(`document.querySelector('[name="_add"]')`)
}

// hidden are what is done in tables, and totals of orders, that lie behind the edge of their table.
const hidden = `[...document.querySelectorAll(".table button, .table summary, .lines td")].filter((e) => e.checkVisibility() &&
	e.getBoundingClientRect().right > e.closest(".table").getBoundingClientRect().right + 1).map((e) => e.outerHTML.slice(0, 90))`

// TestAdminPagesFitAPhone looks at a page of each kind to which the admin leads, in two languages: none is wider than a
// window of 360 pixels, and axe-core finds nothing wrong with any. Where pictures are wanted it makes them, of a
// phone's window and a desk's.
func TestAdminPagesFitAPhone(t *testing.T) {
	tab := shopper(t)
	s := demoShop(t)
	s.signsIn(tab, "cs")
	s.eventful(tab)
	for _, lang := range []string{"cs", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			tab := shopper(t)
			s := demoShop(t)
			s.signsIn(tab, lang)
			look := func(kind string) {
				t.Helper()
				require.Equal(t, lang, browsertest.Eval[string](tab, `document.documentElement.lang`), kind)
				for _, width := range []int{1280, 360} {
					tab.Width(width)
					require.True(t, browsertest.Eval[bool](tab, fmt.Sprintf(`[...document.querySelectorAll(".menu a, .filters:not([open]) form>.fields>.field label")]
						.every((e) => e.checkVisibility() === %t)`, width == 1280)), kind)
					require.LessOrEqual(t,
						browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), width, kind)
					require.Empty(t, browsertest.Eval[[]string](tab, hidden), kind)
					seen(t, tab, "admin-"+kind+"-"+lang, width, lang == "en")
				}
			}
			kinds := s.crawl(tab, look)
			s.uploads(tab, "A;B\nx;y\n") // no link leads to a file whose columns are asked
			look("imports-columns-id")
			require.Subset(t, append(kinds, "imports-columns-id"), kindsOfPages())
			s.beginsOrder(tab)
			look("orders-new-begun")
			tab.Click(`.who summary`)
			tab.Follow(`.who form:last-of-type button`)
			look("sign-in")
			tab.Fill("#email", "ada@example.com")
			tab.Fill("#password", "x")
			tab.Follow(button)
			look("sign-in-faults")
		})
	}
}

// TestEnvironmentsAreMarkedButProduction: on the screen of signing in and in the header of each page.
func TestEnvironmentsAreMarkedButProduction(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	const mark = `[...document.querySelectorAll("[data-environment]")].filter((e) => e.checkVisibility()).map((e) => e.dataset.environment + " " + e.textContent)`
	tab.Go(s.admin() + "/admin/sign-in")
	require.Equal(t, []string{"development development"}, browsertest.Eval[[]string](tab, mark))
	s.signsIn(tab, "cs")
	s.crawl(tab, func(kind string) {
		require.Equal(t, []string{"development development"}, browsertest.Eval[[]string](tab, mark), kind)
	})

	at, person := production(t)
	tab.Go(person["setPasswordUrl"].(string))
	require.Empty(t, browsertest.Eval[[]string](tab, mark))
	tab.Fill("#password", adminPassword)
	tab.Follow(button)
	require.Empty(t, browsertest.Eval[[]string](tab, mark))
	tab.Fill("#email", "ada@example.com")
	tab.Fill("#password", adminPassword)
	tab.Follow(button)
	require.Equal(t, at+"/admin", tab.URL())
	require.Empty(t, browsertest.Eval[[]string](tab, mark))
}

// production is a platform of the production environment with one shop: its address, and the shop's one person.
func production(t *testing.T) (at string, person fields) {
	t.Helper()
	const token = "a-token-of-the-operator-that-nobody-guesses-7b1d"
	p, err := local.Start(t.Context(), local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "production",
		OperatorToken: token, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	post := func(path, body string) fields {
		r, err := http.NewRequest("POST", p.BaseURL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.Equal(t, 201, got.StatusCode, "%s", text)
		return decoded(t, text)
	}
	shop := post("/operator/shops", `{"name":"Shop","domain":"shop.example.com","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@example.com"}}`)
	person = post("/operator/shops/"+shop["id"].(string)+"/admins", `{"email":"ada@example.com","name":"Ada"}`)
	address, err := url.Parse(person["setPasswordUrl"].(string))
	require.NoError(t, err)
	return "http://" + address.Host, person
}
