package sale_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

func TestACheckoutMakesTheOrderOfTheBasket(t *testing.T) {
	w := open(t)
	shirt := w.product("SHIRT", 100_00, 9, variant("SHIRT-R", "red", 120_00, 5))
	tea := w.product("TEA", 10_00, 9)
	coupon := w.coupon("TEN", sale.Percentage, 10_00)
	shopper := sale.Shopper{Basket: "jana", Customer: nothing, Level: "wholesale"}
	w.add(shopper, ofVariant(shirt.ID, shirt.VariantIDs()[0], 2))
	w.add(shopper, of(tea.ID, 3))
	_, err := w.SetCoupon(t.Context(), w.unit(), shopper, "ten")
	require.NoError(t, err)
	w.did()
	f := form()
	f.Delivery, f.Payment, f.Note = "Zásilkovna", "Kartou", "ring twice"
	f.DeliveryAddress = &sale.CheckoutDelivery{FirstName: "Petr",
		CheckoutAddress: sale.CheckoutAddress{Street: "Krátká 1", City: "Praha", Zip: "110 00", Country: "CZ"}}
	o, err := w.Checkout(t.Context(), w.unit(), shopper, f)
	require.NoError(t, err)
	require.Equal(t, []string{"orders created", "products changed", "products changed", "coupons changed"}, w.did())

	require.Equal(t, "2026000001", o.Number)
	require.Equal(t, nothing, o.CustomerID)
	require.Equal(t, []any{field.Email("jana@example.cz"), field.Line("+420 601 123 456"),
		field.Text("ring twice"), "CZK"},
		[]any{o.Email, o.Phone, o.Note, o.Currency})
	require.Equal(t, &sale.OrderAddress{FirstName: "Jana", LastName: "Nováková", Company: "Novák a syn",
		Street: "Dlouhá 12",
		City:   "Brno", Zip: "602 00", Country: "CZ"}, o.BillingAddress)
	require.Equal(t, &sale.OrderAddress{FirstName: "Petr", LastName: "Nováková", Street: "Krátká 1", City: "Praha",
		Zip:     "110 00",
		Country: "CZ"}, o.DeliveryAddress)
	require.Equal(t, []string{"Zásilkovna", "Kartou"}, []string{*o.Shipping.Delivery, *o.Shipping.Payment})
	require.Equal(t, []any{field.Name("Product SHIRT"), field.Name("red"), field.Money(120_00), field.Rate("21.00")},
		[]any{o.Items[0].Name, o.Items[0].VariantName, o.Items[0].UnitPrice, o.Items[0].VATRate})
	require.Equal(t, field.Money(5_00), o.Items[1].UnitPrice, "at the shopper's level")
	require.Equal(t, sale.OrderTotals{Items: 255_00, Discount: 25_50, Total: 229_50}, o.Totals)
	require.Equal(t, []int64{3, 6, 1}, []int64{w.stock(shirt.ID, shirt.VariantIDs()[0]), w.stock(tea.ID),
		w.used(coupon.ID)})

	b := w.kept(shopper)
	require.Empty(t, b.Items)
	require.Empty(t, b.Coupons)
	require.Equal(t, o.ID, b.LastOrder, "the page learns that it is empty because of an order")
	_, err = w.checkout(shopper)
	refused(t, err, "basket_empty")
	require.Equal(t, o.ID, w.show(shopper).LastOrder)
}

func TestThePageOfAnOrderIsFoundByItsWholeAddressOnly(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	w.add(jana, of(tea.ID, 1))
	var written []store.Op
	w.Before(func(ops []store.Op) error { written = append(written, ops...); return nil })
	o := w.order(jana)
	w.Before(nil)
	require.Len(t, o.Page, len(o.ID)+43, "256 bits")
	secret := o.Page[len(o.ID):]
	found, err := w.orderOf(shop, o.Page)
	require.NoError(t, err)
	require.Equal(t, []string{o.ID, "jana", ""}, []string{found.ID, found.Basket, found.Page})
	byRequest, err := w.Place(t.Context(), w.unit(),
		sale.OrderNew{Email: "a@b.cz", Items: []sale.OrderNewLine{{ProductID: tea.ID, Quantity: 1}}})
	require.NoError(t, err)
	for _, end := range []string{"", o.ID, o.ID[1:], secret, o.ID + "x" + secret[1:], o.ID + secret + "x",
		w.unit().NewID() + secret,
		strings.ToLower(o.ID) + secret, byRequest.ID, byRequest.ID + secret} {
		_, err = w.orderOf(shop, end)
		refused(t, err, "not_found")
	}
	_, err = w.orderOf(otherShop, o.Page)
	refused(t, err, "not_found")
	require.NotContains(t, fmt.Sprintf("%+v", written), secret, "it is kept as a hash")
	require.NotContains(t, asJSON(t, found), "jana\"", "no answer shows the basket")
	require.NotContains(t, asJSON(t, found), "ecret")

	states, err := sale.AllStates(t.Context(), w.Table, shop)
	require.NoError(t, err)
	cancelled := states[slices.IndexFunc(states, func(s sale.OrderState) bool { return s.Key == sale.KeyCancelled })].ID
	_, err = w.Change(t.Context(), w.unit(), o.ID, func(f sale.OrderFields) (sale.OrderFields, error) {
		f.StateID = cancelled
		return f, nil
	})
	require.NoError(t, err)
	found, err = w.orderOf(shop, o.Page)
	require.NoError(t, err)
	require.Equal(t, []any{cancelled, "jana"}, []any{found.StateID, found.Basket}, "whatever becomes of it")

	w.add(jana, of(tea.ID, 1))
	require.NotEqual(t, o.Page, w.order(jana).Page)
}

func TestPricesThatChangedAreShownBeforeTheyAreCharged(t *testing.T) {
	w := open(t)
	tea, cup := w.product("TEA", 10_00, 9), w.product("CUP", 20_00, 9, variant("CUP-W", "", 0, 9))
	coupon := w.coupon("TEN", sale.Percentage, 10_00)
	white := cup.VariantIDs()[0]
	w.add(jana, of(tea.ID, 1))
	w.add(jana, ofVariant(cup.ID, white, 1))
	_, err := w.SetCoupon(t.Context(), w.unit(), jana, "TEN")
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		change func()
		total  field.Money
	}{
		{"a price", func() { w.price(tea.ID, 12_00) }, 28_80},
		{"a variant's price", func() { w.editVariant(cup.ID, white, dearer) }, 37_80},
		{"a coupon", func() { w.editCoupon(coupon.ID, func(f *sale.CouponFields) { f.Value = 50_00 }) }, 21_00},
	} {
		c.change()
		w.did()
		_, err := w.checkout(jana)
		changed := refused(t, err, "prices_changed").More["basket"].(*sale.Basket)
		require.Equal(t, c.total, changed.Totals.Total, c.name)
		require.Equal(t, asJSON(t, changed), asJSON(t, w.kept(jana)), "it counts as shown")
		require.Empty(t, w.did())
		require.Empty(t, w.orders())
		require.Equal(t, []int64{9, 0}, []int64{w.stock(tea.ID), w.used(coupon.ID)})
	}
	w.edit(tea.ID, func(f *catalog.ProductFields) { f.Name = "Green tea" })
	shown := w.kept(jana).Totals.Total
	o := w.order(jana)
	require.Equal(t, shown, o.Totals.Total)
	require.Equal(t, field.Money(21_00), o.Totals.Total)
	require.Equal(t, field.Name("Green tea"), o.Items[0].Name, "a new name is no new price")
}

// dearer gives a variant a price of its own.
func dearer(f *catalog.VariantFields) {
	f.PriceLevels = []catalog.Price{{Level: "default", Price: 30_00}}
}

func TestSigningOutChangesPrices(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	signed := sale.Shopper{Basket: "jana", Customer: nothing, Level: "wholesale"}
	w.add(signed, of(tea.ID, 1))
	_, err := w.checkout(jana)
	refused(t, err, "prices_changed")
	o := w.order(jana)
	require.Equal(t, []any{field.Money(10_00), ""}, []any{o.Totals.Total, o.CustomerID})
}

func TestACheckoutIsRefusedForStockAsAnOrderIs(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 3)
	w.add(jana, of(tea.ID, 2))
	w.add(jana, at(of(tea.ID, 2), w.quote(tea.ID, "", 1_00)))
	_, err := w.checkout(jana)
	p := refused(t, err, "insufficient_stock")
	require.Equal(t, map[string]any{"productId": tea.ID, "available": int64(3)}, p.More)
	require.Equal(t, int64(3), w.stock(tea.ID))
	require.Len(t, w.kept(jana).Items, 2)
	_, err = w.SetQuantity(t.Context(), w.unit(), jana, w.kept(jana).Items[0].ID, 1)
	require.NoError(t, err)
	w.order(jana)
	require.Zero(t, w.stock(tea.ID))
}

func TestWhatIsDearerThanMoneyCanBeIsShownAndNotSold(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 1_00, 9)
	w.add(jana, of(tea.ID, 1_000_000))
	w.price(tea.ID, sale.MaxMoney)
	b, err := w.Show(t.Context(), w.unit(), jana)
	require.NoError(t, err)
	require.Equal(t, sale.MaxMoney, b.Totals.Total)
	_, err = w.checkout(jana)
	require.Error(t, err)
	require.Empty(t, w.orders())
}

func TestAThousandCheckoutsMakeOneOrder(t *testing.T) {
	for _, quoted := range []bool{false, true} {
		t.Run(fmt.Sprint("quoted ", quoted), func(t *testing.T) {
			w := open(t)
			tea := w.product("TEA", 10_00, 5000)
			item := of(tea.ID, 3)
			if quoted {
				item = at(item, w.quote(tea.ID, "", 1_00))
			}
			w.add(jana, item)
			came := together(1000, func(int) error {
				_, err := w.Checkout(t.Context(), w.unit(), jana, form())
				return err
			})
			require.Equal(t, map[string]int{"": 1, "basket_empty": 999}, came)
			all := w.orders()
			require.Len(t, all, 1)
			require.Equal(t, int64(4997), w.stock(tea.ID))
			require.Equal(t, all[0].ID, w.kept(jana).LastOrder)
			if quoted {
				require.Equal(t, all[0].ID, w.quoted(*item.QuoteToken).OrderID)
			}
		})
	}
}

func TestAThousandWithOneTokenAddItOnce(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	token := w.quote(tea.ID, "", 1_00)
	came := together(1000, func(i int) error {
		_, err := w.Add(t.Context(), w.unit(), by(fmt.Sprint(i)), at(of(tea.ID, 1), token))
		return err
	})
	require.Equal(t, map[string]int{"": 1, "quote_used": 999}, came)
	filled := 0
	for i := range 1000 {
		filled += len(w.kept(by(fmt.Sprint(i))).Items)
	}
	require.Equal(t, 1, filled)
}

func TestAddsToOneBasketAtATimeLoseNothing(t *testing.T) {
	w := open(t)
	tea, mug := w.product("TEA", 10_00, 9), w.product("MUG", 1_00, 9)
	came := together(60, func(i int) error {
		_, err := w.Add(t.Context(), w.unit(), jana, of([]string{tea.ID, mug.ID}[i%2], 1))
		return err
	})
	require.Equal(t, map[string]int{"": 60}, came)
	b := w.show(jana)
	require.Len(t, b.Items, 2)
	require.Equal(t, field.Money(30*10_00+30*1_00), b.Totals.Total)
}

var errBroken = errors.New("the disk is gone")

// TestAStoreThatFailsAtAnyCallLeavesNothingHalfDone lets each call of a checkout fail in turn, and all behind it.
func TestAStoreThatFailsAtAnyCallLeavesNothingHalfDone(t *testing.T) {
	for _, failure := range []error{errBroken, store.ErrUnavailable} {
		w := open(t)
		w.Near = true // calls come in turn, so that the one that fails is the same each time
		cup := w.product("CUP", 10_00, 9, variant("CUP-W", "", 0, 9))
		coupon := w.coupon("ANY", sale.Amount, 1_00)
		token := w.quote(cup.ID, cup.VariantIDs()[0], 1_00)
		w.add(jana, ofVariant(cup.ID, cup.VariantIDs()[0], 2))
		w.add(jana, at(ofVariant(cup.ID, cup.VariantIDs()[0], 1), token))
		_, err := w.SetCoupon(t.Context(), w.unit(), jana, "ANY")
		require.NoError(t, err)
		shown := asJSON(t, w.kept(jana))
		w.did()
		calls := 0
		for ; ; calls++ {
			u := w.unit()
			left := calls
			u.Table = storetest.Faulty{Table: w.Table, Around: func(_ storetest.Call, do func() error) error {
				if left--; left < 0 {
					return failure
				}
				return do()
			}}
			o, err := w.Checkout(t.Context(), u, jana, form())
			if err == nil {
				require.Equal(t, o.ID, w.quoted(token).OrderID)
				break
			}
			require.ErrorIs(t, err, failure)
			require.Empty(t, w.did())
			require.Empty(t, w.orders())
			require.Equal(t, []int64{9, 0}, []int64{w.stock(cup.ID, cup.VariantIDs()[0]), w.used(coupon.ID)})
			require.Equal(t, shown, asJSON(t, w.kept(jana)))
			require.Empty(t, w.quoted(token).OrderID)
		}
		require.Equal(t, 6, calls, "basket, products, states, number, coupon, order")
	}
}

// TestACheckoutThatWasDoneThoughTheStoreDidNotSaySoIsTheAnswer loses the acknowledgement of the order's transaction.
func TestACheckoutThatWasDoneThoughTheStoreDidNotSaySoIsTheAnswer(t *testing.T) {
	w := open(t)
	tea := w.product("TEA", 10_00, 9)
	w.add(jana, of(tea.ID, 1))
	w.Around(func(ops []store.Op, write func() error) error {
		err := write()
		if err == nil && len(ops) > 1 {
			w.Around(nil)
			return store.ErrUnavailable
		}
		return err
	})
	o := w.order(jana)
	require.Equal(t, int64(8), w.stock(tea.ID))
	require.Len(t, w.orders(), 1)
	found, err := w.orderOf(shop, o.Page)
	require.NoError(t, err)
	require.Equal(t, o.ID, found.ID)
}

// TestWhatTheStoreIsAskedKeepsTheBudgets counts the calls of each command, of lines with variants, too: an add makes at
// most four, and one more of the package with a quote; showing reads twice; a checkout makes one more than an order,
// and none more where there are variants, for the basket knows their parts.
func TestWhatTheStoreIsAskedKeepsTheBudgets(t *testing.T) {
	w := open(t)
	tea, cup := w.product("TEA", 10_00, 99), w.product("CUP", 10_00, 9, variant("CUP-W", "", 0, 99))
	w.coupon("ANY", sale.Amount, 1_00)
	white := ofVariant(cup.ID, cup.VariantIDs()[0], 1)
	asked := func(calls, writes int) {
		t.Helper()
		require.Equal(t, []int{calls, writes}, []int{w.calls, w.writes})
	}
	w.add(jana, of(tea.ID, 1))
	asked(2, 1)
	w.add(jana, white)
	asked(3, 1)
	w.add(jana, at(of(tea.ID, 1), w.quote(tea.ID, "", 1_00)))
	asked(3, 1)
	w.add(jana, at(white, w.quote(cup.ID, white.VariantID, 1_00)))
	asked(4, 1)
	_, err := w.SetCoupon(t.Context(), w.unit(), jana, "ANY")
	require.NoError(t, err)
	w.show(jana)
	asked(2, 0)
	w.price(tea.ID, 11_00)
	w.show(jana)
	asked(3, 1)
	w.show(by("nobody"))
	asked(1, 0)
	w.order(jana)
	asked(6, 2) // an order of these asks for its products, states, number, variants, coupon and writes: 6

	w.add(jana, of(tea.ID, 1))
	w.order(jana)
	asked(5, 2) // one of these: 4
	ctx, done := w.metered()
	_, err = w.Place(ctx, w.unit(), sale.OrderNew{Email: "a@b.cz",
		Items: []sale.OrderNewLine{{ProductID: tea.ID, Quantity: 1}}})
	done()
	require.NoError(t, err)
	asked(4, 2)
}

// TestABasketIsWhatItsCommandsMakeOfIt does commands at random to a basket and to a model of it.
func TestABasketIsWhatItsCommandsMakeOfIt(t *testing.T) {
	w := open(t)
	cup := w.product("CUP", 7_77, 9, variant("CUP-W", "white", 0, 9), variant("CUP-B", "", 3_33, 9))
	items := []sale.BasketNew{of(w.product("TEA", 10_00, 9).ID, 0), of(w.product("FREE", 0, 9).ID, 0),
		ofVariant(cup.ID, cup.VariantIDs()[0], 0), ofVariant(cup.ID, cup.VariantIDs()[1], 0)}
	prices := []field.Money{10_00, 0, 7_77, 3_33}
	w.coupon("PERCENT", sale.Percentage, 33_33)
	w.coupon("AMOUNT", sale.Amount, 50_00)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := by(fmt.Sprint("basket-", n))
		type line struct {
			item     int
			quantity int64
			price    field.Money
			quoted   bool
		}
		var model []line
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			b := w.kept(s)
			var err error
			switch what := rapid.IntRange(0, 6).Draw(rt, "command"); {
			case what <= 1:
				i, q := rapid.IntRange(0, 3).Draw(rt, "item"), rapid.Int64Range(1, 500_000).Draw(rt, "pieces")
				add := items[i]
				add.Quantity = q
				quoted := rapid.IntRange(0, 3).Draw(rt, "quoted") == 0
				price := prices[i]
				if quoted {
					price = field.Money(rapid.Int64Range(0, 99_99).Draw(rt, "price"))
					add = at(add, w.quote(add.ProductID, add.VariantID, price))
				}
				at := -1
				for n, l := range model {
					if !quoted && !l.quoted && l.item == i {
						at = n
					}
				}
				_, err = w.Add(t.Context(), w.unit(), s, add)
				switch {
				case at >= 0 && model[at].quantity+q > 1_000_000:
					require.True(rt, problem.Is(err, "invalid"))
					err = nil
				case at >= 0:
					model[at].quantity += q
				default:
					model = append(model, line{i, q, price, quoted})
				}
			case what == 2 && len(model) > 0:
				i, q := rapid.IntRange(0, len(model)-1).Draw(rt, "line"),
					rapid.Int64Range(1, 1_000_000).Draw(rt, "pieces")
				_, err = w.SetQuantity(t.Context(), w.unit(), s, b.Items[i].ID, q)
				model[i].quantity = q
			case what == 3 && len(model) > 0:
				i := rapid.IntRange(0, len(model)-1).Draw(rt, "line")
				_, err = w.Remove(t.Context(), w.unit(), s, b.Items[i].ID)
				model = append(model[:i:i], model[i+1:]...)
			case what == 4:
				_, err = w.SetCoupon(t.Context(), w.unit(), s,
					field.Code(rapid.SampledFrom([]string{"percent", "amount"}).Draw(rt, "coupon")))
			case what == 5:
				_, err = w.RemoveCoupon(t.Context(), w.unit(), s)
			default:
				_, err = w.Show(t.Context(), w.unit(), s)
			}
			require.NoError(rt, err)
			b = w.kept(s)
			w.adds(&b)
			var sum field.Money
			require.Len(rt, b.Items, len(model))
			for i, l := range model {
				got := b.Items[i]
				require.Equal(rt, l, line{l.item, got.Quantity, got.UnitPrice, got.Quoted})
				require.Equal(rt, items[l.item].ProductID, got.ProductID)
				sum += l.price * field.Money(l.quantity)
			}
			require.Equal(rt, sum, b.Totals.Items)
			if len(b.Coupons) > 0 {
				off := min(50_00, sum)
				if strings.EqualFold(string(b.Coupons[0].Code), "percent") {
					off = (sum*33_33 + 50_00) / 100_00
				}
				require.Equal(rt, off, b.Totals.Discount)
			}
		}
	})
}

// orderOf is the order whose page's address ends like this, as its page finds it.
func (w *world) orderOf(shop, end string) (*sale.Order, error) {
	w.Helper()
	items, err := w.Table.Get(w.Context(), sale.OrderPageKeys(shop, end)...)
	require.NoError(w, err)
	return sale.OrderOfPage(end, items)
}
