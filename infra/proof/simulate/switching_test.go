package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// switching is an add-on that switches its receiver off and on, again and again: what was told it and not attempted
// when it is off is cancelled, and nothing may wait for ever.
type switching struct {
	client *client
	path   string // of its receiver
}

// begin installs the add-on and registers its receiver, of which no model says what it must hear.
func (w *switching) begin(x *shop) {
	var path string
	w.client, path = x.install("switching", everything)
	x.operator.must("PATCH", path, fields{"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000}) // at the pace of Prove
	to := &receiver{sim: x.sim}
	to.address = x.sim.receives(to)
	w.path = w.client.registers(to.address)
}

// actor switches the receiver off and on for a minute.
func (w *switching) actor(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		for range 15 {
			if x.sim.calm() {
				w.client.ask("PATCH", w.path, fields{"active": false})
			}
			x.sim.rest(time.Duration(r.Int64N(int64(2 * time.Second))))
			w.client.ask("PATCH", w.path, fields{"active": true})
			x.sim.rest(time.Duration(r.Int64N(int64(2 * time.Second))))
		}
	}
}

// calm says whether no process was killed and no table refused a call of late. Who was killed between a write and its
// bell, or could not read back what was not answered, leaves the bell to the change, which comes again within minutes:
// only a receiver that is off by then is forgotten.
func (s *Sim) calm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	since := now.Add(-lateness)
	return !s.plan.lasts(since, now, refusing) &&
		!slices.ContainsFunc(s.crashes, func(at time.Time) bool { return at.After(since) })
}

// check returns an error if a delivery waits for an attempt that was due long ago, by the platform's clock.
func (w *switching) check(x *shop) error {
	x.sim.mu.Lock()
	due := time.Now().Add(x.sim.skew - time.Hour/2).UTC().Format("2006-01-02T15:04:05.000Z")
	x.sim.mu.Unlock()
	for _, d := range w.client.read("/api-engine/webhook-deliveries?state=waiting&itemsPerPage=250").list("items") {
		if at, _ := d["nextAttemptAt"].(string); at < due {
			return fmt.Errorf("a delivery waits for ever, with nobody to ring for it: %v", d)
		}
	}
	return nil
}
