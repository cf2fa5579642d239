package delivery

import (
	"context"
	"errors"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signingkey"
)

// Function is the delivery's function: bells in two queues trigger it.
var Function = host.Function{
	Name: "delivery",
	Doc:  "Makes the attempts to deliver webhooks.",
	Messages: &host.Messages{
		// Retries have a queue of their own, with few places, so that sick receivers never take those of healthy
		// ones. Its messages are handed over at once: steps of drains and replays are a second apart.
		//
		// A batch lasts as long as its slowest attempt. In batches of a hundred fewer calls wait for receivers, which
		// is worth the second that Lambda gathers them. The fresh queue has room for what a large platform tells on a
		// day's mean while every tenth of its receivers hangs (the guide's page on scale).
		From: []host.Queue{
			{Resource: host.Fresh, Visibility: visibility, MaxReceives: receives, Batch: 100, Window: time.Second,
				Parallel: 400, AlarmAfter: time.Minute},
			{Resource: host.Retry, Visibility: visibility, MaxReceives: receives, Batch: queue.MaxBatch,
				Parallel: 20, AlarmAfter: 15 * time.Minute},
		},
		Handler: func(p *host.Platform) func(context.Context, []queue.Received) []queue.Received {
			return newCourier(p).handle
		},
		Refill: Refill,
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		host.Admits(host.InstallCodes),
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Signing, Does: []host.Action{host.Open}},
	},
	Timeout: timeout,
	Memory:  1024, // with it comes the processor: half a core for the handshakes of a hundred attempts
}

// A message on loan, on both hosts.
const (
	// timeout is how long one batch of messages may take: its deliveries are taken for as long.
	timeout = webhook.Lease
	// visibility is how long a message is on loan: longer than its function may take, so that no message is handled
	// twice at once, and not much longer, because a message that failed comes back only then.
	visibility = 2 * timeout
	// receives is how often a message is received before it is a dead letter: the most that SQS allows, some fourteen
	// hours. On AWS nothing but its bell knows of a delivery that waits for its first attempt. The age of the oldest
	// message has an alarm.
	receives = 1000
)

const (
	// wholeAttempt is how long an attempt may take (contract, "Success and retries").
	wholeAttempt = 10 * time.Second
	// longestWait is how long an attempt waits for a slot at its receiver's host before it is put off.
	longestWait = 2 * time.Second
	// soon is how much later a bell rings again whose attempt found no turn, or no slot at the receiver's host.
	soon = time.Second
	// awayFor is how much later a bell rings again while the store is away: well within the 10 s by which an attempt
	// in the one process may be late.
	awayFor = 5 * time.Second
	// afterStop is how long an attempt in flight may go on once the host stops.
	afterStop = 8 * time.Second
	// slowWrites is how long it takes to write what an attempt says of its receiver, and its result, while each commit
	// takes two seconds and has another before it.
	slowWrites = 8 * time.Second
	// lastWrites is how long its result may then still be written. The host and Lambda wait for so much longer. At any
	// other time it may be written until the lease ends.
	lastWrites = 800 * time.Millisecond
)

// courier makes attempts, and takes the steps of drains and replays. One serves a whole process; what it remembers of
// receivers saves reads and writes, and may be lost at any time.
type courier struct {
	*host.Platform
	standings     *standings
	keys          *signingkey.Cache
	tally         tally
	slowReceivers slowReceivers
	lines         lines
	afterStop     time.Duration
}

// newCourier makes the courier of one process.
func newCourier(p *host.Platform) *courier {
	return &courier{Platform: p, standings: newStandings(p), keys: signingkey.NewCache(p.SigningKeys()),
		tally: newTally(), afterStop: afterStop}
}

// handle does what the messages ask for, all side by side, and returns those that must come again. An attempt that a
// receiver refused is not one of them: its next attempt has a message of its own.
func (c *courier) handle(ctx context.Context, messages []queue.Received) (failed []queue.Received) {
	attemptCtx, done := c.attemptContext(ctx)
	defer done()
	errs := guard.Each(ctx, len(messages), func(i int) error { // a panic is an error of its message alone
		var done bool
		if step, is := webhook.ParseStep(messages[i].Body); is {
			done = c.step(ctx, attemptCtx, step)
		} else if bell, is := webhook.ParseBell(messages[i].Body); is {
			done = c.bell(ctx, attemptCtx, bell)
		} else {
			c.Log.Error("a message that is no bell", "message", messages[i].ID)
			return nil
		}
		if !done {
			return errNotDone
		}
		return nil
	})
	for i, m := range messages {
		if errs[i] != nil {
			failed = append(failed, m)
		}
	}
	return failed
}

// errNotDone marks a message that must come again.
var errNotDone = errors.New("delivery: the message must come again")

// attemptContext is the context for attempts that have begun, which outlives ctx. On Lambda ctx has a deadline: the
// attempts end early enough before it to write their results. In the one process ctx ends when the host stops: the
// attempts may go on for afterStop.
func (c *courier) attemptContext(ctx context.Context) (context.Context, func()) {
	if end, limited := ctx.Deadline(); limited {
		return context.WithDeadline(context.WithoutCancel(ctx), end.Add(-lastWrites))
	}
	return outlivingContext(ctx, c.afterStop)
}

// writeContext is the context for writing an attempt's result until its lease ends, even when the attempt's ctx has
// ended: else an answer of 2xx would be forgotten, and the webhook sent again.
func writeContext(ctx context.Context, leaseEnds time.Time) (context.Context, func()) {
	longer, done := outlivingContext(ctx, lastWrites)
	bounded, cancel := context.WithDeadline(longer, leaseEnds)
	return bounded, func() { cancel(); done() }
}

// outlivingContext is a context that ends by d later than ctx.
func outlivingContext(ctx context.Context, d time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		guard.Wait(longer, d)
	})
	return longer, func() { stop(); cancel() }
}
