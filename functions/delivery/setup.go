package delivery

import (
	"context"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/webhook"
)

// setUp takes over what an add-on says of its set-up in its answer to packageActivate at its systemUrl (contract,
// section 10). It runs before the attempt's result is written: if the process dies in between, the delivery comes again
// and the add-on says it again. What it says counts only while that activation lasts, and as the
// first that is said of it. What cannot be taken over is
// logged, and the delivery goes on.
func (c *courier) setUp(ctx context.Context, r webhook.Row, did outcome) {
	if !r.System() || r.Event != events.PackageActivate || !did.Sent() || did.Failure != "" {
		return
	}
	said, is, err := addon.SetupIn(did.Answer.Body)
	if is && err == nil {
		u := c.Unit()
		u.Shop = r.Shop
		err = insist(ctx, func() error {
			_, err := addon.SetUp(ctx, u, c.Callable(), r.About, func(t addon.Terms) (addon.SetupFields, error) {
				// What the add-on has said by PATCH meanwhile is newer than this answer.
				lasts, err := t.ActivatedBy(ctx, c.Main, r.ID)
				if err != nil || !lasts || t.Setup != "" {
					return t.SetupFields, err
				}
				return said, nil
			})
			return err
		})
	}
	if err != nil {
		c.Log.Warn("what an add-on says of its set-up is not taken over", "webhook", r.ID, "access", r.About,
			"error", err)
	}
}
