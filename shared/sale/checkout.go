package sale

import (
	"cmp"
	"context"
	"slices"

	"eshop/shared/base/problem"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Checkout is what a shopper says when they order what is in their basket.
type Checkout struct {
	Email           field.Email       `json:"email"`
	FirstName       field.Name        `json:"firstName" example:"Jana"`
	LastName        field.Name        `json:"lastName" example:"Nováková"`
	Phone           field.Line        `json:"phone" minLength:"1" example:"+420 601 123 456"`
	BillingAddress  CheckoutAddress   `json:"billingAddress"`
	DeliveryAddress *CheckoutDelivery `json:"deliveryAddress,omitempty" doc:"The address of delivery, if it is not the billing address"`
	Delivery        field.Line        `json:"delivery,omitempty" doc:"How the order is delivered: the name of one of the shop's ways, or words of yours" example:"Zásilkovna"`
	Payment         field.Line        `json:"payment,omitempty" doc:"How the order is paid: the name of one of the shop's ways, or words of yours" example:"Kartou"`
	Note            field.Text        `json:"note,omitempty"`
}

// CheckoutAddress is where an order or its invoice goes; the name of the person stands beside it.
type CheckoutAddress struct {
	Street    field.Line `json:"street,omitempty" doc:"The street with its number, needed unless it is the billing address of an order that is picked up" example:"Dlouhá 12"`
	City      field.Name `json:"city" example:"Brno"`
	Zip       field.Line `json:"zip" doc:"The postcode, empty where a country has none" example:"602 00"`
	Country   string     `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters as ISO 3166-1 has them" example:"CZ"`
	Company   field.Line `json:"company,omitempty"`
	CompanyID field.Line `json:"companyId,omitempty"`
	VATID     field.Line `json:"vatId,omitempty"`
}

// CheckoutDelivery is an address that may have a name of its own.
type CheckoutDelivery struct {
	CheckoutAddress
	FirstName field.Name `json:"firstName,omitempty" doc:"The name at this address; without it that of the order" example:"Jana"`
	LastName  field.Name `json:"lastName,omitempty" doc:"The name at this address; without it that of the order" example:"Nováková"`
}

// Check refuses addresses without a street that need one. pickedUp says whether the customer comes for the order. It is
// asked before Baskets.Checkout, so that a form that is refused for it counts as no try.
func (c Checkout) Check(pickedUp bool) error {
	var delivery *OrderAddress
	if d := c.DeliveryAddress; d != nil {
		delivery = &OrderAddress{Street: d.Street}
	}
	return needStreets(&OrderAddress{Street: c.BillingAddress.Street}, delivery,
		func() (bool, error) { return pickedUp, nil })
}

// order is the body of the order that the form makes of the basket. The name goes into both addresses (contract,
// "Baskets and checkout").
func (c Checkout) order(basket *Basket, s Shopper) OrderNew {
	billing := c.BillingAddress.named(c.FirstName, c.LastName)
	order := OrderNew{Email: c.Email, CustomerID: s.Customer, Phone: c.Phone, BillingAddress: &billing, Note: c.Note,
		Shipping: &OrderMethods{Delivery: c.Delivery, Payment: c.Payment}}
	if d := c.DeliveryAddress; d != nil {
		delivery := d.named(cmp.Or(d.FirstName, c.FirstName), cmp.Or(d.LastName, c.LastName))
		order.DeliveryAddress = &delivery
	}
	for _, l := range basket.Items {
		order.Items = append(order.Items, OrderNewLine{ProductID: l.ProductID, VariantID: l.VariantID,
			Quantity: l.Quantity})
	}
	if basket.coupon != nil {
		order.DiscountCoupons = []field.Code{basket.coupon.Code}
	}
	return order
}

// named is the address as that of a person on an order.
func (a CheckoutAddress) named(first, last field.Name) OrderAddress {
	return OrderAddress{FirstName: first, LastName: last, Company: a.Company, CompanyID: a.CompanyID, VATID: a.VATID,
		Street: a.Street, City: a.City, Zip: a.Zip, Country: a.Country}
}

// Checkout makes an order of the basket and empties the basket, in one transaction (contract, "Baskets and checkout").
// It charges what was shown last. If the basket costs something else now, it shows the basket anew and takes nothing.
// The order's Page is in this answer only, which an Idempotency-Key keeps for a day.
func (b Baskets) Checkout(ctx context.Context, u *change.Unit, s Shopper, form Checkout) (*Order, error) {
	// Made once for all tries: if a try was done after all although it seemed to fail, its order has this secret.
	pageSecret := secret.New(u.Random)
	p := &placing{Ordering: b.Ordering, unit: u, id: u.NewID()}
	return record.Retry(ctx, func() (*Order, error) { return b.tryCheckout(ctx, p, s, form, pageSecret) })
}

// tryCheckout tries the checkout once. It fails with the store's *store.ConditionError if the basket, a product or the
// coupon has changed since it was read. So of many checkouts of one basket one makes an order, and the others find the
// basket empty.
func (b Baskets) tryCheckout(
	ctx context.Context, p *placing, shopper Shopper, form Checkout, pageSecret string,
) (*Order, error) {
	basket, err := b.read(ctx, p.unit, shopper)
	if err != nil {
		return nil, err
	}
	if len(basket.Items) == 0 {
		return nil, problem.Conflict("basket_empty", "There is nothing in the basket to order.")
	}
	order, err := p.plan(ctx, wanted{OrderNew: form.order(basket, shopper), level: shopper.Level, lines: basket.Items})
	if err != nil {
		return nil, err
	}
	shown := basket.prices()
	basket.reprice(order.heads, order.variants, shopper.Level)
	if basket.coupon != nil {
		// plan has refused a coupon that does not apply, so there is exactly one.
		basket.coupon = order.coupons[0].inBasket()
	}
	// Nobody is charged a price that they were not shown.
	if basket.computeTotals(p.unit.Now()); !slices.Equal(basket.prices(), shown) {
		// What is in the problem counts as shown: the next checkout charges it.
		if err := b.save(ctx, p.unit, shopper, basket, nil); err != nil {
			return nil, err
		}
		return nil, problem.Conflict("prices_changed",
			"Prices have changed since the basket was shown: nothing was ordered.").With("basket", basket)
	}
	// The address of the order's page ends with the id, by which the order is found, and a secret text
	// (shared/ports/secret). The order keeps only the secret's hash.
	order.Basket, order.Page, order.secretHash = shopper.Basket, order.ID+pageSecret, secret.Hash(pageSecret)
	return p.write(ctx, order, basket.checkoutOps(p.unit, order.Order)...)
}

// checkoutOps is what a checkout writes beside the order: the basket without what was ordered, and at each quote its
// order.
func (b *Basket) checkoutOps(u *change.Unit, o Order) []store.Op {
	emptied := Basket{LastOrder: o.ID, version: b.version}
	ops := []store.Op{emptied.put(u.Shop, o.Basket, u.NextVersion(b.version), u.Now())}
	for _, l := range b.Items {
		if q := l.quote; q != nil {
			ops = append(ops, q.NoteOrder(u.Shop, o.ID, u.NextVersion(q.Version)))
		}
	}
	return ops
}
