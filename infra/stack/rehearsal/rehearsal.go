package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/codedeploy"
	"github.com/aws/aws-sdk-go-v2/service/codedeploy/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

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
	codeDeploy *codedeploy.Client
	lambda     *lambda.Client
	functions  string
}

// newRehearsal makes the clients.
func newRehearsal(cfg aws.Config, functions string, more ...func(*retry.StandardOptions)) rehearsal {
	options := append([]func(*retry.StandardOptions){patient}, more...)
	cfg.Retryer = func() aws.Retryer { return retry.NewStandard(options...) }
	return rehearsal{codedeploy.NewFromConfig(cfg), lambda.NewFromConfig(cfg), functions}
}

// patient makes a call again that a service refuses for a while: a right that is granted but not known everywhere yet,
// too many calls at once, a fault of the service. Twelve tries with pauses of up to 8 s are over within patience. All
// calls are such that doing them twice does no harm.
func patient(o *retry.StandardOptions) {
	o.MaxAttempts, o.MaxBackoff = 12, 8*time.Second
	o.Retryables = append(o.Retryables,
		retry.RetryableHTTPStatusCode{Codes: map[int]struct{}{
			http.StatusForbidden: {}, http.StatusTooManyRequests: {}}},
		retry.RetryableErrorCode{Codes: map[string]struct{}{"AccessDeniedException": {}}})
}

// patience is the longest that the pauses between the tries of one call take.
const patience = 80 * time.Second

// toTell is how much of the program's time is kept to tell CodeDeploy: the patience of that call, and a little more.
const toTell = patience + 5*time.Second

// handle rehearses the version that a deployment brings, and tells CodeDeploy of it. Its own error means that
// CodeDeploy was told nothing; it then waits, without moving a call, until it gives up.
func (r rehearsal) handle(ctx context.Context, h hook) error {
	status := types.LifecycleEventStatusSucceeded
	if err := r.inTime(ctx, h.DeploymentID); err != nil {
		slog.ErrorContext(ctx, "the new version fails its rehearsal", "deployment", h.DeploymentID, "error", err)
		status = types.LifecycleEventStatusFailed
	}
	_, err := r.codeDeploy.PutLifecycleEventHookExecutionStatus(ctx,
		&codedeploy.PutLifecycleEventHookExecutionStatusInput{DeploymentId: &h.DeploymentID,
			LifecycleEventHookExecutionId: &h.Execution, Status: status})
	return err
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
	payload, err := samples.Read(name)
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
	listed, err := r.codeDeploy.ListDeploymentTargets(ctx,
		&codedeploy.ListDeploymentTargetsInput{DeploymentId: &deployment})
	if err != nil {
		return "", "", err
	}
	got, err := r.codeDeploy.BatchGetDeploymentTargets(ctx,
		&codedeploy.BatchGetDeploymentTargetsInput{DeploymentId: &deployment, TargetIds: listed.TargetIds})
	if err != nil {
		return "", "", err
	}
	if len(got.DeploymentTargets) != 1 || got.DeploymentTargets[0].LambdaTarget == nil ||
		got.DeploymentTargets[0].LambdaTarget.LambdaFunctionInfo == nil {
		return "", "", errors.New("the deployment is of no function, or of several")
	}
	f := got.DeploymentTargets[0].LambdaTarget.LambdaFunctionInfo
	return aws.ToString(f.FunctionName), aws.ToString(f.TargetVersion), nil
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

// invoke calls a version of a function and waits for its answer. An error of the function's is one.
func (r rehearsal) invoke(ctx context.Context, function, version string, payload []byte) ([]byte, error) {
	answer, err := r.lambda.Invoke(ctx,
		&lambda.InvokeInput{FunctionName: &function, Qualifier: &version, Payload: payload})
	if err != nil {
		return nil, err
	}
	if answer.FunctionError != nil {
		return nil, errors.New("it ends in an error")
	}
	return answer.Payload, nil
}
