package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"eshop/events/samples"
	"eshop/infra/awscall"
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
	aws       awscall.Caller
	functions string
}

// toTell is how much of the program's time is kept to tell CodeDeploy: the patience of that call, and a little more.
const toTell = awscall.Patience + 5*time.Second

// handle rehearses the version that a deployment brings, and tells CodeDeploy of it. Its own error means that
// CodeDeploy was told nothing; it then waits, without moving a call, until it gives up.
func (r rehearsal) handle(ctx context.Context, h hook) error {
	status := "Succeeded"
	if err := r.inTime(ctx, h.DeploymentID); err != nil {
		slog.ErrorContext(ctx, "the new version fails its rehearsal", "deployment", h.DeploymentID, "error", err)
		status = "Failed"
	}
	return r.codeDeploy(ctx, "PutLifecycleEventHookExecutionStatus", map[string]any{"deploymentId": h.DeploymentID,
		"lifecycleEventHookExecutionId": h.Execution, "status": status}, &struct{}{})
}

// inTime rehearses, and stops while there is time to tell CodeDeploy.
func (r rehearsal) inTime(ctx context.Context, deployment string) error {
	if end, is := ctx.Deadline(); is {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-toTell))
		defer cancel()
	}
	return r.rehearse(ctx, deployment)
}

// rehearse calls the version that the deployment brings, until Lambda has taken the call.
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
	answer, err := r.invoke(ctx, function, version, payload)
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
	if err := r.codeDeploy(ctx, "ListDeploymentTargets", of, &listed); err != nil {
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
	if err := r.codeDeploy(ctx, "BatchGetDeploymentTargets", of, &got); err != nil {
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

// judge says what is wrong with an answer: a fault of our own, or a batch of which something was not handled. Most
// payloads are refused, which is right.
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

// codeDeploy does an operation of CodeDeploy's.
func (r rehearsal) codeDeploy(ctx context.Context, operation string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, _, err := r.aws.Do(ctx, awscall.Request{Service: "codedeploy", Method: http.MethodPost, Path: "/",
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"},
			"X-Amz-Target": {"CodeDeploy_20141006." + operation}}, Body: body})
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return json.Unmarshal(answer, out)
}

// invoke calls a version of a function and waits for its answer. An error of the function's is one.
func (r rehearsal) invoke(ctx context.Context, function, version string, payload []byte) ([]byte, error) {
	path := "/2015-03-31/functions/" + url.PathEscape(function) + "/invocations?Qualifier=" + url.QueryEscape(version)
	answer, header, err := r.aws.Do(ctx, awscall.Request{Service: "lambda", Method: http.MethodPost, Path: path,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: payload})
	if err == nil && header.Get("X-Amz-Function-Error") != "" {
		err = errors.New("it ends in an error")
	}
	return answer, err
}
