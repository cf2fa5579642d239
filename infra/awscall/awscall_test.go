package awscall

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/shared/awsconf"
)

var start = time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC)

// calling is a caller of a service that answers like this, by a clock that goes on in pauses only.
func calling(t *testing.T, answer http.HandlerFunc) (c Caller, waited *time.Duration) {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"})
	cfg.BaseEndpoint = &server.URL
	waited = new(time.Duration)
	return Caller{Config: cfg, Now: func() time.Time { return start.Add(*waited) },
		Pause: func(_ context.Context, d time.Duration) error { *waited += d; return nil }}, waited
}

func TestWhatPassesIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		status     int
		passes     bool
	}{
		{"a right that is not known everywhere yet", "AccessDeniedException", 403, true},
		{"too many calls", "TooManyRequestsException", 429, true},
		{"a fault of the service", "", 500, true},
		{"a service that is away", "", 503, true},
		{"too many calls of a service that answers 400", "ThrottlingException", 400, true},
		{"a right of a service that answers 400", "com.amazon.coral.service#AccessDeniedException", 400, true},
		{"a wrong call", "ValidationException", 400, false},
		{"what is not there", "ResourceNotFoundException", 404, false},
		{"what is in use", "ResourceConflictException", 409, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tries := 0
			caller, _ := calling(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				require.NoError(t, err)
				require.Equal(t, "asked", string(body), "each try has the body")
				require.Contains(t, r.Header.Get("Authorization"), "Credential=id/20261121/eu-central-1/codedeploy/")
				if tries++; tries == 3 {
					io.WriteString(w, "well")
					return
				}
				w.WriteHeader(c.status)
				io.WriteString(w, `{"__type":"`+c.kind+`"}`)
			})
			answer, _, err := caller.Do(t.Context(), Request{Service: "codedeploy", Method: "POST", Path: "/",
				Body: []byte("asked")})
			if c.passes {
				require.NoError(t, err)
				require.Equal(t, "well", string(answer))
				return
			}
			var refusal *Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, &Refusal{"codedeploy", c.status, c.kind}, refusal)
			require.Equal(t, 1, tries)
		})
	}
}

// TestPatienceEnds: after a minute, or when the caller's time is over, whichever is first.
func TestPatienceEnds(t *testing.T) {
	tries := 0
	refuses := func(w http.ResponseWriter, _ *http.Request) {
		tries++
		w.Header().Set("X-Amzn-ErrorType", "AccessDeniedException")
		w.WriteHeader(http.StatusForbidden)
	}
	caller, waited := calling(t, refuses)
	ask := Request{Service: "lambda", Method: "GET", Path: "/2016-08-19/account-settings/"}
	_, _, err := caller.Do(t.Context(), ask)
	require.ErrorContains(t, err, "lambda answers 403 AccessDeniedException")
	require.Equal(t, 55*time.Second, *waited, "1, 2 and 4 s, then 8 s each, and no pause beyond the minute")
	require.Equal(t, 10, tries)

	caller, waited = calling(t, refuses)
	caller.Now = func() time.Time { return time.Now().Add(*waited) }
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, _, err = caller.Do(ctx, ask)
	require.ErrorContains(t, err, "403")
	require.Equal(t, 15*time.Second, *waited, "a pause that would end after the caller's time is not made")

	caller, _ = calling(t, refuses)
	caller.Pause = func(context.Context, time.Duration) error { return errors.New("over") }
	_, _, err = caller.Do(t.Context(), ask)
	require.ErrorContains(t, err, "403", "what the service said, and not that the time is over")
}

func TestALostConnectionIsTriedAgain(t *testing.T) {
	var tries atomic.Int32 // each comes by a connection of its own
	caller, _ := calling(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, "well")
	})
	answer, _, err := caller.Do(t.Context(), Request{Service: "lambda", Method: "GET", Path: "/"})
	require.NoError(t, err)
	require.Equal(t, "well", string(answer))
}
