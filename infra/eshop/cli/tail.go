package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"eshop/shared/base/guard"
)

// delivery is one as the log shows it.
type delivery struct {
	ID, Event, State, ReceiverID, Reason string
	Test                                 bool
	Created                              time.Time
	NextAttemptAt                        *time.Time
	Attempts                             []struct {
		Number, Status, DurationMs int
		Error                      string
	}
	Body struct{ RequestID string }

	raw []byte // as the API has it
}

// UnmarshalJSON keeps the delivery as it came, for output as JSON.
func (d *delivery) UnmarshalJSON(text []byte) error {
	type fields delivery
	d.raw = bytes.Clone(text)
	return json.Unmarshal(text, (*fields)(d))
}

// MarshalJSON is the delivery as it came.
func (d delivery) MarshalJSON() ([]byte, error) { return d.raw, nil }

// maxFollowed is how many deliveries that are under way tail keeps in mind.
const maxFollowed = 500

// tail shows each delivery when it is made, and again whenever its state or its attempts have changed. Each look at the
// list goes back 5 s before the newest delivery seen, because the list may lag.
func tail(ctx context.Context, c *client, opts options) error {
	open, shown := map[string]bool{}, map[string]string{}
	if _, err := ask[object](ctx, c, "GET", "/api-engine/status", nil); err != nil {
		return err
	}
	since := c.at
	opts.tell(object{"following": c.url}, "Deliveries of %s from now on:", c.url)
	receivers, err := ask[page[struct{ ID string }]](ctx, c, "GET", "/api-engine/webhooks?itemsPerPage=1", nil)
	if err == nil && len(receivers.Items) == 0 {
		fmt.Fprintln(opts.Errs, "This access has no receiver, so there is nothing to show yet: register one at "+
			"/api-engine/webhooks, or see changes by eshop listen.")
	}
	for {
		// Those made since the last look, and a little before it.
		made, err := list[delivery](ctx, c, "/api-engine/webhook-deliveries?itemsPerPage=250&created[after]="+
			since.Add(-5*time.Second).UTC().Format(time.RFC3339Nano))
		if err != nil {
			return err
		}
		for _, d := range made {
			if d.Created.After(since) {
				since = d.Created
			}
			if shown[d.ID] == "" && len(open) < maxFollowed {
				open[d.ID] = true
			}
		}
		for id := range open {
			delivery, err := ask[delivery](ctx, c, "GET", "/api-engine/webhook-deliveries/"+id, nil)
			if err != nil {
				return err
			}
			if line := delivery.line(); shown[id] != line {
				shown[id] = line
				opts.tell(delivery, "%s", line)
			}
			// In any other state it changes no more by itself.
			if delivery.State != "waiting" && delivery.State != "parked" {
				delete(open, id)
			}
		}
		if !guard.Wait(ctx, opts.Every) {
			return nil
		}
	}
}

// line is the delivery as it is now.
func (d delivery) line() string {
	line := fmt.Sprintf("%s %s %s %s to %s", d.Created.Local().Format(time.TimeOnly), d.ID, d.Event, d.State,
		d.ReceiverID)
	if d.Test {
		line += " (test)"
	}
	if n := len(d.Attempts); n > 0 {
		a := d.Attempts[n-1]
		line += fmt.Sprintf(": attempt %d, %d ms, ", a.Number, a.DurationMs)
		if a.Error != "" {
			line += a.Error
		} else {
			line += fmt.Sprint(a.Status)
		}
	}
	if d.NextAttemptAt != nil {
		line += ", the next one at " + d.NextAttemptAt.Local().Format(time.TimeOnly)
	}
	return line
}
