package admin

import (
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// tokens registers the tokens of an access: their list with last use and expiry, a new one with `expiresAt?`, which is
// shown once, and …/{id}/revoke.
func (d door) tokens() {
	all := accessPath("{accessId}", "tokens")
	refused := lookList(d, all, api.CreatedList{Paging: firstPage}, d.tokensScreen)
	act(d, all, d.createToken, refused)
	act(d, all+"/{id}/revoke", d.revokeToken, nil)
}

// tokensScreen lists an access's tokens with the form of a new one.
func (d door) tokensScreen(c *api.Call, v *visit, in api.CreatedList, sent page.Sent) (screen, error) {
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	all, err := api.Page(c, in, addon.TokenRows(d.Main, addOn.ID), record.Load(d.Main, addon.ShowToken))
	if err != nil {
		return screen{}, err
	}
	path, now := accessPath(addOn.ID, "tokens"), field.At(d.Now())
	t := v.table(listed(v, listOf{c.Asked(), path, nil}, all.Body,
		func(k addon.Token) row { return v.tokenRow(k, path, now) }),
		[]column{{Text: "token.end"}, {Text: "token.used"}, {Text: "expiresAt"}, {Text: "made"}})
	f := v.filler(sent)
	t.Tabs, t.About = v.tabs(addOn.ID, "tokens"), v.say("token.about")
	t.Add = &action{Path: path, Heading: v.say("token.new"), Button: v.say("token.make"),
		Fields: []page.Field{f.Moment("expiresAt", page.May).Hinted(v.say("token.expiresIs"))}}
	t.Form = f.Done()
	return screen{name: "list", title: v.say("tab.tokens"), above: v.aboveAccess(addOn), data: t}, nil
}

// tokenRow is a token in the list: the end of its text, when it was last used, and until when it is good. Nothing of a
// token's text is kept but the end.
func (v *visit) tokenRow(token addon.Token, path string, now field.Time) row {
	end, used, expires, state := "…"+token.Last4, v.say("token.never"), cell{Text: v.say("token.forever")}, "active"
	if token.Used != 0 {
		used = v.moment(token.Used)
	}
	if token.Expires != nil {
		expires.Text = v.moment(*token.Expires)
		// A token that is over stays in the list, so that people see why it does not work.
		if *token.Expires <= now {
			state, expires.State.Name = "inactive", v.say("token.over")
		}
	}
	return row{ID: token.ID, State: state,
		Cells: []cell{{Text: end}, {Text: used}, expires, {Text: v.moment(token.Created)}},
		Actions: []action{{Path: path + "/" + token.ID + "/revoke", Button: v.say("token.revoke"), To: end,
			About: v.say("token.revokeIs"), Danger: true}}}
}

// newToken makes a token of an access.
type newToken struct {
	ofAccess
	Body tokenLife
}

// tokenLife says until when a new token is good; without `expiresAt` it does not expire.
type tokenLife struct {
	Expires *field.Time `json:"expiresAt,omitempty"`
}

// createToken makes a token, and shows it once.
func (d door) createToken(c *api.Call, v *visit, in *newToken) (string, error) {
	t, err := d.Addons().NewToken(c, c.Unit(), in.Access, in.Body.Expires)
	v.reveals("token", t.Text)
	return accessesPath + "/" + in.Access + "/tokens", err
}

// revokeToken ends a token at once.
func (d door) revokeToken(c *api.Call, v *visit, in *oneOf) (string, error) {
	v.says("token.revoked")
	return accessesPath + "/" + in.Access + "/tokens", d.Addons().RevokeToken(c, c.Unit(), in.Access, in.ID)
}
