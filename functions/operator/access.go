package operator

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// AccessFields are what the operator changes of an access.
type AccessFields struct {
	Permissions Permissions `json:"permissions" required:"false" doc:"Within the package's; all of them when a new access names none"`
	Hourly      int64       `json:"hourlyLimit,omitempty" minimum:"1" maximum:"3600000" doc:"null: the default"`
	Daily       int64       `json:"dailyLimit,omitempty" minimum:"1" maximum:"86400000" doc:"null: the default"`
}

// NewAccess installs a package on a shop.
type NewAccess struct {
	Package string `json:"packageId"`
	AccessFields
	Active *bool `json:"active,omitempty" doc:"true when not given: the package is activated; false: it is installed only"`
}

// Access as answers show it; Token only once, in the answer that makes it.
type Access struct {
	ID          string      `json:"id"`
	Shop        string      `json:"shopId"`
	Package     string      `json:"packageId"`
	State       addon.State `json:"state" enum:"installed,active,deactivated"`
	Permissions Permissions `json:"permissions"`
	Hourly      int64       `json:"hourlyLimit"`
	Daily       int64       `json:"dailyLimit"`
	Token       string      `json:"token,omitempty"`
	Created     api.Time    `json:"created"`
	Changed     api.Time    `json:"changed"`
}

func shownAccess(a addon.Access) Access {
	l := a.Limits()
	return Access{ID: a.ID, Shop: a.Shop, Package: a.Package, State: a.State, Permissions: a.Permissions, Hourly: l.Hourly, Daily: l.Daily,
		Created: a.Created, Changed: addon.Changed(a.Version)}
}

func accessFields(a addon.Access) AccessFields {
	return AccessFields{Permissions: append(Permissions{}, a.Permissions...), Hourly: a.Hourly, Daily: a.Daily}
}

func accessWith(a addon.Access, f AccessFields) addon.Access {
	a.Permissions, a.Hourly, a.Daily = append([]api.Permission{}, f.Permissions...), f.Hourly, f.Daily
	return a
}

func sameAccess(a, b addon.Access) bool {
	return a.State == b.State && a.Hourly == b.Hourly && a.Daily == b.Daily && slices.Equal(a.Permissions, b.Permissions)
}

func (g group) listAccesses(ctx context.Context, in *accessesOf) (*api.Collection[Access], error) {
	if _, err := shop.Read(ctx, g.Main, in.Shop); err != nil {
		return nil, err
	}
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{addon.OfShop(in.Shop)}}
	return api.Page(ctx, in.List, rows, api.Load(g.Main, listing(addon.Of, shownAccess, func(a addon.Access) string { return a.Version })))
}

func (g group) readAccess(ctx context.Context, in *OfAccess) (*api.Answer[Access], error) {
	a, err := g.access(ctx, *in)
	if err != nil {
		return nil, err
	}
	return api.Of(shownAccess(a), a.Version), nil
}

// access is the access of these ids; a 404 when there is none, or it is another shop's.
func (g group) access(ctx context.Context, in OfAccess) (addon.Access, error) {
	return one(ctx, g, addon.Key(in.Shop, in.Access), addon.Of)
}

func (g group) createAccess(ctx context.Context, in *newAccess) (*api.Answer[Access], error) {
	c := api.From(ctx)
	items, err := g.Main.Get(ctx, addon.PackageKey(in.Body.Package), shop.Key(in.Shop))
	if err != nil {
		return nil, err
	}
	a := accessWith(addon.Access{ID: c.NewID(), Shop: in.Shop, Package: in.Body.Package, State: addon.Active,
		APIVersion: api.Version, Version: c.Next("")}, in.Body.AccessFields)
	a.Created = addon.Changed(a.Version)
	if in.Body.Active != nil && !*in.Body.Active {
		a.State = addon.Installed
	}
	if err := packageFor(&a, items[0], in.Body.Permissions); err != nil {
		return nil, err
	}
	if items[1] == nil {
		return nil, api.NotFound()
	}
	s, err := shop.Of(items[1])
	if err != nil {
		return nil, err
	}
	return g.install(ctx, a, s)
}

// packageFor holds a new access against its package, and gives it the package's permissions when it asks for none of its
// own.
func packageFor(a *addon.Access, item *store.Item, asked Permissions) error {
	if item == nil {
		return api.InvalidAt("packageId", api.Unknown, "is no package of this platform")
	}
	p, err := addon.PackageOf(item)
	if err != nil {
		return err
	}
	if asked == nil {
		a.Permissions = p.Permissions
	}
	var faults api.Faults
	asked.check(&faults, p.Permissions)
	return faults.Err()
}

// install writes a new access, its first token, and the claim that its package is on the shop once.
func (g group) install(ctx context.Context, a addon.Access, s shop.Shop) (*api.Answer[Access], error) {
	c := api.From(ctx)
	secret, t := g.newToken(c, a, nil)
	defer g.Accesses.DropToken(t.Hash)
	shown := shownAccess(a)
	shown.Token = secret
	answer := api.Of(shown, a.Version).At(accessesPath(a.Shop) + "/" + a.ID)
	told := events.Nothing
	if a.State == addon.Active {
		told = g.activation(c, a, s)
	}
	installed := addon.InstalledKey(a.Shop, a.Package)
	_, err := c.Write(ctx, answer, told, store.Put(a.Item(), store.Absent()), claim(installed, a.ID),
		store.Put(t.Item(), store.Absent()), store.Put(t.Pointer(), store.Absent()))
	return answer, taken(err, installed, packageInstalled)
}

var packageInstalled = api.Problem{Status: 409, Code: "package_installed", Detail: "The package is installed on this shop already."}

func (g group) changeAccess(ctx context.Context, in *changeAccess) (*api.Answer[Access], error) {
	defer g.Accesses.Drop(in.Access)
	return api.Again(ctx, func() (*api.Answer[Access], error) {
		return g.write(ctx, in.OfAccess, func(c *api.Call, was addon.Access) (addon.Access, events.Change, error) {
			now, err := g.patched(ctx, in.Body, was)
			return now, events.Nothing, err
		})
	})
}

// patched is the access with the patch, its permissions held against its package's when they change; null sets them back to
// the package's.
func (g group) patched(ctx context.Context, patch api.Patch[AccessFields], was addon.Access) (addon.Access, error) {
	if err := api.From(ctx).Match(was.Version); err != nil {
		return was, err
	}
	fields, err := api.Apply(ctx, patch, accessFields(was))
	if err != nil {
		return was, err
	}
	if fields.Permissions == nil || !slices.Equal(fields.Permissions, was.Permissions) {
		p, err := g.pack(ctx, was.Package)
		if err != nil {
			return was, err
		}
		if fields.Permissions == nil {
			fields.Permissions = p.Permissions
		}
		var faults api.Faults
		fields.Permissions.check(&faults, append([]api.Permission{}, p.Permissions...))
		if err := faults.Err(); err != nil {
			return was, err
		}
	}
	return accessWith(was, fields), nil
}

// write makes one change of an access; with nothing changed it writes nothing.
func (g group) write(ctx context.Context, in OfAccess, change func(*api.Call, addon.Access) (addon.Access, events.Change, error)) (*api.Answer[Access], error) {
	c := api.From(ctx)
	was, err := g.access(ctx, in)
	if err != nil {
		return nil, err
	}
	now, told, err := change(c, was)
	if err != nil {
		return nil, err
	}
	if sameAccess(now, was) {
		return api.Of(shownAccess(was), was.Version), nil
	}
	now.Version = c.Next(was.Version)
	answer := api.Of(shownAccess(now), now.Version)
	_, err = c.Write(ctx, answer, told, store.Put(now.Item(), store.VersionIs(was.Version)))
	return answer, err
}

func (g group) activate(ctx context.Context, in *OfAccess) (*api.Answer[Access], error) {
	return g.move(ctx, *in, addon.Active, g.activation)
}

// deactivate leaves a package that was never activated installed.
func (g group) deactivate(ctx context.Context, in *OfAccess) (*api.Answer[Access], error) {
	return g.move(ctx, *in, addon.Deactivated, g.deactivation)
}

// move brings the access into a state and tells its add-on so; one that is in it stays as it is.
func (g group) move(ctx context.Context, in OfAccess, to addon.State, tell func(*api.Call, addon.Access, shop.Shop) events.Change) (*api.Answer[Access], error) {
	defer g.Accesses.Drop(in.Access)
	s, err := shop.Read(ctx, g.Main, in.Shop)
	if err != nil {
		return nil, err
	}
	return api.Again(ctx, func() (*api.Answer[Access], error) {
		return g.write(ctx, in, func(c *api.Call, was addon.Access) (addon.Access, events.Change, error) {
			now := was
			now.State = Next(was.State, to)
			return now, tell(c, was, s), nil
		})
	})
}

// Next is the state of an access that is to be active or deactivated: installed → active ↔ deactivated.
func Next(is, to addon.State) addon.State {
	if is == addon.Installed && to == addon.Deactivated {
		return is
	}
	return to
}

// moved is what the webhooks of an activation and a deactivation carry.
type moved struct {
	Package string   `json:"packageId"`
	Website string   `json:"websiteUrl"`
	Locale  string   `json:"locale"`
	At      api.Time `json:"occurredAt"`
}

func (g group) activation(c *api.Call, a addon.Access, s shop.Shop) events.Change {
	return c.Told(a.Shop, notice(events.PackageActivate, a, moved{a.Package, shop.Website(g.Website).URL(s), s.Locale, api.At(c.Now())}))
}

func (g group) deactivation(c *api.Call, a addon.Access, s shop.Shop) events.Change {
	return c.Told(a.Shop, notice(events.PackageDeactivate, a, struct {
		moved
		Removed []string `json:"removedCustomCodeIds"`
		Kept    []string `json:"keptCustomCodeIds"`
	}{moved{a.Package, shop.Website(g.Website).URL(s), s.Locale, api.At(c.Now())}, []string{}, []string{}}))
}

// Instructions of a package, as its vendor wrote them.
type Instructions struct {
	Instructions api.Text `json:"instructions"`
}

func (g group) openInstructions(ctx context.Context, in *OfAccess) (*api.Plain[Instructions], error) {
	c := api.From(ctx)
	a, err := g.access(ctx, *in)
	if err != nil {
		return nil, err
	}
	items, err := g.Main.Get(ctx, addon.PackageKey(a.Package), shop.Key(a.Shop))
	if err != nil {
		return nil, err
	}
	p, err := addon.PackageOf(items[0])
	if err != nil {
		return nil, err
	}
	s, err := shop.Of(items[1])
	if err != nil {
		return nil, err
	}
	answer := api.PlainOf(Instructions{api.Text(p.Instructions)})
	_, err = c.Write(ctx, answer, c.Told(a.Shop, notice(events.PackageOpenInstructions, a, struct {
		Package string   `json:"packageId"`
		Locale  string   `json:"locale"`
		At      api.Time `json:"openedAt"`
	}{a.Package, s.Locale, api.At(c.Now())})),
		store.Update(addon.Key(a.Shop, a.ID), store.Set{Num: map[string]int64{"opened": c.Now().UnixMilli()}}, store.Present()))
	return answer, err
}
