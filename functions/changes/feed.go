// Package changes is the change feed: what happened to a shop's records, for those who would rather pull than be
// called, or who were away (contract, "Change feed").
//
// # A tour
//
// What comes in is one operation, in api.go. It reads the rows that the batcher has written, in the order of the times
// that the batcher gave them, from the position in the request's cursor or its `from`. It never skips a row;
// shared/webhook/changefeed says why. In the one process, a page that has room waits until the batcher has handled what
// was acknowledged before.
//
// What goes out are entries (feed.go), one for each record of a change, and a cursor with the next position.
//
// # Promises
//
//   - A change that was there is in some page: a poller that goes on with nextCursor misses none.
//   - A change may come twice, and pages may be empty: only the same cursor again means that there is nothing newer.
//   - A position older than 30 days is 410 `feed_expired`, and never a gap that nobody hears of.
//
// # Glossary
//
//   - row: a change as the batcher wrote it. It may have many records.
//   - entry: one record of a change, as the answer shows it.
//   - type: the kind of a record, by which a client chooses entries.
//   - position: where reading goes on: at a moment, or behind a number of records of a row. A cursor is a position,
//     sealed.
package changes

import (
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/webhook/changefeed"
)

// Change is one record's change as the feed shows it.
type Change struct {
	Type      field.RecordKind `json:"type" example:"products"`
	ID        string           `json:"id"`
	Variants  []string         `json:"variantIds,omitempty" doc:"The ids of a product's variants: all of them when it was made or deleted, else those touched"`
	Change    events.Did       `json:"change" enum:"created,changed,deleted"`
	Groups    field.Groups     `json:"groups,omitempty" doc:"What changed, in the words of X-Webhook-Changed"`
	Version   string           `json:"version" doc:"The record's version from then on, as its ETag holds it"`
	At        field.Time       `json:"at" doc:"When the record changed: its changed from then on, which rises strictly with each version"`
	By        events.By        `json:"by" enum:"self,package,admin,shopper,operator,platform" doc:"Who made the change: self is your own access, package another add-on"`
	RequestID string           `json:"requestId" doc:"The X-Request-Id that the change was asked for with, else the platform's own"`
}

// entry is a record of a change as the feed shows it. Its moment is that of the record's version, which rises with each
// change of the record. The moment of the whole change need not rise, because many changes may touch the record at
// once. pkg is the package of who reads.
func entry(c events.Change, r events.Record, pkg string) Change {
	at := record.ChangedAt(r.Version)
	if at < 0 {
		at = field.Time(c.At) // the version is no id
	}
	return Change{Type: field.RecordKind(r.Kind), ID: r.ID, Variants: r.Variants, Change: r.Did, Groups: r.Groups,
		Version: r.Version, At: at, By: c.By.To(pkg), RequestID: c.RequestID()}
}

// needed is the permission that a type takes; false if there is no such type.
func needed(t string) (permission.Permission, bool) {
	for _, s := range events.Subjects {
		if string(s.Kind) == t {
			return s.Needs, true
		}
	}
	return "", false
}

// lacking is the first permission that the types ask for and the caller lacks; "" if it lacks none. Without types the
// caller needs the permission of any one type.
func lacking(caller *change.Caller, types string) permission.Permission {
	if types == "" {
		for _, s := range events.Subjects {
			if caller.Has(s.Needs) {
				return ""
			}
		}
		return events.Subjects[0].Needs
	}
	for t := range strings.SplitSeq(types, ",") {
		if p, known := needed(t); known && !caller.Has(p) {
			return p
		}
	}
	return ""
}

// wanted are the types asked for, else all that the caller may read.
func wanted(c *change.Caller, types string) (map[events.RecordKind]bool, error) {
	want := map[events.RecordKind]bool{}
	if types == "" {
		for _, s := range events.Subjects {
			want[s.Kind] = c.Has(s.Needs)
		}
		return want, nil
	}
	for t := range strings.SplitSeq(types, ",") {
		if _, known := needed(t); !known {
			return nil, problem.Invalid(problem.Fault{Location: "query.types", Code: problem.BadFormat,
				Message: unknown(t)})
		}
		want[events.RecordKind(t)] = true
	}
	return want, nil
}

// unknown is the fault of a word that is no type: it names the types, and the one that was probably meant.
func unknown(word string) string {
	all, ours := make([]string, len(events.Subjects)), map[string]bool{}
	for i, s := range events.Subjects {
		all[i] = string(s.Kind)
		ours[all[i]] = true
	}
	message := "must be of " + strings.Join(all, ", ") + ", with commas between"
	if meant := api.Suggest(word, ours); meant != "" {
		message += "; `" + meant + "` is one"
	}
	return message
}

// position is where a reader goes on: at a row, or at a moment at which there need be no row.
type position struct {
	row   string // sort key of a row, or the one that changefeed.SortKey makes of a moment
	given int    // how many records of that row were given, or wholeRow
}

// wholeRow says that all records of a row were given.
const wholeRow = -1

// String is the position as a cursor holds it.
func (p position) String() string { return p.row + ";" + strconv.Itoa(p.given) }

// parsePosition reads what String wrote.
func parsePosition(s string) (p position, ok bool) {
	row, given, ok := strings.Cut(s, ";")
	if !ok {
		return p, false
	}
	n, err := strconv.Atoi(given)
	return position{row, n}, err == nil && !changefeed.TimeOf(row).IsZero()
}

// positionOf is the position of a moment.
func positionOf(t time.Time) position { return position{row: changefeed.SortKey(t)} }

// time is the moment of the position: when its row was written.
func (p position) time() time.Time { return changefeed.TimeOf(p.row) }

// expired is the 410 of a position, or of a `from`, that is older than what the feed holds.
func expired() error {
	return &problem.Problem{Status: 410, Code: "feed_expired",
		Detail: "The change feed goes back 30 days: begin anew with an export, then follow it from before you asked."}
}

// positionFrom is the position of a request without a cursor: its from, or as far back as the feed goes.
func positionFrom(from string, now time.Time) (position, error) {
	oldest := now.Add(-changefeed.Retention)
	if from == "" {
		return positionOf(oldest), nil
	}
	t, _ := api.Moment(from) // which the chain has checked
	switch {
	case t.After(now):
		return position{}, problem.Invalid(problem.Fault{Location: "query.from", Code: problem.TooBig,
			Message: "must not be in the future"})
	case t.Before(oldest):
		return position{}, expired()
	}
	return positionOf(t), nil
}
