//go:build aws

package sqs_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/aws/engines"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/queuetest"
	"eshop/shared/ports/queue/sqs"
)

func TestQueue(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, s queue.Settings) (queue.Queue, queue.Queue) {
		return engines.Queue(t, engines.ForTest(t, engines.SQS), s)
	})
}

func TestAQueueThatDoesNotExistIsNoUnavailableOne(t *testing.T) {
	cfg := engines.ForTest(t, engines.SQS)
	q, _ := engines.Queue(t, cfg, queue.Settings{Name: "some-" + rand.Text(), Visibility: time.Minute, MaxReceives: 3,
		DeadLetter: "some-dead-" + rand.Text()})
	none := sqs.New(cfg, q.URL+"-none")
	err := none.Send(t.Context(), queue.Message{Body: "0"})
	require.Error(t, err)
	require.NotErrorIs(t, err, queue.ErrUnavailable)
}
