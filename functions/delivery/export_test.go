package delivery

import (
	"context"
	"time"

	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/webhook"
	"eshop/shared/webhook/inflight"
)

// anotherOf is the platform as another process has it, which is of the same kind.
func anotherOf(p *host.Platform) *host.Platform {
	other := *p
	other.Process = inflight.OneOfMany(p.NewID())
	if !p.Process.NotesSlow() {
		other.Process = inflight.Alone(p.NewID(), p.Now)
	}
	return &other
}

// TakeAndDie takes a delivery as a process that then is no more.
func TakeAndDie(ctx context.Context, p *host.Platform, b webhook.Bell) (bool, error) {
	died := anotherOf(p).Process
	row, _, err := p.Webhooks().Take(ctx, b, died.NewTaker(), p.Now(), died.Abandoned)
	return row != nil, err
}

// InAHurry makes attempts that the stop cuts after d.
func InAHurry(p *host.Platform, d time.Duration) func(context.Context, []queue.Received) []queue.Received {
	c := newCourier(anotherOf(p))
	c.afterStop = d
	return c.handle
}

// Die ends what this process knows: the next to ask for a handler is another process.
func Die(p *host.Platform) { p.Process = anotherOf(p).Process }
