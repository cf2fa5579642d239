package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	library "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// place is where the steps are gone: an account of AWS, or what a test puts in its place.
type place interface {
	// Ask runs a command of AWS's command line and decodes its answer into out, if that is not nil.
	Ask(ctx context.Context, out any, args ...string) error
	// Deploy brings the environment in with these settings, each as name=value, beside those that it always has.
	Deploy(ctx context.Context, settings ...string) error
	// Destroy takes down what make destroy does.
	Destroy(ctx context.Context) error
	// Address is the API's.
	Address(ctx context.Context) (string, error)
	// Lead is the address at which the platform reaches a function that has this one on AWS.
	Lead(function, address string) string
	// Lacks are the steps that cannot be gone here, each with the reason.
	Lacks() map[string]string
}

// walk is what the steps have found and made, for those after them.
type walk struct {
	place       place
	environment string
	context     string // CONTEXT, as make takes it
	began       bool   // something is made, or may be
	operator    caller
	addon       caller // with the token of the access on the first shop
	shop, key   string // the shop's id, and the access's signing key
	receiver    string // its id
	hears       receiver
	heard       []webhook
	customers   []string // whose webhooks were parked
	restored    []string // the tables that were made
}

// receiver is what the stack of receiver.yaml says of itself.
type receiver struct{ Address, Function, Heard, Rang string }

// webhook is one as the receiver has put it into its queue.
type webhook struct {
	Status  int
	Headers map[string]string
	Body    string
}

func (w *walk) stack(of string) string { return "Eshop-" + w.environment + of }

// cleanUp is the commands that take down what was made. Before that anything which is there is somebody else's.
func (w *walk) cleanUp() string {
	if !w.began {
		return "Nothing was made."
	}
	commands := []string{
		"aws cloudformation delete-stack --stack-name " + w.stack("-Smoke"),
		fmt.Sprintf("make destroy ENV=%s CONTEXT=%q CONFIRM=%s", w.environment, w.context, w.stack("")),
	}
	for _, t := range w.restored {
		commands = append(commands, "aws dynamodb delete-table --table-name "+t)
	}
	return "To clean up:\n  " + strings.Join(commands, "\n  ") +
		"\nHow to delete the data, too, is at \"Try it in an account\" in functions/docs/operations.md."
}

// outputs are those of a stack.
func (w *walk) outputs(ctx context.Context, stack string) (map[string]string, error) {
	var all []struct{ OutputKey, OutputValue string }
	err := w.place.Ask(ctx, &all, "cloudformation", "describe-stacks", "--stack-name", stack, "--query",
		"Stacks[0].Outputs")
	named := map[string]string{}
	for _, o := range all {
		named[o.OutputKey] = o.OutputValue
	}
	return named, err
}

// resource is one of a stack's.
type resource struct{ LogicalResourceId, PhysicalResourceId, ResourceType string }

func (w *walk) resources(ctx context.Context, stack string) (all []resource, err error) {
	err = w.place.Ask(ctx, &all, "cloudformation", "list-stack-resources", "--stack-name", stack, "--query",
		"StackResourceSummaries")
	return all, err
}

// named is the physical name of the resource of a stack whose logical name is this and the CDK's eight characters.
func (w *walk) named(ctx context.Context, stack, name string) (string, error) {
	all, err := w.resources(ctx, stack)
	for _, r := range all {
		if len(r.LogicalResourceId) == len(name)+8 && strings.HasPrefix(r.LogicalResourceId, name) {
			return r.PhysicalResourceId, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("the stack %s has no %s", stack, name)
	}
	return "", err
}

// messages takes those out of a queue that are there now, ten at most.
func (w *walk) messages(ctx context.Context, queue string) (bodies []string, err error) {
	var got struct {
		Messages []struct{ Body, ReceiptHandle string }
	}
	err = w.place.Ask(ctx, &got, "sqs", "receive-message", "--queue-url", queue, "--max-number-of-messages", "10",
		"--wait-time-seconds", "2")
	var done []fields
	for i, m := range got.Messages {
		bodies = append(bodies, m.Body)
		done = append(done, fields{"Id": strconv.Itoa(i), "ReceiptHandle": m.ReceiptHandle})
	}
	if err != nil || len(done) == 0 {
		return nil, err
	}
	entries, err := json.Marshal(done)
	if err != nil {
		return nil, err
	}
	return bodies, w.place.Ask(ctx, nil, "sqs", "delete-message-batch", "--queue-url", queue, "--entries",
		string(entries))
}

// listen adds what has come to the receiver to what was heard.
func (w *walk) listen(ctx context.Context) error {
	bodies, err := w.messages(ctx, w.hears.Heard)
	for _, b := range bodies {
		var h webhook
		if err := json.Unmarshal([]byte(b), &h); err != nil {
			return err
		}
		w.heard = append(w.heard, h)
	}
	return err
}

// hear waits for a webhook of the event about a record, answered 200, and verifies its signature.
func (w *walk) hear(ctx context.Context, event, about string) error {
	return eventually(ctx, 0, func() (string, error) {
		for _, h := range w.heard {
			is := h.header().Get("X-Webhook-Event")
			if h.Status == http.StatusOK && is == event && strings.Contains(h.Body, about) {
				return "", w.verify(h)
			}
		}
		return fmt.Sprintf("the webhook %s about %s", event, about), w.listen(ctx)
	})
}

func (h webhook) header() http.Header {
	all := http.Header{}
	for name, value := range h.Headers {
		all.Set(name, value)
	}
	return all
}

// verify holds a webhook's signature against the access's key, as an add-on does with a Standard Webhooks library.
func (w *walk) verify(h webhook) error {
	key, err := library.NewWebhook(w.key)
	if err != nil {
		return err
	}
	return key.Verify([]byte(h.Body), h.header())
}

// answer has the receiver answer with a status from now on.
func (w *walk) answer(ctx context.Context, status int) error {
	env, err := json.Marshal(fields{"Variables": fields{"HEARD": w.hears.Heard, "STATUS": strconv.Itoa(status)}})
	if err != nil {
		return err
	}
	err = w.place.Ask(ctx, nil, "lambda", "update-function-configuration", "--function-name", w.hears.Function,
		"--environment", string(env))
	if err != nil {
		return err
	}
	return w.place.Ask(ctx, nil, "lambda", "wait", "function-updated", "--function-name", w.hears.Function)
}

// customer makes a customer of the shop and returns its id.
func (w *walk) customer(ctx context.Context) (string, error) {
	var made struct{ ID string }
	err := w.addon.ask(ctx, 201, "POST /api-engine/customers", fields{"firstName": "Jana", "lastName": "Nováková",
		"email": fmt.Sprintf("jana.%d@shop.example", time.Now().UnixNano())}, &made)
	return made.ID, err
}

// deliveries counts those of the receiver in a state, up to a hundred.
func (w *walk) deliveries(ctx context.Context, state string) (int, error) {
	var page struct{ Items []any }
	err := w.addon.ask(ctx, 200, "GET /api-engine/webhook-deliveries?itemsPerPage=100&receiverId="+w.receiver+"&state="+
		state, nil, &page)
	return len(page.Items), err
}

// noDeadLetters looks into the queues of what nobody could handle.
func (w *walk) noDeadLetters(ctx context.Context) error {
	all, err := w.resources(ctx, w.stack("-Data"))
	for _, r := range all {
		dead := strings.Contains(r.LogicalResourceId, "Dead") || strings.HasPrefix(r.LogicalResourceId, "Unheard")
		if r.ResourceType != "AWS::SQS::Queue" || !dead {
			continue
		}
		var n string
		if err := w.place.Ask(ctx, &n, "sqs", "get-queue-attributes", "--queue-url", r.PhysicalResourceId,
			"--attribute-names", "ApproximateNumberOfMessages", "--query",
			"Attributes.ApproximateNumberOfMessages"); err != nil {
			return err
		}
		if n != "0" {
			return fmt.Errorf("%s messages are in %s", n, r.PhysicalResourceId)
		}
	}
	return err
}

func firstLine(text string) string { line, _, _ := strings.Cut(text, "\n"); return line }
