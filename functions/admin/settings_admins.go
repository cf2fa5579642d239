package admin

import (
	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/people/staff"
)

// adminsPath is where the shop's people are.
const adminsPath = root + "/people"

// allAdmins are the collection as the operator has it.
var allAdmins = api.Records[staff.Admin, staff.Fields]{Kind: staff.Admins}

// admins registers the people who sign in to the shop's admin (contract, "People"):
//
//   - /admin/people lists them, and takes a new one: `email`, `name`. The link to set a password is shown once.
//   - …/{id}/sign-in-link makes another such link, for somebody who has lost the password.
//   - …/{id}/delete takes a person away, but never the last one.
func (d door) admins() {
	refused := lookList(d, adminsPath, api.List{Paging: firstPage}, d.adminsScreen)
	act(d, adminsPath, d.createAdmin, refused)
	act(d, adminsPath+"/{id}/sign-in-link", d.makeAdminLink, nil)
	// A refusal (the last person) is shown on the list, where the button is.
	act(d, adminsPath+"/{id}/delete", d.deleteAdmin, refused)
}

// adminRow is a person in the list, with what can be done about them. Whoever looks at the list is marked in it.
func (v *visit) adminRow(a staff.Admin) row {
	name, path := string(a.Name), adminsPath+"/"+a.ID
	shown := row{ID: a.ID, State: "active",
		Cells: []cell{{Text: name}, {Text: string(a.Email)}, {Text: v.moment(a.Created)}},
		Actions: []action{{Path: path + "/sign-in-link", Button: v.say("admin.link"), To: name},
			{Path: path + "/delete", Button: v.say("delete"), About: v.say("admin.deleteIs"), To: name, Danger: true}}}
	if a.ID == v.admin.ID { // who looks at the list
		shown.Cells[0].Small = "(" + v.say("admin.you") + ")"
		shown.Actions[1].About = v.say("admin.deleteOwnIs")
	}
	return shown
}

// adminsScreen is the list of people with the form of a new one on it.
func (d door) adminsScreen(c *api.Call, v *visit, in api.List, s page.Sent) (screen, error) {
	all, err := allAdmins.List(c, &in)
	if err != nil {
		return screen{}, err
	}
	t := v.table(listed(v, listOf{c.Asked(), adminsPath, nil}, all.Body, v.adminRow),
		[]column{{Text: "admin.name"}, {Text: "email"}, {Text: "made"}})
	f := v.filler(s)
	name := f.Named("name", "admin.name", "off")
	name.Required = page.Must
	t.Add = &action{Path: adminsPath, Heading: v.say("admin.new"), About: v.say("admin.newIs"),
		Button: v.say("admin.new"), Fields: []page.Field{f.Email(), name}}
	t.Form = f.Done()
	return screen{name: "list", title: v.say("people"), data: t}, nil
}

// createAdmin lets a person sign in, and shows the link by which they set a password, once.
func (d door) createAdmin(c *api.Call, v *visit, in *api.Create[staff.Fields]) (string, error) {
	_, token, err := staff.Make(c, c.Unit(), in.Body)
	v.says("admin.made")
	// The platform sends no e-mail: whoever made the person hands the link on.
	v.reveals("link", d.Platform.Shops.Admin(*v.shop)+setPasswordPath+"?token="+token)
	return adminsPath, err
}

// makeAdminLink makes a further link for a person, for somebody who has lost the password or the first link.
func (d door) makeAdminLink(c *api.Call, v *visit, in *api.ByID) (string, error) {
	token, err := d.people.MakeLink(c, c.Unit(), in.ID)
	v.says("admin.linked")
	v.reveals("link", d.Platform.Shops.Admin(*v.shop)+setPasswordPath+"?token="+token)
	return adminsPath, err
}

// deleteAdmin takes a person away and ends their sessions. The last one stays: 409 `last_admin`, or
// nobody could sign in any more (contract, "People"). Who deletes themself is told so where people sign in.
func (d door) deleteAdmin(c *api.Call, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	err := staff.DeleteButLast(c, c.Unit(), in.ID)
	if err == nil && in.ID == v.admin.ID {
		d.setSession(c, v, "")
		return signInPath, nil
	}
	return adminsPath, err
}
