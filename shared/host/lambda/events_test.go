package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	aws "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/queue"
)

// event is a recorded event of a file.
func event[E any](t *testing.T, file string) (e E) {
	raw, err := os.ReadFile("testdata/" + file + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &e))
	return e
}

func TestFeed(t *testing.T) {
	for _, c := range []struct {
		name, file string
		done       int
		err        error
		requests   []string
		failed     string
	}{
		{"changes come in their order, other records are left out", "stream/mixed", 3, nil,
			[]string{"REQ1", "REQ2", "REQ3"}, ""},
		{"what is not done fails from its own record on", "stream/mixed", 1, errors.New("no"),
			[]string{"REQ1", "REQ2", "REQ3"}, "100000000000000000004"},
		{"nothing done fails from the first change on", "stream/mixed", 0, errors.New("no"),
			[]string{"REQ1", "REQ2", "REQ3"}, "100000000000000000001"},
		{"an error beside a whole batch done fails nothing", "stream/mixed", 3, errors.New("late"),
			[]string{"REQ1", "REQ2", "REQ3"}, ""},
		{"a change that cannot be read fails, what is before it is handled", "stream/poison", 1, nil, []string{"REQ1"},
			"100000000000000000004"},
		{"what fails before poison fails first", "stream/poison", 0, errors.New("no"), []string{"REQ1"},
			"100000000000000000001"},
		{"a change that is no text is poison", "stream/mistyped", 1, nil, []string{"REQ1"}, "100000000000000000004"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests []string
			r, err := Feed(func(_ context.Context, changes []events.Change) (int, error) {
				for _, c := range changes {
					requests = append(requests, c.Request)
				}
				return c.done, c.err
			})(t.Context(), event[aws.DynamoDBEvent](t, c.file))
			require.NoError(t, err)
			require.Equal(t, c.requests, requests)
			var failed string
			for _, f := range r.BatchItemFailures {
				failed += f.ItemIdentifier
			}
			require.Equal(t, c.failed, failed)
		})
	}
	t.Run("without changes nobody is asked", func(t *testing.T) {
		r, err := Feed(func(context.Context, []events.Change) (int, error) { panic("asked") })(t.Context(),
			aws.DynamoDBEvent{})
		require.NoError(t, err)
		require.Empty(t, r.BatchItemFailures)
	})
}

func TestMessages(t *testing.T) {
	r, err := Messages(func(_ context.Context, all []queue.Received) []queue.Received {
		require.Equal(t, []queue.Received{
			{ID: "m1", Body: "bell m1", Group: "receiver-1", Count: 1, Receipt: "handle-m1"},
			{ID: "m2", Body: "bell m2", Group: "receiver-2", Count: 3, Receipt: "handle-m2"},
			{ID: "m3", Body: "bell m3", Count: 1, Receipt: "handle-m3"},
		}, all)
		return all[1:2]
	})(t.Context(), event[aws.SQSEvent](t, "queue/three"))
	require.NoError(t, err)
	require.Equal(t, []aws.SQSBatchItemFailure{{ItemIdentifier: "m2"}}, r.BatchItemFailures)
}

func TestAnswersOfBatchesAreWhatLambdaReads(t *testing.T) {
	none, err := json.Marshal(aws.SQSEventResponse{})
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":null}`, string(none), "null and an empty list both mean that all is done")
}

// TestABatchWithoutFailuresSaysSo: a reader of the answer that knows no null is not led astray.
func TestABatchWithoutFailuresSaysSo(t *testing.T) {
	stream, err := Feed(func(_ context.Context, c []events.Change) (int, error) { return len(c), nil })(t.Context(),
		aws.DynamoDBEvent{})
	require.NoError(t, err)
	queued, err := Messages(func(context.Context, []queue.Received) []queue.Received { return nil })(t.Context(),
		aws.SQSEvent{})
	require.NoError(t, err)
	for _, answer := range []any{stream, queued} {
		b, err := json.Marshal(answer)
		require.NoError(t, err)
		require.JSONEq(t, `{"batchItemFailures":[]}`, string(b))
	}
}
