package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// Each step may take several times as long as it is thought to: a step that is cut off teaches nothing.
var steps = []step{
	{"deploy", "all stacks are made, and the operator's token lets in", time.Hour, (*day).deploy},
	{"webhook", "a change is heard by an add-on, with a signature that is right", 15 * time.Minute, (*day).webhook},
	{"alarm", "an alarm that is rung comes to a queue behind its topic", 2 * time.Minute, (*day).alarm},
	{"back", "a second version is in use, and FAST=1 brings the first one back", 2 * time.Hour, (*day).back},
	{"rolled-back", "a version that fails its rehearsal is taken back, unnoticed", 2 * time.Hour, (*day).rollBack},
	{"own-domain", "a shop has a domain of its own, below SMOKE_DOMAIN", 2 * time.Hour, (*day).ownDomain},
	{"destroyed", "nothing is left but the stack of the data, which is kept", time.Hour, (*day).destroy},
}

// deploy makes the environment. One that is there would be broken and destroyed: only its data may be.
func (d *day) deploy(ctx context.Context) (string, error) {
	there, err := d.stacks(ctx)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(there, func(name string) bool { return name != d.stack("-Data") }) {
		return "", fmt.Errorf("%s are there: choose another ENV", strings.Join(there, ", "))
	}
	if d.settings == nil { // all else as it is where nothing is said
		var calls float64
		if err := aws(ctx, &calls, "lambda", "get-account-settings", "--query",
			"AccountLimit.ConcurrentExecutions"); err != nil {
			return "", err
		}
		d.settings = fields{"concurrency": calls}
	}
	d.began = true
	if err := d.make(ctx, "deploy", d.settings); err != nil {
		return "", err
	}
	if d.operator.url, err = output(ctx, d.stack(""), "BaseURL"); err != nil {
		return "", err
	}
	return d.operator.url, eventually(ctx, func() (missing string, _ error) {
		if err := d.operator.ask(ctx, 200, "GET /operator/shops", nil, nil); err != nil {
			missing = err.Error()
		}
		return missing, nil
	})
}

// stacks are those of the environment that are there.
func (d *day) stacks(ctx context.Context) (all []string, err error) {
	err = aws(ctx, &all, "cloudformation", "describe-stacks", "--query", fmt.Sprintf(
		"Stacks[?StackName=='%[1]s' || starts_with(StackName,'%[1]s-')].StackName", d.stack("")))
	return all, err
}

// webhook makes a shop, a package and its access, and the stack of receiver.yaml, and has a change heard there.
func (d *day) webhook(ctx context.Context) (string, error) {
	post := func(path string, body fields) (made struct{ ID, Token string }, err error) {
		err = d.operator.ask(ctx, 201, "POST "+path, body, &made)
		return made, err
	}
	once := fmt.Sprint(time.Now().Unix()) // a domain and a code can be taken once
	shop, err := post("/operator/shops", fields{"name": "Smoke", "domain": "smoke-" + once + ".example",
		"locale": "cs_CZ", "currency": "CZK", "owner": fields{"email": "owner@shop.example"}})
	if err != nil {
		return "", err
	}
	pkg, err := post("/operator/packages", fields{"code": "smoke-" + once, "name": "Smoke", "instructions": "",
		"permissions": []string{"customers:read", "customers:write"}})
	if err != nil {
		return "", err
	}
	access, err := post("/operator/shops/"+shop.ID+"/accesses", fields{"packageId": pkg.ID})
	if err != nil {
		return "", err
	}
	d.shop, d.addon = shop.ID, caller{d.operator.url, access.Token}
	var made struct{ ID, Key, State, LastFailure string }
	if err := d.addon.ask(ctx, 201, "POST /api-engine/webhook-signing-keys", nil, &made); err != nil {
		return "", err
	}
	d.key = made.Key
	if err := aws(ctx, &d.rings, "cloudwatch", "describe-alarms", "--alarm-name-prefix",
		d.stack("-Monitoring-ServerErrors"), "--query", "MetricAlarms[0].[AlarmName,AlarmActions[0]]"); err != nil {
		return "", err
	}
	if err := aws(ctx, nil, "cloudformation", "deploy", "--template-file", "infra/aws/smoke/receiver.yaml",
		"--stack-name", d.stack("-Smoke"), "--parameter-overrides", "Topic="+d.rings[1], "--capabilities",
		"CAPABILITY_IAM"); err != nil {
		return "", err
	}
	var address string
	for name, value := range map[string]*string{"Address": &address, "Heard": &d.heard, "Rang": &d.rang} {
		if *value, err = output(ctx, d.stack("-Smoke"), name); err != nil {
			return "", err
		}
	}
	if err := d.addon.ask(ctx, 201, "POST /api-engine/webhooks", fields{"url": address}, &made); err != nil {
		return "", err
	}
	// Its address answers some seconds after it is made.
	if err := eventually(ctx, func() (string, error) {
		err := d.addon.ask(ctx, 200, "GET /api-engine/webhooks/"+made.ID, nil, &made)
		if made.State == "enabled" || err != nil {
			return "", err
		}
		return fmt.Sprintf("the receiver is %s, and its last failure is %q", made.State, made.LastFailure),
			d.addon.ask(ctx, 202, "POST /api-engine/webhooks/"+made.ID+"/ping", nil, nil)
	}); err != nil {
		return "", err
	}
	began := time.Now()
	err = d.customer(ctx)
	return fmt.Sprintf("heard %.1f s after the request", time.Since(began).Seconds()), err
}

// alarm rings one, which the queue of receiver.yaml hears by the topic of the alarms that wake.
func (d *day) alarm(ctx context.Context) (string, error) {
	if err := aws(ctx, nil, "cloudwatch", "set-alarm-state", "--alarm-name", d.rings[0], "--state-value", "ALARM",
		"--state-reason", "Is it heard?"); err != nil {
		return "", err
	}
	return d.rings[0], eventually(ctx, func() (string, error) {
		rang, err := message(ctx, d.rang)
		if strings.Contains(rang, d.rings[0]) && strings.Contains(rang, "ALARM") {
			return "", nil
		}
		return "its message", err
	})
}

// back deploys a second version of each function, and then the first one once more by FAST=1, as the guide goes back to
// the commit before. The second one has a security.txt, and the first one has none. That the way back leaves CodeDeploy
// with what CloudFormation has of the aliases is seen by the next step, which deploys as ever.
func (d *day) back(ctx context.Context) (string, error) {
	second := maps.Clone(d.settings)
	second["securityContact"], second["testDomain"] = "https://shop.example/report", "tests.shop.example"
	if err := d.make(ctx, "deploy", second); err != nil {
		return "", err
	}
	if err := d.operator.ask(ctx, 200, "GET /.well-known/security.txt", nil, nil); err != nil {
		return "", err
	}
	began := time.Now()
	if err := d.make(ctx, "deploy", d.settings, "FAST=1"); err != nil {
		return "", err
	}
	took := fmt.Sprintf("the way back took %.0f s", time.Since(began).Seconds())
	if err := d.operator.ask(ctx, 404, "GET /.well-known/security.txt", nil, nil); err != nil {
		return "", err
	}
	return took, d.customer(ctx)
}

// rollBack deploys functions that look for their deliveries in a table that there is not. Those that need it fail their
// rehearsals, so CloudFormation has to put all of them back. The API answers all the while.
func (d *day) rollBack(ctx context.Context) (string, error) {
	stream, err := output(ctx, d.stack("-Data"), "StreamArn") // the main table alone has one
	if err != nil {
		return "", err
	}
	broken := maps.Clone(d.settings)
	broken["mainStream"], broken["pipelineTable"] = stream, d.stack("-no-such-table")
	began := time.Now()
	deploying, cancel := context.WithCancel(ctx) // which ends the deployment, too, if a request is not answered
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- d.make(deploying, "deploy", broken, "CHANGE=mainStream,pipelineTable") }()
	asked := 0
	for failed := false; !failed; {
		select {
		case err := <-ended:
			if failed = err != nil; !failed {
				return "", errors.New("the deployment of a broken version has succeeded")
			}
		case <-time.After(2 * time.Second):
			if err := d.addon.ask(ctx, 200, "GET /api-engine/customers?itemsPerPage=1", nil, nil); err != nil {
				return "", fmt.Errorf("after %d requests: %w", asked, err)
			}
			asked++
		}
	}
	if err := aws(ctx, nil, "cloudformation", "wait", "stack-rollback-complete", "--stack-name",
		d.stack("")); err != nil {
		return "", err
	}
	if err := d.rehearsed(ctx, began); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d requests meanwhile, all answered", asked), d.customer(ctx)
}

// failedRehearsal is in the line that infra/stack/rehearsal logs of a version that it refuses.
const failedRehearsal = "fails its rehearsal"

// rehearsed looks whether a rehearsal has failed since then, so that nothing else was what has ended a deployment.
func (d *day) rehearsed(ctx context.Context, since time.Time) error {
	var log string
	if err := aws(ctx, &log, "cloudformation", "list-stack-resources", "--stack-name", d.stack(""), "--query",
		"StackResourceSummaries[?starts_with(LogicalResourceId,'RehearsalLog')].PhysicalResourceId|[0]"); err != nil {
		return err
	}
	return eventually(ctx, func() (string, error) {
		var lines []string
		err := aws(ctx, &lines, "logs", "filter-log-events", "--log-group-name", log, "--start-time",
			fmt.Sprint(since.UnixMilli()), "--filter-pattern", `"`+failedRehearsal+`"`, "--query", "events[].message")
		if len(lines) == 0 {
			return "no rehearsal says in its log that it has failed", err
		}
		return "", nil
	})
}

// withDomain are the settings with SMOKE_DOMAIN as domain, if there is one. They stay out of the environment's file.
func (d *day) withDomain() fields {
	settings := maps.Clone(d.settings)
	settings["domain"] = os.Getenv("SMOKE_DOMAIN")
	return settings
}

// ownDomain puts the edge in front, waits until people have made its entries of DNS, and gives the shop a domain below
// its own, which leads to the edge already.
func (d *day) ownDomain(ctx context.Context) (string, error) {
	own := fmt.Sprintf("own-%d.%s", time.Now().Unix(), os.Getenv("SMOKE_DOMAIN"))
	secret := "EDGE_SECRET=" + rand.Text() + rand.Text()
	if err := d.make(ctx, "deploy", d.withDomain(), "CHANGE=domain", secret); err != nil {
		return "", err
	}
	if err := eventually(ctx, func() (string, error) {
		if err := d.make(ctx, "shop-domain", d.withDomain(), "SHOP="+d.shop, "NAME="+own); err != nil {
			return err.Error(), nil
		}
		got, err := web.Get("https://" + own)
		if err == nil && got.StatusCode == 200 && len(got.TLS.PeerCertificates[0].DNSNames) == 1 {
			return "", got.Body.Close()
		}
		return fmt.Sprint("a page of the shop, with a certificate of that name alone: ", err), nil
	}); err != nil {
		return "", err
	}
	return own, d.make(ctx, "shop-domain", d.withDomain(), "NAME="+own, "REMOVE=1")
}

// destroy takes down what was made, the receiver first, which has subscribed to the alarms' topic.
func (d *day) destroy(ctx context.Context) (string, error) {
	for _, does := range [][]string{{"delete-stack"}, {"wait", "stack-delete-complete"}} {
		command := append(append([]string{"cloudformation"}, does...), "--stack-name", d.stack("-Smoke"))
		if err := aws(ctx, nil, command...); err != nil {
			return "", err
		}
	}
	if err := d.make(ctx, "destroy", d.withDomain()); err != nil {
		return "", err
	}
	left, err := d.stacks(ctx)
	if err == nil && !slices.Equal(left, []string{d.stack("-Data")}) {
		err = fmt.Errorf("%s are left", strings.Join(left, ", "))
	}
	return d.stack("-Data") + " is kept", err
}
