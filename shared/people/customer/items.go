package customer

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Customers are the customers of shops as records. Deleting one leaves its id on its orders, and takes its password
// away, which ends its sessions.
var Customers = &record.Kind[Customer, Fields]{
	PublishedAs: events.Customers,
	Key:         Key,
	List:        func(shop string) string { return "S#" + shop + "#C" },
	Split:       func(c *Customer) (*record.Head, *Fields) { return &c.Head, &c.Fields },
	Claims:      claims,
	Filters: []record.Filter[Customer]{
		{Name: "email", Most: 254, Doc: "The customer with this e-mail address, compared without case",
			Claim: func(shop, email string) store.Key { return EmailKey(shop, field.Email(email)) },
			Has:   func(c Customer, email string) bool { return c.Email.Fold() == field.Email(email).Fold() }},
		{Name: "externalId", Most: 255, Doc: "The customer with this external id", Claim: ExternalKey,
			Has: func(c Customer, id string) bool { return string(c.ExternalID) == id }},
	},
	Words:  Customer.Words,
	Groups: Groups,
	Along:  []record.Along[Customer]{{Extend: forget}},
}

// forget deletes the password of a customer who is deleted.
func forget(_ context.Context, u *change.Unit, s *record.Step[Customer]) error {
	if s.After == nil {
		s.Ops = append(s.Ops, store.Delete(PasswordKey(u.Shop, s.Before.ID)))
	}
	return nil
}

// Key is the customer's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#C#" + id, SK: "A"} }

// PasswordKey is the item of the customer's password, beside the customer's own.
func PasswordKey(shop, id string) store.Key {
	return store.Key{PK: "S#" + shop + "#C#" + id, SK: "PASSWORD"}
}

// keys are where customers have what they sign in by (contract, "Accounts").
var keys = signin.People{
	PasswordKey: PasswordKey,
	Session:     func(shop, hash string) store.Key { return store.Key{PK: "S#" + shop + "#SESSION#" + hash, SK: "A"} },
	Link:        func(shop, hash string) store.Key { return store.Key{PK: "S#" + shop + "#LINK#" + hash, SK: "A"} },
	Life:        30 * 24 * time.Hour,
	Step:        24 * time.Hour,
}

// EmailKey is the claim of an e-mail address.
func EmailKey(shop string, e field.Email) store.Key {
	return store.Key{PK: "S#" + shop + "#=E#" + e.Fold(), SK: "A"}
}

// ExternalKey is the claim of an external id.
func ExternalKey(shop, externalID string) store.Key {
	return store.Key{PK: "S#" + shop + "#=CX#" + externalID, SK: "A"}
}

// claims are the values that no other customer of the shop may have.
func claims(shop string, f Fields) []record.Claim {
	all := []record.Claim{{Key: EmailKey(shop, f.Email),
		Taken: problem.Conflict("email_taken", "Another customer of this shop has this e-mail address.")}}
	if f.ExternalID != "" {
		all = append(all, record.Claim{Key: ExternalKey(shop, string(f.ExternalID)),
			Taken: problem.Conflict("external_id_taken", "Another customer of this shop has this externalId.")})
	}
	return all
}

// RowKey is the claim by which a row of an import names its customer: the claim of its e-mail address. It is the zero
// key if the row has no address that could be one.
func RowKey(shop string, fields map[string]any) store.Key {
	if email, _ := fields["email"].(string); email != "" && len(email) <= record.MaxRowKey {
		return EmailKey(shop, field.Email(email))
	}
	return store.Key{}
}
