package inflight

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/shared/webhook"
)

// How many attempts of one receiver are in flight in the one process: fewer when it is suspect, because its last
// attempt failed or was slow, so that the sick never hold up the healthy.
const (
	healthyLane = 16
	suspectLane = 2
)

// Patience is the longest that a claimed delivery waits for its turn, well within its lease.
const Patience = 3 * time.Second

const (
	claimAhead = time.Second           // a delivery is claimed when its turn is expected to come within this time
	farthest   = 10 * time.Second      // how long a bell is put off that no lane has room to keep
	guess      = 20 * time.Millisecond // how long an attempt is thought to take before one was made
)

// mostKept is how many bells the lanes keep in all: some 10 MB of them.
const mostKept = 50_000

// unstarted is how many deliveries of one receiver are claimed ahead of those in flight: enough for a fast one, few
// enough that one that hangs leaves the process's places to the others.
const unstarted = 112

// lanes hold the receivers' attempts within their bounds.
type lanes struct {
	now  func() time.Time
	mu   sync.Mutex
	of   map[string]*lane
	kept int // bells in all lanes
}

// lane is one receiver's attempts in this process. Bells for which it has no place it keeps, and calls them as places
// become free, those that came first first, however many come meanwhile: so a receiver that was slow and is well
// again is called as fast as it answers, and none of its deliveries is passed by again and again.
type lane struct {
	admitted int             // claimed or about to be, running ones included
	running  int             // attempts in flight
	waiting  []chan struct{} // admitted and waiting for a place, the longest first
	suspect  bool
	mean     time.Duration  // of an attempt, the latest counting most
	moved    time.Time      // when an attempt last began or ended
	kept     []webhook.Bell // the longest first; while there are any, some are admitted or called
	called   int            // bells that were kept and are on their way through the queue, to places that are theirs
	since    time.Time      // when the latest was called
}

// forgotten is how many lanes there may be before the idle ones are dropped.
const forgotten = 4096

func newLanes(now func() time.Time) *lanes { return &lanes{now: now, of: map[string]*lane{}} }

// enter admits an attempt at the receiver, or keeps its bell, or says how much later the bell should ring in the retry
// queue: at once when the receiver is suspect, so that it holds no place of the fresh ones.
func (ls *lanes) enter(b webhook.Bell) (l *lane, later time.Duration, kept bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l = ls.of[b.Receiver]
	if l == nil {
		l = &lane{mean: guess}
		ls.drop()
		ls.of[b.Receiver] = l
	}
	now := ls.now()
	l.dropLostCalls(now)
	promised := l.called
	if b.Called {
		l.called, promised = max(0, l.called-1), 0
	}
	switch {
	case !l.room(l.admitted+promised, now):
		return nil, farthest, ls.keep(l, b)
	case l.suspect && !b.Retry:
		return nil, 0, false
	}
	l.admitted++
	return l, 0, false
}

// keep is false when there are too many already.
func (ls *lanes) keep(l *lane, b webhook.Bell) bool {
	if ls.kept >= mostKept {
		return false
	}
	ls.kept++
	if b.Called { // it was first before
		l.kept = slices.Insert(l.kept, 0, b)
	} else {
		l.kept = append(l.kept, b)
	}
	return true
}

// dropLostCalls gives up on called bells that have not come by now: a full queue has dropped them.
func (l *lane) dropLostCalls(now time.Time) {
	if now.Sub(l.since) > Patience {
		l.called = 0
	}
}

// room says whether one more may be admitted than so many: those ahead of the places are claimed already while they
// wait, which is in vain while the lane is stuck.
func (l *lane) room(admitted int, now time.Time) bool {
	ahead := admitted - l.places() + 1
	return ahead <= 0 || !l.suspect && !l.stuck(now) && ahead <= unstarted && l.wait(ahead) <= claimAhead
}

// stuck says whether all places are taken by attempts that do not end.
func (l *lane) stuck(now time.Time) bool {
	return l.running >= l.places() && now.Sub(l.moved) > claimAhead
}

// drop forgets idle lanes when there are many.
func (ls *lanes) drop() {
	if len(ls.of) < forgotten {
		return
	}
	for k, l := range ls.of {
		if l.admitted == 0 && l.called == 0 && len(l.kept) == 0 {
			delete(ls.of, k)
		}
	}
}

func (l *lane) places() int {
	if l.suspect {
		return suspectLane
	}
	return healthyLane
}

// wait is how long n attempts take the lane.
func (l *lane) wait(n int) time.Duration {
	return time.Duration(n) * l.mean / time.Duration(l.places())
}

// start waits for a place; false when none came in time or ctx ended.
func (ls *lanes) start(ctx context.Context, l *lane) bool {
	ls.mu.Lock()
	if l.running < l.places() && len(l.waiting) == 0 {
		l.running++
		l.moved = ls.now()
		ls.mu.Unlock()
		return ls.keeps(ctx, l)
	}
	turn := make(chan struct{}, 1)
	l.waiting = append(l.waiting, turn)
	ls.mu.Unlock()
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	select {
	case <-turn:
		return ls.keeps(ctx, l)
	case <-timer.C:
	case <-ctx.Done():
	}
	if !ls.withdraw(l, turn) { // the turn came meanwhile
		ls.back(l)
	}
	return false
}

// keeps says whether the place that was got is used: it goes back when ctx has ended.
func (ls *lanes) keeps(ctx context.Context, l *lane) bool {
	if ctx.Err() == nil {
		return true
	}
	ls.back(l)
	return false
}

// back gives the place back that is not needed: it goes to the next that waits.
func (ls *lanes) back(l *lane) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.running--
	l.next()
}

// withdraw stops waiting for a turn; false when it has come.
func (ls *lanes) withdraw(l *lane, turn chan struct{}) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	n := slices.Index(l.waiting, turn)
	if n < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, n, n+1)
	return true
}

// finish frees the place of an attempt that took so long.
func (ls *lanes) finish(l *lane, took time.Duration, failed bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.running--
	l.moved = ls.now()
	l.mean += (took - l.mean) / 8
	l.suspect = failed || took > Slow
	l.next()
}

// next gives free places to those that wait.
func (l *lane) next() {
	for l.running < l.places() && len(l.waiting) > 0 {
		l.waiting[0] <- struct{}{}
		l.waiting = l.waiting[1:]
		l.running++
	}
}

// leave ends what enter began, and calls the bells that there is room for now.
func (ls *lanes) leave(l *lane) (called []webhook.Bell) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.admitted--
	return ls.call(l)
}

// refuse is for a called bell that needs no place after all: it goes to the next.
func (ls *lanes) refuse(b webhook.Bell) (called []webhook.Bell) {
	if !b.Called {
		return nil
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.of[b.Receiver]
	if l == nil {
		return nil
	}
	l.called = max(0, l.called-1)
	return ls.call(l)
}

// call calls the bells that there is room for now.
func (ls *lanes) call(l *lane) (called []webhook.Bell) {
	now := ls.now()
	l.dropLostCalls(now)
	n := 0
	for n < len(l.kept) && l.room(l.admitted+l.called, now) {
		l.kept[n].Retry, l.kept[n].Called = l.kept[n].Retry || l.suspect, true
		l.called, l.since = l.called+1, now
		n++
	}
	called, l.kept = l.kept[:n:n], l.kept[n:]
	ls.kept -= n
	return called
}
