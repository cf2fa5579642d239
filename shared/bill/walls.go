package bill

import (
	"cmp"
	"slices"
)

// Wall is a limit that growth meets.
type Wall struct {
	Name  string  `json:"wall"`
	Needs float64 `json:"needs"` // in the busiest seconds of a day
	Holds float64 `json:"holds"` // as it is set, or as AWS gives it to an account
	Unit  string  `json:"unit"`
	Raise string  `json:"raise"` // how
}

// What AWS lets a table on demand take, and its quotas.
const (
	tableUnits = 40_000
	writeQuota = "quota `L-AB614373`"
	readQuota  = "quota `L-CF0CBE56`"
)

// Walls are the limits in the order in which growth meets them.
func (l Load) Walls() []Wall {
	const writes = "write units a second"
	requests, changes, webhooks := l.parts()
	aSecond := func(aDay float64) float64 { return aDay / day * peak }
	batches := aSecond(l.Webhooks) / attemptsTogether(l.Webhooks*peak)
	all := requests.Plus(changes).Plus(webhooks)
	main := requests.Writes - l.Requests // what counts for limits is written to a table of its own
	walls := []Wall{
		{"first attempts at webhooks", batches * (l.Answer.Seconds() + 3*waveTime), DeliverySlots, "batches at once",
			"`Parallel` of the queue `fresh` in `functions/delivery`"},
		{"Lambda", aSecond(all.Seconds), 1000, "calls at once", "quota `L-B99A9384`, and `concurrency`"},
		{"the door", aSecond(requests.Requests), DoorRate, "requests a second", "`infra/gateway.go`"},
		{"API Gateway", aSecond(requests.Requests), 2 * DoorRate, "requests a second", "quota `L-8A5B8E43`"},
		{"the table `Main`", aSecond(main), tableUnits, writes, writeQuota},
		{"the table `Pipeline`", aSecond(changes.Writes + webhooks.Writes), tableUnits, writes, writeQuota},
		{"the table `Counters`", aSecond(l.Requests), tableUnits, writes, writeQuota},
		{"reads of the table `Main`", aSecond(all.Reads), tableUnits, "read units a second", readQuota},
	}
	slices.SortStableFunc(walls, func(a, b Wall) int { return cmp.Compare(b.Needs/b.Holds, a.Needs/a.Holds) })
	return walls
}
