package signin_test

import (
	"context"
	"fmt"

	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/problem"
	"eshop/shared/signin"
)

// Whoever guesses passwords from one network address is stopped for a while.
func ExampleTries() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		tries := signin.Tries{Key: make([]byte, 32)} // the platform's own secret
		for n := 1; ; n++ {
			if err := tries.Count(ctx, u, signin.Address("192.0.2.1")); err != nil {
				fmt.Println(n, problem.Is(err, "too_many_tries"))
				return
			}
		}
	})
	// Output: 11 true
}
