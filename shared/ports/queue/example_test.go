package queue_test

import (
	"context"
	"fmt"
	"time"

	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
)

// A message that its receiver does not delete comes again, and after MaxReceives it is a dead letter.
func Example() {
	ctx := context.Background()
	dead := memory.New(queue.Settings{Name: "dead", Visibility: time.Minute, MaxReceives: 1}, nil, 0)
	bells := memory.New(queue.Settings{Name: "bells", Visibility: time.Minute, MaxReceives: 3}, dead, 0)
	fmt.Println(bells.Send(ctx, queue.Message{Body: "ring", Group: "01SHOP"}))

	received, err := bells.Receive(ctx, 10, time.Second)
	fmt.Println(received[0].Body, received[0].Count, err)
	fmt.Println(bells.Delete(ctx, received...))
	// Output:
	// <nil>
	// ring 1 <nil>
	// <nil>
}
