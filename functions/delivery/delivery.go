package delivery

import (
	"context"
	"errors"
	"time"

	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/signingkey"
	"eshop/shared/webhook"
)

// Function is the delivery's place in THE list.
var Function = host.Function{
	Name: "delivery",
	Doc:  "Makes the attempts to deliver webhooks.",
	Messages: &host.Messages{
		// Retries have a queue with few places of its own, so that sick receivers never take the healthy ones'. The
		// other has room for what 100 changes a second bring to two receivers that hang, in the two seconds until
		// that is known (inflight.Slow): with less room the healthy ones would wait behind them.
		From: []host.Queue{
			{Resource: host.Fresh, Visibility: visibility, MaxReceives: receives, Parallel: 400,
				AlarmAfter: time.Minute},
			{Resource: host.Retry, Visibility: visibility, MaxReceives: receives, Parallel: 20,
				AlarmAfter: 15 * time.Minute},
		},
		Batch: 10, // SQS's most
		Handler: func(p *host.Platform) func(context.Context, []queue.Received) []queue.Received {
			return newCourier(p).handle
		},
		Refill: Refill,
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Signing, Does: []host.Action{host.Open}},
	},
	Timeout: timeout,
	Memory:  512,
}

// A message on loan, on both hosts.
const (
	// timeout is how long one batch of bells may take: so long its claims keep others away.
	timeout = webhook.Lease
	// visibility is how long a bell is on loan: longer than its function may take, so that none is heard twice at
	// once, and no longer than that needs, because one that failed waits so long.
	visibility = 2 * timeout
	// receives is how often a bell is heard before it is a dead letter: SQS's most, some fourteen hours. On AWS nothing
	// else knows of a delivery that waits for its first attempt. The age of the oldest bell has an alarm.
	receives = 1000
)

const (
	// wholeAttempt is how long an attempt may take (contract, section 5, "Success").
	wholeAttempt = 10 * time.Second
	// longestWait is how long an attempt waits for a place at its receiver's host before it is put off.
	longestWait = 2 * time.Second
	// soon is how much later a delivery is looked at again whose attempt found no turn or no place.
	soon = time.Second
	// awayFor is how much later a bell rings again while the store is away: well within the 10 s that an attempt of the
	// one process may be late.
	awayFor = 5 * time.Second
	// afterStop is how long an attempt in flight may go on once the host stops.
	afterStop = 8 * time.Second
	// lastWrites is how long what became of it may then be written down: host and Lambda wait for so much more.
	lastWrites = 800 * time.Millisecond
	// mostWrites is how long that may take at any other time: the lease has room for it behind the longest attempt.
	mostWrites = 8 * time.Second
)

// courier makes attempts.
type courier struct {
	*host.Platform
	standings     *standings
	keys          *signingkey.Cache
	tally         tally
	slowReceivers slowReceivers
	lines         lines
	afterStop     time.Duration
}

func newCourier(p *host.Platform) *courier {
	return &courier{Platform: p, standings: newStandings(p), keys: signingkey.NewCache(p.SigningKeys()),
		tally: newTally(), afterStop: afterStop}
}

// handle does what the messages ask for, all side by side, and returns those that must come again. A receiver's
// failure is not one of them: the next attempt has a message of its own.
func (c *courier) handle(ctx context.Context, messages []queue.Received) (failed []queue.Received) {
	attemptCtx, done := c.attemptContext(ctx)
	defer done()
	errs := guard.Each(ctx, len(messages), func(i int) error {
		if !c.do(ctx, attemptCtx, messages[i]) {
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

// errNotDone is of a message that must come again.
var errNotDone = errors.New("delivery: the message must come again")

// do is what the message asks for; it is false when that must be asked again. attemptCtx is the context of attempts
// that have begun.
func (c *courier) do(ctx, attemptCtx context.Context, m queue.Received) (done bool) {
	if s, is := webhook.ParseStep(m.Body); is {
		return c.step(ctx, attemptCtx, s)
	}
	if b, is := webhook.ParseBell(m.Body); is {
		return c.bell(ctx, attemptCtx, b)
	}
	c.Log.Error("a message that is no bell", "message", m.ID)
	return true
}

// attemptContext is ctx for attempts that have begun: it ends afterStop after the host's stop, and early enough for the
// last writes where ctx has a deadline.
func (c *courier) attemptContext(ctx context.Context) (context.Context, func()) {
	if end, limited := ctx.Deadline(); limited {
		return context.WithDeadline(context.WithoutCancel(ctx), end.Add(-lastWrites))
	}
	return outlivingContext(ctx, c.afterStop)
}

// writeContext is for what is written down of an attempt, also when the attempt's ctx has ended.
func writeContext(ctx context.Context) (context.Context, func()) {
	longer, done := outlivingContext(ctx, lastWrites)
	bounded, cancel := context.WithTimeout(longer, mostWrites)
	return bounded, func() { cancel(); done() }
}

// outlivingContext is ctx that ends so much later.
func outlivingContext(ctx context.Context, d time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		select {
		case <-time.After(d):
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}
