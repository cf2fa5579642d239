// Package inflight is what a process knows of the attempts at deliveries that are made in it, beyond what their rows
// say: which deliveries are under way, which of those that are taken somebody is still at, how many attempts a receiver
// may have at a time.
//
// # A tour
//
// A host makes one Process and hands it to everything that makes deliveries or attempts at them: Alone where one
// process has the whole platform, OneOfMany where others work beside it, as on AWS. This file has what is promised of
// both, and process_test.go the suite that holds both to it. alone.go and many.go are the two; takers.go has what
// they share: how a taker is named, and what is under way. lanes.go has the slots and turns of a receiver's
// attempts in the process that is alone.
//
// # Glossary
//
//   - take: to keep all others away from a delivery while an attempt is made. The name of who does so, the taker, is
//     written into the row with a lease.
//   - slot: what a bell needs for its delivery to be taken. On AWS the queues' concurrency bounds attempts: there
//     always is one.
//   - turn: what an attempt that has a slot waits for, to begin; it ends with the attempt.
//   - lane: one receiver's attempts in the process that is alone: sixteen turns at a time, two of a suspect one, and
//     slots for these and for those whose turn is near.
//   - suspect: a receiver whose last attempt failed or was slow. Its attempts must not take the queues' places from
//     others'.
//   - backlog: the bells of a lane that came when it had no slot. They are woken, which is sent through their queue
//     once more, as slots become free, those that came first first.
package inflight

import (
	"context"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// Process is one of those that make attempts at deliveries. It is safe for concurrent use.
type Process interface {
	// Enter asks for a slot for the bell's delivery. Without one (nil), the verdict says what to do with the bell.
	// Whoever has one leaves it, and then ends what is under way.
	Enter(b webhook.Bell) (Slot, Verdict)
	// End says that the bell's delivery is not under way in this process any more: its result is written down, or
	// none is.
	End(b webhook.Bell)
	// Backlog is how many bells wait in this process for a slot.
	Backlog() int

	// NewTaker is a name for a taker that nobody else has.
	NewTaker() string
	// Abandoned says whether the taker in the delivery's row is at it no more, although the lease has not ended.
	// Only who has entered the delivery may ask.
	Abandoned(row *store.Item) bool

	// CacheFor is how long what attempts depend on may be remembered; 0: what changes about it counts at once.
	CacheFor() time.Duration
	// NotesSlow says whether a receiver at which an attempt takes long must be noted as slow for other processes to
	// know.
	NotesSlow() bool
}

// Slot is the right to make one attempt.
type Slot interface {
	// Start waits for the attempt's turn; false when none came in time, or ctx has ended.
	Start(ctx context.Context) bool
	// Leave gives the slot up and says what became of the attempt. The bells that it returns are woken: they have a
	// slot now, and must be sent into their queues again.
	Leave(Attempt) []webhook.Bell
}

// Attempt is what became of one; the zero Attempt is one that was not made.
type Attempt struct {
	Made   bool
	Took   time.Duration
	Failed bool
}

// Verdict is what is to be done with a bell that has no slot.
type Verdict struct {
	UnderWay  bool           // the delivery is under way in this process
	InBacklog bool           // the bell is in the backlog, and is woken when there is a slot
	Later     time.Duration  // else: how much later it shall ring in the retry queue
	Woken     []webhook.Bell // bells that have the slot now that this one does not need
}

// Slow is how long an attempt takes whose receiver is suspect for it.
const Slow = 2 * time.Second
