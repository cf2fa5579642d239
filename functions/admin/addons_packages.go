package admin

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/host/manage"
	"eshop/shared/page"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// packages registers the packages on the shop: their list, one of them, its activation and deactivation, and its
// instructions. Activating and deactivating here fires the same webhooks as the operator's doing it.
func (d door) packages() {
	one := packagesPath + "/{accessId}"
	look(d, packagesPath, d.listPackages)
	look(d, one, d.showPackage)
	look(d, one+"/deactivate", d.showDeactivation)
	act(d, one+"/activate", d.activate, nil)
	act(d, one+"/deactivate", d.deactivate, nil)
	act(d, one+"/activation", d.sendActivation, nil)
	actBy(d, api.Op{Route: "GET " + one + "/instructions", People: d.forSignedIn(nil)}, d.openInstructions)
}

// packageRow is a package in the list.
type packageRow struct {
	ID, Name, Code, Changed string
	State                   shownState
	Setup                   *shownSetup // nil: it is done
	Permissions             int
}

// accessState is a package's state on the shop, in words.
func (v *visit) accessState(s addon.AccessState) shownState {
	return shownAs(v, "package.is.", s, map[addon.AccessState]string{addon.Active: "good", addon.Installed: "warn"})
}

// shownSetup is a set-up that is not done.
type shownSetup struct {
	State      shownState
	URL        string // where it goes on; "": nobody knows
	Unanswered string // since when the add-on has not answered its activation; "": it has, or is not active
}

// setup is how far the set-up of an add-on is; nil when it is done.
func (v *visit) setup(a addon.Access) *shownSetup {
	is := a.SetupShown()
	if is == addon.SetupDone {
		return nil
	}
	s := &shownSetup{State: shownAs(v, "setup.is.", is, map[addon.SetupState]string{addon.SetupRequired: "warn"}),
		URL: string(a.SetupURL)}
	if a.Unanswered != 0 && a.State == addon.Active {
		s.Unanswered = v.moment(a.Unanswered)
	}
	return s
}

// Required says whether the set-up waits for somebody of the shop.
func (s shownSetup) Required() bool { return s.State.Mark == string(addon.SetupRequired) }

// listPackages lists the packages on the shop by (changed, id).
func (d door) listPackages(c *api.Call, v *visit, in *api.List) (screen, error) {
	all, err := api.Page(c, *in, addon.Accesses.Listing(d.Main, v.shop.ID), record.Load(d.Main, addon.Accesses.Show))
	if err != nil {
		return screen{}, err
	}
	ids := make([]string, len(all.Body.Items))
	for i, a := range all.Body.Items {
		ids[i] = a.Package
	}
	packages, err := addon.ReadPackages(c, d.Main, ids)
	if err != nil {
		return screen{}, err
	}
	data := listed(v, listOf{c.Asked(), packagesPath, nil}, all.Body,
		func(a addon.Access) packageRow {
			// A package that is missing is the zero one: its row has no name.
			p := packages[a.Package]
			return packageRow{ID: a.ID, Name: string(p.Name), Code: string(p.Code), Changed: v.moment(a.Changed),
				State: v.accessState(a.State), Setup: v.setup(a),
				Permissions: len(addon.EffectivePermissions(a, p))}
		})
	return screen{name: "packages", title: v.say("packages"), data: data}, nil
}

// packageData is the page of a package.
type packageData struct {
	ID, Code, Since string
	State           shownState
	Setup           *shownSetup // nil: it is done
	About           string      // what its state means
	Tabs            []page.Link
	Permissions     []may
	Active          bool
}

// may is a permission with what it allows, in words.
type may struct {
	Permission permission.Permission
	Text       string
	Warning    string // what a merchant should know before they grant it; "": nothing
	Chosen     bool
}

// may are permissions in words. Custom code gets a warning, because it can do in the shop's pages whatever a page can.
func (v *visit) may(all []permission.Permission) []may {
	shown := make([]may, len(all))
	for i, p := range all {
		shown[i] = may{Permission: p, Text: v.say("may." + string(p)), Chosen: true}
		if p == permission.WriteCodes {
			shown[i].Warning = v.say("may.warning.codes")
		}
	}
	return shown
}

// showPackage shows a package on the shop: its state, and what it may do.
func (d door) showPackage(c *api.Call, v *visit, _ *nothing) (screen, error) {
	i, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	data := packageData{ID: i.ID, Code: string(i.Package.Code), Since: v.moment(i.Changed),
		State: v.accessState(i.State), Setup: v.setup(i.Access),
		About: v.say("package.about." + string(i.State)), Tabs: v.tabs(i.ID, "package"),
		Permissions: v.may(addon.EffectivePermissions(i.Access, i.Package)), Active: i.State == addon.Active}
	return screen{name: "package", title: string(i.Package.Name),
		above: v.above("packages", packagesPath), data: data}, nil
}

// activate activates the package and fires packageActivate.
func (d door) activate(c *api.Call, v *visit, in *ofAccess) (string, error) {
	if err := manage.CountSystem(c, v.shop.Developer); err != nil {
		return "", err
	}
	v.says("package.activated")
	a, err := d.Addons().Activate(c, c.Unit(), in.Access)
	return packagesPath + "/" + a.ID, err
}

// sendActivation sends the activation once more that the add-on has not answered.
func (d door) sendActivation(c *api.Call, v *visit, _ *nothing) (string, error) {
	i, err := d.installed(c, v)
	if err != nil {
		return "", err
	}
	if err := manage.CountSystem(c, v.shop.Developer); err != nil {
		return "", err
	}
	v.says("package.activationSent")
	return packagesPath + "/" + i.ID, webhook.ResendActivation(c, c.Unit(), d.Webhooks(), i.Access, c.Admitted)
}

// deactivationData is what a deactivation will do to the package's codes. Once the package is deactivated, it is what
// the deactivation has done.
type deactivationData struct {
	ID            string
	State         shownState
	Done, Active  bool
	Removed, Kept []addon.RemovedCode
	Data          int    // records beside which it has data; addondata.MostCounted: or more
	DataIs        string // what becomes of these
}

// showDeactivation shows which codes a deactivation will remove and which it will keep, before anybody decides. After
// it the same page is its report.
func (d door) showDeactivation(c *api.Call, v *visit, _ *nothing) (screen, error) {
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	codes, err := addon.ReadCleanup(c, d.Main, addOn.Shop, addOn.Access.Package)
	if err != nil {
		return screen{}, err
	}
	removed, kept, err := addon.ReadReport(c, d.Main, addOn.Shop, addOn.Access.Package)
	if err != nil {
		return screen{}, err
	}
	records, err := addondata.Count(c, d.Main, addOn.Shop, addOn.Access.Package)
	if err != nil {
		return screen{}, err
	}
	counted := strconv.Itoa(records)
	if records == addondata.MostCounted {
		counted += "+"
	}
	data := deactivationData{ID: addOn.ID, State: v.accessState(addOn.State), Done: addOn.State == addon.Deactivated,
		Active: addOn.State == addon.Active, Removed: removed, Kept: kept,
		Data: records, DataIs: v.sayWith("package.dataIs", "{n}", counted)}
	// Before the deactivation the page shows what it would do now; after it, what it has done.
	if !data.Done {
		data.Removed, data.Kept = addon.NamesOf(codes.Removed), addon.NamesOf(codes.Kept)
	} else if ends, err := addondata.EndsAt(c, d.Main, addOn.Shop, addOn.Access.Package); err != nil {
		return screen{}, err
	} else if !ends.IsZero() {
		data.DataIs = v.sayWith("package.dataEnds", "{n}", counted, "{when}", v.moment(field.At(ends)))
	}
	title := v.say("package.deactivation")
	if data.Done {
		title = v.say("package.report")
	}
	return screen{name: "deactivation", title: title, above: v.aboveAccess(addOn), data: data}, nil
}

// deactivate deactivates the package, and leads back to the page that showed what it would do: its report from now on.
func (d door) deactivate(c *api.Call, v *visit, in *ofAccess) (string, error) {
	if err := manage.CountSystem(c, v.shop.Developer); err != nil {
		return "", err
	}
	v.says("package.deactivated")
	a, err := d.Addons().Deactivate(c, c.Unit(), in.Access)
	return packagesPath + "/" + a.ID + "/deactivate", err
}

// instructionsData are the instructions of a package as HTML.
type instructionsData struct {
	ID    string
	State shownState
	Text  template.HTML // "": there are none
}

// openInstructions shows a package's instructions and fires packageOpenInstructions, so it is an act although it is a
// GET. Nobody has opened them when a browser fetches the page ahead (503), or when another site embeds it or leads
// here: that request is led to the package's own page, where they can be opened.
func (d door) openInstructions(c *api.Call, v *visit, in *ofAccess) (any, error) {
	r := c.HTTP()
	if strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch") {
		return nil, problem.Unavailable(time.Second)
	}
	// Only a click in the admin itself counts as opening.
	if page.OwnNavigation(r, v.secure) != nil {
		return packagesPath + "/" + in.Access, nil
	}
	var addOn installed
	var err error
	// A HEAD shows nobody the instructions, so nothing is told.
	if r.Method == http.MethodHead {
		addOn, err = d.installed(c, v)
	} else if err = manage.CountSystem(c, v.shop.Developer); err == nil {
		var opened addon.OpenedInstructions
		opened, err = d.Addons().OpenInstructions(c, c.Unit(), in.Access)
		addOn = installed(opened)
	}
	if err != nil {
		return nil, err
	}
	text, err := d.Texts.HTML(c, string(addOn.Package.Instructions))
	if err != nil {
		return nil, err
	}
	return screen{name: "instructions", title: v.say("package.instructions"), above: v.aboveAccess(addOn),
		data: instructionsData{addOn.ID, v.accessState(addOn.State), text}}, nil
}
