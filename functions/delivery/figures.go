package delivery

import (
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/webhook"
)

// countOutcome takes down what the outcome was, and into which state it has brought the delivery.
func (c *courier) countOutcome(end webhook.Conclusion, did outcome) {
	r := end.Before
	switch {
	case did.Sent() && did.Failure == "":
		c.Figure(webhook.CallsDelivered, host.Count, 1)
		if r.State == webhook.Waiting && !r.Asked && r.Ended == "" && !r.Test {
			c.Figure(webhook.CallAge, host.Milliseconds, float64(did.End.Sub(id.Time(r.ID)).Milliseconds()))
		}
	case did.Sent():
		c.Figure(webhook.AttemptsFailed, host.Count, 1)
	}
	if to := end.After.State; to != r.State {
		c.CountDelivery(to)
	}
}
