package delivery

import (
	"context"
	"errors"

	"eshop/events"
	"eshop/shared/record/job"
	"eshop/shared/webhook"
)

// Many deliveries of one receiver are let go at a pace, by steps of a second each (webhook.Release): parked ones by a
// drain (drain.go), ended ones by a replay (replay.go). A single redelivery needs none of this: its bell rings at once.

// step takes the next step of a release, unless somebody has taken it, and says whether the message is done with. A
// step that fails comes again with its message; the sweeper has it if that is lost.
func (c *courier) step(ctx, attemptCtx context.Context, s webhook.Step) (done bool) {
	if ctx.Err() != nil {
		return false
	}
	receiver := webhook.ReceiverKey(s.Shop, s.Access, s.Receiver)
	items, err := c.Main.Get(ctx, s.Key(), receiver, webhook.HealthKey(s.Receiver))
	if err != nil || items[0] == nil || items[0].Version != s.Version {
		return err == nil // the release has ended, or somebody has taken the step
	}
	if s.IsDrain() {
		err = c.drainStep(ctx, attemptCtx, items[0], items[1], webhook.HealthOf(items[2]))
	} else {
		err = c.replayStep(ctx, items[0])
	}
	if err != nil {
		c.Log.Warn("what is to be let go waits longer", "receiver", s.Receiver, "error", err)
	}
	return err == nil
}

// putOffStep sends the step's message once more if the step is not due yet: messages may be early by another's clock.
func (c *courier) putOffStep(ctx context.Context, r webhook.Release) (isEarly bool, err error) {
	wait := r.Due.Sub(c.Now())
	if wait <= 0 {
		return false, nil
	}
	return true, c.Retry.Send(ctx, r.Step().Message(wait))
}

// take takes the step of a release by writing down the next one. It is false when somebody else has taken the step, and
// for an error.
func (c *courier) take(ctx context.Context, next job.Job) (taken bool, err error) {
	err = webhook.Releases.Move(ctx, c.Unit(), next, events.Nothing)
	if errors.Is(err, job.ErrLost) {
		return false, nil
	}
	return err == nil, err
}
