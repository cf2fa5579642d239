package delivery

import (
	"context"
	"time"

	"eshop/shared/base/remember"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// maxRemembered bounds of how many receivers a process remembers something.
const maxRemembered = 10_000

// standings reads what attempts depend on: receiver, access, package and health. It remembers that for as long as the
// process may (CacheFor): ten seconds on AWS, which spares a busy receiver most reads, and no time in the one process,
// where reads cost little.
type standings struct {
	p  *host.Platform
	by remember.Last[string, remembered] // by receiver; of a systemUrl by the access, too
}

// remembered is a standing as it was read, and the versions of its items: while these are the same, a later read need
// not parse the items again.
type remembered struct {
	webhook.Standing
	versions [3]string // of the receiver, the access and its package
	at       time.Time
}

func newStandings(p *host.Platform) *standings {
	return &standings{p: p, by: remember.NewLast[string, remembered](maxRemembered)}
}

// judge says whether the attempt that the bell rings for goes out, and else what becomes of the delivery. What is
// remembered may allow an attempt, but never ends or parks a delivery: it may be older than the change that allows it.
func (s *standings) judge(ctx context.Context, r webhook.Row, b webhook.Bell) (did outcome, goes bool, err error) {
	now, fresh := s.p.Now(), s.p.Process.CacheFor()
	m, there := s.by.Get(r.Receiver + r.About)
	if there && now.Sub(m.at) < fresh && !b.Probe {
		if did.Outcome, goes = m.Judge(r, b, now); goes {
			did.Standing = m.Standing
			return did, true, nil
		}
	}
	items, err := s.p.Main.Get(ctx, r.StandingKeys()...)
	if err != nil {
		return outcome{}, false, err
	}
	if v := versions(items); there && v == m.versions {
		m.Health = webhook.HealthOf(items[3])
	} else if m.Standing, err = webhook.StandingOf(items); err != nil {
		return outcome{}, false, err
	} else {
		m.versions = v
	}
	m.at = now
	s.by.Set(r.Receiver+r.About, m)
	did.Standing = m.Standing
	did.Outcome, goes = m.Judge(r, b, s.p.Now())
	return did, goes, nil
}

// forget drops what is remembered of the delivery's receiver, after a change of it or of its health.
func (s *standings) forget(r webhook.Row) { s.by.Forget(r.Receiver + r.About) }

// versions returns the versions of a receiver, its access and its package; "" for an item that is gone.
func versions(items []*store.Item) (v [3]string) {
	for n := range v {
		if items[n] != nil {
			v[n] = items[n].Version
		}
	}
	return v
}
