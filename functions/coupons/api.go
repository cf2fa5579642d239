// Package coupons is the API of a shop's discount coupons (contract, "Discount coupons"): plain records, which
// api.AddRecords lists, makes, changes and deletes. What a coupon is and when it applies is shared/sale.
//
// What a partner can count on: codes are shown as sent and compared without case; `changed` moves with every use, so a
// walk by `changed[after]` finds each coupon that an order took; an order keeps what a coupon took off it, whatever
// becomes of the coupon.
package coupons

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/sale"
)

// Function is the discount coupons' API.
var Function = host.Function{
	Name: "coupons", Doc: "Discount coupons: read, list, make, change, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

// path is where the coupons are.
const path = "/api-engine/discount-coupons"

// register registers the coupons' operations. They need nothing of the platform but the frame: all rules are the
// kind's.
func register(_ *host.Platform, a *api.API) {
	api.AddRecords(a, api.Records[sale.Coupon, sale.CouponFields]{
		Kind: sale.Coupons, Path: path, Tag: "Discount coupons", ID: "Coupon",
		One: "a discount coupon", Many: "discount coupons",
		NeedsToRead: permission.ReadCoupons, NeedsToWrite: permission.WriteCoupons,
		TagDoc: "Codes that make an order cheaper. An order takes up to five, each once: first the percentages " +
			"in the order in which they were sent, each of what the ones before have left, then the amounts. " +
			"Each discount is rounded half up to 0.01, and the total is never below 0.00. `minimumOrder` is compared " +
			"with what the items come to before any discount.",
		ListDoc: "An order that uses a coupon changes it. Deleted coupons are left out.",
		CreateDoc: "Adds a code that shoppers enter in the basket. 409 `code_taken` when another coupon of the shop " +
			"has it, compared without case.",
		ReadDoc:   "A deleted one is 404.",
		ChangeDoc: "Orders keep what it took off them.",
		DeleteDoc: "Orders keep what it took off them.",
	})
}
