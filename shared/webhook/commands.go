package webhook

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/egress"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Owner is who has receivers: an access of a package on a shop, or a package for its systemUrl (SystemOwner).
type Owner struct{ Shop, Access, Package string }

// key is the key of the owner's receiver with this id.
func (o Owner) key(id string) store.Key { return ReceiverKey(o.Shop, o.Access, id) }

// Receiver reads the owner's receiver with this id and nothing beside it; nil when there is none.
func (o Owner) Receiver(ctx context.Context, t store.Table, id string) (*Receiver, error) {
	items, err := t.Get(ctx, o.key(id))
	if err != nil || items[0] == nil {
		return nil, err
	}
	found, err := ReceiverOf(items[0])
	return &found, err
}

// Receivers reads all receivers of the owner, in the order of their ids, by one query.
func (o Owner) Receivers(ctx context.Context, t store.Table) ([]Receiver, error) {
	first := o.key("")
	items, err := store.QueryAll(ctx, t, store.Query{PK: first.PK, From: first.SK, To: first.SK + "~"}, maxReceivers)
	all := make([]Receiver, len(items))
	for i := range items {
		if err == nil {
			all[i], err = ReceiverOf(&items[i])
		}
	}
	return all, err
}

// Found is a receiver as it was read, with what answers show beside it. That moves neither its changed nor its version.
type Found struct {
	Receiver
	Health Health
	May    []permission.Permission // what its access may now; none for a systemUrl, whose webhooks need none
	Sent   string                  // the id of the webhook that Ping or Test has sent; else ""
}

// Record is the receiver as answers show it now.
func (f Found) Record(now time.Time) ReceiverRecord {
	return ReceiverRecord{ID: f.ID, URL: f.URL, Events: f.Events, Groups: f.Groups, Own: !f.NotOwn,
		Active: f.Active, State: f.State,
		MissingPermissions: Missing(f.Events, f.May), Created: f.Created, Changed: record.ChangedAt(f.Version),
		LastSuccess: f.Health.LastSuccess, LastFailure: f.Health.LastFailure, LastFailureAt: f.Health.FailedAt,
		NextProbe: f.NextProbe(now),
		Level:     f.Health.Level(f.Receiver, now), AwaitsPing: f.Health.AwaitsPing(now)}
}

// Read reads the owner's receiver with this id; the error is the problem not_found when there is none. It reads what
// the access may, too: what a caller was let in with may be half a minute old, and webhooks go by what holds now.
func Read(ctx context.Context, t store.Table, o Owner, id string) (*Found, error) {
	items, err := t.Get(ctx, append(addon.GrantKeys(o.Shop, o.Access, o.Package), o.key(id), HealthKey(id))...)
	if err != nil {
		return nil, err
	}
	if items[2] == nil {
		return nil, problem.NotFound()
	}
	f := &Found{Health: HealthOf(items[3])}
	if f.May, err = addon.EffectivePermissionsOf(items); err != nil {
		return nil, err
	}
	f.Receiver, err = ReceiverOf(items[2])
	return f, err
}

// ReadAll reads the owner's receivers that rows of the index name, in their order; nil for one that is gone.
func ReadAll(ctx context.Context, t store.Table, o Owner, rows []store.Item) ([]*Found, error) {
	keys := addon.GrantKeys(o.Shop, o.Access, o.Package)
	for _, row := range rows {
		keys = append(keys, row.Key, HealthKey(idIn(row.Key)))
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	may, err := addon.EffectivePermissionsOf(items)
	if err != nil {
		return nil, err
	}
	all := make([]*Found, len(rows))
	for i := range rows {
		item, health := items[2+2*i], items[3+2*i]
		if item == nil {
			continue
		}
		r, err := ReceiverOf(item)
		if err != nil {
			record.LogUnreadable(ctx, item.Key, err)
			continue
		}
		all[i] = &Found{Receiver: r, Health: HealthOf(health), May: may}
	}
	return all, nil
}

// current reads the receiver that a command changes, and refuses the command when its caller expects another version.
func current(ctx context.Context, u *change.Unit, o Owner, id string) (*Found, error) {
	f, err := Read(ctx, u.Table, o, id)
	if err != nil {
		return nil, err
	}
	return f, u.Match(f.Version)
}

// Register makes a receiver of an access, and pings it. may is what the caller was let in with, which saves a read.
func Register(ctx context.Context, u *change.Unit, callable egress.Rules, o Owner, may []permission.Permission,
	f Fields) (*Found, error) {
	if err := f.check(ctx, callable, ""); err != nil {
		return nil, err
	}
	r := Receiver{ID: u.NewID(), Shop: o.Shop, Access: o.Access, State: Unverified, Version: u.NextVersion("")}.with(f)
	r.Created = record.ChangedAt(r.Version)
	now := &Found{Receiver: r, May: may}
	count, one := countKey(o.Access), store.Set{Add: map[string]int64{"receivers": 1}}
	_, err := u.Write(ctx, now, newPing(u, r),
		store.Put(r.Item(), store.Absent()),
		store.Put(store.Item{Key: HealthKey(r.ID)}),
		store.Update(count, one, store.AtMost("receivers", maxReceivers-1)))
	if _, full := store.Failed(err, count); full {
		return nil, problem.Conflict("too_many_receivers", "An access has ten receivers at most: delete one first.")
	}
	return now, err
}

// Change changes a receiver to what change makes of its fields. A new address is unverified, and pinged. The webhooks
// of a receiver that was proven wait for its new address; a drain disables the receiver if that never answers.
func Change(ctx context.Context, u *change.Unit, callable egress.Rules, o Owner, id string,
	change func(Fields) (Fields, error)) (*Found, error) {
	return record.Retry(ctx, func() (*Found, error) {
		was, err := current(ctx, u, o, id)
		if err != nil {
			return nil, err
		}
		fields, err := change(was.fields())
		if err != nil {
			return nil, err
		}
		if err := fields.check(ctx, callable, was.URL); err != nil {
			return nil, err
		}
		now := new(*was)
		now.Receiver = was.with(fields)
		if sameFields(now.Receiver, was.Receiver) {
			return was, nil
		}
		now.Version = u.NextVersion(was.Version)
		notice, moved := events.Nothing, now.URL != was.URL
		if moved {
			now.Receiver = now.enter(Unverified, u.Now())
			now.Verified = false
			notice = newPing(u, now.Receiver)
		}
		ops := []store.Op{store.Put(now.Item(), store.VersionIs(was.Version))}
		if moved && now.Proven {
			ops = append(ops, store.Put(now.newDrain(u.Now(), u.NewID()).Item()))
		}
		_, err = u.Write(ctx, now, notice, ops...)
		return now, err
	})
}

// Delete deletes a receiver. A drain cancels what is parked for it.
func Delete(ctx context.Context, u *change.Unit, pipeline Pipeline, o Owner, id string) error {
	_, err := record.Retry(ctx, func() (*Found, error) {
		found, err := current(ctx, u, o, id)
		if err != nil {
			return nil, err
		}
		drain := found.lastDrain(u.Now(), u.NewID())
		_, err = u.Write(ctx, found, events.Nothing,
			store.Delete(o.key(found.ID), store.VersionIs(found.Version)),
			store.Delete(HealthKey(found.ID)),
			store.Put(drain.Item()),
			store.Update(countKey(found.Access), store.Set{Add: map[string]int64{"receivers": -1}}))
		if err == nil {
			pipeline.start(ctx, drain.Release, u.Now())
		}
		return found, err
	})
	return err
}

// Enable closes the breaker of a receiver, and begins to drain what is parked. A receiver that was disabled before its
// new address ever answered is unverified again instead, and pinged.
func Enable(ctx context.Context, u *change.Unit, pipeline Pipeline, o Owner, id string) (*Found, error) {
	return record.Retry(ctx, func() (*Found, error) {
		was, err := Read(ctx, u.Table, o, id)
		switch {
		case err != nil:
			return nil, err
		case was.State == Enabled:
			return was, nil
		case was.State == Unverified:
			return nil, unverified()
		}
		now, to := new(*was), Enabled
		if !was.Verified {
			to = Unverified
		}
		now.Receiver = was.enter(to, u.Now())
		now.Version = u.NextVersion(was.Version)
		notice := now.stateNotice(was.Health)
		if to == Unverified {
			notice = newPing(u, was.Receiver)
		}
		drain := now.newDrain(u.Now(), u.NewID())
		_, err = u.Write(ctx, now, notice, store.Put(now.Item(), store.VersionIs(was.Version)),
			store.Put(drain.Item()), resetCounts(now.ID, was.Health, 0))
		if err == nil {
			pipeline.start(ctx, drain.Release, u.Now())
		}
		return now, err
	})
}

// Ping sends one ping to a receiver, in whatever state it is.
func Ping(ctx context.Context, u *change.Unit, o Owner, id string) (*Found, error) {
	f, err := Read(ctx, u.Table, o, id)
	if err != nil {
		return nil, err
	}
	return f, send(ctx, u, f, newPing(u, f.Receiver), pingedNum)
}

// newPing makes the change that sends one ping with a new nonce to the receiver.
func newPing(u *change.Unit, r Receiver) events.Change {
	var nonce [16]byte
	if _, err := io.ReadFull(u.Random, nonce[:]); err != nil {
		panic("webhook: no randomness: " + err.Error())
	}
	return noticeTo(u, r, events.Notice{Event: events.Ping,
		Data: json.RawMessage(`{"nonce":"` + hex.EncodeToString(nonce[:]) + `"}`)})
}

// Test sends one sample of an event to a receiver, if anything may be sent to it.
func Test(ctx context.Context, u *change.Unit, o Owner, id string, e events.Name) (*Found, error) {
	f, err := Read(ctx, u.Table, o, id)
	if err != nil {
		return nil, err
	}
	if err := f.CheckSendable(); err != nil {
		return nil, err
	}
	return f, send(ctx, u, f, noticeTo(u, f.Receiver, events.Notice{Event: e, Test: true}), requestedNum)
}

// noticeTo makes the change that tells the notice to the receiver, and to nobody else.
func noticeTo(u *change.Unit, r Receiver, n events.Notice) events.Change {
	n.Access, n.Receiver = r.Access, r.ID
	c := u.ChangeOf(nil, n)
	c.Shop = r.Shop
	return c
}

// send tells the receiver a ping or a test. A notice needs a write to ride on: send writes into the receiver's health,
// under the given name, when it was asked for. The write is refused if the receiver was deleted since it was read; the
// error is not_found then. The id of the webhook follows from the change, so it is known before there is a delivery.
func send(ctx context.Context, u *change.Unit, f *Found, notice events.Change, name string) error {
	at := store.Set{Num: map[string]int64{name: u.Now().UnixMilli()}}
	f.Sent = notice.WebhookID(notice.Notices[0].Event, f.ID, 0)
	_, err := u.Write(ctx, f, notice, updateHealth(f.ID, at))
	if store.IsCondition(err) {
		return problem.NotFound()
	}
	return err
}
