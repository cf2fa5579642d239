//go:build aws

package sqs_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
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

// doer answers a call, or passes it on.
type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// spoiled is a new queue behind a client that fails the first n calls this way.
func spoiled(t *testing.T, n int, fail func() (*http.Response, error)) *sqs.Queue {
	t.Helper()
	name := "spoiled-" + rand.Text()
	q, _ := open(t, queue.Settings{Name: name, Visibility: time.Minute, MaxReceives: 3, DeadLetter: name + "-dead"})
	cfg := engines.ForTest(t, engines.SQS).Copy()
	cfg.HTTPClient = doer(func(r *http.Request) (*http.Response, error) {
		if n--; n >= 0 {
			return fail()
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	return sqs.New(cfg, q.URL())
}

func says(status int, body string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func TestSendWhenTheQueueStumbles(t *testing.T) {
	three := []queue.Message{{Body: "0", Group: "g"}, {Body: "1", Group: "g"}, {Body: "2", Group: "g"}}
	for name, fail := range map[string]func() (*http.Response, error){
		"a call without an answer": func() (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"a failing call":           says(500, `{}`),
		"a throttled call":         says(400, `{"__type":"com.amazonaws.sqs#ThrottlingException"}`),
		"some messages not taken": says(200,
			`{"Successful":[],"Failed":[{"Id":"0","Code":"InternalError","SenderFault":false},{"Id":"1","Code":"x"},{"Id":"2","Code":"x"}]}`),
	} {
		t.Run(name+" is made again", func(t *testing.T) {
			q := spoiled(t, 2, fail)
			require.NoError(t, q.Send(t.Context(), three...))
			got, err := q.Receive(t.Context(), 10, 5*time.Second)
			require.NoError(t, err)
			require.Len(t, got, 3)
		})
		t.Run(name+" three times is an unavailable queue", func(t *testing.T) {
			q := spoiled(t, 3, fail)
			require.ErrorIs(t, q.Send(t.Context(), three...), queue.ErrUnavailable)
		})
	}
	t.Run("a queue that does not exist is no unavailable one", func(t *testing.T) {
		q := spoiled(t, 0, nil)
		none := sqs.New(engines.ForTest(t, engines.SQS), q.URL()+"-none")
		err := none.Send(t.Context(), three...)
		require.Error(t, err)
		require.NotErrorIs(t, err, queue.ErrUnavailable)
	})
}

func TestOnlyWhatWasNotTakenIsSentAgain(t *testing.T) {
	q := spoiled(t, 1, func() (*http.Response, error) {
		return says(200, `{"Successful":[{"Id":"0","MessageId":"m","MD5OfMessageBody":"cfcd208495d565ef66e7dff9f98764da"}],"Failed":[{"Id":"1","Code":"InternalError","SenderFault":false}]}`)()
	})
	require.NoError(t, q.Send(t.Context(), queue.Message{Body: "0"}, queue.Message{Body: "1"}))
	got, err := q.Receive(t.Context(), 10, 5*time.Second)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, "1", got[0].Body)
}
