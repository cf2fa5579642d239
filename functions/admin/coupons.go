package admin

import (
	"context"
	"strconv"

	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/sale"
)

const couponsPath = root + "/coupons"

// allCoupons are the collection as the API has it.
var allCoupons = api.Records[sale.Coupon, sale.CouponFields]{Kind: sale.Coupons}

// coupons registers the discount codes: their list, a new one, one of them, and what is done there.
func (d door) coupons() {
	lookAt(d, couponsPath, allCoupons.Query(), d.listCoupons)
	look(d, couponsPath+"/new", func(ctx context.Context, v *visit, _ *nothing) (screen, error) {
		return newCoupon(ctx, v, page.Sent{})
	})
	look(d, couponsPath+"/{id}", d.showCoupon)
	act(d, couponsPath, d.createCoupon, newCoupon)
	act(d, couponsPath+"/{id}", d.changeCoupon, d.couponRefused)
	act(d, couponsPath+"/{id}/delete", d.deleteCoupon, nil)
}

// couponRow is a coupon in the list.
type couponRow struct {
	ID, Code, Value, Uses, Changed string
	Active                         bool
}

func (d door) listCoupons(ctx context.Context, v *visit, in *api.List) (screen, error) {
	all, err := allCoupons.List(ctx, in)
	if err != nil {
		return screen{}, err
	}
	q := query(ctx)
	data := listed(v, q, couponsPath, all.Body.Items, all.Body.NextCursor,
		v.filters(q, "code", "changed[after]", "changed[before]"), v.couponRow)
	return screen{name: "coupons", title: v.say("coupons"), data: data}, nil
}

func (v *visit) couponRow(c sale.Coupon) couponRow {
	row := couponRow{ID: c.ID, Code: string(c.Code), Value: v.money(c.Value), Uses: v.lang.Number(c.Used),
		Changed: v.moment(c.Changed), Active: c.Active}
	if c.Type == sale.Percentage {
		row.Value = v.lang.Percent(c.Value)
	}
	if c.UsageLimit != nil {
		row.Uses += " / " + v.lang.Number(*c.UsageLimit)
	}
	return row
}

// couponForm is a coupon's form.
type couponForm struct {
	page.Form
	Fields []page.Field
	ID     string // "" of a new one
	Uses   string
	Active bool
}

// couponFields are the fields of a coupon.
func (v *visit) couponFields(s page.Sent) (page.Form, []page.Field) {
	f := v.filler(s)
	kind := f.Field("type", "off", page.Must).Of(page.Option{Value: "percentage", Text: v.say("coupon.percentage")},
		page.Option{Value: "amount", Text: v.say("coupon.amount") + " (" + v.shop.Currency + ")"}).Halved()
	fields := []page.Field{
		f.Field("code", "off", page.Must), kind, f.Number("value", page.Must).Halved(),
		f.Number("minimumOrder", page.May).Halved(),
		f.Number("usageLimit", page.May).Halved(), f.Moment("validFrom", page.May).Halved(),
		f.Moment("validTo", page.May).Halved(),
		f.Box("active", "active"),
	}
	return f.Done(), fields
}

func newCoupon(_ context.Context, v *visit, s page.Sent) (screen, error) {
	if s.Values == nil {
		s.Values = map[string][]string{"active": {"true"}, "type": {"percentage"}}
	}
	form, fields := v.couponFields(s)
	return screen{name: "coupon", title: v.say("coupon.new"), above: v.above("coupons", couponsPath),
		data: couponForm{Form: form, Fields: fields}}, nil
}

func (d door) showCoupon(ctx context.Context, v *visit, in *api.ByID) (screen, error) {
	return d.couponScreen(ctx, v, in.ID, page.Sent{})
}

// couponRefused is the form of a coupon with what was sent.
func (d door) couponRefused(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	return d.couponScreen(ctx, v, api.From(ctx).PathValue("id"), s)
}

func (d door) couponScreen(ctx context.Context, v *visit, id string, s page.Sent) (screen, error) {
	c, err := sale.Coupons.Read(ctx, d.Main, v.shop.ID, id)
	if err != nil {
		return screen{}, err
	}
	form, fields := v.couponFields(s.Or(couponValues(c)))
	return screen{name: "coupon", title: string(c.Code), above: v.above("coupons", couponsPath),
		data: couponForm{Form: form, Fields: fields, ID: c.ID, Uses: v.couponRow(c).Uses, Active: c.Active}}, nil
}

// couponValues are what a coupon's form shows.
func couponValues(c sale.Coupon) map[string][]string {
	values := map[string][]string{"code": {string(c.Code)}, "type": {string(c.Type)}, "value": {c.Value.String()},
		"active": {strconv.FormatBool(c.Active)}, "validFrom": {c.ValidFrom.Local()}, "validTo": {c.ValidTo.Local()}}
	if c.MinimumOrder != nil {
		values["minimumOrder"] = []string{c.MinimumOrder.String()}
	}
	if c.UsageLimit != nil {
		values["usageLimit"] = []string{strconv.FormatInt(*c.UsageLimit, 10)}
	}
	return values
}

func (d door) createCoupon(ctx context.Context, v *visit, in *api.Create[sale.CouponFields]) (string, error) {
	v.says("created")
	c, err := sale.Coupons.Create(ctx, unit(ctx), in.Body)
	return couponsPath + "/" + c.ID, err
}

func (d door) changeCoupon(ctx context.Context, v *visit, in *api.Change[sale.CouponFields]) (string, error) {
	v.says("saved")
	_, err := sale.Coupons.Change(ctx, unit(ctx), in.ID, func(was sale.CouponFields) (sale.CouponFields, error) {
		return api.Apply(ctx, in.Body, was)
	})
	return couponsPath + "/" + in.ID, err
}

func (d door) deleteCoupon(ctx context.Context, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	return couponsPath, sale.Coupons.Delete(ctx, unit(ctx), in.ID)
}
