package sale

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

func TestTotalsAddUpToTheHaler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := make([]OrderLine, rapid.IntRange(1, 90).Draw(t, "lines"))
		for i := range lines {
			lines[i].UnitPrice = field.Money(rapid.Int64Range(0, int64(MaxMoney)).Draw(t, "price"))
			lines[i].Quantity = rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, 999_999_999_999)).
				Draw(t, "quantity")
		}
		sum, err := price(lines)
		if err != nil {
			require.True(t, problem.Is(err, "invalid"))
			return
		}
		all := make([]Coupon, rapid.IntRange(0, 5).Draw(t, "coupons"))
		for i := range all {
			all[i].Type = rapid.SampledFrom([]CouponType{Percentage, Amount}).Draw(t, "type")
			most := int64(MaxMoney)
			if all[i].Type == Percentage {
				most = 100_00
			}
			all[i].Value = field.Money(rapid.Int64Range(1, most).Draw(t, "value"))
		}
		list, totals := discount(sum, all)
		var items, off field.Money
		for _, l := range lines {
			require.Equal(t, l.UnitPrice*field.Money(l.Quantity), l.Total)
			items += l.Total
		}
		for i, d := range list {
			require.GreaterOrEqual(t, d.Discount, field.Money(0))
			require.Equal(t, all[i].Value, d.Value)
			off += d.Discount
		}
		require.Equal(t, OrderTotals{Items: items, Discount: off, Total: items - off}, totals)
		require.GreaterOrEqual(t, totals.Total, field.Money(0))
		require.LessOrEqual(t, totals.Items, MaxMoney)
	})
}

func TestNumbersGoOnOverTheYears(t *testing.T) {
	require.Equal(t, "2026000001", number(2026, 1))
	require.Equal(t, "2027000124", number(2027, 124))
	require.Equal(t, "20271000000", number(2027, 1_000_000))
}

func TestAnOrdersHistoryBeginsWithItsMakingAndIsBounded(t *testing.T) {
	var o Order
	o.ID, o.StateID = "01KAJ1V4S7TGXSAKB4YV5Q2D3E", "made"
	o.SetVersion("01KAJ1V4S7TGXSAKB4YV5Q2D3E")
	require.Equal(t, []OrderMove{{State: "made", At: o.Created}}, o.History(), "what was never moved was in one state")
	require.Empty(t, Orders.Item("shop", o).Text, "and keeps nothing for it")
	for i := range 150 {
		to := strconv.Itoa(i)
		by := []events.Actor{"", events.Person("ada"), events.Package("goods")}[i%3]
		o.Moves, o.StateID = o.historyWith(OrderMove{to, o.Created + field.Time(i+1), by}), to
		item := Orders.Item("shop", o)
		require.NotContains(t, string(item.Doc), "oves", "answers do not show it")
		kept, err := Orders.Decode(&item)
		require.NoError(t, err)
		require.Equal(t, o.History(), kept.History())
	}
	require.Len(t, o.History(), maxMoves)
	require.Equal(t, []OrderMove{{"made", o.Created, ""}, {"51", o.Created + 52, ""}}, o.History()[:2])
	require.Equal(t, OrderMove{"149", o.Created + 150, events.Package("goods")}, o.History()[maxMoves-1])
}

func TestAnOrderSaysWhoMadeItWhereThatIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		basket string
		maker  events.Actor
		want   events.Actor
	}{
		"a shopper's":          {"basket", "", events.Shopper},
		"an add-on's":          {"", events.Package("goods"), events.Package("goods")},
		"an earlier release's": {},
	} {
		t.Run(name, func(t *testing.T) {
			o := Order{Basket: c.basket, Maker: c.maker}
			o.SetVersion("01KAJ1V4S7TGXSAKB4YV5Q2D3E")
			for range 2 { // as it was made, and as it was moved
				item := Orders.Item("shop", o)
				kept, err := Orders.Decode(&item)
				require.NoError(t, err)
				require.Equal(t, o.History(), kept.History())
				require.Equal(t, c.want, kept.History()[0].By)
				o.Moves = o.historyWith(OrderMove{"sent", o.Created + 1, events.Person("ada")})
			}
		})
	}
}
