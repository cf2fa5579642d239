package admin

import (
	"cmp"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/id"
	"eshop/shared/record"
	"eshop/shared/shop/audit"
)

// trailPath is where people see who did what.
const trailPath = root + "/activity"

// trail registers the audit trail (contract, "Audit trail"): what the shop's people and the platform's operator did,
// the newest first, for 400 days.
func (d door) trail() { look(d, trailPath, d.showTrail) }

// showTrail lists what was done, with the names that its people and their records have now.
func (d door) showTrail(c *api.Call, v *visit, in *api.CreatedList) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	all, err := api.Page(c, *in, audit.Listing(d.Main, v.shop.ID), record.Load(d.Main, audit.Show))
	if err != nil {
		return screen{}, err
	}
	var who []events.Actor
	var of []string
	for _, e := range all.Body.Items {
		of = append(of, v.placeOf(e).Path)
		if e.Admin != "" {
			who = append(who, events.Person(e.Admin))
		}
	}
	names, records, err := d.actorNames(c, v, who, of)
	if err != nil {
		return screen{}, err
	}
	table := v.table(listed(v, listOf{c.Asked(), trailPath, nil}, all.Body, func(e audit.Entry) row {
		by, from := names[events.Person(e.Admin)], e.Address
		if e.Admin == "" { // the operator's people are none of the shop's business
			by, from = v.say("activity.operator"), ""
		}
		at := v.placeOf(e)
		at.Text = called(at.Text, records[at.Path])
		if within(at.Path, adminsPath) { // people have no pages of their own
			at.Path = adminsPath
		}
		return row{ID: e.ID, State: "active", Cells: []cell{{Text: v.moment(e.Created)}, {Text: by},
			{Text: v.say(deedOf(e))}, at, {Text: from}}}
	}), []column{{Text: "activity.when"}, {Text: "activity.who"}, {Text: "activity.what"}, {Text: "activity.where"},
		{Text: "activity.from"}})
	table.About = v.say("activity.is")
	return screen{name: "list", title: v.say("activity"), data: table}, nil
}

// deedOf is the text that says what an entry's action did.
func deedOf(e audit.Entry) string {
	switch last := e.Path[strings.LastIndex(e.Path, "/")+1:]; {
	case e.Path == signInPath:
		return "activity.signedIn"
	case e.Path == signOutPath:
		return "activity.signedOut"
	case e.Path == setPasswordPath:
		return "activity.passwordSet"
	case last == "delete" || last == "revoke" || last == "erase" || e.Method == "DELETE":
		return "activity.deleted"
	case e.Made != "" || pathHere(e) == adminsPath:
		return "activity.created"
	}
	return "activity.changed"
}

// placeOf says where something was done: the part of the admin, with a link to the record where there is one.
func (v *visit) placeOf(entry audit.Entry) cell {
	if entry.Path == signInPath || entry.Path == signOutPath {
		return cell{}
	}
	path := pathHere(entry)
	at := area{name: "packages", address: packagesPath} // what has no link in the menu lies below an add-on
	for _, p := range areas() {
		if len(p.address) > len(root) && within(path, p.address) {
			at = p
		}
	}
	return cell{Text: v.say(at.name), Path: cmp.Or(recordOf(entry, at.address), at.address)}
}

// pathHere is the path in the admin of what an action made or changed. The operator's paths are others; theirs become
// those of the pages that show the same.
func pathHere(e audit.Entry) string {
	path := cmp.Or(e.Made, e.Path)
	switch {
	case path == setPasswordPath: // a person's, by a link
		return adminsPath + "/" + e.Admin
	case e.Admin != "":
		return path
	}
	below := strings.TrimPrefix(path, audit.Shops+e.Shop)
	for theirs, here := range map[string]string{"/accesses": packagesPath, "/admins": adminsPath,
		"/exports": exportsPath} {
		if within(below, theirs) {
			return here + strings.TrimPrefix(below, theirs)
		}
	}
	return shopPath
}

// recorded are the parts of the admin whose records the log names.
var recorded = []string{ordersPath, customersPath, couponsPath, statesPath, productsPath, categoriesPath, packagesPath,
	adminsPath}

// recordOf is the page of the record that an action made or changed; "" where there is none.
func recordOf(e audit.Entry, part string) string {
	one, _, _ := strings.Cut(strings.TrimPrefix(pathHere(e), part+"/"), "/")
	if deedOf(e) == "activity.deleted" || !id.Valid(one) || !slices.Contains(recorded, part) {
		return ""
	}
	return part + "/" + one
}

// within says whether a path is another one or lies below it.
func within(path, above string) bool { return path == above || strings.HasPrefix(path, above+"/") }
