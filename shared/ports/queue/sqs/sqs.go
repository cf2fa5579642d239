// Package sqs is the queue.Sender of an SQS standard queue, from which Lambda receives. A message's group is SQS's
// message group, which on standard queues promises no order but fairness: one tenant's backlog does not hold up the
// others.
//
// A standard queue delivers each message at least once, in any order. Send adds to that: it repeats what it got no
// answer for. Receivers must therefore bear the same message twice.
package sqs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"eshop/shared/base/guard"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/queue"
)

// What one call may hold, and how long its answer is waited for.
const (
	batchBytes   = queue.MaxMessage // of all bodies together
	answerWithin = 3 * time.Second
	shortPause   = 50 * time.Millisecond // before it is tried again, each time longer
	maxTries     = 3
)

// Queue is one SQS queue.
type Queue struct {
	client *sqs.Client
	url    string
}

var _ queue.Sender = (*Queue)(nil)

// New is the queue at that URL.
func New(cfg aws.Config, url string) *Queue {
	return &Queue{client: sqs.NewFromConfig(cfg), url: url}
}

// Send sends in batches of ten. What SQS did not take or did not answer for is sent again, so a message may be in the
// queue twice. After an error some of the messages may have been sent.
func (q *Queue) Send(ctx context.Context, messages ...queue.Message) error {
	for _, m := range messages {
		if len(m.Body) == 0 || len(m.Body) > queue.MaxMessage || m.Delay < 0 || m.Delay > queue.MaxDelay {
			return fmt.Errorf("queue: a message of %d bytes with a delay of %v is out of limits", len(m.Body), m.Delay)
		}
	}
	for some := range slices.Chunk(batches(messages), sideBySide) {
		errs := guard.Each(ctx, len(some), func(i int) error { return q.insist(ctx, some[i]) })
		if err := guard.First(errs); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide is how many calls of a Send are under way at once: a batch of changes may ring for 10,000 deliveries.
const sideBySide = 10

// batches are the messages cut into as many as one call takes.
func batches(messages []queue.Message) [][]types.SendMessageBatchRequestEntry {
	var all [][]types.SendMessageBatchRequestEntry
	var batch []types.SendMessageBatchRequestEntry
	bytes := 0
	for _, m := range messages {
		if len(batch) == queue.MaxBatch || bytes+len(m.Body) > batchBytes {
			all, batch, bytes = append(all, batch), nil, 0
		}
		batch = append(batch, entry(m, len(batch)))
		bytes += len(m.Body)
	}
	if len(batch) > 0 {
		all = append(all, batch)
	}
	return all
}

// entry is a message as a part of a batch, under its index there, by which SQS names what it did not take. The delay is
// rounded up: SQS counts whole seconds, and no message comes early.
func entry(m queue.Message, i int) types.SendMessageBatchRequestEntry {
	e := types.SendMessageBatchRequestEntry{
		Id: aws.String(strconv.Itoa(i)), MessageBody: &m.Body, DelaySeconds: seconds(m.Delay),
	}
	if m.Group != "" {
		e.MessageGroupId = &m.Group
	}
	return e
}

// seconds rounds up.
func seconds(d time.Duration) int32 { return int32((d + time.Second - 1) / time.Second) }

// insist sends a batch until SQS has taken all of it, maxTries times at most.
func (q *Queue) insist(ctx context.Context, batch []types.SendMessageBatchRequestEntry) error {
	for try := 1; ; try++ {
		rest, err := q.send(ctx, batch)
		if len(rest) == 0 && err == nil {
			return nil
		}
		if err != nil && !errors.Is(err, queue.ErrUnavailable) {
			return err
		}
		// An unknown outcome repeats the whole batch, a known one only what was left.
		if err == nil {
			batch = rest
		}
		if try == maxTries || !guard.Wait(ctx, time.Duration(try)*shortPause) {
			return errors.Join(queue.ErrUnavailable, err)
		}
	}
}

// send is one call: the entries that SQS failed to take, or an error when the call or an entry is wrong.
func (q *Queue) send(ctx context.Context, batch []types.SendMessageBatchRequestEntry) (
	rest []types.SendMessageBatchRequestEntry, err error,
) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &q.url, Entries: batch})
	if err != nil {
		return nil, fault(err)
	}
	for _, f := range out.Failed {
		// The message itself is wrong, so that a repetition would be refused, too.
		if f.SenderFault {
			return nil, fmt.Errorf("queue: a message was refused: %s", aws.ToString(f.Code))
		}
		for _, e := range batch {
			if *e.Id == aws.ToString(f.Id) {
				rest = append(rest, e)
			}
		}
	}
	return rest, nil
}

// fault is an error of a call: ErrUnavailable unless SQS says that the call is wrong.
func fault(err error) error {
	status := awsconf.Status(err)
	// SQS throttles with a status of 4xx, which is no fault of the call then.
	throttled := strings.Contains(awsconf.Code(err), "Throttl")
	if status < http.StatusBadRequest || status >= http.StatusInternalServerError || throttled {
		return fmt.Errorf("%w: %w", queue.ErrUnavailable, err)
	}
	return fmt.Errorf("queue: %w", err)
}
