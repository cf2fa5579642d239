package admin

import (
	"cmp"
	"context"
	"net/url"

	"eshop/shared/api"
	"eshop/shared/customer"
	"eshop/shared/page"
	"eshop/shared/signin"
)

const customersPath = root + "/customers"

// allCustomers are the collection as the API has it.
var allCustomers = api.Records[customer.Customer, customer.Fields]{Kind: customer.Customers}

// customers registers the customers: their list, a new one, one of them, and what is done there.
func (d door) customers() {
	lookAt(d, customersPath, allCustomers.Query(), d.listCustomers)
	look(d, customersPath+"/new", func(ctx context.Context, v *visit, _ *nothing) (screen, error) {
		return newCustomer(ctx, v, page.Sent{})
	})
	look(d, customersPath+"/{id}", d.showCustomer)
	act(d, customersPath, d.createCustomer, newCustomer)
	act(d, customersPath+"/{id}", d.changeCustomer, d.customerRefused)
	act(d, customersPath+"/{id}/delete", d.deleteCustomer, nil)
	act(d, customersPath+"/{id}/sign-in-link", d.linkCustomer, nil)
}

// customerRow is a customer in the list.
type customerRow struct{ ID, Name, Email, Company, Phone, Changed string }

// listCustomers shows the newest first, unless another order is asked for.
func (d door) listCustomers(ctx context.Context, v *visit, in *api.List) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	all, err := allCustomers.List(ctx, in)
	if err != nil {
		return screen{}, err
	}
	q := query(ctx)
	filters := v.filters(q, "email", "externalId", "changed[after]", "changed[before]")
	row := func(c customer.Customer) customerRow {
		return customerRow{c.ID, fullName(c), string(c.Email), string(c.Company), string(c.Phone), v.moment(c.Changed)}
	}
	data := listed(v, q, customersPath, all.Body.Items, all.Body.NextCursor, filters, row)
	return screen{name: "customers", title: v.say("customers"), data: data}, nil
}

func fullName(c customer.Customer) string { return string(c.FirstName) + " " + string(c.LastName) }

// customerForm is a customer's form. The parts below a heading are open where something is in them.
type customerForm struct {
	page.Form
	Fields []page.Field
	Parts  []customerPart
	ID     string // "" of a new one
	Made   string
}

// customerPart is a part of the form that few customers have filled in.
type customerPart struct {
	Heading string
	Fields  []page.Field
	Open    bool
}

// customerFields are the fields of a customer. None lets the browser fill in its own user, who is not the customer.
func (v *visit) customerFields(s page.Sent) customerForm {
	f := v.filler(s)
	fields := append([]page.Field{f.Email()}, f.Names()...)
	fields = append(fields, f.Phone(page.May),
		f.Field("externalId", "off", page.May).Halved().Hinted(v.say("customer.externalIs")),
		f.Field("priceLevel", "off", page.May).Halved().Hinted(v.say("customer.levelIs")),
		f.Long("note", 65_536, page.May).Hinted(v.say("customer.noteIs")))
	form := customerForm{Fields: anybody(fields)}
	for _, p := range []struct {
		heading string
		fields  []page.Field
	}{
		{"customer.company", f.Company("", "")},
		{"billingAddress", f.Address("billingAddress", "billing", page.May)},
		{"deliveryAddress", f.Address("deliveryAddress", "shipping", page.May)},
	} {
		form.Parts = append(form.Parts, customerPart{v.say(p.heading), anybody(p.fields), page.Filled(p.fields)})
	}
	form.Form = f.Done()
	return form
}

// anybody are the fields as those of somebody whom the browser does not know.
func anybody(fields []page.Field) []page.Field {
	for i := range fields {
		fields[i].Autocomplete = "off"
	}
	return fields
}

func newCustomer(_ context.Context, v *visit, s page.Sent) (screen, error) {
	return screen{name: "customer", title: v.say("customer.new"), above: v.above("customers", customersPath),
		data: v.customerFields(s)}, nil
}

func (d door) showCustomer(ctx context.Context, v *visit, in *api.ByID) (screen, error) {
	return d.customerScreen(ctx, v, in.ID, page.Sent{})
}

// customerRefused is the form of a customer with what was sent.
func (d door) customerRefused(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	return d.customerScreen(ctx, v, api.From(ctx).PathValue("id"), s)
}

func (d door) customerScreen(ctx context.Context, v *visit, id string, s page.Sent) (screen, error) {
	c, err := customer.Customers.Read(ctx, d.Main, v.shop.ID, id)
	if err != nil {
		return screen{}, err
	}
	form := v.customerFields(s.Or(customerValues(c)))
	form.ID, form.Made = c.ID, v.moment(c.Created)
	return screen{name: "customer", title: fullName(c), above: v.above("customers", customersPath), data: form}, nil
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

func (d door) createCustomer(ctx context.Context, v *visit, in *api.Create[customer.Fields]) (string, error) {
	v.says("created")
	c, err := customer.Customers.Create(ctx, unit(ctx), in.Body)
	return customersPath + "/" + c.ID, err
}

func (d door) changeCustomer(ctx context.Context, v *visit, in *api.Change[customer.Fields]) (string, error) {
	v.says("saved")
	_, err := customer.Customers.Change(ctx, unit(ctx), in.ID, func(was customer.Fields) (customer.Fields, error) {
		return api.Apply(ctx, in.Body, was)
	})
	return customersPath + "/" + in.ID, err
}

func (d door) deleteCustomer(ctx context.Context, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	return customersPath, customer.Customers.Delete(ctx, unit(ctx), in.ID)
}

// linkCustomer makes a link by which the customer sets a password, and shows it once.
func (d door) linkCustomer(ctx context.Context, v *visit, in *api.ByID) (string, error) {
	token, err := customer.NewAccounts(signin.Tries{Key: d.Key}).MakeLink(ctx, unit(ctx), in.ID)
	if err == nil {
		v.reveals("link", v.website+"/account/set-password?token="+token)
	}
	return customersPath + "/" + in.ID, err
}
