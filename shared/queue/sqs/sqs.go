// Package sqs keeps a queue.Queue in an SQS standard queue. A message's group is SQS's message group, which on standard
// queues promises no order but fairness: one tenant's backlog does not hold up the others.
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
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"eshop/shared/guard"
	"eshop/shared/queue"
)

// What one call may hold, and how long its answer is waited for, besides the time that a Receive itself waits for
// messages.
const (
	batchBytes   = queue.MaxMessage // of all bodies together
	answerWithin = 3 * time.Second
	longestPoll  = 20 * time.Second
	shortPause   = 50 * time.Millisecond // between polls when less than a second is left
	maxTries     = 3
)

// Queue is one SQS queue.
type Queue struct {
	client *sqs.Client
	url    string
}

var _ queue.Queue = (*Queue)(nil)

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
		if try == maxTries || !pause(ctx, time.Duration(try)*shortPause) {
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

// Receive polls as long as SQS can wait (whole seconds, 20 at most), and the rest of the wait in short polls. It
// returns at the first poll that brings messages, and nil when the wait is over without any.
func (q *Queue) Receive(ctx context.Context, most int, wait time.Duration) ([]queue.Received, error) {
	end := time.Now().Add(wait)
	for {
		left := max(0, time.Until(end))
		poll := min(left, longestPoll).Truncate(time.Second)
		got, err := q.poll(ctx, min(most, queue.MaxBatch), poll)
		if err != nil || len(got) > 0 {
			return got, err
		}
		if left = time.Until(end); left <= 0 {
			return nil, nil
		}
		if left < time.Second && !pause(ctx, min(left, shortPause)) {
			return nil, ctx.Err()
		}
	}
}

// poll is one call. It is not cut short when the wait is over: a message on its way would be lost until its visibility
// ends.
func (q *Queue) poll(ctx context.Context, most int, wait time.Duration) ([]queue.Received, error) {
	within, cancel := context.WithTimeout(ctx, wait+answerWithin)
	defer cancel()
	out, err := q.client.ReceiveMessage(within, &sqs.ReceiveMessageInput{
		QueueUrl: &q.url, MaxNumberOfMessages: int32(most), WaitTimeSeconds: int32(wait / time.Second),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameApproximateReceiveCount, types.MessageSystemAttributeNameMessageGroupId,
		},
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fault(err)
	}
	var got []queue.Received
	for _, m := range out.Messages {
		r, err := received(m)
		if err != nil {
			return nil, err
		}
		got = append(got, r)
	}
	return got, nil
}

// received is a message of SQS as queue has it. Without its count, nobody could tell when it is a dead letter.
func received(m types.Message) (queue.Received, error) {
	count, err := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
	if err != nil {
		return queue.Received{}, fmt.Errorf("queue: a message without its receive count: %w", err)
	}
	return queue.Received{
		ID: aws.ToString(m.MessageId), Body: aws.ToString(m.Body), Receipt: aws.ToString(m.ReceiptHandle), Count: count,
		Group: m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)],
	}, nil
}

// Delete deletes in batches of ten. A receipt may have expired: then its message is gone, or another receiver has it.
// That is no error.
func (q *Queue) Delete(ctx context.Context, messages ...queue.Received) error {
	for len(messages) > 0 {
		n := min(len(messages), queue.MaxBatch)
		if err := q.delete(ctx, messages[:n]); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

// delete deletes up to queue.MaxBatch messages in one call. SQS answers message by message: one that it could not
// delete is unavailable, and a receipt that is no good any more is no error.
func (q *Queue) delete(ctx context.Context, messages []queue.Received) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	in := &sqs.DeleteMessageBatchInput{QueueUrl: &q.url}
	for i, m := range messages {
		in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)),
			ReceiptHandle: &m.Receipt})
	}
	out, err := q.client.DeleteMessageBatch(ctx, in)
	if err != nil {
		return fault(err)
	}
	for _, f := range out.Failed {
		// A fault of the sender is a receipt that is good no more: see Delete.
		if !f.SenderFault {
			return fmt.Errorf("%w: a message was not deleted: %s", queue.ErrUnavailable, aws.ToString(f.Code))
		}
	}
	return nil
}

// Postpone hides the message for so long, rounded up to whole seconds.
func (q *Queue) Postpone(ctx context.Context, m queue.Received, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &m.Receipt, VisibilityTimeout: seconds(d),
	})
	if err != nil {
		return fault(err)
	}
	return nil
}

// fault is an error of a call: ErrUnavailable unless SQS says that the call is wrong.
func fault(err error) error {
	var answered *smithyhttp.ResponseError
	var api smithy.APIError
	status := 0
	if errors.As(err, &answered) {
		status = answered.HTTPStatusCode()
	}
	// SQS throttles with a status of 4xx, which is no fault of the call then.
	throttled := errors.As(err, &api) && strings.Contains(api.ErrorCode(), "Throttl")
	if status < http.StatusBadRequest || status >= http.StatusInternalServerError || throttled {
		return fmt.Errorf("%w: %w", queue.ErrUnavailable, err)
	}
	return fmt.Errorf("queue: %w", err)
}

// pause waits and says whether ctx still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
