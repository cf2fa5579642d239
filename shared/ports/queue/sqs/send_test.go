package sqs_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/sqs"
)

// service is an SQS that fails its first calls, and takes all messages of the others.
type service struct {
	t     *testing.T
	fails int
	fail  func() (*http.Response, error)
	taken []string
}

// Do is aws.HTTPClient's.
func (s *service) Do(r *http.Request) (*http.Response, error) {
	if s.fails--; s.fails >= 0 {
		return s.fail()
	}
	var in struct {
		Entries []struct{ Id, MessageBody string }
	}
	require.NoError(s.t, json.NewDecoder(r.Body).Decode(&in))
	type entry struct{ Id, MessageId, MD5OfMessageBody string }
	out := struct{ Successful []entry }{}
	for _, e := range in.Entries {
		sum := md5.Sum([]byte(e.MessageBody))
		out.Successful = append(out.Successful, entry{e.Id, "m", hex.EncodeToString(sum[:])})
		s.taken = append(s.taken, e.MessageBody)
	}
	b, err := json.Marshal(out)
	require.NoError(s.t, err)
	return says(200, string(b))()
}

func says(status int, body string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		b := io.NopCloser(strings.NewReader(body))
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: b}, nil
	}
}

// TestSendWhenTheQueueStumbles: what SQS did not take, or did not answer for, is sent three times.
func TestSendWhenTheQueueStumbles(t *testing.T) {
	all, unavailable := []string{"0", "1", "2"}, queue.ErrUnavailable
	lost := func() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }
	const failed = `{"Id":"1","Code":"InternalError"}`
	const taken = `"MessageId":"m","MD5OfMessageBody"`
	one := says(200, `{"Successful":[{"Id":"0",`+taken+`:"cfcd208495d565ef66e7dff9f98764da"},`+
		`{"Id":"2",`+taken+`:"c81e728d9d4c2f636f067f89cc14862c"}],"Failed":[`+failed+`]}`)
	for name, c := range map[string]struct {
		fails int
		fail  func() (*http.Response, error)
		taken []string // by the calls that did not fail
		err   error
	}{
		"it does not":                {0, lost, all, nil},
		"no answer":                  {2, lost, all, nil},
		"no answer, three times":     {3, lost, nil, unavailable},
		"it fails":                   {2, says(500, `{}`), all, nil},
		"it fails three times":       {3, says(500, `{}`), nil, unavailable},
		"too much":                   {2, says(400, `{"__type":"com.amazonaws.sqs#ThrottlingException"}`), all, nil},
		"one is not taken":           {2, one, []string{"1"}, nil},
		"one is not taken, thrice":   {3, one, nil, unavailable},
		"all are not taken":          {1, says(200, `{"Failed":[{"Id":"0"},`+failed+`,{"Id":"2"}]}`), all, nil},
		"there is none":              {1, says(400, `{"__type":"com.amazonaws.sqs#QueueDoesNotExist"}`), nil, errOther},
		"a message is no good there": {1, says(200, `{"Failed":[{"Id":"1","SenderFault":true}]}`), nil, errOther},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{t: t, fails: c.fails, fail: c.fail}
				q := sqs.New(aws.Config{Region: "eu-central-1", HTTPClient: s, Credentials: aws.AnonymousCredentials{},
					Retryer: func() aws.Retryer { return aws.NopRetryer{} }}, "https://sqs.test/q")
				err := q.Send(t.Context(), queue.Message{Body: "0"}, queue.Message{Body: "1"}, queue.Message{Body: "2"})
				require.Equal(t, c.taken, s.taken)
				if c.err == errOther {
					require.Error(t, err)
					require.NotErrorIs(t, err, unavailable, "it would be tried for ever")
					return
				}
				require.ErrorIs(t, err, c.err)
			})
		})
	}
}

// errOther is any error but ErrUnavailable.
var errOther = errors.New("another error")
