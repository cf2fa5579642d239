package model

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Subject is what an event tells of: a record, by its id, and who did it. By is a word as whoever is told hears it, or,
// before anybody is told, what stands for an add-on (Package).
type Subject struct{ Shop, Event, ID, By string }

// Who did it, as whoever is told hears it (contract, "Who did it"). A package stands for its add-on.
const (
	Self    = "self"
	Another = "package"
	Admin   = "admin"
	Shopper = "shopper"
	add     = "add-on "
)

// Package is the add-on of a package as who did something.
func Package(code string) string { return add + code }

// By is who did it as the add-on of a package is told.
func By(who, code string) string {
	switch {
	case who == Package(code):
		return Self
	case strings.HasPrefix(who, add):
		return Another
	}
	return who
}

// Told is what happened, and what listeners heard of it (contract, "Webhooks"). It is safe for concurrent use.
type Told struct {
	mu      sync.Mutex
	done    map[Subject]int              // changes that were answered
	perhaps map[Subject]int              // changes of which the answer did not say whether they were any
	lost    map[Subject]int              // changes whose answer never came: they were done, or not
	heard   map[string]map[Subject]calls // by listener

	// Kept says whether an answer that came at a time was surely written down: then its call never comes again
	// (contract, "How a delivery ends"). It is not where the process was killed just then, or nothing could be written.
	Kept func(time.Time) bool
}

// calls are when each call, by its webhook id, was answered 2xx.
type calls map[string][]time.Time

// NewTold is one in which nothing has happened.
func NewTold() *Told {
	return &Told{done: map[Subject]int{}, perhaps: map[Subject]int{}, lost: map[Subject]int{},
		heard: map[string]map[Subject]calls{}, Kept: func(time.Time) bool { return true }}
}

// Happened adds a change that listeners must hear of, or, when its answer never came, may hear of.
func (t *Told) Happened(s Subject, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known {
		t.done[s]++
	} else {
		t.lost[s]++
	}
}

// MayHave adds what was perhaps a change: its answer does not say whether all was there already.
func (t *Told) MayHave(s Subject) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.perhaps[s]++
}

// Heard adds a call that came to a listener, which answered it 2xx at that time; the zero time when it did not.
func (t *Told) Heard(listener, webhook string, answered time.Time, subjects ...Subject) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.heard[listener]
	if all == nil {
		all = map[Subject]calls{}
		t.heard[listener] = all
	}
	for _, s := range subjects {
		if all[s] == nil {
			all[s] = calls{}
		}
		answers := all[s][webhook]
		if !answered.IsZero() {
			answers = append(answers, answered)
		}
		all[s][webhook] = answers // also without any: the call has come
	}
}

// answered is how many of the calls were.
func (c calls) answered() (n int) {
	for _, answers := range c {
		if len(answers) > 0 {
			n++
		}
	}
	return n
}

// Listener is who must hear of the events of a shop, and of nothing else. It belongs to the add-on of a package, and
// may want to hear of nothing that this add-on did.
type Listener struct {
	Name, Shop, Package string
	Events              []string
	NotOwn              bool
}

// owed is how often something happened, perhaps happened, and happened unless it was not done.
type owed struct{ done, perhaps, lost int }

// owed is what a listener must hear of, as it is told it.
func (t *Told) owed(l Listener) map[Subject]owed {
	all := map[Subject]owed{}
	add := func(from map[Subject]int, count func(*owed) *int) {
		for s, n := range from {
			s.By = By(s.By, l.Package)
			own := l.NotOwn && s.By == Self && s.Event != "customerErase" // which comes all the same
			if s.Shop == l.Shop && slices.Contains(l.Events, s.Event) && !own {
				o := all[s]
				*count(&o) += n
				all[s] = o
			}
		}
	}
	add(t.done, func(o *owed) *int { return &o.done })
	add(t.perhaps, func(o *owed) *int { return &o.perhaps })
	add(t.lost, func(o *owed) *int { return &o.lost })
	return all
}

// Check returns an error for the first thing that a listener did not hear and must, or heard and must not.
func (t *Told) Check(listener Listener) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	heard, owed := t.heard[listener.Name], t.owed(listener)
	for subject, calls := range heard {
		o, its := owed[subject]
		if !its {
			return fmt.Errorf("%s heard of %+v, which is not its business", listener.Name, subject)
		}
		if n := len(calls); n > o.done+o.perhaps+o.lost {
			return fmt.Errorf("%s heard %d times of %+v, which happened %d times and perhaps %d times more",
				listener.Name, n, subject, o.done, o.perhaps+o.lost)
		}
		for webhook, answers := range calls {
			slices.SortFunc(answers, time.Time.Compare)
			if kept := slices.IndexFunc(answers, t.Kept); kept >= 0 && kept+1 < len(answers) {
				return fmt.Errorf("%s heard the call %s of %+v again at %s, though it answered it at %s", listener.Name,
					webhook, subject, answers[kept+1].Format(time.StampMilli), answers[kept].Format(time.StampMilli))
			}
		}
	}
	for s, o := range owed {
		if n := heard[s].answered(); n < o.done {
			return fmt.Errorf("%s heard %d times of %+v, which happened %d times", listener.Name, n, s, o.done)
		}
	}
	return nil
}

// Excused adds what a listener heard only because something went wrong: calls that came again, though it had answered,
// and calls of changes whose answers never came.
func (t *Told) Excused(l Listener, excused *Excused) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all, again, lost, owed := 0, 0, 0, t.owed(l)
	for s, calls := range t.heard[l.Name] {
		all += len(calls)
		lost += max(0, len(calls)-owed[s].done-owed[s].perhaps)
		for _, answers := range calls {
			again += max(0, len(answers)-1)
		}
	}
	excused.of(webhooks).looked += all
	excused.add(webhooks, "came again", again)
	excused.add(webhooks, "of changes without an answer", lost)
}

// Waits says whether a listener has not heard yet of all that was answered.
func (t *Told) Waits(l Listener) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s, o := range t.owed(l) {
		if t.heard[l.Name][s].answered() < o.done {
			return true
		}
	}
	return false
}

// Entry is one of the change feed.
type Entry struct{ Type, ID, Change, Version, At, By string }

// Did is what a Feed is asked for of a record when no version is known: that somebody, as the reader is told it,
// created, changed or deleted it.
func Did(by, id, change string) string { return by + " " + change + " " + id }

// Feed is what one reader of a shop's change feed has read (contract, "Change feed"). An entry may come twice; what a
// record's entries say of it rises strictly with its version (contract, "Order in time").
type Feed struct {
	has     map[string]bool                // its versions, and what it tells of each record (Did)
	entries map[[2]string]map[string]Entry // of each version, by type and id
}

// Add adds entries that were read.
func (f *Feed) Add(entries ...Entry) error {
	if f.has == nil {
		f.has, f.entries = map[string]bool{}, map[[2]string]map[string]Entry{}
	}
	for _, e := range entries {
		key := [2]string{e.Type, e.ID}
		if f.entries[key] == nil {
			f.entries[key] = map[string]Entry{}
		}
		if before, twice := f.entries[key][e.Version]; twice && before != e {
			return fmt.Errorf("the feed has a version once as %+v and once as %+v", before, e)
		}
		f.has[Did(e.By, e.ID, e.Change)], f.has[e.Version], f.entries[key][e.Version] = true, true, e
	}
	return nil
}

// HasAt says whether the feed tells of a change of one of these records at that moment. A webhook's createdAt is such a
// moment: the newest that it tells of (contract, "Body").
func (f *Feed) HasAt(kind, at string, ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		for _, is := range f.entries[[2]string{kind, id}] {
			if is.At == at {
				return true
			}
		}
		return false
	})
}

// Excused adds what the feed lacks of all that was answered, where that may be.
func (f *Feed) Excused(answered []string, e *Excused) {
	lacks := 0
	for _, a := range answered {
		if !f.has[a] {
			lacks++
		}
	}
	e.of(rows).looked += len(answered)
	e.add(rows, "missed by a follower", lacks)
}

// Tell tells a listener of each entry by the event that is of its change, as if it was a webhook which the listener
// answered: each change is in the feed once, and nothing else is.
func (f *Feed) Tell(t *Told, l Listener) {
	events := map[string]string{"created": "Create", "changed": "Change", "deleted": "Delete"}
	for _, of := range f.entries {
		for _, e := range of {
			event := strings.TrimSuffix(e.Type, "s") + events[e.Change]
			if e.Type == "orders" { // have one event
				event = "orderChange"
			}
			t.Heard(l.Name, e.Version, time.Now(), Subject{l.Shop, event, e.ID, e.By})
		}
	}
}

// Check returns an error unless all that was answered, versions and what Did says, is in the feed, and each record's
// moments rise.
func (f *Feed) Check(answered []string) error {
	var errs []error
	for _, a := range answered {
		if !f.has[a] {
			errs = append(errs, fmt.Errorf("the feed lacks %s, which was answered", a))
		}
	}
	for key, of := range f.entries {
		versions := slices.Sorted(maps.Keys(of))
		for i := 1; i < len(versions); i++ {
			if before, after := of[versions[i-1]], of[versions[i]]; before.At >= after.At {
				errs = append(errs, fmt.Errorf("%s %s: %s at %s, and %s after it at %s", key[0], key[1],
					before.Version, before.At, after.Version, after.At))
			}
		}
	}
	return errors.Join(errs...)
}
