package main

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenEventsMoveNobodyElse holds what the guide's page says of events, and its table.
func TestGoldenEventsMoveNobodyElse(t *testing.T) {
	all := results(1)
	for i, s := range scenarios() {
		r := all[i]
		t.Logf("%s, %s: %d webhooks, %v to be found, %d calls", s.name, s.set, r.owed, r.found, r.calls)
		require.Equal(t, r.owed, r.kept, "%s: each webhook is delivered, or owed still", s.name)
		require.Zero(t, r.lost, s.name)
		require.Less(t, r.call, s.setup.batcher.Timeout, s.name)
		require.Less(t, r.bell, 4*24*time.Hour, "%s: SQS keeps messages for so long", s.name)
		require.Less(t, r.back, most, "%s: it comes back by itself", s.name)
		require.Less(t, r.found, time.Hour, "%s: searches find what was imported", s.name)
		require.Less(t, r.door, time.Second, "%s: requests find the table free", s.name)
		moved := r.during.most - r.before.most
		require.Equal(t, s.moves, moved > time.Second, "%s, %s: healthy receivers wait %v longer", s.name, s.set, moved)
		if s.setup.fresh.Parallel <= Today().fresh.Parallel {
			require.Less(t, float64(r.calls)+doorCalls(), 600.0, "%s: of Lambda's usual 1,000", s.name)
		}
	}
	const page = "../../../functions/docs/scale.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), columns)
	require.True(t, found, columns)
	end := strings.Index(rest, "\n\n") + 1
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+columns+table(all)+rest[end:]), 0o644))
		return
	}
	require.Equal(t, table(all), rest[:end], "a setting has changed: run `make golden`")
}

func TestARunIsTheSameEachTime(t *testing.T) {
	run := func() (int, seen) {
		w := newWorld(Today(), large(), 1)
		w.rate = w.peak
		flashSale(w)
		w.until(20 * time.Second)
		return w.delivered, w.seen
	}
	first, saw := run()
	again, sees := run()
	require.NotZero(t, first)
	require.Equal(t, first, again)
	require.Equal(t, saw, sees)
}

func TestOthersPassANoisyShop(t *testing.T) {
	s, l := Today(), load{shops: 3, heard: 2}
	q := newLine(s, s.fresh, l)
	q.batch = 10
	for range 100 {
		q.put(bell{receiver: 0})
	}
	for range 4 {
		q.take()
	}
	q.put(bell{receiver: 2})
	require.EqualValues(t, 2, q.take()[0].receiver, "40 messages of one shop are on loan")
	require.EqualValues(t, 0, q.take()[0].receiver)
}

func TestWhoComesTooLateForUnitsWaits(t *testing.T) {
	u := units{aSecond: 1000}
	now := time.Minute
	require.Zero(t, u.take(now, 1000), "those of the last second")
	require.Equal(t, time.Second, u.take(now, 1000))
	require.Equal(t, time.Second/2, u.take(now+time.Second, 500))
}

// TestPollersComeAndGo: Lambda takes a queue's slots up and down by and by, within its maximum.
func TestPollersComeAndGo(t *testing.T) {
	q := newLine(Today(), host.Queue{Parallel: 12, Batch: 10}, load{shops: 1, heard: 1})
	q.slots, q.busy = 5, 5
	q.put(bell{})
	q.scale()
	q.busy = 10
	q.scale()
	require.Equal(t, 12, q.slots)
	q.take()
	q.busy = 0
	for range 100 {
		q.scale()
	}
	require.Equal(t, pollersLeast, q.slots)
}
