package manage

import (
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// TokenFields are what the operator says of a new token: when it ends, if ever.
type TokenFields struct {
	Expires *field.Time `json:"expiresAt,omitempty" doc:"The moment from which the token is refused, in the future; without one it never is"`
}

// Token is a token as answers show it. Its text is filled in the answer that makes the token, and in no other: the
// store keeps its SHA-256 only. Last4 is there so that people can tell their tokens apart.
type Token struct {
	ID       string      `json:"id"`
	Token    string      `json:"token,omitempty"`
	Last4    string      `json:"last4"`
	Expires  *field.Time `json:"expiresAt,omitempty"`
	LastUsed field.Time  `json:"lastUsedAt,omitempty" doc:"When the token was last used, right to five minutes"`
	Created  field.Time  `json:"created"`
}

// showToken shows a token; its text is empty but right after it was made.
func showToken(t addon.Token) Token {
	return Token{ID: t.ID, Token: t.Text, Last4: t.Last4, Expires: t.Expires, LastUsed: t.Used, Created: t.Created}
}

// listTokens lists an access's tokens by `created`, without their texts; 404 when the shop has no such access.
func (d Door) listTokens(c *api.Call, in *tokensOf) (*api.Collection[Token], error) {
	if _, err := addon.Accesses.Read(c, d.Main, in.Shop, in.Access); err != nil {
		return nil, err
	}
	rows := addon.TokenRows(d.Main, in.Access)
	return api.Page(c, in.CreatedList, rows,
		record.Load(d.Main, func(item *store.Item) (Token, time.Time, bool, error) {
			t, at, there, err := addon.ShowToken(item)
			return showToken(t), at, there, err
		}))
}

// createToken makes one more token of the access, so that a partner can change tokens without a moment in which none is
// good.
func (d Door) createToken(c *api.Call, in *newToken) (*api.Plain[Token], error) {
	made := func(t addon.Token) *api.Plain[Token] { return api.PlainOf(showToken(t)) }
	return api.Do(c, made, func(u *change.Unit) (addon.Token, error) {
		return d.Addons().NewToken(c, in.within(u), in.Access, in.Body.Expires)
	})
}

// deleteToken revokes a token. Requests with it are 401 at once in the one process, and within 30 s on AWS (contract,
// "Who is who").
func (d Door) deleteToken(c *api.Call, in *OfToken) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error {
		return d.Addons().RevokeToken(c, in.within(u), in.Access, in.Token)
	})
}
