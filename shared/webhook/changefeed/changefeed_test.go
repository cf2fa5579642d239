package changefeed_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/webhook/changefeed"
)

// world is the rows of the feed, with a clock that moves when the test says so.
type world struct {
	t     *testing.T
	rows  store.Table
	now   time.Time
	alone bool
	turn  func()                         // what happens until it is a write's turn
	put   func(write func() error) error // what happens instead of a write
}

func newWorld(t *testing.T, alone bool) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &world{t: t, rows: db.Table("pipeline"), alone: alone, turn: func() {},
		put: func(write func() error) error { return write() },
		now: time.Date(2026, 11, 21, 23, 59, 59, 583e6, time.UTC)}
}

// writer is one of a new process.
func (w *world) writer() *changefeed.Writer {
	rows := storetest.Faulty{Table: w.rows, Around: func(c storetest.Call, do func() error) error {
		if c.Ops == nil {
			return do()
		}
		return w.put(do)
	}}
	return &changefeed.Writer{Rows: rows, Now: func() time.Time { return w.now }, Alone: w.alone,
		Turn: func(context.Context) (func(), error) { w.turn(); return func() {}, nil }}
}

// keep hands changes to a writer, of which each is kept.
func (w *world) keep(by *changefeed.Writer, changes ...events.Change) {
	w.t.Helper()
	for _, err := range by.Write(w.t.Context(), changes) {
		require.NoError(w.t, err)
	}
}

// behind are the rows of shop a behind a position, or all.
func (w *world) behind(position string) []store.Item {
	w.t.Helper()
	r := changefeed.Reader{Rows: w.rows, Now: func() time.Time { return w.now }, Alone: true}
	rows, _, err := r.Read(w.t.Context(), "a", position, position != "", 1000)
	require.NoError(w.t, err)
	return rows
}

func change(request string) events.Change {
	record := events.Record{Kind: events.Customers, ID: "x", Did: events.Created, Version: "v"}
	return events.Change{Request: request, Shop: "a", Records: []events.Record{record}}
}

func TestRowsAppearInTheOrderOfTheirTimes(t *testing.T) {
	w, last := newWorld(t, true), "" // a clock that stands still
	by := w.writer()
	for i := range 30 {
		c := change(fmt.Sprint("r", 30-i))
		w.keep(by, c, c)
		rows := w.behind(last)
		require.Len(t, rows, 2, "a reader that goes on behind the last it saw misses none")
		last = rows[1].SK
	}
}

func TestRowsGoForwardOverARestartWithAClockSetBack(t *testing.T) {
	w, seen := newWorld(t, true), []string{}
	for range 3 {
		by := w.writer()
		w.keep(by, change("r"))
		w.keep(by, change("r"))
		var keys []string
		for _, i := range w.behind("") {
			keys = append(keys, i.SK)
		}
		require.Equal(t, seen, keys[:len(seen)], "new rows are behind all others")
		require.Len(t, keys, len(seen)+2)
		seen, w.now = keys, w.now.Add(-time.Hour)
	}
}

func TestARowThatAppearedMuchLaterThanItsTimeIsPutAgainWhereTheWriterIsAlone(t *testing.T) {
	w, puts := newWorld(t, true), 0
	w.put = func(write func() error) error {
		if puts++; puts == 1 {
			w.now = w.now.Add(8 * time.Hour) // a laptop sleeps
		}
		return write()
	}
	w.keep(w.writer(), change("r"))
	require.Len(t, w.behind(""), 2)
	require.Len(t, w.behind(changefeed.SortKey(w.now)), 1, "a reader may have gone on to the next day meanwhile")
}

func TestARowThatWasNotConfirmedIsPutAgainUnderALaterTime(t *testing.T) {
	w, puts := newWorld(t, false), 0
	w.put = func(write func() error) error {
		if err := write(); err != nil {
			return err
		}
		if puts++; puts == 1 {
			return context.DeadlineExceeded
		}
		return nil
	}
	w.keep(w.writer(), change("r"))
	require.Len(t, w.behind(""), 2, "twice, never not")
}

func TestARowHasTheTimeOfItsTurn(t *testing.T) {
	for name, alone := range map[string]bool{"alone": true, "one of many": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, alone)
			w.turn = func() { w.now = w.now.Add(8 * time.Second) }
			w.keep(w.writer(), change("r"))
			require.Len(t, w.behind(""), 1)
			require.Len(t, w.behind(changefeed.SortKey(w.now.Add(-time.Millisecond))), 1,
				"a reader may have gone on behind what was before")
		})
	}
}

func TestWhoIsNotAloneReadsUpToFiveSecondsBeforeNow(t *testing.T) {
	for name, alone := range map[string]bool{"alone": true, "one of many": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, alone)
			w.keep(w.writer(), change("r"))
			read := func() []store.Item {
				r := changefeed.Reader{Rows: w.rows, Now: func() time.Time { return w.now }, Alone: alone}
				rows, complete, err := r.Read(t.Context(), "a", changefeed.SortKey(time.Unix(0, 0)), false, 1000)
				require.NoError(t, err)
				require.False(t, complete.After(w.now.Add(-time.Minute)))
				return rows
			}
			require.Equal(t, alone, len(read()) == 1)
			w.now = w.now.Add(5 * time.Second)
			require.Equal(t, alone, len(read()) == 1)
			w.now = w.now.Add(time.Millisecond)
			rows := read()
			require.Len(t, rows, 1)
			c, err := changefeed.ChangeOf(&rows[0])
			require.NoError(t, err)
			require.Equal(t, change("r"), c)
		})
	}
}
