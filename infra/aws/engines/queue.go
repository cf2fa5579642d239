package engines

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"

	"eshop/shared/base/guard"
	"eshop/shared/ports/queue"
)

// QueueFunction is a Lambda behind a queue.
type QueueFunction func(context.Context, awsevents.SQSEvent) (awsevents.SQSEventResponse, error)

// QueueMapping hands a queue's messages to a function as Lambda's event source mapping does. Messages that the function
// did are deleted. Those that it reports as failed come again when their visibility ends. If the function itself fails,
// all of its messages come again.
type QueueMapping struct {
	Function       QueueFunction
	BatchSize      int           // messages in a batch at most; 0: 10
	Window         time.Duration // how long a batch that is not full waits for more
	MaxConcurrency int           // functions at once; 0: 10
	Timeout        time.Duration // of the function; 0: a minute
	ARN            string        // of the queue, for the messages
}

// Run receives until ctx ends. Functions that are under way then are not interrupted: Run returns ctx's error once they
// have ended.
func (m QueueMapping) Run(ctx context.Context, q queue.Queue) error {
	m.BatchSize, m.MaxConcurrency = cmp.Or(m.BatchSize, queue.MaxBatch), cmp.Or(m.MaxConcurrency, 10)
	var functions sync.WaitGroup
	defer functions.Wait()
	slots := make(chan struct{}, m.MaxConcurrency)
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		functions.Go(func() {
			defer func() { <-slots }()
			if batch := m.gather(ctx, q); len(batch) > 0 {
				// What was received is handled, even if ctx has ended since: the messages are hidden from everybody
				// else.
				m.invoke(context.WithoutCancel(ctx), q, batch)
			}
		})
	}
	return ctx.Err()
}

// gather receives a batch. What was received when ctx ends is a batch, too.
func (m QueueMapping) gather(ctx context.Context, q queue.Queue) []queue.Received {
	batch := m.receive(ctx, q, m.BatchSize, time.Second)
	for end := time.Now().Add(m.Window); len(batch) > 0 && len(batch) < m.BatchSize && ctx.Err() == nil; {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		batch = append(batch, m.receive(ctx, q, m.BatchSize-len(batch), left)...)
	}
	return batch
}

// receive is one receive. While the queue cannot be reached it waits as long as a receive would have, and brings
// nothing.
func (m QueueMapping) receive(ctx context.Context, q queue.Queue, most int, patience time.Duration) []queue.Received {
	got, err := q.Receive(ctx, most, patience)
	if err != nil && ctx.Err() == nil {
		slog.Warn("a queue cannot be received from", "error", err)
		guard.Wait(ctx, patience)
	}
	return got
}

// invoke calls the function and deletes what it did.
func (m QueueMapping) invoke(ctx context.Context, q queue.Queue, batch []queue.Received) {
	within, cancel := context.WithTimeout(ctx, cmp.Or(m.Timeout, time.Minute))
	defer cancel()
	answer, err := m.Function(within, m.event(batch))
	if err != nil {
		slog.Warn("a queue's function failed", "messages", len(batch), "error", err)
		return
	}
	if err := q.Delete(ctx, done(batch, answer)...); err != nil {
		slog.Warn("messages that were done were not deleted", "error", err)
	}
}

// done is the batch without its failures. If the function names a message that is not in the batch, nothing is done:
// Lambda takes that for a failure of all.
func done(batch []queue.Received, answer awsevents.SQSEventResponse) []queue.Received {
	all := slices.Clone(batch)
	for _, f := range answer.BatchItemFailures {
		is := func(m queue.Received) bool { return m.ID == f.ItemIdentifier }
		if !slices.ContainsFunc(batch, is) {
			return nil
		}
		all = slices.DeleteFunc(all, is)
	}
	return all
}

// event is a batch as SQS's event source hands it to a function.
func (m QueueMapping) event(batch []queue.Received) awsevents.SQSEvent {
	var event awsevents.SQSEvent
	for _, r := range batch {
		attributes := map[string]string{"ApproximateReceiveCount": strconv.Itoa(r.Count)}
		if r.Group != "" {
			attributes["MessageGroupId"] = r.Group
		}
		event.Records = append(event.Records, awsevents.SQSMessage{
			MessageId: r.ID, ReceiptHandle: r.Receipt, Body: r.Body, Attributes: attributes,
			EventSource: "aws:sqs", EventSourceARN: m.ARN,
		})
	}
	return event
}
