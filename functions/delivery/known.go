package delivery

import (
	"context"
	"time"

	"eshop/shared/host"
	"eshop/shared/remember"
	"eshop/shared/signingkey"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// mostKnown bounds what is remembered.
const mostKnown = 10_000

// known finds what attempts depend on, and remembers it for as long as its process may.
type known struct {
	p    *host.Platform
	keys *signingkey.Cache
	by   remember.Last[string, remembered] // by receiver; of a systemUrl by the access, too
}

// remembered is a standing as it was read, and the items' versions, by which a later read knows that it still holds.
type remembered struct {
	webhook.Standing
	versions [3]string // of the receiver, the access and its package
	at       time.Time
}

func newKnown(p *host.Platform) *known {
	return &known{p: p, keys: signingkey.NewCache(p.SigningKeys()), by: remember.NewLast[string, remembered](mostKnown)}
}

// standing is what an attempt depends on. What is remembered never ends a delivery, nor parks it: it may be from before
// what allows it.
func (k *known) standing(ctx context.Context, r webhook.Row) (webhook.Standing, error) {
	now, fresh := k.p.Now(), k.p.Process.CacheFor()
	m, there := k.by.Get(r.Receiver + r.About)
	if there && now.Sub(m.at) < fresh && m.Refuses(r.Event, r.Test) == "" && !m.Holds(r) && !r.Probe {
		return m.Standing, nil
	}
	items, err := k.p.Main.Get(ctx, r.StandingOn()...)
	if err != nil {
		return webhook.Standing{}, err
	}
	if v := versions(items); there && v == m.versions {
		m.Health = webhook.HealthOf(items[3])
		if fresh == 0 { // the records are all that is used of it again
			return m.Standing, nil
		}
	} else if m.Standing, err = webhook.StandingOf(items); err != nil {
		return webhook.Standing{}, err
	} else {
		m.versions = v
	}
	m.at = now
	k.by.Set(r.Receiver+r.About, m)
	return m.Standing, nil
}

// forget makes the next standing of the delivery's receiver be read anew.
func (k *known) forget(r webhook.Row) { k.by.Forget(r.Receiver + r.About) }

// versions of a receiver, an access and its package; "" of one that is gone.
func versions(items []*store.Item) (v [3]string) {
	for n := range v {
		if items[n] != nil {
			v[n] = items[n].Version
		}
	}
	return v
}
