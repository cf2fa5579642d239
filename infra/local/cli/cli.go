// Package cli is the program's commands beside serving: what the author of an add-on does with a platform from a shell.
// They use the public API only, so they work with any installation.
//
// # A tour
//
// Main reads the command and its flags. client.go asks the platform. listen.go follows the change feed and posts webhooks
// to an address on this machine, tail.go shows deliveries as they happen, trigger.go makes an event happen, and sends a
// delivery again.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"eshop/events"
	"eshop/infra/local"
)

const usage = `eshop is the whole platform in one process, and what the author of an add-on does with one.

  eshop [serve]                 serve the platform; settings are ADDR, DATA, ENVIRONMENT, OPERATOR_TOKEN, DEMO
  eshop listen --to URL         follow the shop's changes and post them to URL as signed webhooks, as the platform would
  eshop trigger EVENT           make an event happen: a real change, or a test event where nothing but people makes it
  eshop resend DELIVERY         send a delivery again
  eshop tail                    show deliveries as they happen
  eshop version | --help

listen, trigger, resend and tail take
  --url URL      the platform (default: $ESHOP_URL, else the one that runs here)
  --token TOKEN  a token of your access (default: $ESHOP_TOKEN, else the demo shop's); better in the environment than here
`

// Shell is where a command runs.
type Shell struct {
	Getenv    func(string) string
	Out, Errs io.Writer
	Every     time.Duration // how often listen and tail ask for news
}

// Main runs a command and returns the exit code: 0, 1 after one clear line on stderr, or 2 for a command that is none.
func Main(args []string, sh Shell) int {
	name, rest := "serve", args
	if len(args) > 0 {
		name, rest = args[0], args[1:]
	}
	command, known := map[string]func(context.Context, *client, options) error{
		"listen": listen, "trigger": trigger, "resend": resend, "tail": tail,
	}[name]
	switch {
	case name == "serve" && len(rest) == 0:
		return local.Main(sh.Getenv, sh.Out, sh.Errs)
	case name == "help" || name == "--help" || name == "-h":
		fmt.Fprint(sh.Out, usage)
		return 0
	case name == "version" || name == "--version":
		fmt.Fprintln(sh.Out, "eshop", version())
		return 0
	case !known:
		fmt.Fprintf(sh.Errs, "eshop: there is no command %q; eshop --help lists them\n", strings.Join(args, " "))
		return 2
	}
	o, err := parse(name, rest, sh)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(sh.Out, usage)
		return 0
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		err = run(ctx, command, o)
	}
	if err != nil {
		fmt.Fprintln(sh.Errs, "eshop:", err)
		return 1
	}
	return 0
}

// run runs a command until it is done or interrupted.
func run(ctx context.Context, command func(context.Context, *client, options) error, o options) error {
	c, err := connect(o)
	if err != nil {
		return err
	}
	if err = command(ctx, c, o); ctx.Err() != nil {
		return nil // a signal is how these end
	}
	return err
}

// options are a command's flags and its one argument.
type options struct {
	Shell
	url, token, to, key, argument string
}

func parse(name string, args []string, sh Shell) (o options, err error) {
	o.Shell = sh
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.url, "url", sh.Getenv("ESHOP_URL"), "")
	flags.StringVar(&o.token, "token", sh.Getenv("ESHOP_TOKEN"), "")
	if name == "listen" {
		flags.StringVar(&o.to, "to", "", "")
		flags.StringVar(&o.key, "key", sh.Getenv("ESHOP_KEY"), "")
	}
	var words []string
	for rest := args; ; { // flags may stand behind the argument, too
		if err = flags.Parse(rest); err != nil {
			return o, err
		}
		if flags.NArg() == 0 {
			break
		}
		words, rest = append(words, flags.Arg(0)), flags.Args()[1:]
	}
	want := map[string]string{"trigger": "an event: " + strings.Join(names(), ", "), "resend": "the id of a delivery"}[name]
	switch {
	case want == "" && len(words) > 0:
		return o, fmt.Errorf("%s takes no %q", name, words[0])
	case want != "" && len(words) != 1:
		return o, fmt.Errorf("%s takes %s", name, want)
	case name == "listen" && o.to == "":
		return o, errors.New("listen takes --to, the address of your receiver: --to http://localhost:3000/hook")
	case want != "":
		o.argument = words[0]
	}
	return o, nil
}

// names are the events that can be triggered.
func names() (all []string) {
	for _, n := range events.Names {
		all = append(all, string(n))
	}
	return all
}

// version is the commit that the program was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value[:min(12, len(s.Value))] + ", API " + events.APIVersion
			}
		}
	}
	return "of an unknown commit, API " + events.APIVersion
}
