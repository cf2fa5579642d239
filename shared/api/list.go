package api

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// List is the query of every collection that goes by (changed, id) (contract, section 2, "Collections").
type List struct {
	Paging
	Order          string `query:"order[changed]" enum:"asc,desc" doc:"asc (default) or desc"`
	After          string `query:"changed[after]" maxLength:"64" doc:"Changed at or after this moment: RFC 3339, or a date for its 00:00 UTC"`
	Before         string `query:"changed[before]" maxLength:"64" doc:"Changed at or before this moment"`
	StrictlyAfter  string `query:"changed[strictly_after]" maxLength:"64" doc:"Changed after this moment"`
	StrictlyBefore string `query:"changed[strictly_before]" maxLength:"64" doc:"Changed before this moment"`
}

// CreatedList is the query of collections that go by (created, id): tokens, signing keys, deliveries.
type CreatedList struct {
	Paging
	Order          string `query:"order[created]" enum:"asc,desc" doc:"asc (default) or desc"`
	After          string `query:"created[after]" maxLength:"64" doc:"Created at or after this moment: RFC 3339, or a date for its 00:00 UTC"`
	Before         string `query:"created[before]" maxLength:"64" doc:"Created at or before this moment"`
	StrictlyAfter  string `query:"created[strictly_after]" maxLength:"64" doc:"Created after this moment"`
	StrictlyBefore string `query:"created[strictly_before]" maxLength:"64" doc:"Created before this moment"`
}

// Paging is how much of a collection is asked for, and from where.
type Paging struct {
	ItemsPerPage int    `query:"itemsPerPage" minimum:"1" maximum:"250" default:"50" doc:"At most so many items in the page"`
	Cursor       string `query:"cursor" maxLength:"8192" doc:"Where to go on: nextCursor of the page before. It keeps filters and order."`
}

// span is a range of moments, both ends inclusive, in milliseconds; zero is open.
type span struct{ from, to time.Time }

// holds says whether the moment is in the range.
func (s span) holds(t time.Time) bool {
	return (s.from.IsZero() || !t.Before(s.from)) && (s.to.IsZero() || !t.After(s.to))
}

// Range reads the four bounds of a list on a field: "changed" or "created".
func rangeOf(field, after, before, strictlyAfter, strictlyBefore string) (span, error) {
	var faults []problem.Fault
	read := func(name, s string, round, step time.Duration) (t time.Time) {
		if s == "" {
			return t
		}
		t, ok := Moment(s)
		if !ok {
			faults = append(faults, problem.Fault{Location: "query." + field + "[" + name + "]", Code: problem.BadFormat,
				Message: "must be RFC 3339 with Z or an offset, or a date"})
		}
		return later(t.Add(round).Truncate(time.Millisecond).Add(step), epoch)
	}
	up := time.Millisecond - time.Nanosecond
	s := span{from: later(read("after", after, up, 0), read("strictly_after", strictlyAfter, 0, time.Millisecond)),
		to: earlier(read("before", before, 0, 0), read("strictly_before", strictlyBefore, up, -time.Millisecond))}
	if len(faults) > 0 {
		return s, problem.Invalid(faults...)
	}
	return s, nil
}

// epoch is where stamps begin: nothing was changed before it, nor at it, so an earlier bound means the same.
var epoch = time.Unix(0, 0).UTC()

// Moment reads a moment of a query: RFC 3339 with Z or an offset, or a date for its 00:00 UTC.
func Moment(s string) (time.Time, bool) {
	if t, err := time.Parse(time.DateOnly, s); len(s) == len(time.DateOnly) && err == nil {
		return t, spelt(t)
	}
	t, ok := rfc3339(s)
	return t.UTC(), ok
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Rows says where a collection's index rows are. Their sort keys are Stamp + "#" + id, over all partitions unique.
type Rows struct {
	Table interface {
		Query(context.Context, store.Query) (store.Page, error)
	}
	Index      store.Index
	Partitions []string
	From, To   string // of the sort keys, both inclusive, where the partitions hold more than the collection
}

// Shown is a record as a page shows it. Left out of the page when it is gone (Gone), or when its At (changed or created)
// has left what was asked for.
type Shown[T any] struct {
	Record T
	At     time.Time
	Size   int // about how many bytes its JSON takes
	Gone   bool
}

// A page ends at maxPage bytes of records or maxRows rows looked at.
const (
	maxPage = 4 << 20
	maxRows = 2_000
)

// Page is the page of the collection that l asks for: load shows the records of index rows, in their order.
func (l List) page() (span, string, error) {
	s, err := rangeOf("changed", l.After, l.Before, l.StrictlyAfter, l.StrictlyBefore)
	return s, l.Order, err
}

func (l CreatedList) page() (span, string, error) {
	s, err := rangeOf("created", l.After, l.Before, l.StrictlyAfter, l.StrictlyBefore)
	return s, l.Order, err
}

func (p Paging) page() (span, string, error) { return span{}, "", nil }

func (p Paging) size() int { return max(1, p.ItemsPerPage) }

// Listed is a List, a CreatedList, or bare Paging of what has neither moment.
type Listed interface {
	page() (span, string, error)
	size() int
}

// Page reads the page that l asks for out of the rows. load shows the records of some rows, in their order; it is called
// as often as it takes to fill the page.
func Page[T any](ctx context.Context, l Listed, rows Rows, load func(context.Context, []store.Item) ([]Shown[T], error)) (*Collection[T], error) {
	s, order, err := l.page()
	if err != nil {
		return nil, err
	}
	c := From(ctx)
	w := walk{rows: rows, descending: order == "desc", after: c.after, from: cmp.Or(stampFrom(s.from), rows.From), to: cmp.Or(stampTo(s.to), rows.To)}
	out := &Collection[T]{Body: Items[T]{Items: []T{}}}
	bytes, looked := 0, 0
	for len(out.Body.Items) < l.size() && bytes < maxPage && looked < maxRows && !w.ended {
		found, err := w.next(ctx, min(l.size()-len(out.Body.Items), maxRows-looked))
		if err != nil {
			return nil, err
		}
		looked += len(found)
		shown, err := load(ctx, found)
		if err != nil {
			return nil, err
		}
		for i, x := range shown {
			if bytes >= maxPage {
				w.back(sortKey(rows.Index, found[i-1]))
				break
			}
			if !x.Gone && s.holds(x.At) {
				out.Body.Items = append(out.Body.Items, x.Record)
				bytes += x.Size
			}
		}
	}
	if !w.ended {
		out.next(c, w.after)
	}
	return out, nil
}

// One is the page of a filter that at most one record can match.
func One[T any](ctx context.Context, l Listed, found ...Shown[T]) (*Collection[T], error) {
	s, _, err := l.page()
	if err != nil {
		return nil, err
	}
	out := &Collection[T]{Body: Items[T]{Items: []T{}}}
	for _, x := range found {
		if !x.Gone && s.holds(x.At) {
			out.Body.Items = append(out.Body.Items, x.Record)
		}
	}
	return out, nil
}

func stampFrom(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return id.Stamp(t)
}

func stampTo(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return id.Stamp(t) + "~"
}

// walk goes through the partitions of a collection as if they were one.
type walk struct {
	rows       Rows
	descending bool
	after      string // the sort key behind which to go on
	from, to   string
	ended      bool
}

// back makes the walk go on behind a row that is not its last.
func (w *walk) back(after string) { w.after, w.ended = after, false }

func (w *walk) next(ctx context.Context, n int) ([]store.Item, error) {
	pages := make([]store.Page, len(w.rows.Partitions))
	errs := guard.Each(ctx, len(pages), func(i int) (err error) {
		pages[i], err = w.rows.Table.Query(ctx, store.Query{Index: w.rows.Index, PK: w.rows.Partitions[i], From: w.from, To: w.to,
			After: w.after, Descending: w.descending, Limit: n})
		return err
	})
	if err := guard.First(errs); err != nil {
		return nil, err
	}
	return w.merge(pages, n), nil
}

// merge is the first n rows of all pages in order. A partition whose page is not its last hides what may lie behind it,
// so rows beyond the end of such a page wait for the next round.
func (w *walk) merge(pages []store.Page, n int) []store.Item {
	var all []store.Item
	horizon := ""
	for _, p := range pages {
		all = append(all, p.Items...)
		if p.Next != "" && (horizon == "" || w.before(p.Next, horizon)) {
			horizon = p.Next
		}
	}
	key := func(i store.Item) string { return sortKey(w.rows.Index, i) }
	slices.SortFunc(all, func(a, b store.Item) int {
		c := strings.Compare(key(a), key(b))
		if w.descending {
			return -c
		}
		return c
	})
	if horizon != "" {
		all = slices.DeleteFunc(all, func(i store.Item) bool { return w.before(horizon, key(i)) })
	}
	cut := len(all) > n
	if cut {
		all = all[:n]
	}
	w.ended = horizon == "" && !cut
	if len(all) > 0 {
		w.after = key(all[len(all)-1])
	} else if horizon != "" {
		w.after = horizon
	}
	return all
}

// before says whether sort key a comes before b in the walk's direction.
func (w *walk) before(a, b string) bool {
	if w.descending {
		return a > b
	}
	return a < b
}

func sortKey(index store.Index, i store.Item) string {
	switch index {
	case store.Index1:
		return i.Index1.SK
	case store.Index2:
		return i.Index2.SK
	}
	return i.SK
}

// next gives the page its cursor and its link.
func (o *Collection[T]) next(c *Call, after string) {
	o.Body.NextCursor = c.api.cursor(c, after)
	q := url.Values{"cursor": {o.Body.NextCursor}}
	if n := c.query.Get("itemsPerPage"); n != "" {
		q.Set("itemsPerPage", n)
	}
	o.Link = "<" + c.api.BaseURL + c.r.URL.EscapedPath() + "?" + q.Encode() + `>; rel="next"`
}

// GoOn makes the page one that goes on behind a position, which the operation reads again as Call.Position.
func (o *Collection[T]) GoOn(c *Call, position string) { o.next(c, position) }

// Position is where the request's cursor goes on; "" without one.
func (c *Call) Position() string { return c.after }

// PerPage is how many items the page may hold at most.
func (p Paging) PerPage() int { return p.size() }
