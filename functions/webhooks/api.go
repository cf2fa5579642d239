package webhooks

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

// Function is the API of an access's own webhooks.
var Function = host.Function{
	Name: "webhooks", Doc: "Webhooks: an access's receivers, their pings, its signing keys.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,
	// Drains begin by a message to the retry queue.
	Needs: append([]host.Need{{Resource: host.Retry, Does: []host.Action{host.Send}}}, host.Frame...),
}

const (
	receiversPath = "/api-engine/webhooks"
	keysPath      = "/api-engine/webhook-signing-keys"
	tag           = "Webhooks"
)

// door is the operations; the platform is all they have.
type door struct{ *host.Platform }

func register(p *host.Platform, a *api.API) {
	d := door{p}
	d.registerReceivers(a)
	d.registerSends(a)
	d.registerKeys(a)
}

func (d door) registerReceivers(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + receiversPath, ID: "listReceivers", Tag: tag,
		Summary: "List the access's receivers"}, d.list)
	api.Add(a, api.Op{Route: "POST " + receiversPath, ID: "createReceiver", Tag: tag,
		Summary: "Register a receiver",
		Doc: "Its address gets one `ping` with a nonce and is `enabled` when it answers 2xx with the nonce in its " +
			"body. 409 `too_many_receivers` above ten."}, d.create)
	api.Add(a, api.Op{Route: "GET " + receiversPath + "/{id}", ID: "readReceiver", Tag: tag,
		Summary: "Read a receiver"}, d.read)
	api.Add(a, api.Op{Route: "PATCH " + receiversPath + "/{id}", ID: "changeReceiver", Tag: tag,
		Summary: "Change a receiver",
		Doc:     "A new `url` is verified anew, by a ping; the same one changes nothing."}, d.change)
	api.Add(a, api.Op{Route: "DELETE " + receiversPath + "/{id}", ID: "deleteReceiver", Tag: tag,
		Summary: "Delete a receiver"}, d.delete)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/ping", ID: "pingReceiver", Tag: tag, Status: 202,
		Summary: "Ping a receiver",
		Doc:     "Sends one `ping`, whatever the receiver's state: it verifies an address that is not verified yet."},
		d.ping)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/enable", ID: "enableReceiver", Tag: tag, Status: 200,
		Summary: "Enable a failing receiver",
		Doc: "Closes the breaker at once. Changes nothing on an enabled one; " +
			"409 `receiver_unverified` on one whose address never answered a ping."}, d.enable)
}

// found is a receiver as it was read, with what is shown beside it and moves neither its changed nor its ETag.
type found struct {
	Receiver
	health    Health
	permitted []api.Permission // what its access may now; of a systemUrl none, since system webhooks need none
}

// record is the receiver as answers show it.
func (f found) record() ReceiverRecord {
	return ReceiverRecord{ID: f.ID, URL: f.URL, Events: f.Events, Groups: f.Groups, Active: f.Active, State: f.State,
		MissingPermissions: Missing(f.Events, f.permitted), Created: f.Created, Changed: addon.Changed(f.Version),
		LastSuccess: f.health.LastSuccess, LastFailure: f.health.LastFailure}
}

func (f found) answer() *api.Answer[ReceiverRecord] { return api.Of(f.record(), f.Version) }

// find is the caller's receiver; a 404 when there is none.
func (d door) find(ctx context.Context, id string) (found, error) {
	c := api.From(ctx)
	return d.findAt(ctx, ReceiverKey(c.Shop, c.Access, id), id)
}

// findAt is the receiver with this id whose item is there; a 404 when there is none. What the access may is read, not
// what the caller was let in with: that may be half a minute old, and webhooks go by what holds now.
func (d door) findAt(ctx context.Context, at store.Key, id string) (f found, err error) {
	c := api.From(ctx)
	items, err := d.Main.Get(ctx, append(addon.GrantKeys(c.Shop, c.Access, c.Package), at, HealthKey(id))...)
	if err != nil {
		return f, err
	}
	if items[2] == nil {
		return f, api.NotFound()
	}
	if f.permitted, err = addon.MayOf(items); err != nil {
		return f, err
	}
	f.health = HealthOf(items[3])
	f.Receiver, err = Of(items[2])
	return f, err
}

// current is the receiver that the request means to write to, held against its If-Match.
func (d door) current(ctx context.Context, id string) (found, error) {
	f, err := d.find(ctx, id)
	if err != nil {
		return f, err
	}
	return f, api.From(ctx).Match(f.Version)
}

func (d door) read(ctx context.Context, in *api.ByID) (*api.Answer[ReceiverRecord], error) {
	f, err := d.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return f.answer(), nil
}

// create makes a receiver and pings it. What it misses is shown by what the caller was let in with, so nothing is read.
func (d door) create(ctx context.Context, in *api.Create[Fields]) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	if err := d.check(ctx, in.Body, ""); err != nil {
		return nil, err
	}
	r := Receiver{ID: c.NewID(), Shop: c.Shop, Access: c.Access, State: Unverified, Version: c.Next("")}.with(in.Body)
	r.Created = addon.Changed(r.Version)
	answer := found{Receiver: r, permitted: c.Permissions}.answer().At(receiversPath + "/" + r.ID)
	count, one := countKey(c.Access), store.Set{Add: map[string]int64{"receivers": 1}}
	_, err := c.Write(ctx, answer, d.pinging(c, r),
		store.Put(r.Item(), store.Absent()),
		store.Put(store.Item{Key: HealthKey(r.ID)}),
		store.Update(count, one, store.AtMost("receivers", maxReceivers-1)))
	if _, full := store.Failed(err, count); full {
		return nil, api.Conflict("too_many_receivers", "An access has ten receivers at most: delete one first.")
	}
	return answer, err
}

func (d door) change(ctx context.Context, in *api.Change[Fields]) (*api.Answer[ReceiverRecord], error) {
	return api.Again(ctx, func() (*api.Answer[ReceiverRecord], error) { return d.tryChange(ctx, in) })
}

// tryChange writes the fields. A new address is unverified and pinged; of a receiver that was proven webhooks wait for
// it, and a drain disables the receiver when it never answers.
func (d door) tryChange(ctx context.Context, in *api.Change[Fields]) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	was, err := d.current(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, in.Body, was.fields())
	if err != nil {
		return nil, err
	}
	if err := d.check(ctx, fields, was.URL); err != nil {
		return nil, err
	}
	now := was
	now.Receiver = was.with(fields)
	if sameFields(now.Receiver, was.Receiver) {
		return was.answer(), nil
	}
	now.Version = c.Next(was.Version)
	told, moved := events.Nothing, now.URL != was.URL
	if moved {
		now.Receiver = now.enter(Unverified, c.Now())
		now.Verified = false
		told = d.pinging(c, now.Receiver)
	}
	ops := []store.Op{store.Put(now.Item(), store.VersionIs(was.Version))}
	if moved && now.Proven {
		ops = append(ops, store.Put(now.newDrain(c.Now(), d.NewID()).Item()))
	}
	answer := now.answer()
	_, err = c.Write(ctx, answer, told, ops...)
	return answer, err
}

func (d door) delete(ctx context.Context, in *api.ByID) (*api.None, error) {
	return api.Again(ctx, func() (*api.None, error) {
		c := api.From(ctx)
		r, err := d.current(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		drain := r.lastDrain(c.Now(), d.NewID())
		_, err = c.Write(ctx, &api.None{}, events.Nothing,
			store.Delete(ReceiverKey(r.Shop, r.Access, r.ID), store.VersionIs(r.Version)),
			store.Delete(HealthKey(r.ID)),
			store.Put(drain.Item()),
			store.Update(countKey(r.Access), store.Set{Add: map[string]int64{"receivers": -1}}))
		if err == nil {
			drain.begin(ctx, d.Platform)
		}
		return &api.None{}, err
	})
}

func (d door) enable(ctx context.Context, in *api.ByID) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	return api.Again(ctx, func() (*api.Answer[ReceiverRecord], error) {
		return d.tryEnable(ctx, ReceiverKey(c.Shop, c.Access, in.ID), in.ID)
	})
}

// tryEnable closes the breaker of the receiver with this id whose item is there, and drains what is parked. One that
// was disabled before its new address ever answered is unverified again, and pinged.
func (d door) tryEnable(ctx context.Context, at store.Key, id string) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	was, err := d.findAt(ctx, at, id)
	switch {
	case err != nil:
		return nil, err
	case was.State == Enabled:
		return was.answer(), nil
	case was.State == Unverified:
		return nil, api.Conflict("receiver_unverified",
			"The receiver's address has not answered a ping with its nonce yet: ping it.")
	}
	now, told := was, events.Nothing
	if now.Receiver = was.enter(Enabled, c.Now()); !was.Verified {
		now.State, told = Unverified, d.pinging(c, was.Receiver)
	}
	now.Version = c.Next(was.Version)
	drain, answer := now.newDrain(c.Now(), d.NewID()), now.answer()
	_, err = c.Write(ctx, answer, told, store.Put(now.Item(), store.VersionIs(was.Version)),
		store.Put(drain.Item()), countAnew(now.ID, was.health, 0))
	if err == nil {
		drain.begin(ctx, d.Platform)
	}
	return answer, err
}

func (d door) ping(ctx context.Context, in *api.ByID) (*api.Answer[ReceiverRecord], error) {
	f, err := d.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return d.send(ctx, f, d.pinging(api.From(ctx), f.Receiver), pingedNum)
}

// pinging is the change that sends one ping with a new nonce to the receiver.
func (d door) pinging(c *api.Call, r Receiver) events.Change {
	var nonce [16]byte
	if _, err := io.ReadFull(d.Random, nonce[:]); err != nil {
		panic("webhooks: no randomness: " + err.Error())
	}
	return c.Told(r.Shop, events.Notice{Event: events.Ping, Access: r.Access, Receiver: r.ID,
		Data: json.RawMessage(`{"nonce":"` + hex.EncodeToString(nonce[:]) + `"}`)})
}

// send tells the receiver what is no change of it: a ping, a test, a replay. When that was asked for is written into
// its health, under the given name, since what is told rides on a write; so a receiver that was deleted since is a 404.
func (d door) send(ctx context.Context, f found, told events.Change, name string) (*api.Answer[ReceiverRecord], error) {
	c, answer := api.From(ctx), f.answer()
	at := store.Set{Num: map[string]int64{name: c.Now().UnixMilli()}}
	_, err := c.Write(ctx, answer, told, noted(f.ID, at))
	if store.IsCondition(err) {
		return nil, api.NotFound()
	}
	return answer, err
}
