package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"eshop/shared/base/guard"
	"eshop/shared/ports/queue"
	sender "eshop/shared/ports/queue/sqs"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// Table makes a table as the stack does, with its indexes, expiry and, when stream is set, a stream of new images. It
// goes with the test.
func Table(t testing.TB, cfg aws.Config, name string, stream bool) *dynamo.Table {
	in := &dynamodb.CreateTableInput{TableName: &name, KeySchema: keys(dynamo.KeyNames(store.Primary)),
		AttributeDefinitions: texts(dynamo.KeyNames(store.Primary))}
	for _, i := range []store.Index{store.Index1, store.Index2} {
		in.AttributeDefinitions = append(in.AttributeDefinitions, texts(dynamo.KeyNames(i))...)
		// An index holds the keys and the number of parts only: small entries are cheap to write, and readers get the
		// items themselves consistently from the table.
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(dynamo.IndexName(i)), KeySchema: keys(dynamo.KeyNames(i)),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude,
				NonKeyAttributes: []string{dynamo.AttrParts}},
		})
	}
	if stream {
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages}
	}
	makeTable(t, cfg, in, dynamo.AttrExpires)
	return dynamo.New(cfg, name)
}

// Counters makes a table of counters as the stack does, whose key and moment of expiry are called so. It goes with the
// test.
func Counters(t testing.TB, cfg aws.Config, name, key, expires string) {
	makeTable(t, cfg, &dynamodb.CreateTableInput{TableName: &name, KeySchema: keys(key, "")[:1],
		AttributeDefinitions: texts(key, "")[:1]}, expires)
}

// makeTable makes a table and returns when it can be used.
func makeTable(t testing.TB, cfg aws.Config, in *dynamodb.CreateTableInput, expires string) {
	t.Helper()
	client, ctx := dynamodb.NewFromConfig(cfg), context.WithoutCancel(t.Context())
	in.BillingMode = types.BillingModePayPerRequest
	_, err := client.CreateTable(ctx, in)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: in.TableName})
		require.NoError(t, err)
	})
	// The waiter's own delays are for AWS, where a table takes seconds; a local engine has it at once.
	made := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, time.Second
	})
	require.NoError(t, made.Wait(ctx, &dynamodb.DescribeTableInput{TableName: in.TableName}, time.Minute))
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: in.TableName,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &expires, Enabled: aws.Bool(true)}})
	require.NoError(t, err)
}

// keys are a key of these names as a table has it.
func keys(pk, sk string) []types.KeySchemaElement {
	return []types.KeySchemaElement{{AttributeName: &pk, KeyType: types.KeyTypeHash},
		{AttributeName: &sk, KeyType: types.KeyTypeRange}}
}

// texts are attributes of these names.
func texts(pk, sk string) []types.AttributeDefinition {
	return []types.AttributeDefinition{{AttributeName: &pk, AttributeType: types.ScalarAttributeTypeS},
		{AttributeName: &sk, AttributeType: types.ScalarAttributeTypeS}}
}

// Received is an SQS queue with what Lambda does for the platform: it receives, deletes and hides messages.
type Received struct {
	*sender.Queue
	URL    string
	client *sqs.Client
}

var _ queue.Queue = Received{}

// Queue makes a queue of these settings and the dead-letter queue they name. Both go with the test.
func Queue(t testing.TB, cfg aws.Config, settings queue.Settings) (q, dead Received) {
	t.Helper()
	client, ctx := sqs.NewFromConfig(cfg), context.WithoutCancel(t.Context())
	made := func(name string, attributes map[string]string) Received {
		attributes["VisibilityTimeout"] = strconv.Itoa(int(settings.Visibility / time.Second))
		out, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
		require.NoError(t, err)
		t.Cleanup(func() {
			_, err := client.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: out.QueueUrl})
			require.NoError(t, err)
		})
		return Received{sender.New(cfg, *out.QueueUrl), *out.QueueUrl, client}
	}
	dead = made(settings.DeadLetter, map[string]string{})
	of, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &dead.URL,
		AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn}})
	require.NoError(t, err)
	// The redrive policy is what moves a message into the dead-letter queue after so many receives.
	redrive, err := json.Marshal(map[string]string{"deadLetterTargetArn": of.Attributes["QueueArn"],
		"maxReceiveCount": strconv.Itoa(settings.MaxReceives)})
	require.NoError(t, err)
	return made(settings.Name, map[string]string{"RedrivePolicy": string(redrive)}), dead
}

// Receive implements queue.Queue: it polls for whole seconds, and shortly again and again for the rest of the wait.
func (q Received) Receive(ctx context.Context, most int, patience time.Duration) ([]queue.Received, error) {
	for end := time.Now().Add(patience); ; guard.Wait(ctx, 50*time.Millisecond) {
		left := max(0, time.Until(end))
		got, err := q.poll(ctx, min(most, queue.MaxBatch), min(left, 20*time.Second))
		if err != nil || len(got) > 0 || left == 0 {
			return got, err
		}
	}
}

// poll is one call. It is not cut short when the wait is over: a message on its way would be lost until its visibility
// ends.
func (q Received) poll(ctx context.Context, most int, patience time.Duration) (got []queue.Received, err error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &q.URL, MaxNumberOfMessages: int32(most), WaitTimeSeconds: int32(patience / time.Second),
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{
			sqstypes.MessageSystemAttributeNameApproximateReceiveCount,
			sqstypes.MessageSystemAttributeNameMessageGroupId,
		},
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", queue.ErrUnavailable, err)
	}
	for _, m := range out.Messages {
		count, err := strconv.Atoi(m.Attributes[string(sqstypes.MessageSystemAttributeNameApproximateReceiveCount)])
		if err != nil {
			return nil, err
		}
		got = append(got, queue.Received{ID: *m.MessageId, Body: *m.Body, Receipt: *m.ReceiptHandle, Count: count,
			Group: m.Attributes[string(sqstypes.MessageSystemAttributeNameMessageGroupId)]})
	}
	return got, nil
}

// Delete implements queue.Queue. A receipt may have expired: then its message is gone, or another receiver has it. That
// is no error.
func (q Received) Delete(ctx context.Context, messages ...queue.Received) error {
	for _, m := range messages {
		_, err := q.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &q.URL,
			Entries: []sqstypes.DeleteMessageBatchRequestEntry{{Id: aws.String("0"), ReceiptHandle: &m.Receipt}}})
		if err != nil {
			return fmt.Errorf("%w: %w", queue.ErrUnavailable, err)
		}
	}
	return nil
}
