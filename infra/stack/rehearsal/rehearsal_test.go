package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/stretchr/testify/require"

	"eshop/events/samples"
	"eshop/functions"
	"eshop/shared/ports/awsconf"
)

// cloud is CodeDeploy and Lambda as the rehearsal meets them.
type cloud struct {
	t        *testing.T
	answer   string         // of the new version
	ends     string         // X-Amz-Function-Error
	refuses  map[string]int // statuses that the first call of an operation, or the first invocation, is answered with
	called   []string
	payload  string
	verdicts []string
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	require.NoError(c.t, err)
	require.Contains(c.t, r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=id/")
	operation := r.Header.Get("X-Amz-Target")
	if status := c.refuses[operation]; status != 0 {
		delete(c.refuses, operation)
		w.WriteHeader(status)
		io.WriteString(w, `{"__type":"ThrottlingException"}`)
		return
	}
	switch operation {
	case "CodeDeploy_20141006.ListDeploymentTargets":
		require.JSONEq(c.t, `{"deploymentId":"d-1"}`, string(body))
		io.WriteString(w, `{"targetIds":["Eshop-test-Customers:live"]}`)
	case "CodeDeploy_20141006.BatchGetDeploymentTargets":
		require.JSONEq(c.t, `{"deploymentId":"d-1","targetIds":["Eshop-test-Customers:live"]}`, string(body))
		io.WriteString(w, `{"deploymentTargets":[{"deploymentTargetType":"LambdaFunction","lambdaTarget":{"lambdaFunctionInfo":`+
			`{"functionName":"Eshop-test-Customers","functionAlias":"live","currentVersion":"7","targetVersion":"8"}}}]}`)
	case "CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus":
		c.verdicts = append(c.verdicts, string(body))
		io.WriteString(w, `{"lifecycleEventHookExecutionId":"e-1"}`)
	default:
		c.called, c.payload = append(c.called, r.URL.RequestURI()), string(body)
		if c.ends != "" {
			w.Header().Set("X-Amz-Function-Error", c.ends)
		}
		io.WriteString(w, c.answer)
	}
}

func TestANewVersionIsCalledOnceBeforeAnybodyElseCallsIt(t *testing.T) {
	sample, err := samples.Read("customers")
	require.NoError(t, err)
	for _, c := range []struct{ name, answer, ends, functions, want string }{
		{"an answer is good", `{"statusCode":200,"body":"{}"}`, "", "", "Succeeded"},
		{"a refusal is as good", `{"statusCode":401}`, "", "", "Succeeded"},
		{"a batch that is handled whole is", `{"batchItemFailures":[]}`, "", "", "Succeeded"},
		{"a run of the clock is", `{}`, "", "", "Succeeded"},
		{"a fault of our own is not", `{"statusCode":503}`, "", "", "Failed"},
		{"a batch that is not handled is not", `{"batchItemFailures":[{"itemIdentifier":"1"}]}`, "", "", "Failed"},
		{"a version that does not start is not", `{"errorType":"Runtime.ExitError"}`, "Unhandled", "", "Failed"},
		{"no answer is not", ``, "", "", "Failed"},
		{"nor is a function of others", `{"statusCode":200}`, "", `{"products":"Eshop-test-Products"}`, "Failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			there := &cloud{t: t, answer: c.answer, ends: c.ends}
			server := httptest.NewServer(there)
			defer server.Close()
			names := c.functions
			if names == "" {
				names = `{"customers":"Eshop-test-Customers","products":"Eshop-test-Products"}`
			}
			require.NoError(t, rehearsing(server, names).handle(t.Context(), hook{"d-1", "e-1"}))
			require.Len(t, there.verdicts, 1)
			require.JSONEq(t, `{"deploymentId":"d-1","lifecycleEventHookExecutionId":"e-1","status":"`+c.want+`"}`,
				there.verdicts[0])
			if c.functions == "" {
				require.Equal(t, []string{"/2015-03-31/functions/Eshop-test-Customers/invocations?Qualifier=8"},
					there.called)
				require.Equal(t, string(sample), there.payload)
			}
		})
	}
}

// rehearsing is a rehearsal at the server that pauses for no time.
func rehearsing(server *httptest.Server, functions string) rehearsal {
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"})
	cfg.BaseEndpoint = &server.URL
	return newRehearsal(cfg, functions, func(o *retry.StandardOptions) {
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	})
}

// TestAHiccupIsNoVerdict: all functions are rehearsed at once, and while their rights spread. A service that refuses a
// call first and then does not is no fault of the new version.
func TestAHiccupIsNoVerdict(t *testing.T) {
	of := "CodeDeploy_20141006."
	for name, refuses := range map[string]map[string]int{
		"CodeDeploy throttles":               {of + "ListDeploymentTargets": 400},
		"CodeDeploy throttles by its status": {of + "BatchGetDeploymentTargets": 429},
		"the right to call is not known yet": {"": 403},
		"Lambda has no room for the call":    {"": 429},
		"a service of AWS fails":             {of + "ListDeploymentTargets": 500, "": 503},
		"CodeDeploy does not listen":         {of + "PutLifecycleEventHookExecutionStatus": 503},
	} {
		t.Run(name, func(t *testing.T) {
			there := &cloud{t: t, answer: `{"statusCode":200}`, refuses: refuses}
			server := httptest.NewServer(there)
			defer server.Close()
			r := rehearsing(server, `{"customers":"Eshop-test-Customers"}`)
			require.NoError(t, r.handle(t.Context(), hook{"d-1", "e-1"}))
			require.Empty(t, there.refuses)
			require.Len(t, there.called, 1)
			require.Len(t, there.verdicts, 1)
			require.Contains(t, there.verdicts[0], `"Succeeded"`)
		})
	}
}

// TestCodeDeployIsToldInTime of a version that does not answer: the program's own time is not over then.
func TestCodeDeployIsToldInTime(t *testing.T) {
	there := &cloud{t: t, answer: `{"statusCode":200}`}
	server := httptest.NewServer(there)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), toTell) // so that nothing of it is left for the rehearsal
	defer cancel()
	require.NoError(t, rehearsing(server, `{}`).handle(ctx, hook{"d-1", "e-1"}))
	require.Len(t, there.verdicts, 1)
	require.Contains(t, there.verdicts[0], `"Failed"`)
}

func TestEveryFunctionHasAPayload(t *testing.T) {
	for _, f := range functions.List {
		b, err := samples.Read(f.Name)
		require.NoError(t, err)
		require.True(t, json.Valid(b), f.Name)
	}
}
