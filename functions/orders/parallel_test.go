package orders

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/base/id"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
)

func TestAFlashSaleSellsExactlyItsStock(t *testing.T) { flashSale(t, newWorld(t)) }

// flashSale is 200 parallel orders of one product, of which there are 120. The clock goes on with each write, as clocks
// do.
func flashSale(t *testing.T, w *world) {
	w.seed()
	tea := w.product("TEA", "10.00", 120).ID()
	w.Main.Before(func([]store.Op) error { w.Clock.Pass(time.Millisecond); return nil })
	replies := hosttest.Together(200, func(int) hosttest.Answer { return w.As(all, "POST", path, of(line(tea, 1))) })
	require.Equal(t, map[int]int{201: 120, 409: 80}, hosttest.Statuses(replies))
	require.Equal(t, 0, w.stock(tea))
	numbers := map[string]bool{}
	for _, r := range replies {
		if r.Status == 409 {
			require.Equal(t, 0.0, r.Is(409, "insufficient_stock").Body["available"])
			continue
		}
		numbers[r.Body["number"].(string)] = true
	}
	require.Len(t, numbers, 120)
}

func TestALimitOfACouponHoldsUnderParallelOrders(t *testing.T) { limited(t, newWorld(t)) }

// limited is 100 parallel orders with a coupon that is good for 30, and another one without a limit.
func limited(t *testing.T, w *world) {
	w.seed()
	tea := w.product("TEA", "10.00", 1000).ID()
	w.Main.Before(func([]store.Op) error { w.Clock.Pass(time.Millisecond); return nil })
	few, any := w.coupon("FEW", "amount", "1.00", object{"usageLimit": 30}), w.coupon("ANY", "amount", "1.00")
	replies := hosttest.Together(100, func(int) hosttest.Answer {
		return w.As(all, "POST", path, with(of(line(tea, 1)), "discountCoupons", []string{"FEW", "ANY"}))
	})
	require.Equal(t, map[int]int{201: 30, 422: 70}, hosttest.Statuses(replies))
	for _, r := range replies {
		if r.Status == 422 {
			require.Equal(t, "used_up", r.Is(422, "coupon_invalid").Body["reason"])
		}
	}
	require.Equal(t, []int{30, 30, 970}, []int{w.used(few.ID()), w.used(any.ID()), w.stock(tea)})
}

func TestACouponIsChangedWhileOrdersUseIt(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 1000).ID()
	coupon := w.coupon("ANY", "amount", "1.00")
	replies := hosttest.Together(60, func(i int) hosttest.Answer {
		if i%6 == 5 {
			return w.As(all, "PATCH", "/api-engine/discount-coupons/"+coupon.ID(),
				object{"value": fmt.Sprint(i, ".00")})
		}
		return w.As(all, "POST", path, with(of(line(tea, 1)), "discountCoupons", []string{"ANY"}))
	})
	counted := hosttest.Statuses(replies)
	require.Zero(t, counted[500], "%v", counted)
	made := 0
	for i, r := range replies {
		if i%6 != 5 && r.Status == 201 {
			made++
		}
	}
	require.Equal(t, made, w.used(coupon.ID()), "each use is counted, none by a refused order")
}

// TestNumbersOnlyRise, in the only process of a platform, too, which is killed and comes again in the seventh round.
func TestNumbersOnlyRise(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 1000).ID()
	last := 2026_000000
	for round := range 8 {
		if round == 6 {
			w.Restart()
		}
		w.P.Alone = round >= 4
		replies := hosttest.Together(20, func(int) hosttest.Answer { return w.As(all, "POST", path, of(line(tea, 1))) })
		var numbers []int
		for _, r := range replies {
			n, err := strconv.Atoi(r.Is(201).Body["number"].(string))
			require.NoError(t, err)
			numbers = append(numbers, n)
		}
		slices.Sort(numbers)
		require.Greater(t, numbers[0], last, "later orders have higher numbers")
		require.Len(t, slices.Compact(numbers), 20)
		last = numbers[19]
	}
	require.Equal(t, 2026_000160, last, "none is left out")
}

func TestAnOrderIsCancelledOnceByManyAtATime(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 10).ID()
	made := w.order(of(line(tea, 4)))
	cancelled, returned := w.state(sale.KeyCancelled), w.state(sale.KeyReturned)
	replies := hosttest.Together(20, func(i int) hosttest.Answer {
		return w.As(all, "PATCH", pathOf(made.ID()), object{"stateId": []string{cancelled, returned}[i%2]})
	})
	for status := range hosttest.Statuses(replies) {
		require.Contains(t, []int{200, 409}, status)
	}
	require.Equal(t, 10, w.stock(tea))
}

// TestStockIsNeverNegativeOrLost runs parallel orders and cancellations of products at random and adds up.
func TestStockIsNeverNegativeOrLost(t *testing.T) {
	w := newWorld(t)
	w.seed()
	cancelled := w.state(sale.KeyCancelled)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		stock := rapid.SliceOfN(rapid.IntRange(0, 12), 2, 3).Draw(rt, "stock")
		products := make([]string, len(stock))
		for i, s := range stock {
			products[i] = w.product(fmt.Sprint("P-", n, "-", i), "10.00", s).ID()
		}
		orders := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 5), len(stock), len(stock)), 1, 8).
			Draw(rt, "pieces of each")
		cancels := rapid.SliceOfN(rapid.Bool(), len(orders), len(orders)).Draw(rt, "cancelled")
		replies := hosttest.Together(len(orders), func(i int) hosttest.Answer {
			var lines []object
			for p, q := range orders[i] {
				if q > 0 {
					lines = append(lines, line(products[p], q))
				}
			}
			r := w.As(all, "POST", path, of(lines...))
			if r.Status == 201 && cancels[i] {
				w.As(all, "PATCH", pathOf(r.ID()), object{"stateId": cancelled}).Is(200)
			}
			return r
		})
		left := slices.Clone(stock)
		for i, r := range replies {
			switch {
			case r.Status == 201 && !cancels[i]:
				for p, q := range orders[i] {
					left[p] -= q
				}
			case r.Status == 422:
				require.Equal(rt, 0, max(orders[i][0], orders[i][1], orders[i][len(orders[i])-1]),
					"only an order of nothing is invalid")
			case r.Status != 201:
				r.Is(409, "insufficient_stock")
			}
		}
		for p, id := range products {
			require.GreaterOrEqual(rt, left[p], 0)
			require.Equal(rt, left[p], w.stock(id))
		}
	})
}

// TestAnOrderThatAnotherOvertookIsWrittenAgainWithoutReadingAnything has another buyer be first between what an order
// reads and what it writes: by a second of a clock that is ahead.
func TestAnOrderThatAnotherOvertookIsWrittenAgainWithoutReadingAnything(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 30).ID()
	w.coupon("ANY", "amount", "1.00")
	w.Clock.Pass(time.Hour)
	order := with(of(line(tea, 1)), "discountCoupons", []string{"ANY"})
	w.Main.NewChanges()
	w.Main.Before(func(ops []store.Op) error {
		if len(ops) == 1 { // numbers are drawn
			return nil
		}
		w.Main.Before(nil)
		w.Clock.Pass(time.Second)
		w.order(order)
		w.Clock.Pass(-time.Second)
		return w.overtaken(ops)
	})
	made := w.order(order)
	require.Equal(t, 3+2+1, w.Meter().Calls(), "calls: two waves, and the transaction that was not refused")
	require.Equal(t, 28, w.stock(tea))
	changes := w.Main.NewChanges()
	require.Len(t, changes, 2)
	for i, r := range changes[1].Records[1:] {
		require.Equal(t, changes[0].Records[i+1].ID, r.ID)
		require.True(t, id.Time(r.Version).After(id.Time(changes[0].Records[i+1].Version)), r.Kind)
	}
	product := w.do("GET", "/api-engine/products/"+tea, nil).Is(200)
	require.Equal(t, product.Header.Get("ETag"), `"`+changes[1].Records[1].Version+`"`)
	require.NotEmpty(t, made.ID())
}

// overtaken is the refusal of what another writer has overtaken, as DynamoDB has it.
func (w *world) overtaken(ops []store.Op) error {
	var refused store.ConditionError
	for _, o := range ops {
		items, err := w.Main.Table.Get(w.T.Context(), o.Key)
		require.NoError(w.T, err)
		if o.Overtaken(items[0]) {
			refused.Failures = append(refused.Failures, store.Failure{Key: o.Key, Item: items[0]})
		}
	}
	require.Len(w.T, refused.Failures, 2, "the product and the coupon")
	return &refused
}

// TestAFlashSaleOutlivesConflicts has each transaction lose to others for as long as the store tries, once.
func TestAFlashSaleOutlivesConflicts(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 30).ID()
	lost := map[string]bool{}
	var mu sync.Mutex
	w.Main.Before(func(ops []store.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if len(ops) > 1 && !lost[ops[0].Key.PK] {
			lost[ops[0].Key.PK] = true
			return store.ErrUnavailable
		}
		return nil
	})
	replies := hosttest.Together(40, func(int) hosttest.Answer { return w.As(all, "POST", path, of(line(tea, 1))) })
	require.Equal(t, map[int]int{201: 30, 409: 10}, hosttest.Statuses(replies))
	require.Equal(t, 0, w.stock(tea))
}

// TestAnOrderThatWasMadeThoughTheStoreDidNotSaySoIsTheAnswer loses the acknowledgement of a transaction.
func TestAnOrderThatWasMadeThoughTheStoreDidNotSaySoIsTheAnswer(t *testing.T) {
	for _, key := range []string{"", "k"} {
		w := newWorld(t)
		w.seed()
		tea := w.product("TEA", "10.00", 10).ID()
		w.Main.Around(func(ops []store.Op, write func() error) error {
			err := write()
			if err == nil && len(ops) > 1 {
				w.Main.Around(nil)
				return store.ErrUnavailable
			}
			return err
		})
		var headers []string
		if key != "" {
			headers = []string{"Idempotency-Key", key}
		}
		made := w.do("POST", path, of(line(tea, 1)), headers...).Is(201)
		require.Equal(t, made.Body, w.do("GET", pathOf(made.ID()), nil).Is(200).Body)
		require.Equal(t, pathOf(made.ID()), made.Header.Get("Location"))
		require.Equal(t, 9, w.stock(tea))
		require.Len(t, w.do("GET", path, nil).Each("id"), 1)
	}
}

var errBroken = errors.New("the disk is gone")

// TestAStoreThatFailsInTheMiddleLeavesNothingHalfDone lets each write of an order and of its cancellation fail in turn.
func TestAStoreThatFailsInTheMiddleLeavesNothingHalfDone(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 10).ID()
	coupon := w.coupon("ANY", "amount", "1.00")
	for _, failure := range []error{errBroken, store.ErrUnavailable} {
		for fails := range 2 {
			n := 0
			w.Main.Before(func([]store.Op) error {
				if n++; n > fails {
					return failure
				}
				return nil
			})
			r := w.do("POST", path, with(of(line(tea, 2)), "discountCoupons", []string{"ANY"}))
			require.Contains(t, []int{500, 503}, r.Status)
			require.NotContains(t, r.Text, "disk")
			require.Empty(t, w.told())
			w.Main.Before(nil)
			require.Equal(t, []int{10, 0}, []int{w.stock(tea), w.used(coupon.ID())})
			require.Empty(t, w.do("GET", path, nil).Each("id"))
		}
	}
	made := w.order(with(of(line(tea, 2)), "discountCoupons", []string{"ANY"}))
	require.Equal(t, "2026000003", made.Body["number"], "the refused ones left gaps")
	cancelled := w.state(sale.KeyCancelled)
	w.Main.Before(func([]store.Op) error { return store.ErrUnavailable })
	w.do("PATCH", pathOf(made.ID()), object{"stateId": cancelled}).Is(503, "unavailable")
	w.Main.Before(nil)
	require.Equal(t, 8, w.stock(tea))
	require.Equal(t, made.Body, w.do("GET", pathOf(made.ID()), nil).Body)
	w.do("PATCH", pathOf(made.ID()), object{"stateId": cancelled}).Is(200)
	require.Equal(t, 10, w.stock(tea))
}

// TestAnOrderWhoseProductNeverRestsIsRefusedForNow lets every transaction lose its race.
func TestAnOrderWhoseProductNeverRestsIsRefusedForNow(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 10).ID()
	w.Main.Before(func(ops []store.Op) error {
		if len(ops) > 1 {
			return &store.ConditionError{Failures: []store.Failure{{Key: ops[0].Key}}}
		}
		return nil
	})
	w.do("POST", path, of(line(tea, 1))).Is(503, "unavailable")
	w.Main.Before(nil)
	require.Equal(t, 10, w.stock(tea))
	require.Equal(t, "2026000002", w.order(of(line(tea, 1))).Body["number"], "its tries shared a number")
}
