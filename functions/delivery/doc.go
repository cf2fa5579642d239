// Package delivery makes the attempts at deliveries: it claims one, asks once more whether it may go, signs and posts
// it, and writes down what became of it (architecture, "The webhook pipeline"). The row is the truth, the message a
// bell: messages that come twice, late or not at all cannot double or lose a call.
//
// # A tour
//
// What comes in are messages of two queues, of first attempts and of all others. delivery.go has the function and tells
// the messages apart: bells of deliveries, and steps of what is let go at a pace. attempt.go is an attempt's life, from
// its bell to its written result; it is the file to read first. request.go makes what an attempt sends, standings.go
// finds what it depends on, health.go writes down what it says of its receiver, slow.go notes a receiver that keeps an
// attempt waiting, tally.go counts successes until they are written down, figures.go counts for the host's metrics,
// log.go writes a line of each attempt that was made. release.go begins the steps of what is let go at a pace: drain.go
// takes those of drains, probe.go that which probes, replay.go those of replays. refill.go rings for what waits when a
// queue has forgotten.
//
// What goes out are calls to receivers, results in the rows, and bells for the next attempts. The rules are the noun's
// (webhook): what may be sent, when the next attempt is, what a result makes of a row. What a process knows beyond the
// rows, slots and claims, is inflight's. The words are those of webhook's glossary and of inflight's.
package delivery
