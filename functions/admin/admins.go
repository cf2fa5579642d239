package admin

import (
	"context"

	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/shop"
	"eshop/shared/staff"
)

const adminsPath = root + "/people"

// allAdmins are the collection as the operator has it.
var allAdmins = api.Records[staff.Admin, staff.Fields]{Kind: staff.Admins}

// admins registers the people who sign in to the shop's admin: their list, on which one is added, and what is done
// there.
func (d door) admins() {
	lookAt(d, adminsPath, allAdmins.Query(), func(ctx context.Context, v *visit, in *api.List) (screen, error) {
		return d.adminsScreen(ctx, v, in, page.Sent{})
	})
	act(d, adminsPath, d.createAdmin, d.adminsRefused)
	act(d, adminsPath+"/{adminId}/sign-in-link", d.makeAdminLink, nil)
	act(d, adminsPath+"/{adminId}/delete", d.deleteAdmin, d.adminsRefused)
}

// adminRow is a person in the list.
type adminRow struct {
	ID, Name, Email, Created string
	You                      bool // who looks at the list
}

// adminList is the list with the form that adds a person.
type adminList struct {
	list
	page.Form
	Fields []page.Field
}

func (d door) adminsScreen(ctx context.Context, v *visit, in *api.List, s page.Sent) (screen, error) {
	all, err := allAdmins.List(ctx, in)
	if err != nil {
		return screen{}, err
	}
	row := func(a staff.Admin) adminRow {
		return adminRow{ID: a.ID, Name: string(a.Name), Email: string(a.Email),
			Created: v.moment(a.Created), You: a.ID == v.person}
	}
	data := adminList{list: listed(v, query(ctx), adminsPath, all.Body.Items, all.Body.NextCursor, nil, row)}
	f := v.filler(s)
	data.Fields = []page.Field{f.Email(), f.Named("name", "admin.name", "off")}
	data.Fields[1].Required = page.Must
	data.Form = f.Done()
	return screen{name: "admins", title: v.say("people"), data: data}, nil
}

// adminsRefused is the beginning of the list, with what was sent and what was wrong with it.
func (d door) adminsRefused(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	return d.adminsScreen(ctx, v, &api.List{Paging: api.Paging{ItemsPerPage: 50}}, s)
}

// OfAdmin is the path of an action on a person.
type OfAdmin struct {
	Admin string `path:"adminId"`
}

func (d door) createAdmin(ctx context.Context, v *visit, in *api.Create[staff.Fields]) (string, error) {
	_, token, err := staff.Make(ctx, unit(ctx), in.Body)
	v.says("admin.made")
	v.reveals("link", shop.AdminOf(v.website)+setPasswordPath+"?token="+token)
	return adminsPath, err
}

func (d door) makeAdminLink(ctx context.Context, v *visit, in *OfAdmin) (string, error) {
	token, err := d.people.MakeLink(ctx, unit(ctx), in.Admin)
	v.says("admin.linked")
	v.reveals("link", shop.AdminOf(v.website)+setPasswordPath+"?token="+token)
	return adminsPath, err
}

func (d door) deleteAdmin(ctx context.Context, v *visit, in *OfAdmin) (string, error) {
	v.says("deleted")
	return adminsPath, staff.DeleteButLast(ctx, unit(ctx), in.Admin)
}
