package lambda

import (
	"context"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"eshop/shared/ports/queue"
)

// Messages hands the messages of an SQS event to a function. Those it returns stay in the queue and are seen again when
// their visibility ends; Lambda deletes the others.
func Messages(handle func(context.Context, []queue.Received) (failed []queue.Received)) func(
	context.Context, events.SQSEvent,
) (events.SQSEventResponse, error) {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		received := make([]queue.Received, len(e.Records))
		for i, m := range e.Records {
			received[i] = message(m)
		}
		out := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}} // [] and never null
		for _, m := range handle(ctx, received) {
			out.BatchItemFailures = append(out.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.ID})
		}
		return out, nil
	}
}

// message is a message of SQS as queue has it. Without a count it counts as received once.
func message(m events.SQSMessage) queue.Received {
	count, err := strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
	if err != nil {
		count = 1
	}
	return queue.Received{
		ID: m.MessageId, Body: m.Body, Group: m.Attributes["MessageGroupId"], Count: count, Receipt: m.ReceiptHandle,
	}
}
