package addon

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// Commands are what is done to the accesses of the unit's shop and to their tokens.
type Commands struct {
	Shops      shop.Places
	Production bool      // tokens are live ones
	Callers    *Resolver // drops the callers whose access or token was written
}

// Install puts a package on the shop with its first token, active unless the fields say otherwise. It is
// package_installed if the package is there already, too_many_packages if the shop has 1,000.
func (c Commands) Install(ctx context.Context, u *change.Unit, wanted NewAccess) (Access, error) {
	items, err := u.Table.Get(ctx, PackageKey(wanted.Package), shop.Key(u.Shop))
	if err != nil {
		return Access{}, err
	}
	if items[0] == nil {
		return Access{}, unknownPackage()
	}
	pkg, err := PackageOf(items[0])
	if err != nil {
		return Access{}, err
	}
	var tenant shop.Shop
	if items[1] != nil {
		if tenant, err = shop.Decode(items[1]); err != nil {
			return Access{}, err
		}
	}
	// A test shop takes its developer's packages. Of any other nothing is said, not even what it may do.
	if tenant.Developer != "" && pkg.Developer != tenant.Developer {
		return Access{}, unknownPackage()
	}
	fields, err := wanted.AccessFields.within(pkg)
	if err != nil {
		return Access{}, err
	}
	switch {
	case items[1] == nil:
		return Access{}, problem.NotFound()
	case tenant.Closed():
		return Access{}, shop.ErrClosed
	}
	terms := Terms{Shop: tenant.ID, Package: pkg.ID, State: Active, AccessFields: fields, APIVersion: events.APIVersion,
		Test: tenant.Developer != ""}
	if wanted.Active != nil && !*wanted.Active {
		terms.State = Installed
	}
	if pkg.SystemURL != "" {
		terms.Unanswered = field.At(u.Now())
	}
	return c.withLifecycle(tenant).Create(ctx, u, terms)
}

func unknownPackage() error {
	return problem.InvalidAt("packageId", problem.Unknown, "is no package of this platform")
}

// ChangeAccess changes permissions and limits to what change makes of them. Changed permissions must be among the
// package's; null sets them back to all of those. The same ones in another order are no change.
func (c Commands) ChangeAccess(ctx context.Context, u *change.Unit, id string,
	change func(AccessFields) (AccessFields, error),
) (Access, error) {
	return c.accesses().Change(ctx, u, id, func(terms Terms) (Terms, error) {
		next, err := change(terms.AccessFields)
		if err != nil {
			return terms, err
		}
		if next.Permissions != nil && sameSet(next.Permissions, terms.Permissions) {
			next.Permissions = terms.Permissions
		} else {
			p, err := ReadPackage(ctx, u.Table, terms.Package)
			if err != nil {
				return terms, err
			}
			if next, err = next.within(p); err != nil {
				return terms, err
			}
		}
		terms.AccessFields = next
		return terms, nil
	})
}

// sameSet says whether both hold the same permissions, each as often.
func sameSet(a, b []permission.Permission) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Activate activates the package on the shop. If it is active, it stays as it is, and nobody is told.
func (c Commands) Activate(ctx context.Context, u *change.Unit, id string) (Access, error) {
	return c.move(ctx, u, id, Active)
}

// Deactivate deactivates the package on the shop and removes its custom codes that have an active cleanup order. If it
// is not active, it stays as it is, and nobody is told.
func (c Commands) Deactivate(ctx context.Context, u *change.Unit, id string) (Access, error) {
	return c.move(ctx, u, id, Deactivated)
}

// move brings the access into a state, and tells its add-on when that is another one.
func (c Commands) move(ctx context.Context, u *change.Unit, id string, to AccessState) (Access, error) {
	s, err := shop.Read(ctx, u.Table, u.Shop)
	if err == nil && to == Active && s.Closed() {
		err = shop.ErrClosed
	}
	if err != nil {
		return Access{}, err
	}
	return c.withLifecycle(s).Change(ctx, u, id, func(terms Terms) (Terms, error) {
		next := Next(terms.State, to)
		if next == terms.State {
			return terms, nil
		}
		terms.State, terms.SetupFields, terms.Unanswered = next, SetupFields{}, 0 // the activation before is over
		if next != Active {
			return terms, nil
		}
		p, err := ReadPackage(ctx, u.Table, terms.Package)
		if err == nil && p.SystemURL != "" {
			terms.Unanswered = field.At(u.Now())
		}
		return terms, err
	})
}

// accesses are the accesses of shops as records, whose callers are dropped once they are written.
func (c Commands) accesses() *record.Kind[Access, Terms] {
	return Accesses.With(record.Along[Access]{
		AfterTry: func(_ context.Context, _ *change.Unit, step *record.Step[Access], _ error) {
			if step.After == nil {
				c.Callers.Drop(step.Before.ID)
			} else {
				c.Callers.Drop(step.After.ID)
			}
		}})
}

// Uninstall deletes an access that is not active, with the custom codes that its package has left on the shop. What
// else belongs to it is gone by then: see package leaving.
func (c Commands) Uninstall(ctx context.Context, u *change.Unit, id string) error {
	return c.accesses().With(record.Along[Access]{Extend: leave}).Delete(ctx, u, id)
}

// leave completes the deletion of an access: the package can be installed on the shop anew, which has room for another.
func leave(ctx context.Context, u *change.Unit, step *record.Step[Access]) error {
	access := *step.Before
	if access.State == Active {
		return problem.Unavailable(time.Second) // somebody has activated it since it was deactivated
	}
	codes, err := codesOfPackage(ctx, u.Table, access.Shop, access.Package)
	if err != nil {
		return err
	}
	for _, code := range codes {
		step.Ops = append(step.Ops, store.Delete(codeKey(access.Shop, access.Package, code.ID)))
	}
	step.Ops = append(step.Ops, moveBytes(access.Shop, -activeBytes(codes...))...)
	step.Ops = append(step.Ops, store.Delete(tallyKey(access.Shop, access.Package)),
		store.Update(accessesKey(access.Shop), store.Set{Add: map[string]int64{numAccesses: -1}}))
	return nil
}

// withLifecycle are the accesses of a shop as records that come into states. A new access gets its first token; a
// deactivation cleans up the custom codes; and the add-on is told of each new state.
func (c Commands) withLifecycle(tenant shop.Shop) *record.Kind[Access, Terms] {
	enter := func(ctx context.Context, u *change.Unit, step *record.Step[Access]) error {
		is := Installed
		if step.Before == nil {
			t := c.makeToken(u, *step.After, nil)
			step.After.Token, step.Ops = t.Text, append(step.Ops, t.createOps()...)
		} else {
			is = step.Before.State
		}
		if step.After.State == is {
			return nil
		}
		at := field.At(u.Now())
		var cleanup Cleanup
		switch {
		case step.After.State == Deactivated:
			var ops []store.Op
			var err error
			if cleanup, ops, err = planCleanup(ctx, u, *step.After, at); err != nil {
				return err
			}
			step.Ops = append(append(step.Ops, ops...), addondata.Hide(u, step.After.Package))
		case is == Deactivated:
			// The package may make custom codes and cleanup orders again.
			reopened := store.Set{Drop: []string{textClosed, textRemoved, textKept}}
			step.Ops = append(step.Ops, store.Update(tallyKey(u.Shop, step.After.Package), reopened))
			fallthrough
		default: // it may have been installed here before
			step.Ops = append(step.Ops, addondata.Return(u.Shop, step.After.Package))
		}
		step.Notices = []events.Notice{c.stateNotice(*step.After, tenant, at, cleanup)}
		return nil
	}
	return c.accesses().With(record.Along[Access]{Extend: enter}).With(quota(tenant.ID))
}

// quota bounds how many packages a shop has.
func quota(shop string) record.Along[Access] {
	return record.Quota[Access](accessesKey(shop), numAccesses, MaxAccesses, problem.Conflict("too_many_packages",
		"A shop has "+strconv.Itoa(MaxAccesses)+" packages at most, deactivated ones among them."))
}

// stateNotice is the webhook about the state that the access has come to, with what a deactivation did to custom codes.
func (c Commands) stateNotice(access Access, s shop.Shop, at field.Time, cleanup Cleanup) events.Notice {
	type body struct {
		Package string       `json:"packageId"`
		Website string       `json:"websiteUrl"`
		Locale  field.Locale `json:"locale"`
		At      field.Time   `json:"occurredAt"`
	}
	what := body{access.Package, c.Shops.Website(s), s.Locale, at}
	if access.State == Active {
		return notice(events.PackageActivate, access, what)
	}
	return notice(events.PackageDeactivate, access, struct {
		body
		Removed []string `json:"removedCustomCodeIds"`
		Kept    []string `json:"keptCustomCodeIds"`
	}{what, idsOf(cleanup.Removed), idsOf(cleanup.Kept)})
}

// idsOf are the ids of custom codes, never nil.
func idsOf(all []CustomCode) []string {
	return each.Of(all, func(code CustomCode) string { return code.ID })
}

// OpenedInstructions is an access whose package's instructions were opened.
type OpenedInstructions struct {
	Access
	Package Package
}

// OpenInstructions is the access with its package, whose instructions somebody opens, in every state of the access. The
// add-on is told by packageOpenInstructions, which rides on a write of the access.
func (c Commands) OpenInstructions(ctx context.Context, u *change.Unit, id string) (OpenedInstructions, error) {
	access, err := Accesses.Read(ctx, u.Table, u.Shop, id)
	if err != nil {
		return OpenedInstructions{}, err
	}
	items, err := u.Table.Get(ctx, PackageKey(access.Package), shop.Key(access.Shop))
	if err == nil && items[0] == nil {
		err = problem.NotFound()
	}
	if err != nil {
		return OpenedInstructions{}, err
	}
	p, err := PackageOf(items[0])
	if err != nil {
		return OpenedInstructions{}, err
	}
	tenant, err := shop.Decode(items[1])
	if err != nil {
		return OpenedInstructions{}, err
	}
	opened := OpenedInstructions{access, p}
	told := u.ChangeOf(nil, notice(events.PackageOpenInstructions, access, struct {
		Package string       `json:"packageId"`
		Locale  field.Locale `json:"locale"`
		At      field.Time   `json:"openedAt"`
	}{access.Package, tenant.Locale, field.At(u.Now())}))
	_, err = u.Write(ctx, opened, told,
		store.Update(Key(access.Shop, access.ID), store.Set{Num: map[string]int64{"opened": u.Now().UnixMilli()}},
			store.Present()))
	return opened, err
}

// notice is an event of a package on a shop.
func notice(e events.Name, a Access, v any) events.Notice {
	return events.Notice{Event: e, Access: a.ID, Package: a.Package, Data: json.RawMessage(encode(v))}
}
