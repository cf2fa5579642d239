package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"eshop/shared/base/permission"
)

// source is the client of the shop that is copied. --from names its platform, by an address or by a profile.
func (o options) source() (*client, error) {
	from := options{Shell: o.Shell, token: o.token, url: o.from}
	if !isAddress(o.from) {
		from.profile = o.from
		p, err := from.known()
		if err != nil {
			return nil, err
		}
		from.url = p.URL // ESHOP_URL is the copy's platform
	}
	return connect(from, ofAccess)
}

// developer is the client of who is to own the copy: the developer whose token there is, else the one that the operator
// has for copies. The usual profile may be of a platform where people buy: no copy is made there unless it is named.
func (o options) developer(ctx context.Context) (*client, error) {
	o.token = "" // it is the source's
	if cmp.Or(o.url, o.profile, o.Getenv("ESHOP_URL"), o.Getenv("ESHOP_PROFILE")) == "" {
		o.Config = "" // so that only the platform that runs here is found
	}
	c, err := connect(o, ofDeveloper)
	if err == nil {
		return c, nil
	}
	operator, none := connect(o, ofOperator)
	if none != nil {
		return nil, err
	}
	const path = "/operator/developers"
	owner, err := ensure(ctx, operator, path, "email", object{"email": "copies@example.com", "name": "Copies of shops"})
	if err == nil && owner["token"] == nil { // the answer that made the developer had it
		owner, err = ask[object](ctx, operator, "POST", fmt.Sprint(path, "/", owner["id"], "/token"), nil)
	}
	return newClient(operator.url, fmt.Sprint(owner["token"])), err
}

// ensure finds the record of a small collection that is the same in the field by as the body, or makes one.
func ensure(ctx context.Context, c *client, path, by string, body object) (object, error) {
	all, err := list[object](ctx, c, path+"?itemsPerPage=250")
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(o object) bool { return o[by] == body[by] }); i >= 0 {
		return all[i], nil
	}
	return ask[object](ctx, c, "POST", path, body)
}

// open makes the test shop that is the copy, with an access that may do everything and with a person, unless they are
// there. The token of a new access is shown for later use. This command has one of its own, which is good for 24 hours.
func (d *duplicate) open(ctx context.Context) error {
	c, err := d.developer(ctx)
	if err != nil {
		return err
	}
	ensured := func(path, by string, body object) (found object) {
		if err == nil {
			found, err = ensure(ctx, c, path, by, body)
		}
		return found
	}
	d.email = cmp.Or(d.email, "admin@example.com")
	d.shop = ensured("/developer/shops", "domain", object{"name": fmt.Sprint(d.like["name"], " (test)"),
		"domain": strings.ToLower(cmp.Or(d.argument, fmt.Sprint(d.like["domain"], ".test"))),
		"locale": d.like["locale"], "currency": d.like["currency"], "owner": object{"email": d.email}})
	c.again = d.again // and not before: nothing waits for a platform that is not there
	id := fmt.Sprint(d.shop["id"])
	of := "/developer/shops/" + id
	pkg := ensured("/developer/packages", "code", object{"code": "copy-" + strings.ToLower(id),
		"name": "Copy of a shop", "instructions": "", "permissions": permission.All})
	if err == nil {
		err = d.mayOverwrite(ctx, c, of, pkg["id"])
	}
	if err != nil {
		return err
	}
	d.tell(object{"shopId": id, "websiteUrl": d.shop["websiteUrl"]}, "shop      %s at %s", id, d.shop["websiteUrl"])
	access := ensured(of+"/accesses", "packageId", object{"packageId": pkg["id"]})
	if token := access["token"]; token != nil {
		d.tell(object{"token": token}, "token     %s (shown once)", token)
	}
	person := ensured(of+"/admins", "email", object{"email": d.email, "name": d.email})
	if link := person["setPasswordUrl"]; link != nil {
		d.tell(object{"email": d.email, "setPasswordUrl": link},
			"person    %s sets a password at %s (good once, for 24 hours)", d.email, link)
	}
	var own struct{ Token string }
	for err == nil && own.Token == "" { // an answer that was lost is given again without the token
		own, err = ask[struct{ Token string }](ctx, c, "POST", fmt.Sprint(of, "/accesses/", access["id"], "/tokens"),
			object{"expiresAt": c.at.Add(24 * time.Hour).UTC().Format(time.RFC3339)})
	}
	d.to = newClient(c.url, own.Token)
	d.to.again = d.again
	d.to.renew = "the copy's own token was good for 24 hours: the same command goes on with another"
	return err
}

// mayOverwrite refuses the source itself, a shop that is no copy, and one with prices in another currency. A copy has
// an access of its own package; one whose command ended before that has neither accesses nor people.
func (d *duplicate) mayOverwrite(ctx context.Context, c *client, of string, pkg any) error {
	accesses, err := list[object](ctx, c, of+"/accesses?itemsPerPage=250")
	if err != nil {
		return err
	}
	people, err := list[object](ctx, c, of+"/admins?itemsPerPage=250")
	if err != nil {
		return err
	}
	has := func(field string, value any) bool {
		return slices.ContainsFunc(accesses, func(access object) bool { return access[field] == value })
	}
	is := ""
	switch {
	case has("id", d.access):
		is = "the source itself"
	case len(accesses)+len(people) > 0 && !has("packageId", pkg):
		is = "yours, but no copy"
	case d.shop["currency"] != d.like["currency"]:
		is = fmt.Sprintf("one with prices in %s, and the source has %s", d.shop["currency"], d.like["currency"])
	default:
		return nil
	}
	return fmt.Errorf("the shop at %s is %s: name another domain, as in eshop shop copy --from %s copy.%[1]s",
		d.shop["domain"], is, d.options.from)
}
