package batcher

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/webhook"
)

// listener is a receiver with all that decides what it hears of.
type listener struct {
	webhook.Standing
	suspect bool // its last attempt failed, or one took long
}

// addressed says whether the notice is to the listener: a ping or test to its one receiver, a package's events to the
// package's own access and its systemUrl, all others to whoever hears of them.
func (l *listener) addressed(n events.Notice) bool {
	switch {
	case n.Test, n.Event == events.Ping:
		return n.Receiver == l.Receiver.ID
	case slices.Contains(webhook.SystemEvents, n.Event):
		return n.Access == l.Access.ID
	}
	return !l.Receiver.System()
}

// address is to whom the listener's deliveries go.
func (l *listener) address() webhook.Addressee {
	r, a := l.Receiver, l.Access
	if r.System() {
		return webhook.Addressee{Access: r.ID, Package: r.ID, Receiver: r.ID, About: a.ID, Version: a.APIVersion}
	}
	return webhook.Addressee{Access: a.ID, Package: a.Package, Receiver: r.ID, Version: a.APIVersion, Groups: r.Groups}
}

// audience is who listens in each shop. It is read for each batch, strongly consistent and uncached: with a cache the
// first change after a receiver is enabled could be lost.
type audience map[string]*listeners

// listeners are those of one shop. err says why they could not be read; it holds up the changes of this shop only.
type listeners struct {
	all    []listener
	system []events.Notice // system events of accesses, of which their packages' systemUrls are told
	err    error
}

// of are the listeners to a change; none when it tells nobody anything.
func (a audience) of(c events.Change) ([]listener, error) {
	if ls := a[c.Shop]; ls != nil {
		return ls.all, ls.err
	}
	return nil, nil
}

// listen reads the listeners of the shops that the changes are of.
func (b *batcher) listen(ctx context.Context, changes []events.Change) (audience, error) {
	heard, shops := audience{}, []string{}
	for _, c := range changes {
		if heard[c.Shop] == nil && (len(c.Notices) > 0 || len(c.Events()) > 0) {
			heard[c.Shop], shops = &listeners{}, append(shops, c.Shop)
		}
		for _, n := range c.Notices {
			if slices.Contains(webhook.SystemEvents, n.Event) {
				heard[c.Shop].system = append(heard[c.Shop].system, n)
			}
		}
	}
	reads := make(chan struct{}, connections)
	errs := guard.Each(ctx, len(shops), func(i int) error {
		reads <- struct{}{}
		defer func() { <-reads }()
		return heard[shops[i]].read(ctx, b.Main, shops[i])
	})
	for i, shop := range shops {
		heard[shop].err = errs[i]
	}
	return heard, b.readGrants(ctx, heard)
}

// read reads the shop's accesses and receivers, in one query.
func (ls *listeners) read(ctx context.Context, main store.Table, shop string) error {
	hooks, err := webhook.ReadHooks(ctx, main, shop)
	accesses := map[string]addon.Access{}
	for _, a := range hooks.Accesses {
		accesses[a.ID] = a
		for _, r := range hooks.Receivers[a.ID] {
			ls.add(&r, &a)
		}
	}
	told := map[string]bool{}
	for _, n := range ls.system {
		a, there := accesses[n.Access]
		if !there && n.Event == events.PackageDeactivate { // the access was deleted since
			a = addon.Access{Head: record.Head{ID: n.Access}, Terms: addon.Terms{Shop: shop, Package: n.Package,
				State: addon.Deactivated, APIVersion: events.APIVersion}}
		}
		if a.ID != "" && !told[a.ID] {
			told[a.ID] = true
			ls.add(&webhook.Receiver{ID: a.Package}, &a) // the rest of a systemUrl's receiver is read with its health
		}
	}
	return err
}

// add adds a receiver of an access.
func (ls *listeners) add(r *webhook.Receiver, a *addon.Access) {
	ls.all = append(ls.all, listener{Standing: webhook.Standing{Receiver: r, Access: a}})
}

// readGrants reads what the listeners may hear of, by their packages, and which of them are suspect, by their health.
// It reads for all shops in one go. If something stored makes that fail, it reads shop by shop, so that the fault holds
// up one shop only.
func (b *batcher) readGrants(ctx context.Context, a audience) error {
	err := b.readGrantsOf(ctx, slices.Collect(maps.Values(a)))
	if !store.Poisoned(err) {
		return err
	}
	for _, ls := range a {
		ls.err = errors.Join(ls.err, b.readGrantsOf(ctx, []*listeners{ls}))
	}
	return nil
}

// readGrantsOf is readGrants for some shops, in one call.
func (b *batcher) readGrantsOf(ctx context.Context, of []*listeners) error {
	items := map[store.Key]*store.Item{}
	for _, ls := range of {
		for _, l := range ls.all {
			items[addon.PackageKey(l.Access.Package)] = nil
			items[webhook.HealthKey(l.Receiver.ID)] = nil
			if l.Receiver.System() {
				items[webhook.SystemKey(l.Receiver.ID)] = nil
			}
		}
	}
	keys := slices.Collect(maps.Keys(items))
	got, err := store.GetAll(ctx, b.Main, keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		items[k] = got[i]
	}
	for _, ls := range of {
		for i := range ls.all {
			ls.err = errors.Join(ls.err, ls.all[i].grant(ctx, b.Now(), items))
		}
	}
	return nil
}

// grant fills in what one listener may hear of, and whether it is suspect. A systemUrl's state is read from its own
// item.
func (l *listener) grant(ctx context.Context, now time.Time, items map[store.Key]*store.Item) (err error) {
	id := l.Receiver.ID
	defer guard.Caught(ctx, &err, "receiver", id)
	l.suspect = webhook.HealthOf(items[webhook.HealthKey(id)]).Suspect(now)
	at := items[addon.PackageKey(l.Access.Package)]
	if at == nil {
		return nil
	}
	pkg, err := addon.PackageOf(at)
	l.May = addon.EffectivePermissions(*l.Access, pkg)
	s := items[webhook.SystemKey(id)]
	switch {
	case err != nil || !l.Receiver.System():
	case s != nil:
		*l.Receiver, err = webhook.ReceiverOf(s)
	case pkg.Developer != "":
		*l.Receiver = webhook.Unsent(pkg)
	}
	return err
}
