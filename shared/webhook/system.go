package webhook

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// SystemEvents are what goes to a package's systemUrl (contract, "System webhooks").
var SystemEvents = append([]events.Name{events.PackageActivate, events.PackageDeactivate,
	events.PackageOpenInstructions}, events.Operational...)

// system is the receiver at a package's systemUrl, which needs no ping. It belongs to no shop. The package's id is its
// id, and the owner of its keys, its health and its deliveries.
func system(p addon.Package) Receiver {
	return Receiver{ID: p.ID, Access: p.ID, URL: string(p.SystemURL), Events: SystemEvents, Active: true,
		State: Enabled, Verified: true, Proven: true, Created: p.Created, Version: p.Version}
}

// Unsent is the receiver of a developer's package without a systemUrl. It is stored nowhere: what is for it is kept as
// cancelled, and its developer lists it (contract, "Developers").
func Unsent(p addon.Package) Receiver { return system(p) }

// System says whether the receiver is a package's systemUrl.
func (r Receiver) System() bool { return r.Shop == "" }

// SystemKey is the item of the receiver at a package's systemUrl.
func SystemKey(pkg string) store.Key { return ReceiverKey("", pkg, pkg) }

// SystemOwner is the owner of the receiver at a package's systemUrl.
func SystemOwner(pkg string) Owner { return Owner{Access: pkg, Package: pkg} }

// SystemOps are the operations by which the receiver at a package's systemUrl follows a change of the package. At
// another address the receiver begins anew, and gets what was parked for the old one. When the package has no address
// any more, the receiver goes and what is parked is cancelled.
func SystemOps(was, now addon.Package, at time.Time) []store.Op {
	if now.SystemURL == was.SystemURL {
		return nil
	}
	var ops []store.Op
	if d := systemDrain(was, now, at); d != nil {
		ops = append(ops, store.Put(d.Item()))
	}
	if now.SystemURL == "" {
		return append(ops, store.Delete(SystemKey(now.ID)), store.Delete(HealthKey(now.ID)))
	}
	return append(ops, store.Put(system(now).Item()), store.Put(store.Item{Key: HealthKey(now.ID)}))
}

// BeginSystemDrain sends the first message of the drain that SystemOps of the same time have written, if there is one.
func BeginSystemDrain(ctx context.Context, p Pipeline, was, now addon.Package, at time.Time) {
	if d := systemDrain(was, now, at); d != nil {
		p.start(ctx, d.Release, at)
	}
}

// systemDrain is the drain of what is parked for a package's systemUrl when that changes; nil when it does not.
func systemDrain(was, now addon.Package, at time.Time) *Drain {
	switch {
	case was.SystemURL == "" || was.SystemURL == now.SystemURL:
		return nil
	case now.SystemURL == "":
		return new(system(now).lastDrain(at, now.Version))
	}
	return new(system(now).newDrain(at, now.Version))
}

// System says whether the delivery goes to its package's systemUrl. Its Access and Receiver are the package then.
func (r Row) System() bool { return r.About != "" }

// Activation is the data of packageActivate as a systemUrl gets it, but for the install code: each attempt has its own
// (contract, "System webhooks").
func Activation(data []byte, acc string) []byte {
	return spliced(data, "}", "accessId", acc)
}

// Activates is what an install code of a packageActivate to a systemUrl is for.
func Activates(r Row) addon.InstallCode {
	return addon.InstallCode{Access: r.About, Shop: r.Shop, Package: r.Package, Activation: r.ID}
}

// WithInstallCode is the body of a packageActivate to a systemUrl with the install code at the end of its data.
func WithInstallCode(body []byte, code string) []byte {
	return spliced(body, "}}", "installCode", code)
}

// ResendActivation asks for one further attempt of the packageActivate that an access's add-on has not answered at its
// package's systemUrl. It calls admitted last, as Redeliver does.
func ResendActivation(ctx context.Context, u *change.Unit, pipeline Pipeline, access addon.Access,
	admitted func(context.Context) error) error {
	none := problem.Conflict("not_redeliverable", "There is no unanswered activation that can be sent again.")
	if access.Unanswered == 0 || access.State != addon.Active {
		return none
	}
	// The webhook's id has the time of the change, which was read a moment after that of the activation.
	began, found := access.Unanswered.Go(), make([]string, RowShards)
	errs := guard.Each(ctx, RowShards, func(n int) error {
		then := store.Query{PK: RowPartition(access.Package, n), From: id.Stamp(began),
			To: id.Stamp(began.Add(activationTakes)) + "~"}
		for page, err := range store.Pages(ctx, pipeline.Rows, then) {
			if err != nil {
				return err
			}
			for i := range page.Items {
				if r := RowOf(&page.Items[i]); r.About == access.ID && r.Event == events.PackageActivate {
					found[n] = r.ID
				}
			}
		}
		return nil
	})
	if err := guard.First(errs); err != nil {
		return err
	}
	webhook := cmp.Or(found...)
	if webhook == "" {
		return none
	}
	_, err := Redeliver(ctx, u, pipeline, access.Package, webhook, "", admitted)
	return err
}

// activationTakes is how long after the moment of an activation its change is made, at most.
const activationTakes = time.Minute

// spliced is JSON with one more field before its end. end are the brackets at the end.
func spliced(json []byte, end, field, value string) []byte {
	return fmt.Appendf(bytes.Clone(json[:len(json)-len(end)]), ",%q:%q%s", field, value, end)
}
