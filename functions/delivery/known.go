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
	by   map[string]remembering // by receiver; nil in the one process
}

type remembering struct {
	standing
	at time.Time
}

func newKnown(p *host.Platform) *known {
	k := &known{p: p, keys: webhooks.NewKeyring(p)}
	if !p.OneProcess {
		k.by = map[string]remembering{}
	}
	return k
}

// standing is what an attempt depends on.
func (k *known) standing(ctx context.Context, r Row) (standing, error) {
	if k.by == nil {
		return k.read(ctx, r)
	}
	now := k.p.Now()
	k.mu.Lock()
	m, there := k.by[r.Receiver]
	k.mu.Unlock()
	if there && now.Sub(m.at) < remembered {
		return m.standing, nil
	}
	s, err := k.read(ctx, r)
	if err != nil {
		return s, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.by) >= mostKnown {
		clear(k.by)
	}
	k.by[r.Receiver] = remembering{s, now}
	return s, nil
}

// forget makes the next standing of the receiver be read anew.
func (k *known) forget(receiver string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.by, receiver)
}

func (k *known) read(ctx context.Context, r Row) (s standing, err error) {
	items, err := k.p.Main.Get(ctx, webhooks.ReceiverKey(r.Shop, r.Access, r.Receiver), access.Key(r.Shop, r.Access),
		access.PackageKey(r.Package), webhooks.HealthKey(r.Receiver))
	if err != nil {
		return s, err
	}
	if s.receiver, err = parsed(items[0], webhooks.Of); err != nil {
		return s, err
	}
	if s.access, err = parsed(items[1], access.Of); err != nil {
		return s, err
	}
	p, err := parsed(items[2], access.PackageOf)
	if s.access != nil && p != nil {
		s.may = access.May(*s.access, *p)
	}
	s.health = webhooks.HealthOf(items[3])
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
