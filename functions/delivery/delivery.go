// Package delivery makes the attempts: it claims a delivery, asks once more whether it may go, signs and posts it, and
// writes down what became of it (architecture, "The webhook pipeline"). The row is the truth, the message a bell: messages
// that come twice, late or not at all cannot double or lose a call.
package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/webhook"
)

// Function is the delivery's place in THE list.
var Function = host.Function{
	Name: "delivery",
	Doc:  "Makes the attempts to deliver webhooks.",
	Messages: &host.Messages{
		// Retries have a queue with few places of its own, so that sick receivers never take the healthy ones'. The other has
		// room for what 100 changes a second bring to two receivers that hang, until they are known to (slow): less, and the
		// healthy ones wait behind them.
		From: []host.Queue{
			{Resource: host.Fresh, Visibility: visibility, MaxReceives: receives, Parallel: 400, Late: time.Minute},
			{Resource: host.Retry, Visibility: visibility, MaxReceives: receives, Parallel: 20, Late: 15 * time.Minute},
		},
		Batch: 10, // SQS's most
		Handler: func(p *host.Platform) func(context.Context, []queue.Received) []queue.Received {
			return courierOf(p).handle
		},
		Refill: Refill,
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Secrets, Does: []host.Action{host.Open}},
	},
	Timeout: timeout,
	Memory:  512,
}

const (
	// early is how much too early a bell may be and is put off; an earlier one is some older attempt's.
	early = 5 * time.Second
	// lastWords is how long an attempt in flight may go on once the host stops.
	lastWords = 8 * time.Second
	// lastWrites is how long what became of it may then be written down: host and Lambda wait for so much more.
	lastWrites = 800 * time.Millisecond
	// insisting is how long that may take at any other time: the lease has room for it behind the longest attempt.
	insisting = 8 * time.Second
)

// courier makes attempts in this process.
type courier struct {
	*host.Platform
	process   *webhook.Process // this one among those that claim
	underWay  underWay
	slowed    slowed
	reserved  reserved
	lanes     *lanes
	known     *known
	tally     tally
	lastWords time.Duration
}

// couriers are by platform: both queues of a process have the same, so that its claims and lanes are the process's.
var couriers sync.Map // of *courier by *host.Platform

func courierOf(p *host.Platform) *courier {
	if c, there := couriers.Load(p); there {
		return c.(*courier)
	}
	c, _ := couriers.LoadOrStore(p, newCourier(p, processOf(p)))
	return c.(*courier)
}

// processOf is who claims for the platform: on AWS each process for itself.
func processOf(p *host.Platform) *webhook.Process {
	if p.Process != nil {
		return p.Process
	}
	return webhook.NewProcess(p.NewID())
}

func newCourier(p *host.Platform, process *webhook.Process) *courier {
	c := &courier{Platform: p, process: process, known: newKnown(p), lastWords: lastWords}
	if p.Alone {
		c.lanes = newLanes(p.Now)
	}
	return c
}

// handle makes the attempts that the bells ask for, all side by side, and returns the bells that must come again. A
// receiver's failure is not one of them: the next attempt has a bell of its own.
func (c *courier) handle(ctx context.Context, messages []queue.Received) (failed []queue.Received) {
	lasting, done := c.lasting(ctx)
	defer done()
	errs := guard.Each(ctx, len(messages), func(i int) error {
		if !c.do(ctx, lasting, messages[i]) {
			return errAgain
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

// errAgain is of a message that must come again.
var errAgain = errors.New("delivery: the message must come again")

// do is what the message asks for; it is false when that must be asked again.
func (c *courier) do(ctx, lasting context.Context, m queue.Received) (done bool) {
	if s, is := webhook.StepOf(m.Body); is {
		return c.step(ctx, lasting, s)
	}
	if at, tick, is := webhook.TickOf(m.Body); is {
		return c.tick(ctx, at, tick)
	}
	if b, is := webhook.BellIn(m.Body); is {
		return c.hear(ctx, lasting, b)
	}
	c.Log.Error("a message that is no bell", "message", m.ID)
	return true
}

// lasting is ctx for attempts that have begun: it ends lastWords after the host's stop, and early enough for the last writes
// where ctx has a deadline.
func (c *courier) lasting(ctx context.Context) (context.Context, func()) {
	if end, limited := ctx.Deadline(); limited {
		return context.WithDeadline(context.WithoutCancel(ctx), end.Add(-lastWrites))
	}
	return outliving(ctx, c.lastWords)
}

// writing is for what is written down of an attempt, also when the attempt's ctx has ended.
func writing(ctx context.Context) (context.Context, func()) {
	longer, done := outliving(ctx, lastWrites)
	bounded, cancel := context.WithTimeout(longer, insisting)
	return bounded, func() { cancel(); done() }
}

// outliving is ctx that ends so much later.
func outliving(ctx context.Context, d time.Duration) (context.Context, func()) {
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

// hear does what the bell asks for, and says whether it is done with: if not, it must ring again. No attempt begins once
// ctx has ended.
func (c *courier) hear(ctx, lasting context.Context, b webhook.Bell) (done bool) {
	if ctx.Err() != nil {
		return false
	}
	key := webhook.RowKey(b.Access, b.ID)
	if !c.underWay.begin(key) {
		return c.doubled(ctx, b)
	}
	defer c.underWay.end(key)
	l, later, kept := c.lanes.enter(b)
	b.Called = false
	if l == nil && c.lanes != nil {
		return kept || c.putOff(ctx, b, later, true)
	}
	row, claim, later, err := c.claim(ctx, b)
	started := row != nil && c.lanes.start(ctx, l)
	if !started {
		c.leave(ctx, l)
	}
	switch {
	case err != nil:
		c.Log.Warn("a delivery could not be claimed", "webhook", b.ID, "error", err)
		return false
	case row == nil && later == 0:
		return true
	case row == nil:
		return c.putOff(ctx, b, later, b.Retry)
	case !started:
		return c.missed(ctx, lasting, b, claim)
	}
	r := webhook.RowOf(row)
	r.Probe, r.Drained = b.Probe, b.Parked && !b.Probe
	return c.attempt(lasting, l, b, r, claim)
}

// doubled lets a bell for what is under way here ring again when that is over: it may be the one for the attempt after this. Not
// sooner: where messages come twice each time, each would bring another one. For what is parked the drain rings again.
func (c *courier) doubled(ctx context.Context, b webhook.Bell) (done bool) {
	c.call(ctx, c.lanes.refuse(b))
	b.Called = false
	return b.Parked || c.putOff(ctx, b, lease, b.Retry)
}

// leave leaves the lane to the bells that it kept. Once the host stops, the rows know.
func (c *courier) leave(ctx context.Context, l *lane) { c.call(ctx, c.lanes.leave(l)) }

// call brings bells that a lane kept through the queue once more.
func (c *courier) call(ctx context.Context, called []webhook.Bell) {
	var fresh, retry []queue.Message
	for _, b := range called {
		if b.Retry {
			retry = append(retry, b.Message(0))
		} else {
			fresh = append(fresh, b.Message(0))
		}
	}
	if err := c.Webhooks().Send(ctx, fresh, retry); err != nil {
		c.Log.Warn("the sweeper will ring for what waited for a place", "bells", len(fresh)+len(retry), "error", err)
	}
}

// missed gives back a claim for which there was no place in time, and lets its bell ring later.
func (c *courier) missed(ctx, lasting context.Context, b webhook.Bell, claim string) bool {
	writes, end := writing(lasting)
	defer end()
	return c.release(writes, b, claim) && ctx.Err() == nil && c.putOff(ctx, b, time.Second, b.Retry)
}

// putOff lets the bell ring later.
func (c *courier) putOff(ctx context.Context, b webhook.Bell, later time.Duration, retry bool) bool {
	b.Retry = b.Retry || retry
	return c.ring(ctx, b, later) == nil
}

func (c *courier) ring(ctx context.Context, b webhook.Bell, later time.Duration) error {
	q := c.Fresh
	if b.Retry {
		q = c.Retry
	}
	return q.Send(ctx, b.Message(later))
}

// Attempts that count as not made.
var (
	errCut  = errors.New("delivery: the attempt was cut by the host's stop")
	errLate = errors.New("delivery: too little of the function's time is left for an attempt")
)

// whole is how long an attempt may take (contract, section 5, "Success").
const whole = 10 * time.Second

// late says whether there is too little time left for an attempt.
func late(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return limited && time.Until(end) < whole
}
