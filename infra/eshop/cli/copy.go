package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"eshop/shared/base/permission"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// duplicate is the work of copying a shop: from is the access that reads the source, to is that of the copy, which may
// do everything there.
//
// It keeps nothing of its own. The records of the copy say how far it has come, because each is found again: the shop
// by its domain, a product and a coupon by the code, a category by its place, a state by its key or name, a customer by
// the made-up e-mail address, and an order by its note.
type duplicate struct {
	options
	from, to *client
	access   string // the source's, that is copied with
	shop     object // the copy

	categories, states map[string]string // ids in the copy, by the source's
	orders             []theirOrder
	sold               map[string]*catalog.Product // what these have sold, by the source's ids; nil until it was read
	codes              map[string]string           // of what can be sold again of it, by the source's ids
	left               map[[2]string]string        // why a record is left out, by what it is and its name
	running            string                      // the import that has not ended
	pictures           int
}

// copyShop makes a test shop of what a token may read of a shop. Called again, it goes on, and brings in what is new.
func copyShop(ctx context.Context, _ *client, o options) error {
	from, err := o.source()
	if err != nil {
		return err
	}
	d := &duplicate{options: o, from: from, sold: map[string]*catalog.Product{}, codes: map[string]string{},
		left: map[[2]string]string{}}
	reads, err := ask[struct {
		AccessID    string
		Permissions []permission.Permission
	}](ctx, from, "GET", "/api-engine/status", nil)
	if err != nil {
		return err
	}
	d.access, from.again = reads.AccessID, o.again
	may := func(needed permission.Permission, what string) bool {
		is := slices.Contains(reads.Permissions, needed)
		if !is {
			o.tell(object{"leftOut": what, "permission": needed}, "left out  %s: the token lacks %s", what, needed)
		}
		return is
	}
	like := object{"name": "Copy", "domain": reads.AccessID, "locale": "cs_CZ", "currency": "CZK"}
	if may(permission.ReadShop, "the shop's name, language and currency") {
		if like, err = ask[object](ctx, from, "GET", "/api-engine/shop", nil); err != nil {
			return err
		}
	}
	if err := d.open(ctx, like); err != nil {
		return err
	}
	for _, part := range []struct {
		what  string
		needs permission.Permission
		copy  func(context.Context) error
	}{
		{"categories", permission.ReadProducts, d.copyCategories},
		{"coupons", permission.ReadCoupons, d.copyCoupons},
		{"customers", permission.ReadCustomers, d.copyCustomers},
		{"order states", permission.ReadOrders, d.copyStates},
		{"products", permission.ReadProducts, d.copyProducts},
		{"orders", permission.ReadOrders, d.copyOrders},
	} {
		if may(part.needs, part.what) {
			if err := part.copy(ctx); err != nil {
				return fmt.Errorf("%s: %w", part.what, err)
			}
		}
	}
	left := map[string]int{}
	for of, why := range d.left {
		left[of[0]+": "+why]++
	}
	for _, why := range slices.Sorted(maps.Keys(left)) {
		o.tell(object{"leftOut": why, "number": left[why]}, "left out  %d of the %s", left[why], why)
	}
	o.tell(object{"done": true, "shopId": d.shop["id"], "websiteUrl": d.shop["websiteUrl"]},
		"done      open %s", d.shop["websiteUrl"])
	return nil
}

// source is the platform that --from names, by an address or by a profile of login's.
func (o options) source() (*client, error) {
	from := options{Shell: o.Shell, token: o.token, profile: o.from}
	if isAddress(o.from) {
		from.url, from.profile = o.from, ""
	}
	from.Getenv = func(name string) string {
		if name == "ESHOP_URL" || name == "ESHOP_PROFILE" { // they name the copy's platform
			return ""
		}
		return o.Getenv(name)
	}
	return connect(from, ofAccess)
}

// developer is who has the copy: whoever's token there is, else the one that the operator makes for copies. The usual
// profile may be of a platform where people buy: no copy is made there unless it is named.
func (o options) developer(ctx context.Context) (*client, error) {
	o.token = "" // it is the source's
	if cmp.Or(o.url, o.profile, o.Getenv("ESHOP_URL"), o.Getenv("ESHOP_PROFILE")) == "" {
		o.Config = "" // so that only the platform that runs here is found
	}
	c, err := connect(o, ofDeveloper)
	if err == nil {
		return c, nil
	}
	if c, err = connect(o, ofOperator); err != nil {
		return nil, err
	}
	const all = "/operator/developers"
	made, is, err := ensure(ctx, c, all, "email", object{"email": "copies@example.com", "name": "Copies of shops"})
	if err == nil && !is {
		made, err = ask[object](ctx, c, "POST", fmt.Sprint(all, "/", made["id"], "/token"), nil)
	}
	return newClient(c.url, fmt.Sprint(made["token"])), err
}

// find finds the record of a small collection that has a value in a field; nil: none has.
func find(ctx context.Context, c *client, path, by string, value any) (object, error) {
	all, err := list[object](ctx, c, path+"?itemsPerPage=250")
	if i := slices.IndexFunc(all, func(o object) bool { return o[by] == value }); i >= 0 {
		return all[i], err
	}
	return nil, err
}

// ensure finds the record of a small collection that has the body's value of a field, or makes it.
func ensure(ctx context.Context, c *client, path, by string, body object) (found object, made bool, err error) {
	if found, err = find(ctx, c, path, by, body[by]); found != nil || err != nil {
		return found, false, err
	}
	found, err = ask[object](ctx, c, "POST", path, body)
	return found, true, err
}

// isCopy refuses a shop that was there before and may be no copy, because the package of copies is not installed in
// it. A shop without accesses and people is one that a copy had just made when it ended.
func (d *duplicate) isCopy(ctx context.Context, c *client, of, code string) error {
	accesses, err := list[object](ctx, c, of+"/accesses?itemsPerPage=250")
	if err != nil {
		return err
	}
	people, err := list[object](ctx, c, of+"/admins?itemsPerPage=250")
	if err != nil {
		return err
	}
	pkg, err := find(ctx, c, "/developer/packages", "code", code)
	has := func(field string, value any) bool {
		return slices.ContainsFunc(accesses, func(a object) bool { return a[field] == value })
	}
	switch {
	case err != nil:
		return err
	case has("id", d.access):
		return errors.New("a shop is not copied over itself: name another domain behind --from " + d.options.from)
	case len(accesses)+len(people) > 0 && (pkg == nil || !has("packageId", pkg["id"])):
		return fmt.Errorf("the shop at %s is yours, but no copy: name another domain, as in eshop shop copy --from %s "+
			"copy.%[1]s", d.shop["domain"], d.options.from)
	}
	return nil
}

// open makes the copy a test shop like the source's, unless it is there, with an access and a person. It tells the
// access's first token; its own one ends after a day.
func (d *duplicate) open(ctx context.Context, like object) error {
	c, err := d.developer(ctx)
	if err != nil {
		return err
	}
	d.email = cmp.Or(d.email, "admin@example.com")
	domain := strings.ToLower(cmp.Or(d.argument, fmt.Sprint(like["domain"])+".test"))
	shop, made, err := ensure(ctx, c, "/developer/shops", "domain", object{"name": fmt.Sprint(like["name"], " (test)"),
		"domain": domain, "locale": like["locale"], "currency": like["currency"], "owner": object{"email": d.email}})
	if err != nil {
		return err
	}
	if shop["currency"] != like["currency"] {
		return fmt.Errorf("the prices of the shop at %s are in %s, and those of the source in %s: name another domain",
			domain, shop["currency"], like["currency"])
	}
	d.shop, c.again = shop, d.again
	id := fmt.Sprint(shop["id"])
	of, code := "/developer/shops/"+id, "copy-"+strings.ToLower(id)
	if !made {
		if err := d.isCopy(ctx, c, of, code); err != nil {
			return err
		}
	}
	d.tell(object{"shopId": id, "websiteUrl": d.shop["websiteUrl"]}, "shop      %s at %s", id, d.shop["websiteUrl"])
	pkg, _, err := ensure(ctx, c, "/developer/packages", "code", object{"code": code,
		"name": "Copy of a shop", "instructions": "", "permissions": permission.All})
	if err != nil {
		return err
	}
	access, _, err := ensure(ctx, c, of+"/accesses", "packageId", object{"packageId": pkg["id"]})
	if err != nil {
		return err
	}
	if token := access["token"]; token != nil {
		d.tell(object{"token": token}, "token     %s (shown once)", token)
	}
	person, _, err := ensure(ctx, c, of+"/admins", "email", object{"email": d.email, "name": d.email})
	if err != nil {
		return err
	}
	if link := person["setPasswordUrl"]; link != nil {
		d.tell(object{"email": d.email, "setPasswordUrl": link},
			"person    %s sets a password at %s (good once, for 24 hours)", d.email, link)
	}
	var token struct{ Token string }
	for err == nil && token.Token == "" { // it is not in an answer that is given again
		token, err = ask[struct{ Token string }](ctx, c, "POST", fmt.Sprint(of, "/accesses/", access["id"], "/tokens"),
			object{"expiresAt": c.at.Add(24 * time.Hour).UTC().Format(time.RFC3339)})
	}
	d.to = newClient(c.url, token.Token)
	d.to.again = d.again
	return err
}

// again waits for as long as a platform asks that has no more requests left, and five times a little longer for one
// that is not there. No other failure passes.
func (o options) again(ctx context.Context, failed error, tries int) bool {
	after, is := pause(failed, tries, o.Every)
	if after > time.Minute {
		o.progress("waiting %s until more requests are taken", after)
	}
	return is && ctx.Err() == nil && wait(ctx, after)
}

// progress says on stderr how far the copy has come.
func (o options) progress(line string, args ...any) { fmt.Fprintf(o.Errs, line+"\n", args...) }

// pause is how long to wait after a request that failed; false: it is not to be made again.
func pause(failed error, tries int, begin time.Duration) (time.Duration, bool) {
	r := &refusal{status: http.StatusServiceUnavailable} // so is a platform that does not answer
	errors.As(failed, &r)
	switch {
	case r.status == http.StatusTooManyRequests:
		return max(r.after, begin), true
	case r.status < 500, tries == 5:
		return 0, false
	}
	return max(r.after, begin<<tries), true
}

// leave notes that a record is not in the copy, or not whole, and says whether that is new: what orders have sold comes
// several times.
func (d *duplicate) leave(what, name, why string) (isNew bool) {
	of := [2]string{what, name}
	if isNew = d.left[of] == ""; isNew {
		d.left[of] = why
	}
	return isNew
}

// came tells how many records of a kind there are, and how many of them are new or changed.
func (d *duplicate) came(what string, all, changed int) {
	d.tell(object{"copied": what, "number": all, "changed": changed}, "copied    %d %s, %d of them new or changed",
		all, what, changed)
}

// mirror copies the fields of a small collection, and changes what differs in them. Two records are the same if name
// says the same of both, by their ids in all. It returns the copy's ids by the source's.
func (d *duplicate) mirror(ctx context.Context, what, path string, fields []string,
	name func(o object, all map[any]object) string,
) (map[string]string, error) {
	theirs, err := list[object](ctx, d.from, path+"?itemsPerPage=250")
	if err != nil {
		return nil, err
	}
	ours, err := list[object](ctx, d.to, path+"?itemsPerPage=250")
	if err != nil {
		return nil, err
	}
	there, ids, changed := map[string]object{}, map[string]string{}, 0
	for _, o := range ours {
		there[name(o, byID(ours))] = o
	}
	all := byID(theirs)
	slices.SortStableFunc(theirs, func(a, b object) int { // what is above comes first
		return cmp.Compare(strings.Count(name(a, all), below), strings.Count(name(b, all), below))
	})
	for _, from := range theirs {
		wanted, called := pick(from, fields), name(from, all)
		if parent, is := wanted["parentId"].(string); is {
			wanted["parentId"] = ids[parent]
		}
		to, is := there[called]
		method, at := "POST", path
		if is {
			method, at = "PATCH", fmt.Sprint(path, "/", to["id"])
		}
		if !is || !reflect.DeepEqual(wanted, pick(to, fields)) {
			for field := range pick(to, fields) {
				if _, has := wanted[field]; !has {
					wanted[field] = nil // null clears what the source has no more
				}
			}
			if to, err = ask[object](ctx, d.to, method, at, wanted); err != nil {
				return nil, err
			}
			there[called] = to
			changed++
		}
		ids[fmt.Sprint(from["id"])] = fmt.Sprint(to["id"])
	}
	d.came(what, len(theirs), changed)
	return ids, nil
}

// below stands between the names of a category and of the one that it is in.
const below = "\x00"

func byID(all []object) map[any]object {
	ids := map[any]object{}
	for _, o := range all {
		ids[o["id"]] = o
	}
	return ids
}

// pick is what an object has of some fields.
func pick(from object, fields []string) object {
	picked := maps.Clone(from)
	maps.DeleteFunc(picked, func(field string, _ any) bool { return !slices.Contains(fields, field) })
	return picked
}

// copyCategories copies the tree. Categories of one name in one place become one.
func (d *duplicate) copyCategories(ctx context.Context) (err error) {
	var place func(object, map[any]object) string
	place = func(o object, all map[any]object) string {
		if above := all[o["parentId"]]; above != nil {
			return fmt.Sprint(place(above, all), below, o["name"])
		}
		return fmt.Sprint(o["name"])
	}
	d.categories, err = d.mirror(ctx, "categories", "/api-engine/categories", []string{"name", "parentId"}, place)
	return err
}

func (d *duplicate) copyCoupons(ctx context.Context) error {
	_, err := d.mirror(ctx, "coupons", "/api-engine/discount-coupons", []string{"code", "type", "value", "minimumOrder",
		"validFrom", "validTo", "usageLimit", "active"},
		func(o object, _ map[any]object) string { return sale.FoldCode(field.Code(fmt.Sprint(o["code"]))) })
	return err
}

// copyStates copies the states of orders, and reads the orders, so that it is known which products they need.
func (d *duplicate) copyStates(ctx context.Context) (err error) {
	d.states, err = d.mirror(ctx, "order states", "/api-engine/order-states",
		[]string{"name", "color", "position", "final"}, func(o object, _ map[any]object) string {
			if o["key"] != nil {
				return fmt.Sprint(o["key"])
			}
			return fmt.Sprint(below, o["name"])
		})
	if err != nil {
		return err
	}
	return d.readOrders(ctx)
}

// theirCustomer is what is read of a customer.
type theirCustomer struct {
	ID, PriceLevel                  string
	BillingAddress, DeliveryAddress *place
}

// copyCustomers makes somebody up for each customer.
func (d *duplicate) copyCustomers(ctx context.Context) error {
	total, changed := 0, 0
	err := walk(ctx, d.from, "/api-engine/customers?itemsPerPage=250", func(page []theirCustomer) error {
		var rows []row
		for _, c := range page {
			somebody := madeUp(c.ID)
			somebody.BillingAddress = somebody.at(c.BillingAddress)
			somebody.DeliveryAddress = madeUp(c.ID + " delivery").at(c.DeliveryAddress)
			rows = append(rows, row{string(somebody.Email),
				customer.Fields{Profile: somebody.Profile, PriceLevel: field.Line(c.PriceLevel)}})
		}
		n, err := d.bring(ctx, "customers", rows)
		total, changed = total+len(page), changed+n
		d.progress("%d customers so far", total)
		return err
	})
	if err == nil {
		d.came("customers", total, changed)
	}
	return err
}

// row is a row of an import, and what it is called.
type row struct {
	name string
	body any
}

// imports is where the copy's imports are.
const imports = "/api-engine/imports"

// theirImport is what is read of an import.
type theirImport struct {
	ID, UploadURL, State string
	Rows                 struct{ Changed, Failed int }
}

// ended waits until the import that runs has ended, if there is one.
func (d *duplicate) ended(ctx context.Context) (j theirImport, err error) {
	for pause := d.Every / 10; d.running != ""; pause = min(2*pause, d.Every) {
		if !wait(ctx, pause) {
			return j, ctx.Err()
		}
		if j, err = ask[theirImport](ctx, d.to, "GET", imports+"/"+d.running, nil); err != nil {
			return j, err
		}
		if j.State == "done" || j.State == "failed" {
			d.running = ""
		}
	}
	return j, nil
}

// bring brings rows into the copy by an import, and returns how many have changed something.
func (d *duplicate) bring(ctx context.Context, what string, rows []row) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	lines.SetEscapeHTML(false) // a row has a longest length
	for _, r := range rows {
		if err := lines.Encode(r.body); err != nil {
			return 0, err
		}
	}
	if _, err := d.ended(ctx); err != nil { // of two imports at once, neither would be the last
		return 0, err
	}
	j, err := ask[theirImport](ctx, d.to, "POST", imports, object{"type": what, "format": "jsonl", "mode": "upsert"})
	if err != nil {
		return 0, err
	}
	to, err := url.Parse(j.UploadURL)
	if err != nil {
		return 0, err
	}
	uploads := newClient(to.Scheme+"://"+to.Host, "") // the address needs no token
	tried := 0
	uploads.again = func(ctx context.Context, failed error, tries int) bool {
		tried = tries
		return d.again(ctx, failed, tries)
	}
	// An interruption comes after it, so that it is known whether there is an import.
	_, err = uploads.call(context.WithoutCancel(ctx), "PUT", to.RequestURI(), file.Bytes())
	refused := new(refusal)
	there := tried > 0 && errors.As(err, &refused) && refused.status == http.StatusForbidden // an answer was lost
	if err != nil && !there {
		return 0, err
	}
	d.running = j.ID
	if j, err = d.ended(ctx); err != nil {
		return 0, err
	}
	if j.Rows.Failed == 0 && j.State == "done" {
		return j.Rows.Changed, nil
	}
	wrong, err := list[struct {
		Row     int
		Message string
	}](ctx, d.to, imports+"/"+j.ID+"/errors?itemsPerPage=250")
	for _, e := range wrong {
		if e.Row == 0 { // of the file as a whole
			return 0, errors.New(e.Message)
		}
		if name := rows[e.Row-1].name; d.leave(what, name, e.Message) {
			d.progress("left out: %s: %s", name, e.Message)
		}
	}
	return j.Rows.Changed, err
}
