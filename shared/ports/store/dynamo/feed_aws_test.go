//go:build aws

package dynamo_test

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// feed is the changes of a table, read from its stream without Lambda, so that the suite can ask of DynamoDB what
// store.Feed promises. The suite's tables are new and small, so their shards do not split while they are read.
type feed struct {
	arn       *string
	client    *dynamodbstreams.Client
	following sync.Mutex // held by the one who follows
	after     map[string]*string
}

var _ store.Feed = (*feed)(nil)

// openFeed is the feed of the table's stream.
func openFeed(ctx context.Context, cfg aws.Config, table string) (*feed, error) {
	out, err := dynamodb.NewFromConfig(cfg).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, err
	}
	return &feed{arn: out.Table.LatestStreamArn, client: dynamodbstreams.NewFromConfig(cfg),
		after: map[string]*string{}}, nil
}

// Follow reads the stream's shards in turn. A second follower waits until the first has ended. What was not handled, or
// could not be read, comes in the next round.
func (f *feed) Follow(ctx context.Context, most int, handle func(context.Context, []events.Change) error) error {
	f.following.Lock()
	defer f.following.Unlock()
	for ctx.Err() == nil {
		out, err := f.client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: f.arn})
		if err == nil {
			for _, shard := range out.StreamDescription.Shards {
				_ = f.read(ctx, *shard.ShardId, most, handle)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
	return ctx.Err()
}

// read hands over what the shard has behind what was handled, in batches, and notes how far each batch went.
func (f *feed) read(ctx context.Context, shard string, most int,
	handle func(context.Context, []events.Change) error,
) error {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: f.arn, ShardId: &shard,
		ShardIteratorType: streams.ShardIteratorTypeTrimHorizon}
	if after := f.after[shard]; after != nil {
		in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeAfterSequenceNumber, after
	}
	at, err := f.client.GetShardIterator(ctx, in)
	if err != nil {
		return err
	}
	out, err := f.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at.ShardIterator})
	if err != nil {
		return err
	}
	var batch []events.Change
	for i, r := range out.Records {
		if rides, is := r.Dynamodb.NewImage[dynamo.AttrChange].(*streams.AttributeValueMemberS); is {
			change, err := events.Decode(rides.Value)
			if err != nil {
				return err
			}
			if !change.Empty() {
				batch = append(batch, change)
			}
		}
		if len(batch) == most || i == len(out.Records)-1 && len(batch) > 0 {
			if err := handle(ctx, batch); err != nil {
				return err
			}
			f.after[shard], batch = r.Dynamodb.SequenceNumber, nil
		}
	}
	return nil
}
