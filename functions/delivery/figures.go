package delivery

import (
	"eshop/shared/base/id"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

// countOutcome counts the outcome, and the state into which it has brought the delivery. The age of a call counts only
// for one that went straight out: parking and redeliveries have other reasons to be late.
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
