package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
)

// longestWait is how many seconds the platform waits within one request.
const longestWait = 20

// waitFor waits until a delivery has ended, or for as long as the options say, and tells what became of it. The error
// says that it was not delivered.
func waitFor(ctx context.Context, c *client, o options) error {
	return o.become(ctx, c, o.argument, time.Now().Add(o.within))
}

// become is waitFor for a delivery and a moment.
func (o options) become(ctx context.Context, c *client, id string, until time.Time) error {
	for {
		left := min(longestWait, max(1, int(time.Until(until)/time.Second)))
		delivery, err := ask[delivery](ctx, c, "GET",
			fmt.Sprintf("/api-engine/webhook-deliveries/%s?wait=%d", url.PathEscape(id), left), nil)
		over := time.Now().After(until)
		var refused *refusal
		switch {
		case errors.As(err, &refused) && !over && passes(refused.status):
			if !guard.Wait(ctx, o.Every) {
				return ctx.Err()
			}
		case err != nil:
			return err
		case delivery.State == "delivered":
			o.tell(delivery, "%s", delivery.line())
			return nil
		case delivery.State == "exhausted" || delivery.State == "cancelled" || over:
			o.tell(delivery, "%s", delivery.line())
			return fmt.Errorf("the delivery %s is %s", delivery.ID, delivery.State)
		}
	}
}

// passes says whether a refusal may pass: on AWS a delivery may not be there yet.
func passes(status int) bool { return status == 404 || status == 429 || status >= 500 }

// told waits for all deliveries of an event by the command's requests, as become does for each. Those of a change are
// made together, so one look more after the last one was found is enough.
func (o options) told(ctx context.Context, c *client, event events.Name) (failed error) {
	until, seen, told := time.Now().Add(o.within), map[string]bool{}, false
	path := "/api-engine/webhook-deliveries?itemsPerPage=250&event=" + string(event) + "&created[after]=" +
		c.at.Add(-time.Minute).UTC().Format(time.RFC3339)
	for {
		all, err := list[delivery](ctx, c, path)
		if err != nil {
			return err
		}
		found := false
		for _, one := range all {
			if seen[one.ID] || time.Now().After(until) {
				continue
			}
			seen[one.ID] = true
			if one, err = ask[delivery](ctx, c, "GET", "/api-engine/webhook-deliveries/"+one.ID, nil); err != nil {
				return err
			}
			if one.Body.RequestID == c.request {
				found = true
				failed = errors.Join(failed, o.become(ctx, c, one.ID, until))
			}
		}
		switch told = told || found; {
		case told && !found:
			return failed
		case !told && time.Now().After(until):
			return fmt.Errorf("no receiver of this access was told of %s within %s (one with own: false never is)",
				event, o.within)
		case !guard.Wait(ctx, o.Every):
			return ctx.Err()
		}
	}
}
