// Package canary tries the platform as those do for whom it is there. Every five minutes it changes a product of its
// own shop by the API, waits for the webhook of that at a receiver of its own, and buys the product in the storefront:
// over HTTP, at the addresses that everybody has. What no part of the platform can say of itself it sees: that names
// lead here, certificates are good, and all parts work together.
//
// # A tour
//
// canary.go has the runs and how they end, steps.go what a run does, own.go how the canary comes by its shop, http.go
// how it asks. The receiver is an operation of functions/webhooks.
//
// # Promises
//
//   - It says what is: no request is made a second time, and each has ten seconds.
//   - The first step that fails ends the run. The run's error names the step, so does the log, and an alarm rings when
//     two runs in a row fail, or when there are none for a quarter of an hour.
//   - Its orders are cancelled, and its product's stock does not run out. An order is never deleted, here or anywhere:
//     those of a year are a hundred thousand. They go with the canary's shop.
package canary

import (
	"context"
	"fmt"
	"sync"
	"time"

	"eshop/shared/canary"
	"eshop/shared/host"
)

// Function is the canary's place in THE list.
var Function = host.Function{
	Name: "canary",
	Doc:  "Changes, hears and buys in a shop of its own every five minutes, from outside.",
	Tick: &host.Tick{Every: 5 * time.Minute, Handler: func(p *host.Platform) func(context.Context) error {
		return (&runner{Platform: p}).run
	}},
	Outside: true,
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}}, // writes to make its shop
		{Resource: host.Secrets, Does: []host.Action{host.Seal, host.Open}},
	},
	Timeout:             time.Minute,
	Memory:              256,
	ReservedConcurrency: 1,
}

// runner makes the runs of one process.
type runner struct {
	*host.Platform
	mu       sync.Mutex
	own      *canary.Own // nil: not read yet, or to be read again
	platform []byte      // the platform's own secret
}

// step is one thing that a run does.
type step struct {
	name string
	do   func(*visit, context.Context) error
}

// steps are those of a run, one after the other.
var steps = []step{
	{"receiver", (*visit).receiver},
	{"change", (*visit).change},
	{"webhook", (*visit).webhook},
	{"page", (*visit).page},
	{"basket", (*visit).basket},
	{"checkout", (*visit).checkout},
	{"order", (*visit).order},
	{"cancel", (*visit).cancel},
}

// making are the steps of a run that makes what is not there yet. The next run tries it: on AWS the delivery takes up
// to ten seconds to know a new signing key.
var making = []step{
	{"product", (*visit).makeProduct},
	{"key", (*visit).makeKey},
	{"receiver", (*visit).makeReceiver},
}

// run makes one run, if there is to be a canary. What it has read of itself it reads again after a failure.
func (r *runner) run(ctx context.Context) error {
	if r.Canary == "" {
		return nil
	}
	r.mu.Lock() // never two at a time
	defer r.mu.Unlock()
	err := r.try(ctx)
	if ctx.Err() == context.Canceled { // the host stops
		return err
	}
	failures := 0.0
	if err != nil {
		failures, r.own = 1, nil
	}
	r.Figure(host.CanaryFailures, host.Count, failures)
	return err
}

// try goes through the steps until one fails.
func (r *runner) try(ctx context.Context) error {
	v := &visit{runner: r, trace: newTrace(r.Random)}
	if err := r.step(ctx, step{"shop", (*visit).shop}, v); err != nil {
		return err
	}
	next := steps
	if v.own.Receiver == "" {
		next = making
	}
	for _, s := range next {
		if err := r.step(ctx, s, v); err != nil {
			return err
		}
	}
	return nil
}

// step does one step and logs how it went. That the host stops says nothing of the platform.
func (r *runner) step(ctx context.Context, s step, v *visit) error {
	began := time.Now()
	err := s.do(v, ctx)
	switch {
	case err == nil:
		r.Log.InfoContext(ctx, "the canary has done a step", "step", s.name, "took", time.Since(began))
		return nil
	case ctx.Err() == context.Canceled:
		return err
	}
	r.Log.ErrorContext(ctx, "the canary failed", "step", s.name, "took", time.Since(began), "error", err)
	return fmt.Errorf("the canary failed at %s: %w", s.name, err)
}
