package frontend_test

import (
	"fmt"

	"eshop/shared/frontend"
)

// A script asks for consent; the cookie that keeps the answer is read like this.
func ExampleParseConsent() {
	fmt.Println(frontend.Consent{}.Answered())
	c := frontend.Consent{Analytics: frontend.Granted, Marketing: frontend.Denied, Preferences: frontend.Denied}
	fmt.Println(c)
	fmt.Println(frontend.ParseConsent(c.String()) == c)
	// Output:
	// false
	// gdd
	// true
}
