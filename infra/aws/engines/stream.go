package engines

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store/dynamo"
)

// Stream is one shard of a table's stream: in journeys the feed of the one process, and in tests a list.
type Stream interface {
	// Read hands over all records in order until ctx ends, and returns ctx's error then.
	Read(ctx context.Context, handle func(context.Context, []awsevents.DynamoDBEventRecord) error) error
}

// Record is a stream's record with nothing but what a change needs.
func Record(sequence int, at time.Time, c events.Change) awsevents.DynamoDBEventRecord {
	number := strconv.Itoa(sequence)
	return awsevents.DynamoDBEventRecord{EventID: number, EventName: "MODIFY", EventSource: "aws:dynamodb",
		Change: awsevents.DynamoDBStreamRecord{SequenceNumber: number,
			ApproximateCreationDateTime: awsevents.SecondsEpochTime{Time: at},
			NewImage: map[string]awsevents.DynamoDBAttributeValue{
				dynamo.AttrChange: awsevents.NewStringAttribute(c.Encode())}}}
}

// Changes is the filter of the batcher's mapping: only records whose new image carries a change pass.
func Changes(r awsevents.DynamoDBEventRecord) bool {
	_, ok := r.Change.NewImage[dynamo.AttrChange]
	return ok
}

// StreamFunction is a Lambda behind a stream.
type StreamFunction func(context.Context, awsevents.DynamoDBEvent) (awsevents.DynamoDBEventResponse, error)

// StreamMapping hands a shard's records to a function as Lambda's event source mapping does: in order, one batch at a
// time. What failed comes again, in halves if that is asked for, and at last goes to the on-failure queue:
// so no record holds up its shard for ever.
type StreamMapping struct {
	Function  StreamFunction
	Filter    func(awsevents.DynamoDBEventRecord) bool // what does not pass is no part of any batch; nil: all pass
	BatchSize int                                      // records in a batch at most; 0: 100
	Window    time.Duration                            // how long a batch that is not full waits for more
	Bisect    bool                                     // a failed batch is tried again in halves; that uses up no retry
	Retries   int                                      // tries after the first
	MaxAge    time.Duration                            // older records are given up untried; 0: never
	Timeout   time.Duration                            // of the function; 0: a minute
	Pause     time.Duration                            // before a retry
	OnFailure queue.Queue                              // is told what was given up, without the records; nil: nobody
}

// Run reads until ctx ends. A function that is under way then is not interrupted: Run returns ctx's error once it has
// ended.
func (m *StreamMapping) Run(ctx context.Context, stream Stream) error {
	records := make(chan awsevents.DynamoDBEventRecord)
	var worker sync.WaitGroup
	defer worker.Wait()
	worker.Go(func() {
		for ctx.Err() == nil {
			if batch := m.gather(ctx, records); ctx.Err() == nil {
				m.handle(ctx, batch, 0)
			}
		}
	})
	// One by one: reading waits for the function.
	return stream.Read(ctx, func(ctx context.Context, some []awsevents.DynamoDBEventRecord) error {
		for _, r := range some {
			select {
			case records <- r:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

// gather waits for a record that passes the filter, and from then on until the batch is full or the window is over.
func (m *StreamMapping) gather(ctx context.Context, records <-chan awsevents.DynamoDBEventRecord) (
	batch []awsevents.DynamoDBEventRecord,
) {
	var over <-chan time.Time
	for len(batch) < cmp.Or(m.BatchSize, 100) {
		select {
		case r := <-records:
			if m.Filter != nil && !m.Filter(r) {
				continue
			}
			batch = append(batch, r)
		case <-over:
			return batch
		case <-ctx.Done():
			return batch
		}
		if over == nil {
			timer := time.NewTimer(max(m.Window, time.Millisecond)) // a read's records come together
			defer timer.Stop()
			over = timer.C
		}
	}
	return batch
}

// handle invokes the function with a batch, and with smaller and smaller parts of it, until each part is done or given
// up. tries is how often the batch was tried before. After a failure there are three ways on:
//
//   - The function named a record: those before it are done, and the tries of the rest count anew.
//   - The batch is halved, if Bisect is set: the first half is handled to its end, then the second.
//   - The same batch is tried again, until its retries are used up and it is given up.
func (m *StreamMapping) handle(ctx context.Context, batch []awsevents.DynamoDBEventRecord, tries int) {
	for ctx.Err() == nil {
		if batch = m.withoutOld(ctx, batch, tries); len(batch) == 0 {
			return
		}
		first := m.invoke(ctx, batch)
		switch {
		case first == len(batch):
			return
		case first > 0: // those before are done
			batch, tries = batch[first:], 0
		case m.Bisect && len(batch) > 1:
			half := len(batch) / 2
			m.handle(ctx, batch[:half], tries)
			batch = batch[half:]
			continue
		}
		if tries++; tries > m.Retries {
			m.giveUp(ctx, batch, "RetryAttemptsExhausted", tries)
			return
		}
		guard.Wait(ctx, m.Pause)
	}
}

// withoutOld gives up the records that are too old, and returns the others.
func (m *StreamMapping) withoutOld(ctx context.Context, batch []awsevents.DynamoDBEventRecord, tries int,
) []awsevents.DynamoDBEventRecord {
	if m.MaxAge == 0 {
		return batch
	}
	// The records are in the order of their writes, so those that are too old come first.
	n := slices.IndexFunc(batch, func(r awsevents.DynamoDBEventRecord) bool {
		return time.Since(r.Change.ApproximateCreationDateTime.Time) <= m.MaxAge
	})
	if n < 0 {
		n = len(batch)
	}
	if n > 0 {
		m.giveUp(ctx, batch[:n], "RecordAgeExceeded", tries)
	}
	return batch[n:]
}

// invoke calls the function and returns the index of the first record that it did not do. That is the length of the
// batch if it did all, and 0 if it failed or named a record that it was not given.
func (m *StreamMapping) invoke(ctx context.Context, batch []awsevents.DynamoDBEventRecord) int {
	// A function is not interrupted by the end of the mapping, as in Lambda.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(m.Timeout, time.Minute))
	defer cancel()
	answer, err := m.Function(ctx, awsevents.DynamoDBEvent{Records: slices.Clone(batch)})
	if err != nil {
		slog.Warn("a stream's function failed", "records", len(batch), "error", err)
		return 0
	}
	first := len(batch)
	for _, f := range answer.BatchItemFailures {
		i := slices.IndexFunc(batch, func(r awsevents.DynamoDBEventRecord) bool {
			return r.Change.SequenceNumber == f.ItemIdentifier
		})
		first = min(first, max(i, 0))
	}
	return first
}

// GivenUp is what the on-failure queue is told, in Lambda's form.
type GivenUp struct {
	RequestContext struct {
		Condition              string `json:"condition"`
		ApproximateInvokeCount int    `json:"approximateInvokeCount"`
	} `json:"requestContext"`
	Version string      `json:"version"`
	Batch   StreamBatch `json:"DDBStreamBatchInfo"`
}

// StreamBatch says where the records are that were given up; the stream has them for 24 hours.
type StreamBatch struct {
	StartSequenceNumber string `json:"startSequenceNumber"`
	EndSequenceNumber   string `json:"endSequenceNumber"`
	BatchSize           int    `json:"batchSize"`
}

// giveUp tells the on-failure queue where the records are. As Lambda does, it sends their place in the stream and not
// the records.
func (m *StreamMapping) giveUp(ctx context.Context, batch []awsevents.DynamoDBEventRecord, why string, tries int) {
	notice := GivenUp{Version: "1.0", Batch: StreamBatch{BatchSize: len(batch),
		StartSequenceNumber: batch[0].Change.SequenceNumber,
		EndSequenceNumber:   batch[len(batch)-1].Change.SequenceNumber}}
	notice.RequestContext.Condition, notice.RequestContext.ApproximateInvokeCount = why, tries
	slog.Error("records were given up", "condition", why, "records", len(batch), "tries", tries)
	if m.OnFailure == nil {
		return
	}
	body, err := json.Marshal(notice)
	if err == nil {
		err = m.OnFailure.Send(context.WithoutCancel(ctx), queue.Message{Body: string(body)})
	}
	if err != nil {
		slog.Error("the on-failure queue was not told", "error", err)
	}
}
