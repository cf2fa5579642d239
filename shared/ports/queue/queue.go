// Package queue passes messages on: at least once, in no promised order, each visible to one receiver at a time.
// queuetest.Run proves the promises on every implementation.
package queue

import (
	"context"
	"errors"
	"time"
)

// Limits that every implementation keeps (SQS's).
const (
	MaxDelay   = 15 * time.Minute
	MaxBatch   = 10         // messages in one Receive
	MaxMessage = 256 * 1024 // bytes of a body
)

// Message is what Send takes. Group names whose it is, so that one tenant's backlog does not hold up the others; it
// promises no order.
type Message struct {
	Body  string
	Group string
	Delay time.Duration // not visible before; 0 to MaxDelay
}

// Received is a message on loan to its receiver, who deletes it before its visibility ends; else it is received again.
type Received struct {
	ID      string // the same at each receipt
	Body    string
	Group   string
	Count   int    // how often it was received, this time included
	Receipt string // what Delete takes
}

// Sender is one queue for who puts messages in. It is safe for concurrent use.
type Sender interface {
	// Send puts all messages in, any number; on an error some may be in. ErrUnavailable: try later.
	Send(ctx context.Context, messages ...Message) error
}

// Queue is one queue for who handles its messages, too. On AWS that is Lambda.
type Queue interface {
	Sender
	// Receive returns 1 to max (at most MaxBatch) messages, waiting for the first at most wait; none when the wait
	// ends.
	Receive(ctx context.Context, max int, wait time.Duration) ([]Received, error)
	// Delete takes received messages away for good. One that is gone already is no fault.
	Delete(ctx context.Context, messages ...Received) error
}

// ErrUnavailable is a queue that cannot be reached now.
var ErrUnavailable = errors.New("queue: unavailable")

// Settings of a queue. A message received MaxReceives times and not deleted goes to the dead-letter queue.
type Settings struct {
	Name        string
	Visibility  time.Duration
	MaxReceives int
	DeadLetter  string // the dead-letter queue's name
}
