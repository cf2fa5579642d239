package limit_test

import (
	"context"
	"fmt"
	"time"

	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/limit/memory"
	"eshop/shared/record/change"
)

// A request is charged to its access before it is served, and refused when too little is left.
func ExampleCounters() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		counters := memory.Open(u.Table)
		limits := limit.Limits{Hourly: 10, Daily: 100}
		for range 2 {
			left, err := counters.Charge(ctx, "01ACCESS", limits, limit.Cost(60), u.Now())
			fmt.Printf("%d %d %q %v\n", left.Hourly, left.Daily, left.Refused, err)
		}
		fmt.Println(limit.Hourly.Reset(u.Now()).Format(time.TimeOnly))
	})
	// Output:
	// 4 94 "" <nil>
	// 4 94 "hourly" <nil>
	// 03:00:00
}
