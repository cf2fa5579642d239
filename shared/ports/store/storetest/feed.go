package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

// follower follows a feed and keeps what it is handed of one corner.
type follower struct {
	t      *testing.T
	c      corner
	ended  chan error
	cancel context.CancelFunc

	mu     sync.Mutex
	more   chan struct{} // closed when something was handed
	handed []events.Change
	refuse func(handed []events.Change) error // what handle answers, nil: always nil
}

// follow starts following with batches of at most max; it stops with the test, or before.
func (c corner) follow(t *testing.T, max int, refuse func([]events.Change) error) *follower {
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{t: t, c: c, ended: make(chan error, 1), cancel: cancel, more: make(chan struct{}), refuse: refuse}
	go func() {
		f.ended <- c.Feed.Follow(ctx, max, func(_ context.Context, batch []events.Change) error {
			return f.handle(max, batch)
		})
	}()
	t.Cleanup(func() { f.cancel() })
	return f
}

func (f *follower) handle(max int, batch []events.Change) error {
	if len(batch) == 0 || len(batch) > max {
		f.t.Errorf("a batch of %d changes, not of 1 to %d", len(batch), max)
	}
	mine := []events.Change{}
	for _, change := range batch {
		if change.Empty() {
			f.t.Error("a change that tells nobody")
		}
		if change.Shop == f.c.name {
			mine = append(mine, change)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		if err := f.refuse(mine); err != nil {
			return err
		}
	}
	f.handed = append(f.handed, mine...)
	close(f.more)
	f.more = make(chan struct{})
	return nil
}

// until waits until the changes handed are enough, and returns the requests they are of.
func (f *follower) until(what string, enough func(requests []string) bool) []string {
	f.t.Helper()
	late := time.After(patience)
	for {
		f.mu.Lock()
		requests, more := make([]string, 0, len(f.handed)), f.more
		for _, change := range f.handed {
			requests = append(requests, change.Request)
		}
		f.mu.Unlock()
		if enough(requests) {
			return requests
		}
		select {
		case <-more:
		case <-late:
			require.FailNow(f.t, "the feed did not hand "+what, "it handed %v", requests)
		}
	}
}

// untilAll waits until each of the requests was handed.
func (f *follower) untilAll(want ...string) []string {
	f.t.Helper()
	return f.until(fmt.Sprint(want), func(handed []string) bool {
		seen := map[string]bool{}
		for _, r := range handed {
			seen[r] = true
		}
		for _, r := range want {
			if !seen[r] {
				return false
			}
		}
		return true
	})
}

// stop ends following and waits for its end.
func (f *follower) stop() {
	f.t.Helper()
	f.cancel()
	select {
	case err := <-f.ended:
		require.ErrorIs(f.t, err, context.Canceled)
	case <-time.After(patience):
		require.FailNow(f.t, "following did not end with its context")
	}
}

func following(t *testing.T, open func(*testing.T) corner) {
	if open(t).Feed == nil {
		return
	}
	t.Run("every kind of write hands its change", func(t *testing.T) { everyKind(t, open(t)) })
	t.Run("a change comes whole", func(t *testing.T) {
		c := open(t)
		f := c.follow(t, 10, nil)
		change := events.Change{
			Request: "whole", ClientRequest: "caller \"1\"", Shop: c.name, At: 1_700_000_000_123,
			Records: []events.Record{{
				Kind: events.Products, ID: "1", Did: events.Changed, Variants: []string{"2", "3"},
				Groups: []events.Group{events.Basic, events.Stock}, Version: "v1",
			}},
			Notices: []events.Notice{{Event: events.PackageActivate, Access: "4", Package: "5",
				Data: []byte(`{"a":"č"}`)}},
		}
		c.publish(t, change, store.Put(store.Item{Key: c.at("a")}))
		f.untilAll("whole")
		require.Equal(t, []events.Change{change}, f.handed)
	})
	t.Run("a write that tells nobody hands nothing, nor again what was told before", func(t *testing.T) {
		c := open(t)
		f := c.follow(t, 10, nil)
		c.publish(t, c.change("1"), store.Put(store.Item{Key: c.at("a")}))
		c.write(t, store.Update(c.at("a"), store.Set{Version: "v2"}))
		c.write(t, store.Update(c.at("a"), store.Set{Add: map[string]int64{"n": 1}}),
			store.Put(store.Item{Key: c.at("b")}))
		c.publish(t, c.change("2"), store.Update(c.at("a"), store.Set{Version: "v3"}))
		require.Equal(t, []string{"1", "2"}, f.untilAll("2"))
	})
	t.Run("a refused write hands nothing", func(t *testing.T) {
		c := open(t)
		f := c.follow(t, 10, nil)
		c.refuse(t, []store.Key{c.at("a")}, store.Update(c.at("a"), store.Set{Version: "v1"}, store.Present()))
		c.refuse(t, []store.Key{c.at("a")}, store.Put(store.Item{Key: c.at("b")}),
			store.Check(c.at("a"), store.Present()))
		c.publish(t, c.change("last"), store.Put(store.Item{Key: c.at("a")}))
		require.Equal(t, []string{"last"}, f.untilAll("last"))
	})
	t.Run("of a hundred operations that tell a change one must put or update", func(t *testing.T) {
		c := open(t)
		ops := hundred(c)
		for i := range ops {
			ops[i] = store.Delete(ops[i].Key)
		}
		_, err := c.Table.Write(t.Context(), c.change("no place"), ops...)
		require.Error(t, err)
		require.NotErrorIs(t, err, store.ErrUnavailable)
		f := c.follow(t, 10, nil)
		c.publish(t, c.change("all"), hundred(c)...)
		require.Equal(t, []string{"all"}, f.untilAll("all"))
	})
	t.Run("a change of more than an item holds comes whole, if in parts", func(t *testing.T) {
		c := open(t)
		f := c.follow(t, 10, nil)
		huge := c.change("huge")
		for i := range 6_000 { // 500 KB
			huge.Records = append(huge.Records, events.Record{Kind: events.URLs, ID: fmt.Sprintf("%036d", i),
				Did: events.Deleted, Version: "v"})
		}
		c.publish(t, huge, hundred(c)[:98]...)
		f.until("all of it", func([]string) bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			n := 0
			for _, part := range f.handed {
				n += len(part.Records)
			}
			return n == len(huge.Records)
		})
	})
	t.Run("a batch that was not handled is handed again", func(t *testing.T) { again(t, open(t)) })
	t.Run("following goes on behind the last batch handled", func(t *testing.T) {
		c := open(t)
		f := c.follow(t, 2, nil)
		c.publish(t, c.change("1"), store.Put(store.Item{Key: c.at("a")}))
		c.publish(t, c.change("2"), store.Put(store.Item{Key: c.at("a")}))
		f.untilAll("1", "2")
		f.stop()
		c.publish(t, c.change("3"), store.Put(store.Item{Key: c.at("a")}))
		require.Equal(t, []string{"3"}, c.follow(t, 2, nil).untilAll("3"))
	})
	t.Run("a batch under way when following ends is handed again", func(t *testing.T) {
		c := open(t)
		c.publish(t, c.change("1"), store.Put(store.Item{Key: c.at("a")}))
		var f *follower
		started := make(chan struct{})
		f = c.follow(t, 2, func([]events.Change) error {
			<-started
			f.cancel()
			return errors.New("not handled")
		})
		close(started)
		require.ErrorIs(t, <-f.ended, context.Canceled)
		require.Equal(t, []string{"1"}, c.follow(t, 2, nil).untilAll("1"))
	})
	t.Run("under sixteen writers each change comes, those on one key in order",
		func(t *testing.T) { sixteen(t, open(t)) })
	t.Run("no change is lost in a crash", func(t *testing.T) { crashed(t, open(t)) })
}

// everyKind makes one write of each shape and waits for all their changes.
func everyKind(t *testing.T, c corner) {
	f := c.follow(t, 100, nil)
	put := func(sk string) store.Op { return store.Put(store.Item{Key: c.at(sk)}) }
	shapes := map[string][]store.Op{
		"put":               {put("a")},
		"same put again":    {put("a")},
		"update":            {store.Update(c.at("a"), store.Set{Add: map[string]int64{"n": 1}})},
		"update of nothing": {store.Update(c.at("a"), store.Set{})},
		"several":           {put("b"), put("c"), store.Update(c.at("a"), store.Set{Version: "v"})},
		"check first":       {store.Check(c.at("a"), store.Present()), put("d")},
		"delete first":      {store.Delete(c.at("b")), put("e")},
		"delete":            {store.Delete(c.at("c"))},
		"deletes":           {store.Delete(c.at("d")), store.Delete(c.at("e"))},
		"delete of nothing": {store.Delete(c.at("none"))},
		"delete and check":  {store.Delete(c.at("none")), store.Check(c.at("a"), store.Present())},
		"check":             {store.Check(c.at("a"), store.Present())},
		"checks":            {store.Check(c.at("a"), store.Present()), store.Check(c.at("none"), store.Absent())},
		"hundred":           {},
	}
	order := []string{
		"put", "same put again", "update", "update of nothing", "several", "check first", "delete first",
		"delete", "deletes", "delete of nothing", "delete and check", "check", "checks", "hundred",
	}
	for i := range 99 { // one less: a change may need an item of its own
		shapes["hundred"] = append(shapes["hundred"], put(fmt.Sprint("hundred ", i)))
	}
	for _, shape := range order {
		c.publish(t, c.change(shape), shapes[shape]...)
	}
	big := c.change("big")
	for i := range 2_000 { // 100 KB
		big.Records = append(big.Records, events.Record{Kind: events.Products, ID: fmt.Sprintf("%036d", i),
			Did: events.Deleted})
	}
	c.publish(t, big, put("a"))
	c.publish(t, c.change("on a big item"), store.Put(store.Item{Key: c.at("big"), Doc: make([]byte, 350_000)}))
	f.untilAll(append(order, "big", "on a big item")...)
	require.Nil(t, c.get(t, c.at("none")), "a change leaves no item behind")
	for _, change := range f.handed {
		if change.Request == "big" {
			require.Equal(t, big, change)
		}
	}
}

// again refuses the first three batches and wants the same first change until it is handled.
func again(t *testing.T, c corner) {
	first := []string{}
	for i := range 5 {
		c.publish(t, c.change(fmt.Sprint(i)), store.Put(store.Item{Key: c.at("a")}))
	}
	f := c.follow(t, 2, func(batch []events.Change) error {
		first = append(first, batch[0].Request)
		if len(first) <= 3 {
			return errors.New("not handled")
		}
		return nil
	})
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, f.untilAll("4"))
	f.stop()
	require.Equal(t, []string{"0", "0", "0", "0"}, first[:4])
}

// sixteen writers share four keys. Each write numbers itself by a condition on the number before, so that the order of
// the writes of a key is known.
func sixteen(t *testing.T, c corner) {
	const keys, each = 4, 60
	f := c.follow(t, 7, nil)
	var done sync.WaitGroup
	for w := range 16 {
		done.Go(func() { number(t, c, c.at(fmt.Sprint("k", w%keys)), each) })
	}
	done.Wait()
	want := []string{}
	for k := range keys {
		for n := range each {
			want = append(want, fmt.Sprintf("k%d/%d", k, n+1))
		}
	}
	requireInOrder(t, f.untilAll(want...), each)
}

// requireInOrder wants the requests "key/1" to "key/last" of each key in order. One may come again with all behind it.
func requireInOrder(t *testing.T, requests []string, last int) {
	t.Helper()
	at := map[string]int{}
	for _, r := range requests {
		key, _, _ := strings.Cut(r, "/")
		var n int
		_, err := fmt.Sscanf(r[len(key):], "/%d", &n)
		require.NoError(t, err)
		require.LessOrEqual(t, n, at[key]+1, "%s before the one it follows", r)
		at[key] = n
	}
	for key, n := range at {
		require.Equal(t, last, n, "the last of %s", key)
	}
}

// number writes the key until its number is last, sharing the key with others who do the same.
func number(t *testing.T, c corner, key store.Key, last int64) {
	var n int64
	for n < last {
		next := n + 1
		ops := []store.Op{store.Update(key, store.Set{Num: map[string]int64{"n": next}}, store.AtMost("n", n))}
		if n > 0 {
			ops[0].Conds = append(ops[0].Conds, store.NumIs("n", n))
		}
		if rand.IntN(3) == 0 {
			ops = append(ops, store.Put(store.Item{Key: c.at(fmt.Sprint("beside ", rand.Int()))}))
		}
		_, err := insist(t.Context(), c.Table, c.change(fmt.Sprintf("%s/%d", key.SK, next)), ops...)
		switch failure, failed := store.Failed(err, key); {
		case err == nil:
			n = next
		case failed && failure.Item != nil:
			n = failure.Item.Num["n"]
		case failed:
			n = 0
		default:
			t.Errorf("writing number %d: %v", next, err)
			return
		}
	}
}

// crashed handles some of the changes, crashes, and wants all the others.
func crashed(t *testing.T, c corner) {
	if c.Crash == nil {
		return
	}
	f := c.follow(t, 3, nil)
	publish := func(n int) {
		c.publish(t, c.change(fmt.Sprintf("k/%d", n)), store.Put(store.Item{Key: c.at("k"), Parts: n}))
	}
	for n := range 10 {
		publish(n + 1)
	}
	handled := f.untilAll("k/10")
	f.stop()
	for n := range 10 {
		publish(n + 11)
	}
	c.Opened = c.Crash(t)
	require.Equal(t, 20, c.get(t, c.at("k")).Parts)
	publish(21)
	f = c.follow(t, 3, nil)
	requireInOrder(t, append(handled, f.untilAll("k/11", "k/20", "k/21")...), 21)
}
