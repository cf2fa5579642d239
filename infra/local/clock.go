package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"eshop/functions"
	"eshop/shared/api"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/problem"
	"eshop/shared/secret/file"
)

// ClockPath is where the operator reads the platform's clock and moves it on (contract, section 10).
const ClockPath = "/operator/clock"

// clockFile is the file of the data folder that says how far ahead the clock is, as a Go duration.
const clockFile = "clock"

// How far the clock is moved at once, and how.
const (
	maxAdvance   = 366 * 24 * time.Hour
	firstStep    = 10 * time.Second // of a move, as the first retry
	longestStep  = 10 * time.Minute
	advanceTakes = 20 * time.Second // of real time, after which a call answers how much is left
	stepTakes    = 15 * time.Second // of real time, for what a step has made due: an attempt takes up to 10 s
)

// now is the platform's time: the settings' clock, moved on by what was asked for. Only what is signed has the
// settings' clock, because receivers have it too, and refuse old timestamps.
func (s *Server) now() time.Time { return s.settings.Now().Add(time.Duration(s.ahead.Load())) }

// loadClock reads how far ahead the clock is. Time that data have seen is never taken back, so a production cannot
// begin with them.
func (s *Server) loadClock() error {
	text, err := os.ReadFile(s.path(clockFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ahead, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || ahead < 0 {
		return fmt.Errorf("the file %s of the data folder holds no duration like 68h0m0s: correct it, or delete "+
			"it, and the clock is the machine's again", clockFile)
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
	Now   time.Time `json:"now"`
	Ahead string    `json:"ahead" doc:"How far it is ahead of the machine's clock"`
	Left  string    `json:"left,omitempty" doc:"What of the move is left, when there was too much to do for one call"`
}

// clock is the clock as it is shown, in the midst of a move of which so much is left.
func (s *Server) clock(left time.Duration) Clock {
	c := Clock{Now: s.now().UTC().Truncate(time.Millisecond), Ahead: time.Duration(s.ahead.Load()).String()}
	if left > 0 {
		c.Left = left.String()
	}
	return c
}

// advance is a move of the clock that is asked for.
type advance struct {
	Body struct {
		Advance string `json:"advance" maxLength:"40" doc:"A duration in h, m and s: 68h, 1h30m"`
	}
}

// advanceClock moves the clock on. When it answers without left, all that had to wait for that time is done.
func (s *Server) advanceClock(c *api.Call, in *advance) (*api.Plain[Clock], error) {
	by, err := time.ParseDuration(in.Body.Advance)
	if err != nil || by <= 0 || by > maxAdvance {
		var faults problem.Faults
		faults.Add("advance", problem.BadFormat, "must be a duration in h, m and s from 1s to %s, like 68h", maxAdvance)
		return nil, faults.Err()
	}
	s.moving.Lock()
	defer s.moving.Unlock()
	left, err := s.advance(c, by)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(s.clock(left)), nil
}

// advance moves the clock on and returns what is left when advanceTakes is over. It goes step by step, and waits after
// each until everything is done that was due: so a delivery has all the attempts that its schedule has in that time.
// Steps grow with the way that lies behind, so that short waits are kept as exactly as long ones.
func (s *Server) advance(ctx context.Context, by time.Duration) (left time.Duration, err error) {
	ctx, over := context.WithTimeout(ctx, advanceTakes)
	defer over()
	// The end of the move comes first, so that no start after a crash finds a clock that goes back.
	if err := s.keepClock(time.Duration(s.ahead.Load()) + by); err != nil {
		return 0, err
	}
	s.settle(ctx)
	var ticks []func(context.Context) error
	for _, f := range functions.List {
		if f.Tick != nil {
			ticks = append(ticks, f.Tick.Handler(s.Platform))
		}
	}
	for gone := time.Duration(0); gone < by; {
		if ctx.Err() != nil {
			return by - gone, s.keepClock(time.Duration(s.ahead.Load()))
		}
		step := min(by-gone, max(gone/4, firstStep), longestStep)
		gone += step
		s.ahead.Add(int64(step))
		for _, q := range s.queues {
			q.Advance(step)
		}
		for _, tick := range ticks {
			if err := guard.Do(ctx, func() error { return tick(ctx) }); err != nil && ctx.Err() == nil {
				return 0, err
			}
		}
		s.settle(ctx)
	}
	return 0, nil
}

// keepClock writes down how far ahead the clock is.
func (s *Server) keepClock(ahead time.Duration) error {
	return file.Write(s.path(clockFile), []byte(ahead.String()+"\n"))
}

// settle waits until nothing is under way: all changes have become webhooks, and all webhooks that are due were tried.
// What takes longer than stepTakes goes on by itself.
func (s *Server) settle(ctx context.Context) {
	ctx, over := context.WithTimeout(ctx, stepTakes)
	defer over()
	for s.busy(ctx) && wait(ctx, time.Millisecond) {
	}
}

// busy says whether something is under way. It waits for the feed's followers.
func (s *Server) busy(ctx context.Context) bool {
	for _, name := range append([]string{""}, host.Followers(functions.List)...) {
		if handled := s.db.Table("main").Lag(name); handled != nil {
			return handled(ctx) == nil
		}
	}
	for _, q := range s.queues {
		if ready, _, onLoan := q.Depth(); ready+onLoan > 0 {
			return true
		}
	}
	return false
}

// dated gives answers the platform's date where that is not the machine's, by which clients ask for what comes from now
// on.
func (s *Server) dated(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.ahead.Load() > 0 {
			w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
		}
		h.ServeHTTP(w, r)
	})
}
