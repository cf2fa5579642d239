package operator

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/record"
	"eshop/shared/shop"
	"eshop/shared/staff"
	"eshop/shared/store"
)

// Admin of a shop as answers show them; SetPasswordURL only once, in the answer that makes them.
type Admin struct {
	ID             string      `json:"id"`
	Email          field.Email `json:"email"`
	Name           field.Name  `json:"name"`
	SetPasswordURL string      `json:"setPasswordUrl,omitempty"`
	Created        field.Time  `json:"created"`
}

func showAdmin(a staff.Admin) Admin {
	return Admin{ID: a.ID, Email: a.Email, Name: a.Name, Created: a.Created}
}

// setPassword is where an admin sets a password, at the address of their shop's admin.
const setPassword = "/admin/set-password?token="

func (d door) listAdmins(c *api.Call, in *adminsOf) (*api.Collection[Admin], error) {
	if _, err := shop.Read(c, d.Main, in.Shop); err != nil {
		return nil, err
	}
	return api.Page(c, in.List, staff.Admins.Listing(d.Main, in.Shop),
		record.Load(d.Main, func(item *store.Item) (Admin, time.Time, bool, error) {
			a, at, there, err := staff.Admins.Show(item)
			return showAdmin(a), at, there, err
		}))
}

func (d door) createAdmin(c *api.Call, in *newAdmin) (*api.Plain[Admin], error) {
	s, err := shop.Read(c, d.Main, in.Shop)
	if err != nil {
		return nil, err
	}
	var url string // not in the answer that is kept, which is made before
	made := func(a staff.Admin) *api.Plain[Admin] {
		shown := showAdmin(a)
		shown.SetPasswordURL = url
		return api.PlainOf(shown)
	}
	return api.Do(c, made, func(u *change.Unit) (staff.Admin, error) {
		a, token, err := staff.Make(c, in.of(u), in.Body)
		url = shop.AdminOf(shop.Website(d.Website).URL(s)) + setPassword + token
		return a, err
	})
}

func (d door) deleteAdmin(c *api.Call, in *OfAdmin) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return staff.Delete(c, in.of(u), in.Admin) })
}
