package bolt

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

const crashWriters = 8

// counter is a writer's own item: Num n is its last write.
func counter(w int) store.Key { return store.Key{PK: fmt.Sprint("w", w), SK: "counter"} }

// pair are two items that each write puts together with its number.
func pair(w, n int) [2]store.Key {
	at := func(side string) store.Key {
		return store.Key{PK: fmt.Sprint("w", w, side), SK: fmt.Sprintf("%09d", n)}
	}
	return [2]store.Key{at("a"), at("b")}
}

// writeUntilKilled writes as fast as it can, and says of each write that it was acknowledged ("w 3 17"), and of each
// change that it was handled ("f 3 17").
func writeUntilKilled(path string) {
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
	if err != nil {
		log.Fatal(err)
	}
	for w := range crashWriters {
		go func() {
			items, err := d.Table("main").Get(context.Background(), counter(w))
			for n := next(items); err == nil; n++ {
				if err = writeNumbered(d.Table("main"), w, n); err == nil {
					_, err = fmt.Printf("w %d %d\n", w, n)
				}
			}
			log.Fatal(err)
		}()
	}
	log.Fatal(d.Feed("main").Follow(context.Background(), 10, func(_ context.Context, batch []events.Change) error {
		for _, c := range batch {
			if _, err := fmt.Println("f", c.Request); err != nil {
				return err
			}
		}
		return nil
	}))
}

func next(items []*store.Item) int {
	if len(items) == 0 || items[0] == nil {
		return 1
	}
	return int(items[0].Num["n"]) + 1
}

func writeNumbered(t *Table, w, n int) error {
	change := events.Change{Request: fmt.Sprint(w, " ", n), Shop: "1",
		Records: []events.Record{{Kind: events.Products, ID: "1", Did: events.Changed}}}
	both := pair(w, n)
	_, err := t.Write(context.Background(), change,
		store.Update(counter(w), store.Set{Add: map[string]int64{"n": 1}}, store.AtMost("n", int64(n-1))),
		store.Put(store.Item{Key: both[0], Doc: make([]byte, 500), Index1: both[1], Expires: 4_000_000_000},
			store.Absent()),
		store.Put(store.Item{Key: both[1], Doc: make([]byte, n*7919%6000)}, store.Absent()))
	return err
}

// heard is what a killed child said: the last acknowledged write of each writer, and the changes handled.
type heard struct {
	acknowledged [crashWriters]int
	handled      map[[2]int]bool
}

// killed starts a child on the file, kills it after so many lines, and adds what it said.
func (h *heard) killed(t *testing.T, path string, lines int) {
	c := child(t, "crash", path)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	said := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == lines {
			require.NoError(t, c.Process.Kill())
		}
		line, err := said.ReadString('\n')
		if err == io.EOF { // a last line that was cut off said nothing
			break
		}
		require.NoError(t, err)
		h.add(t, line)
	}
	require.Error(t, c.Wait())
}

func (h *heard) add(t *testing.T, line string) {
	var what string
	var w, n int
	_, err := fmt.Sscan(line, &what, &w, &n)
	require.NoError(t, err, "%q", line)
	if what == "f" {
		h.handled[[2]int{w, n}] = true
	} else {
		h.acknowledged[w] = max(h.acknowledged[w], n)
	}
}

func TestNothingAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	h := &heard{handled: map[[2]int]bool{}}
	for range 8 {
		h.killed(t, path, 1+rand.IntN(700))
		d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
		require.NoError(t, err)
		written := requireWhole(t, d.Table("main"), h)
		requireAllTold(t, d.Feed("main"), h, written)
		require.NoError(t, d.Close())
	}
}

// requireWhole wants every acknowledged write, and of each write all its items or none. It returns each writer's last.
func requireWhole(t *testing.T, table *Table, h *heard) (written [crashWriters]int) {
	for w := range crashWriters {
		items, err := table.Get(t.Context(), counter(w))
		require.NoError(t, err)
		written[w] = next(items) - 1
		require.GreaterOrEqual(t, written[w], h.acknowledged[w], "writer %d", w)
		for _, q := range []store.Query{
			{PK: pair(w, 0)[0].PK}, {PK: pair(w, 0)[1].PK}, {Index: store.Index1, PK: pair(w, 0)[1].PK},
		} {
			require.Equal(t, written[w], count(t, table, q), "%+v", q)
		}
	}
	return written
}

func count(t *testing.T, table *Table, q store.Query) (n int) {
	for {
		page, err := table.Query(t.Context(), q)
		require.NoError(t, err)
		n += len(page.Items)
		if page.Next == "" {
			return n
		}
		q.After = page.Next
	}
}

// requireAllTold wants the change of every write to have been handled, or to be handed now.
func requireAllTold(t *testing.T, f *Follower, h *heard, written [crashWriters]int) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	missing := map[string]bool{}
	for w, last := range written {
		for n := 1; n <= last; n++ {
			if !h.handled[[2]int{w, n}] {
				missing[fmt.Sprint(w, " ", n)] = true
			}
		}
	}
	if len(missing) == 0 {
		return
	}
	err := f.Follow(ctx, 50, func(_ context.Context, batch []events.Change) error {
		for _, c := range batch {
			delete(missing, c.Request)
			h.add(t, "f "+c.Request)
		}
		if len(missing) == 0 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, missing)
}
