package bolt

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

// record is a customer as it is stored: 900 bytes, in one index.
func record(n int) store.Item {
	id := fmt.Sprintf("%026d", n)
	return store.Item{
		Key: store.Key{PK: "S#1#C#" + id, SK: "A"}, Version: "01JABCDEFGHJKMNPQRSTVWXYZ0",
		Doc:    bytes.Repeat([]byte("{} "), 280),
		Index1: store.Key{PK: "S#1#C", SK: fmt.Sprintf("2026-11-21T12:00:00.%09d#%s", n, id)},
	}
}

func nthChange(n int) events.Change {
	return events.Change{Request: fmt.Sprintf("%026d", n), Shop: "1", At: int64(n), Records: []events.Record{
		{Kind: events.Customers, ID: fmt.Sprintf("%026d", n), Did: events.Changed,
			Version: "01JABCDEFGHJKMNPQRSTVWXYZ0"},
	}}
}

// seed puts n records a hundred at a time.
func seed(b testing.TB, t *Table, n int) {
	for i := 0; i < n; i += 100 {
		ops := []store.Op{}
		for j := range 100 {
			ops = append(ops, store.Put(record(i+j)))
		}
		_, err := t.Write(b.Context(), events.Nothing, ops...)
		require.NoError(b, err)
	}
}

// by runs b.N of the work on so many goroutines and reports the rate.
func by(b *testing.B, writers int, work func(n int) error) {
	b.Helper()
	b.ReportAllocs()
	var next atomic.Int64
	var done sync.WaitGroup
	b.ResetTimer()
	for range writers {
		done.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := work(int(n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "/s")
}

const seeded = 50_000

// benched is a file of records whose feed is followed.
func benched(b *testing.B) *Table {
	d := opened(b, filepath.Join(b.TempDir(), "data"))
	seed(b, d.Table("main"), seeded)
	ctx, cancel := context.WithCancel(b.Context())
	var done sync.WaitGroup
	done.Go(func() {
		_ = d.Feed("main").Follow(ctx, 500, func(context.Context, []events.Change) error { return nil })
	})
	b.Cleanup(func() { cancel(); done.Wait() })
	return d.Table("main")
}

func BenchmarkPut(b *testing.B) {
	for _, writers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			t := benched(b)
			by(b, writers, func(n int) error {
				_, err := t.Write(b.Context(), nthChange(n), store.Put(record(seeded+n), store.Absent()))
				return err
			})
		})
	}
}

func BenchmarkUpdateOfRandomRecords(b *testing.B) {
	for _, writers := range []int{16, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			t := benched(b)
			by(b, writers, func(n int) error {
				r := record(rand.IntN(seeded))
				r.Index1.SK = fmt.Sprintf("2026-11-22T12:00:00.%09d#", n) + r.PK
				_, err := t.Write(b.Context(), nthChange(n), store.Put(r, store.Present(), store.VersionIs(r.Version)))
				return err
			})
		})
	}
}

// BenchmarkStock adds to one number of a product of 500 variants.
func BenchmarkStock(b *testing.B) {
	for _, products := range []int{1, 1000} {
		b.Run(fmt.Sprintf("products=%d", products), func(b *testing.B) {
			t := benched(b)
			head := func(n int) store.Key { return store.Key{PK: fmt.Sprint("S#1#P#", n), SK: "A"} }
			variant := func(n int) string { return fmt.Sprintf("q.01JABCDEFGHJKMNPQRSTVW%04d", n) }
			num := map[string]int64{}
			for v := range 500 {
				num[variant(v)] = 1_000_000
			}
			for p := range products {
				_, err := t.Write(b.Context(), events.Nothing,
					store.Put(store.Item{Key: head(p), Doc: make([]byte, 500), Num: num}))
				require.NoError(b, err)
			}
			by(b, 16, func(n int) error {
				v := variant(n % 500)
				_, err := t.Write(b.Context(), nthChange(n),
					store.Update(head(n%products), store.Set{Add: map[string]int64{v: -1}}, store.AtLeast(v, 1)))
				return err
			})
		})
	}
}

func BenchmarkGet(b *testing.B) {
	for _, readers := range []int{1, 16} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			t, keys := benched(b), make([]store.Key, seeded)
			for i := range keys {
				keys[i] = record(i * 7919 % seeded).Key
			}
			by(b, readers, func(n int) error {
				items, err := t.Get(b.Context(), keys[n%seeded])
				if err == nil && items[0] == nil {
					return fmt.Errorf("no record %d", n)
				}
				return err
			})
		})
	}
}

func BenchmarkGetOfFifty(b *testing.B) {
	t, keys := benched(b), make([]store.Key, seeded)
	for i := range keys {
		keys[i] = record(i * 7919 % seeded).Key
	}
	by(b, 16, func(n int) error {
		from := n % (seeded - 50)
		_, err := t.Get(b.Context(), keys[from:from+50]...)
		return err
	})
}

func BenchmarkQueryOfFiftyInAnIndex(b *testing.B) {
	t := benched(b)
	by(b, 16, func(n int) error {
		_, err := t.Query(b.Context(), store.Query{Index: store.Index1, PK: "S#1#C", Limit: 50,
			After: record(n % seeded).Index1.SK})
		return err
	})
}

// BenchmarkOpen opens a file of about 500 MB.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "data")
	d, err := Open(path, Options{Feeds: []string{"main"}})
	require.NoError(b, err)
	seed(b, d.Table("main"), 230_000)
	require.NoError(b, d.Close())
	file, err := os.Stat(path)
	require.NoError(b, err)
	b.ResetTimer()
	for b.Loop() {
		d, err := Open(path, Options{Feeds: []string{"main"}})
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, d.Close())
		b.StartTimer()
	}
	b.ReportMetric(float64(file.Size())/(1<<20), "MB")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*float64(time.Second/time.Millisecond), "ms/open")
}
