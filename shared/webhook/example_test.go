package webhook_test

import (
	"fmt"
	"time"

	"eshop/shared/webhook"
)

// The schedule: how long after each failed attempt the next one begins, ±20 %.
func Example() {
	var whole time.Duration
	for _, wait := range webhook.Waits {
		whole += wait
	}
	fmt.Println(len(webhook.Waits), "attempts within", whole)
	fmt.Println(webhook.TooMuch(429, ""), webhook.TooMuch(500, ""))
	// Output:
	// 10 attempts within 68h36m10s
	// true false
}
