// Package customers is the API of a shop's customers (contract, "Customers"): plain records, which api.AddRecords
// lists, makes, changes and deletes. What a customer is and which events tell of one is shared/people/customer.
//
// What a partner can count on: an e-mail is unique in the shop, compared without case; a PATCH that changes nothing
// fires nothing; a deleted customer is 404 by id and absent from the list, while orders keep the id.
package customers

import (
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/job/erasure"
	"eshop/shared/people/customer"
	"eshop/shared/record/change"
	"eshop/shared/search"
)

// Function is the customers' API.
var Function = host.Function{
	Name: "customers", Doc: "Customers: read, list, make, change, delete.",
	HTTP: register, Needs: host.SearchingFrame, Timeout: 10 * time.Second, Memory: 512,
}

// path is where the customers are.
const path = "/api-engine/customers"

// register registers the customers' operations. They need nothing of the platform but the frame and the index of
// words: all rules are the kind's.
func register(p *host.Platform, a *api.API) {
	api.AddRecords(a, api.Records[customer.Customer, customer.Fields]{
		Kind: customer.Customers, Path: path, Tag: "Customers", ID: "Customer", One: "a customer", Many: "customers",
		NeedsToRead: permission.ReadCustomers, NeedsToWrite: permission.WriteCustomers,
		Search:  search.For(search.Customers, p.Search),
		TagDoc:  "The people who have an account of the shop, or were brought into it.",
		ListDoc: "Deleted customers are left out.",
		CreateDoc: "Adds a customer, who can sign in once they have a password, and tells receivers by " +
			"`customerCreate`. 409 `email_taken` or `external_id_taken` when another customer of the shop has that " +
			"value.",
		ReadDoc: "A deleted one is 404.",
		ChangeDoc: "Changes the fields that you send, and tells receivers by `customerChange` when registration data " +
			"really changed.",
		Lasting: true, // deleted by an operation of its own
		Data:    events.Customers,
	})
	api.AddData[customer.Customer](a, api.Data{Kind: events.Customers, Key: customer.Key, Path: path,
		ID: "Customer", One: "a customer", NeedsToRead: permission.ReadCustomers,
		NeedsToWrite: permission.WriteCustomers})
	d := door{p}
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteCustomer", Tag: "Customers",
		Needs: permission.WriteCustomers, Summary: "Delete a customer", Doc: "Deletes the account, and tells " +
			"receivers by `customerDelete`. The customer's orders keep their `customerId`, and all else that they " +
			"hold.\n\n" +
			"With `erase=true` the person is erased, as the GDPR asks, which cannot be undone: 202 `{id, state, " +
			"erased}`, `erased` being how many records were so far. Orders keep lines, totals, `customerId` and " +
			"countries. Every receiver of an access that may read customers is sent `customerErase`. Asked again, it " +
			"answers how far it has come. A customer who was deleted before can be erased, too."}, d.delete)
}

// door answers what the kind's own operations do not.
type door struct{ *host.Platform }

// deletion is which customer is deleted, and how.
type deletion struct {
	api.ByID
	Erase bool `query:"erase" doc:"Whether the person is erased for good, in orders, too"`
}

// delete deletes a customer, or begins to erase it.
func (d door) delete(c *api.Call, in *deletion) (*api.Begun[erasure.Erasure], error) {
	if !in.Erase {
		_, err := api.Done(c, func(u *change.Unit) error { return customer.Customers.Delete(c, u, in.ID) })
		return &api.Begun[erasure.Erasure]{}, err
	}
	j, err := d.Erasures().Erase(c, c.Unit(), in.ID)
	if err != nil {
		return nil, err
	}
	return &api.Begun[erasure.Erasure]{Body: &j.Erasure}, nil
}
