package dynamo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/limit"
)

// TestOnlyATableThatCannotBeReachedLetsRequestsPassUncounted asks a table that answers in each of these ways.
func TestOnlyATableThatCannotBeReachedLetsRequestsPassUncounted(t *testing.T) {
	refused := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"no"}`, code)
		}
	}
	hangs := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
		<-r.Context().Done()
	}
	breaks := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	known := func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "s"}, nil
	}
	unknown := func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errors.New("there are none") }
	for name, c := range map[string]struct {
		answer      http.HandlerFunc
		credentials func(context.Context) (aws.Credentials, error)
		want        error // nil: the request is served
	}{
		"an expired token":           {refused(400, "ExpiredTokenException"), known, limit.ErrForbidden},
		"an unknown client":          {refused(400, "UnrecognizedClientException"), known, limit.ErrForbidden},
		"a wrong signature":          {refused(400, "InvalidSignatureException"), known, limit.ErrForbidden},
		"no signature":               {refused(400, "MissingAuthenticationTokenException"), known, limit.ErrForbidden},
		"a request that is not good": {refused(400, "ValidationException"), known, limit.ErrForbidden},
		"no right":                   {refused(400, "AccessDeniedException"), known, limit.ErrForbidden},
		"no table":                   {refused(400, "ResourceNotFoundException"), known, limit.ErrForbidden},
		"no credentials":             {refused(500, "InternalServerError"), unknown, limit.ErrForbidden},
		"a throttled table":          {refused(400, "ThrottlingException"), known, limit.ErrThrottled},
		"a table out of units": {refused(400, "ProvisionedThroughputExceededException"),
			known, limit.ErrThrottled},
		"an account out of units": {refused(400, "RequestLimitExceeded"), known, limit.ErrThrottled},
		"a fault of DynamoDB's":   {refused(500, "InternalServerError"), known, nil},
		"one that is down":        {refused(503, "ServiceUnavailable"), known, nil},
		"one that hangs":          {hangs, known, nil},
		"one that hangs up":       {breaks, known, nil},
		"one that is not there":   {nil, known, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.answer)
			defer server.Close()
			if c.answer == nil {
				server.Close()
			}
			counters := New(aws.Config{Region: "eu-central-1", BaseEndpoint: &server.URL,
				Credentials: aws.CredentialsProviderFunc(c.credentials),
				Retryer:     func() aws.Retryer { return aws.NopRetryer{} }}, "counters")
			counters.Timeout = 200 * time.Millisecond
			day := limit.Day{Access: "a", At: time.Now()}
			_, charged := counters.Charge(t.Context(), "a", limit.Default, 1, day.At)
			_, read := counters.Charge(t.Context(), "a", limit.Default, 0, day.At)
			_, used := counters.Used(t.Context(), day)
			for _, err := range []error{charged, read, used} {
				require.Error(t, err)
				if c.want != nil {
					require.ErrorIs(t, err, c.want)
					continue
				}
				require.NotErrorIs(t, err, limit.ErrForbidden)
				require.NotErrorIs(t, err, limit.ErrThrottled)
			}
		})
	}
}
