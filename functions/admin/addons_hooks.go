package admin

import (
	"strings"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/webhook"
)

// accessPath is the address of one of the pages about an access.
func accessPath(access, name string) string { return accessesPath + "/" + access + "/" + name }

// hookLayout is what the pages about an access's webhooks have in common.
type hookLayout struct {
	Tabs []page.Link
	Path string // of the access's API administration
}

// hookLayout is the layout of a page about an access's webhooks.
func (v *visit) hookLayout(i installed, tab string) hookLayout {
	return hookLayout{Tabs: v.tabs(i.ID, tab), Path: accessesPath + "/" + i.ID}
}

// belowHooks is the way back from a page that lies below one of an access's webhook pages.
func (v *visit) belowHooks(i installed, tab string) []page.Link {
	return append(v.aboveAccess(i), page.Link{Text: v.say("tab." + tab), Path: accessPath(i.ID, tab)})
}

// owned is the access that the address names as the owner of webhooks; not_found if it is not the shop's.
func (d door) owned(c *api.Call, v *visit) (webhook.Owner, error) {
	a, err := addon.Accesses.Read(c, d.Main, v.shop.ID, c.PathValue("accessId"))
	return webhook.Owner{Shop: v.shop.ID, Access: a.ID, Package: a.Package}, err
}

// doing runs a command on one of an access's codes, keys or receivers, and leads back to their page with a remark. The
// access is read first, so that what is of another shop's access is 404.
func (d door) doing(c *api.Call, v *visit, tab, said string, command func(webhook.Owner) error) (string, error) {
	o, err := d.owned(c, v)
	if err != nil {
		return "", err
	}
	v.says(said)
	return accessPath(o.Access, tab), command(o)
}

// sayWith is a text with values for its placeholders, which look like {this}: placeholder and value in turn.
func (v *visit) sayWith(name string, values ...string) string {
	return strings.NewReplacer(values...).Replace(v.say(name))
}

// event is what an event is about, in words.
func (v *visit) event(e events.Name) string { return v.say("event." + string(e)) }

// failure is why an attempt or a ping failed, in words; "" of none.
func (v *visit) failure(text string) string {
	if status, is := strings.CutPrefix(text, "status "); is {
		return v.sayWith("failure.status", "{status}", status)
	}
	// Texts of the platform are translated; what is none of them is shown as it is.
	if said := v.say("failure." + text); said != "" || text == "" {
		return said
	}
	return text
}
