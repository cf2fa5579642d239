package webhook

import (
	"time"

	"eshop/events"
	"eshop/shared/field"
	"eshop/shared/problem"
)

// Replay is which deliveries of a receiver go out again.
type Replay struct {
	From      field.Time  `json:"from" doc:"Created at or after this moment"`
	To        *field.Time `json:"to,omitempty" doc:"Created at or before this moment; now when not given"`
	States    []string    `json:"states,omitempty" enum:"delivered,exhausted" doc:"In these states; both when not given"`
	PerSecond int         `json:"perSecond,omitempty" minimum:"1" maximum:"100" doc:"How many go out each second, at most; 10 when not given"`
}

// defaultPerSecond is the rate of a replay that asks for none.
const defaultPerSecond = 10

// complete is the replay with the defaults of what it does not say.
func (r Replay) complete(now time.Time) (events.Replay, error) {
	var faults problem.Faults
	refuseTwice(&faults, "states", r.States)
	to := field.At(now)
	if r.To != nil {
		to = *r.To
	}
	if to < r.From && len(faults) == 0 {
		faults.Add("to", problem.Conflicting, "must not be before from")
	}
	if len(r.States) == 0 {
		r.States = []string{"delivered", "exhausted"}
	}
	if r.PerSecond == 0 {
		r.PerSecond = defaultPerSecond
	}
	return events.Replay{From: int64(r.From), To: int64(to), States: r.States, PerSecond: r.PerSecond}, faults.Err()
}
