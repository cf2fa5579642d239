package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"eshop/events/samples"
)

// Functions is the variable of the environment with the names that functions have in AWS, by those of the list, as
// JSON.
const Functions = "FUNCTIONS"

// hook is CodeDeploy's event before it moves calls to a version.
type hook struct {
	DeploymentID string `json:"DeploymentId"`
	Execution    string `json:"LifecycleEventHookExecutionId"`
}

type rehearsal struct {
	aws       caller
	functions string
}

// handle rehearses the version that a deployment brings, and tells CodeDeploy of it. Its own error means that
// CodeDeploy was told nothing; it then waits, without moving a call, until it gives up.
func (r rehearsal) handle(ctx context.Context, h hook) error {
	status := "Succeeded"
	if err := r.rehearse(ctx, h.DeploymentID); err != nil {
		slog.ErrorContext(ctx, "the new version does not stand its rehearsal", "deployment", h.DeploymentID,
			"error", err)
		status = "Failed"
	}
	return r.aws.codeDeploy(ctx, "PutLifecycleEventHookExecutionStatus", map[string]any{"deploymentId": h.DeploymentID,
		"lifecycleEventHookExecutionId": h.Execution, "status": status}, &struct{}{})
}

// rehearse calls the version that the deployment brings, once.
func (r rehearsal) rehearse(ctx context.Context, deployment string) error {
	function, version, err := r.target(ctx, deployment)
	if err != nil {
		return err
	}
	name, err := r.name(function)
	if err != nil {
		return err
	}
	payload, err := samples.Of(name)
	if err != nil {
		return err
	}
	answer, err := r.aws.invoke(ctx, function, version, payload)
	if err != nil {
		return fmt.Errorf("version %s of %s: %w", version, name, err)
	}
	return judge(answer)
}

// target is the function that a deployment is of, by its name in AWS, and the version that it brings.
func (r rehearsal) target(ctx context.Context, deployment string) (function, version string, err error) {
	var listed struct {
		Targets []string `json:"targetIds"`
	}
	of := map[string]any{"deploymentId": deployment}
	if err := r.aws.codeDeploy(ctx, "ListDeploymentTargets", of, &listed); err != nil {
		return "", "", err
	}
	of["targetIds"] = listed.Targets
	var got struct {
		Targets []struct {
			Lambda struct {
				Function struct {
					Name    string `json:"functionName"`
					Version string `json:"targetVersion"`
				} `json:"lambdaFunctionInfo"`
			} `json:"lambdaTarget"`
		} `json:"deploymentTargets"`
	}
	if err := r.aws.codeDeploy(ctx, "BatchGetDeploymentTargets", of, &got); err != nil {
		return "", "", err
	}
	if len(got.Targets) != 1 || got.Targets[0].Lambda.Function.Version == "" {
		return "", "", errors.New("the deployment is of no function, or of several")
	}
	f := got.Targets[0].Lambda.Function
	return f.Name, f.Version, nil
}

// name is the list's name of a function.
func (r rehearsal) name(function string) (string, error) {
	var names map[string]string
	if err := json.Unmarshal([]byte(r.functions), &names); err != nil {
		return "", err
	}
	for name, its := range names {
		if its == function {
			return name, nil
		}
	}
	return "", fmt.Errorf("%q is none of ours", function)
}

// judge says what is wrong with an answer: a fault of our own, or a batch of which something was not handled. A
// refusal is what most payloads are answered with, and right.
func judge(answer []byte) error {
	var a struct {
		Status int   `json:"statusCode"`
		Failed []any `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	if a.Status >= 500 || len(a.Failed) > 0 {
		return fmt.Errorf("answered with %d, and %d failures", a.Status, len(a.Failed))
	}
	return nil
}

// caller calls the two services by their own HTTP interfaces: their SDKs are more than all else here.
type caller struct {
	cfg aws.Config
	now func() time.Time
}

// codeDeploy does an operation of CodeDeploy's.
func (c caller) codeDeploy(ctx context.Context, operation string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, _, err := c.post(ctx, "codedeploy", "/", http.Header{"Content-Type": {"application/x-amz-json-1.1"},
		"X-Amz-Target": {"CodeDeploy_20141006." + operation}}, body)
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return json.Unmarshal(answer, out)
}

// invoke calls a version of a function and waits for its answer. An error of the function's is one.
func (c caller) invoke(ctx context.Context, function, version string, payload []byte) ([]byte, error) {
	path := "/2015-03-31/functions/" + url.PathEscape(function) + "/invocations?Qualifier=" + url.QueryEscape(version)
	answer, header, err := c.post(ctx, "lambda", path, http.Header{"Content-Type": {"application/json"}}, payload)
	if err == nil && header.Get("X-Amz-Function-Error") != "" {
		err = errors.New("it ends in an error")
	}
	return answer, err
}

// most is how much of an answer is read: Lambda's own bound.
const most = 6 << 20

// post sends a signed request to a service, and wants an answer of 2xx.
func (c caller) post(ctx context.Context, service, path string, header http.Header, body []byte) (
	[]byte, http.Header, error,
) {
	base := "https://" + service + "." + c.cfg.Region + ".amazonaws.com"
	if c.cfg.BaseEndpoint != nil {
		base = *c.cfg.BaseEndpoint
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header = header
	keys, err := c.cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	if err := v4.NewSigner().SignHTTP(ctx, keys, r, hash, service, c.cfg.Region, c.now()); err != nil {
		return nil, nil, err
	}
	w, err := c.cfg.HTTPClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer w.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(w.Body, most))
	if err == nil && w.StatusCode/100 != 2 {
		err = fmt.Errorf("%s answers %d", service, w.StatusCode)
	}
	return answer, w.Header, err
}
