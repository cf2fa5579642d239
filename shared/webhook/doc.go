// Package webhook is the webhooks of accesses: where they go (receivers), how each receiver does (health), the calls to
// them (deliveries), and what becomes of those that have to wait (drains) or go out again (replays). What is promised
// is in the contract, "Webhooks". What signs them is package signingkey's.
//
// # A tour
//
// Begin with receiver.go: what a receiver is, which events it takes, and when attempts may go to it. breaker.go has how
// it comes from one state into another, health.go what is counted to decide that, drain.go what follows for the
// deliveries that wait for it. system.go has the receiver that every package with a systemUrl has. items.go has the
// keys and shapes of all that is stored of them, hooks.go the one query that reads all receivers of a shop, lists.go
// the lists that owners page through.
//
// A delivery is a row of the pipeline table: rows.go has what it is and how it is stored; delivery.go what its owner
// sees of it; redelivery.go how one that has ended goes out once more (Redeliver). bells.go has the messages by which
// somebody looks at a row, take.go how a row is taken for an attempt, standing.go whether the attempt may be made,
// schedule.go when the next one is, outcome.go what an outcome makes of the row (Row.after, a pure function) and how
// that is stored (Conclude). release.go has what drains (drain.go) and replays (replay.go) share, which let deliveries
// go at a pace. figures.go is what is counted of them all, pipeline.go the table and the queues that commands need
// beside their unit of work.
//
// What comes in are commands: of receivers in commands.go (Register, Change, Delete, Enable, Ping, Test), of replays in
// replay.go (BeginReplay), of deliveries in redelivery.go (Redeliver). fields.go has what a client writes and sees of a
// receiver, and the rules for it. Pings and tests are notices that ride on a write of the receiver or its health, so
// that they are told if and only if that happened.
//
// Machines use the rest. The batcher asks who may hear of a change (ReadHooks, Standing.Queues) and makes the rows
// (NewRow, AddDueEntry). The delivery function takes them (Pipeline.Take), asks whether and where an attempt goes
// (StandingOf), writes down what became of it (Note, MarkVerified, EnterState, Pipeline.Conclude), and takes the steps
// of drains and replays. The sweeper rings for what is overdue (RingDue, RingStep). Whoever changes packages has their
// receivers follow: SystemOps.
//
// # What finds a delivery whose bell is lost
//
// A delivery that waits for another attempt has an entry in Index1 (DueRows), by which the sweeper finds it. One that
// waits for its first has none on AWS: it would cost two of six write units, and the index's partitions would bound how
// many webhooks the platform makes. The stream and SQS, which bring its bell, forget nothing:
//
//   - Where the batcher dies between the rows and their bells, the stream hands the batch over again. If a
//     change fails, it still rings for the rows that it has written: a change that fails each time ends as a dead
//     letter, and nobody else would ring.
//   - Where the delivery function dies in an attempt, or is not run at all (a version that cannot start, an account
//     without concurrency left), SQS hands the bell over again, a thousand times in half a day. What is a dead letter
//     then is redriven by hand.
//   - A bell that is early by a clock that is behind is put off, as long as it is the only one (freeIn).
//
// The queues of the one process forget all at its end, and drop what they have no room for (Refill): there the row has
// the entry from the start (AddDueEntry).
//
// # Glossary
//
//   - receiver: an address of an access, with the events that it takes. It is unverified until its address has answered
//     a ping with the nonce; after that enabled, failing or disabled.
//   - owner: whose receivers they are: an access, or a package for its systemUrl.
//   - verified, proven: verified is a receiver whose present address answered its ping; proven, one of which some
//     address ever did. Webhooks are queued for a proven one, and wait until it is verified.
//   - ping: the webhook with a nonce that proves an address.
//   - missing permission: one that a receiver's events need and its access lacks. Such events are silent.
//   - systemUrl: the address of a package, a receiver of no shop that needs no ping.
//   - health: what attempts said of a receiver, in an item of its own, so that traffic never moves the receiver's
//     version.
//   - window, bucket: the last five minutes of attempts, counted in pieces of half a minute.
//   - breaker: open while the receiver is failing. It opens when health says so, and closes by a probe or by hand.
//   - park: to keep a delivery without an attempt, because the breaker is open or a new address is not verified yet.
//   - withhold: not to send now, because the receiver takes nothing now: the delivery is parked, or exhausted.
//   - probe: one attempt of a parked delivery, to see whether the receiver is back.
//   - release: deliveries of a receiver that are let go at a pace: a drain or a replay. It is one item, which says what
//     is to be done next and when, and whose version is the lease on that.
//   - drain: the release of what is parked: a probe, letting some of it go, or its end.
//   - round: a walk of a drain over all that is parked for its receiver, by steps.
//   - replay: the release of what has ended, of a range, at a rate that its owner asks for.
//   - step: what a release does at one time, and the message that asks for it, which is worth nothing once the
//     release's version is another.
//   - delivery: one call to one receiver. It waits or is parked, and ends delivered, exhausted or cancelled.
//   - row: a delivery as it is stored, the truth about it; its data, when that is long, is an item that receivers
//     share.
//   - bell: the message that says which row to look at; worth nothing by itself, so one that comes twice does no harm.
//   - take, lease: who takes a row keeps all others away while it makes an attempt, until the lease ends. (A claim is
//     something else: of a unique name, see package record.)
package webhook
