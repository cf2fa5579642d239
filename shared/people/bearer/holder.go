package bearer

import (
	"context"
	"maps"

	"eshop/shared/base/problem"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Holders are a kind of holders of whom each has one token. A token has two items: DT#<hash> names its holder, and
// DEV#<holder> TOKEN keeps the hash, so that the token can be ended.
type Holders struct {
	Prefix Prefix
	Token  string // what the partitions of tokens begin with: "DT#"
	Holder string // what the partitions of holders begin with: "DEV#"
	IDText string // which text of a token's item has the holder's id
}

// ByToken is the item of a token; change.ErrUnauthenticated when it is nobody's.
func (h Holders) ByToken(ctx context.Context, t store.Table, token string) (*store.Item, error) {
	if !WellFormed(token, h.Prefix) {
		return nil, change.ErrUnauthenticated
	}
	items, err := t.Get(ctx, h.tokenKey(secret.Hash(token)))
	switch {
	case err != nil:
		return nil, err
	case items[0] == nil || items[0].Text[h.IDText] == "":
		return nil, change.ErrUnauthenticated
	}
	return items[0], nil
}

// First is the first token of a holder, with the operations that write it. more are further texts of its item.
func (h Holders) First(u *change.Unit, id string, more map[string]string) (token string, ops []store.Op) {
	return h.newToken(u, id, more, store.Absent())
}

// Next is another token of a holder, with the operations that write it and end the one before. It is
// change.ErrUnauthenticated if that is not the one with this hash; "": of any.
func (h Holders) Next(ctx context.Context, u *change.Unit, id, hash string) (token string, ops []store.Op, err error) {
	held, err := h.held(ctx, u.Table, id)
	if err == nil && hash != "" && held.Text[hashText] != hash {
		err = change.ErrUnauthenticated
	}
	if err != nil {
		return "", nil, err
	}
	token, ops = h.newToken(u, id, nil, store.VersionIs(held.Version))
	return token, append(ops, h.end(held)), nil
}

// End are the operations that end the token of a holder who goes.
func (h Holders) End(ctx context.Context, t store.Table, id string) ([]store.Op, error) {
	held, err := h.held(ctx, t, id)
	if err != nil {
		return nil, err
	}
	return []store.Op{store.Delete(held.Key, store.VersionIs(held.Version)), h.end(held)}, nil
}

// hashText is the text of a holder's item that has the hash of the token.
const hashText = "hash"

// newToken is a new token with the operations that write it, only if the holder's item of it is so.
func (h Holders) newToken(
	u *change.Unit, id string, more map[string]string, only store.Condition,
) (string, []store.Op) {
	token := New(u.Random, h.Prefix)
	hash := secret.Hash(token)
	texts := map[string]string{h.IDText: id}
	maps.Copy(texts, more)
	return token, []store.Op{
		store.Put(store.Item{Key: h.tokenKey(hash), Text: texts}, store.Absent()),
		store.Put(store.Item{Key: h.heldKey(id), Version: u.NewID(), Text: map[string]string{hashText: hash}}, only)}
}

// tokenKey is the item that says whose a token is.
func (h Holders) tokenKey(hash string) store.Key { return store.Key{PK: h.Token + hash, SK: "A"} }

// heldKey is the item that says which token a holder has.
func (h Holders) heldKey(id string) store.Key { return store.Key{PK: h.Holder + id, SK: "TOKEN"} }

// held is that item; not_found when the holder was deleted meanwhile.
func (h Holders) held(ctx context.Context, t store.Table, id string) (*store.Item, error) {
	items, err := t.Get(ctx, h.heldKey(id))
	switch {
	case err != nil:
		return nil, err
	case items[0] == nil:
		return nil, problem.NotFound()
	}
	return items[0], nil
}

// end ends the token that a holder's item says.
func (h Holders) end(held *store.Item) store.Op { return store.Delete(h.tokenKey(held.Text[hashText])) }
