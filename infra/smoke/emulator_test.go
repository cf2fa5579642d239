//go:build stack

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/stretchr/testify/require"

	"eshop/infra/emulator"
)

// emulated is MiniStack in the place of an account.
type emulated struct {
	commandLine
	*emulator.Emulator
	platform *emulator.Platform
	token    string
}

// Ask says in each command where the emulator is: those of queues do not go by the environment.
func (e *emulated) Ask(ctx context.Context, out any, args ...string) error {
	return e.ask(ctx, out, append(args, "--endpoint-url", e.URL)...)
}

// Deploy makes the stacks that make test-stack has synthesised, and later the services with other settings.
func (e *emulated) Deploy(_ context.Context, settings ...string) error {
	if e.platform == nil {
		folder := os.Getenv("CDK_OUT")
		e.platform = emulator.Deploy(e.Emulator, folder, e.token)
		e.platform.Monitor(folder)
		return nil
	}
	said := emulator.Fields{}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		said[name] = value
	}
	e.platform.Update(said)
	return nil
}

func (e *emulated) Destroy(ctx context.Context) error {
	for _, of := range []string{"-Monitoring", ""} {
		stack := "Eshop-" + emulator.Environment + of
		if err := e.Ask(ctx, nil, "cloudformation", "delete-stack", "--stack-name", stack); err != nil {
			return err
		}
		if err := e.Ask(ctx, nil, "cloudformation", "wait", "stack-delete-complete", "--stack-name",
			stack); err != nil {
			return err
		}
	}
	return nil
}

func (e *emulated) Address(context.Context) (string, error) { return e.platform.Address, nil }

// Lead is an address of this machine that calls the function as its own address does on AWS.
func (e *emulated) Lead(function, _ string) string {
	calls := lambda.NewFromConfig(e.Config)
	there := make(chan struct{}, 2) // as many at once as this machine may have processors
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		there <- struct{}{}
		defer func() { <-there }()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		headers := fields{}
		for name := range r.Header {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		event, err := json.Marshal(fields{"version": "2.0", "headers": headers, "body": string(body)})
		if err != nil {
			return
		}
		got, err := calls.Invoke(r.Context(), &lambda.InvokeInput{FunctionName: &function, Payload: event})
		var answer struct {
			StatusCode int
			Body       string
		}
		if err != nil || json.Unmarshal(got.Payload, &answer) != nil || answer.StatusCode == 0 {
			answer.StatusCode = http.StatusBadGateway
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.WriteString(w, answer.Body)
	}))
	e.T.Cleanup(s.Close)
	return s.URL
}

// Lacks are what MiniStack has not.
func (e *emulated) Lacks() map[string]string {
	return map[string]string{
		"bootstrap":   "the emulator's programs are put there by hand, without CDK",
		"address":     "the emulator has no addresses of functions: the test leads to them",
		"mail":        "the emulator sends none",
		"rolled-back": "the emulator has no CodeDeploy",
	}
}

// TestTheSmokeInTheEmulator goes all steps of make smoke but those that the emulator lacks.
func TestTheSmokeInTheEmulator(t *testing.T) {
	e := &emulated{Emulator: emulator.Start(t), token: rand.Text()}
	e.program = filepath.Join(filepath.Dir(os.Getenv("MINISTACK")), "aws")
	for name, value := range e.Variables() {
		e.settings = append(e.settings, name+"="+value)
	}
	w := &walk{place: e, environment: emulator.Environment, operator: caller{token: e.token}}
	unhurried := slices.Clone(steps)
	for i := range unhurried { // what is in time on AWS may not be on a machine that does much else
		unhurried[i].within = max(unhurried[i].within, 10*time.Minute)
	}
	all, err := goThrough(t.Context(), w, unhurried, t.Output())
	table(all, t.Output())
	require.NoError(t, err)
	left := map[string][]string{}
	for _, r := range all {
		left[r.State] = append(left[r.State], r.Step)
	}
	require.Equal(t, map[string][]string{
		skipped: {"bootstrap", "address", "mail", "rolled-back"},
		passed: {"account", "deploy", "operator", "shop", "receiver", "webhook", "alarm", "parked", "drained",
			"restored", "destroyed"},
	}, left)
}
