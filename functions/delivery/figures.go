package delivery

import (
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/store"
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
	if to != r.State {
		count(c.Platform, to)
	}
}

// Queued takes down that a delivery was queued, if that was its end for now: parked, or exhausted, without an attempt.
func Queued(p *host.Platform, row *store.Item) { count(p, State(row.Text[stateText])) }

// count counts a delivery that has come into a state.
func count(p *host.Platform, to State) {
	if name, is := figureOf[to]; is && p.Figure != nil {
		p.Figure(name, host.Count, 1)
	}
}
