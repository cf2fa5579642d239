package egress_test

import (
	"fmt"

	"eshop/shared/base/egress"
)

// Rules say which addresses of strangers the platform may call; the zero value is production's.
func ExampleRules_Check() {
	rules := egress.Rules{PlatformHosts: []string{"api.eshop.example"}}
	for _, address := range []string{
		"https://receiver.example/hook",
		"http://receiver.example/hook",
		"https://127.0.0.1/hook",
		"https://api.eshop.example/hook",
	} {
		fmt.Println(address, rules.Check(address))
	}
	// Output:
	// https://receiver.example/hook <nil>
	// http://receiver.example/hook the URL must begin with https://
	// https://127.0.0.1/hook the host is not at a public address
	// https://api.eshop.example/hook the host is this platform's own
}
