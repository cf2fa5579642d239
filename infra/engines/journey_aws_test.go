//go:build aws

package engines

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	lambda "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/queue"
	"eshop/shared/queue/sqs"
	"eshop/shared/store"
	"eshop/shared/store/dynamo"
)

// From a write in DynamoDB over its stream and a queue to a function, through both mappings and their JSON.
func TestAChangeTravelsFromTheTableToTheFunctionBehindTheQueue(t *testing.T) {
	name := "journey-" + rand.Text()
	table, err := dynamo.Create(t.Context(), ForTest(t, DynamoDB), name, true)
	require.NoError(t, err)
	stream, err := OpenStream(t.Context(), ForTest(t, DynamoDB), name)
	require.NoError(t, err)
	stream.Pause = 5 * time.Millisecond
	q, dead, err := sqs.Create(t.Context(), ForTest(t, SQS), queue.Settings{
		Name: name, Visibility: time.Second, MaxReceives: 2, DeadLetter: name + "-dead",
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		require.NoError(t, table.Drop(ctx))
		require.NoError(t, q.Drop(ctx))
		require.NoError(t, dead.Drop(ctx))
	})

	arrived := make(chan string, 100)
	batcher := StreamMapping{
		ARN: stream.ARN, Filter: Changes, BatchSize: 500, Window: 10 * time.Millisecond, Bisect: true, OnFailure: dead,
		Function: func(ctx context.Context, e lambda.DynamoDBEvent) (lambda.DynamoDBEventResponse, error) {
			for _, r := range throughJSON(t, e).Records {
				c, err := events.Decode(r.Change.NewImage[dynamo.AttrChange].String())
				if err == nil && c.Request == "poison" {
					err = fmt.Errorf("a change that is poison")
				}
				if err == nil {
					err = q.Send(ctx, queue.Message{Body: c.Request, Group: c.Shop})
				}
				if err != nil {
					return lambda.DynamoDBEventResponse{}, err
				}
			}
			return lambda.DynamoDBEventResponse{}, nil
		},
	}
	delivery := QueueMapping{Function: func(_ context.Context,
		e lambda.SQSEvent) (answer lambda.SQSEventResponse, _ error) {
		for _, r := range throughJSON(t, e).Records {
			if r.Body == "2" && r.Attributes["ApproximateReceiveCount"] == "1" {
				answer.BatchItemFailures = append(answer.BatchItemFailures,
					lambda.SQSBatchItemFailure{ItemIdentifier: r.MessageId})
				continue
			}
			arrived <- r.Attributes["MessageGroupId"] + " " + r.Body
		}
		return answer, nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- batcher.Run(ctx, stream) }()
	go func() { ended <- delivery.Run(ctx, q) }()

	for _, request := range []string{"1", "2", "poison", "3"} {
		_, err := table.Write(t.Context(),
			events.Change{Request: request, Shop: "s", At: 1, Records: []events.Record{{ID: "a"}}},
			store.Put(store.Item{Key: store.Key{PK: request, SK: "1"}}),
			store.Put(store.Item{Key: store.Key{PK: request, SK: "2"}}))
		require.NoError(t, err)
	}
	seen := map[string]bool{}
	for late := time.After(2 * time.Minute); len(seen) < 3; {
		select {
		case a := <-arrived:
			seen[a] = true
		case <-late:
			require.FailNow(t, "not all arrived", "%v", seen)
		}
	}
	require.Equal(t, map[string]bool{"s 1": true, "s 2": true, "s 3": true}, seen)
	got, err := dead.Receive(t.Context(), 10, 20*time.Second)
	require.NoError(t, err)
	require.Len(t, got, 1)
	var g GivenUp
	require.NoError(t, json.Unmarshal([]byte(got[0].Body), &g))
	require.Equal(t, 1, g.Batch.BatchSize)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}

// throughJSON is the event as a Lambda's runtime reads it.
func throughJSON[E any](t *testing.T, in E) (out E) {
	t.Helper()
	b, err := json.Marshal(in)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}
