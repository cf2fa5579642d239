package browser

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
)

// look is what happens on the way through all pages each time one is there to be looked at.
type look func(page string)

// TestPagesFitAPhone walks through every kind of page, in both languages: none is wider than a window of 360 pixels,
// and axe-core finds nothing wrong with any. Where pictures are wanted it makes them, of a phone's window and a desk's.
func TestPagesFitAPhone(t *testing.T) {
	for _, language := range []string{"cs", "sk"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			tab := shopper(t)
			s := demoShop(t)
			if language == "sk" {
				s = slovakShop(t)
			}
			s.walk(tab, func(page string) {
				t.Helper()
				for _, width := range []int{1280, 360} {
					tab.Width(width)
					require.LessOrEqual(t,
						browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), width, page)
					if width > 1000 {
						require.True(t, browsertest.Eval[bool](tab, `[...document.querySelectorAll(".menu ul")]
							.every((e) => e.scrollWidth <= e.clientWidth)`), "%s: a mouse does not come to all of the menu", page)
					}
					require.Empty(t, browsertest.Eval[[]string](tab, `[...document.querySelectorAll("form, form div, section")]
						.filter((e) => e.clientWidth && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80))`), "%s: it juts out", page)
					seen(t, tab, page+"-"+language, width, language == "sk")
				}
			})
		})
	}
}

// walk is the way through all kinds of pages.
func (s *shop) walk(tab *browsertest.Tab, look look) {
	t := s.t
	triesAnew()
	at := func(page, path string) {
		t.Helper()
		tab.Go(s.url + path)
		look(page)
	}
	at("home-first", "/")
	tab.Click(`[data-consent="denied"]`)
	at("home", "/")
	tab.Follow(`.menu>ul>li:last-child>a`)
	look("category")
	at("categories", "/categories")
	at("search", "/search?q=a")
	at("search-none", "/search?q=none")
	at("product", s.tea)
	at("product-variants", s.mug)
	tab.Run(`const f = document.querySelector('` + toBasket + `').form;
		f.querySelector(":checked").checked = false; f.submit()`)
	tab.Wait(`document.querySelector("[aria-invalid]") && document.readyState === "complete"`)
	look("product-faults")
	at("basket-empty", "/basket")
	at("404", "/none")
	at("sign-in", "/account/sign-in")
	fill(tab, map[string]string{"email": "jana@example.com", "password": "to není ono"})
	tab.Follow(send)
	look("sign-in-faults")
	at("register", "/account/register")
	fill(tab, map[string]string{"email": s.id + "@example.com", "password": "krátké", "firstName": "Jana",
		"lastName": "Nováková"})
	tab.Follow(send)
	look("register-faults")
	fill(tab, map[string]string{"password": "dost dlouhé heslo"})
	tab.Follow(send)
	look("account")
	tab.Follow(send)
	look("account-saved")
	tab.Go(s.url + s.tea)
	tab.Click(toBasket)
	tab.Wait(count + " === 1")
	look("product-added")
	s.puts(tab, s.dearest())
	look("product-dearest")
	tab.Go(s.url + s.mug)
	tab.Run(`document.querySelector('` + toBasket + `').form.submit()`)
	tab.Wait(`location.pathname === "/basket" && document.readyState === "complete"`)
	s.wrap(tab, look)
	at("basket", "/basket")
	tab.Fill("#code", "NENI")
	tab.Follow(".coupon button")
	look("basket-no-coupon")
	tab.Fill("#code", "VITEJTE10")
	tab.Click(".coupon button")
	tab.Wait(`document.querySelector(".coupon b")`)
	look("basket-coupon")
	at("checkout", "/checkout")
	fill(tab, jana)
	fill(tab, map[string]string{"email": "jana@doma", "billingAddress.city": " "})
	tab.Follow(toOrder)
	look("checkout-faults")
	fill(tab, jana)
	tab.Follow(toOrder)
	require.Contains(t, tab.URL(), "/order/")
	look("order")
	at("orders", "/account/orders")
	tab.Follow(`.orders a`)
	look("order-own")
	at("set-password", "/account/set-password?token="+s.link())
}

// demoShop is the seeded shop. It has the coupon VITEJTE10.
func demoShop(t *testing.T) *shop {
	t.Helper()
	started(t)
	s := &shop{client: client{t, platform.Run.Demo.Token}, id: platform.Run.Demo.ShopID,
		url: platform.Run.Demo.StorefrontURL}
	path := func(code string) string {
		address, err := url.Parse(s.get("/api-engine/products?code=" +
			code)["items"].([]any)[0].(fields)["url"].(string))
		require.NoError(t, err)
		return address.Path
	}
	s.tea, s.mug, s.gift = path("CAJ-009"), path("POR-001"), path("SMES-001")
	return s
}

// dearest is the path of a product that costs nearly as much as a basket may.
func (s *shop) dearest() string {
	path, _ := s.sells(fields{"code": "ZLATO-1", "name": "Zlatá konvice", "stock": fields{"quantity": 9},
		"priceLevels": price("999999990000.50")})
	return path
}

// slovakShop is a small shop as a Slovak one would have it.
func slovakShop(t *testing.T) *shop {
	t.Helper()
	s := newShop(t, "sk_SK", "EUR")
	s.post("/api-engine/discount-coupons", fields{"code": "VITEJTE10", "type": "percentage", "value": "10.00"})
	for _, name := range []string{
		"Chlieb a pečivo", "Torty na objednávku", "Sezónne koláče a zákusky", "Bezlepkové výrobky",
		"Káva a nápoje k raňajkám", "Darčekové poukážky"} {
		s.post("/api-engine/categories", fields{"name": name})
	}
	home := s.post("/api-engine/categories", fields{"name": "Domáca pekáreň a cukráreň"})["id"]
	for i, name := range []string{"Ovsené sušienky s brusnicami", "Medovníky", "Kváskový chlieb 1 kg",
		"Najdlhšípomenovanýbezmedzerovýzákusokvšetkýchčias so šľahačkou", "Vianočka"} {
		s.sells(fields{"code": fmt.Sprintf("PEK-%d", i), "name": name, "categoryIds": []any{home}, "vatRate": "10.00",
			"stock": fields{"quantity": 7 * (i % 4)}, "priceLevels": price(fmt.Sprintf("%d.90", 3*i*i*i*i*i+2))})
	}
	return s
}

// wrap puts a gift of the configurator's into the basket, where the shop has it.
func (s *shop) wrap(tab *browsertest.Tab, look look) {
	if s.gift == "" {
		return
	}
	tab.Go(s.url + s.gift)
	tab.Click(".gift summary")
	tab.Fill(".gift input", "Pro babičku")
	look("product-configurator")
	tab.Follow(".gift button")
}

// link is the token of a link by which a customer of the shop sets a password.
func (s *shop) link() string {
	s.t.Helper()
	id := s.get("/api-engine/customers?email=" + s.id + "@example.com")["items"].([]any)[0].(fields)["id"].(string)
	u := platform.Platform.Unit()
	u.Shop, u.Request = s.id, platform.Platform.NewID()
	token, err := customer.NewAccounts(signin.Tries{Key: platform.Platform.Key}).MakeLink(context.Background(), u,
		id)
	require.NoError(s.t, err)
	return token
}
