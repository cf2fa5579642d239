package admin

import (
	"context"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/field"
	"eshop/shared/page"
	"eshop/shared/record"
)

// tokens registers the tokens of an access: their list, a new one, and revoking one.
func (d door) tokens() {
	all := accessesPath + "/{accessId}/tokens"
	look(d, all, func(ctx context.Context, v *visit, in *tokensOf) (screen, error) {
		return d.tokensScreen(ctx, v, in.Access, in.CreatedList, page.Sent{})
	})
	act(d, all, d.createToken, func(ctx context.Context, v *visit, s page.Sent) (screen, error) {
		return d.tokensScreen(ctx, v, api.From(ctx).PathValue("accessId"),
			api.CreatedList{Paging: api.Paging{ItemsPerPage: 50}}, s)
	})
	act(d, all+"/{id}/revoke", d.revokeToken, nil)
}

type tokensOf struct {
	ofAccess
	api.CreatedList
}

// tokenRow is a token in the list. Nothing of its text is kept but the end.
type tokenRow struct {
	ID, Last4, Created, Used, Expires, State string
	Over                                     bool // it has expired
}

// tokensData is the page of an access's tokens.
type tokensData struct {
	page.Form
	list
	ID     string
	Tabs   []page.Link
	Fields []page.Field
}

func (d door) tokensScreen(ctx context.Context, v *visit, access string, asked api.CreatedList,
	s page.Sent) (screen, error) {
	var all *api.Collection[addon.Token]
	i, err := d.installed(ctx, v, access, func(a addon.Access) (err error) {
		all, err = api.Page(ctx, asked, addon.TokenRows(d.Main, a.ID), record.Load(d.Main, addon.ShowToken))
		return
	})
	if err != nil {
		return screen{}, err
	}
	path := accessesPath + "/" + i.ID + "/tokens"
	data := tokensData{ID: i.ID, Tabs: v.tabs(i.ID, "tokens"),
		list: listed(v, query(ctx), path, all.Body.Items, all.Body.NextCursor, nil,
			func(t addon.Token) tokenRow { return v.tokenRow(t, field.At(d.Now())) })}
	f := v.filler(s)
	data.Fields = []page.Field{f.Moment("expiresAt", page.May).Hinted(v.say("token.expiresIs"))}
	data.Form = f.Done()
	return screen{name: "tokens", title: v.say("tab.tokens"), above: v.aboveAccess(i), data: data}, nil
}

func (v *visit) tokenRow(t addon.Token, now field.Time) tokenRow {
	row := tokenRow{ID: t.ID, Last4: "…" + t.Last4, Created: v.moment(t.Created), Used: v.say("token.never"),
		Expires: v.say("token.forever"), State: "active"}
	if t.Used != 0 {
		row.Used = v.moment(t.Used)
	}
	if t.Expires != nil {
		row.Expires = v.moment(*t.Expires)
		if row.Over = *t.Expires <= now; row.Over {
			row.State = "inactive"
		}
	}
	return row
}

// newToken makes a token of an access.
type newToken struct {
	ofAccess
	Body tokenLife
}

// tokenLife says until when a token is good.
type tokenLife struct {
	Expires *field.Time `json:"expiresAt,omitempty"`
}

func (d door) createToken(ctx context.Context, v *visit, in *newToken) (string, error) {
	t, err := d.Addons().NewToken(ctx, unit(ctx), in.Access, in.Body.Expires)
	v.reveals("token", t.Text)
	return accessesPath + "/" + in.Access + "/tokens", err
}

// oneOf is one of what an access has.
type oneOf struct {
	ofAccess
	ID string `path:"id"`
}

func (d door) revokeToken(ctx context.Context, v *visit, in *oneOf) (string, error) {
	v.says("token.revoked")
	return accessesPath + "/" + in.Access + "/tokens", d.Addons().RevokeToken(ctx, unit(ctx), in.Access, in.ID)
}
