package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eshop/events"
	"eshop/infra/local"
	"eshop/infra/local/backup"
	"eshop/shared/base/egress"
	"eshop/shared/record/field"
	"eshop/shared/webhook/signature"
)

// The environment's names for the tokens that commands take.
const (
	ofAccess    = "ESHOP_TOKEN"
	ofOperator  = "OPERATOR_TOKEN"
	ofDeveloper = "ESHOP_DEVELOPER_TOKEN"
)

// done is the annotation of a command that says what its exit code 0 means, where that is not "done".
const done = "done"

// exitCodes is what the help of each command ends with.
const exitCodes = `
Exit codes:
  0  {{with .Annotations.done}}{{.}}{{else}}done{{end}}
  1  it failed, or the arguments are wrong: one line on stderr says why
  2  there is no such command
`

// commands are all commands. A command reads its flags into opts.
func commands(opts *options) *cobra.Command {
	root := &cobra.Command{
		Use:   "eshop",
		Short: "The whole platform in one process, and what add-ons' authors and operators do with one",
		Long: `eshop is the whole platform in one process, and what add-ons' authors and operators do with one.
eshop serve begins a platform here. The guide is at /docs/cli of any platform.`,
		Version: version(), Args: noSuch, SilenceErrors: true, SilenceUsage: true,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(opts.Out)
	root.SetErr(opts.Errs)
	root.SetFlagErrorFunc(badFlag)
	root.SetVersionTemplate("eshop {{.Version}}\n")
	add := func(title string, all ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, c := range all {
			c.GroupID = title
			root.AddCommand(c)
		}
	}
	add("The platform", opts.serveCommand(), opts.backupCommand(), opts.restoreCommand(), opts.checkCommand())
	add("For all", opts.loginCommand(), opts.logoutCommand(),
		opts.rawCommand("GET", "Make a GET request", "  eshop get '/api-engine/products?itemsPerPage=2'"),
		opts.rawCommand("POST", "Make a POST request",
			`  eshop post /api-engine/exports --data '{"type":"orders","format":"csv"}'`),
		opts.rawCommand("PATCH", "Make a PATCH request",
			`  eshop patch /api-engine/products/01KYFXV0000000000000000001 --data '{"active":false}'`),
		opts.rawCommand("PUT", "Make a PUT request",
			`  eshop put /api-engine/orders/01KYFXV0000000000000000001/data --data '{"invoice":"7"}'`),
		opts.rawCommand("DELETE", "Make a DELETE request",
			"  eshop delete /api-engine/webhooks/01KYFXV0000000000000000001"))
	add("For authors of add-ons", opts.initCommand(), opts.listenCommand(), opts.triggerCommand(), opts.tailCommand(),
		opts.resendCommand(), opts.waitCommand(), opts.clockCommand())
	add("For operators", opts.shopCommand(), opts.developerCommand(), opts.reindexCommand())
	root.AddCommand(opts.versionCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch {
		case c.Name() == "help":
			c.Args = func(_ *cobra.Command, words []string) error {
				found, rest, _ := root.Find(words)
				return noSuch(found, rest)
			}
		case !c.Runnable(): // it has commands of its own
			c.Args, c.RunE = noSuch, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	helpful(root, opts)
	return root
}

// asks adds the flags of a command that asks a platform. What a flag leaves out comes from the environment, which is
// read later: help shows no token.
func (o *options) asks(c *cobra.Command, do work, variable string) *cobra.Command {
	c.Flags().StringVar(&o.url, "url", "",
		"the `ADDRESS` of the platform (default $ESHOP_URL, else of the one that runs here, or login's)")
	c.Flags().StringVar(&o.token, "token", "", "a `TOKEN` of "+whose[variable]+" (default $"+variable+
		", else that of the one that runs here, or login's); better in the environment than here")
	c.Flags().StringVar(&o.profile, "profile", "", "the `NAME` of what login has kept (default $ESHOP_PROFILE)")
	c.RunE = o.ask(do, variable)
	return o.shows(c)
}

// shows adds the flag of a command that has output.
func (o *options) shows(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&o.json, "json", false, "write each line of output as a JSON object")
	if c.ValidArgsFunction == nil && c.ValidArgs == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return c
}

// serve serves the platform, which has its own way with signals.
func (o *options) serve(*cobra.Command, []string) error {
	if code := local.Main(o.Getenv, o.Out, plain{o.Errs}); code != 0 {
		return exit(code)
	}
	return nil
}

func (o *options) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Serve the platform until SIGTERM or SIGINT",
		Long: `Serve the platform until SIGTERM or SIGINT. Its settings are in the environment:

  ADDR             where it listens (default 127.0.0.1:8080; port 0 picks a free one)
  DATA             the data folder (default .data); its run.json holds addresses and tokens
  ENVIRONMENT      a name (default development); production is stricter
  PUBLIC_URL       where everybody finds it, like https://eshop.example.com; a must in production
  TRUSTED_PROXIES  addresses and ranges of proxies whose X-Forwarded-* and Forwarded are believed
  OPERATOR_TOKEN   the operator's token (default: made once, kept in DATA)
  DEMO             1 seeds the demo shop into a new data folder, 0 (default in production) does not
  SECURITY_CONTACT whom to tell of a hole: mailto:security@example.com or https://example.com/report
  TEST_DOMAIN      the name below which developers' test shops have their domains
  CANARY           1 lets the platform try itself every five minutes in the demo shop,
                   <shop id>/<package id> in that shop; 0 (default) does not
  LOG              text, or json for an object a line`,
		Example: "  eshop serve\n  ADDR=127.0.0.1:0 DATA=/tmp/shop eshop serve",
		Args:    takes("", 0), RunE: o.serve, ValidArgsFunction: cobra.NoFileCompletions,
		Annotations: map[string]string{done: "stopped by a signal"},
	}
}

func (o *options) listenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "listen",
		Short: "Show the shop's changes, or post them to an address on this machine, as signed webhooks",
		Long: `Follow the changes of the shop from now on and show the webhook of each. With --to post it to an
address, also one on this machine that the platform cannot reach: signed, and one call for each
request and event, as the platform would. Each call is made once.

It brings changes of records. With --package it brings the system webhooks of a package of yours
from test shops in their place, as systemUrl is sent them: packageActivate with its install code,
and the others of a package's life.`,
		Example: `  eshop listen
  eshop listen --to http://127.0.0.1:8090/hooks
  eshop listen --package 01KYFXV0000000000000000000 --to http://127.0.0.1:8090/system
  ESHOP_KEY=whsec_… eshop listen --to http://127.0.0.1:8090/hooks --url https://api.example.com`,
		Args:        takes("", 0),
		PreRunE:     func(*cobra.Command, []string) error { return o.checkListen() },
		Annotations: map[string]string{done: "interrupted, as by Ctrl+C"},
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the `ADDRESS` of your receiver")
	cmd.Flags().StringVar(&o.key, "key", "",
		"the signing `KEY`, whsec_… (default $ESHOP_KEY, else one that is made once and kept for you)")
	cmd.Flags().BoolVar(&o.printKey, "print-key", false,
		"show the signing key and end, so that the receiver can have it first")
	cmd.Flags().StringSliceVar(&o.events, "events", nil, "the `EVENTS` to post, with commas between (default all)")
	_ = cmd.RegisterFlagCompletionFunc("events", cobra.FixedCompletions(names(), cobra.ShellCompDirectiveNoFileComp))
	return o.asksOfPackage(cmd, listen, listenPackage)
}

// asksOfPackage is asks for a command that has other work to do for a package of a developer's.
func (o *options) asksOfPackage(command *cobra.Command, do, ofPackage work) *cobra.Command {
	command.Flags().StringVar(&o.pkg, "package", "", "the id of a `PACKAGE` of yours on test shops; the token is a "+
		"developer's then (default $"+ofDeveloper+")")
	o.asks(command, do, ofAccess)
	command.RunE = func(cmd *cobra.Command, words []string) error {
		switch {
		case o.printKey:
			return o.run(printKey)(cmd, words)
		case o.pkg != "" && !anID.MatchString(o.pkg):
			return fmt.Errorf("--package takes the id of a package, 26 letters and digits, and not %q", o.pkg)
		case o.pkg != "":
			return o.ask(ofPackage, ofDeveloper)(cmd, words)
		}
		return o.ask(do, ofAccess)(cmd, words)
	}
	return command
}

// checkListen refuses an address that cannot be posted to, an event that is none and a key that signs nothing.
func (o *options) checkListen() error {
	o.key = cmp.Or(o.key, o.Getenv("ESHOP_KEY"))
	if _, err := signature.Parse(o.key); o.key != "" && err != nil {
		return errors.New("--key takes whsec_ and 32 bytes in base64; leave it out, and listen makes one for you")
	}
	for _, event := range o.events {
		if !slices.Contains(names(), event) {
			return noEvent(event)
		}
	}
	switch {
	case o.printKey, o.to == "" && o.pkg == "":
		return nil
	case o.to == "":
		return errors.New("listen --package takes --to, the address of your receiver, since install codes are not " +
			"shown: --to http://localhost:3000/hook")
	case !isAddress(o.to):
		return fmt.Errorf("--to %q is no address to post to: it begins with http:// or https:// and has a host, "+
			"like http://localhost:3000/hook", o.to)
	}
	return nil
}

// noEvent refuses a word that is no event.
func noEvent(word string) error {
	return fmt.Errorf("there is no event %q; there are %s", word, strings.Join(names(), ", "))
}

// waits adds the flag of a command that waits for deliveries.
func (o *options) waits(c *cobra.Command) *cobra.Command {
	c.Flags().DurationVar(&o.within, "within", time.Minute, "wait so long at most")
	return c
}

func (o *options) waitCommand() *cobra.Command {
	return o.waits(o.asks(&cobra.Command{
		Use: "wait DELIVERY", Short: "Wait until a delivery has ended",
		Long: `Wait until a delivery has ended, and say what became of it. The exit code is 0 if it was delivered,
else 1. Its id is in the output of tail, in X-Webhook-Id, and in the Location of a ping or test.`,
		Example: "  eshop wait 01M7XXKEG7SPKE8B0WAMCVGG4R --within 5m",
		Args:    takesID("the id of a delivery, 26 letters and digits", 1),
	}, waitFor, ofAccess))
}

func (o *options) triggerCommand() *cobra.Command {
	command := o.waits(o.asksOfPackage(&cobra.Command{
		Use: "trigger EVENT", Short: "Make an event happen",
		Long: `Make an event happen: by a real change of a record that is made for it, or by a test event to each
receiver of the access, where only people make it happen. With --package the events of a package's
life (package…) really happen on a test shop that has it.

To make them happen, the access needs

  customers:write               for customerCreate, customerChange, customerDelete, customerErase
  products:write                for productCreate, productChange, productDelete
  orders:write, products:write  for orderChange
  a receiver                    for shopOwnerChange, packageActivate, packageDeactivate,
                                packageOpenInstructions

and to be told of them the :read of the first. A package that gains permissions gives none to an
access that is installed: a PATCH of the access does, or the admin of its shop.

With --wait it waits until the deliveries to the receivers of the access have ended and says what
became of each. The exit code is 0 if all were delivered.`,
		Example: "  eshop trigger orderChange --wait\n" +
			"  eshop trigger packageActivate --package 01KYFXV0000000000000000000",
		Args: func(c *cobra.Command, words []string) error {
			if len(words) == 1 && !slices.Contains(names(), words[0]) {
				return noEvent(words[0])
			}
			return takes("an event: "+strings.Join(names(), ", "), 1)(c, words)
		}, ValidArgs: names(),
	}, trigger, triggerPackage))
	command.Flags().BoolVar(&o.wait, "wait", false, "wait for what becomes of its deliveries")
	return command
}

func (o *options) tailCommand() *cobra.Command {
	return o.asks(&cobra.Command{
		Use: "tail", Short: "Show deliveries of webhooks as they happen",
		Long: `Show each delivery to the receivers of the access when it is made, and again whenever its state or
its attempts have changed. With --json each line is the delivery as the API has it.`,
		Example: `  eshop tail
  eshop tail --json | jq -r 'select(.state == "exhausted").id'`,
		Args: takes("", 0), Annotations: map[string]string{done: "interrupted, as by Ctrl+C"},
	}, tail, ofAccess)
}

func (o *options) resendCommand() *cobra.Command {
	return o.asks(&cobra.Command{
		Use: "resend DELIVERY", Short: "Send a delivery again",
		Long:    "Make one more attempt at a delivery. Its id is in the output of tail, and in X-Webhook-Id.",
		Example: "  eshop resend 01M7XXKEG7SPKE8B0WAMCVGG4R",
		Args:    takesID("the id of a delivery, 26 letters and digits", 1),
	}, resend, ofAccess)
}

func (o *options) clockCommand() *cobra.Command {
	return o.asks(&cobra.Command{
		Use: "clock [+DURATION]", Short: "Move the clock of the platform on",
		Long: `Move the clock of the platform on, or show it. All that waits for time happens on the way: retries
and the probes of failing receivers at their times, and what expires has expired. The time on
webhooks, which receivers check, stays the machine's. The clock never goes back: begin with a new
data folder instead.

This is for a platform in one process that is not production.`,
		Example: "  eshop clock +83h\n  eshop clock +20d\n  eshop clock",
		Args: func(c *cobra.Command, words []string) error {
			const what = "a duration in d, h, m and s, like +20d or +83h, or nothing"
			err := takes(what, 0)(c, words)
			if err == nil && len(words) > 0 {
				if d, wrong := local.Ahead(strings.TrimPrefix(words[0], "+")); wrong != nil || d <= 0 {
					err = fmt.Errorf("clock takes %s, and not %q", what, words[0])
				}
			}
			return err
		},
	}, clock, ofOperator)
}

func (o *options) shopCommand() *cobra.Command {
	c := &cobra.Command{Use: "shop", Short: "Make and copy shops, and give them names of their own"}
	c.AddCommand(o.newShopCommand(), o.copyCommand(), o.domainCommand())
	return c
}

// aDomain is what the platform takes for a shop's domain.
var aDomain = regexp.MustCompile(field.Domain("").Schema(nil).Pattern)

func (o *options) newShopCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "new DOMAIN --email ADDRESS", Short: "Make a shop with an access and a person",
		Long: `Make what an installation begins with: a shop, an access with all permissions and its token, and a
person with a link to set a password. Token and link are shown once.`,
		Example: "  eshop shop new tea.example --email jana@tea.example --locale sk_SK --currency EUR",
		Args: func(c *cobra.Command, words []string) error {
			switch {
			case len(words) != 1 || !aDomain.MatchString(words[0]):
				return errors.New("new takes the shop's domain, a host name like tea.example")
			case !strings.Contains(o.email, "@"):
				return errors.New("new takes --email, the address of its owner, who may sign in to its admin")
			}
			return nil
		},
	}
	command.Flags().StringVar(&o.email, "email", "", "the `ADDRESS` of its owner, who may sign in to its admin")
	command.Flags().StringVar(&o.name, "name", "", "its `NAME` (default the domain)")
	command.Flags().StringVar(&o.locale, "locale", "cs_CZ", "the `LOCALE` of its storefront")
	command.Flags().StringVar(&o.currency, "currency", "CZK", "the `CURRENCY` of its prices")
	return o.asks(command, makeShop, ofOperator)
}

func (o *options) copyCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "copy --from ADDRESS [DOMAIN]", Short: "Make a test shop of what a token may read of a shop",
		Long: `Make a test shop, on the platform that runs here or that --url or --profile names, of what a token
may read of a shop: categories, products with pictures and stock, coupons, customers, order states,
and the hundred orders that changed last. It is yours if there is a token of a developer, else the
operator's.

Names, addresses, e-mails and phones are made up, each person from the record's id, and what people
wrote is left out. Price levels, codes of coupons and names of delivery and payment are kept. Orders
have the copy's own numbers, dates and prices.

Interrupted, the same command goes on. Once all is there, it brings in what is new and changed, and
changes nothing else. What the source has deleted stays.`,
		Example: `  ESHOP_TOKEN=… eshop shop copy --from https://api.example.com
  eshop shop copy --from live tea.test`,
		Args: func(c *cobra.Command, words []string) error {
			switch {
			case o.from == "":
				return errors.New("copy takes --from, the address of the shop's platform or what login called it")
			case len(words) > 1 || len(words) == 1 && !aDomain.MatchString(words[0]):
				return errors.New("copy takes the copy's domain, a host name like tea.test, or nothing")
			}
			return nil
		},
	}
	command.Flags().StringVar(&o.from, "from", "", "the `ADDRESS` of the shop's platform, or a profile of it")
	command.Flags().StringVar(&o.email, "email", "",
		"the `ADDRESS` of its owner, who may sign in to its admin (default admin@example.com)")
	o.asks(command, nil, ofDeveloper)
	command.Flags().Lookup("token").Usage = "a `TOKEN` of the shop that is copied (default $ESHOP_TOKEN, else what " +
		"login has kept); better in the environment than here"
	command.RunE = o.run(copyShop)
	return command
}

func (o *options) domainCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "domain SHOP NAME", Short: "Give a shop a name of its own",
		Long: `Give SHOP, an id or a domain, a name of its own, and show the lines that DNS and the proxy need. The
platform answers at NAME from then on. What it tells of the shop begins with NAME once --ready says
that the proxy serves it.

This is for a platform in one process.`,
		Example: "  eshop shop domain 01KYFXV0000000000000000000 tea.example\n" +
			"  eshop shop domain tea.example tea.example --ready",
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 2 || !egress.IsName(words[1]) || !strings.Contains(words[1], ".") {
				return errors.New("domain takes the id or the domain of a shop, and a name in lower case " +
					"like tea.example")
			}
			return nil
		},
	}
	command.Flags().BoolVar(&o.ready, "ready", false, "the proxy serves the name by https")
	return o.asks(command, setDomain, ofOperator)
}

func (o *options) loginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "login --url ADDRESS", Short: "Keep a platform's address and a token of it for later commands",
		Long: `Keep a platform's address and a token of it for later commands, in a file that only you can read.
The token is typed, where nothing of it is shown, or piped in. A profile has room for a token of
your access, one of a developer and one of the operator; the platform says which it is.`,
		Example: `  eshop login --url https://api.example.com
  pass show eshop/operator | eshop login --url https://api.example.com --profile live
  eshop get /operator/shops --profile live`,
		Args: takes("", 0),
	}
	o.asks(cmd, login, ofAccess)
	cmd.Flags().Lookup("url").Usage = "the `ADDRESS` of the platform (default $ESHOP_URL, else the profile's)"
	cmd.Flags().Lookup("token").Usage = "the `TOKEN` of an access, a developer or the operator; better typed than here"
	cmd.RunE = o.run(login)
	return cmd
}

func (o *options) logoutCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "logout", Short: "Forget a platform's address and its tokens",
		Long:    "Forget what login has kept. The tokens are good until they are revoked.",
		Example: "  eshop logout\n  eshop logout --profile live",
		Args:    takes("", 0), RunE: o.run(logout),
	}
	c.Flags().StringVar(&o.profile, "profile", "", "the `NAME` of what login has kept (default $ESHOP_PROFILE)")
	return o.shows(c)
}

func (o *options) developerCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "developer EMAIL", Short: "Make a developer, who has test shops and packages",
		Long: `Make a developer: somebody who writes add-ons, with test shops and packages of their own. The token
is shown once; commands take it from ESHOP_DEVELOPER_TOKEN, or from what login keeps.`,
		Example: "  eshop developer ada@addon.example --name Ada",
		Args: func(c *cobra.Command, words []string) error {
			if len(words) != 1 || !strings.Contains(words[0], "@") {
				return errors.New("developer takes the developer's e-mail address")
			}
			return nil
		},
	}
	command.Flags().StringVar(&o.name, "name", "", "the `NAME` (default the address)")
	return o.asks(command, makeDeveloper, ofOperator)
}

func (o *options) reindexCommand() *cobra.Command {
	return o.asks(&cobra.Command{
		Use: "reindex [SHOP]", Short: "Make the index of searches anew",
		Long:    "Make the index of searches anew, of the shop with this id or of all shops, while they are open.",
		Example: "  eshop reindex\n  eshop reindex 01KYFXV0000000000000000000",
		Args:    takesID("the id of a shop, 26 letters and digits, or nothing", 0),
	}, reindex, ofOperator)
}

func (o *options) backupCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "backup FILE", Short: "Copy the data of the one process into a file, while it serves",
		Long: `Copy the data of the one process into FILE, while it serves. FILE holds all its keys and tokens, so
only you can read it.`,
		Example: `  eshop backup shop.backup
  OPERATOR_TOKEN=… eshop backup shop.backup --url https://eshop.example.com`,
		Args: toFile, ValidArgsFunction: files,
	}
	command.Flags().BoolVar(&o.force, "force", false, "write over FILE, if it is a backup")
	return o.asks(command, backUp, ofOperator)
}

func (o *options) checkCommand() *cobra.Command {
	return o.shows(&cobra.Command{
		Use: "check", Short: "Read all of the data file, and say whether it is sound",
		Long: "Read all of the data file in DATA, which no platform may have open, and say whether its pages\n" +
			"fit together. A restore does the same.",
		Example: "  DATA=/var/lib/eshop eshop check",
		Args:    takes("", 0), RunE: o.run(checkData),
	})
}

func (o *options) restoreCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "restore FILE", Short: "Make a data folder of a file that backup wrote",
		Long:    "Make the data folder DATA of FILE, before the platform is started there.",
		Example: "  DATA=/var/lib/eshop eshop restore shop.backup",
		Args:    takes("a file that backup wrote", 1), ValidArgsFunction: files, RunE: o.run(restore),
	}
	c.Flags().BoolVar(&o.force, "force", false, "move aside what is in DATA, to a hidden folder in it")
	return o.shows(c)
}

// files completes an argument by the files that are there.
func files(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func (o *options) versionCommand() *cobra.Command {
	return o.shows(&cobra.Command{
		Use: "version", Short: "Show this program's commit, the API's version and the data's format",
		Example: "  eshop version", Args: takes("", 0),
		RunE: o.run(func(_ context.Context, _ *client, o options) error {
			o.tell(object{"commit": local.Commit(), "api": events.APIVersion, "format": backup.Format},
				"eshop %s", version())
			return nil
		}),
	})
}

// anID is how ids are written.
var anID = regexp.MustCompile(`^[0-9A-Z]{26}$`)

// takesID is takes, of an id.
func takesID(what string, least int) cobra.PositionalArgs {
	return func(c *cobra.Command, words []string) error {
		err := takes(what, least)(c, words)
		if err == nil && len(words) > 0 && !anID.MatchString(words[0]) {
			err = fmt.Errorf("%s takes %s, and not %q", c.Name(), what, words[0])
		}
		return err
	}
}

// names are the events that can be triggered.
func names() (all []string) {
	for _, n := range events.Heard {
		all = append(all, string(n))
	}
	return all
}

// version is the commit that the program was built from, if it says one, the version of the API that it speaks, and the
// format of the data that it reads.
func version() string {
	return strings.TrimPrefix(fmt.Sprintf("%s, API %s, data of format %d", local.Commit(), events.APIVersion,
		backup.Format), ", ")
}
