package sale

import (
	"testing"
	"time"

	"eshop/shared/record/field"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func percent(v field.Money) Coupon {
	return Coupon{CouponFields: CouponFields{Type: Percentage, Value: v}}
}
func amount(v field.Money) Coupon { return Coupon{CouponFields: CouponFields{Type: Amount, Value: v}} }

func TestWhatCouponsTakeOff(t *testing.T) {
	for _, c := range []struct {
		name  string
		items field.Money
		all   []Coupon
		off   []field.Money
	}{
		{"none", 100_00, nil, []field.Money{}},
		{"a percentage", 200_00, []Coupon{percent(10_00)}, []field.Money{20_00}},
		{"half a haléř goes up", 1_50, []Coupon{percent(33_00)}, []field.Money{50}}, // 49.5
		{"less goes down", 1_48, []Coupon{percent(33_00)}, []field.Money{49}},       // 48.84
		{"and down", 1_01, []Coupon{percent(1_00)}, []field.Money{1}},               // 1.01
		{"to nothing", 49, []Coupon{percent(1_00)}, []field.Money{0}},               // 0.49
		{"each of what is left", 100_00, []Coupon{percent(50_00), percent(50_00)}, []field.Money{50_00, 25_00}},
		{"amounts after percentages", 100_00, []Coupon{amount(30_00), percent(50_00)}, []field.Money{30_00, 50_00}},
		{"no more than there is", 100_00, []Coupon{amount(80_00), amount(50_00), amount(1_00)},
			[]field.Money{80_00, 20_00, 0}},
		{"all of it", 100_00, []Coupon{percent(100_00), amount(5_00)}, []field.Money{100_00, 0}},
		{"of nothing", 0, []Coupon{percent(10_00), amount(5_00)}, []field.Money{0, 0}},
		{"the most that money can be", 999_999_999_999_99, []Coupon{percent(99_99)}, []field.Money{999_899_999_999_99}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.off, Discounts(c.items, c.all)) })
	}
}

func TestDiscountsNeverExceedTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := field.Money(rapid.Int64Range(0, 999_999_999_999_99).Draw(t, "items"))
		var all []Coupon
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			if rapid.Bool().Draw(t, "percentage") {
				all = append(all, percent(field.Money(rapid.Int64Range(1, 100_00).Draw(t, "percent"))))
			} else {
				all = append(all, amount(field.Money(rapid.Int64Range(0, 999_999_999_999_99).Draw(t, "amount"))))
			}
		}
		left := items
		for _, off := range Discounts(items, all) {
			require.GreaterOrEqual(t, off, field.Money(0))
			left -= off
		}
		require.GreaterOrEqual(t, left, field.Money(0))
	})
}

func TestWhenACouponApplies(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *field.Time { t := field.At(now.Add(d)); return &t }
	money := func(m field.Money) *field.Money { return &m }
	limit := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		fields CouponFields
		used   int64
		want   CouponRefusal
	}{
		{"always", CouponFields{Active: true}, 9, ""},
		{"switched off", CouponFields{}, 0, CouponInactive},
		{"from now", CouponFields{Active: true, ValidFrom: at(0)}, 0, ""},
		{"from later", CouponFields{Active: true, ValidFrom: at(time.Millisecond)}, 0, CouponNotYetValid},
		{"to now", CouponFields{Active: true, ValidTo: at(0)}, 0, ""},
		{"to before", CouponFields{Active: true, ValidTo: at(-time.Millisecond)}, 0, CouponExpired},
		{"for as much", CouponFields{Active: true, MinimumOrder: money(100_00)}, 0, ""},
		{"for more", CouponFields{Active: true, MinimumOrder: money(100_01)}, 0, CouponMinimum},
		{"once more", CouponFields{Active: true, UsageLimit: limit(3)}, 2, ""},
		{"no more", CouponFields{Active: true, UsageLimit: limit(3)}, 3, CouponUsedUp},
		{"a limit below used", CouponFields{Active: true, UsageLimit: limit(3)}, 9, CouponUsedUp},
		{"for several reasons the first", CouponFields{ValidTo: at(-time.Hour), UsageLimit: limit(0)}, 0,
			CouponInactive},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Coupon{CouponFields: c.fields, Used: c.used}.Refuses(100_00, now))
		})
	}
}

func TestCodesAreComparedWithoutCase(t *testing.T) {
	for _, pair := range [][2]field.Code{{"LETO", "leto"}, {"Léto", "LÉTO"}, {"Léto", "le\u0301to"},
		{"straße", "STRASSE"}} {
		require.Equal(t, FoldCode(pair[0]), FoldCode(pair[1]))
	}
	require.NotEqual(t, FoldCode("leto"), FoldCode("léto"))
	require.Equal(t, -1, CodeTwice([]field.Code{"a", "b"}))
	require.Equal(t, 2, CodeTwice([]field.Code{"a", "b", "A"}))
}
