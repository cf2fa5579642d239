package delivery

import (
	"context"
	"time"

	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/webhook"
)

// ClaimAndDie claims a delivery as a process that then is no more.
func ClaimAndDie(ctx context.Context, p *host.Platform, b webhook.Bell) (bool, error) {
	row, _, _, err := newCourier(p, webhook.NewProcess(p.NewID())).claim(ctx, b)
	return row != nil, err
}

// InAHurry makes attempts that the stop cuts after d.
func InAHurry(p *host.Platform, d time.Duration) func(context.Context, []queue.Received) []queue.Received {
	c := newCourier(p, webhook.NewProcess(p.NewID()))
	c.lastWords = d
	return c.handle
}

// Die ends what this process knows: the next to ask for a handler is another process.
func Die(p *host.Platform) {
	couriers.Delete(p)
	p.Process = webhook.NewProcess(p.NewID())
}

// KeptBells is how many bells wait in this process for a place.
func KeptBells(p *host.Platform) int {
	ls := courierOf(p).lanes
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.kept
}
