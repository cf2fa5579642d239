// Package delivery makes the attempts at deliveries: it takes a delivery, asks once more whether it may be sent, signs
// and posts it, and writes down what became of it. The row is the truth, the message only a bell: messages that come
// twice, late or not at all cannot double or lose a call.
//
// # A tour
//
// Read attempt.go first: it is an attempt's life, from its bell to its written result, top to bottom. What a result
// makes of a delivery is one table in webhook's outcome.go. The rest of an attempt is ways to end early.
//
// Messages come from two queues, one for first attempts and one for all others. delivery.go has the function and tells
// the messages apart: a bell asks for an attempt at a delivery, a step for the next part of a drain or a replay.
//
//   - Around an attempt: request.go makes what it sends, standings.go judges whether it goes out, slow.go notes
//     a receiver that keeps it waiting, health.go writes down what it says of its receiver, tally.go counts successes
//     until they are written, log.go writes its line, figures.go counts it for the host's metrics.
//   - Steps: release.go begins them all. drain.go has the steps of drains, probe.go the one that probes, replay.go the
//     steps of replays.
//   - refill.go rings for everything that waits when a queue has forgotten its messages.
//
// Calls to receivers go out, results go into the rows, and bells for the next attempts into the queues. The rules are
// webhook's: what may be sent, when the next attempt is, what a result makes of a row. inflight has what a process
// knows beyond the rows: slots and takers. The words are those of these two packages' glossaries.
//
// # Promises
//
//   - An answer of 2xx that was received is never sent again (contract, "How a delivery ends"). Its result is written
//     even while the host stops, and the write is repeated until the store is available or the lease ends.
//   - An attempt that was cut counts as not made: it comes again under the same number.
//   - After a change of access or receiver was answered, no attempt begins that the change forbids: at once in the one
//     process, within 30 s on AWS.
//   - One receiver that hangs takes no other receiver's turn: it has slots of its own, and the retry queue when it is
//     suspect.
package delivery
