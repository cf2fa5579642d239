package inflight

import (
	"context"
	"maps"
	"sync"
	"time"

	"eshop/shared/store"
	"eshop/shared/webhook"
)

// alone is the one process of its platform.
type alone struct {
	claims
	underWay
	lanes *lanes
	now   func() time.Time

	mu   sync.Mutex
	used map[store.Key]int64 // by deliveries whose reservation was used: when it is over, unix milliseconds
}

// Alone is the process of a platform that has one process at a time, under a name that no process before it had.
func Alone(name string, now func() time.Time) Process {
	return &alone{claims: claims{name: name}, lanes: newLanes(now), now: now, used: map[store.Key]int64{}}
}

func (a *alone) Enter(b webhook.Bell) (Slot, Verdict) {
	if !a.begin(b) {
		return nil, Verdict{UnderWay: true, Woken: a.lanes.passOn(b)}
	}
	l, later, inBacklog := a.lanes.enter(b)
	if l == nil {
		a.End(b)
		return nil, Verdict{InBacklog: inBacklog, Later: later}
	}
	return &laneSlot{lanes: a.lanes, lane: l}, Verdict{}
}

func (a *alone) Backlog() int {
	a.lanes.mu.Lock()
	defer a.lanes.mu.Unlock()
	return a.lanes.backlog
}

func (a *alone) Reserve(row *store.Item, now time.Time) {
	webhook.Reserve(row, a.name+webhook.ReservedMark+a.number(), now)
}

// manyUsed is how many used reservations there may be before those are dropped that are over, which bounds the
// memory that they take.
const manyUsed = 4096

func (a *alone) UseReservation(delivery store.Key, claim string) bool {
	if !a.reservation(claim) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, used := a.used[delivery]; used {
		return false
	}
	now := a.now()
	if len(a.used) >= manyUsed {
		maps.DeleteFunc(a.used, func(_ store.Key, over int64) bool { return over < now.UnixMilli() })
	}
	a.used[delivery] = now.Add(webhook.ReservedFor + webhook.Lease).UnixMilli()
	return true
}

func (a *alone) ForgetReservation(delivery store.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.used, delivery)
}

// Abandoned holds of every claim. Whoever asks is at the delivery, and two of this process never are (Enter): so the
// claim was left by a process that is gone, by an attempt whose result could not be written, or it is a reservation
// that no attempt has used.
func (a *alone) Abandoned(row *store.Item) bool { return webhook.ClaimOf(row) != "" }

func (a *alone) CacheFor() time.Duration { return 0 }

func (a *alone) NotesSlow() bool { return false }

// laneSlot is one in a lane.
type laneSlot struct {
	lanes   *lanes
	lane    *lane
	started bool
}

func (s *laneSlot) Start(ctx context.Context) bool {
	s.started = s.lanes.start(ctx, s.lane)
	return s.started
}

func (s *laneSlot) Leave(a Attempt) []webhook.Bell {
	switch {
	case !s.started:
	case a.Made:
		s.lanes.finish(s.lane, a.Took, a.Failed)
	default:
		s.lanes.giveBack(s.lane)
	}
	return s.lanes.leave(s.lane)
}
