// Package orders is the orders of a shop and the states they go through (contract, section 4, "Orders" and "Order
// states"). Placing an order takes stock and uses coupons in the transaction that makes it.
package orders

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/field"
	"eshop/shared/record"
	"eshop/shared/sale"
)

// Order as answers show it, and as its item keeps it.
type Order struct {
	ID              string     `json:"id"`
	Number          string     `json:"number" doc:"The year and a number that counts up, unique per shop" example:"2026000123"`
	StateID         string     `json:"stateId"`
	CustomerID      string     `json:"customerId,omitempty" doc:"Stays when the customer is deleted"`
	Email           api.Email  `json:"email"`
	Phone           api.Line   `json:"phone,omitempty"`
	BillingAddress  *Address   `json:"billingAddress,omitempty"`
	DeliveryAddress *Address   `json:"deliveryAddress,omitempty"`
	Currency        string     `json:"currency" example:"CZK"`
	Items           []Line     `json:"items"`
	DiscountCoupons []Discount `json:"discountCoupons"`
	Totals          Totals     `json:"totals"`
	Shipping        Shipping   `json:"orderDeliveryPayment"`
	Note            api.Text   `json:"note,omitempty"`
	Created         api.Time   `json:"created"`
	Changed         api.Time   `json:"changed"`
	Version         string     `json:"-"` // its time is Changed
	Returned        bool       `json:"-"` // its stock was put back, which happens once
}

// Line is a product as it was sold: a snapshot, prices with VAT.
type Line struct {
	ID          string     `json:"id"`
	ProductID   string     `json:"productId"`
	VariantID   string     `json:"variantId,omitempty"`
	Code        api.Code   `json:"code"`
	Name        api.Name   `json:"name"`
	VariantName api.Name   `json:"variantName,omitempty"`
	Quantity    int64      `json:"quantity"`
	UnitPrice   api.Money  `json:"unitPrice"`
	Total       api.Money  `json:"total"`
	VATRate     field.Rate `json:"vatRate,omitempty"`
	QuoteID     string     `json:"quoteId,omitempty" doc:"Of the price quote that it was sold at"`
	Note        api.Text   `json:"note,omitempty"`
	Images      []Image    `json:"images" doc:"Those of its price quote"`
}

// Image belongs to the price quote of a line.
type Image struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// Discount is what a coupon took off the order.
type Discount struct {
	ID       string          `json:"id"`
	Code     api.Code        `json:"code"`
	Type     sale.CouponType `json:"type" enum:"percentage,amount"`
	Value    api.Money       `json:"value"`
	Discount api.Money       `json:"discount"`
}

// Totals of an order: discount is positive, total is items less discount.
type Totals struct {
	Items    api.Money `json:"items"`
	Discount api.Money `json:"discount"`
	Total    api.Money `json:"total"`
}

// Shipping is how an order is delivered and paid; what has no value is null.
type Shipping struct {
	Delivery       *string `json:"delivery" nullable:"true" doc:"The delivery method's name"`
	Payment        *string `json:"payment" nullable:"true" doc:"The payment method's name"`
	TrackingNumber *string `json:"trackingNumber" nullable:"true"`
	TrackingLink   *string `json:"trackingLink" nullable:"true"`
}

// Address is where to send an order or its invoice.
type Address struct {
	FirstName api.Name `json:"firstName" example:"Jana"`
	LastName  api.Name `json:"lastName" example:"Nováková"`
	Company   api.Line `json:"company,omitempty"`
	CompanyID api.Line `json:"companyId,omitempty"`
	VATID     api.Line `json:"vatId,omitempty"`
	Street    api.Name `json:"street" example:"Dlouhá 12"`
	City      api.Name `json:"city" example:"Brno"`
	Zip       api.Line `json:"zip" doc:"May be empty where a country has none" example:"602 00"`
	Country   string   `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters as ISO 3166-1 has them" example:"CZ"`
}

// New is the body of a POST. Names, prices, currency, number and totals are the platform's.
type New struct {
	Email           api.Email  `json:"email"`
	Items           []NewLine  `json:"items" minItems:"1" maxItems:"90"`
	CustomerID      string     `json:"customerId,omitempty" doc:"A customer of the shop; the order is sold at the customer's price level"`
	Phone           api.Line   `json:"phone,omitempty" example:"+420 601 123 456"`
	BillingAddress  *Address   `json:"billingAddress,omitempty"`
	DeliveryAddress *Address   `json:"deliveryAddress,omitempty"`
	DiscountCoupons []api.Code `json:"discountCoupons" required:"false" maxItems:"5" doc:"Codes: percentages are taken off first, in this order, each of what is left; then amounts"`
	Shipping        *Methods   `json:"orderDeliveryPayment,omitempty"`
	StateID         string     `json:"stateId,omitempty" doc:"Without it: the state with the lowest position"`
	Note            api.Text   `json:"note,omitempty"`
}

// NewLine is what is ordered.
type NewLine struct {
	ProductID string   `json:"productId"`
	VariantID string   `json:"variantId,omitempty" doc:"Needed when the product has variants"`
	Quantity  int64    `json:"quantity" minimum:"1" maximum:"999999999999"`
	Note      api.Text `json:"note,omitempty"`
}

// Methods are the names of the methods of delivery and payment.
type Methods struct {
	Delivery api.Line `json:"delivery,omitempty" example:"Zásilkovna"`
	Payment  api.Line `json:"payment,omitempty" example:"Kartou"`
}

// Fields are what a PATCH changes.
type Fields struct {
	StateID string   `json:"stateId"`
	Note    api.Text `json:"note,omitempty"`
}

// Tracking is what the PATCH of orderDeliveryPayment changes.
type Tracking struct {
	TrackingNumber api.Line `json:"trackingNumber,omitempty" maxLength:"64" example:"DR1234567890C"`
	TrackingLink   string   `json:"trackingLink,omitempty" maxLength:"2000" doc:"An http or https URL" example:"https://tracking.example.com/DR1234567890C"`
}

// check finds what is wrong with a new order whatever is stored.
func (n New) check() error {
	var f api.Faults
	if i := sale.CodeTwice(n.DiscountCoupons); i >= 0 {
		f.Add("discountCoupons["+strconv.Itoa(i)+"]", api.Duplicate, "is in the list twice: codes are compared without case")
	}
	return f.Err()
}

// check finds what is wrong with a tracking whatever is stored.
func (t Tracking) check() error {
	if t.TrackingLink != "" && !webAddress(t.TrackingLink) {
		return api.InvalidAt("trackingLink", api.BadFormat, "must be an http or https URL")
	}
	return nil
}

// webAddress says whether s is an absolute http or https URL.
func webAddress(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// tracking of an order, as its PATCH changes it.
func (s Shipping) tracking() Tracking {
	return Tracking{TrackingNumber: api.Line(text(s.TrackingNumber)), TrackingLink: text(s.TrackingLink)}
}

// with is the shipping with another tracking.
func (s Shipping) with(t Tracking) Shipping {
	s.TrackingNumber, s.TrackingLink = value(string(t.TrackingNumber)), value(t.TrackingLink)
	return s
}

// shipping is how a new order is delivered and paid.
func (m *Methods) shipping() Shipping {
	if m == nil {
		return Shipping{}
	}
	return Shipping{Delivery: value(string(m.Delivery)), Payment: value(string(m.Payment))}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// value is the text, nil when it is empty.
func value(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// MaxMoney is the most that money can be: 12 digits before the point.
const MaxMoney api.Money = 999_999_999_999_99

// price gives lines their totals and adds them up; a fault where one or all are more than money can be.
func price(lines []Line) (api.Money, error) {
	var sum api.Money
	var f api.Faults
	for i := range lines {
		l := &lines[i]
		if l.UnitPrice > 0 && l.Quantity > int64(MaxMoney/l.UnitPrice) {
			f.Add(at(i, "quantity"), api.TooBig, "makes the line's total longer than 12 digits")
			continue
		}
		l.Total = l.UnitPrice * api.Money(l.Quantity)
		sum += l.Total
	}
	if sum > MaxMoney && len(f) == 0 {
		f.Add("items", api.TooBig, "come to more than 12 digits")
	}
	return sum, f.Err()
}

// at is the place of a field of a line.
func at(i int, field string) string { return "items[" + strconv.Itoa(i) + "]." + field }

// discount takes the coupons off the sum of the items.
func discount(items api.Money, all []sale.Coupon) ([]Discount, Totals) {
	t := Totals{Items: items, Total: items}
	list := make([]Discount, len(all))
	for i, off := range sale.Discounts(items, all) {
		c := all[i]
		list[i] = Discount{ID: c.ID, Code: c.Code, Type: c.Type, Value: c.Value, Discount: off}
		t.Discount += off
		t.Total -= off
	}
	return list, t
}

// groups are what changed between two states of an order, as X-Webhook-Changed names it, sorted (contract, section 5).
func groups(was, now Order) (g []events.Group) {
	if was.Shipping.tracking() != now.Shipping.tracking() {
		g = append(g, events.Delivery)
	}
	if was.Note != now.Note {
		g = append(g, events.Note)
	}
	if was.StateID != now.StateID {
		g = append(g, events.State)
	}
	return g
}

// pieces is what the lines take of one product.
type pieces struct {
	product string
	of      catalog.Move
	order   []string // its variants, in the order of the lines
}

// moves are the pieces of each product of the lines, in their order.
func moves(lines []Line) []*pieces {
	var all []*pieces
	by := map[string]*pieces{}
	for _, l := range lines {
		p := by[l.ProductID]
		if p == nil {
			p = &pieces{product: l.ProductID, of: catalog.Move{}}
			by[l.ProductID], all = p, append(all, p)
		}
		if !slices.Contains(p.order, l.VariantID) {
			p.order = append(p.order, l.VariantID)
		}
		p.of[l.VariantID] += l.Quantity
	}
	return all
}

// at gives the order a version and the moment that goes with it.
func (o Order) at(version string) Order {
	o.Version, o.Changed = version, record.ChangedAt(version)
	return o
}

// record is what happened to the order.
func (o Order) record(did events.Did, g ...events.Group) events.Record {
	return events.Record{Kind: events.Orders, ID: o.ID, Did: did, Groups: g, Version: o.Version}
}
