package changes

import (
	"context"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/batcher"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
)

// start is when these tests begin: a minute before midnight.
var start = time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)

// world is the feed with the batcher behind it.
type world struct {
	*hosttest.World
	handle func(context.Context, []events.Change) (int, error)
}

// newWorld is a world in the one process, whose parts these functions change.
func newWorld(t testing.TB, turn ...func(*host.Parts)) *world {
	w := &world{World: hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function}, Start: start,
		ReadersWait: true, Authenticate: hosttest.AuthenticateByText,
		Platform: func(p *host.Parts) {
			p.Traits = host.OneProcess
			for _, f := range turn {
				f(p)
			}
		}})}
	w.handle = batcher.Function.Feed.Handler(w.P)
	return w
}

// onAWS takes what the one process promises beyond other hosts.
func onAWS(p *host.Parts) { p.Traits = host.Traits{} }

// restart ends the platform and starts it anew.
func (w *world) restart() { w.Restart(); w.handle = batcher.Function.Feed.Handler(w.P) }

// happens hands changes of the shop to the batcher, one for each list of records.
func (w *world) happens(all ...[]events.Record) {
	w.T.Helper()
	var changes []events.Change
	for _, records := range all {
		changes = append(changes, events.Change{Request: w.P.NewID(), Shop: "shop", At: w.Clock.Now().UnixMilli(),
			Records: records})
	}
	done, err := w.handle(w.T.Context(), changes)
	require.NoError(w.T, err)
	require.Equal(w.T, len(changes), done)
}

// of are records of a kind, created.
func of(k events.RecordKind, ids ...string) (records []events.Record) {
	for _, i := range ids {
		records = append(records, events.Record{Kind: k, ID: i, Did: events.Created, Version: "v" + i})
	}
	return records
}

func (w *world) as(token, query string) hosttest.Answer {
	w.T.Helper()
	r := w.Request(token, "GET", "/api-engine/changes", nil)
	r.URL.RawQuery = query
	a := w.Serve(r)
	if a.Status == 200 {
		require.NotEmpty(w.T, next(a), "always there")
		require.NotNil(w.T, a.Body["items"])
	}
	return a
}

func (w *world) get(query string) hosttest.Answer { w.T.Helper(); return w.as("shop", query).Is(200) }

// next is the cursor to go on with.
func next(a hosttest.Answer) string { return a.Get("nextCursor") }

// follow reads on from a query until there is nothing newer, and returns the ids and the cursor to go on with.
func (w *world) follow(query string) (ids []string, cursor string) {
	w.T.Helper()
	ids = []string{}
	for range 10_000 {
		a := w.get(query)
		ids = append(ids, a.Each("id")...)
		if next(a) == cursor {
			require.Empty(w.T, a.Items())
			return ids, cursor
		}
		cursor = next(a)
		query = "itemsPerPage=3&cursor=" + url.QueryEscape(cursor)
	}
	w.T.Fatal("no end")
	return nil, ""
}

func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("%04d", i))
	}
	return ids
}
