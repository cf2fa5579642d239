package change_test

import (
	"context"
	"fmt"

	"eshop/shared/base/id"
	"eshop/shared/host/hosttest"
	"eshop/shared/record/change"
)

// The version of a record rises with each write, whatever the clock does.
func ExampleUnit_NextVersion() {
	hosttest.Example(func(_ context.Context, u *change.Unit) {
		first := u.NextVersion("")
		second := u.NextVersion(first) // in the same millisecond
		fmt.Println(first < second, id.Time(second).Sub(id.Time(first)))
	})
	// Output: true 1ms
}
