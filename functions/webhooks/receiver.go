// Package webhooks is the API of an access's own webhooks: receivers and signing keys (contract, sections 4 and 5). The
// batcher and the delivery function read both through it and write down here what became of a ping.
package webhooks

import (
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/store"
)

// The texts of lastFailure; beside them "status <n>".
const (
	NonceMissing = "nonce_missing"
	TimedOut     = "timeout"
	NotConnected = "connect"
	TLS          = "tls"
	Reset        = "reset"
	BadAddress   = "address"
	BadAnswer    = "answer"
)

// Reads is the permission without which an event is not told; "" where all active accesses hear of it.
func Reads(e events.Name) api.Permission {
	switch e {
	case events.CustomerCreate, events.CustomerChange, events.CustomerDelete:
		return api.ReadCustomers
	case events.ProductCreate, events.ProductChange, events.ProductDelete:
		return api.ReadProducts
	case events.OrderChange:
		return api.ReadOrders
	}
	return ""
}

// Missing are the permissions that the events need and the access, which holds these, lacks; sorted.
func Missing(needed []events.Name, held []api.Permission) []api.Permission {
	missing := []api.Permission{}
	for _, e := range needed {
		if p := Reads(e); p != "" && !slices.Contains(held, p) && !slices.Contains(missing, p) {
			missing = append(missing, p)
		}
	}
	slices.Sort(missing)
	return missing
}

// Takes says whether webhooks of the event are queued for the receiver: it is active, subscribes to it, and has proven
// an address. The access's state and permissions are another question. Pings ask nothing of this.
func (r Receiver) Takes(e events.Name) bool {
	return r.Active && r.Proven && slices.Contains(r.Events, e)
}

// Open says whether attempts at what is queued may go to the address that the receiver has now.
func (r Receiver) Open() bool { return r.Active && r.Verified && r.State == Enabled }

// Verified writes down that the receiver, as it was read before the ping, answered 2xx with the nonce in its body: it
// becomes enabled, the success shows with it, and what was parked for a new address drains. Nothing happens when it is gone,
// or has another address by now.
func Verified(ctx context.Context, p *host.Platform, was Receiver) error {
	at := ReceiverKey(was.Shop, was.Access, was.ID)
	for range tries {
		items, err := p.Main.Get(ctx, at, HealthKey(was.ID))
		if err != nil || items[0] == nil {
			return err
		}
		r, err := Of(items[0])
		if err != nil || r.URL != was.URL || r.Verified {
			return err
		}
		waited := r.Proven
		r = r.in(Enabled, p.Now())
		r.Verified, r.Proven, r.Version = true, true, next(p, r.Version)
		ops := []store.Op{store.Put(r.Item(), store.VersionIs(items[0].Version)), cleared(r.ID, HealthOf(items[1]), r.Since)}
		d := r.drain(p.Now(), p.NewID())
		if waited {
			ops = append(ops, store.Put(d.Item()))
		}
		_, err = p.Main.Write(ctx, events.Nothing, ops...)
		if err == nil && waited {
			d.begin(ctx, p)
		}
		if !store.IsCondition(err) {
			return err
		}
	}
	return store.ErrUnavailable
}

// next is the version of a write behind the given one, outside a request (see api.Call.Next).
func next(p *host.Platform, version string) string {
	now := p.Now()
	if was := id.Time(version); !now.After(was) {
		now = was.Add(time.Millisecond)
	}
	return id.New(now, p.Random)
}
