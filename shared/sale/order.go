package sale

import (
	"slices"
	"strconv"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// Order as answers show it, and as its item keeps it.
type Order struct {
	record.Head
	Number string `json:"number" doc:"The number that people see: the year and a number that counts up, unique per shop" example:"2026000123"`
	OrderFields
	CustomerID      string          `json:"customerId,omitempty" doc:"The id of the customer, which stays when the customer is deleted"`
	Email           field.Email     `json:"email"`
	Phone           field.Line      `json:"phone,omitempty"`
	BillingAddress  *OrderAddress   `json:"billingAddress,omitempty"`
	DeliveryAddress *OrderAddress   `json:"deliveryAddress,omitempty"`
	Currency        string          `json:"currency" example:"CZK"`
	Items           []OrderLine     `json:"items"`
	DiscountCoupons []OrderDiscount `json:"discountCoupons"`
	Totals          OrderTotals     `json:"totals"`
	Shipping        OrderShipping   `json:"orderDeliveryPayment"`
	Moves           []OrderMove     `json:"-"` // see History
	Maker           events.Actor    `json:"-"` // who made it, where that is stored: see History
	Returned        bool            `json:"-"` // its stock was put back, which happens once, or never taken
	Basket          string          `json:"-"` // the id of the basket that it was made of; "" of one that an add-on made
	Page            string          `json:"-"` // the end of its page's address: only in the answer of the checkout that made it
	secretHash      string          // of the secret in Page
}

// Person is of whom an answer with the order tells; "" of a guest's.
func (o Order) Person() string { return o.CustomerID }

// OrderLine is a product as it was sold: a snapshot, prices with VAT.
type OrderLine struct {
	ID          string       `json:"id"`
	ProductID   string       `json:"productId"`
	VariantID   string       `json:"variantId,omitempty"`
	Code        field.Code   `json:"code"`
	Name        field.Name   `json:"name"`
	VariantName field.Name   `json:"variantName,omitempty"`
	Quantity    int64        `json:"quantity"`
	UnitPrice   field.Money  `json:"unitPrice"`
	Total       field.Money  `json:"total"`
	VATRate     field.Rate   `json:"vatRate,omitempty"`
	QuoteID     string       `json:"quoteId,omitempty" doc:"The id of the price quote that the line was sold at"`
	Note        field.Text   `json:"note,omitempty"`
	Images      []OrderImage `json:"images" doc:"The images of the line's price quote"`
}

// FullName is the name of what was sold, with its variant's.
func (l OrderLine) FullName() string { return catalog.FullName(l.Name, l.VariantName) }

// Shown are the order's lines as its shopper saw them in the basket. They are a snapshot: nothing is looked up in the
// catalog, so they have no pictures of products. Their ids are left out: nobody tells two lines of an order apart.
func (o *Order) Shown() []BasketLine {
	return each.Of(o.Items, func(l OrderLine) BasketLine {
		return BasketLine{ProductID: l.ProductID, VariantID: l.VariantID, Code: l.Code, Name: l.FullName(),
			Quantity: l.Quantity, UnitPrice: l.UnitPrice, Total: l.Total, Note: l.Note, Images: l.Images}
	})
}

// OrderImage belongs to the price quote of a line.
type OrderImage struct {
	ID  string `json:"id"`
	URL string `json:"url" example:"https://api.example.com/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-…"`
}

// OrderDiscount is what a coupon took off the order.
type OrderDiscount struct {
	ID       string      `json:"id"`
	Code     field.Code  `json:"code"`
	Type     CouponType  `json:"type" enum:"percentage,amount"`
	Value    field.Money `json:"value"`
	Discount field.Money `json:"discount"`
}

// OrderTotals of an order: discount is positive, total is items less discount.
type OrderTotals struct {
	Items    field.Money `json:"items"`
	Discount field.Money `json:"discount"`
	Total    field.Money `json:"total"`
}

// OrderShipping is how an order is delivered and paid; what has no value is null.
type OrderShipping struct {
	Delivery       *string `json:"delivery" nullable:"true" doc:"The name of the way of delivery"`
	Payment        *string `json:"payment" nullable:"true" doc:"The name of the way of payment"`
	TrackingNumber *string `json:"trackingNumber" nullable:"true"`
	TrackingLink   *string `json:"trackingLink" nullable:"true"`
}

// OrderAddress is where to send an order or its invoice.
type OrderAddress struct {
	FirstName field.Name `json:"firstName" example:"Jana"`
	LastName  field.Name `json:"lastName" example:"Nováková"`
	Company   field.Line `json:"company,omitempty"`
	CompanyID field.Line `json:"companyId,omitempty"`
	VATID     field.Line `json:"vatId,omitempty"`
	Street    field.Line `json:"street" required:"false" doc:"The street with its number, needed unless it is the billing address of an order that is picked up" example:"Dlouhá 12"`
	City      field.Name `json:"city" example:"Brno"`
	Zip       field.Line `json:"zip" doc:"The postcode, empty where a country has none" example:"602 00"`
	Country   string     `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters as ISO 3166-1 has them" example:"CZ"`
}

// OrderNew is the body of a POST. Names, prices, currency, number and totals are the platform's.
type OrderNew struct {
	Email           field.Email    `json:"email"`
	Items           []OrderNewLine `json:"items" minItems:"1" maxItems:"90"`
	CustomerID      string         `json:"customerId,omitempty" doc:"The id of a customer of the shop; the order is sold at the customer's price level"`
	Phone           field.Line     `json:"phone,omitempty" example:"+420 601 123 456"`
	BillingAddress  *OrderAddress  `json:"billingAddress,omitempty"`
	DeliveryAddress *OrderAddress  `json:"deliveryAddress,omitempty"`
	DiscountCoupons []field.Code   `json:"discountCoupons" required:"false" maxItems:"5" doc:"The codes of coupons: percentages are taken off first, in this order, each of what is left; then amounts"`
	Shipping        *OrderMethods  `json:"orderDeliveryPayment,omitempty"`
	StateID         string         `json:"stateId,omitempty" doc:"The id of the first state; without it the one with the lowest position"`
	Note            field.Text     `json:"note,omitempty"`
}

// OrderNewLine is what is ordered.
type OrderNewLine struct {
	ProductID string     `json:"productId"`
	VariantID string     `json:"variantId,omitempty" doc:"The id of the variant, needed when the product has some"`
	Quantity  int64      `json:"quantity" minimum:"1" maximum:"999999999999"`
	Note      field.Text `json:"note,omitempty"`
}

// OrderMethods are the names of the methods of delivery and payment.
type OrderMethods struct {
	Delivery field.Line `json:"delivery,omitempty" example:"Zásilkovna"`
	Payment  field.Line `json:"payment,omitempty" example:"Kartou"`
}

// OrderFields are what a PATCH changes.
type OrderFields struct {
	StateID string     `json:"stateId"`
	Note    field.Text `json:"note,omitempty"`
}

// OrderTracking is what the PATCH of orderDeliveryPayment changes.
type OrderTracking struct {
	TrackingNumber field.Line `json:"trackingNumber,omitempty" maxLength:"64" example:"DR1234567890C"`
	TrackingLink   string     `json:"trackingLink,omitempty" maxLength:"2000" doc:"The address at which the shipment is tracked: an http or https URL" example:"https://tracking.example.com/DR1234567890C"`
}

// OrderMove is a state that an order was in, since when, and who brought it there.
type OrderMove struct {
	State string // its id
	At    field.Time
	By    events.Actor // "" where that was not kept, as in orders of earlier releases
}

// maxMoves is how many states the history of an order has at most, so that its item stays within bounds.
const maxMoves = 100

// History is the states that the order has been in, oldest first: the state that it was made in, and the last ones that
// it was moved to, a hundred in all. An order that was never moved stores none of it.
func (o Order) History() []OrderMove {
	if len(o.Moves) > 0 {
		return o.Moves
	}
	return []OrderMove{{o.StateID, o.Created, o.madeBy()}}
}

// madeBy is who made the order: a shopper, by a basket, or who is stored.
func (o Order) madeBy() events.Actor {
	if o.Basket != "" {
		return events.Shopper
	}
	return o.Maker
}

// historyWith is the order's history with a move to another state. If it is full, the oldest move behind the first
// state goes.
func (o Order) historyWith(move OrderMove) []OrderMove {
	all := append(slices.Clone(o.History()), move)
	if len(all) > maxMoves {
		all = slices.Delete(all, 1, 2)
	}
	return all
}

// check refuses a new order for faults that need no store to be found.
func (n OrderNew) check() error {
	var f problem.Faults
	if i := CodeTwice(n.DiscountCoupons); i >= 0 {
		f.Add("discountCoupons["+strconv.Itoa(i)+"]", problem.Duplicate,
			"is in the list twice: codes are compared without case")
	}
	return f.Err()
}

// check refuses a tracking for faults that need no store to be found.
func (t OrderTracking) check() error {
	if t.TrackingLink != "" && !field.WebAddress(t.TrackingLink) {
		return problem.InvalidAt("trackingLink", problem.BadFormat, field.WebAddressRule)
	}
	return nil
}

// tracking of an order, as its PATCH changes it.
func (s OrderShipping) tracking() OrderTracking {
	return OrderTracking{
		TrackingNumber: field.Line(textOrEmpty(s.TrackingNumber)), TrackingLink: textOrEmpty(s.TrackingLink)}
}

// with is the shipping with another tracking.
func (s OrderShipping) with(t OrderTracking) OrderShipping {
	s.TrackingNumber, s.TrackingLink = orNil(string(t.TrackingNumber)), orNil(t.TrackingLink)
	return s
}

// shipping is how a new order is delivered and paid.
func (m *OrderMethods) shipping() OrderShipping {
	if m == nil {
		return OrderShipping{}
	}
	return OrderShipping{Delivery: orNil(string(m.Delivery)), Payment: orNil(string(m.Payment))}
}

// textOrEmpty is the text, "" of nil.
func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// orNil is the text, nil when it is empty: answers show null.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// MaxMoney is the most that money can be: 12 digits before the point.
const MaxMoney field.Money = 999_999_999_999_99

// price gives lines their totals and adds them up. It refuses lines, or a sum, that are more than money can be.
func price(lines []OrderLine) (field.Money, error) {
	var sum field.Money
	var faults problem.Faults
	for i := range lines {
		l := &lines[i]
		if l.UnitPrice > 0 && l.Quantity > int64(MaxMoney/l.UnitPrice) {
			faults.Add(at(i, "quantity"), problem.TooBig, "makes the line's total longer than 12 digits")
			continue
		}
		l.Total = l.UnitPrice * field.Money(l.Quantity)
		sum += l.Total
	}
	// Only if no line has a fault of its own: the sum then is that of all lines.
	if sum > MaxMoney && len(faults) == 0 {
		faults.Add("items", problem.TooBig, "come to more than 12 digits")
	}
	return sum, faults.Err()
}

// at is the location of a field of a line.
func at(i int, field string) string { return "items[" + strconv.Itoa(i) + "]." + field }

// discount takes the coupons off the sum of the items.
func discount(items field.Money, all []Coupon) ([]OrderDiscount, OrderTotals) {
	t := OrderTotals{Items: items, Total: items}
	list := make([]OrderDiscount, len(all))
	for i, off := range Discounts(items, all) {
		c := all[i]
		list[i] = OrderDiscount{ID: c.ID, Code: c.Code, Type: c.Type, Value: c.Value, Discount: off}
		t.Discount += off
		t.Total -= off
	}
	return list, t
}

// groups are what changed between two states of an order, as X-Webhook-Changed names it, sorted (contract, "Headers").
func groups(was, now Order) (changed []events.Group) {
	if was.Shipping.tracking() != now.Shipping.tracking() {
		changed = append(changed, events.Delivery)
	}
	if was.Note != now.Note {
		changed = append(changed, events.Note)
	}
	if was.StateID != now.StateID {
		changed = append(changed, events.State)
	}
	return changed
}

// productPieces is what the lines of an order take of one product: each variant once, in the order of the lines.
type productPieces struct {
	product string
	line    int // the first line with it
	pieces  []catalog.Pieces
}

// piecesByProduct is what the lines take of each product, in their order: an order writes each product once.
func piecesByProduct(lines []OrderLine) (all []productPieces) {
	for line, sold := range lines {
		i := slices.IndexFunc(all, func(t productPieces) bool { return t.product == sold.ProductID })
		if i < 0 {
			i, all = len(all), append(all, productPieces{product: sold.ProductID, line: line})
		}
		t := &all[i]
		n := slices.IndexFunc(t.pieces, func(p catalog.Pieces) bool { return p.Variant == sold.VariantID })
		if n < 0 {
			n, t.pieces = len(t.pieces), append(t.pieces, catalog.Pieces{Variant: sold.VariantID})
		}
		t.pieces[n].Quantity += sold.Quantity
	}
	return all
}

// eventRecord is the record of what happened to the order.
func (o Order) eventRecord(did events.Did, g ...events.Group) events.Record {
	return events.Record{Kind: events.Orders, ID: o.ID, Did: did, Groups: g, Version: o.Version}
}
