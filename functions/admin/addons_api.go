package admin

import (
	"context"
	"slices"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/ports/limit"
	"eshop/shared/record/field"
)

// apiAdmin registers the administration of an access's API: /admin/api/{accessId} shows how much of its limits it has
// used, hour by hour over 48 h, and …/permissions takes `permission`, several times.
func (d door) apiAdmin() {
	one := accessesPath + "/{accessId}"
	lookForm(d, one, d.apiScreen)
	act(d, one+"/permissions", d.permit, d.apiScreen)
}

// apiData is the page of an access's API.
type apiData struct {
	page.Form
	ID          string
	State       string
	Tabs        []page.Link
	Chart       *chart // nil: the counters cannot be read now
	Meters      []meter
	Permissions []may
	Fault, Code string // of the permissions
}

// meter is how much of a limit is used in its present window, as a number and as a bar.
type meter struct {
	Window, Text string
	Used, Limit  int64
	HighAt       int64 // highUse percent of it
	High         bool  // above highUse percent of it
	Resets       string
}

// highUse is the share of a limit, in percent, from which the dashboard warns (contract, "Admin pages").
const highUse = 80

// apiScreen shows how much of its limits an access uses, hour by hour over 48 h, and the form of its permissions. If
// the counters cannot be read, the page has everything else.
func (d door) apiScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	now := d.Now()
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	used := d.used(c, limit.DaysOf(addOn.ID, now))
	// Without the counters used is nil. The permissions can be changed nevertheless.
	data := apiData{ID: addOn.ID, State: string(addOn.State), Tabs: v.tabs(addOn.ID, "api")}
	if used != nil {
		data.Chart = v.chart(limit.HoursOf(used, now), addOn.Limits().Hourly)
		data.Meters = v.meters(used[len(used)-1], addOn.Limits(), now)
	}
	// The API names a fault by its place in the list. The form has one text for the whole choice.
	for n, f := range sent.Faults { // of any of the permissions
		if strings.HasPrefix(f.Location, "body.permission") {
			sent.Faults[n].Location = "body.permission"
		}
	}
	f := v.filler(sent)
	wrong := f.Named("permission", "package.permissions", "off")
	data.Form, data.Fault, data.Code = f.Done(), wrong.Fault, wrong.Code
	data.Permissions = v.may(addOn.Package.Permissions)
	for n, p := range data.Permissions {
		// What is stored is chosen, or what was sent if the form was refused.
		data.Permissions[n].Chosen = slices.Contains(addOn.Permissions, p.Permission)
		if sent.Code != "" {
			data.Permissions[n].Chosen = slices.Contains(sent.Values["permission"], string(p.Permission))
		}
	}
	return screen{name: "api", title: v.say("api.title"), above: v.aboveAccess(addOn), data: data}, nil
}

// used is what was charged on some days. It is nil if that cannot be read: a page must not fail because the counters
// do.
func (d door) used(ctx context.Context, days []limit.Day) []limit.Used {
	all := make([]limit.Used, 0, len(days))
	for some := range slices.Chunk(days, 100) { // what one call takes
		used, err := d.Counters.Used(ctx, some...)
		if err != nil {
			d.Log.WarnContext(ctx, "the use of limits cannot be shown", "error", err)
			return nil
		}
		all = append(all, used...)
	}
	return all
}

// permitForm gives an access permissions.
type permitForm struct {
	ofAccess
	Body permitted
}

// permitted is the choice among the package's permissions. A permission that is not chosen is taken away; an empty
// choice takes all.
type permitted struct {
	Permissions field.Permissions `json:"permission" required:"false"`
}

// permit gives an access the chosen permissions, never more than its package has.
func (d door) permit(c *api.Call, v *visit, in *permitForm) (string, error) {
	v.says("saved")
	to := accessesPath + "/" + in.Access
	if !c.Form().Has("permission") { // what is not sent stays
		// Read nevertheless, so that a wrong access is 404 here, too.
		_, err := addon.Accesses.Read(c, d.Main, v.shop.ID, in.Access)
		return to, err
	}
	_, err := d.Addons().ChangeAccess(c, c.Unit(), in.Access,
		func(was addon.AccessFields) (addon.AccessFields, error) {
			was.Permissions = append(field.Permissions{}, in.Body.Permissions...) // none chosen is none, and not all
			return was, nil
		})
	return to, err
}
