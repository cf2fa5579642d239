package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// step is one thing that is done, with its check.
type step struct {
	name   string
	wants  string        // what is so when the step has passed
	within time.Duration // it has failed after that
	do     func(ctx context.Context, w *walk) (found string, err error)
}

// How a step has ended.
const (
	passed  = "passed"
	skipped = "skipped"
	failed  = "failed"
	notRun  = "not run" // a step before has failed
)

// result is how a step has ended, with what was found, or why not.
type result struct {
	Step    string  `json:"step"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Said    string  `json:"said"`
}

// errFailed is the error of a walk that did not come to its end.
var errFailed = errors.New("not all steps have passed")

// goThrough does the steps one after the other until one fails, and tells each one's beginning and end to out. Those
// that the place lacks are skipped by name; a lack that is no step's name is an error.
func goThrough(ctx context.Context, w *walk, steps []step, out io.Writer) ([]result, error) {
	lacks := w.place.Lacks()
	names := map[string]bool{}
	for _, s := range steps {
		names[s.name] = true
	}
	for name := range lacks {
		if !names[name] {
			return nil, fmt.Errorf("there is no step %q that could be skipped", name)
		}
	}
	var all []result
	var broken error // what a step has against the place
	for _, s := range steps {
		r := result{Step: s.name, State: notRun}
		why, lacking := lacks[s.name]
		switch {
		case broken != nil:
		case lacking:
			r.State, r.Said = skipped, why
		default:
			fmt.Fprintf(out, "%s  %-11s  …\n", time.Now().Format(time.TimeOnly), s.name)
			r, broken = s.run(ctx, w)
		}
		switch r.State {
		case passed, skipped:
			fmt.Fprintf(out, "%s  %-11s  %s in %.0f s: %s\n", time.Now().Format(time.TimeOnly), s.name, r.State,
				r.Seconds, r.Said)
		case failed:
			fmt.Fprintln(out, "\n"+broken.Error())
		}
		all = append(all, r)
	}
	if broken != nil {
		return all, errFailed
	}
	return all, nil
}

// run does the step. Its error says what was expected, and how to clean up.
func (s step) run(ctx context.Context, w *walk) (result, error) {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	found, err := s.do(limited, w)
	r := result{Step: s.name, State: passed, Said: found, Seconds: time.Since(began).Seconds()}
	if err == nil {
		return r, nil
	}
	r.State, r.Said = failed, err.Error()
	if ctx.Err() != nil {
		r.Said = "interrupted"
	}
	return r, fmt.Errorf("%s: expected within %s that %s\nbut: %s\n%s", s.name, s.within, s.wants, r.Said, w.cleanUp())
}

// table writes the results in columns for people.
func table(all []result, out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nstep\tended\tseconds\twhat was found")
	for _, r := range all {
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%s\n", r.Step, r.State, r.Seconds, firstLine(r.Said))
	}
	t.Flush()
}

// asJSON writes each result as an object in a line of its own, for programs.
func asJSON(all []result, out io.Writer) {
	lines := json.NewEncoder(out)
	for _, r := range all {
		_ = lines.Encode(r)
	}
}
