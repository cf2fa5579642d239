package staff_test

import (
	"context"
	"fmt"

	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/signin"
	"eshop/shared/staff"
)

// A new admin sets the first password by the token of a link, and signs in.
func ExampleMake() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		_, token, err := staff.Make(ctx, u, staff.Fields{Email: "petra@example.cz", Name: "Petra Malá"})
		fmt.Println(err)

		accounts := staff.NewAccounts(signin.Tries{Key: make([]byte, 32)}) // the platform's own secret
		visitor := signin.Visitor{Address: "192.0.2.1"}
		_, err = accounts.SetPassword(ctx, u, visitor, token, "correct horse battery")
		fmt.Println(err)
		petra, _, err := accounts.SignIn(ctx, u, visitor,
			signin.Form{Email: "petra@example.cz", Password: "correct horse battery"})
		fmt.Println(petra.Name, err)
	})
	// Output:
	// <nil>
	// <nil>
	// Petra Malá <nil>
}
