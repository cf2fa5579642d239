package engines

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	lambda "github.com/aws/aws-lambda-go/events"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"eshop/shared/queue"
)

// Stream is where records come from: *TableStream, and in tests a list.
type Stream interface {
	Read(ctx context.Context, r StreamReader) error
}

// StreamFunction is a Lambda behind a stream.
type StreamFunction func(context.Context, lambda.DynamoDBEvent) (lambda.DynamoDBEventResponse, error)

// StreamMapping hands a stream's records to a function as Lambda's event source mapping does: each shard in order, one
// batch at a time. What failed comes again, in halves if that is asked for, and at last goes to the on-failure queue:
// so no record holds up its shard for ever.
type StreamMapping struct {
	Function  StreamFunction
	Filter    func(lambda.DynamoDBEventRecord) bool // what does not pass is no part of any batch; nil: all pass
	BatchSize int                                   // records in a batch at most; 0: 100
	Window    time.Duration                         // how long a batch that is not full waits for more
	Bisect    bool                                  // a failed batch is tried again in halves; that uses up no retry
	Retries   int                                   // tries after the first
	MaxAge    time.Duration                         // older records are given up untried; 0: never
	Timeout   time.Duration                         // of the function; 0: a minute
	Pause     time.Duration                         // before a retry
	OnFailure queue.Queue                           // is told what was given up, without the records; nil: nobody
	ARN       string                                // of the stream, for the records
	Now       func() time.Time                      // nil: time.Now

	mu   sync.Mutex
	done map[string]string // by shard: the last sequence number that a batch was done with
}

// Run reads until ctx ends. Functions that are under way then are not interrupted: Run returns ctx's error once they
// have ended. Run again, it goes on behind the last batch that is done.
func (m *StreamMapping) Run(ctx context.Context, s Stream) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	shards := map[string]chan lambda.DynamoDBEventRecord{}
	return s.Read(ctx, StreamReader{
		After: func(_ context.Context, shard string) (string, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.done[shard], nil
		},
		Handle: func(ctx context.Context, shard string, records []streams.Record) error {
			if shards[shard] == nil {
				shards[shard] = make(chan lambda.DynamoDBEventRecord)
				workers.Go(func() { m.work(ctx, shard, shards[shard]) })
			}
			return pass(ctx, shards[shard], records, m.ARN)
		},
	})
}

// pass gives the records to the shard's worker one by one: reading waits for the function.
func pass(ctx context.Context, to chan<- lambda.DynamoDBEventRecord, records []streams.Record, arn string) error {
	for _, r := range records {
		select {
		case to <- record(r, arn):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// work makes batches of one shard's records, and handles each to its end before the next.
func (m *StreamMapping) work(ctx context.Context, shard string, records <-chan lambda.DynamoDBEventRecord) {
	for {
		batch, last := m.gather(ctx, records)
		if ctx.Err() != nil {
			return
		}
		if len(batch) > 0 {
			m.handle(ctx, shard, batch, 0)
		}
		if ctx.Err() != nil {
			return // the batch may not be done: it comes again
		}
		m.mu.Lock()
		if m.done == nil {
			m.done = map[string]string{}
		}
		m.done[shard] = last
		m.mu.Unlock()
	}
}

// gather waits for a record that passes the filter, and from then on until the batch is full or the window is over.
// last is the sequence number of the last record seen, passed or not: what the filter left out need not be seen again.
func (m *StreamMapping) gather(ctx context.Context, records <-chan lambda.DynamoDBEventRecord) (
	batch []lambda.DynamoDBEventRecord, last string,
) {
	var over <-chan time.Time
	for len(batch) < m.size() {
		select {
		case r := <-records:
			last = r.Change.SequenceNumber
			if m.Filter != nil && !m.Filter(r) {
				continue
			}
			batch = append(batch, r)
		case <-over:
			return batch, last
		case <-ctx.Done():
			return batch, last
		}
		if over == nil {
			timer := time.NewTimer(max(m.Window, time.Millisecond)) // a read's records come together
			defer timer.Stop()
			over = timer.C
		}
	}
	return batch, last
}

// size is how many records a batch has; Lambda's default is 100.
func (m *StreamMapping) size() int {
	if m.BatchSize == 0 {
		return 100
	}
	return m.BatchSize
}

// handle invokes the function with a batch, and with smaller and smaller parts of it, until each part is done or given
// up. tries is how often the batch was tried before. After a failure there are three ways on:
//
//   - The function named a record: those before it are done, and the tries of the rest count anew.
//   - The batch is halved, if Bisect is set: the first half is handled to its end, then the second.
//   - The same batch is tried again, until its retries are used up and it is given up.
func (m *StreamMapping) handle(ctx context.Context, shard string, batch []lambda.DynamoDBEventRecord, tries int) {
	for ctx.Err() == nil {
		if batch = m.withoutOld(ctx, shard, batch, tries); len(batch) == 0 {
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
			m.handle(ctx, shard, batch[:half], tries)
			batch = batch[half:]
			continue
		}
		if tries++; tries > m.Retries {
			m.giveUp(ctx, shard, batch, "RetryAttemptsExhausted", tries)
			return
		}
		wait(ctx, m.Pause)
	}
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// withoutOld gives up the records that are too old, and returns the others.
func (m *StreamMapping) withoutOld(
	ctx context.Context, shard string, batch []lambda.DynamoDBEventRecord, tries int,
) []lambda.DynamoDBEventRecord {
	if m.MaxAge == 0 {
		return batch
	}
	// The records are in the order of their writes, so those that are too old come first.
	n := slices.IndexFunc(batch, func(r lambda.DynamoDBEventRecord) bool {
		return m.now().Sub(r.Change.ApproximateCreationDateTime.Time) <= m.MaxAge
	})
	if n < 0 {
		n = len(batch)
	}
	if n > 0 {
		m.giveUp(ctx, shard, batch[:n], "RecordAgeExceeded", tries)
	}
	return batch[n:]
}

// now is the time of the test's clock, if it has one.
func (m *StreamMapping) now() time.Time {
	if m.Now == nil {
		return time.Now()
	}
	return m.Now()
}

// invoke calls the function and returns the index of the first record that it did not do. That is the length of the
// batch if it did all, and 0 if it failed or named a record that it was not given.
func (m *StreamMapping) invoke(ctx context.Context, batch []lambda.DynamoDBEventRecord) int {
	timeout := m.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	// A function is not interrupted by the end of the mapping, as in Lambda.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	answer, err := m.Function(ctx, lambda.DynamoDBEvent{Records: slices.Clone(batch)})
	if err != nil {
		slog.Warn("a stream's function failed", "records", len(batch), "error", err)
		return 0
	}
	first := len(batch)
	for _, f := range answer.BatchItemFailures {
		i := slices.IndexFunc(batch, func(r lambda.DynamoDBEventRecord) bool {
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
	ShardID                         string    `json:"shardId"`
	StartSequenceNumber             string    `json:"startSequenceNumber"`
	EndSequenceNumber               string    `json:"endSequenceNumber"`
	ApproximateArrivalOfFirstRecord time.Time `json:"approximateArrivalOfFirstRecord"`
	ApproximateArrivalOfLastRecord  time.Time `json:"approximateArrivalOfLastRecord"`
	BatchSize                       int       `json:"batchSize"`
	StreamARN                       string    `json:"streamArn"`
}

// giveUp tells the on-failure queue where the records are. As Lambda does, it sends their place in the stream and not
// the records.
func (m *StreamMapping) giveUp(ctx context.Context, shard string, batch []lambda.DynamoDBEventRecord, why string,
	tries int,
) {
	first, last := batch[0].Change, batch[len(batch)-1].Change
	notice := GivenUp{Version: "1.0", Batch: StreamBatch{
		ShardID: shard, StartSequenceNumber: first.SequenceNumber, EndSequenceNumber: last.SequenceNumber,
		ApproximateArrivalOfFirstRecord: first.ApproximateCreationDateTime.UTC(),
		ApproximateArrivalOfLastRecord:  last.ApproximateCreationDateTime.UTC(),
		BatchSize:                       len(batch), StreamARN: m.ARN,
	}}
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
		slog.Error("the on-failure queue was not told", "shard", shard, "error", err)
	}
}
