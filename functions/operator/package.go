package operator

import (
	"context"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/functions/deliveries"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Permissions are names of permissions, each once.
type Permissions []api.Permission

// Schema describes the type.
func (Permissions) Schema(huma.Registry) *huma.Schema {
	one := &huma.Schema{Type: huma.TypeString}
	for _, p := range api.Permissions {
		one.Enum = append(one.Enum, string(p))
	}
	one.PrecomputeMessages()
	s := &huma.Schema{Type: huma.TypeArray, Items: one}
	s.PrecomputeMessages()
	return s
}

// check finds permissions that are given twice, or that all, the package's, do not hold; all nil: any will do.
func (p Permissions) check(faults *api.Faults, all []api.Permission) {
	for i, x := range p {
		at := "permissions[" + strconv.Itoa(i) + "]"
		switch {
		case slices.Contains(p[:i], x):
			faults.Add(at, api.Duplicate, "%s is given more than once", x)
		case all != nil && !slices.Contains(all, x):
			faults.Add(at, api.Conflicting, "%s is not one of the package's permissions", x)
		}
	}
}

// PackageFields are what the operator writes of a package.
type PackageFields struct {
	Code         api.Code    `json:"code" doc:"Unique"`
	Name         api.Name    `json:"name"`
	Instructions api.Text    `json:"instructions" doc:"How to install it, Markdown; a shop's admin can open it"`
	Permissions  Permissions `json:"permissions" required:"false"`
	SystemURL    field.URL   `json:"systemUrl,omitempty" doc:"Where system webhooks go; the address rules are those of receivers"`
}

// Package as answers show it.
type Package struct {
	ID string `json:"id"`
	PackageFields
	Created api.Time `json:"created"`
	Changed api.Time `json:"changed"`
}

func shownPackage(p addon.Package) Package {
	return Package{ID: p.ID, PackageFields: packageFields(p), Created: p.Created, Changed: addon.Changed(p.Version)}
}

func packageFields(p addon.Package) PackageFields {
	return PackageFields{Code: api.Code(p.Code), Name: api.Name(p.Name), Instructions: api.Text(p.Instructions), Permissions: p.Permissions,
		SystemURL: field.URL(p.SystemURL)}
}

func packageWith(p addon.Package, f PackageFields) addon.Package {
	p.Code, p.Name, p.Instructions, p.SystemURL = string(f.Code), string(f.Name), string(f.Instructions), string(f.SystemURL)
	p.Permissions = append([]api.Permission{}, f.Permissions...)
	return p
}

// check holds a package's fields against the rules. An address that it has already is not judged again.
func (g group) check(ctx context.Context, f PackageFields, has string) error {
	var faults api.Faults
	f.Permissions.check(&faults, nil)
	if f.SystemURL != "" && string(f.SystemURL) != has {
		webhook.CheckURL(ctx, g.Callable(), &faults, "systemUrl", f.SystemURL)
	}
	return faults.Err()
}

func (g group) listPackages(ctx context.Context, in *api.List) (*api.Collection[Package], error) {
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{addon.Packages}}
	return api.Page(ctx, *in, rows, api.Load(g.Main, listing(addon.PackageOf, shownPackage, func(p addon.Package) string { return p.Version })))
}

func (g group) readPackage(ctx context.Context, in *OfPackage) (*api.Answer[Package], error) {
	p, err := g.pack(ctx, in.Package)
	if err != nil {
		return nil, err
	}
	return api.Of(shownPackage(p), p.Version), nil
}

// pack is the package of this id; a 404 when there is none.
func (g group) pack(ctx context.Context, id string) (addon.Package, error) {
	return one(ctx, g, addon.PackageKey(id), addon.PackageOf)
}

func (g group) createPackage(ctx context.Context, in *api.Create[PackageFields]) (*api.Answer[Package], error) {
	c := api.From(ctx)
	if err := g.check(ctx, in.Body, ""); err != nil {
		return nil, err
	}
	p := packageWith(addon.Package{ID: c.NewID(), Version: c.Next("")}, in.Body)
	p.Created = addon.Changed(p.Version)
	answer := api.Of(shownPackage(p), p.Version).At(packagesPath + "/" + p.ID)
	code := addon.PackageCodeKey(p.Code)
	_, err := c.Write(ctx, answer, events.Nothing, append(webhook.SystemChanged(addon.Package{}, p, c.Now()), store.Put(p.Item(), store.Absent()), claim(code, p.ID))...)
	return answer, taken(err, code, codeTaken)
}

var codeTaken = api.Problem{Status: 409, Code: "code_taken", Detail: "Another package has this code."}

func (g group) changePackage(ctx context.Context, in *changePackage) (*api.Answer[Package], error) {
	defer g.Accesses.DropPackage(in.Package)
	return api.Again(ctx, func() (*api.Answer[Package], error) { return g.tryChangePackage(ctx, in.Package, in.Body) })
}

func (g group) tryChangePackage(ctx context.Context, id string, patch api.Patch[PackageFields]) (*api.Answer[Package], error) {
	c := api.From(ctx)
	was, err := g.pack(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := c.Match(was.Version); err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, patch, packageFields(was))
	if err != nil {
		return nil, err
	}
	if err := g.check(ctx, fields, was.SystemURL); err != nil {
		return nil, err
	}
	now := packageWith(was, fields)
	if samePackage(now, was) {
		return api.Of(shownPackage(was), was.Version), nil
	}
	now.Version = c.Next(was.Version)
	at := c.Now()
	ops := append(webhook.SystemChanged(was, now, at), store.Put(now.Item(), store.VersionIs(was.Version)))
	if now.Code != was.Code {
		ops = append(ops, claim(addon.PackageCodeKey(now.Code), id), store.Delete(addon.PackageCodeKey(was.Code)))
	}
	answer := api.Of(shownPackage(now), now.Version)
	if _, err = c.Write(ctx, answer, events.Nothing, ops...); err == nil {
		webhook.SystemFollow(ctx, g.Webhooks(), was, now, at)
	}
	return answer, taken(err, addon.PackageCodeKey(now.Code), codeTaken)
}

func samePackage(a, b addon.Package) bool {
	return a.Code == b.Code && a.Name == b.Name && a.Instructions == b.Instructions && a.SystemURL == b.SystemURL &&
		slices.Equal(a.Permissions, b.Permissions)
}

// createSystemKey makes the key that signs the system webhooks to the package's systemUrl from now on; the key before it
// signs on beside it for a day, the one before that no more.
func (g group) createSystemKey(ctx context.Context, in *OfPackage) (*api.Plain[webhook.KeyRecord], error) {
	if _, err := g.pack(ctx, in.Package); err != nil {
		return nil, err
	}
	shown := func(k *webhook.KeyRecord) *api.Plain[webhook.KeyRecord] { return api.PlainOf(*k) }
	return api.Do(ctx, shown, func(u *change.Unit) (*webhook.KeyRecord, error) {
		return webhook.MakeSystemKey(ctx, u, g.Secrets, in.Package)
	})
}

// readSystemWebhook shows what becomes of system webhooks: the state of the systemUrl and its last failure.
func (g group) readSystemWebhook(ctx context.Context, in *OfPackage) (*api.Answer[webhook.ReceiverRecord], error) {
	f, err := webhook.Read(ctx, g.Main, webhook.SystemOwner(in.Package), in.Package)
	if err != nil {
		return nil, err
	}
	return shownReceiver(f), nil
}

func (g group) enableSystemWebhook(ctx context.Context, in *OfPackage) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(ctx, shownReceiver, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Enable(ctx, u, g.Webhooks(), webhook.SystemOwner(in.Package), in.Package)
	})
}

func shownReceiver(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return api.Of(f.Record(), f.Version)
}

// listDeliveries is the log of system webhooks, which is in no access's (contract, section 5, "Who").
func (g group) listDeliveries(ctx context.Context, in *deliveriesOf) (*api.Collection[deliveries.Listed], error) {
	if _, err := g.pack(ctx, in.Package); err != nil {
		return nil, err
	}
	return deliveries.List(ctx, g.Platform, in.Package, &in.Query)
}

func (g group) readDelivery(ctx context.Context, in *deliveryOf) (*api.Plain[deliveries.Delivery], error) {
	if _, err := g.pack(ctx, in.Package); err != nil {
		return nil, err
	}
	return deliveries.Read(ctx, g.Platform, in.Package, in.Delivery)
}
