package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/base/guard"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/store"
)

// How often and how long a call is tried that is throttled, or in the way of another write of the same items: long
// enough for the other write to be over, and short beside what a caller of the API waits for.
const (
	triesWithin = 2 * time.Second
	maxTries    = 8
	firstWait   = 10 * time.Millisecond
	longestWait = 160 * time.Millisecond
)

// fault is what an error says of the call that got it.
type fault int

const (
	refused fault = iota // the call is wrong, now and later
	undone               // certainly not done: throttled, in the way of a transaction, never connected
	unknown              // perhaps done: no answer, or one that the service failed
)

// faultOf judges an error that is no refused condition. In doubt a call counts as perhaps done: only what DynamoDB
// itself says, or a connection that never was, is certain.
func faultOf(err error) fault {
	if dial, is := errors.AsType[*net.OpError](err); is && dial.Op == "dial" {
		return undone
	}
	if awsconf.Status(err) >= http.StatusInternalServerError {
		return unknown
	}
	switch awsconf.Code(err) {
	case "":
		return unknown
	// These answers mean that this call did nothing, and that a later one may succeed.
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
		"TransactionConflictException", "TransactionInProgressException":
		return undone
	}
	return refused
}

// unavailable is the error as a store.ErrUnavailable, with its cause for the log.
func unavailable(err error) error { return fmt.Errorf("%w: %w", store.ErrUnavailable, err) }

// reading makes a call that changes nothing, and counts each try in the meter of ctx. A call that was throttled is
// tried as often as backoff says. A call without an answer is tried twice: a third wait would use up the caller's time.
func reading(ctx context.Context, timeout time.Duration, call func(context.Context) (units float64, err error)) error {
	for b := newBackoff(); ; {
		done := store.MeterOf(ctx).Begin()
		within, cancel := context.WithTimeout(ctx, timeout)
		units, err := call(within)
		cancel()
		done(units, 0)
		switch {
		case err == nil:
			return nil
		case faultOf(err) == refused:
			return fmt.Errorf("dynamo: %w", err)
		case faultOf(err) == unknown && b.tries > 0, !b.retry(ctx):
			return unavailable(err)
		}
	}
}

// backoff waits a random time between two tries, of at least 10 ms and at most a bound that doubles from try to try up
// to 160 ms. It ends after 8 tries or 2 s.
type backoff struct {
	tries int
	end   time.Time
}

// newBackoff begins to count the time within which a call is tried again.
func newBackoff() *backoff { return &backoff{end: time.Now().Add(triesWithin)} }

// retry waits, and says whether there is another try.
func (b *backoff) retry(ctx context.Context) bool {
	b.tries++
	most := min(firstWait<<b.tries, longestWait)
	// Random, so that writers who met once do not meet again.
	wait := firstWait + rand.N(most-firstWait+1)
	return b.tries < maxTries && !time.Now().Add(wait).After(b.end) && guard.Wait(ctx, wait)
}

// conditionError is the refusal of a single write, nil when it is none.
func conditionError(key store.Key, err error) *store.ConditionError {
	c, is := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !is {
		return nil
	}
	return &store.ConditionError{Failures: []store.Failure{failure(key, c.Item)}}
}

// failure is a condition that did not hold against what DynamoDB sent of the item, nothing when there is none.
func failure(key store.Key, raw attributes) store.Failure {
	f := store.Failure{Key: key}
	if item, err := decode(raw); err == nil && len(raw) > 0 {
		f.Item = &item
	}
	return f
}

// tooHeavy says whether an item got over DynamoDB's 400 KB. The error has no type of its own, so its text decides.
func tooHeavy(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Item size")
}
