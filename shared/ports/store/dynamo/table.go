package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/ports/store"
)

// Table is a DynamoDB table with the keys, indexes and stream that Create makes. Its methods may be called from several
// goroutines.
type Table struct {
	// Timeout is how long one answer is waited for; that of a BatchGetItem, of up to 16 MB, five times as long.
	Timeout time.Duration

	client *dynamodb.Client
	name   string
}

var _ store.Table = (*Table)(nil)

// timeout is a Table's Timeout unless it is set: a healthy DynamoDB answers within milliseconds, and a function of the
// API, which has ten seconds, can still answer when a call was waited for twice.
const timeout = 3 * time.Second

// New is the table of that name.
func New(cfg aws.Config, name string) *Table {
	return &Table{Timeout: timeout, client: dynamodb.NewFromConfig(cfg), name: name}
}

// Get is a GetItem of one key, a BatchGetItem of more, strongly consistent. The items come in the order of the keys,
// nil for what is not there.
func (t *Table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if err := store.CheckKeys(keys...); err != nil {
		return nil, err
	}
	switch {
	case len(keys) == 0:
		return nil, nil
	case len(keys) > store.MaxKeys:
		return nil, fmt.Errorf("dynamo: %d keys in one Get", len(keys))
	case len(keys) == 1:
		item, err := t.one(ctx, keys[0])
		return []*store.Item{item}, err
	}
	found, err := t.many(ctx, keys)
	if err != nil {
		return nil, err
	}
	items := make([]*store.Item, len(keys))
	for i, k := range keys {
		if item, ok := found[k]; ok {
			items[i] = &item
		}
	}
	return items, nil
}

// one is the item of a key, nil when there is none.
func (t *Table) one(ctx context.Context, key store.Key) (*store.Item, error) {
	var out *dynamodb.GetItemOutput
	err := reading(ctx, t.Timeout, func(ctx context.Context) (units float64, err error) {
		out, err = t.client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &t.name, Key: keyAttributes(key), ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			return 0, err
		}
		return store.ReadUnits(size(out.Item)), nil
	})
	if err != nil || len(out.Item) == 0 {
		return nil, err
	}
	item, err := decode(out.Item)
	return &item, err
}

// many asks for several items until no key is left unprocessed: DynamoDB may answer a part of a batch only. It gives up
// when one try after the other brings nothing.
func (t *Table) many(ctx context.Context, keys []store.Key) (map[store.Key]store.Item, error) {
	found := make(map[store.Key]store.Item, len(keys))
	left := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	seen := make(map[store.Key]bool, len(keys))
	for _, k := range keys {
		if !seen[k] { // no key twice in one call
			left.Keys = append(left.Keys, keyAttributes(k))
		}
		seen[k] = true
	}
	for b := newBackoff(); ; {
		got, rest, err := t.batch(ctx, left)
		if err != nil {
			return nil, err
		}
		for _, raw := range got {
			item, err := decode(raw)
			if err != nil {
				return nil, err
			}
			found[item.Key] = item
		}
		if len(rest) == 0 {
			return found, nil
		}
		left.Keys = rest
		if len(got) > 0 {
			// A try that brought items is progress, so the count of tries begins again.
			b = newBackoff()
		}
		if !b.retry(ctx) {
			return nil, fmt.Errorf("%w: %d keys stayed unprocessed", store.ErrUnavailable, len(rest))
		}
	}
}

// batch is one BatchGetItem: what it found and which keys it left.
func (t *Table) batch(ctx context.Context, keys types.KeysAndAttributes) (got, rest []attributes, err error) {
	var out *dynamodb.BatchGetItemOutput
	err = reading(ctx, 5*t.Timeout, func(ctx context.Context) (units float64, err error) {
		out, err = t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{t.name: keys},
		})
		if err != nil {
			return 0, err
		}
		left := len(out.UnprocessedKeys[t.name].Keys)
		units = float64(len(keys.Keys) - left - len(out.Responses[t.name])) // looked for and not there
		for _, item := range out.Responses[t.name] {
			units += store.ReadUnits(size(item))
		}
		return units, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return out.Responses[t.name], out.UnprocessedKeys[t.name].Keys, nil
}
