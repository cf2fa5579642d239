package sale

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Erase takes the person out of an order (contract, "Erasure"); erased is false if there was none in it. What the law
// wants stays: lines, totals, countries, and the customer's id, which names nobody any more. The quotes that its lines
// were sold at go with their notes and images.
func Erase(ctx context.Context, u *change.Unit, id string) (erased bool, err error) {
	return record.Retry(ctx, func() (bool, error) {
		was, err := Orders.Read(ctx, u.Table, u.Shop, id)
		if err != nil {
			return false, err
		}
		if !was.tells() {
			return false, nil
		}
		for _, l := range was.Items {
			if l.QuoteID != "" {
				if err := eraseQuote(ctx, u, l.QuoteID); err != nil {
					return false, err
				}
			}
		}
		now := was.erased()
		now.SetVersion(u.NextVersion(was.Version))
		records := []events.Record{now.eventRecord(events.Changed, events.Delivery, events.Note)}
		_, err = u.Write(ctx, nil, u.ChangeOf(records),
			store.Put(Orders.Item(u.Shop, now), store.VersionIs(was.Version)))
		return err == nil, err
	})
}

// erased is the order without the person.
func (o Order) erased() Order {
	o.Email, o.Phone, o.Note, o.secretHash = nobody, "", "", ""
	if o.Basket != "" {
		o.Basket = nothing // that a shopper made the order stays known
	}
	o.BillingAddress, o.DeliveryAddress = o.BillingAddress.erased(), o.DeliveryAddress.erased()
	o.Shipping = o.Shipping.with(OrderTracking{})
	o.Items = slices.Clone(o.Items)
	for i := range o.Items {
		o.Items[i].Note, o.Items[i].Images = "", []OrderImage{}
	}
	return o
}

// What stands where something must: an address that is nobody's, and a text.
const (
	nobody  = "erased@example.invalid"
	nothing = "-"
)

// erased is an address of which only the country is known.
func (a *OrderAddress) erased() *OrderAddress {
	if a == nil {
		return nil
	}
	return &OrderAddress{FirstName: nothing, LastName: nothing, Street: nothing, City: nothing, Country: a.Country}
}

// tells says whether something in the order is a person's.
func (o Order) tells() bool {
	now := o.erased()
	return string(record.Document(o)) != string(record.Document(now)) || o.secretHash != "" || o.Basket != now.Basket
}

// eraseQuote deletes a quote that an order was sold at, and lets its images end.
func eraseQuote(ctx context.Context, u *change.Unit, id string) error {
	quote, err := Quotes.Read(ctx, u.Table, u.Shop, id)
	if problem.Is(err, "not_found") {
		return nil
	}
	if err != nil {
		return err
	}
	ops := []store.Op{store.Delete(QuoteKey(u.Shop, id)), store.Delete(tokenClaimKey(u.Shop, quote.Hash))}
	for _, image := range quote.ImageIDs {
		ops = append(ops, images.EndsAt(image, quote.ID, field.At(u.Now())))
	}
	_, err = u.Write(ctx, nil, events.Nothing, ops...)
	return err
}
