package delivery

import (
	"context"
	"sync"
	"time"

	"eshop/functions/webhooks"
	"eshop/shared/access"
	"eshop/shared/host"
	"eshop/shared/store"
)

// remembered is how long on AWS a receiver, its access and its package may be remembered: what changes about them counts
// for every attempt begun 30 s later (contract, section 5, "Who"). The one process reads them before each attempt.
const remembered = 10 * time.Second

// mostKnown bounds what is remembered.
const mostKnown = 10_000

// known finds what attempts depend on.
type known struct {
	p    *host.Platform
	keys *webhooks.Keyring
	mu   sync.Mutex
	by   map[string]remembering // by receiver; of a systemUrl by the access, too
}

// remembering is a standing as it was read, and the items' versions, by which the one process knows that it still holds.
type remembering struct {
	standing
	versions [3]string // of the access, its package and the receiver
	at       time.Time
}

func newKnown(p *host.Platform) *known {
	return &known{p: p, keys: webhooks.NewKeyring(p), by: map[string]remembering{}}
}

// standing is what an attempt depends on.
func (k *known) standing(ctx context.Context, r Row) (standing, error) {
	now := k.p.Now()
	k.mu.Lock()
	m, there := k.by[r.Receiver+r.About]
	k.mu.Unlock()
	if there && !k.p.OneProcess && now.Sub(m.at) < remembered {
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
		m.health = webhooks.HealthOf(items[2])
		if k.p.OneProcess {
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

// standingOn are the items that a standing is made of: the access, its package, the receiver's health, and the receiver,
// which a systemUrl has none of.
func standingOn(r Row) []store.Key {
	if r.System() {
		return []store.Key{access.Key(r.Shop, r.About), access.PackageKey(r.Package), webhooks.HealthKey(r.Receiver)}
	}
	return []store.Key{access.Key(r.Shop, r.Access), access.PackageKey(r.Package), webhooks.HealthKey(r.Receiver),
		webhooks.ReceiverKey(r.Shop, r.Access, r.Receiver)}
}

// forget makes the next standing of the delivery's receiver be read anew.
func (k *known) forget(r Row) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.by, r.Receiver+r.About)
}

// versions of an access, its package and a receiver; "" of one that is gone. Health's is none of them.
func versions(items []*store.Item) (v [3]string) {
	for n, at := range []int{0, 1, 3} {
		if at < len(items) && items[at] != nil {
			v[n] = items[at].Version
		}
	}
	return v
}

// standingOf reads the items of standingOn.
func standingOf(items []*store.Item) (s standing, err error) {
	if s.access, err = parsed(items[0], access.Of); err != nil {
		return s, err
	}
	p, err := parsed(items[1], access.PackageOf)
	if err != nil {
		return s, err
	}
	if s.access != nil && p != nil {
		s.may = access.May(*s.access, *p)
	}
	s.health = webhooks.HealthOf(items[2])
	switch {
	case len(items) > 3:
		s.receiver, err = parsed(items[3], webhooks.Of)
	case p != nil:
		s.receiver = webhooks.System(*p)
	}
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
