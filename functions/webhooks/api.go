package webhooks

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"eshop/events"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

// Function is the API of an access's own webhooks.
var Function = host.Function{
	Name: "webhooks", Doc: "Webhooks: an access's receivers, their pings, its signing keys.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,
	Needs: append([]host.Need{{Resource: host.Retry, Does: []host.Action{host.Send}}}, host.Frame...), // drains that begin
}

const (
	receiversPath = "/api-engine/webhooks"
	keysPath      = "/api-engine/webhook-signing-keys"
)

func register(p *host.Platform, a *api.API) {
	g := group{p}
	api.Add(a, api.Op{Route: "GET " + receiversPath, ID: "listReceivers", Tag: "Webhooks", Summary: "List the access's receivers"}, g.list)
	api.Add(a, api.Op{Route: "POST " + receiversPath, ID: "createReceiver", Tag: "Webhooks", Summary: "Register a receiver",
		Doc: "Its address gets one `ping` with a nonce and is `enabled` when it answers 2xx with the nonce in its body. 409 `too_many_receivers` above ten."}, g.create)
	api.Add(a, api.Op{Route: "GET " + receiversPath + "/{id}", ID: "readReceiver", Tag: "Webhooks", Summary: "Read a receiver"}, g.read)
	api.Add(a, api.Op{Route: "PATCH " + receiversPath + "/{id}", ID: "changeReceiver", Tag: "Webhooks", Summary: "Change a receiver",
		Doc: "A new `url` is verified anew, by a ping; the same one changes nothing."}, g.change)
	api.Add(a, api.Op{Route: "DELETE " + receiversPath + "/{id}", ID: "deleteReceiver", Tag: "Webhooks", Summary: "Delete a receiver"}, g.delete)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/ping", ID: "pingReceiver", Tag: "Webhooks", Summary: "Ping a receiver", Status: 202,
		Doc: "Sends one `ping`, whatever the receiver's state: it verifies an address that is not verified yet."}, g.ping)
	api.Add(a, api.Op{Route: "POST " + receiversPath + "/{id}/enable", ID: "enableReceiver", Tag: "Webhooks", Summary: "Enable a failing receiver", Status: 200,
		Doc: "Closes the breaker at once. Changes nothing on an enabled one; 409 `receiver_unverified` on one whose address never answered a ping."}, g.enable)
	g.registerOnce(a)
	g.registerKeys(a)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

func (g group) read(ctx context.Context, in *api.ByID) (*api.Answer[ReceiverRecord], error) {
	r, b, err := g.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return b.answer(r), nil
}

// find is the caller's receiver with what it shows beside it; a 404 when there is none.
func (g group) find(ctx context.Context, id string) (Receiver, beside, error) {
	c := api.From(ctx)
	return g.receiver(ctx, ReceiverKey(c.Shop, c.Access, id), id)
}

// receiver is the one of this id that is kept there, with what it shows beside it; a 404 when there is none. What its access
// may is read, not what the caller was found with: that may be half a minute old, and webhooks go by what holds now.
func (g group) receiver(ctx context.Context, at store.Key, id string) (r Receiver, b beside, err error) {
	c := api.From(ctx)
	items, err := g.Main.Get(ctx, append(access.GrantKeys(c.Shop, c.Access, c.Package), at, HealthKey(id))...)
	if err != nil {
		return r, b, err
	}
	if items[2] == nil {
		return r, b, api.NotFound()
	}
	if b.May, err = access.MayOf(items); err != nil {
		return r, b, err
	}
	b.Health = HealthOf(items[3])
	r, err = Of(items[2])
	return r, b, err
}

func (b beside) answer(r Receiver) *api.Answer[ReceiverRecord] { return api.Of(b.show(r), r.Version) }

func (g group) create(ctx context.Context, in *api.Create[Fields]) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	if err := g.check(ctx, in.Body, ""); err != nil {
		return nil, err
	}
	r := Receiver{ID: c.NewID(), Shop: c.Shop, Access: c.Access, State: Unverified, Version: c.Next("")}.with(in.Body)
	r.Created = access.Changed(r.Version)
	answer := beside{May: c.Permissions}.answer(r).At(receiversPath + "/" + r.ID)
	count := countKey(c.Access)
	_, err := c.Write(ctx, answer, g.pinging(c, r), store.Put(r.Item(), store.Absent()), store.Put(store.Item{Key: HealthKey(r.ID)}),
		store.Update(count, store.Set{Add: map[string]int64{"receivers": 1}}, store.AtMost("receivers", maxReceivers-1)))
	if _, full := store.Failed(err, count); full {
		return nil, api.Conflict("too_many_receivers", "An access has ten receivers at most: delete one first.")
	}
	return answer, err
}

// pinging is the change that sends one ping with a new nonce to the receiver.
func (g group) pinging(c *api.Call, r Receiver) events.Change {
	var nonce [16]byte
	if _, err := io.ReadFull(g.Random, nonce[:]); err != nil {
		panic("webhooks: no randomness: " + err.Error())
	}
	return c.Told(r.Shop, events.Notice{Event: events.Ping, Access: r.Access, Receiver: r.ID,
		Data: json.RawMessage(`{"nonce":"` + hex.EncodeToString(nonce[:]) + `"}`)})
}

func (g group) change(ctx context.Context, in *api.Change[Fields]) (*api.Answer[ReceiverRecord], error) {
	return api.Again(ctx, func() (*api.Answer[ReceiverRecord], error) { return g.tryChange(ctx, in) })
}

func (g group) tryChange(ctx context.Context, in *api.Change[Fields]) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	was, b, err := g.current(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, in.Body, was.fields())
	if err != nil {
		return nil, err
	}
	if err := g.check(ctx, fields, was.URL); err != nil {
		return nil, err
	}
	r, told := was.with(fields), events.Nothing
	if same(r, was) {
		return b.answer(was), nil
	}
	r.Version = c.Next(was.Version)
	var parking []store.Op
	if r.URL != was.URL {
		r, told = r.in(Unverified, c.Now()), g.pinging(c, r)
		r.Verified = false
		parking = r.parking(c.Now(), g.NewID())
	}
	answer := b.answer(r)
	_, err = c.Write(ctx, answer, told, append([]store.Op{store.Put(r.Item(), store.VersionIs(was.Version))}, parking...)...)
	return answer, err
}

// current is the receiver that the request means to write to, held against its If-Match.
func (g group) current(ctx context.Context, id string) (Receiver, beside, error) {
	c := api.From(ctx)
	r, b, err := g.find(ctx, id)
	if err != nil {
		return r, b, err
	}
	return r, b, c.Match(r.Version)
}

func (g group) delete(ctx context.Context, in *api.ByID) (*api.None, error) {
	return api.Again(ctx, func() (*api.None, error) {
		c := api.From(ctx)
		r, _, err := g.current(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		left := r.left(c.Now(), g.NewID())
		_, err = c.Write(ctx, &api.None{}, events.Nothing, store.Delete(ReceiverKey(r.Shop, r.Access, r.ID), store.VersionIs(r.Version)),
			store.Delete(HealthKey(r.ID)), store.Put(left.Item()), store.Update(countKey(r.Access), store.Set{Add: map[string]int64{"receivers": -1}}))
		if err == nil {
			left.begin(ctx, g.Platform)
		}
		return &api.None{}, err
	})
}

func (g group) ping(ctx context.Context, in *api.ByID) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	r, b, err := g.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	answer := b.answer(r)
	_, err = c.Write(ctx, answer, g.pinging(c, r),
		store.Update(HealthKey(r.ID), store.Set{Num: map[string]int64{"pinged": c.Now().UnixMilli()}}, store.Present()))
	if store.IsCondition(err) {
		return nil, api.NotFound() // deleted since it was read
	}
	return answer, err
}

func (g group) enable(ctx context.Context, in *api.ByID) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	return api.Again(ctx, func() (*api.Answer[ReceiverRecord], error) {
		return g.tryEnable(ctx, ReceiverKey(c.Shop, c.Access, in.ID), in.ID)
	})
}

func (g group) tryEnable(ctx context.Context, at store.Key, id string) (*api.Answer[ReceiverRecord], error) {
	c := api.From(ctx)
	r, b, err := g.receiver(ctx, at, id)
	switch {
	case err != nil:
		return nil, err
	case r.State == Enabled:
		return b.answer(r), nil
	case r.State == Unverified:
		return nil, api.Conflict("receiver_unverified", "The receiver's address has not answered a ping with its nonce yet: ping it.")
	}
	was, told := r.Version, events.Nothing
	if r = r.in(Enabled, c.Now()); !r.Verified {
		r.State, told = Unverified, g.pinging(c, r)
	}
	r.Version = c.Next(was)
	d, answer := r.drain(c.Now(), g.NewID()), b.answer(r)
	_, err = c.Write(ctx, answer, told, store.Put(r.Item(), store.VersionIs(was)), store.Put(d.Item()), cleared(r.ID, b.Health, 0))
	if err == nil {
		d.begin(ctx, g.Platform)
	}
	return answer, err
}
