package manage

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Admin is an admin of a shop as answers show it. SetPasswordURL is filled in the answer that makes the admin, and in
// no other.
type Admin struct {
	ID             string      `json:"id"`
	Email          field.Email `json:"email"`
	Name           field.Name  `json:"name"`
	SetPasswordURL string      `json:"setPasswordUrl,omitempty"`
	Created        field.Time  `json:"created"`
}

// showAdmin shows an admin without the link to set a password, which createAdmin alone adds.
func showAdmin(a staff.Admin) Admin {
	return Admin{ID: a.ID, Email: a.Email, Name: a.Name, Created: a.Created}
}

// setPassword is the page where an admin sets a password, on the origin of their shop's admin (contract, "The admin's
// address").
const setPassword = "/admin/set-password?token="

// listAdmins lists the people who may sign in to a shop's admin; 404 when there is no such shop.
func (d Door) listAdmins(c *api.Call, in *adminsOf) (*api.Collection[Admin], error) {
	if _, err := d.Own(c.Caller).Read(c, d.Main, "", in.Shop); err != nil {
		return nil, err
	}
	return api.Page(c, in.List, staff.Admins.Listing(d.Main, in.Shop),
		record.Load(d.Main, func(item *store.Item) (Admin, time.Time, bool, error) {
			a, at, there, err := staff.Admins.Show(item)
			return showAdmin(a), at, there, err
		}))
}

// createAdmin lets a person sign in to a shop's admin, and answers the link by which they choose a password. The link
// is good once and for 24 h, and signs nobody in. An e-mail that another admin of the shop has is 409 `email_taken`.
func (d Door) createAdmin(c *api.Call, in *newAdmin) (*api.Plain[Admin], error) {
	shop, err := d.Own(c.Caller).Read(c, d.Main, "", in.Shop)
	if err != nil {
		return nil, err
	}
	var url string // empty when the kept answer is made, and filled after it: so the link is in no stored row
	made := func(a staff.Admin) *api.Plain[Admin] {
		shown := showAdmin(a)
		shown.SetPasswordURL = url
		return api.PlainOf(shown)
	}
	return api.Do(c, made, func(u *change.Unit) (staff.Admin, error) {
		a, token, err := staff.Make(c, in.within(u), in.Body)
		url = d.Platform.Shops.Admin(shop) + setPassword + token
		return a, err
	})
}

// deleteAdmin deletes an admin and ends their sessions at once. The operator may delete a shop's last one: 409
// `last_admin` holds in the admin only, where nobody would be left to make another.
func (d Door) deleteAdmin(c *api.Call, in *OfAdmin) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return staff.Delete(c, in.within(u), in.Admin) })
}
