package delivery

import (
	"context"
	"sync"
	"time"

	"eshop/shared/addon"
	"eshop/shared/host"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// remembered is how long on AWS a receiver, its access and its package may be remembered: what changes about them counts
// for every attempt begun 30 s later (contract, section 5, "Who"). The one process reads them before each attempt.
const remembered = 10 * time.Second

// mostKnown bounds what is remembered.
const mostKnown = 10_000

// known finds what attempts depend on.
type known struct {
	p    *host.Platform
	keys *webhook.Keyring
	mu   sync.Mutex
	by   map[string]remembering // by receiver; of a systemUrl by the access, too
}

// remembering is a standing as it was read, and the items' versions, by which the one process knows that it still holds.
type remembering struct {
	standing
	versions [3]string // of the receiver, the access and its package
	at       time.Time
}

func newKnown(p *host.Platform) *known {
	return &known{p: p, keys: webhook.NewKeyring(p.SigningKeys()), by: map[string]remembering{}}
}

// standing is what an attempt depends on. What is remembered never ends a delivery, nor parks it: it may be from before
// what allows it.
func (k *known) standing(ctx context.Context, r webhook.Row) (standing, error) {
	now := k.p.Now()
	k.mu.Lock()
	m, there := k.by[r.Receiver+r.About]
	k.mu.Unlock()
	if there && !k.p.Alone && now.Sub(m.at) < remembered && m.forbids(r.Event) == "" && !m.holds(r) && !r.Probe {
		return m.standing, nil
	}
	items, err := k.p.Main.Get(ctx, standingOn(r)...)
	if err != nil {
		return standing{}, err
	}
	if v := versions(items); !there || v != m.versions {
		m.versions = v
		if m.standing, err = standingOf(items); err != nil {
			return standing{}, err
		}
	} else {
		m.health = webhook.HealthOf(items[3])
		if k.p.Alone {
			return m.standing, nil
		}
	}
	m.at = now
	k.keep(r.Receiver+r.About, m)
	return m.standing, nil
}

func (k *known) keep(at string, m remembering) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.by) >= mostKnown {
		clear(k.by)
	}
	k.by[at] = m
}

// standingOn are the items that a standing is made of: the receiver, the access that the delivery goes to or tells of, its
// package, and the receiver's health.
func standingOn(r webhook.Row) []store.Key {
	receiver, acc := webhook.ReceiverKey(r.Shop, r.Access, r.Receiver), r.Access
	if r.System() {
		receiver, acc = webhook.SystemKey(r.Package), r.About
	}
	return []store.Key{receiver, addon.Key(r.Shop, acc), addon.PackageKey(r.Package), webhook.HealthKey(r.Receiver)}
}

// forget makes the next standing of the delivery's receiver be read anew.
func (k *known) forget(r webhook.Row) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.by, r.Receiver+r.About)
}

// versions of a receiver, an access and its package; "" of one that is gone.
func versions(items []*store.Item) (v [3]string) {
	for n := range v {
		if items[n] != nil {
			v[n] = items[n].Version
		}
	}
	return v
}

// standingOf reads the items of standingOn.
func standingOf(items []*store.Item) (s standing, err error) {
	if s.receiver, err = parsed(items[0], webhook.ReceiverOf); err != nil {
		return s, err
	}
	if s.access, err = parsed(items[1], addon.Of); err != nil {
		return s, err
	}
	p, err := parsed(items[2], addon.PackageOf)
	if s.access != nil && p != nil {
		s.may = addon.May(*s.access, *p)
	}
	s.health = webhook.HealthOf(items[3])
	return s, err
}

// parsed reads an item, nil when there is none.
func parsed[T any](i *store.Item, of func(*store.Item) (T, error)) (*T, error) {
	if i == nil {
		return nil, nil
	}
	v, err := of(i)
	return &v, err
}
