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

// Figure is one of the platform's own metrics, by its name in CloudWatch. The one process serves the same at /metrics.
type Figure struct{ Name, Unit, Doc string }

// Figures are all that a Platform's Figure is given.
var Figures = []Figure{
	{Requests, Count, "Answers given."},
	{Faults, Count, "Answers of 5xx, and batches of a queue or the stream that were not handled whole."},
	{api.UncountedRequests, Count, "Requests served though their limits could not be counted."},
	{webhook.CallsDelivered, Count, "Webhooks answered with 2xx."},
	{webhook.CallsExhausted, Count, "Webhooks given up after their last attempt."},
	{webhook.CallsParked, Count, "Webhooks that wait for a receiver that fails to be well again."},
	{webhook.CallsCancelled, Count, "Webhooks that nobody may hear any more."},
	{webhook.AttemptsFailed, Count, "Attempts at webhooks that failed."},
	{webhook.CallAge, Milliseconds, "From a change to its webhook's arrival, of those neither parked nor asked " +
		"for again."},
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
