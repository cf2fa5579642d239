package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
)

// mapped runs the mapping on a queue of n messages for a minute of a clock that jumps.
func mapped(t *testing.T, n int, m QueueMapping,
	function func(awsevents.SQSEvent) (awsevents.SQSEventResponse, error),
) (dead []string) {
	t.Helper()
	letters := memory.New(queue.Settings{Visibility: time.Minute}, nil, 100)
	q := memory.New(queue.Settings{Visibility: 5 * time.Second, MaxReceives: 3}, letters, 100)
	for i := range n {
		require.NoError(t, q.Send(t.Context(), queue.Message{Body: fmt.Sprint(i), Group: "g"}))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m.Function = func(_ context.Context, e awsevents.SQSEvent) (awsevents.SQSEventResponse, error) {
		return function(e)
	}
	require.ErrorIs(t, m.Run(ctx, q), context.DeadlineExceeded)
	got, err := letters.Receive(t.Context(), 10, 0)
	require.NoError(t, err)
	for _, r := range got {
		dead = append(dead, r.Body)
	}
	slices.Sort(dead)
	return dead
}

// times counts how often each body was seen.
type times struct {
	mu   sync.Mutex
	seen map[string]int
}

func (s *times) see(e awsevents.SQSEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	for _, r := range e.Records {
		s.seen[r.Body]++
	}
}

func TestQueueMapping(t *testing.T) {
	failing := func(e awsevents.SQSEvent, body string) (answer awsevents.SQSEventResponse) {
		for _, r := range e.Records {
			if r.Body == body {
				answer.BatchItemFailures = append(answer.BatchItemFailures,
					awsevents.SQSBatchItemFailure{ItemIdentifier: r.MessageId})
			}
		}
		return answer
	}
	for _, c := range []struct {
		name     string
		function func(awsevents.SQSEvent) (awsevents.SQSEventResponse, error)
		want     map[string]int
		dead     []string
	}{
		{"what is done is gone", func(awsevents.SQSEvent) (awsevents.SQSEventResponse,
			error) {
			return awsevents.SQSEventResponse{}, nil
		},
			map[string]int{"0": 1, "1": 1, "2": 1}, nil},
		{"what fails comes again, alone, until it is a dead letter",
			func(e awsevents.SQSEvent) (awsevents.SQSEventResponse, error) { return failing(e, "1"), nil },
			map[string]int{"0": 1, "1": 3, "2": 1}, []string{"1"}},
		{"when the function fails all comes again",
			func(awsevents.SQSEvent) (awsevents.SQSEventResponse, error) {
				return awsevents.SQSEventResponse{}, errors.New("broken")
			},
			map[string]int{"0": 3, "1": 3, "2": 3}, []string{"0", "1", "2"}},
		{"so it does when a failure is named that is not there",
			func(awsevents.SQSEvent) (awsevents.SQSEventResponse, error) {
				return awsevents.SQSEventResponse{BatchItemFailures: []awsevents.SQSBatchItemFailure{{}}}, nil
			},
			map[string]int{"0": 3, "1": 3, "2": 3}, []string{"0", "1", "2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s times
				dead := mapped(t, 3, QueueMapping{}, func(e awsevents.SQSEvent) (awsevents.SQSEventResponse, error) {
					s.see(e)
					return c.function(e)
				})
				require.Equal(t, c.want, s.seen)
				require.Equal(t, c.dead, dead)
			})
		})
	}
}

func TestAQueueMappingRunsNoMoreFunctionsThanItMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var s times
		running, most := 0, 0
		mapped(t, 50, QueueMapping{BatchSize: 3, MaxConcurrency: 4},
			func(e awsevents.SQSEvent) (awsevents.SQSEventResponse, error) {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				require.LessOrEqual(t, len(e.Records), 3)
				time.Sleep(time.Second)
				s.see(e)
				mu.Lock()
				running--
				mu.Unlock()
				return awsevents.SQSEventResponse{}, nil
			})
		require.Equal(t, 4, most)
		require.Len(t, s.seen, 50)
	})
}

func TestAMessageReachesTheFunctionAsSQSHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []awsevents.SQSMessage
		mapped(t, 1, QueueMapping{ARN: "arn:q"}, func(e awsevents.SQSEvent) (awsevents.SQSEventResponse, error) {
			got = append(got, e.Records...)
			return awsevents.SQSEventResponse{}, nil
		})
		require.Len(t, got, 1)
		require.Equal(t, map[string]string{"ApproximateReceiveCount": "1", "MessageGroupId": "g"}, got[0].Attributes)
		require.Equal(t, []string{"0", "aws:sqs", "arn:q"},
			[]string{got[0].Body, got[0].EventSource, got[0].EventSourceARN})
		require.NotEmpty(t, got[0].MessageId)
	})
}
