// Package customer is the registered customers of a shop (contract, "Customers"). customer.go says what a customer is
// and which groups of fields a change touched, items.go where it is kept and which values are unique in a shop,
// account.go what shoppers do with their own accounts.
package customer

import (
	"eshop/events"
	"eshop/shared/base/words"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// Customer is a registered customer as answers show it, and as its item keeps it.
type Customer struct {
	record.Head
	Fields
}

// Fields are what a client can write, which is what counts as registration data.
type Fields struct {
	ExternalID field.Line `json:"externalId,omitempty" doc:"Your own id of the customer, unique per shop" example:"crm-1042"`
	Profile
	PriceLevel field.Line `json:"priceLevel,omitempty" doc:"The level at which the storefront sells to this customer; else default" example:"wholesale"`
	Note       field.Text `json:"note,omitempty" doc:"A note of the merchant's, for the shop's people" example:"Calls before noon"`
}

// Profile is the fields that customers write of themselves when they register, and later (contract, "Accounts").
type Profile struct {
	Email           field.Email `json:"email" doc:"The customer's e-mail address, unique per shop, compared without case. ASCII before the @; the host may be an international name."`
	FirstName       field.Name  `json:"firstName" example:"Jana"`
	LastName        field.Name  `json:"lastName" example:"Nováková"`
	Phone           field.Line  `json:"phone,omitempty" example:"+420 601 123 456"`
	Company         field.Line  `json:"company,omitempty" example:"Novák a syn s.r.o."`
	CompanyID       field.Line  `json:"companyId,omitempty" doc:"The company's registration number" example:"27074358"`
	VATID           field.Line  `json:"vatId,omitempty" doc:"The company's VAT number" example:"CZ27074358"`
	BillingAddress  *Address    `json:"billingAddress,omitempty"`
	DeliveryAddress *Address    `json:"deliveryAddress,omitempty" doc:"The address of delivery, if it is not the billing address"`
}

// Person is of whom an answer with the customer tells.
func (c Customer) Person() string { return c.ID }

// Words are those by which a search finds the customer: of the names, the company, the e-mail address and the phone.
func (c Customer) Words() []string {
	return words.In(append(words.Number(string(c.Phone)), string(c.FirstName), string(c.LastName), string(c.Company),
		string(c.Email))...)
}

// Shown is the customer as shoppers see themselves: without the note and the price level, which are the merchant's own
// (contract, "Accounts").
func (c Customer) Shown() Customer {
	c.Note, c.PriceLevel = "", ""
	return c
}

// Address is a postal address.
type Address struct {
	Street  field.Name `json:"street" example:"Dlouhá 12"`
	City    field.Name `json:"city" example:"Brno"`
	Zip     field.Line `json:"zip" doc:"The postcode, empty where a country has none" example:"602 00"`
	Country string     `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters as ISO 3166-1 has them" example:"CZ"`
}

// Groups are what a change touched, as X-Webhook-Changed names it (contract, "Headers"), sorted; none when nothing
// changed.
func Groups(before, after Fields) []events.Group {
	var groups []events.Group
	if before.billing() != after.billing() {
		groups = append(groups, events.Billing)
	}
	if before.contact() != after.contact() {
		groups = append(groups, events.Contact)
	}
	if before.DeliveryAddress.value() != after.DeliveryAddress.value() {
		groups = append(groups, events.Delivery)
	}
	return groups
}

// billing is what invoices are made out to.
type billing struct {
	company, companyID, vatID field.Line
	address                   Address
}

func (f Fields) billing() billing {
	return billing{f.Company, f.CompanyID, f.VATID, f.BillingAddress.value()}
}

// contact is all that is neither billing nor delivery, so that a field is in a group from its first day.
func (f Fields) contact() Fields {
	f.Company, f.CompanyID, f.VATID, f.BillingAddress, f.DeliveryAddress = "", "", "", nil, nil
	return f
}

// value is the address, the zero one (which no customer has) for none.
func (a *Address) value() Address {
	if a == nil {
		return Address{}
	}
	return *a
}
