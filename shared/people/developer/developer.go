// Package developer keeps who writes add-ons (contract, "Developers"): name, e-mail address, and a token that opens
// their own door. A shop and a package say themselves which developer has them (shop.ShopsOf, addon.PackagesOf).
//
// What comes in are Fields, by the commands of Developers, and NewToken; what goes out is a Developer, with its token
// in the one answer that makes it. Only the token's SHA-256 is kept.
package developer

import (
	"context"

	"eshop/events"
	"eshop/shared/people/bearer"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Developer is somebody who writes add-ons.
type Developer struct {
	record.Head
	Fields
	Token string `json:"token,omitempty" doc:"The developer's token, shown only in the answer that makes it"` // never stored
}

// Fields are what the operator writes of a developer.
type Fields struct {
	Name  field.Name  `json:"name"`
	Email field.Email `json:"email"`
}

// tokens are the tokens of developers.
var tokens = bearer.Holders{Prefix: "esk_dev_", Token: "DT#", Holder: "DEV#", IDText: "developer"}

// Developers are the developers of the platform as records. They are of no shop, and nobody is told of them. A new one
// has a token. A deletion ends that token and nothing else: shops and packages stay, with their own tokens and people.
var Developers = &record.Kind[Developer, Fields]{
	Key:   func(_, id string) store.Key { return store.Key{PK: "DEV#" + id, SK: "A"} },
	List:  func(string) string { return "DEVS" },
	Split: func(d *Developer) (*record.Head, *Fields) { return &d.Head, &d.Fields },
	Along: []record.Along[Developer]{{Extend: withToken}},
}

// withToken gives a new developer a token, and takes it from one who is deleted.
func withToken(ctx context.Context, u *change.Unit, s *record.Step[Developer]) (err error) {
	var ops []store.Op
	switch {
	case s.Before == nil:
		s.After.Token, ops = tokens.First(u, s.After.ID, nil)
	case s.After == nil:
		ops, err = tokens.End(ctx, u.Table, s.Before.ID)
	}
	s.Ops = append(s.Ops, ops...)
	return err
}

// NewToken gives a developer another token, in place of the one before, which ends at once. It is
// change.ErrUnauthenticated if that is not the one with this hash; "": of any.
func NewToken(ctx context.Context, u *change.Unit, id, hash string) (Developer, error) {
	return record.Retry(ctx, func() (Developer, error) {
		developer, err := Developers.Read(ctx, u.Table, "", id)
		if err != nil {
			return developer, err
		}
		var ops []store.Op
		if developer.Token, ops, err = tokens.Next(ctx, u, id, hash); err != nil {
			return developer, err
		}
		_, err = u.Write(ctx, developer, events.Nothing, ops...)
		return developer, err
	})
}

// ByToken finds the developer that a token belongs to; change.ErrUnauthenticated when there is none.
func ByToken(ctx context.Context, t store.Table, token string) (*change.Caller, error) {
	item, err := tokens.ByToken(ctx, t, token)
	if err != nil {
		return nil, err
	}
	return &change.Caller{Developer: item.Text[tokens.IDText], Hash: secret.Hash(token)}, nil
}
