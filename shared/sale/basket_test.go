package sale_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/id"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

func TestABasketShowsWhatTheContractNames(t *testing.T) {
	w := open(t)
	shirt := w.product("SHIRT", 100_00, 9, variant("SHIRT-R", "red", 120_00, 5), variant("SHIRT-B", "", 0, 5))
	tea := w.product("TEA", 10_00, 9)
	w.coupon("TEN", sale.Percentage, 10_00)
	red, blue := shirt.VariantIDs()[0], shirt.VariantIDs()[1]
	w.add(jana, ofVariant(shirt.ID, red, 2))
	w.add(jana, ofVariant(shirt.ID, blue, 1))
	token := w.quote(tea.ID, "", 12_34, func(q *sale.Quote) {
		q.Note, q.ImageKeys = "engraved", []string{nothing + "-key"}
	})
	w.add(jana, at(of(tea.ID, 1), token))
	b, err := w.SetCoupon(t.Context(), w.unit(), jana, "ten")
	require.NoError(t, err)
	for _, l := range b.Items {
		require.True(t, id.Valid(l.ID))
	}
	require.JSONEq(t, fmt.Sprintf(`{"items":[
		{"id":%q,"productId":%q,"variantId":%q,"code":"SHIRT-R","name":"Product SHIRT – red","quantity":2,"unitPrice":"120.00","total":"240.00","quoted":false,"images":[]},
		{"id":%q,"productId":%q,"variantId":%q,"code":"SHIRT-B","name":"Product SHIRT","quantity":1,"unitPrice":"100.00","total":"100.00","quoted":false,"images":[]},
		{"id":%q,"productId":%q,"code":"TEA","name":"Product TEA","quantity":1,"unitPrice":"12.34","total":"12.34","quoted":true,"note":"engraved",
		 "images":[{"id":%q,"url":"https://api.test/images/%s-key"}]}],
		"coupons":[{"code":"TEN","discount":"35.23"}],"totals":{"items":"352.34","discount":"35.23","total":"317.11"},"currency":"CZK"}`,
		b.Items[0].ID, shirt.ID, red, b.Items[1].ID, shirt.ID, blue, b.Items[2].ID, tea.ID, nothing, nothing),
		asJSON(t, b))
	kept := w.kept(jana)
	require.Equal(t, asJSON(t, b), asJSON(t, kept), "any page shows it so, without a look at products")
	require.Equal(t, asJSON(t, b), asJSON(t, w.show(jana)))
}

func TestABasketThatNobodyHasFilledIsEmptyAndNoRow(t *testing.T) {
	w := open(t)
	for range 2 {
		b := w.show(jana)
		require.JSONEq(t, `{"items":[],"coupons":[],"totals":{"items":"0.00","discount":"0.00","total":"0.00"},"currency":"CZK"}`, asJSON(t, b))
		require.Zero(t, w.writes)
	}
	_, err := w.RemoveCoupon(t.Context(), w.unit(), jana)
	require.NoError(t, err)
	items, err := w.Get(t.Context(), sale.BasketKey(shop, "jana"))
	require.NoError(t, err)
	require.Nil(t, items[0])
}

func TestTheSameProductAgainRaisesItsLine(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 0)
	first := w.add(jana, of(tea.ID, 2)).Items[0].ID
	w.price(tea.ID, 11_00)
	b := w.add(jana, of(tea.ID, 3))
	require.Equal(t, []string{"TEA 5 11.00"}, lines(b), "at the price of now, and whatever the stock")
	require.Equal(t, first, b.Items[0].ID)
	for _, price := range []field.Money{1_00, 11_00, 2_00} {
		w.add(jana, at(of(tea.ID, 1), w.quote(tea.ID, "", price)))
	}
	b = w.add(jana, of(tea.ID, 1))
	require.Equal(t, []string{"TEA 6 11.00", "TEA 1 1.00", "TEA 1 11.00", "TEA 1 2.00"}, lines(b),
		"quoted lines are never merged")
}

func TestAddingIsRefusedAsAnOrderIs(t *testing.T) {
	w := open(t)
	tea, cup := w.product("TEA", 10_00, 9),
		w.product("CUP", 10_00, 9, variant("CUP-W", "", 0, 9), variant("CUP-B", "", 0, 9))
	old, dear := w.product("OLD", 10_00, 9), w.product("DEAR", sale.MaxMoney, 9)
	white, black := cup.VariantIDs()[0], cup.VariantIDs()[1]
	w.edit(old.ID, func(f *catalog.ProductFields) { f.Active = false })
	w.editVariant(cup.ID, black, func(f *catalog.VariantFields) { f.Active = false })
	w.add(jana, of(tea.ID, 999_999))
	for _, c := range []struct {
		name  string
		item  sale.BasketNew
		fault string
	}{
		{"no id", of("x", 1), "body.productId not_found"},
		{"no product", of(nothing, 1), "body.productId not_found"},
		{"not active", of(old.ID, 1), "body.productId inactive"},
		{"no variant said", of(cup.ID, 1), "body.variantId required"},
		{"no such variant", ofVariant(cup.ID, nothing, 1), "body.variantId not_found"},
		{"of one without", ofVariant(tea.ID, white, 1), "body.variantId not_found"},
		{"variant not active", ofVariant(cup.ID, black, 1), "body.variantId inactive"},
		{"too many with those there", of(tea.ID, 2), "body.quantity too_big"},
		{"too many", ofVariant(cup.ID, white, 1_000_001), "body.quantity too_big"},
		{"none", ofVariant(cup.ID, white, 0), "body.quantity too_small"},
		{"too dear a line", of(dear.ID, 2), "body.quantity too_big"},
		{"too dear a basket", of(dear.ID, 1), "body.quantity too_big"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Add(t.Context(), w.unit(), jana, c.item)
			refused(t, err, "invalid", c.fault)
			require.Equal(t, []string{"TEA 999999 10.00"}, lines(w.show(jana)))
		})
	}
	_, err := w.Add(t.Context(), w.in(otherShop), jana, of(tea.ID, 1))
	refused(t, err, "invalid", "body.productId not_found")
	b, err := w.Show(t.Context(), w.in(otherShop), jana)
	require.NoError(t, err)
	require.Empty(t, b.Items, "each shop has baskets of its own")
}

func TestALineIsChangedAndRemoved(t *testing.T) {
	w := open(t)
	tea, mug := w.product("TEA", 10_00, 0), w.product("MUG", 5_00, 0)
	w.add(jana, of(tea.ID, 1))
	b := w.add(jana, of(mug.ID, 2))
	first := b.Items[0].ID
	b, err := w.SetQuantity(t.Context(), w.unit(), jana, first, 1_000_000)
	require.NoError(t, err)
	require.Equal(t, []string{"TEA 1000000 10.00", "MUG 2 5.00"}, lines(b))
	w.adds(b)
	_, err = w.SetQuantity(t.Context(), w.unit(), jana, first, 1_000_001)
	refused(t, err, "invalid", "body.quantity too_big")
	_, err = w.SetQuantity(t.Context(), w.unit(), jana, first, 0)
	refused(t, err, "invalid", "body.quantity too_small")
	_, err = w.SetQuantity(t.Context(), w.unit(), jana, nothing, 1)
	refused(t, err, "not_found")
	_, err = w.SetQuantity(t.Context(), w.unit(), by("another"), first, 1)
	refused(t, err, "not_found")
	b, err = w.Remove(t.Context(), w.unit(), jana, first)
	require.NoError(t, err)
	require.Equal(t, []string{"MUG 2 5.00"}, lines(b))
	w.adds(b)
	_, err = w.Remove(t.Context(), w.unit(), jana, first)
	refused(t, err, "not_found")
}

func TestAShopperSeesTheirPriceLevel(t *testing.T) {
	w := open(t)
	cup := w.product("CUP", 10_00, 9, variant("CUP-W", "", 0, 9), variant("CUP-B", "", 8_00, 9))
	shopper := sale.Shopper{Basket: "jana", Level: "wholesale"}
	w.add(shopper, ofVariant(cup.ID, cup.VariantIDs()[0], 1))
	b := w.add(shopper, ofVariant(cup.ID, cup.VariantIDs()[1], 1))
	require.Equal(t, []string{"CUP-W 1 5.00", "CUP-B 1 8.00"}, lines(b), "a variant's own price counts first")
	require.Equal(t, []string{"CUP-W 1 10.00", "CUP-B 1 8.00"}, lines(w.show(jana)), "signed out they see the others'")
	require.Equal(t, []string{"CUP-W 1 5.00", "CUP-B 1 8.00"}, lines(w.show(shopper)))
}

func TestShowingWritesOnlyWhatIsShownAnew(t *testing.T) {
	w := open(t)
	tea, cup := w.product("TEA", 10_00, 9), w.product("CUP", 20_00, 9, variant("CUP-W", "white", 0, 9))
	limit := int64(3)
	w.coupon("ANY", sale.Amount, 1_00, func(f *sale.CouponFields) { f.UsageLimit = &limit })
	w.add(jana, of(tea.ID, 1))
	w.add(jana, ofVariant(cup.ID, cup.VariantIDs()[0], 1))
	_, err := w.SetCoupon(t.Context(), w.unit(), jana, "ANY")
	require.NoError(t, err)
	w.add(by("other"), of(tea.ID, 1))
	_, err = w.SetCoupon(t.Context(), w.unit(), by("other"), "ANY")
	require.NoError(t, err)
	w.order(by("other"))
	w.show(jana)
	require.Zero(t, w.writes, "that others order, and use its coupon, changes nothing of it")

	w.price(tea.ID, 12_00)
	w.editVariant(cup.ID, cup.VariantIDs()[0], func(f *catalog.VariantFields) { f.Name = "snow" })
	b := w.show(jana)
	require.Equal(t, []string{"TEA 1 12.00", "CUP-W 1 20.00"}, lines(b))
	require.Equal(t, "Product CUP – snow", b.Items[1].Name)
	require.Equal(t, 1, w.writes)
	w.show(jana)
	require.Zero(t, w.writes)

	toMidnight := w.clock().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(w.clock())
	w.pass(toMidnight - time.Second)
	w.show(jana)
	require.Zero(t, w.writes)
	w.pass(time.Second)
	w.show(jana)
	require.Equal(t, 1, w.writes, "once a day its end moves on")
	w.pass(30 * 24 * time.Hour)
	require.Len(t, w.show(jana).Items, 2)
	w.pass(31 * 24 * time.Hour)
	require.Empty(t, w.show(jana).Items, "it is over thirty days after its last use, at the end of the day")
	require.Zero(t, w.writes)
	require.Len(t, w.add(jana, of(tea.ID, 1)).Items, 1, "whether or not its row is still there")
}

func TestAVariantThatMovedToAnotherPartIsFound(t *testing.T) {
	w := open(t)
	cup := w.product("CUP", 10_00, 9)
	for part := range 2 {
		var some []catalog.VariantFields
		for i := range 50 - 49*part {
			some = append(some, variant(fmt.Sprint("CUP-", part, "-", i), "", 0, 9))
		}
		_, err := catalog.Catalog{}.AddVariants(t.Context(), w.unit(), cup.ID, some)
		require.NoError(t, err)
	}
	heads, err := catalog.Heads(t.Context(), w.Table, shop, []string{cup.ID})
	require.NoError(t, err)
	variants := heads[0].VariantIDs()
	w.add(jana, ofVariant(cup.ID, variants[50], 1))
	w.show(jana)
	require.Equal(t, 2, w.calls)
	for _, v := range variants[:50] {
		require.NoError(t, catalog.Catalog{}.DeleteVariant(t.Context(), w.unit(), cup.ID, v))
	}
	require.Equal(t, []string{"CUP-1-0 1 10.00"}, lines(w.show(jana)))
	require.Equal(t, []int{4, 1}, []int{w.calls, w.writes}, "it is read once more, and where it is now is kept")
	w.show(jana)
	require.Equal(t, 2, w.calls)
}

func TestWhatIsGoneStaysAsItWasShownLast(t *testing.T) {
	w := open(t)
	tea, cup, old := w.product("TEA", 10_00, 9),
		w.product("CUP", 20_00, 9, variant("CUP-W", "", 0, 9), variant("CUP-B", "", 0, 9)), w.product("OLD", 1_00, 9)
	for _, item := range []sale.BasketNew{of(tea.ID, 1), ofVariant(cup.ID, cup.VariantIDs()[0], 1),
		ofVariant(cup.ID, cup.VariantIDs()[1], 1), of(old.ID, 1)} {
		w.add(jana, item)
	}
	shown := lines(w.show(jana))
	w.price(tea.ID, 99_00)
	w.edit(tea.ID, func(f *catalog.ProductFields) { f.Active = false })
	require.NoError(t, catalog.Catalog{}.DeleteVariant(t.Context(), w.unit(), cup.ID, cup.VariantIDs()[0]))
	w.editVariant(cup.ID, cup.VariantIDs()[1], func(f *catalog.VariantFields) { f.Active = false })
	require.NoError(t, catalog.Catalog{}.DeleteProduct(t.Context(), w.unit(), old.ID))
	require.Equal(t, shown, lines(w.show(jana)))
	require.Zero(t, w.writes)
	w.did()
	_, err := w.checkout(jana)
	refused(t, err, "invalid", "body.items[0].productId inactive", "body.items[1].variantId not_found",
		"body.items[3].productId not_found")
	for _, l := range []int{3, 1, 0} {
		_, err = w.Remove(t.Context(), w.unit(), jana, w.kept(jana).Items[l].ID)
		require.NoError(t, err)
	}
	_, err = w.checkout(jana)
	refused(t, err, "invalid", "body.items[0].variantId inactive")
	require.Empty(t, w.did())
	require.Empty(t, w.orders())
}

func TestACouponIsOneAndReplaced(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 100_00, 9)
	w.coupon("TEN", sale.Percentage, 10_00)
	least := field.Money(150_00)
	big := w.coupon("Big", sale.Amount, 20_00, func(f *sale.CouponFields) { f.MinimumOrder = &least })
	w.add(jana, of(tea.ID, 1))
	_, err := w.SetCoupon(t.Context(), w.unit(), jana, "none")
	require.Equal(t, sale.CouponUnknown, refused(t, err, "coupon_invalid", "body.code not_found").More["reason"])
	_, err = w.SetCoupon(t.Context(), w.unit(), jana, "BIG")
	require.Equal(t, sale.CouponMinimum, refused(t, err, "coupon_invalid", "body.code conflict").More["reason"])
	b, err := w.SetCoupon(t.Context(), w.unit(), jana, "ten")
	require.NoError(t, err)
	require.Equal(t, []sale.BasketCoupon{{Code: "TEN", Discount: 10_00}}, b.Coupons)
	w.add(jana, of(tea.ID, 1))
	b, err = w.SetCoupon(t.Context(), w.unit(), jana, "big")
	require.NoError(t, err)
	require.Equal(t, []sale.BasketCoupon{{Code: "Big", Discount: 20_00}}, b.Coupons)

	b, err = w.SetQuantity(t.Context(), w.unit(), jana, b.Items[0].ID, 1)
	require.NoError(t, err)
	require.Equal(t, []sale.BasketCoupon{{Code: "Big", Discount: 0}}, b.Coupons, "it stays, and takes nothing off")
	w.adds(b)
	_, err = w.checkout(jana)
	require.Equal(t, sale.CouponMinimum,
		refused(t, err, "coupon_invalid", "body.discountCoupons[0] conflict").More["reason"])
	require.Equal(t, field.Money(20_00), w.add(jana, of(tea.ID, 1)).Totals.Discount, "until it applies again")

	w.editCoupon(big.ID, func(f *sale.CouponFields) { f.Active = false })
	require.Equal(t, []sale.BasketCoupon{{Code: "Big", Discount: 0}}, w.show(jana).Coupons)
	w.editCoupon(big.ID, func(f *sale.CouponFields) { f.Active, f.Value = true, 30_00 })
	require.Equal(t, []sale.BasketCoupon{{Code: "Big", Discount: 30_00}}, w.show(jana).Coupons)
	w.editCoupon(big.ID, func(f *sale.CouponFields) { f.Code = "other" })
	require.Equal(t, []sale.BasketCoupon{{Code: "Big", Discount: 0}}, w.show(jana).Coupons,
		"another code is another coupon")
	_, err = w.checkout(jana)
	require.Equal(t, sale.CouponUnknown,
		refused(t, err, "coupon_invalid", "body.discountCoupons[0] not_found").More["reason"])
	require.NoError(t, sale.Coupons.Delete(t.Context(), w.unit(), big.ID))
	require.Equal(t, []sale.BasketCoupon{{Code: "Big", Discount: 0}}, w.show(jana).Coupons)
	w.coupon("BIG", sale.Amount, 5_00)
	_, err = w.checkout(jana)
	changed := refused(t, err, "prices_changed").More["basket"].(*sale.Basket)
	require.Equal(t, []sale.BasketCoupon{{Code: "BIG", Discount: 5_00}}, changed.Coupons,
		"a new one of the code is said before it is charged")
	b, err = w.RemoveCoupon(t.Context(), w.unit(), jana)
	require.NoError(t, err)
	require.Empty(t, b.Coupons)
	require.Equal(t, field.Money(200_00), w.order(jana).Totals.Total)
}

func TestACouponThatOthersHaveUsedUpTakesNothingOff(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	once := int64(1)
	coupon := w.coupon("ONCE", sale.Amount, 1_00, func(f *sale.CouponFields) { f.UsageLimit = &once })
	for _, s := range []sale.Shopper{jana, by("other")} {
		w.add(s, of(tea.ID, 1))
		_, err := w.SetCoupon(t.Context(), w.unit(), s, "ONCE")
		require.NoError(t, err)
	}
	w.order(by("other"))
	_, err := w.checkout(jana)
	require.Equal(t, sale.CouponUsedUp, refused(t, err, "coupon_invalid",
		"body.discountCoupons[0] conflict").More["reason"])
	require.Equal(t, []sale.BasketCoupon{{Code: "ONCE", Discount: 0}}, w.show(jana).Coupons)
	require.Equal(t, []sale.BasketCoupon{{Code: "ONCE", Discount: 0}}, w.add(jana, of(tea.ID, 1)).Coupons)
	w.show(jana)
	require.Zero(t, w.writes)
	once = 2
	w.editCoupon(coupon.ID, func(f *sale.CouponFields) { f.UsageLimit = &once })
	require.Equal(t, []sale.BasketCoupon{{Code: "ONCE", Discount: 1_00}}, w.show(jana).Coupons)
	w.order(jana)
}

func TestAQuotedLineIsSoldAsItWasQuoted(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	w.coupon("HALF", sale.Percentage, 50_00)
	token := w.quote(tea.ID, "", 25_00, func(q *sale.Quote) {
		q.Note, q.ImageKeys = "engraved", []string{nothing + "-key"}
	})
	w.add(jana, of(tea.ID, 1))
	b := w.add(jana, at(of(tea.ID, 2), token))
	require.Equal(t, sale.QuoteStatusUsed, w.quoted(token).Status)
	w.price(tea.ID, 99_00)
	require.Equal(t, []string{"TEA 1 99.00", "TEA 2 25.00"}, lines(w.show(jana)),
		"its price is the quote's, whatever the product's")
	w.pass(48 * time.Hour)
	w.inactive = true
	require.Equal(t, []string{"TEA 1 99.00", "TEA 2 25.00"}, lines(w.show(jana)),
		"in the basket it depends on nothing but the product")
	_, err := w.SetQuantity(t.Context(), w.unit(), jana, b.Items[1].ID, 3)
	require.NoError(t, err)
	b, err = w.SetCoupon(t.Context(), w.unit(), jana, "HALF")
	require.NoError(t, err)
	require.Equal(t, field.Money(87_00), b.Totals.Total, "coupons apply on top")

	o := w.order(jana)
	q := w.quoted(token)
	require.Equal(t, []any{q.ID, field.Money(25_00), field.Text("engraved"), int64(3), q.Images("https://api.test")},
		[]any{o.Items[1].QuoteID, o.Items[1].UnitPrice, o.Items[1].Note, o.Items[1].Quantity, o.Items[1].Images})
	require.Equal(t, []any{"", field.Money(99_00)}, []any{o.Items[0].QuoteID, o.Items[0].UnitPrice})
	require.Equal(t, field.Money(87_00), o.Totals.Total)
	require.Equal(t, o.ID, q.OrderID)
	require.Greater(t, q.Changed, field.At(w.clock().Add(-time.Second)), "noting the order moves its change date")
	require.Equal(t, int64(5), w.stock(tea.ID))
}

func TestAQuoteIsRefusedInTheContractsOrder(t *testing.T) {
	w := open(t)
	tea, mug := w.product("TEA", 10_00, 9), w.product("MUG", 10_00, 9)
	over := func(q *sale.Quote) { q.ExpiresAt = field.At(w.clock()) }
	revoked := func(q *sale.Quote) { q.Status = sale.QuoteStatusRevoked }
	was := func(q *sale.Quote) { q.Status = sale.QuoteStatusUsed }
	for _, c := range []struct {
		name     string
		token    string
		item     sale.BasketNew
		inactive bool
		code     string
	}{
		{"unknown", "token-x", of(tea.ID, 1), false, "quote_invalid"},
		{"another product's", w.quote(mug.ID, "", 1_00), of(tea.ID, 1), false, "quote_invalid"},
		{"another product's, used", w.quote(mug.ID, "", 1_00, was), of(tea.ID, 1), false, "quote_invalid"},
		{"of an inactive package", w.quote(tea.ID, "", 1_00), of(tea.ID, 1), true, "quote_invalid"},
		{"of an inactive package, used", w.quote(tea.ID, "", 1_00, was), of(tea.ID, 1), true, "quote_invalid"},
		{"revoked", w.quote(tea.ID, "", 1_00, revoked), of(tea.ID, 1), false, "quote_invalid"},
		{"used", w.quote(tea.ID, "", 1_00, was), of(tea.ID, 1), false, "quote_used"},
		{"used and over", w.quote(tea.ID, "", 1_00, was, over), of(tea.ID, 1), false, "quote_used"},
		{"over", w.quote(tea.ID, "", 1_00, over), of(tea.ID, 1), false, "quote_expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.inactive = c.inactive
			_, err := w.Add(t.Context(), w.unit(), jana, at(c.item, c.token))
			refused(t, err, c.code)
			require.Empty(t, w.show(jana).Items)
		})
	}
	w.inactive = false
	token := w.quote(tea.ID, "", 1_00)
	for _, item := range []sale.BasketNew{of(nothing, 1), of(mug.ID, 1), of(tea.ID, 1_000_001)} {
		_, err := w.Add(t.Context(), w.unit(), jana, at(item, token))
		require.Error(t, err)
		require.Equal(t, sale.QuoteStatusIssued, w.quoted(token).Status, "a token is used only when its line is in")
	}
	_, err := w.Add(t.Context(), w.in(otherShop), jana, at(of(tea.ID, 1), token))
	require.Error(t, err)
	require.Len(t, w.add(jana, at(of(tea.ID, 1), token)).Items, 1)
}

func TestTheTimeOfAQuoteEndsBetweenReadAndWrite(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	token := w.quote(tea.ID, "", 1_00)
	w.Meanwhile(func() { w.add(by("other"), at(of(tea.ID, 1), token)) })
	_, err := w.Add(t.Context(), w.unit(), jana, at(of(tea.ID, 1), token))
	refused(t, err, "quote_used")
	require.Empty(t, w.show(jana).Items)
	require.Len(t, w.show(by("other")).Items, 1)
}

func TestABasketHasNoMoreLinesThanAnOrder(t *testing.T) {
	w := open(t)
	tea, mug := w.product("TEA", 1_00, 1000), w.product("MUG", 1_00, 9)
	for range 89 {
		w.add(jana, at(of(tea.ID, 1), w.quote(tea.ID, "", 2_00)))
	}
	w.add(jana, of(tea.ID, 1))
	_, err := w.Add(t.Context(), w.unit(), jana, of(mug.ID, 1))
	refused(t, err, "invalid", "body too_many")
	require.Len(t, w.add(jana, of(tea.ID, 1)).Items, 90, "a line that is there takes more pieces")
	require.Len(t, w.order(jana).Items, 90)
}

// TestTheLargestCheckoutFitsOneTransaction fills a basket with quoted lines, each of a product of its own, these are
// most operations, and one without a quote.
func TestTheLargestCheckoutFitsOneTransaction(t *testing.T) {
	w := open(t)
	var tokens []string
	var products []string
	for i := range 48 {
		products = append(products, w.product(fmt.Sprint("P", i), 1_00, 9).ID)
		tokens = append(tokens, w.quote(products[i], "", 2_00))
	}
	for i := range 47 {
		w.add(jana, at(of(products[i], 1), tokens[i]))
	}
	_, err := w.Add(t.Context(), w.unit(), jana, at(of(products[47], 1), tokens[47]))
	refused(t, err, "invalid", "body too_many")
	require.Equal(t, sale.QuoteStatusIssued, w.quoted(tokens[47]).Status)
	w.add(jana, of(products[47], 1))
	w.coupon("ANY", sale.Amount, 1_00)
	_, err = w.SetCoupon(t.Context(), w.unit(), jana, "ANY")
	require.NoError(t, err)
	most := 0
	w.Before(func(ops []store.Op) error { most = max(most, len(ops)); return nil })
	w.order(jana)
	require.Equal(t, store.MaxOperations-1, most, "and room for the kept answer")
}

func TestAHeavyBasketIsRefusedBeforeItsOrderIs(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 1_00, 1000)
	files := make([]string, sale.MaxQuoteImages)
	for i := range files {
		files[i] = nothing + "-0123456789012345678901"
	}
	n := 0
	for ; ; n++ {
		token := w.quote(tea.ID, "", 2_00, func(q *sale.Quote) { q.ImageKeys = files })
		_, err := w.Add(t.Context(), w.unit(), jana, at(of(tea.ID, 1), token))
		if err != nil {
			refused(t, err, "invalid", "body too_big")
			require.Equal(t, sale.QuoteStatusIssued, w.quoted(token).Status)
			break
		}
	}
	require.Greater(t, n, 50)
	f := form()
	f.Note = field.Text(strings.Repeat("x", 60<<10))
	_, err := w.Checkout(t.Context(), w.unit(), jana, f)
	require.NoError(t, err)
}
