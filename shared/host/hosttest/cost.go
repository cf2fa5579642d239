package hosttest

import (
	"regexp"
	"testing"
	"time"

	"eshop/shared/store"
)

// AWS's list prices in us-east-1 in November 2026, in US dollars per million: requests of an HTTP API, calls of Lambda,
// its GB-seconds, DynamoDB's units on demand, SQS's requests of 64 KB with a fair queue's group; and per gigabyte: log
// lines, and what is sent to the internet.
const (
	doorPrice    = 1.00
	callPrice    = 0.20
	secondPrice  = 13.3334
	readPrice    = 0.125
	writePrice   = 0.625
	messagePrice = 0.50
	logPrice     = 0.50
	sentPrice    = 0.09
)

// What is assumed of Lambda: a function of 512 MB works for ownTime, and waits so long for each wave of calls. A line
// of its log has lineSize bytes.
const (
	gigabyte = 0.5
	ownTime  = 3 * time.Millisecond
	waveTime = 5 * time.Millisecond
	lineSize = 350
)

// Spent is what something takes on AWS.
type Spent struct {
	Requests, Calls, Messages float64 // of the door, of Lambda, of SQS
	Time                      time.Duration
	Reads, Writes             float64 // DynamoDB's units
	Lines                     float64 // of the log
	Sent                      float64 // bytes to the internet
}

// Dollars are the US dollars of a million of it.
func (s Spent) Dollars() float64 { // a million bytes are a thousandth of a gigabyte
	return s.Requests*doorPrice + s.Calls*callPrice + s.Messages*messagePrice + s.Time.Seconds()*gigabyte*secondPrice +
		s.Reads*readPrice + s.Writes*writePrice + (s.Lines*lineSize*logPrice+s.Sent*sentPrice)/1000
}

// Metered adds what a meter has counted.
func (s Spent) Metered(m *store.Meter) Spent {
	reads, writes := m.Units()
	s.Reads, s.Writes = s.Reads+reads, s.Writes+writes
	return s
}

// Request is a request whose calls a meter has counted and which came in so many waves at most, with an answer of so
// many bytes.
func Request(m *store.Meter, waves, sent int) Spent {
	return Spent{Requests: 1, Calls: 1, Time: ownTime + time.Duration(waves)*waveTime, Lines: 1,
		Sent: float64(sent)}.Metered(m)
}

// Print prints what something costs, where tests say all that they do (-v).
func (s Spent) Print(t testing.TB, what string) {
	if testing.Verbose() {
		t.Logf("%7.2f $ a million: %5.1f read and %5.1f write units  %s", s.Dollars(), s.Reads, s.Writes,
			ids.ReplaceAllString(what, "{id}"))
	}
}

var ids = regexp.MustCompile(`[0-9A-Z]{26}`)

// Charge prints what the last request cost. Its calls came in so many waves at most.
func (w *World) Charge(waves int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	Request(w.meter, waves, w.sent).Print(w.T, w.asked)
}
