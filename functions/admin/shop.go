package admin

import (
	"net/url"

	"eshop/shared/api"
	"eshop/shared/field"
	"eshop/shared/page"
	"eshop/shared/shop"
)

// shopPath is where the shop's own settings are.
const shopPath = root + "/shop"

// shopSettings registers what the people of a shop can set of it (contract, section 7): `name` and `owner.email`.
// Domain, language and currency are the operator's to set.
func (d door) shopSettings() {
	look(d, shopPath, func(c *api.Call, v *visit, _ *nothing) (screen, error) {
		return d.shopScreen(c, v, page.Sent{})
	})
	act(d, shopPath, d.changeShop, d.shopScreen)
}

// shopForm is what the people of a shop can change of it; the rest is the operator's.
type shopForm struct {
	Name  field.Name `json:"name"`
	Owner shop.Owner `json:"owner"`
}

// shopPage is the shop's settings.
type shopPage struct {
	page.Form
	Fields                          []page.Field
	ID, Website, Language, Currency string
}

// shopScreen shows the shop as it is stored now; the shop that the visit has may be half a minute old.
func (d door) shopScreen(c *api.Call, v *visit, s page.Sent) (screen, error) {
	now, err := shop.Read(c, d.Main, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	s = s.Or(url.Values{"name": {string(now.Name)}, "owner.email": {string(now.Owner.Email)}})
	for i, fault := range s.Faults {
		if fault.Location == "body.owner" { // an owner without an address is none at all
			s.Faults[i].Location = "body.owner.email"
		}
	}
	f := v.filler(s)
	name, owner := f.Field("name", "off", page.Must), f.Field("owner.email", "off", page.Must)
	name.Label, owner.Label, owner.Type, owner.Mode = v.say("shop.name"), v.say("shop.owner"), "email", "email"
	fields := []page.Field{name, owner.Hinted(v.say("shop.ownerIs"))}
	data := shopPage{Form: f.Done(), Fields: fields, ID: now.ID, Website: v.website,
		Language: v.say("shop." + string(now.Locale)), Currency: now.Currency}
	return screen{name: "shop", title: v.say("shop"), data: data}, nil
}

// settings is the input of a change of the shop.
type settings struct {
	Body api.Patch[shopForm]
}

// changeShop changes the shop by the operator's own command, so that another owner fires shopOwnerChange here as well.
func (d door) changeShop(c *api.Call, v *visit, in *settings) (string, error) {
	v.says("saved")
	// The second function lets this process forget what it remembers of the shop's accesses.
	shops := shop.Kind(d.Website, d.Accesses.DropShop)
	_, err := shops.Change(c, c.Unit(), v.shop.ID, func(f shop.Fields) (shop.Fields, error) {
		now, err := api.Apply(c, in.Body, shopForm{f.Name, f.Owner})
		f.Name, f.Owner = now.Name, now.Owner
		return f, err
	})
	return shopPath, err
}
