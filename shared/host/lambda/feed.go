package lambda

import (
	"context"
	"log/slog"

	aws "github.com/aws/aws-lambda-go/events"

	"eshop/events"
	"eshop/shared/ports/store/dynamo"
)

// Feed hands the changes in the records of a DynamoDB stream to a function, in their order. The first change that it
// did not handle, or the first record whose change cannot be read, is answered as the batch's first failure. Lambda
// counts everything before it as handled and hands the rest again, in halves, until the failing record is alone.
func Feed(handle func(context.Context, []events.Change) (done int, err error)) func(
	context.Context, aws.DynamoDBEvent,
) (aws.DynamoDBEventResponse, error) {
	return func(ctx context.Context, e aws.DynamoDBEvent) (aws.DynamoDBEventResponse, error) {
		batch := read(ctx, e)
		if len(batch.changes) > 0 {
			done, err := handle(ctx, batch.changes)
			if err != nil {
				slog.ErrorContext(ctx, "changes not handled", "done", done, "of", len(batch.changes), "error", err)
			}
			if done < len(batch.changes) {
				batch.failed = batch.numbers[max(0, done)]
			}
		}
		out := aws.DynamoDBEventResponse{BatchItemFailures: []aws.DynamoDBBatchItemFailure{}} // [] and never null
		if batch.failed != "" {
			out.BatchItemFailures = append(out.BatchItemFailures,
				aws.DynamoDBBatchItemFailure{ItemIdentifier: batch.failed})
		}
		return out, nil
	}
}

// batch is the changes of an event's records up to the first that cannot be read, whose sequence number is failed.
type batch struct {
	changes []events.Change
	numbers []string // the sequence number of each change's record
	failed  string
}

// read is the changes that ride on the event's records.
func read(ctx context.Context, e aws.DynamoDBEvent) batch {
	var batch batch
	for _, record := range e.Records {
		riding, has := record.Change.NewImage[dynamo.AttrChange]
		if !has {
			continue
		}
		c, err := change(riding)
		if err != nil {
			slog.ErrorContext(ctx, "a change that cannot be read", "record", record.Change.SequenceNumber, "error", err)
			// What was read so far is still handled: only this record, and those behind it, come again.
			batch.failed = record.Change.SequenceNumber
			return batch
		}
		if !c.Empty() {
			batch.changes, batch.numbers = append(batch.changes, c), append(batch.numbers, record.Change.SequenceNumber)
		}
	}
	return batch
}

// change is the change that an attribute holds.
func change(riding aws.DynamoDBAttributeValue) (events.Change, error) {
	if riding.DataType() != aws.DataTypeString {
		return events.Change{}, aws.IncompatibleDynamoDBTypeError{Requested: aws.DataTypeString,
			Actual: riding.DataType()}
	}
	return events.Decode(riding.String())
}
