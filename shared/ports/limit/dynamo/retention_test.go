package dynamo

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/limit"
)

// written notes the body of the last request, and answers as an empty table does.
type written struct{ body string }

func (w *written) Do(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	w.body = string(b)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, err
}

// TestCountersGoWhenNobodyLooksAtThemAnyMore: those of an access with the days that are shown, those of a second soon.
func TestCountersGoWhenNobodyLooksAtThemAnyMore(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for life, kept := range map[time.Duration]time.Duration{0: 3 * 24 * time.Hour, time.Minute: time.Minute} {
		w := &written{}
		c := New(aws.Config{Region: "eu-central-1", HTTPClient: w,
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
			})}, "limits")
		_, err := c.Charge(t.Context(), "who", limit.Limits{Hourly: 5, Daily: 5, Life: life}, 1, now)
		require.NoError(t, err)
		var sent struct {
			ExpressionAttributeValues map[string]struct{ N string }
		}
		require.NoError(t, json.Unmarshal([]byte(w.body), &sent))
		var values []string
		for _, v := range sent.ExpressionAttributeValues {
			values = append(values, v.N)
		}
		require.Contains(t, values, strconv.FormatInt(now.Add(kept).Unix(), 10))
	}
}
