package canary_test

import (
	"context"
	"fmt"

	"eshop/events"
	"eshop/shared/canary"
	"eshop/shared/change"
	"eshop/shared/host/hosttest"
)

// The receiver keeps what comes; the canary looks for the webhook of its change, by the trace that it sent with it.
func ExampleHeardOf() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		trace := events.TraceOf("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
		came := canary.Heard{Signature: "sha256=…", Timestamp: 1795226712, Body: []byte(`{"event":"productChange"}`)}
		if err := came.Keep(ctx, u.Table, trace, u.Now()); err != nil {
			panic(err)
		}
		heard, err := canary.HeardOf(ctx, u.Table, trace)
		fmt.Println(string(heard.Body), err)
	})
	// Output: {"event":"productChange"} <nil>
}
