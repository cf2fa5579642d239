// Package customers is the API of a shop's customers (contract, section 4, "Customers").
package customers

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/customer"
	"eshop/shared/host"
	"eshop/shared/permission"
)

// Function is the customers' API.
var Function = host.Function{
	Name: "customers", Doc: "Customers: read, list, make, change, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

const path = "/api-engine/customers"

func register(_ *host.Platform, a *api.API) {
	api.AddRecords(a, api.Records[customer.Customer, customer.Fields]{
		Kind: customer.Customers, Path: path, Tag: "Customers", ID: "Customer", One: "a customer", Many: "customers",
		NeedsToRead: permission.ReadCustomers, NeedsToWrite: permission.WriteCustomers,
		TagDoc:  "The people who have an account of the shop, or were brought into it.",
		ListDoc: "Deleted customers are left out.",
		CreateDoc: "Fires `customerCreate`. 409 `email_taken` or `external_id_taken` when another customer of the " +
			"shop has that value.",
		ReadDoc:   "404 for a deleted one.",
		ChangeDoc: "Fires `customerChange` when registration data really changed.",
		DeleteDoc: "Fires `customerDelete`. The customer's orders keep their `customerId`.",
	})
}
