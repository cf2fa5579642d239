// Command smoke goes through a day of the platform in an account of AWS: it deploys an environment, makes a shop, has a
// change heard, rings an alarm, parks and drains deliveries, deploys a broken version, restores, and destroys. Each
// step has a check and a time, and is told as it goes and in a table at the end.
//
//	make smoke ENV=try CONTEXT="concurrency=1000"   # KEEP=1 keeps what was made, FORMAT=json is for programs
//
// Begin with steps.go, which lists the steps; the last ones are in lifecycle.go. walk.go is what they share, run.go
// goes through them, account.go is the account. What they hear by is a stack of its own, receiver.yaml: a function
// with an address puts what comes into a queue. So whoever runs this needs no server that AWS reaches.
//
// TestTheSmokeInTheEmulator goes the same steps in MiniStack (make test-stack), but those that it lacks.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := smoke(ctx, os.Getenv, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		stop()
		os.Exit(1)
	}
}

// smoke goes through all steps as the environment says. Where out gets JSON, people read progress.
func smoke(ctx context.Context, getenv func(string) string, out, progress io.Writer) error {
	a, err := newAccount(getenv)
	if err != nil {
		return err
	}
	lines := getenv("FORMAT") == "json"
	if !lines {
		progress = out
	}
	fmt.Fprintf(progress, intro, a.environment, a.log)
	for _, s := range steps {
		fmt.Fprintf(progress, "  %-11s  %s\n", s.name, s.wants)
	}
	fmt.Fprintln(progress)
	w := &walk{place: a, environment: a.environment, context: a.context, operator: caller{token: a.token}}
	all, err := goThrough(ctx, w, steps, progress)
	if lines {
		asJSON(all, out)
	} else if len(all) > 0 {
		table(all, out)
	}
	if a.keep && err == nil {
		fmt.Fprintln(progress, w.cleanUp())
	}
	return err
}

const intro = `This makes the environment %[1]s in the account and region that AWS's command line has: the stacks
Eshop-%[1]s-Data, Eshop-%[1]s, Eshop-%[1]s-Monitoring and Eshop-%[1]s-Smoke, a shop, and two restored tables.
It takes about two hours and costs less than a US dollar; the key that it leaves costs one a month.
What deployments say is in %[2]s. The steps, with what each holds:

`
