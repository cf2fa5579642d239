//go:build aws

package dynamo_test

import (
	"context"
	"log/slog"
	"sync"
	"time"

	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"eshop/events"
	"eshop/infra/engines"
	"eshop/shared/store"
	"eshop/shared/store/dynamo"
)

// feed is the changes of a table, read from its stream: what Lambda's event source mapping does in an account, so that
// the suite can ask of DynamoDB what store.Feed promises. How far it was handled is saved in the table, by shard.
type feed struct {
	table     *dynamo.Table
	stream    *engines.TableStream
	name      string     // each name follows for itself
	following sync.Mutex // held by the one who follows
}

var _ store.Feed = (*feed)(nil)

// positionLife is how long a position is saved: longer than DynamoDB keeps the records of a stream (24 hours).
const positionLife = 48 * time.Hour

// Follow reads the stream's shards in turn. A second follower waits until the first has ended.
func (f *feed) Follow(ctx context.Context, most int, handle func(context.Context, []events.Change) error) error {
	f.following.Lock()
	defer f.following.Unlock()
	return f.stream.Read(ctx, engines.StreamReader{
		After: func(ctx context.Context, shard string) (string, error) {
			items, err := f.table.Get(ctx, f.position(shard))
			if err != nil || items[0] == nil {
				return "", err
			}
			return items[0].Text["after"], nil
		},
		Handle: func(ctx context.Context, shard string, records []streams.Record) error {
			return f.handOver(ctx, shard, records, most, handle)
		},
	})
}

// position is the item that says how far the shard was handled.
func (f *feed) position(shard string) store.Key { return store.Key{PK: "FEED#" + f.name, SK: shard} }

// handOver hands the changes among the records over in batches, and saves the position behind each that was handled.
func (f *feed) handOver(ctx context.Context, shard string, records []streams.Record, most int,
	handle func(context.Context, []events.Change) error,
) error {
	var batch []events.Change
	for i, r := range records {
		if c, ok := changeOf(r); ok {
			batch = append(batch, c)
		}
		if len(batch) == most || i == len(records)-1 && len(batch) > 0 {
			if err := f.untilHandled(ctx, batch, handle); err != nil {
				return err
			}
			f.savePosition(ctx, shard, *r.Dynamodb.SequenceNumber)
			batch = nil
		}
	}
	return nil
}

// changeOf is the change that rides on a new image. One that cannot be read is logged and passed over.
func changeOf(r streams.Record) (events.Change, bool) {
	ch, ok := r.Dynamodb.NewImage[dynamo.AttrChange].(*streams.AttributeValueMemberS)
	if !ok {
		return events.Change{}, false
	}
	c, err := events.Decode(ch.Value)
	if err != nil {
		slog.Error("a change that cannot be read", "sequence", *r.Dynamodb.SequenceNumber, "error", err)
		return events.Change{}, false
	}
	return c, !c.Empty()
}

// untilHandled hands a batch over until it is handled or ctx ends, with a growing pause between.
func (f *feed) untilHandled(ctx context.Context, batch []events.Change,
	handle func(context.Context, []events.Change) error,
) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if err := handle(ctx, batch); err == nil {
			return nil
		} else if ctx.Err() == nil {
			slog.Warn("changes are handed again", "count", len(batch), "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// savePosition writes down how far the shard was handled, also when ctx ends just then. Where that fails the next start
// hands some changes over once more.
func (f *feed) savePosition(ctx context.Context, shard, after string) {
	item := store.Item{Key: f.position(shard), Text: map[string]string{"after": after},
		Expires: time.Now().Add(positionLife).Unix()}
	if _, err := f.table.Write(context.WithoutCancel(ctx), events.Nothing, store.Put(item)); err != nil {
		slog.Warn("the feed's position was not saved", "feed", f.name, "error", err)
	}
}
