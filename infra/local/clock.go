package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"eshop/functions"
	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/ports/secret/file"
	"eshop/shared/record/field"
)

// ClockPath is where the operator reads the platform's clock and moves it on (contract, "The clock").
const ClockPath = "/operator/clock"

// clockFile is the file of the data folder that says how far ahead the clock is, as a Go duration.
const clockFile = "clock"

// How far the clock is moved at once, and how.
const (
	maxAdvance   = 366 * 24 * time.Hour
	shortestStep = 100 * time.Millisecond // what is due closer together is done together
	longestStep  = time.Hour              // what is due at no moment, as work whose process died, is looked for
	advanceTakes = 20 * time.Second       // of real time, after which a call answers how much is left
	stepTakes    = 15 * time.Second       // of real time, for what a step has made due: an attempt takes up to 10 s
	// AdvanceAnswers is how long an answer takes at most: the last step may begin when advanceTakes is nearly over.
	AdvanceAnswers = advanceTakes + 2*stepTakes + handleBudget
)

// now is the platform's time: the settings' clock, moved on by what was asked for. What is signed, and dates that
// receivers send, have the settings' clock (host.World.Wall): receivers have it too, and refuse old timestamps.
func (s *Server) now() time.Time { return s.settings.Now().Add(time.Duration(s.ahead.Load())) }

// loadClock reads how far ahead the clock is. Time that data have seen is never taken back, so a production cannot
// begin with them.
func (s *Server) loadClock() error {
	text, err := file.Read(s.path(clockFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ahead, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || ahead < 0 {
		return fmt.Errorf("the file %s of the data folder holds no duration like 68h0m0s: restore it, or begin "+
			"with another DATA, because the clock never goes back", clockFile)
	}
	if ahead > 0 && s.settings.production() {
		return fmt.Errorf("the clock of this data folder is %s ahead (eshop clock): begin production with another DATA",
			ahead)
	}
	s.ahead.Store(int64(ahead))
	return nil
}

// registerClock registers the operations on the clock, which no production has.
func (s *Server) registerClock(a *api.API) {
	if s.Platform.Production() {
		return
	}
	api.Add(a, api.Op{Route: "GET " + ClockPath, ID: "readClock", Tag: "Operator",
		Summary: "Read the platform's clock"},
		func(*api.Call, *struct{}) (*api.Plain[Clock], error) { return api.PlainOf(s.clock(0)), nil })
	api.Add(a, api.Op{Route: "POST " + ClockPath, ID: "advanceClock", Tag: "Operator", Status: 200,
		Summary: "Move the platform's clock on"}, s.advanceClock)
}

// Clock is what time it is on the platform.
type Clock struct {
	Now   field.Time `json:"now"`
	Ahead string     `json:"ahead" doc:"How far it is ahead of the machine's clock"`
	Left  string     `json:"left,omitempty" doc:"What of the move is left, when there was too much to do for one call"`
}

// clock is the clock as it is shown, in the midst of a move of which so much is left.
func (s *Server) clock(left time.Duration) Clock {
	c := Clock{Now: field.At(s.now()), Ahead: time.Duration(s.ahead.Load()).String()}
	if left > 0 {
		c.Left = left.String()
	}
	return c
}

// advance is a move of the clock that is asked for.
type advance struct {
	Body struct {
		Advance string `json:"advance" maxLength:"40" doc:"A duration in d, h, m and s: 20d, 68h, 1h30m"`
	}
}

// Ahead is a duration as people say it to the clock. Guides speak of days, so there is a d beside what a Go duration
// has.
func Ahead(word string) (time.Duration, error) {
	days, rest, has := strings.Cut(word, "d")
	if !has {
		return time.ParseDuration(word)
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || rest == "" {
		return time.Duration(n) * 24 * time.Hour, err
	}
	d, err := time.ParseDuration(rest)
	return time.Duration(n)*24*time.Hour + d, err
}

// advanceClock moves the clock on. When it answers without left, all that had to wait for that time was done, or begun:
// what hangs, as a receiver that does not answer, goes on by itself.
func (s *Server) advanceClock(c *api.Call, in *advance) (*api.Plain[Clock], error) {
	by, err := Ahead(in.Body.Advance)
	if err != nil || by < time.Second || by > maxAdvance {
		var faults problem.Faults
		faults.Add("advance", problem.BadFormat, "must be a duration in d, h, m and s from 1s to %s, like 68h",
			maxAdvance)
		return nil, faults.Err()
	}
	s.moving.Lock()
	defer s.moving.Unlock()
	left, err := s.moveClock(c, by)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(s.clock(left)), nil
}

// moveClock moves the clock on and returns what is left when advanceTakes is over. It goes step by step, each to what
// is due next, and waits after each for what that has made due, up to stepTakes. So an attempt, probe or end of
// something begins at most shortestStep late on the platform's clock, however long the move is, beside the real time
// that it waits for its turn. Work that is due at no moment of its own, such as that of a process that died, is looked
// for after each step, up to longestStep late.
func (s *Server) moveClock(ctx context.Context, by time.Duration) (left time.Duration, err error) {
	began := time.Now()
	// The end of the move comes first, so that no start after a crash finds a clock that goes back.
	if err := s.keepClock(time.Duration(s.ahead.Load()) + by); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.keepClock(time.Duration(s.ahead.Load()))) }()
	s.settle(ctx, stepTakes)
	var ticks []*host.Tick
	var runs []func(context.Context) error
	for _, f := range functions.List {
		// What tries the platform from outside would find a clock that jumps.
		if f.Tick != nil && !f.Outside {
			ticks, runs = append(ticks, f.Tick), append(runs, f.Tick.Handler(s.Platform))
		}
	}
	for gone := time.Duration(0); gone < by; {
		if ctx.Err() != nil || time.Since(began) > advanceTakes {
			return by - gone, nil
		}
		next, err := s.nextDue(ctx, ticks)
		if err != nil {
			return by - gone, err
		}
		step := min(by-gone, max(next, shortestStep))
		gone += step
		s.ahead.Add(int64(step))
		for _, q := range s.queues {
			q.Advance(step)
		}
		for _, run := range runs {
			if err := tickOnce(ctx, run); err != nil {
				return by - gone, err
			}
		}
		s.settle(ctx, stepTakes)
	}
	return 0, nil
}

// nextDue is how long it takes until the next message of a queue or the next work of a scheduled run is due, at most
// longestStep.
func (s *Server) nextDue(ctx context.Context, ticks []*host.Tick) (time.Duration, error) {
	soonest := longestStep
	for _, q := range s.queues {
		if in, waits := q.Next(); waits {
			soonest = min(soonest, in)
		}
	}
	for _, t := range ticks {
		if t.Next == nil {
			continue
		}
		in, err := t.Next(ctx, s.Platform)
		if err != nil {
			return 0, err
		}
		if in > 0 {
			soonest = min(soonest, in)
		}
	}
	return soonest, nil
}

// keepClock writes down how far ahead the clock is.
func (s *Server) keepClock(ahead time.Duration) error {
	return file.Write(s.path(clockFile), []byte(ahead.String()+"\n"))
}

// settle waits until nothing is under way: all changes have become webhooks, and all webhooks that are due were tried.
// What takes longer than the patience goes on by itself.
func (s *Server) settle(ctx context.Context, patience time.Duration) {
	ctx, over := context.WithTimeout(ctx, patience)
	defer over()
	for !s.quiet() && guard.Wait(ctx, time.Millisecond) {
	}
}

// quiet says whether all followers of the feed have handled what was written, and no message waits or is handled.
func (s *Server) quiet() bool {
	for _, name := range append([]string{""}, host.Followers(functions.List)...) { // the first one has no name
		if s.db.Table("main").Lag(name) != nil {
			return false
		}
	}
	for _, q := range s.queues {
		if ready, _, onLoan := q.Depth(); ready+onLoan > 0 {
			return false
		}
	}
	return true
}

// dated gives answers the platform's date while its clock is ahead: clients ask for what comes from then on.
func (s *Server) dated(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.ahead.Load() > 0 {
			w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
		}
		h.ServeHTTP(w, r)
	})
}
