package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Excused is what a run let pass only because something was going wrong, beside all that was looked at, by what that
// is: requests, webhooks, rows of the change feed. Were all excused, every run would be green.
type Excused struct{ all []excused }

// excused is what is excused of one thing.
type excused struct {
	of     string
	looked int
	whys   []string
	counts map[string]int // by why
}

// What can be excused.
const (
	requests = "requests"
	webhooks = "webhooks"
	rows     = "rows of the feed"
)

// Requests adds requests that were looked at. What is excused of them the History and Windows say.
func (e *Excused) Requests(looked int) { e.of(requests).looked += looked }

// add adds what was excused of something, for that reason.
func (e *Excused) add(of, why string, n int) {
	one := e.of(of)
	if _, has := one.counts[why]; !has {
		one.whys = append(one.whys, why)
	}
	one.counts[why] += n
}

// of is what is excused of that.
func (e *Excused) of(what string) *excused {
	at := slices.IndexFunc(e.all, func(o excused) bool { return o.of == what })
	if at < 0 {
		at = len(e.all)
		e.all = append(e.all, excused{of: what, counts: map[string]int{}})
	}
	return &e.all[at]
}

// sum is how many of them are excused.
func (o excused) sum() (sum int) {
	for _, n := range o.counts {
		sum += n
	}
	return sum
}

// String is what is excused of one thing, for people.
func (o excused) String() string {
	var whys []string
	for _, why := range o.whys {
		whys = append(whys, fmt.Sprintf("%d %s", o.counts[why], why))
	}
	percent := 100 * float64(o.sum()) / float64(max(o.looked, 1))
	return fmt.Sprintf("%.2f %% of %d %s (%s)", percent, o.looked, o.of, strings.Join(whys, ", "))
}

// String is a line for people.
func (e *Excused) String() string {
	var all []string
	for _, o := range e.all {
		all = append(all, o.String())
	}
	return "excused " + strings.Join(all, ", ")
}

// Check returns an error when more than so many percent of the requests, the webhooks or the rows are excused.
func (e *Excused) Check(most int) error {
	var errs []error
	for _, o := range e.all {
		if o.sum()*100 > o.looked*most {
			errs = append(errs, fmt.Errorf("more than %d %% is excused: %s", most, o))
		}
	}
	return errors.Join(errs...)
}
