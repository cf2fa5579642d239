package coupons

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/api"
)

func percent(v api.Money) Coupon { return Coupon{Fields: Fields{Type: Percentage, Value: v}} }
func amount(v api.Money) Coupon  { return Coupon{Fields: Fields{Type: Amount, Value: v}} }

func TestWhatCouponsTakeOff(t *testing.T) {
	for _, c := range []struct {
		name  string
		items api.Money
		all   []Coupon
		off   []api.Money
	}{
		{"none", 100_00, nil, []api.Money{}},
		{"a percentage", 200_00, []Coupon{percent(10_00)}, []api.Money{20_00}},
		{"half a haléř goes up", 1_50, []Coupon{percent(33_00)}, []api.Money{50}}, // 49.5
		{"less goes down", 1_48, []Coupon{percent(33_00)}, []api.Money{49}},       // 48.84
		{"and down", 1_01, []Coupon{percent(1_00)}, []api.Money{1}},               // 1.01
		{"to nothing", 49, []Coupon{percent(1_00)}, []api.Money{0}},               // 0.49
		{"each of what is left", 100_00, []Coupon{percent(50_00), percent(50_00)}, []api.Money{50_00, 25_00}},
		{"amounts after percentages", 100_00, []Coupon{amount(30_00), percent(50_00)}, []api.Money{30_00, 50_00}},
		{"no more than there is", 100_00, []Coupon{amount(80_00), amount(50_00), amount(1_00)}, []api.Money{80_00, 20_00, 0}},
		{"all of it", 100_00, []Coupon{percent(100_00), amount(5_00)}, []api.Money{100_00, 0}},
		{"of nothing", 0, []Coupon{percent(10_00), amount(5_00)}, []api.Money{0, 0}},
		{"the most that money can be", 999_999_999_999_99, []Coupon{percent(99_99)}, []api.Money{999_899_999_999_99}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.off, Discounts(c.items, c.all)) })
	}
}

func TestDiscountsNeverExceedTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := api.Money(rapid.Int64Range(0, 999_999_999_999_99).Draw(t, "items"))
		var all []Coupon
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			if rapid.Bool().Draw(t, "percentage") {
				all = append(all, percent(api.Money(rapid.Int64Range(1, 100_00).Draw(t, "percent"))))
			} else {
				all = append(all, amount(api.Money(rapid.Int64Range(0, 999_999_999_999_99).Draw(t, "amount"))))
			}
		}
		left := items
		for _, off := range Discounts(items, all) {
			require.GreaterOrEqual(t, off, api.Money(0))
			left -= off
		}
		require.GreaterOrEqual(t, left, api.Money(0))
	})
}

func TestWhenACouponApplies(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *api.Time { t := api.At(now.Add(d)); return &t }
	money := func(m api.Money) *api.Money { return &m }
	limit := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		fields Fields
		used   int64
		want   Reason
	}{
		{"always", Fields{Active: true}, 9, ""},
		{"switched off", Fields{}, 0, Inactive},
		{"from now", Fields{Active: true, ValidFrom: at(0)}, 0, ""},
		{"from later", Fields{Active: true, ValidFrom: at(time.Millisecond)}, 0, NotYetValid},
		{"to now", Fields{Active: true, ValidTo: at(0)}, 0, ""},
		{"to before", Fields{Active: true, ValidTo: at(-time.Millisecond)}, 0, Expired},
		{"for as much", Fields{Active: true, MinimumOrder: money(100_00)}, 0, ""},
		{"for more", Fields{Active: true, MinimumOrder: money(100_01)}, 0, Minimum},
		{"once more", Fields{Active: true, UsageLimit: limit(3)}, 2, ""},
		{"no more", Fields{Active: true, UsageLimit: limit(3)}, 3, UsedUp},
		{"a limit below used", Fields{Active: true, UsageLimit: limit(3)}, 9, UsedUp},
		{"for several reasons the first", Fields{ValidTo: at(-time.Hour), UsageLimit: limit(0)}, 0, Inactive},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Coupon{Fields: c.fields, Used: c.used}.Refuses(100_00, now))
		})
	}
}

func TestCodesAreComparedWithoutCase(t *testing.T) {
	for _, pair := range [][2]api.Code{{"LETO", "leto"}, {"Léto", "LÉTO"}, {"Léto", "le\u0301to"}, {"straße", "STRASSE"}} {
		require.Equal(t, Fold(pair[0]), Fold(pair[1]))
	}
	require.NotEqual(t, Fold("leto"), Fold("léto"))
	require.Equal(t, -1, Twice([]api.Code{"a", "b"}))
	require.Equal(t, 2, Twice([]api.Code{"a", "b", "A"}))
}
