package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/events/samples"
	"eshop/functions"
	"eshop/shared/awsconf"
)

// cloud is CodeDeploy and Lambda as the rehearsal meets them.
type cloud struct {
	t        *testing.T
	answer   string // of the new version
	ends     string // X-Amz-Function-Error
	called   []string
	payload  string
	verdicts []string
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	require.NoError(c.t, err)
	require.Contains(c.t, r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=id/20261121/eu-central-1/")
	switch r.Header.Get("X-Amz-Target") {
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
	sample, err := samples.Of("customers")
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
			cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"})
			cfg.BaseEndpoint = &server.URL
			names := c.functions
			if names == "" {
				names = `{"customers":"Eshop-test-Customers","products":"Eshop-test-Products"}`
			}
			r := rehearsal{caller{cfg, func() time.Time {
				return time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC)
			}}, names}
			require.NoError(t, r.handle(t.Context(), hook{"d-1", "e-1"}))
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

func TestEveryFunctionHasAPayload(t *testing.T) {
	for _, f := range functions.List {
		b, err := samples.Of(f.Name)
		require.NoError(t, err)
		require.True(t, json.Valid(b), f.Name)
	}
}
