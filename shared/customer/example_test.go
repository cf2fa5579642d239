package customer_test

import (
	"context"
	"fmt"

	"eshop/shared/change"
	"eshop/shared/customer"
	"eshop/shared/host/hosttest"
	"eshop/shared/problem"
	"eshop/shared/signin"
)

// A shopper registers, and is signed in by the text of a cookie.
func ExampleAccounts() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		accounts := customer.NewAccounts(signin.Tries{Key: make([]byte, 32)}) // the platform's own secret
		visitor := signin.Visitor{Address: "192.0.2.1"}
		form := customer.RegisterForm{Password: "correct horse battery"}
		form.Email, form.FirstName, form.LastName = "jana@example.cz", "Jana", "Nováková"
		jana, cookie, err := accounts.Register(ctx, u, visitor, form)
		fmt.Println(jana.FirstName, len(cookie), err)

		_, _, err = accounts.SignIn(ctx, u, visitor, signin.Form{Email: "jana@example.cz", Password: "a guess"})
		fmt.Println(problem.Is(err, "sign_in_failed"))
	})
	// Output:
	// Jana 70 <nil>
	// true
}
