// Package operator keeps the named tokens by which the platform's operator lets people and programs use /operator, each
// with a token of its own. Beside them stands the operator's first token, which the platform is configured with: it has
// no record here.
//
// What comes in are Fields, by the commands of Tokens; what goes out is a NamedToken, with its secret in the one answer
// that makes it. Only the SHA-256 of its secret is kept.
package operator

import (
	"context"

	"eshop/shared/people/bearer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// NamedToken is a named token of the operator's.
type NamedToken struct {
	record.Head
	Fields
	Token string `json:"token,omitempty" doc:"The developer's token, shown only in the answer that makes it"` // never stored
}

// Fields are what the operator writes of a token.
type Fields struct {
	Name field.Name `json:"name" doc:"Who or what uses it"`
}

// holders are the records of these tokens, each with its secret.
var holders = bearer.Holders{Prefix: "eop_", Token: "OT#", Holder: "OP#", IDText: "operator"}

// nameText is the text of a token's item that has its name.
const nameText = "name"

// Tokens are the operator's named tokens as records. They are of no shop, and nobody is told of them. A deletion ends
// the token at once.
var Tokens = &record.Kind[NamedToken, Fields]{
	Key:   func(_, id string) store.Key { return store.Key{PK: holders.Holder + id, SK: "A"} },
	List:  func(string) string { return "OPS" },
	Split: func(t *NamedToken) (*record.Head, *Fields) { return &t.Head, &t.Fields },
	Along: []record.Along[NamedToken]{{Extend: withToken}},
}

// withToken gives a new token its secret. The secret of a deleted token ends.
func withToken(ctx context.Context, u *change.Unit, s *record.Step[NamedToken]) (err error) {
	var ops []store.Op
	switch {
	case s.Before == nil:
		s.After.Token, ops = holders.First(u, s.After.ID, map[string]string{nameText: string(s.After.Name)})
	case s.After == nil:
		ops, err = holders.End(ctx, u.Table, s.Before.ID)
	}
	s.Ops = append(s.Ops, ops...)
	return err
}

// ByToken finds the named token that a secret is of; change.ErrUnauthenticated when there is none.
func ByToken(ctx context.Context, t store.Table, text string) (*change.Caller, error) {
	item, err := holders.ByToken(ctx, t, text)
	if err != nil {
		return nil, err
	}
	return &change.Caller{Operator: item.Text[holders.IDText], OperatorName: item.Text[nameText]}, nil
}
