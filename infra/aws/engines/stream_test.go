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

	awsevents "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store/dynamo"
)

// list is a shard with numbered records; those whose number ends in x carry no change. It is read in reads of three
// records, and then stays open.
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

func (l list) Read(ctx context.Context, handle func(context.Context, []awsevents.DynamoDBEventRecord) error) error {
	for some := range slices.Chunk(l.numbers, 3) {
		if err := handle(ctx, l.records(some...)); err != nil {
			return err
		}
	}
	for _, next := range l.later {
		guard.Wait(ctx, next.after)
		if err := handle(ctx, l.records(next.number)); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (l list) records(numbers ...string) (all []awsevents.DynamoDBEventRecord) {
	for _, n := range numbers {
		r := Record(0, l.born, events.Nothing)
		if strings.HasSuffix(n, "x") {
			delete(r.Change.NewImage, dynamo.AttrChange)
		}
		r.Change.SequenceNumber = n
		all = append(all, r)
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

func (w *witness) function(_ context.Context, e awsevents.DynamoDBEvent) (awsevents.DynamoDBEventResponse, error) {
	var batch []string
	for _, r := range e.Records {
		batch = append(batch, r.Change.SequenceNumber)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batches = append(w.batches, strings.Join(batch, " "))
	var answer awsevents.DynamoDBEventResponse
	if w.fail == nil {
		return answer, nil
	}
	failed, err := w.fail(batch)
	for _, n := range failed {
		answer.BatchItemFailures = append(answer.BatchItemFailures,
			awsevents.DynamoDBBatchItemFailure{ItemIdentifier: n})
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
