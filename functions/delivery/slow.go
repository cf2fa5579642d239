package delivery

import (
	"context"
	"time"

	"eshop/functions/webhooks"
	"eshop/shared/api"
)

// slowly notes on AWS, while the attempt is under way, that it takes long: from then on the batcher rings for its receiver in
// the retry queue. An attempt that hangs holds the place of all messages that came with it, until it ends; so only those of
// some two seconds do. In the one process lanes bound them. What it returns ends it.
func (c *courier) slowly(ctx context.Context, r Row, s standing) (over func()) {
	if c.lanes != nil || r.Test || s.receiver.State != webhooks.Enabled || !s.health.SlowAgain(c.Now()) {
		return func() {}
	}
	noted := make(chan struct{})
	t := time.AfterFunc(slow, func() {
		defer close(noted)
		c.health(ctx, r, webhooks.Slowed(r.Receiver, api.At(c.Now())))
	})
	return func() {
		if !t.Stop() {
			<-noted // a function is frozen between its calls
		}
	}
}
