//go:build aws

package sqs_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/engines"
	"eshop/shared/queue"
	"eshop/shared/queue/queuetest"
	"eshop/shared/queue/sqs"
)

func open(t *testing.T, s queue.Settings) (q, dead *sqs.Queue) {
	t.Helper()
	q, dead, err := sqs.Create(t.Context(), engines.ForTest(t, engines.SQS), s)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		require.NoError(t, errors.Join(q.Drop(ctx), dead.Drop(ctx)))
	})
	return q, dead
}

func TestQueue(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, s queue.Settings) (queue.Queue, queue.Queue) { return open(t, s) })
}

func TestAQueueThatDoesNotExistIsNoUnavailableOne(t *testing.T) {
	q, _ := open(t, queue.Settings{Name: "some-" + rand.Text(), Visibility: time.Minute, MaxReceives: 3,
		DeadLetter: "some-dead-" + rand.Text()})
	none := sqs.New(engines.ForTest(t, engines.SQS), q.URL()+"-none")
	err := none.Send(t.Context(), queue.Message{Body: "0"})
	require.Error(t, err)
	require.NotErrorIs(t, err, queue.ErrUnavailable)
}
