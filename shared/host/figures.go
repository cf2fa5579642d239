package host

import (
	"net/http"

	"eshop/shared/api"
	"eshop/shared/webhook"
)

// The figures of functions: answers, and those answers that were our own fault, which are 5xx and batches that were not
// handled whole.
const (
	Requests = "Requests"
	Faults   = "Faults"
)

// The figures of the canary: a 1 for each run that fails and a 0 for each that does not, and how long after a change
// its webhook was heard.
const (
	CanaryFailures = "CanaryFailures"
	CanaryHeard    = "CanaryHeard"
)

// Figure is one of the platform's own metrics, by its name in CloudWatch. The one process serves the same at /metrics.
type Figure struct {
	Name, Unit, Doc string
	Of              Scope
	Rings           bool // an alarm waits for it, so it is written at the end of each event
}

// Scope is of what a figure is found in CloudWatch.
type Scope int

// The scopes: of each function; of each version of it as well, because a new version is judged by its own; or of the
// whole environment, where it does not matter which function it was.
const (
	OfFunction Scope = iota
	OfVersion
	OfEnvironment
)

// FigureOf is the figure of that name. If Figures has none, it is one that each function has for itself.
func FigureOf(name string) Figure {
	for _, f := range Figures {
		if f.Name == name {
			return f
		}
	}
	return Figure{Name: name}
}

// Figures are all that a Platform's Figure is given.
var Figures = []Figure{
	{Name: Requests, Unit: Count, Doc: "Answers given."},
	{Name: Faults, Unit: Count, Of: OfVersion, Rings: true,
		Doc: "Answers of 5xx, and batches of a queue or the stream that were not handled whole."},
	{Name: api.UncountedRequests, Unit: Count, Of: OfEnvironment, Rings: true,
		Doc: "Requests served though their limits could not be counted."},
	{Name: webhook.CallsDelivered, Unit: Count, Doc: "Webhooks answered with 2xx."},
	{Name: webhook.CallsExhausted, Unit: Count, Doc: "Webhooks given up after their last attempt."},
	{Name: webhook.CallsParked, Unit: Count, Doc: "Webhooks that wait for a receiver that fails to be well again."},
	{Name: webhook.CallsCancelled, Unit: Count, Doc: "Webhooks that nobody may hear any more."},
	{Name: webhook.AttemptsFailed, Unit: Count, Doc: "Attempts at webhooks that failed."},
	{Name: webhook.CallAge, Unit: Milliseconds,
		Doc: "From a change to its webhook's arrival, of those neither parked nor asked for again."},
	{Name: CanaryFailures, Unit: Count, Doc: "Runs of the canary that failed."},
	{Name: CanaryHeard, Unit: Milliseconds, Doc: "From a change of the canary's to its webhook, as seen from outside."},
}

// Answered counts an answer, by its status.
func Answered(figure func(name, unit string, value float64), status int) {
	figure(Requests, Count, 1)
	fault := 0.0
	if status >= http.StatusInternalServerError {
		fault = 1
	}
	figure(Faults, Count, fault) // a 0, too: a rate wants both
}
