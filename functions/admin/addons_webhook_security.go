package admin

import (
	"cmp"

	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signingkey"
)

// securityTab is the last part of the address of an access's signing keys.
const securityTab = "webhook-security"

// webhookSecurity registers an access's signing keys, and says in plain words what a receiver must do about them now
// (contract, "Signing keys"). Keys are made, activated and revoked by the commands of the API.
func (d door) webhookSecurity() {
	at := accessPath("{accessId}", securityTab)
	refused := lookList(d, at, api.CreatedList{Paging: firstPage}, d.keysScreen)
	act(d, at+"/keys", d.makeKey, refused)
	act(d, at+"/keys/{id}/activate", d.activateKey, refused)
	act(d, at+"/keys/{id}/revoke", d.revokeKey, refused)
}

// keyRow is a signing key in the list.
type keyRow struct {
	ID, Fingerprint              string
	State                        shownState
	Made, Activated, Ends, Ended string // "" of what is not
	Pending                      bool
	Revoke                       *action // nil: it is revoked
}

// securityData is the page of an access's keys.
type securityData struct {
	page.Form
	hookLayout
	list
	Advice   []string // what whoever runs the receivers must do now
	Signed   bool     // webhooks are
	CanMake  bool     // no key is pending
	MakingIs string   // what a new key leads to
}

// keysScreen is the page of the keys, newest first unless another order is asked for. Its advice has a sentence for
// each state that a key is in: what whoever runs the receivers must do now, with the key's fingerprint and the end of
// its time.
func (d door) keysScreen(c *api.Call, v *visit, in api.CreatedList, sent page.Sent) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	set, err := signingkey.ReadSet(c, d.Main, addOn.ID)
	if err != nil {
		return screen{}, err
	}
	rows, load := signingkey.List(d.Main, addOn.ID, d.Now())
	keys, err := api.Page(c, in, rows, load)
	if err != nil {
		return screen{}, err
	}
	now := d.Now()
	// The set is what signs; the list has revoked keys, too.
	has := func(s signingkey.State) bool { return set.In(s, now) != nil }
	data := securityData{Form: v.filler(sent).Done(), hookLayout: v.hookLayout(addOn, securityTab),
		Signed: has(signingkey.Primary), CanMake: !has(signingkey.Pending), MakingIs: v.say("key.firstIs")}
	if data.Signed {
		data.MakingIs = v.say("key.nextIs")
	}
	for _, state := range []signingkey.State{signingkey.Primary, signingkey.Pending, signingkey.Retiring} {
		if k := set.In(state, now); k != nil {
			data.Advice = append(data.Advice,
				v.sayWith("advice."+string(state), "{key}", k.Fingerprint, "{until}", v.moment(k.Expires)))
		}
	}
	data.list = listed(v, listOf{c.Asked(), accessPath(addOn.ID, securityTab), nil}, keys.Body,
		func(k signingkey.Record) keyRow { return v.keyRow(k, addOn.ID, has) })
	return screen{name: "webhook-security", title: v.say("tab." + securityTab),
		above: v.aboveAccess(addOn), data: data}, nil
}

// keyLooks are how the states of keys look.
var keyLooks = map[signingkey.State]string{
	signingkey.Primary: "good", signingkey.Pending: "warn", signingkey.Retiring: "warn"}

// keyRow is a key in the list. Before somebody revokes a key, it says what signs then: has tells which states other
// keys are in (contract, "Signing keys").
func (v *visit) keyRow(key signingkey.Record, access string, has func(signingkey.State) bool) keyRow {
	row := keyRow{ID: key.ID, State: shownAs(v, "key.state.", key.State, keyLooks),
		Fingerprint: key.Fingerprint, Made: v.moment(key.Created), Pending: key.State == signingkey.Pending}
	if key.Activated != 0 {
		row.Activated = v.moment(key.Activated)
	}
	if key.State == signingkey.Revoked {
		row.Ended = v.moment(key.Revoked)
		return row
	}
	if key.Expires != 0 {
		row.Ends = v.moment(key.Expires)
	}
	leads := "toNone"
	switch {
	case key.State != signingkey.Primary:
		leads = string(key.State)
	case has(signingkey.Pending):
		leads = "toPending"
	case has(signingkey.Retiring):
		leads = "toRetiring"
	}
	row.Revoke = &action{Path: accessPath(access, securityTab) + "/keys/" + key.ID + "/revoke",
		Button: v.say("key.revoke"), To: key.Fingerprint, About: v.say("key.revoke." + leads), Danger: true}
	return row
}

// makeKey makes a key, and shows it once. The first one signs at once; a later one is pending until it is activated.
func (d door) makeKey(c *api.Call, v *visit, _ *nothing) (string, error) {
	return d.doing(c, v, securityTab, "key.isMade", func(o webhook.Owner) error {
		k, err := signingkey.Make(c, c.Unit(), d.Signing, o.Access)
		if err == nil {
			v.reveals("key", k.Key)
		}
		return err
	})
}

// activateKey makes the pending key the one that signs.
func (d door) activateKey(c *api.Call, v *visit, in *oneOf) (string, error) {
	return d.doing(c, v, securityTab, "key.isActivated", func(o webhook.Owner) error {
		_, err := signingkey.Activate(c, c.Unit(), o.Access, in.ID)
		return err
	})
}

// revokeKey ends a key at once.
func (d door) revokeKey(c *api.Call, v *visit, in *oneOf) (string, error) {
	return d.doing(c, v, securityTab, "key.isRevoked", func(o webhook.Owner) error {
		return signingkey.Revoke(c, c.Unit(), o.Access, in.ID)
	})
}
