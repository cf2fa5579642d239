package dynamo

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"eshop/events"
	"eshop/shared/store"
)

// Feed is the changes of a table, read from its stream. On AWS Lambda's event source mapping does this work; the feed
// is for whatever follows a table without being a Lambda. How far it came is kept in the table, by shard.
type Feed struct {
	table  *Table
	stream *Stream
	name   string
	one    sync.Mutex // held by the one who follows
}

var _ store.Feed = (*Feed)(nil)

// NewFeed is the feed of that name: each name follows for itself.
func NewFeed(t *Table, s *Stream, name string) *Feed {
	return &Feed{table: t, stream: s, name: name}
}

// keptFor is longer than DynamoDB keeps the records of a stream (24 hours).
const keptFor = 48 * time.Hour

// Follow reads the stream's shards in turn. A second follower waits until the first has ended.
func (f *Feed) Follow(ctx context.Context, most int, handle func(context.Context, []events.Change) error) error {
	f.one.Lock()
	defer f.one.Unlock()
	return f.stream.Read(ctx, Reader{
		After: func(ctx context.Context, shard string) (string, error) {
			item, err := f.table.one(ctx, f.place(shard))
			if err != nil || item == nil {
				return "", err
			}
			return item.Text["after"], nil
		},
		Handle: func(ctx context.Context, shard string, records []streams.Record) error {
			return f.hand(ctx, shard, records, most, handle)
		},
	})
}

// place is the item that says how far the shard was handled.
func (f *Feed) place(shard string) store.Key { return store.Key{PK: "FEED#" + f.name, SK: shard} }

// hand passes the changes among the records on in batches and notes each that was handled.
func (f *Feed) hand(ctx context.Context, shard string, records []streams.Record, most int,
	handle func(context.Context, []events.Change) error,
) error {
	var batch []events.Change
	for i, r := range records {
		if c, ok := changeOf(r); ok {
			batch = append(batch, c)
		}
		if len(batch) == most || i == len(records)-1 && len(batch) > 0 {
			if err := f.insist(ctx, batch, handle); err != nil {
				return err
			}
			f.note(ctx, shard, *r.Dynamodb.SequenceNumber)
			batch = nil
		}
	}
	return nil
}

// changeOf is the change that rides on a new image. One that cannot be read is told to the log and holds up nobody.
func changeOf(r streams.Record) (events.Change, bool) {
	ch, ok := r.Dynamodb.NewImage[AttrChange].(*streams.AttributeValueMemberS)
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

// insist hands a batch again and again, with a growing pause, until it is handled or ctx ends.
func (f *Feed) insist(ctx context.Context, batch []events.Change,
	handle func(context.Context, []events.Change) error,
) error {
	for pause := firstWait; ; pause = min(2*pause, time.Second) {
		if err := handle(ctx, batch); err == nil {
			return nil
		} else if ctx.Err() == nil {
			slog.Warn("changes are handed again", "count", len(batch), "error", err)
		}
		wait(ctx, pause)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// note writes down how far the shard was handled, also when ctx ends just then. Where that fails the next start hands
// some changes once more.
func (f *Feed) note(ctx context.Context, shard, after string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.table.Timeout)
	defer cancel()
	item := store.Item{
		Key: f.place(shard), Text: map[string]string{"after": after}, Expires: time.Now().Add(keptFor).Unix(),
	}
	_, err := f.table.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &f.table.name, Item: encode(item)})
	if err != nil {
		slog.Warn("the feed's position was not kept", "feed", f.name, "error", err)
	}
}
