package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

// together is what must hold when many write at the same time.
func together(t *testing.T, open func(*testing.T) corner) {
	t.Run("of many who put what must be absent one wins, and the others are told by whom", func(t *testing.T) {
		c := open(t)
		var won atomic.Int64
		side(16, func(w int) {
			mine := store.Item{Key: c.at("claim"), Version: fmt.Sprint(w)}
			_, err := insist(t.Context(), c.Table, events.Nothing, store.Put(mine, store.Absent()))
			failure, failed := store.Failed(err, mine.Key)
			switch {
			case err == nil:
				won.Add(1)
			case !failed || failure.Item == nil:
				t.Errorf("lost to nobody: %v", err)
			}
		})
		require.Equal(t, int64(1), won.Load())
	})
	t.Run("a claim beside an item is won with it or not at all", func(t *testing.T) {
		c := open(t)
		side(16, func(w int) {
			mine := c.in("owner", fmt.Sprint(w))
			claim := store.Item{Key: c.at("claim"), Text: map[string]string{"owner": mine.SK}}
			_, err := insist(t.Context(), c.Table, events.Nothing, store.Put(store.Item{Key: mine}),
				store.Put(claim, store.Absent()))
			if err != nil && !store.IsCondition(err) {
				t.Errorf("claiming: %v", err)
			}
		})
		owners := c.all(t.Context(), t, store.Query{PK: c.in("owner", "").PK})
		require.Len(t, owners, 1)
		require.Equal(t, owners[0].SK, c.get(t, c.at("claim")).Text["owner"])
	})
	t.Run("stock never goes below zero, and all of it is sold", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(store.Item{Key: c.at("p"), Num: map[string]int64{"stock": 20}}))
		var sold atomic.Int64
		side(16, func(int) {
			for range 3 {
				item, err := insist(t.Context(), c.Table, events.Nothing,
					store.Update(c.at("p"), store.Set{Add: map[string]int64{"stock": -1}}, store.AtLeast("stock", 1)))
				switch {
				case err == nil && item.Num["stock"] >= 0:
					sold.Add(1)
				case !store.IsCondition(err):
					t.Errorf("stock %d: %v", item.Num["stock"], err)
				}
			}
		})
		require.Equal(t, int64(20), sold.Load())
		require.Equal(t, int64(0), c.get(t, c.at("p")).Num["stock"])
	})
	t.Run("counting loses nothing, and each sees its own number", func(t *testing.T) {
		c := open(t)
		var seen sync.Map
		side(16, func(int) {
			for range 10 {
				item, err := insist(t.Context(), c.Table, events.Nothing,
					store.Update(c.at("seq"), store.Set{Add: map[string]int64{"n": 1}}))
				if _, twice := seen.LoadOrStore(item.Num["n"], true); twice || err != nil {
					t.Errorf("number %d twice, or %v", item.Num["n"], err)
				}
			}
		})
		require.Equal(t, int64(160), c.get(t, c.at("seq")).Num["n"])
	})
	t.Run("transfers keep the sum", func(t *testing.T) {
		c := open(t)
		const accounts, each = 5, 100
		account := func(n int) store.Key { return c.at(fmt.Sprint(n)) }
		for n := range accounts {
			c.write(t, store.Put(store.Item{Key: account(n), Num: map[string]int64{"sum": each}}))
		}
		side(8, func(w int) { transfer(t, c, account, accounts, w) })
		sum := int64(0)
		for _, item := range c.all(t.Context(), t, store.Query{PK: c.at("").PK}) {
			require.GreaterOrEqual(t, item.Num["sum"], int64(0))
			sum += item.Num["sum"]
		}
		require.Equal(t, int64(accounts*each), sum)
	})
}

// transfer moves random amounts between accounts; what is not covered is refused.
func transfer(t *testing.T, c corner, account func(int) store.Key, accounts, seed int) {
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	for range 15 {
		from, n := random.IntN(accounts), random.Int64N(90)
		to := (from + 1 + random.IntN(accounts-1)) % accounts
		_, err := insist(t.Context(), c.Table, events.Nothing,
			store.Update(account(from), store.Set{Add: map[string]int64{"sum": -n}}, store.AtLeast("sum", n)),
			store.Update(account(to), store.Set{Add: map[string]int64{"sum": n}}, store.Present()))
		if err != nil && !store.IsCondition(err) {
			t.Errorf("transfer: %v", err)
		}
	}
}

// side runs n of them side by side to their end.
func side(n int, work func(w int)) {
	var done sync.WaitGroup
	for w := range n {
		done.Go(func() { work(w) })
	}
	done.Wait()
}
