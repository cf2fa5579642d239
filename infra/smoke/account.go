package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
)

// account is an account of AWS, as whoever runs the program is signed in.
type account struct {
	commandLine
	environment, context, token string
	keep                        bool
	log                         string // the file with what make says
}

// newAccount reads what the environment asks for, and refuses what would do harm.
func newAccount(getenv func(string) string) (*account, error) {
	a := &account{environment: getenv("ENV"), context: getenv("CONTEXT"), token: getenv("OPERATOR_TOKEN"),
		keep: getenv("KEEP") != ""}
	a.program, a.log = "aws", ".bin/smoke-"+a.environment+".log"
	stack := "Eshop-" + a.environment
	switch {
	case a.environment == "":
		return nil, errors.New("say which environment to make: make smoke ENV=try")
	case a.environment == "production" && getenv("CONFIRM") != stack:
		return nil, fmt.Errorf("this breaks and destroys %s. Say so: make smoke ENV=production CONFIRM=%[1]s", stack)
	case a.keep && a.token == "":
		return nil, errors.New("KEEP=1 wants the operator's token in OPERATOR_TOKEN, so that you know it afterwards")
	}
	a.token = cmp.Or(a.token, rand.Text())
	for _, c := range strings.Fields(a.context) {
		switch name, _, _ := strings.Cut(c, "="); name {
		case "domain", "baseUrl", "mainStream", "pipelineTable", "secretsKey":
			return nil, fmt.Errorf("%s in CONTEXT is not for a smoke: it makes an installation at API Gateway's own "+
				"address, on tables of its own", name)
		}
	}
	return a, nil
}

// Ask runs a command of AWS's command line.
func (a *account) Ask(ctx context.Context, out any, args ...string) error {
	return a.ask(ctx, out, args...)
}

// Deploy is make deploy.
func (a *account) Deploy(ctx context.Context, settings ...string) error {
	return a.make(ctx, "deploy", append(strings.Fields(a.context), settings...))
}

// Destroy is make destroy.
func (a *account) Destroy(ctx context.Context) error {
	return a.make(ctx, "destroy", strings.Fields(a.context), "CONFIRM=Eshop-"+a.environment)
}

// make runs a target of the Makefile for the environment, and adds what it says to the log. Nobody is there to approve
// of changes of rights, and what is deployed is new.
func (a *account) make(ctx context.Context, target string, settings []string, more ...string) error {
	log, err := os.OpenFile(a.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := command(ctx, "make", append([]string{target, "ENV=" + a.environment,
		"CONTEXT=" + strings.Join(settings, " ")}, more...)...)
	// what make smoke was called with would be handed on by MAKEFLAGS
	cmd.Env = append(os.Environ(), "OPERATOR_TOKEN="+a.token, "EDGE_SECRET=", "CDK_REQUIRE_APPROVAL=never",
		"MAKEFLAGS=", "MAKELEVEL=")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("make %s: %w; %s says why", target, err, a.log)
	}
	return nil
}

// Address is the API's, as the stack says.
func (a *account) Address(ctx context.Context) (string, error) {
	w := walk{place: a, environment: a.environment}
	all, err := w.outputs(ctx, w.stack(""))
	return all["BaseURL"], err
}

// Lead is the function's own address.
func (a *account) Lead(_, address string) string { return address }

// Lacks are the steps that were not asked for.
func (a *account) Lacks() map[string]string {
	lacks := map[string]string{}
	if a.keep {
		lacks["destroyed"] = "KEEP=1"
	}
	if !strings.Contains(" "+a.context, " alarmEmail=") {
		lacks["mail"] = "CONTEXT says no alarmEmail"
	}
	return lacks
}
