package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"eshop/shared/webhook"
)

// kind is what goes wrong.
type kind string

// The kinds of faults.
const (
	// Those that happen at a moment.
	crash     kind = "crash"      // kill -9, and a new process after Length
	deploy    kind = "deploy"     // an orderly stop, and a new process after Length
	clockJump kind = "clock jump" // by By; clocks go on from there

	// The others last for Length.
	sick kind = "sick" // the flaky receivers do as Mode says
	away kind = "away" // all receivers are unreachable

	refusing kind = "refusing" // a call of a table in three is refused

	// Those of the one process.
	slowDisk kind = "slow disk" // each commit takes By longer
	fullDisk kind = "full disk" // no commit is made
	losing   kind = "losing"    // queues lose a message in three

	// Those on AWS.
	unanswered kind = "unanswered"  // a write of a table in three is done, and its answer is lost
	farAway    kind = "far away"    // each call of a table takes up to By longer
	lateStream kind = "late stream" // the stream hands changes over By later
	repeating  kind = "repeating"   // the stream hands over all twice, within 20 s; queues one in twenty
)

// fault is one thing that goes wrong, at a time after the simulation's start.
type fault struct {
	At     time.Duration
	Length time.Duration
	Kind   kind
	By     time.Duration
	Mode   mode
}

// String is the fault as a failed run prints it.
func (f fault) String() string {
	return fmt.Sprintf("  %12s for %-10s %s %v %s", f.At.Round(time.Second), f.Length.Round(time.Second), f.Kind,
		f.By.Round(time.Millisecond), f.Mode)
}

// plan is all that goes wrong, in its order.
type plan struct {
	length time.Duration
	faults []fault
	start  time.Time
}

// String is the whole plan, a fault a line.
func (p plan) String() string {
	var b strings.Builder
	for _, f := range p.faults {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// The longest of two faults, which hold up a change on its way to the feed.
const (
	longestRefusal = 10 * time.Minute
	latestStream   = 5 * time.Minute
)

// draw draws a plan with so many faults of each kind a day. All moments are drawn at random, so faults fall together,
// too.
func (d Days) draw(r *rand.Rand, onAWS bool) plan {
	p := plan{length: d.length, start: time.Now()}
	days := d.length.Hours() / 24
	add := func(aDay float64, one func() fault) {
		// Adding up to one before cutting makes the mean right for short plans.
		for range int(aDay*days + r.Float64()) {
			f := one()
			f.At = time.Duration(r.Int64N(int64(d.length)))
			p.faults = append(p.faults, f)
		}
	}
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(r.Int64N(int64(most-least)))
	}
	add(16, func() fault { return fault{Kind: crash, Length: between(0, time.Minute)} })
	add(8, func() fault { return fault{Kind: deploy, Length: between(0, 10*time.Second)} })
	add(8, func() fault { return fault{Kind: clockJump, By: between(-10*time.Minute, 10*time.Minute)} })
	lasting := func(k kind, longest time.Duration, by time.Duration) {
		add(8, func() fault {
			f := fault{Kind: k, Length: between(10*time.Second, longest)}
			if by > 0 {
				f.By = between(by/40, by)
			}
			return f
		})
	}
	lasting(refusing, longestRefusal, 0)
	if onAWS {
		lasting(unanswered, 20*time.Minute, 0)
		lasting(farAway, 30*time.Minute, 2*time.Second)
		lasting(lateStream, 20*time.Minute, latestStream)
		lasting(repeating, time.Hour, 0)
	} else {
		lasting(slowDisk, 30*time.Minute, 2*time.Second)
		lasting(fullDisk, 20*time.Minute, 0)
		lasting(losing, 20*time.Minute, 0)
	}
	add(16, func() fault {
		return fault{Kind: sick, Length: between(time.Minute, 4*time.Hour), Mode: modes[r.IntN(len(modes))]}
	})
	add(4, func() fault { return fault{Kind: away, Length: between(time.Minute, time.Hour)} })
	slices.SortFunc(p.faults, func(a, b fault) int { return int(a.At - b.At) })
	return p
}

// during are the faults of a kind that last now.
func (p plan) during(now time.Time, k kind) (all []fault) {
	at := now.Sub(p.start)
	for _, f := range p.faults {
		if f.Kind == k && f.At <= at && at < f.At+f.Length && at < p.length {
			all = append(all, f)
		}
	}
	return all
}

// lasts says whether a fault of one of the kinds lasts at some time of this span.
func (p plan) lasts(from, to time.Time, kinds ...kind) bool {
	return slices.ContainsFunc(p.faults, func(f fault) bool {
		return slices.Contains(kinds, f.Kind) && f.At < to.Sub(p.start) &&
			from.Sub(p.start) < min(f.At+f.Length, p.length)
	})
}

// longer is by how much the faults of that kind, all together, make something longer now.
func (p plan) longer(now time.Time, k kind) (by time.Duration) {
	for _, f := range p.during(now, k) {
		by += f.By
	}
	return by
}

// errFull is what the simulated disk says when it is full.
var errFull = errors.New("simulate: no space left on device")

// A commit takes what it does on a server's SSD, and for each item that it edits its pages.
const (
	commits = 1500 * time.Microsecond
	perEdit = 15 * time.Microsecond
)

// disk takes the time of a commit.
func (p plan) disk(now time.Time, edits int) error {
	took := commits + time.Duration(edits)*perEdit
	time.Sleep(took + p.longer(now, slowDisk))
	if len(p.during(now, fullDisk)) > 0 {
		return errFull
	}
	return nil
}

// crash kills the platform.
func (s *Sim) crash() {
	s.mu.Lock()
	s.crashes = append(s.crashes, time.Now())
	s.mu.Unlock()
	s.forget()
	s.kill()
}

// forget notes that what the one process has charged in its last second is lost: it writes charges down each second.
// A slow disk makes it later, a full one puts it off until it has room again. On AWS nothing is lost.
func (s *Sim) forget() {
	if s.host.OnAWS() {
		return
	}
	const unwritten = 2 * time.Second // a second until they are written down, and the time that takes
	now := time.Now()
	since := now.Add(-unwritten - 3*s.plan.longer(now, slowDisk))
	for earlier := true; earlier; { // a disk may be full again before it had room
		earlier = false
		for _, f := range s.plan.during(since, fullDisk) {
			if from := s.plan.start.Add(f.At - unwritten); from.Before(since) {
				since, earlier = from, true
			}
		}
	}
	for _, shop := range s.shops {
		shop.limits.forget(since)
	}
}

// suffer goes through the plan: it kills, stops and begins the platform, and moves its clock. Faults that
// only last need nobody: whoever they hinder asks the plan (during).
func (s *Sim) suffer() {
	for _, f := range s.plan.faults {
		time.Sleep(time.Until(s.plan.start.Add(f.At)))
		switch f.Kind {
		case crash:
			s.crash()
		case deploy:
			if len(s.plan.during(time.Now(), fullDisk)) > 0 { // a stop that cannot write down its counts loses them
				s.forget()
			}
			s.stop()
		case clockJump:
			s.jump(f.By)
			continue
		default:
			continue
		}
		time.Sleep(f.Length)
		s.begin()
	}
	time.Sleep(time.Until(s.plan.start.Add(s.plan.length)))
}

// On AWS a claim lasts for so long by the platform's clock, and an attempt takes so much of it at most, its places and
// writes included. In the one process a clock that jumps ends no claim.
const (
	claim   = webhook.Lease
	attempt = 15 * time.Second
)

// claimEndedEarly says whether another attempt may have begun before this answer came: the clock had jumped so far
// ahead that the claim of the first one seemed over.
func (s *Sim) claimEndedEarly(answered time.Time) bool {
	at := answered.Sub(s.plan.start)
	return s.host.OnAWS() && slices.ContainsFunc(s.plan.faults, func(f fault) bool {
		return f.Kind == clockJump && f.By > claim-attempt && f.At <= at && at < f.At+claim
	})
}

// span is a stretch of real time.
type span struct{ from, to time.Time }

// lateness is how long a change may wait for its row in the change feed: two faults of the stream at once, and tables
// that refuse.
const lateness = 2*latestStream + longestRefusal

// clocksApart is by how much clocks may differ on AWS (shared/webhook/changefeed).
const clocksApart = 3 * time.Second

// jump moves the platform's clock, and notes from when to when it shows times that it has shown before.
func (s *Sim) jump(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if shown := now.Add(s.skew); shown.After(s.newest) {
		s.newest = shown
	}
	if now.Add(s.skew + by + clocksApart).Before(s.newest) {
		s.setBack = append(s.setBack, span{now.Add(-lateness), s.newest.Add(-s.skew - by)})
	}
	s.skew += by
}

// mayMiss says whether a reader that follows the change feed may miss a change that was made within that time. On AWS
// its order is that of clocks: it does not see what a clock that was set back by minutes puts behind it. Who reads the
// feed from its beginning sees all.
func (s *Sim) mayMiss(made span) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host.OnAWS() && slices.ContainsFunc(s.setBack, func(b span) bool {
		return made.to.After(b.from) && made.from.Before(b.to)
	})
}
