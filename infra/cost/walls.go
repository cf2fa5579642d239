package main

import (
	"cmp"
	"slices"
)

// wall is a limit that growth meets.
type wall struct {
	Name  string
	Needs float64 // in the busiest seconds of a day, or of what grows with shops
	Holds float64 // as it is set, or as AWS gives it to an account
	Unit  string
	Raise string // how
}

// What AWS lets a table on demand take, and its quotas.
const (
	tableUnits = 40_000
	writeQuota = "quota `L-AB614373`"
	readQuota  = "quota `L-CF0CBE56`"

	certificates = 2500 // of ACM, in us-east-1
	tenants      = 10_000
)

// walls are the limits in the order in which growth meets them.
func (l load) walls() []wall {
	const writes = "write units a second"
	requests, changes, webhooks := l.parts()
	aSecond := func(aDay float64) float64 { return aDay / day * peak }
	batches := aSecond(l.Webhooks) / attemptsTogether(l.Webhooks*peak)
	all := requests.plus(changes).plus(webhooks)
	walls := []wall{
		{"first attempts at webhooks", batches * (l.Answer.Seconds() + 3*waveTime), deliverySlots, "batches at once",
			"`Parallel` of the queue `fresh` in `functions/delivery`"},
		{"Lambda", aSecond(all.Seconds), 1000, "calls at once", "quota `L-B99A9384`, and `concurrency`"},
		{"the door", aSecond(requests.Requests), doorRate, "requests a second", "`infra/stack/gateway.go`"},
		{"API Gateway", aSecond(requests.Requests), 2 * doorRate, "requests a second", "quota `L-8A5B8E43`"},
		{"the table `Main`", aSecond(mainWrites(requests, l.Requests)), tableUnits, writes, writeQuota},
		{"the table `Pipeline`", aSecond(changes.Writes + webhooks.Writes), tableUnits, writes, writeQuota},
		{"the table `Counters`", aSecond(l.Requests), tableUnits, writes, writeQuota},
		{"reads of the table `Main`", aSecond(all.Reads), tableUnits, "read units a second", readQuota},
		{"certificates of ACM", l.Own + 1, certificates, "one for each domain of a merchant's", "quota `L-F141DD1D`"},
		{"tenants of CloudFront", l.Own + 1, tenants, "one for each domain of a merchant's", "a case of AWS Support"},
	}
	slices.SortStableFunc(walls, func(a, b wall) int { return cmp.Compare(b.Needs/b.Holds, a.Needs/a.Holds) })
	return walls
}
