// Command cmd puts an installation back to a second of the last 35 days: make restore ENV=production
// WHEN=2026-11-29T10:00:00Z.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"eshop/infra/stack/restore"
	"eshop/shared/ports/awsconf"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	environment := os.Getenv("ENV")
	file := cmp.Or(os.Getenv("SETTINGS"), "infra/stack/environments/"+environment+".json")
	when, err := time.Parse(time.RFC3339, os.Getenv("WHEN"))
	switch {
	case environment == "" || err != nil:
		err = errors.New("say which environment and second: make restore ENV=production WHEN=2026-11-29T10:00:00Z")
	case os.Getenv("AWS_REGION") == "":
		err = errors.New("say in which region: AWS_REGION")
	case when.After(time.Now()):
		err = fmt.Errorf("%s is yet to come", when.Format(time.RFC3339))
	default:
		err = restorer(environment).Installation(ctx, environment, file, when)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "restore:", err)
		stop()
		os.Exit(1)
	}
}

// restorer restores in the account and region of AWS's command line, and deploys by make.
func restorer(environment string) restore.Restorer {
	config := awsconf.New(os.Getenv("AWS_REGION"), aws.Credentials{})
	config.Credentials = aws.NewCredentialsCache(aws.CredentialsProviderFunc(credentials))
	config.Retryer = func() aws.Retryer { return retry.NewStandard() }
	return restore.Restorer{DB: dynamodb.NewFromConfig(config), Now: time.Now,
		Wait: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		},
		Deploy: func(ctx context.Context, closed bool) error {
			cmd := exec.CommandContext(ctx, "make", "deploy", "ENV="+environment, "FAST=1")
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
			// Whoever restores has agreed to that; and nobody waits for a question at night.
			cmd.Env = append(os.Environ(), "CHANGE=mainStream,pipelineTable", "CDK_REQUIRE_APPROVAL=never", "CLOSED=")
			if closed {
				cmd.Env = append(cmd.Env, "CLOSED=1")
			}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
			return cmd.Run()
		},
		Say: func(format string, a ...any) {
			fmt.Printf(time.Now().Format(time.TimeOnly)+"  "+format+"\n", a...)
		}}
}

// credentials are those of AWS's command line, however it comes by them.
func credentials(ctx context.Context) (found aws.Credentials, err error) {
	cmd := exec.CommandContext(ctx, "aws", "configure", "export-credentials")
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		return found, fmt.Errorf("aws configure export-credentials: %w", err)
	}
	var is struct {
		AccessKeyID     string `json:"AccessKeyId"`
		SecretAccessKey string
		SessionToken    string
		Expiration      *time.Time
	}
	err = json.Unmarshal(said, &is)
	found = aws.Credentials{AccessKeyID: is.AccessKeyID, SecretAccessKey: is.SecretAccessKey,
		SessionToken: is.SessionToken, Source: "aws configure export-credentials"}
	if is.Expiration != nil {
		found.CanExpire, found.Expires = true, *is.Expiration
	}
	return found, err
}
