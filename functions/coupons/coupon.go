// Package coupons is the discount coupons of a shop: what they are, when they apply, and what they take off an order
// (contract, section 4, "Discount coupons" and "Orders").
package coupons

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"eshop/shared/api"
)

// Coupon is a discount coupon as answers show it.
type Coupon struct {
	ID string `json:"id"`
	Fields
	Used    int64    `json:"used" doc:"How many orders have used it"`
	Created api.Time `json:"created"`
	Changed api.Time `json:"changed"`
	Version string   `json:"-"` // its time is Changed
	Rev     string   `json:"-"` // moved by every change but a use: see Use
}

// Fields are what a client can write.
type Fields struct {
	Code         api.Code   `json:"code" doc:"Unique per shop, compared without case" example:"LETO2026"`
	Type         Type       `json:"type" enum:"percentage,amount" doc:"What value is: percents, or an amount in the shop's currency"`
	Value        api.Money  `json:"value" doc:"A percentage from 0.01 to 100.00, or an amount" example:"10.00"`
	MinimumOrder *api.Money `json:"minimumOrder,omitempty" doc:"The least that the order's items must come to, before discounts" example:"500.00"`
	ValidFrom    *api.Time  `json:"validFrom,omitempty"`
	ValidTo      *api.Time  `json:"validTo,omitempty" doc:"Not before validFrom; both moments belong to the time"`
	UsageLimit   *int64     `json:"usageLimit,omitempty" minimum:"0" maximum:"999999999999" doc:"How many orders can use it; absent: any number. Below used is allowed: no further one can."`
	Active       bool       `json:"active" required:"false" doc:"true unless it is said otherwise"`
}

// UnmarshalJSON fills in the default of what is absent.
func (f *Fields) UnmarshalJSON(b []byte) error {
	type plain Fields
	p := plain{Active: true}
	err := json.Unmarshal(b, &p)
	*f = Fields(p)
	return err
}

// Type of a coupon.
type Type string

// The types.
const (
	Percentage Type = "percentage"
	Amount     Type = "amount"
)

// whole is a hundred percent, in hundredths of one.
const whole = 100_00

// check finds what contradicts what, whatever is stored.
func (f Fields) check() error {
	var faults api.Faults
	switch {
	case f.Type == Percentage && f.Value == 0:
		faults.Add("value", api.TooSmall, "must be a percentage from 0.01 to 100.00")
	case f.Type == Percentage && f.Value > whole:
		faults.Add("value", api.TooBig, "must be a percentage from 0.01 to 100.00")
	}
	if f.ValidFrom != nil && f.ValidTo != nil && *f.ValidTo < *f.ValidFrom {
		faults.Add("validTo", api.Conflicting, "must not be before validFrom")
	}
	return faults.Err()
}

// same says whether the two are written alike.
func (f Fields) same(g Fields) bool { return reflect.DeepEqual(f, g) }

// Fold is a code as it is compared: without case, in Unicode's normal form.
func Fold(code api.Code) string { return cases.Fold().String(norm.NFC.String(string(code))) }

// Reason is why a coupon does not apply, as the problem coupon_invalid says it.
type Reason string

// The reasons. Unknown is that of a code that no coupon of the shop has.
const (
	Unknown     Reason = "unknown"
	Inactive    Reason = "inactive"
	NotYetValid Reason = "not_yet_valid"
	Expired     Reason = "expired"
	Minimum     Reason = "minimum"
	UsedUp      Reason = "used_up"
)

// Refuses is the first reason why the coupon does not apply to an order of items at that sum; "" when it does.
func (c Coupon) Refuses(items api.Money, now time.Time) Reason {
	at := api.At(now)
	switch {
	case !c.Active:
		return Inactive
	case c.ValidFrom != nil && at < *c.ValidFrom:
		return NotYetValid
	case c.ValidTo != nil && at > *c.ValidTo:
		return Expired
	case c.MinimumOrder != nil && items < *c.MinimumOrder:
		return Minimum
	case c.UsageLimit != nil && c.Used >= *c.UsageLimit:
		return UsedUp
	}
	return ""
}

// Discounts are what each of the coupons takes off the sum of the items: percentages first, in their order, each of what
// is left by those before it and rounded half up to 0.01; then amounts, never more than is left.
func Discounts(items api.Money, all []Coupon) []api.Money {
	off := make([]api.Money, len(all))
	left := items
	for _, t := range []Type{Percentage, Amount} {
		for i, c := range all {
			if c.Type == t {
				off[i] = c.of(left)
				left -= off[i]
			}
		}
	}
	return off
}

// of is what the coupon takes off what is left. No sum of money overflows: 14 digits times 5.
func (c Coupon) of(left api.Money) api.Money {
	if c.Type == Percentage {
		return (left*c.Value + whole/2) / whole
	}
	return min(c.Value, left)
}

// Twice is the place of the first code that an earlier one equals; -1 when there is none.
func Twice(codes []api.Code) int {
	var seen []string
	for i, c := range codes {
		if slices.Contains(seen, Fold(c)) {
			return i
		}
		seen = append(seen, Fold(c))
	}
	return -1
}
