package delivery

import (
	"eshop/shared/host"
	"eshop/shared/id"
)

// The figures of deliveries: what becomes of calls, the attempts that failed, and how long after its change a call came
// that was neither parked nor asked for again.
const (
	CallsDelivered = "CallsDelivered"
	CallsExhausted = "CallsExhausted"
	CallsParked    = "CallsParked"
	CallsCancelled = "CallsCancelled"
	AttemptsFailed = "AttemptsFailed"
	CallAge        = "CallAge"
)

var figureOf = map[State]string{Exhausted: CallsExhausted, Parked: CallsParked, Cancelled: CallsCancelled}

// figures takes down what an outcome was that has brought a delivery into a state.
func (c *courier) figures(r Row, did outcome, to State) {
	if c.Figure == nil {
		return
	}
	switch {
	case did.sent() && did.failure == "":
		c.Figure(CallsDelivered, host.Count, 1)
		if r.State == Waiting && r.Asked == 0 && r.Was == "" && !r.Test {
			c.Figure(CallAge, host.Milliseconds, float64(did.end.Sub(id.Time(r.ID)).Milliseconds()))
		}
	case did.sent():
		c.Figure(AttemptsFailed, host.Count, 1)
	}
	if name, is := figureOf[to]; is && to != r.State {
		c.Figure(name, host.Count, 1)
	}
}
