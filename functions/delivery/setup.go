package delivery

import (
	"context"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/webhook"
)

// setUp notes that an add-on has answered packageActivate at its systemUrl, and takes over what it says of its set-up
// (contract, "Package, shop and status"). It runs before the attempt's result is written: if the process dies in
// between, the delivery comes again and the add-on says it again. Nobody waits for an answer any more, either, once the
// systemUrl is gone. What cannot be taken over is logged, and the delivery goes on.
func (c *courier) setUp(ctx context.Context, r webhook.Row, did outcome) {
	gone := did.Cancelled != "" && did.Receiver == nil && did.Access != nil
	answered := did.Sent() && did.Failure == ""
	if !r.System() || r.Event != events.PackageActivate || !answered && !gone {
		return
	}
	u := c.Unit()
	u.Shop = r.Shop
	err := insist(ctx, func() error {
		return addon.Answered(ctx, u, c.Callable(), webhook.Activates(r), did.Answer.Body)
	})
	if err != nil {
		c.Log.Warn("what an add-on says of its set-up is not taken over", "webhook", r.ID, "access", r.About,
			"error", err)
	}
}
