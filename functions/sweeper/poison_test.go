package sweeper

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/base/id"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
	"eshop/shared/record/pending"
	"eshop/shared/webhook"
)

// kind is something that a run walks through: in which table and by which index, an item of it, and how many of them
// something was done about, of which the bells are those that rang.
type kind struct {
	table func(*host.Platform) *store.Table
	index func(*store.Item) *store.Key
	item  func(w *world, id string) store.Item
	done  func(w *world, bells []string) int
}

var (
	inMain     = func(p *host.Platform) *store.Table { return &p.Main }
	inPipeline = func(p *host.Platform) *store.Table { return &p.Pipeline }
	byIndex1   = func(i *store.Item) *store.Key { return &i.Index1 }
	byIndex2   = func(i *store.Item) *store.Key { return &i.Index2 }
)

// beginning is how many of the bells begin so.
func beginning(with string) func(*world, []string) int {
	return func(_ *world, bells []string) (n int) {
		for _, b := range bells {
			if strings.HasPrefix(b, with) {
				n++
			}
		}
		return n
	}
}

// ringing is how many of the bells have this in them.
func ringing(what string) func(*world, []string) int {
	return func(_ *world, bells []string) (n int) {
		for _, b := range bells {
			if strings.Contains(b, what) {
				n++
			}
		}
		return n
	}
}

var kinds = map[string]kind{
	"a delivery that is due": {inPipeline, byIndex1, func(w *world, id string) store.Item {
		return w.waiting(w.T.(*testing.T), id, w.Clock.Now())
	}, beginning("a ")},
	"a replay": {inMain, byIndex2, func(w *world, id string) store.Item {
		of := webhook.Release{Receiver: id, Shop: "s", Access: "a", Name: "REPLAY#" + id,
			Head: job.Head{Version: id, Due: w.Clock.Now()}}
		return webhook.Replaying{Release: of,
			ReplayRecord: webhook.ReplayRecord{State: webhook.ReplayRunning, Created: field.At(w.Clock.Now())}}.Item()
	}, ringing("REPLAY#")},
	"what is parked for a receiver": {inMain, byIndex2, func(w *world, id string) store.Item {
		return webhook.Drain{Release: webhook.Release{Receiver: id, Shop: "s", Access: "a",
			Head: job.Head{Version: id, Due: w.Clock.Now()}}}.Item()
	}, ringing("DRAIN")},
	"a request that never came to its end": {inMain, byIndex2, func(w *world, id string) store.Item {
		may := events.Change{Request: id, Shop: "s",
			Records: []events.Record{{Kind: events.Products, ID: "p", Did: events.Changed}}}
		return pending.Begin(may, w.Clock.Now(), time.Minute).Item
	}, func(w *world, _ []string) int { return len(w.Main.Changes()) }},
	"an import": {inMain, byIndex2, func(w *world, id string) store.Item {
		k := imports.Job{Asker: job.Asker{Shop: "s"}, Head: job.Head{Version: id, Due: w.Clock.Now()},
			Import: imports.Import{ID: id, State: job.Running}}
		return k.Item()
	}, func(w *world, _ []string) int {
		woken, err := w.P.Files.(*folder.Bucket).Keys(imports.Uploads)
		require.NoError(w.T, err)
		return len(woken)
	}},
}

// alien is a poison, too: a row that its owner has not written.
const alien hosttest.Poison = "is nothing that its owner wrote"

// TestWhatIsPoisonedHoldsUpNothingElse puts, for each kind of thing that a run walks through, one of which something is
// wrong before, between and behind others of its partition. The run does all others, and those of other kinds.
func TestWhatIsPoisonedHoldsUpNothingElse(t *testing.T) {
	for name := range kinds {
		for _, poison := range append(hosttest.Poisons, alien) {
			for bad, place := range []string{"the first", "one between", "the last"} {
				t.Run(name+", "+place+", "+string(poison), func(t *testing.T) { poisoned(t, name, poison, bad) })
			}
		}
	}
}

func poisoned(t *testing.T, name string, poison hosttest.Poison, bad int) {
	w := newWorld(t)
	files, err := folder.Open(filepath.Join(t.TempDir(), "files"), folder.Options{Key: w.P.Key, Now: w.P.Now})
	require.NoError(t, err)
	w.P.Files = files
	for other, k := range kinds {
		if other != name {
			w.Put(*k.table(w.P), k.item(w, "01M7XXKEG7ZVFRE0EM6N6D5N0T"))
		}
	}
	this, same := kinds[name], ""
	for n, id := range []string{"01M7XXKEG7ZVFRE0EM6N6D5N1T", "01M7XXKEG7ZVFRE0EM6N6D5P1T",
		"01M7XXKEG7ZVFRE0EM6N6D5Q1T"} {
		i := this.item(w, id)
		if n == 0 {
			same = this.index(&i).PK
		}
		*this.index(&i) = store.Key{PK: same, SK: id[:10] + "#" + id}
		table := this.table(w.P)
		if n == bad && poison == alien {
			i.Text, i.Num, i.Doc = nil, nil, []byte("not JSON")
		}
		w.Put(*table, i)
		if n == bad && poison != alien {
			*table = hosttest.Poisoned{Table: *table, Key: i.Key, Poison: poison}
		}
	}
	w.P.Fresh, w.P.Retry = memory.New(delivery.Function.Messages.From[0].Settings(), nil, 0),
		memory.New(delivery.Function.Messages.From[1].Settings(), nil, 0)
	w.Clock.Pass(time.Hour)
	_ = Function.Tick.Handler(w.P)(t.Context()) // of the poisoned one alone

	var bells []string
	for _, q := range []any{w.P.Fresh, w.P.Retry} {
		rung, err := q.(*memory.Queue).Receive(t.Context(), 100, 0)
		require.NoError(t, err)
		for _, m := range rung {
			bells = append(bells, m.Body)
		}
	}
	for other, k := range kinds {
		if other == name {
			require.GreaterOrEqual(t, k.done(w, bells), 2, other)
		} else {
			require.Equal(t, 1, k.done(w, bells), other)
		}
	}
}

// TestTheNextRunIsWhenTheSoonestOfAllIsDue: what is due already says nothing of it.
func TestTheNextRunIsWhenTheSoonestOfAllIsDue(t *testing.T) {
	for name, k := range kinds {
		w := newWorld(t)
		for n, in := range []time.Duration{-time.Hour, 0, 3 * time.Hour, 4 * time.Hour} {
			i := k.item(w, "01M7XXKEG7ZVFRE0EM6N6D5N"+strconv.Itoa(n)+"T")
			*k.index(&i) = store.Key{PK: k.index(&i).PK, SK: id.Stamp(w.Clock.Now().Add(in)) + "#" + i.PK}
			w.Put(*k.table(w.P), i)
		}
		next, err := Function.Tick.Next(t.Context(), w.P)
		require.NoError(t, err)
		require.Equal(t, 3*time.Hour, next, name)
	}
}

// TestWhatStaysAsItIsHidesNothingBehindIt puts, for each kind, more of what a run cannot end before one that it can: a
// few runs later that was done, too.
func TestWhatStaysAsItIsHidesNothingBehindIt(t *testing.T) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			files, err := folder.Open(filepath.Join(t.TempDir(), "files"), folder.Options{Key: w.P.Key, Now: w.P.Now})
			require.NoError(t, err)
			w.P.Files = files
			w.P.Fresh, w.P.Retry = memory.New(delivery.Function.Messages.From[0].Settings(), nil, 0),
				memory.New(delivery.Function.Messages.From[1].Settings(), nil, 0)
			good := k.item(w, "01M7XXKEG7ZVFRE0EM6N6D5Z1T")
			partition := k.index(&good).PK
			for n := range 2*mostPerWalk + 1 {
				bad := store.Item{Key: store.Key{PK: fmt.Sprint("BAD#", n), SK: good.SK}, Doc: []byte("not JSON")}
				*k.index(&bad) = store.Key{PK: partition, SK: fmt.Sprintf("00000%05d#bad", n)}
				w.Put(*k.table(w.P), bad)
			}
			w.Put(*k.table(w.P), good)
			w.Clock.Pass(time.Hour)
			sweep := Function.Tick.Handler(w.P)
			for range 3 {
				_ = sweep(t.Context()) // of those that are bad
			}
			var bells []string
			for _, q := range []any{w.P.Fresh, w.P.Retry} {
				rung, err := q.(*memory.Queue).Receive(t.Context(), 100, 0)
				require.NoError(t, err)
				for _, m := range rung {
					bells = append(bells, m.Body)
				}
			}
			require.Equal(t, 1, k.done(w, bells))
		})
	}
}
