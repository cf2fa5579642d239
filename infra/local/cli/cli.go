// Package cli is the program's commands beside serving: what the author of an add-on and the operator do with a
// platform from a shell. They use its HTTP API only, so they work with any installation; backup and restore are of the
// one process.
//
// # A tour
//
// Main reads the command and its flags; plain.go keeps strangers' texts from acting on the terminal. client.go asks
// the platform. listen.go follows the change feed and posts webhooks to an address on this machine, tail.go shows
// deliveries as they happen, trigger.go makes an event happen, and sends a delivery again. shop.go makes a shop with
// all that it needs to begin, reindex.go the index of searches anew, backup.go copies the data folder and puts a copy
// in its place.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"eshop/events"
	"eshop/infra/local"
)

const usage = `eshop is the whole platform in one process, and what add-ons' authors and the operator do with one.

  eshop [serve]                 serve the platform; settings are ADDR, DATA, ENVIRONMENT, OPERATOR_TOKEN, DEMO, LOG
  eshop listen --to URL [--key whsec_…]
                                follow the shop's changes and post them to URL as signed webhooks, as the platform would;
                                the key is $ESHOP_KEY, else a new one that is shown
  eshop trigger EVENT           make an event happen: a real change, or a test event where nothing but people makes it
  eshop resend DELIVERY         send a delivery again
  eshop tail                    show deliveries as they happen
  eshop shop DOMAIN --email ADDRESS [--name NAME] [--locale cs_CZ] [--currency CZK]
                                make a shop, an access with all permissions, and a person who may sign in to its admin
  eshop reindex [SHOP]          make the index of searches anew, of one shop or of all, while they are open
  eshop backup FILE [--force]   copy the data of the one process into FILE, while it serves; FILE holds all its secrets
  eshop restore FILE [--force]  make the data folder DATA of FILE, before the platform is started there
  eshop version | --help

listen, trigger, resend and tail take
  --url URL      the platform (default: $ESHOP_URL, else the one that runs here)
  --token TOKEN  a token of your access (default: $ESHOP_TOKEN, else the demo shop's); better in the environment than here
shop, reindex and backup take the same, but the operator's token (default: $OPERATOR_TOKEN, else that of the one that runs here)
`

// command is what a word on the command line does, and what it needs for that.
type command struct {
	run      func(context.Context, *client, options) error
	argument string // what it takes; "": nothing
	optional bool   // it can do without
	operator bool   // it takes the operator's token
	alone    bool   // it asks no platform
}

// commands are all words but serve, help and version.
var commands = map[string]command{
	"listen":  {run: listen},
	"trigger": {run: trigger, argument: "an event: " + strings.Join(names(), ", ")},
	"resend":  {run: resend, argument: "the id of a delivery"},
	"tail":    {run: tail},
	"shop":    {run: makeShop, argument: "the shop's domain", operator: true},
	"reindex": {run: reindex, argument: "the id of a shop, or nothing", optional: true, operator: true},
	"backup":  {run: backup, argument: "the file to write", operator: true},
	"restore": {run: restore, argument: "a file that backup wrote", alone: true},
}

// Shell is where a command runs.
type Shell struct {
	Getenv    func(string) string
	Out, Errs io.Writer
	Every     time.Duration // how often listen and tail ask for news
}

// Main runs a command and returns the exit code: 0 for done, 1 after one clear line on stderr, 2 for a command that
// does not exist. Without a command it serves the platform.
func Main(args []string, sh Shell) int {
	name, rest := "serve", args
	if len(args) > 0 {
		name, rest = args[0], args[1:]
	}
	command, known := commands[name]
	switch {
	case name == "serve" && len(rest) == 0:
		return local.Main(sh.Getenv, sh.Out, sh.Errs)
	case name == "help" || helps(name) || !known && len(rest) > 0 && helps(rest[0]):
		fmt.Fprint(sh.Out, usage)
		return 0
	case name == "version" || name == "--version":
		fmt.Fprintln(sh.Out, "eshop", version())
		return 0
	case !known:
		fmt.Fprintf(sh.Errs, "eshop: there is no command %q; eshop --help lists them\n", strings.Join(args, " "))
		return 2
	}
	// From here on the output may hold what a platform or a receiver said.
	sh.Out, sh.Errs = plain{sh.Out}, plain{sh.Errs}
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

// helps says whether a word asks for help.
func helps(word string) bool { return word == "--help" || word == "-help" || word == "-h" }

// run runs a command until it is done or interrupted.
func run(ctx context.Context, command command, o options) error {
	c, err := connect(o, command)
	if err != nil {
		return err
	}
	// listen and tail go on until they are interrupted, so an interruption is a good end.
	if err = command.run(ctx, c, o); ctx.Err() != nil {
		return nil // a signal is how these end
	}
	return err
}

// options are a command's flags and its one argument.
type options struct {
	Shell
	url, token, to, key, argument string

	email, name, locale, currency string // of a shop that is made
	force                         bool   // backup over a file, restore into a folder that holds something
}

// parse reads a command's flags and its one argument, in any order. What a flag leaves out comes from the environment.
// Its errors say what to write instead, with an example.
func parse(name string, args []string, sh Shell) (o options, err error) {
	o.Shell = sh
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.url, "url", sh.Getenv("ESHOP_URL"), "")
	flags.StringVar(&o.token, "token", sh.Getenv(commands[name].variable()), "")
	switch name {
	case "listen":
		flags.StringVar(&o.to, "to", "", "")
		flags.StringVar(&o.key, "key", sh.Getenv("ESHOP_KEY"), "")
	case "shop":
		flags.StringVar(&o.email, "email", "", "")
		flags.StringVar(&o.name, "name", "", "")
		flags.StringVar(&o.locale, "locale", "cs_CZ", "")
		flags.StringVar(&o.currency, "currency", "CZK", "")
	case "backup", "restore":
		flags.BoolVar(&o.force, "force", false, "")
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
	want, without := commands[name].argument, commands[name].optional && len(words) == 0
	switch {
	case want == "" && len(words) > 0:
		return o, fmt.Errorf("%s takes no %q", name, words[0])
	case want != "" && len(words) != 1 && !without:
		return o, fmt.Errorf("%s takes %s", name, want)
	case name == "listen" && o.to == "":
		return o, errors.New("listen takes --to, the address of your receiver: --to http://localhost:3000/hook")
	case name == "listen" && !isAddress(o.to):
		return o, fmt.Errorf("--to %q is no address to post to: it begins with http:// or https:// and has a host, "+
			"like http://localhost:3000/hook", o.to)
	case o.url != "" && !isAddress(o.url):
		return o, fmt.Errorf("--url %q is no platform's address: it begins with http:// or https:// and has a host, "+
			"like http://127.0.0.1:8080", o.url)
	case name == "shop" && o.email == "":
		return o, errors.New("shop takes --email, the address of its owner, who may sign in to its admin")
	case want != "" && !without:
		o.argument = words[0]
	}
	return o, nil
}

// isAddress says whether a text is where HTTP can be spoken.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
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
