// Command domains gives a shop a domain of its own at the edge of an installation on AWS, shows such domains and
// removes them. Each is a tenant of the edge's distribution (CloudFront's SaaS Manager) with a certificate that
// CloudFront gets and renews. Tenants are data: no stack has them, and none is deployed for them.
//
//	make shop-domain ENV=production                                   # lists them
//	make shop-domain ENV=production NAME=www.example.org              # shows one
//	make shop-domain ENV=production NAME=www.example.org SHOP=<id>    # makes it, or goes on
//	make shop-domain ENV=production NAME=www.example.org REMOVE=1     # removes it, or goes on
//
// .ci/shop-domain calls it with what the stacks say, and with the rights of whoever calls. The program keeps nothing:
// each step begins with what CloudFront and the platform have, so it can be interrupted and called again at any time.
//
// Begin with walk.go, which has the steps. edge.go asks CloudFront, platform.go the operator's API.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudfront"

	"eshop/shared/base/egress"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/ports/awsconf"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shop-domain:", err)
		stop()
		os.Exit(1)
	}
}

// run does what the environment asks for.
func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	config, err := awsconf.Load(getenv)
	if err != nil {
		return err
	}
	// Those of awsconf are a Lambda's, a millisecond away from what it calls, and never try again.
	config.HTTPClient, config.Retryer = nil, nil
	w := walk{
		edge: edge{client: cloudfront.NewFromConfig(config), distribution: getenv("DISTRIBUTION"),
			group: getenv("CONNECTION_GROUP"), endpoint: getenv("EDGE"), environment: getenv("ENV")},
		platform: platform{getenv("URL"), getenv("OPERATOR_TOKEN")}, out: out, look: afterAWhile,
	}
	return w.does(ctx, getenv("SHOP"), getenv("NAME"), getenv("REMOVE") != "")
}

// does is what was asked for with these.
func (w *walk) does(ctx context.Context, shop, name string, remove bool) error {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	switch {
	case name == "" && (remove || shop != ""):
		return errors.New("say which domain: NAME=www.example.org")
	case name == "":
		return w.list(ctx)
	case !egress.IsName(name) || !strings.Contains(name, "."):
		return fmt.Errorf("NAME is a domain as www.example.org, and not %q", name)
	case w.platform.token == "" && (remove || shop != ""):
		return errors.New("the shop's addresses are changed with the operator's token: OPERATOR_TOKEN=…")
	case remove:
		return w.untilDone(ctx, func(ctx context.Context) (waiting, error) { return w.remove(ctx, name) })
	case shop == "":
		return w.show(ctx, name)
	case !id.Valid(shop):
		return fmt.Errorf("SHOP is the id of a shop, and not %q: eshop get '/operator/shops?domain=…' finds it", shop)
	}
	if err := w.platform.mayHave(ctx, shop, name); err != nil {
		return err
	}
	return w.untilDone(ctx, func(ctx context.Context) (waiting, error) { return w.serve(ctx, shop, name) })
}

// afterAWhile waits until it is time to look again what AWS has done.
func afterAWhile(ctx context.Context) error {
	if !guard.Wait(ctx, 10*time.Second) {
		return errors.New("interrupted: call it again to go on")
	}
	return nil
}
