package sale

import (
	"slices"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/record"
	"eshop/shared/record/field"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Coupon is a discount coupon as answers show it.
type Coupon struct {
	record.Head
	CouponFields
	Used int64  `json:"used" doc:"How many orders have used it"`
	Rev  string `json:"-"` // moved by every change but a use: see Use
}

// CouponFields are what a client can write.
type CouponFields struct {
	Code         field.Code   `json:"code" doc:"The code that shoppers type, unique per shop, compared without case" example:"LETO2026"`
	Type         CouponType   `json:"type" enum:"percentage,amount" doc:"Whether value is percents, or an amount in the shop's currency"`
	Value        field.Money  `json:"value" doc:"What the coupon takes off: a percentage from 0.01 to 100.00, or an amount" example:"10.00"`
	MinimumOrder *field.Money `json:"minimumOrder,omitempty" doc:"The least that the order's items must come to, before discounts" example:"500.00"`
	ValidFrom    *field.Time  `json:"validFrom,omitempty"`
	ValidTo      *field.Time  `json:"validTo,omitempty" doc:"The moment until which the coupon applies, not before validFrom; both moments belong to the time"`
	UsageLimit   *int64       `json:"usageLimit,omitempty" nullable:"true" minimum:"0" maximum:"999999999999" doc:"How many orders can use it; absent: any number. Below used is allowed: no further one can."`
	Active       bool         `json:"active" required:"false" doc:"Whether it is active; true unless it is said otherwise"`
}

// Defaults are the values of what a new coupon does not say.
func (f *CouponFields) Defaults() { f.Active = true }

// CouponType is what the value of a coupon is.
type CouponType string

// The types.
const (
	Percentage CouponType = "percentage"
	Amount     CouponType = "amount"
)

// hundredPercent is in hundredths of a percent.
const hundredPercent = 100_00

// check refuses fields that contradict each other, whatever is stored.
func (f CouponFields) check() error {
	var faults problem.Faults
	switch {
	case f.Type == Percentage && f.Value == 0:
		faults.Add("value", problem.TooSmall, "must be a percentage from 0.01 to 100.00")
	case f.Type == Percentage && f.Value > hundredPercent:
		faults.Add("value", problem.TooBig, "must be a percentage from 0.01 to 100.00")
	}
	if f.ValidFrom != nil && f.ValidTo != nil && *f.ValidTo < *f.ValidFrom {
		faults.Add("validTo", problem.Conflicting, "must not be before validFrom")
	}
	return faults.Err()
}

// FoldCode is a code as it is compared: without case, in Unicode's normal form.
func FoldCode(code field.Code) string { return cases.Fold().String(norm.NFC.String(string(code))) }

// CouponRefusal is why a coupon does not apply, as the problem coupon_invalid says it.
type CouponRefusal string

// The reasons. CouponUnknown is that of a code that no coupon of the shop has.
const (
	CouponUnknown     CouponRefusal = "unknown"
	CouponInactive    CouponRefusal = "inactive"
	CouponNotYetValid CouponRefusal = "not_yet_valid"
	CouponExpired     CouponRefusal = "expired"
	CouponMinimum     CouponRefusal = "minimum"
	CouponUsedUp      CouponRefusal = "used_up"
)

// Refuses is the first reason why the coupon does not apply to an order whose items come to this sum; "" if it applies.
func (c Coupon) Refuses(items field.Money, now time.Time) CouponRefusal {
	at := field.At(now)
	switch {
	case !c.Active:
		return CouponInactive
	case c.ValidFrom != nil && at < *c.ValidFrom:
		return CouponNotYetValid
	case c.ValidTo != nil && at > *c.ValidTo:
		return CouponExpired
	case c.MinimumOrder != nil && items < *c.MinimumOrder:
		return CouponMinimum
	case c.UsageLimit != nil && c.Used >= *c.UsageLimit:
		return CouponUsedUp
	}
	return ""
}

// Discounts are what each coupon takes off the sum of the items. Percentages come first, in their order: each of what
// the ones before have left, rounded half up to 0.01. Then come amounts, never more than is left.
func Discounts(items field.Money, all []Coupon) []field.Money {
	off := make([]field.Money, len(all))
	left := items
	for _, t := range []CouponType{Percentage, Amount} {
		for i, c := range all {
			if c.Type == t {
				off[i] = min(c.Value, left)
				if c.Type == Percentage {
					// Half of the divisor rounds half up. Money has at most 14 digits, hundredths of a percent 5.
					off[i] = (left*c.Value + hundredPercent/2) / hundredPercent
				}
				left -= off[i]
			}
		}
	}
	return off
}

// CodeTwice is the index of the first code that equals an earlier one; -1 if there is none.
func CodeTwice(codes []field.Code) int {
	var seen []string
	for i, c := range codes {
		if slices.Contains(seen, FoldCode(c)) {
			return i
		}
		seen = append(seen, FoldCode(c))
	}
	return -1
}
