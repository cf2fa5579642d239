package delivery

import (
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/webhook"
)

// figures takes down what an outcome was that has brought a delivery into a state.
func (c *courier) figures(r webhook.Row, did outcome, to webhook.DeliveryState) {
	switch {
	case did.Sent() && did.Failure == "":
		c.Figure(webhook.CallsDelivered, host.Count, 1)
		if r.State == webhook.Waiting && r.Asked == 0 && r.Ended == "" && !r.Test {
			c.Figure(webhook.CallAge, host.Milliseconds, float64(did.End.Sub(id.Time(r.ID)).Milliseconds()))
		}
	case did.Sent():
		c.Figure(webhook.AttemptsFailed, host.Count, 1)
	}
	if to != r.State {
		c.CountDelivery(to)
	}
}
