package operator

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/store"
)

// TokenFields are what the operator says of a new token.
type TokenFields struct {
	Expires *api.Time `json:"expiresAt,omitempty" doc:"From when on it is refused; never when not given"`
}

// Token as answers show it; Token.Token only once, in the answer that makes it.
type Token struct {
	ID       string    `json:"id"`
	Token    string    `json:"token,omitempty"`
	Last4    string    `json:"last4"`
	Expires  *api.Time `json:"expiresAt,omitempty"`
	LastUsed api.Time  `json:"lastUsedAt,omitempty" doc:"Right to five minutes"`
	Created  api.Time  `json:"created"`
}

func shownToken(t addon.Token) Token {
	return Token{ID: t.ID, Last4: t.Last4, Expires: t.Expires, LastUsed: t.Used, Created: t.Created}
}

// newToken makes a token of an access, and what is kept of it.
func (g group) newToken(c *api.Call, a addon.Access, expires *api.Time) (string, addon.Token) {
	secret := addon.NewToken(g.Random, g.Production())
	return secret, addon.TokenFor(a, secret, c.NewID(), expires)
}

func (g group) listTokens(ctx context.Context, in *tokensOf) (*api.Collection[Token], error) {
	if _, err := g.access(ctx, in.OfAccess); err != nil {
		return nil, err
	}
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{addon.TokensOf(in.Access)}}
	return api.Page(ctx, in.CreatedList, rows, api.Load(g.Main, func(i *store.Item) (Token, time.Time, bool, error) {
		t, err := addon.TokenOf(i)
		return shownToken(t), t.Created.Go(), true, err
	}))
}

func (g group) createToken(ctx context.Context, in *newToken) (*api.Plain[Token], error) {
	c := api.From(ctx)
	a, err := g.access(ctx, in.OfAccess)
	if err != nil {
		return nil, err
	}
	secret, t := g.newToken(c, a, in.Body.Expires)
	defer g.Accesses.DropToken(t.Hash)
	shown := shownToken(t)
	shown.Token = secret
	answer := api.PlainOf(shown)
	_, err = c.Write(ctx, answer, events.Nothing, store.Put(t.Item(), store.Absent()), store.Put(t.Pointer(), store.Absent()))
	return answer, err
}

func (g group) deleteToken(ctx context.Context, in *OfToken) (*api.None, error) {
	a, err := g.access(ctx, in.OfAccess)
	if err != nil {
		return nil, err
	}
	pointer := addon.TokenIDKey(a.ID, in.Token)
	items, err := g.Main.Get(ctx, pointer)
	if err != nil {
		return nil, err
	}
	if items[0] == nil {
		return nil, api.NotFound()
	}
	hash := items[0].Text["hash"]
	defer g.Accesses.DropToken(hash)
	_, err = api.From(ctx).Write(ctx, &api.None{}, events.Nothing, store.Delete(addon.TokenKey(hash)), store.Delete(pointer, store.Present()))
	if store.IsCondition(err) {
		return nil, api.NotFound() // revoked since it was read
	}
	return &api.None{}, err
}
