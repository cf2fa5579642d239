package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	lambda "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/require"

	"eshop/shared/queue"
	"eshop/shared/queue/memory"
	"eshop/shared/store/dynamo"
)

// list is a stream of one shard with numbered records; those whose number ends in x carry no change. It is read from
// behind After, in reads of three records, and then stays open.
type list struct {
	numbers []string
	born    time.Time
	later   []later
}

// later is a record that comes after a while.
type later struct {
	after  time.Duration
	number string
}

func (l list) Read(ctx context.Context, r StreamReader) error {
	after, err := r.After(ctx, "shard")
	if err != nil {
		return err
	}
	from := slices.Index(l.numbers, after) + 1
	for some := range slices.Chunk(l.numbers[from:], 3) {
		if err := r.Handle(ctx, "shard", l.records(some...)); err != nil {
			return err
		}
	}
	for _, next := range l.later {
		wait(ctx, next.after)
		if err := r.Handle(ctx, "shard", l.records(next.number)); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (l list) records(numbers ...string) []streams.Record {
	var all []streams.Record
	for _, n := range numbers {
		image := map[string]streams.AttributeValue{"pk": &streams.AttributeValueMemberS{Value: "item " + n}}
		if !strings.HasSuffix(n, "x") {
			image[dynamo.AttrChange] = &streams.AttributeValueMemberS{Value: "{}"}
		}
		all = append(all, streams.Record{
			EventName: streams.OperationTypeModify,
			Dynamodb: &streams.StreamRecord{
				SequenceNumber: aws.String(n), NewImage: image, ApproximateCreationDateTime: aws.Time(l.born),
			},
		})
	}
	return all
}

func numbers(from, to int) (all []string) {
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

// witness is a function that notes its batches and fails as it is told.
type witness struct {
	mu      sync.Mutex
	batches []string
	fail    func(batch []string) (failed []string, err error)
}

func (w *witness) function(_ context.Context, e lambda.DynamoDBEvent) (lambda.DynamoDBEventResponse, error) {
	var batch []string
	for _, r := range e.Records {
		batch = append(batch, r.Change.SequenceNumber)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batches = append(w.batches, strings.Join(batch, " "))
	var answer lambda.DynamoDBEventResponse
	if w.fail == nil {
		return answer, nil
	}
	failed, err := w.fail(batch)
	for _, n := range failed {
		answer.BatchItemFailures = append(answer.BatchItemFailures, lambda.DynamoDBBatchItemFailure{ItemIdentifier: n})
	}
	return answer, err
}

var errBroken = errors.New("broken")

// poison fails every batch that holds the record.
func poison(number string) func([]string) ([]string, error) {
	return func(batch []string) ([]string, error) {
		if slices.Contains(batch, number) {
			return nil, errBroken
		}
		return nil, nil
	}
}

// reports names the record as failed when the batch holds it.
func reports(number string) func([]string) ([]string, error) {
	return func(batch []string) ([]string, error) {
		if slices.Contains(batch, number) {
			return []string{number}, nil
		}
		return nil, nil
	}
}

func TestStreamMapping(t *testing.T) {
	for _, c := range []struct {
		name    string
		stream  list
		mapping *StreamMapping
		fail    func([]string) ([]string, error)
		want    []string // batches, in order
		givenUp []string // condition, tries, first and last number
	}{
		{name: "batches are as big as may be, and in order", stream: list{numbers: numbers(1, 7)},
			mapping: &StreamMapping{BatchSize: 3},
			want:    []string{"1 2 3", "4 5 6", "7"}},
		{name: "what the filter holds back is in no batch", stream: list{numbers: []string{"1", "2x", "3", "4x"}},
			mapping: &StreamMapping{Filter: Changes}, want: []string{"1 3"}},
		{name: "a batch waits for more as long as its window", stream: list{numbers: numbers(1, 2),
			later: []later{{900 * time.Millisecond, "3"}, {200 * time.Millisecond, "4"}}},
			want: []string{"1 2 3", "4"}},
		{name: "a failed batch is tried again, and then given up", stream: list{numbers: numbers(1, 4)},
			mapping: &StreamMapping{BatchSize: 2, Retries: 2}, fail: poison("2"),
			want:    []string{"1 2", "1 2", "1 2", "3 4"},
			givenUp: []string{"RetryAttemptsExhausted 3 1-2"}},
		{name: "in halves only what fails is given up", stream: list{numbers: numbers(1, 5)},
			mapping: &StreamMapping{BatchSize: 4, Bisect: true, Retries: 1}, fail: poison("3"),
			want:    []string{"1 2 3 4", "1 2", "3 4", "3", "3", "4", "5"},
			givenUp: []string{"RetryAttemptsExhausted 2 3-3"}},
		{name: "behind a partial failure it goes on at the first that failed", stream: list{numbers: numbers(1, 4)},
			mapping: &StreamMapping{Retries: 1}, fail: once(reports("3")),
			want: []string{"1 2 3 4", "3 4"}},
		{name: "a partial failure that stays is bisected and given up", stream: list{numbers: numbers(1, 4)},
			mapping: &StreamMapping{Bisect: true, Retries: 1}, fail: reports("2"),
			want:    []string{"1 2 3 4", "2 3 4", "2", "3 4"},
			givenUp: []string{"RetryAttemptsExhausted 2 2-2"}},
		{name: "of several failures the first counts", stream: list{numbers: numbers(1, 4)},
			mapping: &StreamMapping{Retries: 1},
			fail:    once(func([]string) ([]string, error) { return []string{"4", "2"}, nil }),
			want:    []string{"1 2 3 4", "2 3 4"}},
		{name: "a failure that names no record of the batch fails all", stream: list{numbers: numbers(1, 2)},
			mapping: &StreamMapping{Retries: 1},
			fail:    once(func([]string) ([]string, error) { return []string{""}, nil }),
			want:    []string{"1 2", "1 2"}},
		{name: "what is too old is given up untried", stream: list{numbers: numbers(1, 2), born: time.Unix(0, 0)},
			mapping: &StreamMapping{MaxAge: 6 * time.Hour}, givenUp: []string{"RecordAgeExceeded 0 1-2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				w, failures := &witness{fail: c.fail}, memory.New(queue.Settings{Visibility: time.Minute}, nil, 100)
				m := c.mapping
				if m == nil {
					m = &StreamMapping{}
				}
				m.Function, m.OnFailure, m.Window, m.Pause = w.function, failures, time.Second, time.Second
				require.ErrorIs(t, m.Run(ctx, c.stream), context.DeadlineExceeded)
				require.Equal(t, c.want, w.batches)
				require.Equal(t, c.givenUp, told(t, failures))
			})
		})
	}
}

// once fails the first time.
func once(fail func([]string) ([]string, error)) func([]string) ([]string, error) {
	failed := false
	return func(batch []string) ([]string, error) {
		if failed {
			return nil, nil
		}
		failed = true
		return fail(batch)
	}
}

func told(t *testing.T, failures queue.Queue) (all []string) {
	t.Helper()
	got, err := failures.Receive(context.Background(), 10, 0)
	require.NoError(t, err)
	for _, r := range got {
		var g GivenUp
		require.NoError(t, json.Unmarshal([]byte(r.Body), &g))
		all = append(all, fmt.Sprintf("%s %d %s-%s", g.RequestContext.Condition,
			g.RequestContext.ApproximateInvokeCount,
			g.Batch.StartSequenceNumber, g.Batch.EndSequenceNumber))
	}
	return all
}

func TestAStreamMappingGoesOnBehindTheLastBatchItWasDoneWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &witness{}
		m := &StreamMapping{BatchSize: 2, Window: time.Second, Function: w.function, Retries: 9, Pause: time.Second}
		w.fail = func(batch []string) ([]string, error) {
			if batch[0] != "3" {
				return nil, nil
			}
			cancel() // while this batch is under way
			return nil, errBroken
		}
		require.ErrorIs(t, m.Run(ctx, list{numbers: numbers(1, 5)}), context.Canceled)
		require.Equal(t, []string{"1 2", "3 4"}, w.batches)
		w.fail, w.batches = nil, nil
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, m.Run(ctx, list{numbers: numbers(1, 5)}), context.DeadlineExceeded)
		require.Equal(t, []string{"3 4", "5"}, w.batches)
	})
}
