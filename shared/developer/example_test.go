package developer_test

import (
	"context"
	"fmt"

	"eshop/shared/change"
	"eshop/shared/developer"
	"eshop/shared/host/hosttest"
)

// A new developer is let in by the token of the answer, until it is renewed.
func ExampleNewToken() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		ada, err := developer.Developers.Create(ctx, u, developer.Fields{Name: "Ada", Email: "ada@example.com"})
		fmt.Println(ada.Token[:len("esk_dev_")], err)

		caller, err := developer.Of(ctx, u.Table, ada.Token)
		fmt.Println(caller.Developer == ada.ID, err)

		_, err = developer.NewToken(ctx, u, ada.ID, "")
		fmt.Println(err)
		_, err = developer.Of(ctx, u.Table, ada.Token)
		fmt.Println(err)
	})
	// Output:
	// esk_dev_ <nil>
	// true <nil>
	// <nil>
	// unauthenticated
}
