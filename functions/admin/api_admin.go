package admin

import (
	"context"
	"slices"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/limit"
	"eshop/shared/page"
	"eshop/shared/permission"
)

// apiAdmin registers the administration of an access's API: how much of its limits it uses, and what it may.
func (d door) apiAdmin() {
	one := accessesPath + "/{accessId}"
	look(d, one, func(ctx context.Context, v *visit, in *ofAccess) (screen, error) {
		return d.apiScreen(ctx, v, in.Access, page.Sent{})
	})
	act(d, one+"/permissions", d.permit, func(ctx context.Context, v *visit, s page.Sent) (screen, error) {
		return d.apiScreen(ctx, v, api.From(ctx).Part("accessId"), s)
	})
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

// meter is how much of a limit is used.
type meter struct {
	Window, Text string
	Used, Limit  int64
	HighAt       int64 // highUse percent of it
	High         bool  // above highUse percent of it
	Resets       string
}

// highUse is from how many percent of a limit on people are told of it.
const highUse = 80

func (d door) apiScreen(ctx context.Context, v *visit, access string, s page.Sent) (screen, error) {
	a, err := addon.Accesses.Read(ctx, d.Main, v.shop.ID, access)
	if err != nil {
		return screen{}, err
	}
	i, now := installed{Access: a}, d.Now()
	var used []limit.Used
	err = guard.Beside(ctx, d.Near,
		func() (err error) { i.Package, err = addon.ReadPackage(ctx, d.Main, a.Package); return },
		func() error {
			var unreachable error
			if used, unreachable = d.Counters.Used(ctx, limit.DaysOf(a.ID, now)...); unreachable != nil {
				d.Log.WarnContext(ctx, "the use of limits cannot be shown", "error", unreachable)
			}
			return nil
		})
	if err != nil {
		return screen{}, err
	}
	data := apiData{ID: a.ID, State: string(a.State), Tabs: v.tabs(a.ID, "api")}
	if used != nil {
		data.Chart = v.chart(limit.HoursOf(used, now), a.Limits().Hourly)
		data.Meters = v.meters(used[len(used)-1], a.Limits(), now)
	}
	for n, f := range s.Faults { // of any of the permissions
		if strings.HasPrefix(f.Location, "body.permission") {
			s.Faults[n].Location = "body.permission"
		}
	}
	f := v.filler(s)
	wrong := f.Named("permission", "package.permissions", "off")
	data.Form, data.Fault, data.Code = f.Done(), wrong.Fault, wrong.Code
	data.Permissions = v.may(i.Package.Permissions)
	for n, p := range data.Permissions {
		data.Permissions[n].Chosen = slices.Contains(a.Permissions, p.Permission)
		if s.Code != "" {
			data.Permissions[n].Chosen = slices.Contains(s.Values["permission"], string(p.Permission))
		}
	}
	return screen{name: "api", title: v.say("api.title"), above: v.aboveAccess(i), data: data}, nil
}

// permitForm gives an access permissions.
type permitForm struct {
	ofAccess
	Body permitted
}

// permitted is what is chosen of the package's permissions: those that are not sent are taken away.
type permitted struct {
	Permissions field.Permissions `json:"permission" required:"false"`
}

// permit gives an access the permissions. The same ones in another order are no change.
func (d door) permit(ctx context.Context, v *visit, in *permitForm) (string, error) {
	v.says("saved")
	to := accessesPath + "/" + in.Access
	_, err := d.Addons().ChangeAccess(ctx, unit(ctx), in.Access, func(was addon.AccessFields) (addon.AccessFields, error) {
		next := append(field.Permissions{}, in.Body.Permissions...)
		if !slices.Equal(sorted(next), sorted(was.Permissions)) || was.Permissions == nil {
			was.Permissions = next
		}
		return was, nil
	})
	return to, err
}

func sorted(all []permission.Permission) []permission.Permission {
	all = slices.Clone(all)
	slices.Sort(all)
	return all
}
