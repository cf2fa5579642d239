package operator_test

import (
	"context"
	"fmt"

	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/operator"
)

// A named token lets in whoever has it, until it is deleted.
func ExampleOf() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		made, err := operator.Tokens.Create(ctx, u, operator.Fields{Name: "deployments"})
		fmt.Println(made.Token[:len("eop_")], err)

		caller, err := operator.Of(ctx, u.Table, made.Token)
		fmt.Println(caller.OperatorName, err)

		err = operator.Tokens.Delete(ctx, u, made.ID)
		fmt.Println(err)
		_, err = operator.Of(ctx, u.Table, made.Token)
		fmt.Println(err)
	})
	// Output:
	// eop_ <nil>
	// deployments <nil>
	// <nil>
	// unauthenticated
}
