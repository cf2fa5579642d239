// Package limit counts what requests cost, in fixed windows of UTC hours and days for each API access, exactly, however
// many come at once (contract, "Rate limits"). limittest.Run proves the promises of Counters on every implementation:
// memory counts in the one process, dynamo on AWS.
package limit

import (
	"context"
	"errors"
	"time"
)

// Limits of an access, in cost per window.
type Limits struct {
	Hourly, Daily int64
	// Life is how long what is charged must be remembered; 0: for as long as it is shown (HistoryHours)
	Life time.Duration
}

// Default is what an access has when nothing else is set, and Max the most that can be (contract, "Rate limits").
var (
	Default = Limits{Hourly: 7_200, Daily: 86_400}
	Max     = Limits{Hourly: 3_600_000, Daily: 86_400_000}
)

// Cost is the price of changing n items in a batch: one for every ten begun, never less than one (contract, "Rate
// limits").
func Cost(n int) int64 { return int64(max(1, (n+9)/10)) }

// Charged is who pays for a request: what it may come to cost is charged beforehand, and the rest given back. An error
// of Charge is the refusal of the request.
type Charged interface {
	Charge(ctx context.Context, cost int64) error
	LowerCost(ctx context.Context, cost int64)
}

// Window is one of the two windows.
type Window string

// The windows by their names in a 429's body.
const (
	Hourly Window = "hourly"
	Daily  Window = "daily"
)

// Reset is when the window of now ends.
func (w Window) Reset(now time.Time) time.Time {
	if w == Hourly {
		return now.UTC().Truncate(time.Hour).Add(time.Hour)
	}
	return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
}

// Standing is what is left of both windows: after a charge, or as they are when the charge was refused.
type Standing struct {
	Hourly, Daily int64  // what is left, never below 0
	Refused       Window // the window with too little left, Daily when both have; "" when charged
}

// Left is what is left of the limits when so much was charged in the hour and on the day, and which of them a charge of
// the cost would exceed.
func (l Limits) Left(hour, day, cost int64) Standing {
	return Standing{Hourly: max(0, l.Hourly-hour), Daily: max(0, l.Daily-day)}.Judge(cost)
}

// Judge is the standing with the window that a charge of the cost would exceed; one that it named before stays.
func (s Standing) Judge(cost int64) Standing {
	switch {
	case cost > s.Daily:
		s.Refused = Daily
	case cost > s.Hourly:
		s.Refused = Hourly
	}
	return s
}

// ErrThrottled is a counter that is asked too often. Its caller answers 429 with Retry-After 1.
var ErrThrottled = errors.New("limit: the counter is throttled")

// ErrForbidden are counters that do not let this process charge, do not know it, or are not there: a fault of the
// installation, which does not pass by itself. Its caller answers 500, for nobody is served uncounted because of it.
var ErrForbidden = errors.New("limit: the counters are forbidden to this process")

// Counters charge accesses. Any error but ErrThrottled and ErrForbidden means that the counters cannot be reached. The
// request is served then, uncounted.
type Counters interface {
	// Charge charges the cost to both windows of now, or to none when it is more than is left in either. A cost of 0
	// only reads.
	Charge(ctx context.Context, access string, l Limits, cost int64, now time.Time) (Standing, error)
	// Refund gives back what was charged at that moment, into the windows of that moment.
	Refund(ctx context.Context, access string, l Limits, cost int64, charged time.Time) (Standing, error)
	// Used is what was charged on up to 100 days, in the order asked, for somebody who looks. It is one call; without
	// days it is none. A day is remembered for two more days; what was charged before that may be forgotten.
	Used(ctx context.Context, days ...Day) ([]Used, error)
}

// Day is a UTC day of an access, named by any moment of it.
type Day struct {
	Access string
	At     time.Time
}

// Used is what an access was charged on a UTC day, and of that in each of its hours.
type Used struct {
	Total int64
	Hours [24]int64
}

// Above says whether an access was charged more than so many percent of one of its limits, in the hour of now or on the
// day, which this is.
func (u Used) Above(percent int64, l Limits, now time.Time) bool {
	return u.Hours[now.UTC().Hour()]*100 > l.Hourly*percent || u.Total*100 > l.Daily*percent
}

// HistoryHours is how many hours of charges are shown, the current one included (contract, "Admin pages").
const HistoryHours = 48

// DaysOf are the days of the last HistoryHours of an access, that of now included: what HoursOf reads.
func DaysOf(access string, now time.Time) []Day {
	first := firstHour(now)
	return []Day{{access, first}, {access, first.AddDate(0, 0, 1)}, {access, first.AddDate(0, 0, 2)}}
}

// Hour is what an access was charged in the hour that begins at At.
type Hour struct {
	At   time.Time
	Cost int64
}

// HoursOf are the last HistoryHours, the current one last, of what was charged on the days of DaysOf.
func HoursOf(days []Used, now time.Time) []Hour {
	first := firstHour(now)
	midnight := first.Truncate(24 * time.Hour)
	hours := make([]Hour, HistoryHours)
	for i := range hours {
		at := first.Add(time.Duration(i) * time.Hour)
		hours[i] = Hour{at, days[at.Sub(midnight)/(24*time.Hour)].Hours[at.Hour()]}
	}
	return hours
}

func firstHour(now time.Time) time.Time {
	return now.UTC().Truncate(time.Hour).Add(-(HistoryHours - 1) * time.Hour)
}
