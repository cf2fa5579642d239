package cli

import (
	"cmp"
	"context"
	"fmt"

	"eshop/shared/permission"
)

// makeShop makes what an installation begins with: a shop, a package with all permissions, the package's access on the
// shop, and the shop's first person. It prints the token and the link to set a password. Both are shown once: the
// platform keeps only their hashes.
//
// Each line is printed as soon as its part is made. If a later part fails, people see how far it has come.
func makeShop(ctx context.Context, c *client, o options) error {
	post := func(path string, body object) (object, error) { return ask[object](ctx, c, "POST", path, body) }
	name := cmp.Or(o.name, o.argument)
	shop, err := post("/operator/shops", object{"name": name, "domain": o.argument, "locale": o.locale,
		"currency": o.currency, "owner": object{"email": o.email}})
	if err != nil {
		return err
	}
	id := fmt.Sprint(shop["id"])
	o.tell(object{"shopId": id, "websiteUrl": shop["websiteUrl"]}, "shop      %s at %s", id, shop["websiteUrl"])
	pkg, err := post("/operator/packages", object{"code": "own-" + id, "name": "Own of " + name, "instructions": "",
		"permissions": permission.All})
	if err != nil {
		return err
	}
	access, err := post("/operator/shops/"+id+"/accesses", object{"packageId": pkg["id"]})
	if err != nil {
		return err
	}
	o.tell(object{"accessId": access["id"], "packageId": pkg["id"]}, "access    %s of the package %s", access["id"],
		pkg["id"])
	o.tell(object{"token": access["token"]}, "token     %s (shown once)", access["token"])
	person, err := post("/operator/shops/"+id+"/admins", object{"email": o.email, "name": o.email})
	if err != nil {
		return err
	}
	o.tell(object{"email": person["email"], "setPasswordUrl": person["setPasswordUrl"]},
		"person    %s sets a password at %s (good once, for 24 hours)", person["email"], person["setPasswordUrl"])
	return nil
}

// makeDeveloper makes a developer and shows the token, which is in this answer only.
func makeDeveloper(ctx context.Context, c *client, o options) error {
	made, err := ask[struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}](ctx, c, "POST", "/operator/developers", object{"email": o.argument, "name": cmp.Or(o.name, o.argument)})
	if err == nil {
		o.tell(made, "developer %s, token %s (ESHOP_DEVELOPER_TOKEN)", made.ID, made.Token)
	}
	return err
}
