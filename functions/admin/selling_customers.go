package admin

import (
	"cmp"
	"net/url"

	"eshop/shared/api"
	"eshop/shared/job/exports"
	"eshop/shared/page"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/search"
)

// customersPath is where the customers are.
const customersPath = root + "/customers"

// allCustomers are the collection as the API has it.
func (d door) allCustomers() api.Records[customer.Customer, customer.Fields] {
	return api.Records[customer.Customer, customer.Fields]{Kind: customer.Customers,
		Search: search.For(search.Customers, d.Search)}
}

// customerPages are the customers' pages, but for their records, which are found by the platform's index.
var customerPages = recordPages[customer.Customer, customer.Fields]{
	path: customersPath, many: "customers", one: "customer",
	filters: []string{"q", "email", "externalId", "changed[after]", "changed[before]"},
	columns: []column{{Text: "customer.name"}, {Text: "email"}, {Text: "phone"}, {Text: "company"}, {Text: "changed"}},
	row: func(v *visit, c customer.Customer) row {
		return row{ID: c.ID, State: "active", Cells: []cell{{Text: fullName(c), Path: customersPath + "/" + c.ID},
			{Text: string(c.Email)}, {Text: string(c.Phone)}, {Text: string(c.Company)}, {Text: v.moment(c.Changed)}}}
	},
	head:   func(_ *visit, t *table) { t.Export = string(exports.Customers) },
	values: customerValues,
	fields: (*visit).customerFields,
	show: func(v *visit, p *sheet, c customer.Customer) {
		p.title, p.Aside = fullName(c), v.say("customer.since")+" "+v.moment(c.Created)
		p.Actions = append([]action{{Path: p.Path + "/sign-in-link", Heading: v.say("customer.link"),
			About: v.say("customer.linkIs"), Button: v.say("customer.makeLink")}}, append(p.Actions,
			action{Path: p.Path + "/erase", Heading: v.say("customer.erase"), About: v.say("customer.eraseIs"),
				Button: v.say("customer.eraseNow"), Danger: true})...)
	},
	more: door.customerOrders,
}

// customers registers the customers as an area, and beside it …/{id}/sign-in-link, which makes the link by which a
// customer sets a password, and …/{id}/erase.
func (d door) customers() {
	r := customerPages
	r.records = d.allCustomers()
	// The API's default is the oldest first, for readers who go on. "Newest first is for looking" (contract,
	// "Collections").
	r.list = func(c *api.Call, in *api.List) (*api.Collection[customer.Customer], error) {
		in.Order = cmp.Or(in.Order, "desc")
		return r.records.List(c, in)
	}
	r.open(d)
	act(d, customersPath+"/{id}/sign-in-link", d.linkCustomer, nil)
	act(d, customersPath+"/{id}/erase", d.eraseCustomer, nil)
}

// eraseCustomer erases a customer for good, in orders, too.
func (d door) eraseCustomer(c *api.Call, v *visit, in *api.ByID) (string, error) {
	_, err := d.Erasures().Erase(c, c.Unit(), in.ID)
	v.says("customer.erased")
	return customersPath, err
}

// fullName is a customer as people call them.
func fullName(c customer.Customer) string { return string(c.FirstName) + " " + string(c.LastName) }

// customerFields are the fields of a customer. No field lets the browser fill in its own user's data, because its user
// is not the customer.
func (v *visit) customerFields(p *sheet, _ string, filler *page.Filler) {
	fields := append([]page.Field{filler.Email()}, filler.Names()...)
	p.Fields = anybody(append(fields, filler.Phone(page.May),
		filler.Field("externalId", "off", page.May).Halved().Hinted(v.say("customer.externalIs")),
		filler.Field("priceLevel", "off", page.May).Halved().Hinted(v.say("customer.levelIs")),
		filler.Long("note", 65_536, page.May).Hinted(v.say("customer.noteIs"))))
	// Parts that most customers lack are folded. A part is open where something in it is filled.
	add := func(heading string, fields []page.Field) {
		p.Parts = append(p.Parts, part{v.say(heading), anybody(fields), page.Filled(fields)})
	}
	add("customer.company", filler.Company("", ""))
	add("billingAddress", filler.Address("billingAddress", "billing", page.May))
	add("deliveryAddress", filler.Address("deliveryAddress", "shipping", page.May))
}

// anybody are the fields without what tells the browser whose data they hold.
func anybody(fields []page.Field) []page.Field {
	for i := range fields {
		fields[i].Autocomplete = "off"
	}
	return fields
}

// customerValues are what a customer's form shows.
func customerValues(c customer.Customer) url.Values {
	values := url.Values{"email": {string(c.Email)}, "firstName": {string(c.FirstName)},
		"lastName": {string(c.LastName)}, "phone": {string(c.Phone)}, "externalId": {string(c.ExternalID)},
		"priceLevel": {string(c.PriceLevel)}, "note": {string(c.Note)},
		"company": {string(c.Company)}, "companyId": {string(c.CompanyID)}, "vatId": {string(c.VATID)}}
	addresses := map[string]*customer.Address{"billingAddress.": c.BillingAddress,
		"deliveryAddress.": c.DeliveryAddress}
	for of, a := range addresses {
		if a != nil {
			values.Set(of+"street", string(a.Street))
			values.Set(of+"city", string(a.City))
			values.Set(of+"zip", string(a.Zip))
			values.Set(of+"country", a.Country)
		}
	}
	return values
}

// linkCustomer makes a link by which the customer sets a password, and shows it once: the platform sends no e-mail, the
// merchant hands the link on.
func (d door) linkCustomer(c *api.Call, v *visit, in *api.ByID) (string, error) {
	token, err := customer.NewAccounts(signin.Tries{Key: d.Key}).MakeLink(c, c.Unit(), in.ID)
	if err == nil {
		v.reveals("link", v.website+"/account/set-password?token="+token)
	}
	return customersPath + "/" + in.ID, err
}
