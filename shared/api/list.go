package api

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// PageOf is the page of a collection that a query asks for, but for where it goes on.
func PageOf(l Listed) record.Asked { return l.asked() }

// List is the query of every collection that goes by (changed, id) (contract, "Collections").
type List struct {
	Paging
	Order          string `query:"order[changed]" enum:"asc,desc" doc:"The order of the list: oldest change first (asc) or newest first (desc)"`
	After          string `query:"changed[after]" format:"date-time" maxLength:"64" doc:"Records changed at or after this moment: RFC 3339, or a date for its 00:00 UTC"`
	Before         string `query:"changed[before]" format:"date-time" maxLength:"64" doc:"Records changed at or before this moment"`
	StrictlyAfter  string `query:"changed[strictly_after]" format:"date-time" maxLength:"64" doc:"Records changed after this moment"`
	StrictlyBefore string `query:"changed[strictly_before]" format:"date-time" maxLength:"64" doc:"Records changed before this moment"`
}

// CreatedList is the query of collections that go by (created, id): tokens, signing keys, deliveries.
type CreatedList struct {
	Paging
	Order          string `query:"order[created]" enum:"asc,desc" doc:"The order of the list: oldest change first (asc) or newest first (desc)"`
	After          string `query:"created[after]" format:"date-time" maxLength:"64" doc:"Records created at or after this moment: RFC 3339, or a date for its 00:00 UTC"`
	Before         string `query:"created[before]" format:"date-time" maxLength:"64" doc:"Records created at or before this moment"`
	StrictlyAfter  string `query:"created[strictly_after]" format:"date-time" maxLength:"64" doc:"Records created after this moment"`
	StrictlyBefore string `query:"created[strictly_before]" format:"date-time" maxLength:"64" doc:"Records created before this moment"`
}

// Paging is how much of a collection is asked for, and from where.
type Paging struct {
	ItemsPerPage int    `query:"itemsPerPage" minimum:"1" maximum:"250" default:"50" doc:"The number of items on a page, at most"`
	Cursor       string `query:"cursor" maxLength:"8192" doc:"The place where the page begins: nextCursor of the page before. It keeps filters and order."`
}

// Listed is a List, a CreatedList, or bare Paging of what has neither moment.
type Listed interface{ asked() record.Asked }

func (l List) asked() record.Asked {
	within := rangeOf(l.After, l.Before, l.StrictlyAfter, l.StrictlyBefore)
	return record.Asked{Range: within, Descending: l.Order == "desc", Limit: l.ItemsPerPage}
}

func (l CreatedList) asked() record.Asked { return List(l).asked() }

func (p Paging) asked() record.Asked { return record.Asked{Limit: p.ItemsPerPage} }

// rangeOf reads the four bounds of a list, which the chain has checked. Records have whole milliseconds, so a bound
// between two means the next within it, and none is earlier than the epoch, at which nothing was changed.
func rangeOf(after, before, strictlyAfter, strictlyBefore string) (r record.Range) {
	read := func(s string, round, step time.Duration) time.Time {
		if s == "" {
			return time.Time{}
		}
		t, _ := Moment(s)
		return later(t.Add(round).Truncate(time.Millisecond).Add(step), epoch)
	}
	// Added before the cut to whole milliseconds, it rounds up.
	up := time.Millisecond - time.Nanosecond
	r.From = later(read(after, up, 0), read(strictlyAfter, 0, time.Millisecond))
	r.To = earlier(read(before, 0, 0), read(strictlyBefore, up, -time.Millisecond))
	return r
}

var epoch = time.Unix(0, 0).UTC()

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// earlier is the earlier of two times; zero is no bound.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Page is the page of the collection that the request asks for, with where it goes on. load is that of record.Page.
// Each record is encoded as soon as it is read, so that the page ends by what its answer takes, and nothing else of the
// record is held any longer; a page for people is given the records themselves.
func Page[T any](
	c *Call, l Listed, from record.Listing,
	load func(context.Context, []store.Item) ([]record.Shown[T], error),
) (*Collection[T], error) {
	asked := l.asked()
	asked.After = c.after
	out, next, err := &Collection[T]{}, "", error(nil)
	encoded := func(ctx context.Context, rows []store.Item) ([]record.Shown[json.RawMessage], error) {
		shown, err := load(ctx, rows)
		docs := encodeAll(shown, asked)
		if err == nil && c.asksData() {
			all := make([]*json.RawMessage, len(docs))
			for i := range docs {
				all[i] = &docs[i].Record
			}
			err = c.addData(all...)
			for i := range docs {
				docs[i].Size = len(docs[i].Record) + len(",")
			}
		}
		return docs, err
	}
	if c.op.kind.onlyPages() || c.WantsPage() {
		out.Body.Items, next, err = record.Page(c, from, asked, load)
	} else {
		out.Body.encoded, next, err = record.Page(c, from, asked, encoded)
	}
	if err != nil {
		return nil, err
	}
	if next != "" {
		out.GoOn(c, next)
	}
	return out, nil
}

// encodeAll are the records that are asked for as the answer has them.
func encodeAll[T any](shown []record.Shown[T], asked record.Asked) []record.Shown[json.RawMessage] {
	out := make([]record.Shown[json.RawMessage], len(shown))
	for i, x := range shown {
		if x.Missing || !asked.Holds(x.At) {
			out[i].Missing = true
			continue
		}
		doc := record.Document(x.Record)
		out[i] = record.Shown[json.RawMessage]{Record: doc, At: x.At, Size: len(doc) + len(","),
			Last: x.Last}
		// The record itself is let go, so that a page holds each of its records once.
		shown[i] = record.Shown[T]{}
	}
	return out
}

// One is the page of a filter that one record at most can match: those found that are in the range asked for.
func One[T any](l Listed, found ...record.Shown[T]) *Collection[T] {
	out := &Collection[T]{Body: Items[T]{Items: []T{}}}
	for _, x := range found {
		if !x.Missing && l.asked().Holds(x.At) {
			out.Body.Items = append(out.Body.Items, x.Record)
		}
	}
	return out
}

// GoOn makes the page one that goes on after a position, which the operation reads again as Call.Position.
func (o *Collection[T]) GoOn(c *Call, position string) {
	o.Body.NextCursor = c.Cursor(position)
	q := url.Values{"cursor": {o.Body.NextCursor}}
	// The size of the page is no part of the cursor, so the link repeats it.
	if n := c.Query("itemsPerPage"); n != "" {
		q.Set("itemsPerPage", n)
	}
	o.Link = "<" + c.api.BaseURL + c.r.URL.EscapedPath() + "?" + q.Encode() + `>; rel="next"`
}
