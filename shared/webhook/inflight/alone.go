package inflight

import (
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// alone is the one process of its platform.
type alone struct {
	takers
	underWay
	lanes *lanes
}

// Alone is the process of a platform that has one process at a time, under a name that no process before it had.
func Alone(name string, now func() time.Time) Process {
	return &alone{takers: takers{name: name}, lanes: newLanes(now)}
}

// Backlog is how many bells wait in memory for a slot.
func (a *alone) Backlog() int {
	a.lanes.mu.Lock()
	defer a.lanes.mu.Unlock()
	return a.lanes.backlog
}

// Abandoned is true of every row with a taker. Whoever asks is at the delivery, and two of this process never are
// (Enter): so the taker is a process that is gone, or an attempt that could neither write its result nor give it back.
func (a *alone) Abandoned(row *store.Item) bool { return webhook.TakerOf(row) != "" }

// CacheFor is 0: the one process reads what it may send for each attempt, so a change counts at once.
func (a *alone) CacheFor() time.Duration { return 0 }

// NotesSlow is false: the one process sees itself how long attempts take.
func (a *alone) NotesSlow() bool { return false }
