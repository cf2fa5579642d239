package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"eshop/shared/base/id"
	"eshop/shared/base/permission"
)

// makeShop makes what an installation begins with: a shop, a package with all permissions, the package's access on the
// shop, and the shop's first person. It prints the token and the link to set a password. Both are shown once: the
// platform keeps only their hashes.
//
// Each line is printed as soon as its part is made. If a later part fails, people see how far it has come.
func makeShop(ctx context.Context, c *client, opts options) error {
	post := func(path string, body object) (object, error) { return ask[object](ctx, c, "POST", path, body) }
	name := cmp.Or(opts.name, opts.argument)
	shop, err := post("/operator/shops", object{"name": name, "domain": opts.argument, "locale": opts.locale,
		"currency": opts.currency, "owner": object{"email": opts.email}})
	if err != nil {
		return err
	}
	made := fmt.Sprint(shop["id"])
	opts.tell(object{"shopId": made, "websiteUrl": shop["websiteUrl"]}, "shop      %s at %s", made, shop["websiteUrl"])
	pkg, err := post("/operator/packages", object{"code": "own-" + made, "name": "Own of " + name, "instructions": "",
		"permissions": permission.All})
	if err != nil {
		return err
	}
	access, err := post("/operator/shops/"+made+"/accesses", object{"packageId": pkg["id"]})
	if err != nil {
		return err
	}
	opts.tell(object{"accessId": access["id"], "packageId": pkg["id"]}, "access    %s of the package %s", access["id"],
		pkg["id"])
	opts.tell(object{"token": access["token"]}, "token     %s (shown once)", access["token"])
	person, err := post("/operator/shops/"+made+"/admins", object{"email": opts.email, "name": opts.email})
	if err != nil {
		return err
	}
	opts.tell(object{"email": person["email"], "setPasswordUrl": person["setPasswordUrl"]},
		"person    %s sets a password at %s (good once, for 24 hours)", person["email"], person["setPasswordUrl"])
	return nil
}

// makeDeveloper makes a developer and shows the token, which is in this answer only.
func makeDeveloper(ctx context.Context, c *client, o options) error {
	made, err := ask[struct{ ID, Token string }](ctx, c, "POST", "/operator/developers",
		object{"email": o.argument, "name": cmp.Or(o.name, o.argument)})
	if err == nil {
		o.tell(object{"id": made.ID, "token": made.Token}, "developer %s, token %s (ESHOP_DEVELOPER_TOKEN)",
			made.ID, made.Token)
	}
	return err
}

// setDomain gives a shop a name of its own, and says what name servers and the proxy need so that it leads here. Once
// they have it, --ready says so: until then the shop's addresses are those below the platform's own.
func setDomain(ctx context.Context, c *client, opts options) error {
	name := opts.more[0]
	id, err := shopOf(ctx, c, opts.argument)
	if err != nil {
		return err
	}
	body := object{"domain": name}
	if opts.ready {
		body["readyDomain"] = name
	}
	shop, err := ask[object](ctx, c, "PATCH", "/operator/shops/"+url.PathEscape(id), body)
	if err != nil {
		return err
	}
	website := fmt.Sprint(shop["websiteUrl"])
	opts.tell(object{"shopId": id, "domain": name, "websiteUrl": website}, "shop      %s has the name %s, and "+
		"its addresses begin with %s", id, name, website)
	// The platform's own name is behind the shop's, until the shop is told at the name that it was given.
	scheme, host, below := strings.Cut(website, strings.ToLower(id)+".")
	if !below {
		return nil
	}
	admin := scheme + strings.ToLower(id) + ".admin." + host + "/admin"
	opts.tell(object{"adminUrl": admin}, "people    sign in at %s from now on; a link to set a password that was "+
		"sent before works with this host in place of the old one", admin)
	host, _, _ = strings.Cut(host, ":")
	opts.tell(object{"dns": name + ". CNAME " + host + "."}, "DNS       %s. CNAME %s. (a name with entries of its "+
		"own, as the top of a zone, has the A and AAAA of %s instead)", name, host, host)
	opts.tell(object{"caddy": name}, "Caddy     add %s to the names before the block that has %s; where that has a "+
		"line tls, a block of its own without one", name, host)
	opts.tell(object{"nginx": "server_name " + name + ";"}, "nginx     add a server block with server_name %s; and a "+
		"certificate of its own", name)
	opts.tell(object{"next": "--ready"}, "then      when a browser shows the shop at the name, say so: "+
		"eshop shop domain %s %s --ready", id, name)
	return nil
}

// shopOf is the id of the shop with this id or domain.
func shopOf(ctx context.Context, c *client, named string) (string, error) {
	if id.Valid(named) {
		return named, nil
	}
	found, err := ask[page[struct{ ID string }]](ctx, c, "GET", "/operator/shops?domain="+url.QueryEscape(named), nil)
	if err == nil && len(found.Items) == 0 {
		err = fmt.Errorf("no shop has the id or the domain %s", named)
	}
	if err != nil {
		return "", err
	}
	return found.Items[0].ID, nil
}
