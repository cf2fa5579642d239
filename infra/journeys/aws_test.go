//go:build aws

package journeys

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/infra/engines"
	limits "eshop/shared/limit/dynamo"
	"eshop/shared/queue"
	"eshop/shared/queue/sqs"
	"eshop/shared/store/dynamo"
)

// onEngines is the state that the stack makes, in DynamoDB with Streams and SQS.
func onEngines(t *testing.T, _ func() time.Time) state {
	return onDynamoDB(t, engines.ForTest(t, engines.DynamoDB))
}

// onEnginesAlone is the same on a DynamoDB of the test's own, which no test before has made slow.
func onEnginesAlone(t *testing.T, _ func() time.Time) state {
	return onDynamoDB(t, engines.Alone(t, engines.DynamoDB))
}

func onDynamoDB(t *testing.T, cfg aws.Config) state {
	name, ctx := "journey-"+rand.Text(), context.WithoutCancel(t.Context())
	table := func(of string, stream bool) *dynamo.Table {
		made, err := dynamo.Create(ctx, cfg, name+"-"+of, stream)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, made.Drop(ctx)) })
		// an engine on a busy machine is slow, not away; a read that it forgets is made again
		made.Timeout = patience / 3
		return made
	}
	bells := func(of string) queue.Queue {
		q, dead, err := sqs.Create(ctx, engines.ForTest(t, engines.SQS),
			queue.Settings{Name: name + "-" + of, Visibility: visibility,
				MaxReceives: receives, DeadLetter: name + "-" + of + "-dead"})
		require.NoError(t, err)
		t.Cleanup(func() {
			require.NoError(t, q.Drop(ctx))
			require.NoError(t, dead.Drop(ctx))
		})
		return q
	}
	s := state{main: table("main", true), pipeline: table("pipeline", false), fresh: bells("fresh"),
		retry: bells("retry")}
	counters, err := limits.Create(ctx, cfg, name+"-counters")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dynamo.New(cfg, name+"-counters").Drop(ctx)) })
	counters.Timeout = patience // the same: requests would pass uncounted
	stream, err := engines.OpenStream(ctx, cfg, name+"-main")
	require.NoError(t, err)
	stream.Pause = 50 * time.Millisecond
	s.counters, s.streamARN = counters, stream.ARN
	s.stream = func(string) engines.Stream { return stream }
	return s
}

func TestTheLambdaHostOnTheEngines(t *testing.T) {
	t.Parallel()
	travel(t, inLambda(t, onEnginesAlone, straight()))
}

func TestOnTheEnginesEveryRecordAndMessageTwiceIsOneCallPerID(t *testing.T) { doubled(t, onEngines) }

func TestOnTheEnginesTheQueueIsAwayAndComesBack(t *testing.T) { queueAway(t, onEngines) }

func TestOnTheEnginesAStoreThatCannotBeReached(t *testing.T) { storeAway(t, onEngines) }

func TestOnTheEnginesAFunctionDiesBetweenAnyTwoSteps(t *testing.T) { functionsDie(t, onEngines) }

func TestOnTheEnginesABatchOfSeveralTransactionsIsLeftByTheStoreInTheMiddle(t *testing.T) {
	batchLeft(t, onEngines)
}

func TestOnTheEnginesAnImporterIsKilledInTheMiddle(t *testing.T) { importerDies(t, onEnginesAlone) }
