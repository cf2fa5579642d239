package manage_test

import (
	"fmt"
	"strings"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/manage"
)

// A door registers the operations at its own path.
func ExampleDoor_Register() {
	door := api.New(api.Config{})
	manage.Door{Platform: &host.Platform{}, Path: "/developer", Tag: "Developers", Whose: "Developer"}.Register(door)
	for _, route := range door.Patterns() {
		if strings.HasSuffix(route, "/activate") {
			fmt.Println(route)
		}
	}
	// Output:
	// POST /developer/shops/{shopId}/accesses/{accessId}/activate
}
