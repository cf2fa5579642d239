// Package cli is the program's commands beside serving: what the author of an add-on and the operator do with a
// platform from a shell. They use its HTTP API only, so they work with any installation; backup and restore are of the
// one process.
//
// # A tour
//
// cli.go runs a command, plainly.go says what was wrong; commands.go lists the commands with their flags and help.go
// says how help looks. profile.go keeps a platform's address and token, raw.go makes a request as it is written.
// package.go does both for a package of a developer's. plain.go keeps strangers' texts from acting on the terminal, and
// writes each line for people or as JSON. client.go asks the platform. listen.go follows the change feed and posts
// webhooks to an address on this machine, tail.go shows deliveries as they happen, trigger.go makes an event happen,
// and sends a delivery again. shop.go makes a shop with all that it needs to begin. copy.go makes a test shop like
// another one: where and for whom is in copy_shop.go, its products are in copy_goods.go, its people, who are made up,
// and their orders in copy_orders.go. reindex.go makes the index of searches anew, backup.go copies the data folder and
// puts a copy in its place. init.go writes an add-on to begin with; its files are package gifts.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Shell is where a command runs.
type Shell struct {
	Getenv    func(string) string
	In        io.Reader // nil: nothing is typed or piped in
	Out, Errs io.Writer
	Every     time.Duration // how often listen and tail ask for news
	Config    string        // the folder of the user's own settings; "": there is none
}

// options are a command's flags and its arguments.
type options struct {
	Shell
	url, token, profile, to, key, pkg, argument string
	more                                        []string // arguments after the first

	events   []string // that listen posts; none: all
	printKey bool     // listen shows its key only
	data     string   // the body of a raw request

	email, name, locale, currency string // of a shop that is made
	ready                         bool   // the proxy serves the shop's own name
	from                          string // an address or a profile: of the shop that is copied
	force                         bool   // backup over a file, restore into a folder that holds something
	lang                          string // of an add-on that is written
	json                          bool   // each line of output is a JSON object

	wait   bool          // trigger waits for what comes of it
	within time.Duration // so long, as wait does
}

// Main runs a command and returns the exit code: 0 for done, 1 after one clear line on stderr, 2 for a command that
// does not exist. Without a command it says what it is.
func Main(args []string, sh Shell) int {
	err := execute(context.Background(), args, sh)
	var served exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &served):
		return int(served)
	}
	says := "eshop:"
	if (&options{Shell: sh}).colours(sh.Errs) {
		says = red + says + normal
	}
	fmt.Fprint(sh.Errs, says)
	fmt.Fprintln(plain{sh.Errs}, "", plainly(err))
	if errors.As(err, new(unknown)) {
		return 2
	}
	return 1
}

// execute runs a command until it is done, interrupted, or ctx ends.
func execute(ctx context.Context, args []string, sh Shell) error {
	root := commands(&options{Shell: sh})
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// exit is the exit code of a platform that was served here: it has said itself what was wrong.
type exit int

func (e exit) Error() string { return fmt.Sprint("exit code ", int(e)) }

// work is what a command does. A command that asks no platform has no client.
type work func(context.Context, *client, options) error

// run does the work of a command that asks no platform.
func (o *options) run(do work) func(*cobra.Command, []string) error { return o.ask(do, "") }

// ask takes the arguments and does the work of a command until it is done or interrupted. variable names the token in
// the environment; by "" no platform is asked. listen and tail go on until they are interrupted, so that is a good end
// of theirs, and of no other command.
func (o *options) ask(do work, variable string) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) (err error) {
		if len(args) > 0 {
			o.argument, o.more = args[0], args[1:]
		}
		// From here on the output may hold what a platform or a receiver said.
		o.Out, o.Errs = plain{o.Out}, plain{o.Errs}
		ctx, stop := signal.NotifyContext(command.Context(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		var platform *client
		if variable != "" {
			platform, err = connect(*o, variable)
		}
		if err == nil {
			err = do(ctx, platform, *o)
		}
		switch {
		case ctx.Err() == nil:
			return err
		case command.Annotations[done] != "":
			return nil
		}
		return errors.New("interrupted")
	}
}

// takes refuses words that the command does not take, and says which it wants. "" stands for none.
func takes(what string, least int) cobra.PositionalArgs {
	return func(c *cobra.Command, words []string) error {
		switch {
		case what == "" && len(words) > 0:
			return fmt.Errorf("%s takes no %q", c.Name(), words[0])
		case what != "" && (len(words) < least || len(words) > 1):
			return fmt.Errorf("%s takes %s", c.Name(), what)
		}
		return nil
	}
}

// unknown is a command that does not exist.
type unknown struct{ error }

// noSuch refuses the words that stand where a command is due.
func noSuch(c *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	return unknown{fmt.Errorf("there is no command %q%s; %s --help lists them", strings.Join(words, " "),
		perhaps("", c.SuggestionsFor(words[0])), c.CommandPath())}
}

// perhaps asks whether one of these was meant.
func perhaps(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " - did you mean " + before + strings.Join(names, " or "+before) + "?"
}

// isAddress says whether a text is where HTTP can be spoken, and names nobody who speaks it.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}
