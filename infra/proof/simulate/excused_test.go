package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostOnAWS is a host of which nothing is asked but where it is.
type hostOnAWS struct {
	Host
	is bool
}

func (h hostOnAWS) OnAWS() bool { return h.is }

// planned is a simulation with a plan of two hours that began at the time 0, in which nothing runs.
func planned(onAWS bool, faults ...fault) *Sim {
	return &Sim{host: hostOnAWS{is: onAWS}, course: Days{},
		plan: plan{length: 2 * time.Hour, start: time.Unix(0, 0), faults: faults}}
}

// at is so long after the start.
func at(d time.Duration) time.Time { return time.Unix(0, 0).Add(d) }

// TestWhatIsExcused: an answer may be forgotten for these reasons and no others. Were all excused, every run would be
// green.
func TestWhatIsExcused(t *testing.T) {
	full := fault{At: time.Hour, Length: 10 * time.Minute, Kind: fullDisk}
	toTheEnd := fault{At: 115 * time.Minute, Length: time.Hour, Kind: refusing}
	far := fault{At: time.Hour, Length: time.Hour, Kind: farAway}
	jump := func(by time.Duration) fault { return fault{At: time.Hour, Kind: clockJump, By: by} }
	for name, c := range map[string]struct {
		sim      *Sim
		answered time.Duration
		kept     bool
	}{
		"nothing is wrong":              {planned(false), time.Hour, true},
		"long before the disk is full":  {planned(false, full), 58 * time.Minute, true},
		"just before the disk is full":  {planned(false, full), time.Hour - time.Second, false},
		"while the disk is full":        {planned(false, full), 69 * time.Minute, false},
		"once the disk has room":        {planned(false, full), 70 * time.Minute, true},
		"while tables refuse":           {planned(true, toTheEnd), 119 * time.Minute, false},
		"when all faults are over":      {planned(true, toTheEnd), 2 * time.Hour, true},
		"behind another fault":          {planned(true, far), time.Hour, true},
		"behind a jump over a claim":    {planned(true, jump(time.Minute)), time.Hour + 20*time.Second, false},
		"long behind such a jump":       {planned(true, jump(time.Minute)), time.Hour + claim, true},
		"behind a jump within a claim":  {planned(true, jump(claim-attempt)), time.Hour, true},
		"behind a jump back":            {planned(true, jump(-time.Minute)), time.Hour, true},
		"behind a jump, in one process": {planned(false, jump(time.Minute)), time.Hour, true},
	} {
		require.Equal(t, c.kept, c.sim.kept(at(c.answered)), name)
	}
	crashed := planned(false)
	crashed.crashes = []time.Time{at(time.Hour)}
	for after, kept := range map[time.Duration]bool{-time.Minute: true, 1 - time.Minute: false, 0: false,
		time.Minute - 1: false, time.Minute: true} {
		require.Equal(t, kept, crashed.kept(at(time.Hour+after)), after)
	}
}

// TestNoAnswerIsExcusedByTheseAlone: beside any other fault the platform serves.
func TestNoAnswerIsExcusedByTheseAlone(t *testing.T) {
	for _, k := range []kind{crash, deploy, clockJump, sick, away, refusing, slowDisk, fullDisk, losing, unanswered,
		farAway, lateStream, repeating} {
		s := planned(true, fault{At: time.Hour, Length: time.Minute, Kind: k})
		s.plan.start = time.Now().Add(-time.Hour - time.Minute)
		is := k == refusing || k == fullDisk || k == unanswered
		require.Equal(t, is, s.excused(time.Now()), k)
		require.Equal(t, is, s.excused(time.Now().Add(-time.Minute)), k)
		require.False(t, s.excused(time.Now().Add(11*time.Second)), k)
	}
}

// TestWhatAFollowerOfTheFeedMayMiss: what is made while a clock shows times that it had shown before.
func TestWhatAFollowerOfTheFeedMayMiss(t *testing.T) {
	instant := func(at time.Time) span { return span{at, at} }
	for _, onAWS := range []bool{true, false} {
		s := planned(onAWS)
		now := time.Now()
		s.jump(-10 * time.Minute)
		require.Equal(t, onAWS, s.mayMiss(instant(now.Add(9*time.Minute))))
		require.Equal(t, onAWS, s.mayMiss(instant(now.Add(-lateness+time.Minute))), "its row may be still to come")
		require.Equal(t, onAWS, s.mayMiss(span{now.Add(-time.Hour), now.Add(time.Hour)}))
		require.False(t, s.mayMiss(instant(now.Add(11*time.Minute))))
		require.False(t, s.mayMiss(instant(now.Add(-lateness-time.Minute))))
	}
	for _, by := range []time.Duration{10 * time.Minute, -clocksApart} {
		s := planned(true)
		s.jump(by)
		require.False(t, s.mayMiss(span{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)}), by)
	}
}
