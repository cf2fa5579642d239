package manage

import (
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Access is an access as answers show it. Token is filled in the answer that installs the package, and in no other.
type Access struct {
	ID          string            `json:"id"`
	Shop        string            `json:"shopId"`
	Package     string            `json:"packageId"`
	State       addon.AccessState `json:"state" enum:"installed,active,deactivated"`
	Permissions field.Permissions `json:"permissions"`
	Hourly      int64             `json:"hourlyLimit"`
	Daily       int64             `json:"dailyLimit"`
	Setup       addon.SetupState  `json:"setup" enum:"done,in_progress,required"`
	SetupURL    field.URL         `json:"setupUrl,omitempty"`
	Token       string            `json:"token,omitempty"`
	Created     field.Time        `json:"created"`
	Changed     field.Time        `json:"changed"`
}

// ShowAccess shows an access with the limits that count for it: its own, or the defaults (7,200 an hour, 86,400 a day)
// where it has none.
func ShowAccess(a addon.Access) Access {
	l := a.Limits()
	return Access{ID: a.ID, Shop: a.Shop, Package: a.Package, State: a.State, Permissions: a.Permissions,
		Hourly: l.Hourly, Daily: l.Daily, Setup: a.SetupShown(), SetupURL: a.SetupURL,
		Token: a.Token, Created: a.Created, Changed: a.Changed}
}

// answerAccess is the answer with one access and its ETag.
func answerAccess(a addon.Access) *api.Answer[Access] { return api.Of(ShowAccess(a), a.Version) }

// listAccesses lists the accesses of one shop by (changed, id). The query of an unknown shop would find nothing, so the
// shop is read first: an unknown one is 404, not an empty page.
func (d Door) listAccesses(c *api.Call, in *accessesOf) (*api.Collection[Access], error) {
	if _, err := d.Own(c.Caller).Read(c, d.Main, "", in.Shop); err != nil {
		return nil, err
	}
	return api.Page(c, in.List, addon.Accesses.Listing(d.Main, in.Shop),
		record.Load(d.Main, func(item *store.Item) (Access, time.Time, bool, error) {
			a, at, there, err := addon.Accesses.Show(item)
			return ShowAccess(a), at, there, err
		}))
}

// readAccess shows one access, whatever its state; 404 when the shop has none of this id.
func (d Door) readAccess(c *api.Call, in *OfAccess) (*api.Answer[Access], error) {
	a, err := addon.Accesses.Read(c, d.Main, in.Shop, in.Access)
	if err != nil {
		return nil, err
	}
	return answerAccess(a), nil
}

// createAccess installs a package on a shop and answers the access with its first token. Unless the body says `active`
// false, installing is an activation, too, and fires packageActivate (contract, "Operator").
func (d Door) createAccess(c *api.Call, in *newAccess) (*api.Answer[Access], error) {
	made := func(a addon.Access) *api.Answer[Access] {
		return answerAccess(a).At(d.Path + "/shops/" + a.Shop + "/accesses/" + a.ID)
	}
	return api.Do(c, made, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().Install(c, in.within(u), in.Body)
	})
}

// changeAccess changes an access's permissions and limits by a merge patch; `null` sets them back to the package's
// permissions and to the default limits. Permissions that the package lacks are 422.
func (d Door) changeAccess(c *api.Call, in *changeAccess) (*api.Answer[Access], error) {
	return api.Do(c, answerAccess, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().ChangeAccess(c, in.within(u), in.Access,
			func(was addon.AccessFields) (addon.AccessFields, error) {
				return api.Apply(c, in.Body, was)
			})
	})
}

// activate brings the access to `active` and tells its add-on, unless it is active already. From then on its tokens
// open the API and its receivers get webhooks.
func (d Door) activate(c *api.Call, in *OfAccess) (*api.Answer[Access], error) {
	return api.Do(c, answerAccess, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().Activate(c, in.within(u), in.Access)
	})
}

// deactivate brings an active access to `deactivated`, tells its add-on, and in the same transaction removes the
// package's custom codes that have an active cleanup order (contract, "Custom codes and cleanup orders"). An access
// that was never activated stays `installed`.
func (d Door) deactivate(c *api.Call, in *OfAccess) (*api.Answer[Access], error) {
	return api.Do(c, answerAccess, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().Deactivate(c, in.within(u), in.Access)
	})
}

// deleteAccess takes a package from a shop, with all that it has there.
func (d Door) deleteAccess(c *api.Call, in *OfAccess) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.Leaving().Uninstall(c, in.within(u), in.Access) })
}

// Instructions are a package's installation instructions, Markdown, as its vendor wrote them.
type Instructions struct {
	Instructions field.Text `json:"instructions"`
}

// openInstructions answers a package's instructions and fires packageOpenInstructions, each time that it is called. The
// state of the access does not matter: who installs a package reads them before it is active.
func (d Door) openInstructions(c *api.Call, in *OfAccess) (*api.Plain[Instructions], error) {
	shown := func(o addon.OpenedInstructions) *api.Plain[Instructions] {
		return api.PlainOf(Instructions{o.Package.Instructions})
	}
	return api.Do(c, shown, func(u *change.Unit) (addon.OpenedInstructions, error) {
		return d.Addons().OpenInstructions(c, in.within(u), in.Access)
	})
}
