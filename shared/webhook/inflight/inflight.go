// Package inflight keeps what a process knows of the attempts at deliveries that it makes, beyond what the rows of
// these deliveries say: which deliveries are under way, whether the taker of a delivery is still at work, and how many
// attempts at one receiver may run at a time.
//
// # A tour
//
// A host makes one Process and hands it to everything that makes deliveries or attempts at them: Alone where one
// process has the whole platform, OneOfMany where others work beside it, as on AWS. This file says what both promise,
// and process_test.go is the suite that holds both to it. alone.go and many.go are the two. takers.go has what they
// share: the names of takers, and what is under way. lanes.go bounds the attempts at each receiver in the process that
// is alone.
//
// # Glossary
//
//   - take: to keep all others away from a delivery while an attempt is made. The taker writes its name into the row,
//     with a lease.
//   - slot: the right to take a delivery. A bell without one waits or is put off. On AWS there is always one, because
//     the concurrency of the queues bounds attempts.
//   - turn: the right to begin an attempt. An attempt that has a slot waits for its turn, which ends with the attempt.
//   - lane: the attempts at one receiver in the process that is alone. It has sixteen turns at a time, or two if the
//     receiver is suspect, and slots for these attempts and for those whose turn is near.
//   - suspect: a receiver whose last attempt failed or was slow. Its attempts must not take the places in the queues
//     that other receivers need.
//   - backlog: the bells that came to a lane while it had no slot. When slots become free, these bells are woken in the
//     order in which they came: each is sent through its queue once more.
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
