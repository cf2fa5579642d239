package webhook

import (
	"hash/fnv"
	"net/http"
	"time"

	"eshop/shared/base/egress"
)

// Waits is the schedule: how long after the end of one attempt the next begins. The first begins at once (contract,
// "Success and retries").
var Waits = []time.Duration{0, 10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 24 * time.Hour}

// longestAsked bounds how long a receiver's Retry-After can make us wait.
const longestAsked = 24 * time.Hour

// next is when the attempt after the nth begins, if the nth ended at end; false when the nth was the last. asked is the
// receiver's Retry-After, 0 if it gave none.
func next(id string, n int, end time.Time, asked time.Duration) (time.Time, bool) {
	if n >= len(Waits) {
		return time.Time{}, false
	}
	wait := jittered(Waits[n], id, n)
	return end.Add(max(wait, min(asked, longestAsked))), true
}

// jittered is d ±20 %, so that the deliveries of one failure do not come back together. It is always the same for one
// attempt of one delivery.
func jittered(d time.Duration, id string, n int) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(id))
	h.Write([]byte{byte(n)})
	share := float64(h.Sum32()) / (1 << 32) // 0 to 1
	return time.Duration(float64(d) * (0.8 + 0.4*share))
}

// retryAfter is the wait that the receiver's Retry-After asks for. It counts only in a 429 or 503.
func retryAfter(a egress.Answer) time.Duration {
	if a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable {
		return a.RetryAfter
	}
	return 0
}

// TooMuch says whether an answer, or that there is none, asks for fewer webhooks a second.
func TooMuch(status int, failure string) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || failure == TimedOut
}
