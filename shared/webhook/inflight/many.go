package inflight

import (
	"context"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// many is one of many processes.
type many struct {
	takers
	underWay
}

// OneOfMany is a process beside others, under a name that no other one ever has. The queues' concurrency bounds its
// attempts, and a delivery that it has not taken may be anybody's.
func OneOfMany(name string) Process { return &many{takers: takers{name: name}} }

// Enter lets every bell in whose delivery is not under way in this process: on AWS the queue's concurrency is the
// bound.
func (m *many) Enter(b webhook.Bell) (Slot, Verdict) {
	if !m.begin(b) {
		return nil, Verdict{UnderWay: true}
	}
	return unbounded{}, Verdict{}
}

// Backlog is 0: bells wait in SQS.
func (m *many) Backlog() int { return 0 }

// Abandoned is false: another process may be at work on it until the lease ends.
func (m *many) Abandoned(*store.Item) bool { return false }

// CacheFor is less than the 30 s in which a change must count (contract, "Who is told").
func (m *many) CacheFor() time.Duration { return 10 * time.Second }

// NotesSlow is true: only what is written down tells the other processes.
func (m *many) NotesSlow() bool { return true }

// unbounded is a slot of which there are as many as the queues' concurrency lets come.
type unbounded struct{}

// Start needs to wait for no turn.
func (unbounded) Start(ctx context.Context) bool { return ctx.Err() == nil }

// Leave wakes nobody.
func (unbounded) Leave(Attempt) []webhook.Bell { return nil }
