package record

import (
	"context"

	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Quota refuses a new record with full if there are most already. The item at the key counts them under the name. It
// does not count down by itself: who lets a record go counts it down.
func Quota[R any](at store.Key, name string, most int64, full *problem.Problem) Along[R] {
	return Along[R]{
		Extend: func(_ context.Context, _ *change.Unit, s *Step[R]) error {
			if s.Before == nil {
				s.Ops = append(s.Ops, store.Update(at, store.Set{Add: map[string]int64{name: 1}},
					store.AtMost(name, most-1)))
			}
			return nil
		},
		Explain: func(_ *change.Unit, _ *Step[R], refused error) error {
			if _, failed := store.Failed(refused, at); failed {
				return full
			}
			return refused
		},
	}
}
