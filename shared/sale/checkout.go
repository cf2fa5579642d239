package sale

import (
	"context"

	"eshop/shared/change"
	"eshop/shared/field"
)

// Checkout is what a shopper says when they order what is in their basket.
type Checkout struct {
	Email           field.Email       `json:"email"`
	FirstName       field.Name        `json:"firstName" example:"Jana"`
	LastName        field.Name        `json:"lastName" example:"Nováková"`
	Phone           field.Line        `json:"phone" minLength:"1" example:"+420 601 123 456"`
	BillingAddress  CheckoutAddress   `json:"billingAddress"`
	DeliveryAddress *CheckoutDelivery `json:"deliveryAddress,omitempty" doc:"Where it is not the billing address"`
	Delivery        field.Line        `json:"delivery,omitempty" doc:"The delivery method's name" example:"Zásilkovna"`
	Payment         field.Line        `json:"payment,omitempty" doc:"The payment method's name" example:"Kartou"`
	Note            field.Text        `json:"note,omitempty"`
}

// CheckoutAddress is where to send an order or its invoice: to whom stands beside it.
type CheckoutAddress struct {
	Street    field.Name `json:"street" example:"Dlouhá 12"`
	City      field.Name `json:"city" example:"Brno"`
	Zip       field.Line `json:"zip" doc:"May be empty where a country has none" example:"602 00"`
	Country   string     `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters as ISO 3166-1 has them" example:"CZ"`
	Company   field.Line `json:"company,omitempty"`
	CompanyID field.Line `json:"companyId,omitempty"`
	VATID     field.Line `json:"vatId,omitempty"`
}

// CheckoutDelivery is an address that may have a name of its own.
type CheckoutDelivery struct {
	CheckoutAddress
	FirstName field.Name `json:"firstName,omitempty" doc:"Without it that of the order"`
	LastName  field.Name `json:"lastName,omitempty" doc:"Without it that of the order"`
}

// Checkout makes the order of what is in the basket and empties it, in one transaction (contract, section 6). The
// order's Secret is what its page is found by; it is in this answer only.
func (b Baskets) Checkout(ctx context.Context, u *change.Unit, s Shopper, form Checkout) (*Order, error) {
	panic("to be written")
}
