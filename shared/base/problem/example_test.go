package problem_test

import (
	"encoding/json"
	"fmt"

	"eshop/shared/base/problem"
)

// A command collects all faults of what it was sent, so that the caller mends them at once.
func ExampleFaults() {
	var faults problem.Faults
	faults.Add("items[3].quantity", problem.TooSmall, "must be at least %d", 1)
	faults.Add("email", problem.Required, "is required")
	err := faults.Err()
	fmt.Println(err)
	for _, f := range err.(*problem.Problem).Errors {
		text, _ := json.Marshal(f)
		fmt.Println(string(text))
	}
	// Output:
	// invalid: `items[3].quantity` must be at least 1. There is another fault: see errors.
	// {"location":"body.items[3].quantity","code":"too_small","message":"must be at least 1"}
	// {"location":"body.email","code":"required","message":"is required"}
}

func ExampleConflict() {
	err := fmt.Errorf("customers: %w", problem.Conflict("email_taken", "Another customer has this e-mail address."))
	fmt.Println(problem.Is(err, "email_taken"))
	// Output: true
}
