// Package developer keeps who writes add-ons (contract, section 10, "Developers"): name, e-mail address, and a token
// that opens their own door. A shop and a package say themselves which developer has them (shop.OfDeveloper,
// addon.PackagesOf).
//
// What comes in are Fields, by the commands of Developers, and NewToken; what goes out is a Developer, with its token
// in the one answer that makes it. Only the token's SHA-256 is kept.
package developer

import (
	"context"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/secret"
	"eshop/shared/store"
)

// Developer is somebody who writes add-ons.
type Developer struct {
	record.Head
	Fields
	Token string `json:"token,omitempty" doc:"In the answer that makes it only"` // never stored
}

// Fields are what the operator writes of a developer.
type Fields struct {
	Name  field.Name  `json:"name"`
	Email field.Email `json:"email"`
}

// tokenKind is what a developer's token begins with.
const tokenKind addon.TokenKind = "esk_dev_"

// Developers are the developers of the platform as records. They are of no shop, and nobody is told of them. A new one
// has a token. A deletion ends that token and nothing else: shops and packages stay, with their own tokens and people.
var Developers = &record.Kind[Developer, Fields]{
	Key:   func(_, id string) store.Key { return store.Key{PK: "DEV#" + id, SK: "A"} },
	List:  func(string) string { return "DEVS" },
	Split: func(d *Developer) (*record.Head, *Fields) { return &d.Head, &d.Fields },
	Along: []record.Along[Developer]{{Extend: withToken}},
}

// withToken gives a new developer a token, and takes it from one who is deleted.
func withToken(ctx context.Context, u *change.Unit, s *record.Step[Developer]) error {
	switch {
	case s.Before == nil:
		var ops []store.Op
		s.After.Token, ops = newToken(u, s.After.ID, store.Absent())
		s.Ops = append(s.Ops, ops...)
	case s.After == nil:
		held, err := heldToken(ctx, u.Table, s.Before.ID)
		if err != nil {
			return err
		}
		s.Ops = append(s.Ops, store.Delete(held.Key, store.VersionIs(held.Version)), endToken(held))
	}
	return nil
}

// NewToken gives a developer another token, in place of the one before, which ends at once.
func NewToken(ctx context.Context, u *change.Unit, id string) (Developer, error) {
	return record.Retry(ctx, func() (Developer, error) {
		d, err := Developers.Read(ctx, u.Table, "", id)
		if err != nil {
			return d, err
		}
		held, err := heldToken(ctx, u.Table, id)
		if err != nil {
			return d, err
		}
		var ops []store.Op
		d.Token, ops = newToken(u, id, store.VersionIs(held.Version))
		_, err = u.Write(ctx, d, events.Nothing, append(ops, endToken(held))...)
		return d, err
	})
}

// Of finds the developer that a token belongs to; change.ErrUnauthenticated when there is none.
func Of(ctx context.Context, t store.Table, token string) (*change.Caller, error) {
	if !addon.WellFormed(token, tokenKind) {
		return nil, change.ErrUnauthenticated
	}
	items, err := t.Get(ctx, tokenKey(secret.Hash(token)))
	if err != nil {
		return nil, err
	}
	if items[0] == nil || items[0].Text[ownerText] == "" {
		return nil, change.ErrUnauthenticated
	}
	return &change.Caller{Developer: items[0].Text[ownerText]}, nil
}

// The texts of two items: a token's has the developer's id, a developer's has the hash of the token.
const (
	ownerText = "developer"
	hashText  = "hash"
)

// tokenKey is the item that says whose a token is.
func tokenKey(hash string) store.Key { return store.Key{PK: "DT#" + hash, SK: "A"} }

// newToken is a new token of a developer with the operations that write it, if the developer's item of it is as held.
func newToken(u *change.Unit, id string, held store.Condition) (token string, ops []store.Op) {
	token = addon.NewToken(u.Random, tokenKind)
	hash := secret.Hash(token)
	return token, []store.Op{
		store.Put(store.Item{Key: tokenKey(hash), Text: map[string]string{ownerText: id}}, store.Absent()),
		store.Put(store.Item{Key: heldKey(id), Version: u.NewID(), Text: map[string]string{hashText: hash}}, held)}
}

// heldKey is the item that says which token a developer has.
func heldKey(id string) store.Key { return store.Key{PK: "DEV#" + id, SK: "TOKEN"} }

// heldToken is that item; not_found when the developer was deleted meanwhile.
func heldToken(ctx context.Context, t store.Table, id string) (*store.Item, error) {
	items, err := t.Get(ctx, heldKey(id))
	if err == nil && items[0] == nil {
		err = problem.NotFound()
	}
	return items[0], err
}

// endToken ends the token that the item says.
func endToken(held *store.Item) store.Op { return store.Delete(tokenKey(held.Text[hashText])) }
