// Package sale is what a shop sells by (contract, section 4, "Orders", "Order states", "Discount coupons"): the states that
// orders go through, and the coupons that take something off them. coupon.go and state.go have the rules, items.go where
// they are kept.
package sale
