package batcher

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/functions/webhooks"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

// listener is a receiver with all that decides what it hears of.
type listener struct {
	webhooks.Receiver
	access  access.Access
	may     []api.Permission // what counts: the access's within its package's
	suspect bool             // its last attempt failed
}

// takes says whether calls of the event go to the listener (contract, section 5, "Who").
func (l *listener) takes(e events.Name) bool {
	return l.access.State == access.Active && l.Takes(e) && l.permitted(e)
}

func (l *listener) permitted(e events.Name) bool {
	p := webhooks.Reads(e)
	return p == "" || slices.Contains(l.may, p)
}

// noticed says whether the notice goes to the listener: a ping to its one receiver, whatever that takes; a package's
// events to the package's own access, of which the end of its being active is told although it is over.
func (l *listener) noticed(n events.Notice) bool {
	own := n.Access == l.access.ID
	active := l.access.State == access.Active
	switch n.Event {
	case events.Ping:
		return active && n.Receiver == l.ID
	case events.PackageDeactivate:
		return own && l.Takes(n.Event)
	case events.PackageActivate, events.PackageOpenInstructions:
		return own && active && l.Takes(n.Event)
	}
	return l.takes(n.Event)
}

func (l *listener) address() delivery.Address {
	return delivery.Address{Access: l.access.ID, Package: l.access.Package, Receiver: l.ID, Version: l.access.APIVersion, Groups: l.Groups}
}

// audience is who listens in each shop, read once for a batch: strongly consistent and uncached, since a cache would lose
// the first change after a receiver is enabled.
type audience map[string][]listener

// listen reads the listeners of the shops that the changes are of.
func listen(ctx context.Context, p *host.Platform, changes []events.Change) (audience, error) {
	all := audience{}
	for _, c := range changes {
		if _, known := all[c.Shop]; known || len(c.Notices) == 0 && len(c.Told()) == 0 {
			continue
		}
		hooks, err := webhooks.HooksOf(ctx, p.Main, c.Shop)
		if err != nil {
			return nil, err
		}
		for _, a := range hooks.Accesses {
			for _, r := range hooks.Receivers[a.ID] {
				all[c.Shop] = append(all[c.Shop], listener{Receiver: r, access: a})
			}
		}
	}
	return all, all.judge(ctx, p.Main)
}

// judge finds what the listeners may hear of, by their packages, and which of them are suspect, by their health.
func (all audience) judge(ctx context.Context, table store.Table) error {
	var keys []store.Key
	want := func(k store.Key) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, ls := range all {
		for i := range ls {
			want(access.PackageKey(ls[i].access.Package))
			want(webhooks.HealthKey(ls[i].ID))
		}
	}
	items := make(map[store.Key]*store.Item, len(keys))
	for some := range slices.Chunk(keys, store.MaxOperations) {
		got, err := table.Get(ctx, some...)
		if err != nil {
			return err
		}
		for i, k := range some {
			items[k] = got[i]
		}
	}
	for _, ls := range all {
		for i := range ls {
			if err := ls[i].judge(items); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *listener) judge(items map[store.Key]*store.Item) error {
	l.suspect = webhooks.HealthOf(items[webhooks.HealthKey(l.ID)]).Failures > 0
	at := items[access.PackageKey(l.access.Package)]
	if at == nil {
		return nil // no package, no permission
	}
	p, err := access.PackageOf(at)
	l.may = access.May(l.access, p)
	return err
}
