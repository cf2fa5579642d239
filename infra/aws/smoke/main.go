// Command smoke tries what only an account of AWS can show of the platform, in steps: it deploys an environment, has a
// change heard by a webhook, rings an alarm, goes back from a second version, deploys one that fails, gives a shop a
// domain of its own, and destroys what it made. Each step has a check and a time.
//
//	make smoke ENV=try
//
// Begin with steps.go. aws.go is the account: AWS's command line and make; addon.go calls the API and hears webhooks.
// They come to a stack of its own, receiver.yaml: a function with an address puts what it is sent into a queue.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	d, err := newDay(os.Getenv)
	if err == nil {
		fmt.Printf(intro, d.environment, d.log)
		if os.Getenv("SMOKE_DOMAIN") == "" {
			fmt.Println("The step own-domain is NOT DONE: SMOKE_DOMAIN is not set.")
			steps = slices.DeleteFunc(steps, func(s step) bool { return s.name == "own-domain" })
		}
		err = d.goThrough(ctx, steps, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		stop()
		os.Exit(1)
	}
}

const intro = "This makes and destroys the environment %s in the account and region of AWS's command line, in about " +
	"an hour and a half and for less than a US dollar. What deployments say is in %s.\n\n"

// day is what the steps have found and made, for those after them.
type day struct {
	environment     string
	settings        fields    // those of the environment, as infra/stack takes them; nil before there are some
	file            string    // that has them
	log             string    // the file with what make says
	began           bool      // something is made, or may be
	shop            string    // its id
	operator, addon caller    // with the operator's token, and with that of the access on the shop
	key             string    // that signs the add-on's webhooks
	rings           [2]string // the name of the alarm that is rung, and the topic that it publishes to
	heard, rang     string    // the queues of what the receiver and the alarms' topic were sent
}

// newDay reads what the environment asks for, and refuses what would do harm.
func newDay(getenv func(string) string) (*day, error) {
	day := &day{environment: getenv("ENV"), operator: caller{token: rand.Text()},
		log: ".bin/smoke-" + getenv("ENV") + ".log"}
	switch day.environment {
	case "":
		return nil, errors.New("say which environment to make: make smoke ENV=try")
	case "production":
		return nil, errors.New("this breaks and destroys an environment: take another one than production")
	}
	day.file = cmp.Or(getenv("SETTINGS"), "infra/stack/environments/"+day.environment+".json")
	b, err := os.ReadFile(day.file)
	if errors.Is(err, os.ErrNotExist) {
		return day, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &day.settings)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", day.file, err)
	}
	for _, name := range []string{"domain", "securityContact", "mainStream", "pipelineTable", "secretsKey"} {
		if said := day.settings[name]; said != nil && said != "" {
			return nil, fmt.Errorf("%s in %s is not for a smoke, whose tables and address are its own", name, day.file)
		}
	}
	return day, nil
}

// step is one thing that is done, with its check.
type step struct {
	name   string
	wants  string        // what is so when the step has passed
	within time.Duration // it has failed after that
	do     func(d *day, ctx context.Context) (found string, err error)
}

// goThrough does the steps one after the other until one fails, and tells each one's beginning and end. Its error says
// what was expected, and how to clean up.
func (d *day) goThrough(ctx context.Context, steps []step, out io.Writer) error {
	for _, step := range steps {
		began := time.Now()
		fmt.Fprintf(out, "%s  %-11s  %s …\n", began.Format(time.TimeOnly), step.name, step.wants)
		limited, cancel := context.WithTimeout(ctx, step.within)
		found, err := step.do(d, limited)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: expected within %s that %s\nbut: %w\n%s", step.name, step.within, step.wants, err,
				d.cleanUp())
		}
		fmt.Fprintf(out, "%s  %-11s  passed in %.0f s: %s\n", time.Now().Format(time.TimeOnly), step.name,
			time.Since(began).Seconds(), found)
	}
	return nil
}

// cleanUp is the commands that take down what was made. Before that anything which is there is somebody else's.
func (d *day) cleanUp() string {
	if !d.began {
		return "Nothing was made."
	}
	return fmt.Sprintf("To clean up:\n  aws cloudformation delete-stack --stack-name %s\n"+
		"  make destroy ENV=%s CONFIRM=%s\nWith SMOKE_DOMAIN let make shop-domain list no domain of a shop first: "+
		"CloudFront keeps an edge that has one. How to delete the data, too, is at \"Try it in an account\" in "+
		"functions/docs/operations.md.", d.stack("-Smoke"), d.environment, d.stack(""))
}

func (d *day) stack(of string) string { return "Eshop-" + d.environment + of }
