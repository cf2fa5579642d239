package sale_test

import (
	"fmt"
	"time"

	"eshop/shared/field"
	"eshop/shared/sale"
)

// Percentages come first, each of what is left; then amounts, never more than is left.
func ExampleDiscounts() {
	coupon := func(t sale.CouponType, value field.Money) sale.Coupon {
		return sale.Coupon{CouponFields: sale.CouponFields{Type: t, Value: value, Active: true}}
	}
	off := sale.Discounts(200_00, []sale.Coupon{
		coupon(sale.Amount, 500_00), coupon(sale.Percentage, 10_00), coupon(sale.Percentage, 50_00)})
	fmt.Println(off)
	// Output: [90.00 20.00 90.00]
}

func ExampleCoupon_Refuses() {
	least := field.Money(500_00)
	c := sale.Coupon{CouponFields: sale.CouponFields{MinimumOrder: &least, Active: true}}
	now := time.Now()
	fmt.Printf("%q %q\n", c.Refuses(499_99, now), c.Refuses(500_00, now))
	// Output: "minimum" ""
}
