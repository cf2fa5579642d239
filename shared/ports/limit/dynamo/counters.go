// Package dynamo has limit.Counters in a DynamoDB table of their own, without a stream. An item is what an access was
// charged on a UTC day: one number for the day, and one for each of its hours. So one conditional ADD charges both
// windows or none, and answers with what both hold.
//
// # A tour
//
// Begin with counters.go: what comes in are charges and refunds, each of which is one call. spent.go remembers accesses
// that have nothing left, whose charges are refused without a call. create.go makes the table for tests.
package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"eshop/shared/base/remember"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
)

// The attributes of an item. Hours are h00 to h23.
const (
	Key     = "pk" // access#yyyymmdd
	Expires = "ttl"
	day     = "d"
)

// retention is how long a day's item stays, unless the limits say otherwise: the days of limit.HistoryHours, and one to
// spare.
const retention = 3 * 24 * time.Hour

// Counters count in DynamoDB. Each call is made once: a charge whose answer is lost may have been done.
type Counters struct {
	// Timeout is how long an answer is waited for; past it the counters cannot be reached.
	Timeout time.Duration

	client *dynamodb.Client
	table  string
	spent  spent
}

var _ limit.Counters = (*Counters)(nil)

// timeout is a Counters' Timeout unless it is set. A request waits for its charge: half a second is much longer than a
// healthy table takes, and short for one that is then served uncounted.
const timeout = 500 * time.Millisecond

// New counts in the table of that name.
func New(cfg aws.Config, table string) *Counters {
	return &Counters{Timeout: timeout, client: dynamodb.NewFromConfig(cfg), table: table,
		spent: spent{remember.NewLast[string, note](maxSpent)}}
}

// Charge is one conditional update. For an access that was seen to have nothing left less than 10 s ago it is no call
// at all, so that a flood of refused requests writes nothing. In exchange, a refund by another process is missed for
// that long at most.
func (c *Counters) Charge(ctx context.Context, access string, limits limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	if cost == 0 {
		return c.read(ctx, access, limits, cost, now)
	}
	if s, refused := c.spent.standing(access, limits, cost, now); refused {
		return s, nil
	}
	if cost > min(limits.Hourly, limits.Daily) {
		return c.read(ctx, access, limits, cost, now) // refused whatever is left: the condition of add cannot say that
	}
	s, err := c.add(ctx, access, limits, cost, now)
	if err == nil && s.Refused != "" {
		c.spent.note(access, limits, s, now)
	}
	return s, err
}

// Refund is one update, refused when less was charged than is given back.
func (c *Counters) Refund(ctx context.Context, access string, l limit.Limits, cost int64, charged time.Time) (
	limit.Standing, error,
) {
	c.spent.Forget(access)
	if cost == 0 {
		return c.read(ctx, access, l, 0, charged)
	}
	s, err := c.add(ctx, access, l, -cost, charged)
	s.Refused = ""
	return s, err
}

// add adds n, which may be negative, to both windows of the moment at. The condition: what is added must be left of
// both limits, what is subtracted must have been charged. Both windows change, or none does.
//
// If the condition fails, DynamoDB returns the item that it failed on. So a refusal says what is left without a further
// call.
func (c *Counters) add(ctx context.Context, access string, limits limit.Limits, n int64, at time.Time) (
	limit.Standing, error,
) {
	done := store.MeterOf(ctx).Begin()
	defer done(0, 1)
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	d, h, added := expression.Name(day), expression.Name(hour(at)), expression.Value(n)
	condition := d.AttributeNotExists().Or(d.LessThanEqual(expression.Value(limits.Daily - n))).
		And(h.AttributeNotExists().Or(h.LessThanEqual(expression.Value(limits.Hourly - n))))
	if n < 0 {
		back := expression.Value(-n)
		condition = d.GreaterThanEqual(back).And(h.GreaterThanEqual(back))
	}
	update := expression.Add(d, added).Add(h, added).
		Set(expression.Name(Expires), expression.Value(at.Add(cmp.Or(limits.Life, retention)).Unix()))
	e, err := expression.NewBuilder().WithCondition(condition).WithUpdate(update).Build()
	if err != nil {
		return limit.Standing{}, fault(err)
	}
	out, err := c.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &c.table, Key: key(access, at),
		UpdateExpression: e.Update(), ConditionExpression: e.Condition(),
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ReturnValues:                        types.ReturnValueUpdatedNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if refused, is := errors.AsType[*types.ConditionalCheckFailedException](err); is {
		return standing(refused.Item, limits, n, at), nil
	}
	if err != nil {
		return limit.Standing{}, fault(err)
	}
	return standing(out.Attributes, limits, 0, at), nil
}

// read is how the windows stand, and whether they would refuse a charge of that cost.
func (c *Counters) read(ctx context.Context, access string, limits limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	done := store.MeterOf(ctx).Begin()
	defer done(1, 0)
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	out, err := c.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &c.table, Key: key(access, now), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return limit.Standing{}, fault(err)
	}
	return standing(out.Item, limits, cost, now), nil
}

// Used is one BatchGetItem. DynamoDB leaves keys out of the answer when the table is asked too often: that is
// ErrThrottled.
func (c *Counters) Used(ctx context.Context, days ...limit.Day) ([]limit.Used, error) {
	var keys []attributes
	asked := map[string]bool{}
	for _, d := range days {
		if name := keyOf(d.Access, d.At); !asked[name] {
			asked[name] = true
			keys = append(keys, key(d.Access, d.At))
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	done := store.MeterOf(ctx).Begin()
	defer done(float64(len(keys)), 0)
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	out, err := c.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		c.table: {Keys: keys, ConsistentRead: aws.Bool(true)}}})
	if err != nil {
		return nil, fault(err)
	}
	if len(out.UnprocessedKeys) > 0 {
		return nil, limit.ErrThrottled
	}
	found := map[string]attributes{}
	for _, item := range out.Responses[c.table] {
		if name, is := item[Key].(*types.AttributeValueMemberS); is {
			found[name.Value] = item
		}
	}
	all := make([]limit.Used, len(days))
	for i, d := range days {
		counted := found[keyOf(d.Access, d.At)]
		all[i].Total = count(counted, day)
		for h := range all[i].Hours {
			all[i].Hours[h] = count(counted, hour(d.At.UTC().Truncate(24*time.Hour).Add(time.Duration(h)*time.Hour)))
		}
	}
	return all, nil
}

// fault is what an error of DynamoDB means. Only a table that cannot be reached lets requests pass uncounted: one that
// does not answer in time, to which there is no connection, or that answers 5xx. A throttled one is limit.ErrThrottled.
// Anything else (credentials that are wrong or over, a request that is refused or cannot be made) does not pass by
// itself, and is limit.ErrForbidden.
func fault(err error) error {
	switch awsconf.Code(err) {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded":
		return fmt.Errorf("%w: %w", limit.ErrThrottled, err)
	}
	if unreachable(err) {
		return fmt.Errorf("limit: %w", err)
	}
	return fmt.Errorf("%w: %w", limit.ErrForbidden, err)
}

// unreachable says whether the table did not answer, or answered that it cannot.
func unreachable(err error) bool {
	if errors.As(err, new(*smithyhttp.RequestSendError)) {
		return true
	}
	if status := awsconf.Status(err); status >= 400 {
		return status >= 500
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(net.Error))
}

type attributes = map[string]types.AttributeValue

// key is the item of an access's day: both windows are in one item, so a charge is one conditional write.
func key(access string, at time.Time) attributes {
	return attributes{Key: &types.AttributeValueMemberS{Value: keyOf(access, at)}}
}

// keyOf is the key of the item with what an access was charged on the day of a moment.
func keyOf(access string, at time.Time) string { return access + "#" + at.UTC().Format("20060102") }

// hour is the attribute of an hour of the day.
func hour(at time.Time) string { return "h" + at.UTC().Format("15") }

// standing is what the counters leave of the limits, and which of them a charge would exceed.
func standing(counted attributes, l limit.Limits, cost int64, at time.Time) limit.Standing {
	return l.Left(count(counted, hour(at)), count(counted, day), cost)
}

// count is the number of a window, 0 when nothing was charged in it.
func count(counted attributes, name string) int64 {
	v, ok := counted[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if err != nil {
		return 0 // nothing that ADD has made
	}
	return n
}
