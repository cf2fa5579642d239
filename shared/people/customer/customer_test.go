package customer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

func TestWhatAChangeTouchesIsToldInGroups(t *testing.T) {
	was := Fields{ExternalID: "1", PriceLevel: "p", Note: "n",
		Profile: Profile{Email: "a@b.cz", FirstName: "A", LastName: "B", Phone: "1",
			Company: "C", CompanyID: "2", VATID: "3", BillingAddress: &Address{"S", "C", "1", "CZ"},
			DeliveryAddress: &Address{"S", "C", "1", "CZ"}}}
	contact, billing, delivery := []events.Group{events.Contact}, []events.Group{events.Billing},
		[]events.Group{events.Delivery}
	for name, c := range map[string]struct {
		change func(*Fields)
		groups []events.Group
	}{
		"nothing":               {func(*Fields) {}, nil},
		"the same address anew": {func(f *Fields) { f.BillingAddress = &Address{"S", "C", "1", "CZ"} }, nil},
		"externalId":            {func(f *Fields) { f.ExternalID = "" }, contact},
		"email":                 {func(f *Fields) { f.Email = "A@b.cz" }, contact},
		"firstName":             {func(f *Fields) { f.FirstName = "X" }, contact},
		"lastName":              {func(f *Fields) { f.LastName = "X" }, contact},
		"phone":                 {func(f *Fields) { f.Phone = "" }, contact},
		"priceLevel":            {func(f *Fields) { f.PriceLevel = "x" }, contact},
		"note":                  {func(f *Fields) { f.Note = "x" }, contact},
		"company":               {func(f *Fields) { f.Company = "x" }, billing},
		"companyId":             {func(f *Fields) { f.CompanyID = "x" }, billing},
		"vatId":                 {func(f *Fields) { f.VATID = "x" }, billing},
		"billingAddress":        {func(f *Fields) { f.BillingAddress = &Address{"S", "C", "1", "SK"} }, billing},
		"no billingAddress":     {func(f *Fields) { f.BillingAddress = nil }, billing},
		"deliveryAddress":       {func(f *Fields) { f.DeliveryAddress = &Address{"S", "C", "2", "CZ"} }, delivery},
		"no deliveryAddress":    {func(f *Fields) { f.DeliveryAddress = nil }, delivery},
		"everything, in their order": {func(f *Fields) { *f = Fields{} },
			[]events.Group{events.Billing, events.Contact, events.Delivery}},
	} {
		now := was
		c.change(&now)
		require.Equal(t, c.groups, Groups(was, now), name)
	}
}
