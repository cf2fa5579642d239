package webhook

import (
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/ports/store"
)

// Standing is what decides whether a call is queued and an attempt made, as it is now.
type Standing struct {
	Receiver *Receiver               // nil: deleted
	Access   *addon.Access           // the delivery's, or the one that a systemUrl is told of; nil: gone
	May      []permission.Permission // the permissions of the access that its package has, too
	Health   Health
}

// StandingKeys are the keys of the items that StandingOf reads for the delivery.
func (r Row) StandingKeys() []store.Key {
	receiver, acc := ReceiverKey(r.Shop, r.Access, r.Receiver), r.Access
	if r.System() {
		receiver, acc = SystemKey(r.Package), r.About
	}
	return []store.Key{receiver, addon.Key(r.Shop, acc), addon.PackageKey(r.Package), HealthKey(r.Receiver)}
}

// StandingOf reads the items of StandingKeys.
func StandingOf(items []*store.Item) (standing Standing, err error) {
	if standing.Receiver, err = parsed(items[0], ReceiverOf); err != nil {
		return standing, err
	}
	if standing.Access, err = parsed(items[1], addon.DecodeAccess); err != nil {
		return standing, err
	}
	p, err := parsed(items[2], addon.PackageOf)
	if standing.Access != nil && p != nil {
		standing.May = addon.EffectivePermissions(*standing.Access, *p)
	}
	standing.Health = HealthOf(items[3])
	return standing, err
}

// parsed reads an item, nil when there is none.
func parsed[T any](i *store.Item, of func(*store.Item) (T, error)) (*T, error) {
	if i == nil {
		return nil, nil
	}
	v, err := of(i)
	return &v, err
}

// Judge says whether the attempt that a bell rings for goes out now. When none does, the outcome says what becomes of
// the delivery: it is cancelled, parked, or exhausted because its receiver was given up. It waits for its receiver
// while the breaker is open, and until the ping that proves a new address. A delivery that was asked for, and a test,
// go past an open breaker, if the address is verified; a probe goes through it.
func (s Standing) Judge(r Row, b Bell, now time.Time) (did Outcome, goes bool) {
	did = Outcome{Cancelled: s.Refuses(r.Event), LetGo: b.Parked && !b.Probe, End: now}
	if r.Test { // it needs what a ping needs, and an active receiver as well
		if did.Cancelled = s.Refuses(events.Ping); did.Cancelled == "" && !s.Receiver.Active {
			did.Cancelled = ReceiverInactive
		}
	}
	if did.Cancelled != "" {
		return did, false
	}
	did.Probed = b.Probe && s.Receiver.State == Failing && s.Receiver.Verified
	goes = r.Event == events.Ping || did.Probed || s.Receiver.Reachable()
	if r.Test || r.Asked {
		goes = s.Receiver.Active && s.Receiver.Verified
	}
	if !goes {
		did.Withheld = Parked
		if s.Receiver.GivenUp(now) {
			did.Withheld = Exhausted
		}
	}
	return did, goes
}

// Refuses returns the reason why no attempt at a call of the event may be made, "" when one may (contract, "Who is
// told"). A ping needs its receiver and an active access.
func (s Standing) Refuses(event events.Name) (reason string) {
	needs := event.Needs()
	switch {
	case s.Receiver == nil || s.Access == nil && !s.heardGone(event):
		return ReceiverDeleted
	case s.Access != nil && s.Access.State != addon.Active && !s.heardInactive(event):
		return PackageInactive
	case event == events.Ping:
		return ""
	case !s.Receiver.Active:
		return ReceiverInactive
	case !event.Mandatory() && !slices.Contains(s.Receiver.Events, event):
		return Unsubscribed
	case needs != "" && !slices.Contains(s.May, needs):
		return PermissionGone
	}
	return ""
}

// Queues says whether a call of the event is queued for the receiver: an attempt may be made, and some address of the
// receiver was proven. A ping needs an active access only, because whoever asked for it looks among the deliveries for
// what became of it.
func (s Standing) Queues(e events.Name) bool {
	return s.Refuses(e) == "" && (e == events.Ping || s.Receiver.Proven)
}

// QueuesNotice is Queues for a notice: a test is queued as a ping is.
func (s Standing) QueuesNotice(n events.Notice) bool {
	if n.Test {
		return s.Queues(events.Ping)
	}
	return s.Queues(n.Event)
}

// heardInactive says whether the event is told although its access is not active: packageDeactivate is, and a systemUrl
// hears packageOpenInstructions and of receivers in every state.
func (s Standing) heardInactive(e events.Name) bool {
	ofVendor := e == events.PackageOpenInstructions || slices.Contains(events.Operational, e)
	return e == events.PackageDeactivate || s.Receiver.System() && ofVendor
}

// heardGone says whether the event is told although its access is gone: a systemUrl hears of the deactivation that went
// before.
func (s Standing) heardGone(e events.Name) bool {
	return e == events.PackageDeactivate && s.Receiver.System()
}

// Replays says whether a replay goes on: the breaker is closed, and attempts may be made.
func (s Standing) Replays() bool {
	return s.Refuses(events.Ping) == "" && s.Receiver.Reachable()
}
