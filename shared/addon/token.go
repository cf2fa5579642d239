package addon

import (
	"context"
	"strconv"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/people/bearer"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Token of an access. Only its SHA-256 is kept, as the item's key.
type Token struct {
	ID      string      `json:"id"`
	Access  string      `json:"accessId"`
	Shop    string      `json:"shopId"`
	Package string      `json:"packageId"` // the access's, so that its caller is read in one further call
	Hash    string      `json:"hash"`      // hex SHA-256 of the token
	Last4   string      `json:"last4"`
	Expires *field.Time `json:"expiresAt,omitempty"`
	Created field.Time  `json:"created"`
	Used    field.Time  `json:"-"` // last use, right to five minutes; 0: never
	Text    string      `json:"-"` // the token itself, in the answer that makes it only
}

// makeToken is a new token of the access, not yet written; its id's time is its created.
func (c Commands) makeToken(u *change.Unit, a Access, expires *field.Time) Token {
	kind := TestToken
	if c.Production && !a.Test {
		kind = LiveToken
	}
	text, made := bearer.New(u.Random, kind), u.NewID()
	return Token{ID: made, Access: a.ID, Shop: a.Shop, Package: a.Package, Hash: secret.Hash(text),
		Last4: text[len(text)-4:], Expires: expires, Created: record.ChangedAt(made), Text: text}
}

// createOps are the operations that write a new token.
func (t Token) createOps() []store.Op {
	return []store.Op{store.Put(t.Item(), store.Absent()), store.Put(t.Pointer(), store.Absent())}
}

// MaxTokens is how many tokens an access has at most, those among them that have expired and are still listed.
const MaxTokens = 1_000

// tokensFit refuses one more token of an access that has MaxTokens. It asks before the token is written, so that those
// who make one at the same moment may have a few more.
func tokensFit(ctx context.Context, table store.Table, access string) error {
	own := tokenIDKey(access, "")
	page, err := table.Query(ctx, store.Query{PK: own.PK, From: own.SK, To: own.SK + "~", Limit: MaxTokens})
	if err == nil && len(page.Items) >= MaxTokens {
		err = problem.Conflict("too_many_tokens", "An access has "+strconv.Itoa(MaxTokens)+
			" tokens at most, those that have expired within 30 days among them: revoke some.")
	}
	return err
}

// NewToken makes a token of the access, which is refused from expires on; nil: never. It is too_many_tokens if the
// access has MaxTokens.
func (c Commands) NewToken(ctx context.Context, u *change.Unit, access string, expires *field.Time) (Token, error) {
	if expires != nil && *expires <= field.At(u.Now()) {
		return Token{}, problem.InvalidAt("expiresAt", problem.TooSmall, "must be in the future")
	}
	a, err := Accesses.Read(ctx, u.Table, u.Shop, access)
	if err != nil {
		return Token{}, err
	}
	if err := tokensFit(ctx, u.Table, access); err != nil {
		return Token{}, err
	}
	t := c.makeToken(u, a, expires)
	defer c.Callers.DropToken(t.Hash)
	_, err = u.Write(ctx, t, events.Nothing, t.createOps()...)
	return t, err
}

// RevokeToken ends a token of the access, which it names by its id.
func (c Commands) RevokeToken(ctx context.Context, u *change.Unit, access, token string) error {
	a, err := Accesses.Read(ctx, u.Table, u.Shop, access)
	if err != nil {
		return err
	}
	pointer := tokenIDKey(a.ID, token)
	items, err := u.Table.Get(ctx, pointer)
	if err != nil {
		return err
	}
	if items[0] == nil {
		return problem.NotFound()
	}
	hash := items[0].Text["hash"]
	defer c.Callers.DropToken(hash)
	_, err = u.Write(ctx, nil, events.Nothing, store.Delete(TokenKey(hash)), store.Delete(pointer, store.Present()))
	if store.IsCondition(err) {
		return problem.NotFound() // revoked since it was read
	}
	return err
}

// The kinds of tokens: those of production, and those of test shops and of all other environments.
const (
	LiveToken bearer.Prefix = "esk_live_"
	TestToken bearer.Prefix = "esk_test_"
)
