package storefront

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend"
)

// TestARefusedCheckoutMarksItsLine has two lines, of which one can be sold no more.
func TestARefusedCheckoutMarksItsLine(t *testing.T) {
	w := open(t)
	gone, short := w.product("GONE", "5.00", nil), w.product("SHORT", "7.00", object{"stock": object{"quantity": 2}})
	b := w.visitor()
	b.add(gone, 1).Is(201)
	b.add(short, 3).Is(201)
	line := func(page string, n int) string {
		return regexp.MustCompile(`(?s)<li.*?</li>`).FindAllString(page[strings.Index(page, `id="side-title"`):], -1)[n]
	}
	page := w.shown(b.Form("/checkout", buyerForm()...), 409).Text
	require.NotContains(t, line(page, 0), `class="fault"`)
	require.Contains(t, line(page, 1), "2\u00a0kusy")
	w.change(gone, object{"active": false})
	page = w.shown(b.Form("/checkout", buyerForm()...), 422).Text
	require.Contains(t, line(page, 0), "To se teď neprodává")
	require.NotContains(t, line(page, 1), `class="fault"`)
}

// TestABasketSaysWhichLineCannotBeOrdered, before somebody has filled in the form of a checkout.
func TestABasketSaysWhichLineCannotBeOrdered(t *testing.T) {
	w := open(t)
	gone, few := w.product("GONE", "5.00", nil), w.product("FEW", "7.00", object{"stock": object{"quantity": 2}})
	shirt := w.product("SHIRT", "9.00", object{"variants": []any{object{"code": "S", "stock": object{"quantity": 9}}}})
	variant := w.As(w.tokens[tea], "GET", "/api-engine/products/"+shirt, nil).Get("variants.0.id")
	b := w.visitor()
	b.add(gone, 1)
	b.add(few, 2)
	b.add(shirt, 1, object{"variantId": variant})
	faults := func(path string) (all []string) {
		for _, m := range regexp.MustCompile(`class="fault"[^>]*>([^<]+)<`).
			FindAllStringSubmatch(w.shown(b.Page(path), 200).Text, -1) {
			all = append(all, m[1])
		}
		return all
	}
	require.Empty(t, faults("/basket"))
	shape := names(b.JSON("GET", "/basket", nil).At("items.0").(object))
	b.add(few, 1, object{"quoteToken": w.quote(few, "6.00", nil)})
	w.addon(tea, "DELETE", "/api-engine/products/"+gone, nil)
	w.addon(tea, "PATCH", "/api-engine/products/"+shirt+"/variants/"+variant, object{"active": false})
	want := []string{"To už v nabídce není", "To se teď neprodává",
		"Tolik kusů už bohužel nemáme. Skladem zbývá: 2\u00a0kusy."}
	require.Equal(t, want, faults("/basket"))
	require.Equal(t, want, faults("/checkout"))
	require.NotContains(t, b.Page("/basket").Text, `href="/checkout"`, "nothing leads to what would be refused")
	require.NotContains(t, b.Page("/checkout").Text, "Objednat s povinností platby")
	require.ElementsMatch(t, shape, names(b.JSON("GET", "/basket", nil).At("items.0").(object)),
		"JSON says it at the checkout")
	page := w.shown(b.Form("/checkout", append(buyerForm(), "email", "jana@")...), 422)
	require.Contains(t, page.Text, want[2], "of a form that is wrong elsewhere, too")
}

func TestAPasswordThatIsTooShortIsSaidToBe(t *testing.T) {
	w := open(t)
	page := w.shown(w.visitor().Form("/account/register", "email", "a@b.cz", "password", "short", "firstName",
		"A", "lastName", "B"), 422)
	require.Contains(t, page.Text, "Zadejte 10 až 200 znaků")
}

func TestALinkThatIsOverSaysSo(t *testing.T) {
	w := open(t)
	page := w.shown(w.visitor().Page("/account/set-password?token=none"), 404)
	require.Contains(t, page.Text, "Odkaz už neplatí")
	require.NotContains(t, page.Text, `type="password"`)
	require.Equal(t, frontend.Other, w.state(page).Page.Type, "as any 404")
}

// TestAProductOfWhichNothingIsSoldHasItsOwnPrice, and not that of something for nothing.
func TestAProductOfWhichNothingIsSoldHasItsOwnPrice(t *testing.T) {
	w := open(t)
	w.product("SHIRT", "100.00", object{"variants": []any{object{"code": "A", "active": false,
		"priceLevels": levels("7.00")}}})
	page := w.shown(w.visitor().Page("/product-shirt"), 200)
	require.Equal(t, "100.00", w.state(page).Page.Product.Price)
}

// TestALineThatIsGoneIsNotTheWholeBasket: another tab took it out.
func TestALineThatIsGoneIsNotTheWholeBasket(t *testing.T) {
	w := open(t)
	b := w.visitor()
	line := b.add(w.product("A", "5.00", nil), 1).Get("items.0.id")
	b.add(w.product("B", "7.00", nil), 1)
	b.JSON("DELETE", "/basket/items/"+line, nil).Is(200)
	for _, form := range [][]string{{"_method", "DELETE"}, {"_method", "PATCH", "quantity", "2"}} {
		page := w.shown(b.Form("/basket/items/"+line, form...), 404)
		require.Contains(t, page.Text, "Tato položka už v košíku není.")
		require.Contains(t, page.Text, "Product B")
		state := w.state(page)
		require.Equal(t, []any{frontend.Other, "/basket", 1},
			[]any{state.Page.Type, state.Page.Path, len(state.Basket.Items)})
	}
	b.JSON("DELETE", "/basket/items/"+line, nil).Is(404, "not_found")
}

// TestATabThatIsLeftAtAFormsAddressComesToTheBasket when its address is opened again.
func TestATabThatIsLeftAtAFormsAddressComesToTheBasket(t *testing.T) {
	w := open(t)
	b := w.visitor()
	line := b.add(w.product("A", "5.00", nil), 1).Get("items.0.id")
	for _, path := range []string{"/basket/coupon", "/basket/items", "/basket/items/" + line} {
		w.leads(b.Page(path), 303, "/basket")
		b.JSON("GET", path, nil).Is(405, "method_not_allowed")
	}
	w.shown(b.Page("/basket/nothing"), 404)
	w.shown(b.Page("/account/sign-out"), 405)
}

// TestLookingAtPagesKeepsABasket has a shopper who comes each week and looks at products only.
func TestLookingAtPagesKeepsABasket(t *testing.T) {
	w := open(t)
	b := w.visitor()
	b.add(w.product("A", "5.00", nil), 1).Is(201)
	for range 8 {
		w.Clock.Pass(7 * 24 * time.Hour)
		w.shown(b.Page("/product-a"), 200)
	}
	require.Len(t, b.JSON("GET", "/basket", nil).Is(200).At("items"), 1)
}

// TestAProductOfNoIDIsNotLookedUp keeps what a form names out of keys.
func TestAProductOfNoIDIsNotLookedUp(t *testing.T) {
	w := open(t)
	for _, odd := range []string{strings.Repeat("A", 4000), "x#y", "../x"} {
		w.shown(w.visitor().Form("/basket/items", "productId", odd, "quantity", "1"), 422)
	}
}
