package inflight

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/shared/webhook"
)

// How many turns one receiver has in the one process, which bound its attempts in flight: fewer when it is suspect,
// because its last attempt failed or was slow, so that the sick never hold up the healthy.
const (
	healthyTurns = 16
	suspectTurns = 2
)

// MaxWait is the longest that a taken delivery waits for its turn, well within its lease.
const MaxWait = 3 * time.Second

const (
	takeAhead = time.Second           // a delivery is taken when its turn is expected to come within this time
	fullDelay = 10 * time.Second      // how long a bell is put off when the backlog is full
	firstMean = 20 * time.Millisecond // how long an attempt at a receiver is expected to take before one was made
)

// maxBacklog is how many bells wait in all lanes: some 10 MB of them.
const maxBacklog = 50_000

// maxAhead is how many deliveries of one receiver are taken ahead of those in flight: enough for a fast one, few
// enough that one that hangs leaves the workers of the process's queues to the others.
const maxAhead = 112

// lanes hold the receivers' attempts within their bounds.
type lanes struct {
	now     func() time.Time
	mu      sync.Mutex
	of      map[string]*lane
	backlog int // bells in all lanes
}

// lane is one receiver's attempts in this process. Bells for which it has no slot wait in its backlog, and are woken as
// slots become free, those that came first first, however many come meanwhile: so a receiver that was slow and is well
// again is called as fast as it answers, and none of its deliveries is passed by again and again.
type lane struct {
	admitted int             // taken or about to be, running ones included
	running  int             // attempts in flight
	waiting  []chan struct{} // admitted and waiting for a turn, the longest first
	suspect  bool
	mean     time.Duration  // of an attempt, the latest counting most
	moved    time.Time      // when an attempt last began or ended
	backlog  []webhook.Bell // the longest first; while there are any, some are admitted or woken
	woken    int            // bells of the backlog that are on their way through the queue, to slots that are theirs
	wokenAt  time.Time      // when the latest was woken
}

// manyLanes is how many lanes there may be before the idle ones are dropped, of receivers that nothing is sent to now.
const manyLanes = 4096

// newLanes is without any lane: a receiver's lane comes with its first bell.
func newLanes(now func() time.Time) *lanes { return &lanes{now: now, of: map[string]*lane{}} }

// Enter gives a bell a slot at its receiver, or says why it has none: an attempt at the delivery is under way; the
// receiver is suspect, so that the bell must ring in the retry queue and take no place of the fresh one; the lane has
// no slot, so that the bell waits in its backlog; or that is full, so that the bell must come later.
func (a *alone) Enter(b webhook.Bell) (Slot, Verdict) {
	if !a.begin(b) {
		return nil, Verdict{UnderWay: true, Woken: a.lanes.passOn(b)}
	}
	ls := a.lanes
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.of[b.Receiver]
	if l == nil {
		l = &lane{mean: firstMean}
		ls.dropIdle()
		ls.of[b.Receiver] = l
	}
	now := ls.now()
	l.dropLostWakes(now)
	promised := l.woken
	if b.Woken {
		l.woken, promised = max(0, l.woken-1), 0
	}
	room := l.hasRoom(l.admitted+promised, now)
	if room && (b.Retry || !l.suspect) {
		l.admitted++
		return &laneSlot{lanes: ls, lane: l}, Verdict{}
	}
	a.End(b)
	switch {
	case room:
		return nil, Verdict{}
	case ls.backlog >= maxBacklog:
		return nil, Verdict{Later: fullDelay}
	case b.Woken: // it was first before
		l.backlog = slices.Insert(l.backlog, 0, b)
	default:
		l.backlog = append(l.backlog, b)
	}
	ls.backlog++
	return nil, Verdict{InBacklog: true}
}

// hasRoom says whether one more may be admitted than so many: those ahead of the turns are taken already while they
// wait, which is in vain while the lane is stuck.
func (l *lane) hasRoom(admitted int, now time.Time) bool {
	turns := l.turns()
	ahead := admitted - turns + 1
	wait := time.Duration(ahead) * l.mean / time.Duration(turns)
	stuck := l.running >= turns && now.Sub(l.moved) > takeAhead // all turns are of attempts that do not end
	return ahead <= 0 || !l.suspect && !stuck && ahead <= maxAhead && wait <= takeAhead
}

// laneSlot is one in a lane.
type laneSlot struct {
	lanes   *lanes
	lane    *lane
	hasTurn bool
}

// Start waits for the slot's turn; false when none came in time or ctx has ended. Then Leave gives back a turn that
// came all the same.
func (s *laneSlot) Start(ctx context.Context) bool {
	ls, l := s.lanes, s.lane
	ls.mu.Lock()
	if l.running < l.turns() && len(l.waiting) == 0 {
		l.running++
		l.moved = ls.now()
		ls.mu.Unlock()
		s.hasTurn = true
		return ctx.Err() == nil
	}
	turn := make(chan struct{}, 1)
	l.waiting = append(l.waiting, turn)
	ls.mu.Unlock()
	timer := time.NewTimer(MaxWait)
	defer timer.Stop()
	select {
	case <-turn:
		s.hasTurn = true
		return ctx.Err() == nil
	case <-timer.C:
	case <-ctx.Done():
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if n := slices.Index(l.waiting, turn); n >= 0 {
		l.waiting = slices.Delete(l.waiting, n, n+1)
	} else { // the turn came meanwhile
		s.hasTurn = true
	}
	return false
}

// Leave gives the slot and its turn back, and returns the bells that may try now.
func (s *laneSlot) Leave(a Attempt) (woken []webhook.Bell) {
	ls, l := s.lanes, s.lane
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if s.hasTurn {
		l.endTurn(a, ls.now())
	}
	l.admitted--
	return ls.wake(l)
}

// endTurn ends a turn, and gives free ones to those that wait. Of an attempt that was made the lane learns how the
// receiver does.
func (l *lane) endTurn(a Attempt, now time.Time) {
	l.running--
	if a.Made {
		l.moved = now
		l.mean += (a.Took - l.mean) / 8
		l.suspect = a.Failed || a.Took > Slow
	}
	for l.running < l.turns() && len(l.waiting) > 0 {
		l.waiting[0] <- struct{}{}
		l.waiting = l.waiting[1:]
		l.running++
	}
}

// passOn is for a woken bell that needs no slot after all: it goes to the next.
func (ls *lanes) passOn(b webhook.Bell) (woken []webhook.Bell) {
	if !b.Woken {
		return nil
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.of[b.Receiver]
	if l == nil {
		return nil
	}
	l.woken = max(0, l.woken-1)
	return ls.wake(l)
}

// wake wakes the bells that there is room for now.
func (ls *lanes) wake(l *lane) (woken []webhook.Bell) {
	now := ls.now()
	l.dropLostWakes(now)
	n := 0
	for n < len(l.backlog) && l.hasRoom(l.admitted+l.woken, now) {
		l.backlog[n].Retry, l.backlog[n].Woken = l.backlog[n].Retry || l.suspect, true
		l.woken, l.wokenAt = l.woken+1, now
		n++
	}
	woken, l.backlog = l.backlog[:n:n], l.backlog[n:]
	ls.backlog -= n
	return woken
}

// turns is how many attempts at the receiver may be under way at once: few if it is suspect.
func (l *lane) turns() int {
	if l.suspect {
		return suspectTurns
	}
	return healthyTurns
}

// dropLostWakes gives up on woken bells that have not come by now: a full queue has dropped them.
func (l *lane) dropLostWakes(now time.Time) {
	if now.Sub(l.wokenAt) > MaxWait {
		l.woken = 0
	}
}

// dropIdle forgets idle lanes when there are many.
func (ls *lanes) dropIdle() {
	if len(ls.of) < manyLanes {
		return
	}
	for k, l := range ls.of {
		if l.admitted == 0 && l.woken == 0 && len(l.backlog) == 0 {
			delete(ls.of, k)
		}
	}
}
