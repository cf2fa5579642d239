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

// Enter gives a bell a slot at its receiver, or says why it has none: an attempt of the delivery is under way, the bell
// waits in the backlog, or the backlog is full and the bell must come later.
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

// Backlog is how many bells wait in memory for a slot.
func (a *alone) Backlog() int {
	a.lanes.mu.Lock()
	defer a.lanes.mu.Unlock()
	return a.lanes.backlog
}

// Reserve claims a new row for its first attempt, in the write that makes the row: so the attempt needs no write to
// claim it.
func (a *alone) Reserve(row *store.Item, now time.Time) {
	webhook.Reserve(row, a.name+webhook.ReservedMark+a.number(), now)
}

// manyUsed is how many used reservations there may be before those are dropped that are over, which bounds the
// memory that they take.
const manyUsed = 4096

// UseReservation uses a reservation once, for whoever comes first. It forgets used ones that are over when there are
// many.
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

// ForgetReservation forgets a used reservation: its row has it no more, or no attempt came of it.
func (a *alone) ForgetReservation(delivery store.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.used, delivery)
}

// Abandoned holds of every claim. Whoever asks is at the delivery, and two of this process never are (Enter): so the
// claim was left by a process that is gone, by an attempt whose result could not be written, or it is a reservation
// that no attempt has used.
func (a *alone) Abandoned(row *store.Item) bool { return webhook.ClaimOf(row) != "" }

// CacheFor is 0: the one process reads what it may send for each attempt, so a change counts at once.
func (a *alone) CacheFor() time.Duration { return 0 }

// NotesSlow is false: the one process sees itself how long attempts take.
func (a *alone) NotesSlow() bool { return false }

// laneSlot is one in a lane.
type laneSlot struct {
	lanes   *lanes
	lane    *lane
	started bool
}

// Start waits for the slot's turn; false if ctx ends first.
func (s *laneSlot) Start(ctx context.Context) bool {
	s.started = s.lanes.start(ctx, s.lane)
	return s.started
}

// Leave gives the slot back, and returns the bells that may try now.
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
