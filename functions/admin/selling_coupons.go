package admin

import (
	"net/url"
	"strconv"

	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// couponsPath is where the discount coupons are.
const couponsPath = root + "/coupons"

// couponPages is the discount codes.
var couponPages = recordPages[sale.Coupon, sale.CouponFields]{
	records: api.Records[sale.Coupon, sale.CouponFields]{Kind: sale.Coupons},
	path:    couponsPath, many: "coupons", one: "coupon",
	filters: []string{"code", "changed[after]", "changed[before]"},
	columns: []column{{Text: "code"}, {Text: "state"}, {Text: "value", Right: true}, {Text: "used", Right: true},
		{Text: "changed"}},
	row: func(v *visit, c sale.Coupon) row {
		// A coupon's value is per cent or an amount, as its type says.
		value := v.money(c.Value)
		if c.Type == sale.Percentage {
			value = v.lang.Percent(c.Value)
		}
		state := v.couponState(c)
		return row{ID: c.ID, State: state.Mark, Cells: []cell{{Text: string(c.Code), Path: couponsPath + "/" + c.ID},
			{State: state}, {Text: value}, {Text: v.uses(c)}, {Text: v.moment(c.Changed)}}}
	},
	first: url.Values{"active": {"true"}, "type": {"percentage"}},
	values: func(coupon sale.Coupon) url.Values {
		values := url.Values{"code": {string(coupon.Code)}, "type": {string(coupon.Type)},
			"value": {coupon.Value.String()}, "active": {strconv.FormatBool(coupon.Active)},
			"validFrom": {coupon.ValidFrom.Local()}, "validTo": {coupon.ValidTo.Local()}}
		// nil is no limit: an empty field.
		if coupon.MinimumOrder != nil {
			values.Set("minimumOrder", coupon.MinimumOrder.String())
		}
		if coupon.UsageLimit != nil {
			values.Set("usageLimit", strconv.FormatInt(*coupon.UsageLimit, 10))
		}
		return values
	},
	fields: func(v *visit, p *sheet, _ string, f *page.Filler) {
		kind := f.Field("type", "off", page.Must).OneOf(
			page.Option{Value: "percentage", Text: v.say("coupon.percentage")},
			page.Option{Value: "amount", Text: v.say("coupon.amount") + " (" + v.shop.Currency + ")"})
		p.Fields = []page.Field{f.Field("code", "off", page.Must), kind.Halved(), f.Number("value", page.Must).Halved(),
			f.Number("minimumOrder", page.May).Halved(), f.Number("usageLimit", page.May).Halved(),
			f.Moment("validFrom", page.May).Halved(), f.Moment("validTo", page.May).Halved(), f.Box("active", "active")}
	},
	show: func(v *visit, p *sheet, c sale.Coupon) {
		p.title, p.State, p.Aside = string(c.Code), v.activity(c.Active).Mark, v.say("used")+": "+v.uses(c)
	},
}

// couponState is the coupon's state in words. A coupon that is switched on may still be too early, over or used up.
func (v *visit) couponState(c sale.Coupon) shownState {
	state, now := v.activity(c.Active), field.At(v.now)
	switch {
	case !c.Active:
	case c.ValidTo != nil && *c.ValidTo < now:
		state.Name, state.Look = v.say("coupon.ended"), ""
	case c.ValidFrom != nil && *c.ValidFrom > now:
		state.Name, state.Look = v.say("coupon.later"), "warn"
	case c.UsageLimit != nil && c.Used >= *c.UsageLimit:
		state.Name, state.Look = v.say("coupon.usedUp"), ""
	}
	return state
}

// uses says how often a coupon was used, and how often it may be.
func (v *visit) uses(c sale.Coupon) string {
	if c.UsageLimit != nil {
		return v.lang.Number(c.Used) + " / " + v.lang.Number(*c.UsageLimit)
	}
	return v.lang.Number(c.Used)
}
