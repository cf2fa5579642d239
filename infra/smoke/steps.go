package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// Each step may take several times as long as it is thought to: a step that is cut off teaches nothing.
var steps = []step{
	{"account", "the account has no such environment yet, and room in Lambda for a hundred calls at once", time.Minute,
		empty},
	{"bootstrap", "CDK's bootstrap stack is there", time.Minute, bootstrap},
	{"deploy", "all stacks are made", time.Hour, deploy},
	{"operator", "the operator's token lets in, and another one does not", 2 * time.Minute, operator},
	{"shop", "there is a shop, with a package, its access and a signing key", 2 * time.Minute, firstShop},
	{"receiver", "the receiver is enabled and hears signed pings", 15 * time.Minute, firstReceiver},
	{"address", "the receiver's address answers here, too", time.Minute, address},
	{"webhook", "the webhook of a change comes, and its signature is right", 30 * time.Second, change},
	{"mail", "somebody has confirmed the mail that alarms' topic has sent to alarmEmail", 15 * time.Minute, mail},
	{"alarm", "an alarm that is rung comes to a queue behind its topic", 2 * time.Minute, alarm},
	{"parked", "the breaker opens, and forty deliveries are parked", 10 * time.Minute, park},
	{"drained", "all forty come once the receiver answers, and none is a dead letter", 20 * time.Minute, drain},
	{"rolled-back", "a version that fails its rehearsal is taken back, and the old one answers all the while",
		2 * time.Hour, rollBack},
	{"restored", "functions on restored tables know what was there at that second, and nothing later",
		3 * time.Hour, restore},
	{"destroyed", "nothing is left but the stack of the data, which is kept", time.Hour, destroy},
}

// leastConcurrency is what the rehearsals of all functions, which run at once, want of Lambda.
const leastConcurrency = 100

func empty(ctx context.Context, w *walk) (string, error) {
	var who struct{ Account string }
	if err := w.place.Ask(ctx, &who, "sts", "get-caller-identity"); err != nil {
		return "", err
	}
	there, err := w.stacks(ctx)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(there, func(name string) bool { return name != w.stack("-Data") }) {
		return "", fmt.Errorf("%s are there, and would be broken and destroyed: choose another ENV",
			strings.Join(there, ", "))
	}
	var has struct {
		AccountLimit struct{ ConcurrentExecutions int }
	}
	if err := w.place.Ask(ctx, &has, "lambda", "get-account-settings"); err != nil {
		return "", err
	}
	if n := has.AccountLimit.ConcurrentExecutions; n < leastConcurrency {
		return "", fmt.Errorf("it has %d calls of Lambda at once: ask for 1,000 in Service Quotas", n)
	}
	return "account " + who.Account, nil
}

// stacks are those of the environment that are there.
func (w *walk) stacks(ctx context.Context) (all []string, err error) {
	err = w.place.Ask(ctx, &all, "cloudformation", "describe-stacks", "--query", fmt.Sprintf(
		"Stacks[?StackName=='%[1]s' || starts_with(StackName,'%[1]s-')].StackName", w.stack("")))
	return all, err
}

func bootstrap(ctx context.Context, w *walk) (string, error) {
	all, err := w.outputs(ctx, "CDKToolkit")
	if err != nil {
		return "", fmt.Errorf("infra/node_modules/.bin/cdk bootstrap makes it, once per account: %w", err)
	}
	return "version " + all["BootstrapVersion"], nil
}

func deploy(ctx context.Context, w *walk) (string, error) {
	w.began = true
	if err := w.place.Deploy(ctx); err != nil {
		return "", err
	}
	at, err := w.place.Address(ctx)
	w.operator.url = at
	return at, err
}

func operator(ctx context.Context, w *walk) (string, error) {
	err := eventually(ctx, 2*time.Second, func() (string, error) {
		return text(w.operator.ask(ctx, 200, "GET /operator/shops", nil, nil)), nil
	})
	if err != nil {
		return "", err
	}
	stranger := caller{w.operator.url, "nobody-knows-this-token"}
	return "200, and 401 for a stranger", stranger.ask(ctx, 401, "GET /operator/shops", nil, nil)
}

func firstShop(ctx context.Context, w *walk) (string, error) {
	post := func(path string, body fields) (made struct{ ID, Token string }, err error) {
		return made, w.operator.ask(ctx, 201, "POST "+path, body, &made)
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
	w.shop, w.addon = shop.ID, caller{w.operator.url, access.Token}
	var made struct{ Key string }
	err = w.addon.ask(ctx, 201, "POST /api-engine/webhook-signing-keys", nil, &made)
	w.key = made.Key
	return "shop " + shop.ID, err
}

//go:embed receiver.yaml
var receiverTemplate []byte

// firstReceiver makes the stack of receiver.yaml and registers its address. A signing key counts within ten seconds, so
// it asks for pings until one is signed.
func firstReceiver(ctx context.Context, w *walk) (string, error) {
	_, topic, err := w.ringable(ctx)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "receiver-*.yaml")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(receiverTemplate); err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	if err := w.place.Ask(ctx, nil, "cloudformation", "deploy", "--template-file", file.Name(), "--stack-name",
		w.stack("-Smoke"), "--parameter-overrides", "Topic="+topic, "--capabilities", "CAPABILITY_IAM",
		"--no-fail-on-empty-changeset"); err != nil {
		return "", err
	}
	said, err := w.outputs(ctx, w.stack("-Smoke"))
	if err != nil {
		return "", err
	}
	w.hears = receiver{said["Address"], said["Function"], said["Heard"], said["Rang"]}
	at := w.place.Lead(w.hears.Function, w.hears.Address)
	var made struct{ ID, State, LastFailure string }
	if err := w.addon.ask(ctx, 201, "POST /api-engine/webhooks", fields{"url": at}, &made); err != nil {
		return "", err
	}
	w.receiver = made.ID
	return at, eventually(ctx, 2*time.Second, func() (string, error) {
		if err := w.addon.ask(ctx, 200, "GET /api-engine/webhooks/"+w.receiver, nil, &made); err != nil {
			return "", err
		}
		if err := w.listen(ctx); err != nil {
			return "", err
		}
		n := len(w.heard)
		if made.State == "enabled" && n > 0 && w.verify(w.heard[n-1]) == nil {
			return "", nil
		}
		return fmt.Sprintf("the receiver is %s, %d pings have come, and the last failure is %q", made.State, n,
				made.LastFailure),
			w.addon.ask(ctx, 202, "POST /api-engine/webhooks/"+w.receiver+"/ping", nil, nil)
	})
}

func address(ctx context.Context, w *walk) (string, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", w.hears.Address, strings.NewReader(`{"from":"make smoke"}`))
	if err != nil {
		return "", err
	}
	got, err := web.Do(r)
	if err != nil {
		return "", err
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return "", fmt.Errorf("it answers %s", got.Status)
	}
	return got.Status, nil
}

func change(ctx context.Context, w *walk) (string, error) {
	began := time.Now()
	id, err := w.customer(ctx)
	if err != nil {
		return "", err
	}
	err = w.hear(ctx, "customerCreate", id)
	return fmt.Sprintf("it was seen %.1f s after the request", time.Since(began).Seconds()), err
}

// ringable is the name of the alarm that is rung, and the topic that it publishes to.
func (w *walk) ringable(ctx context.Context) (name, topic string, err error) {
	var all []struct {
		AlarmName    string
		AlarmActions []string
	}
	err = w.place.Ask(ctx, &all, "cloudwatch", "describe-alarms", "--alarm-name-prefix",
		w.stack("-Monitoring-ServerErrors"), "--query", "MetricAlarms")
	if err == nil && (len(all) != 1 || len(all[0].AlarmActions) != 1) {
		err = fmt.Errorf("there is not one alarm ServerErrors with one topic: %v", all)
	}
	if err != nil {
		return "", "", err
	}
	return all[0].AlarmName, all[0].AlarmActions[0], nil
}

func mail(ctx context.Context, w *walk) (string, error) {
	_, topic, err := w.ringable(ctx)
	if err != nil {
		return "", err
	}
	return "confirmed", eventually(ctx, 10*time.Second, func() (string, error) {
		var all []struct{ Protocol, Endpoint, SubscriptionArn string }
		err := w.place.Ask(ctx, &all, "sns", "list-subscriptions-by-topic", "--topic-arn", topic, "--query",
			"Subscriptions")
		for _, s := range all {
			if s.Protocol == "email" && strings.HasPrefix(s.SubscriptionArn, "arn:") {
				return "", nil
			}
		}
		return "the confirmation", err
	})
}

func alarm(ctx context.Context, w *walk) (string, error) {
	name, _, err := w.ringable(ctx)
	if err != nil {
		return "", err
	}
	if err := w.place.Ask(ctx, nil, "cloudwatch", "set-alarm-state", "--alarm-name", name, "--state-value", "ALARM",
		"--state-reason", "Is it heard?"); err != nil {
		return "", err
	}
	return name, eventually(ctx, 0, func() (string, error) {
		rang, err := w.messages(ctx, w.hears.Rang)
		if slices.ContainsFunc(rang, func(m string) bool {
			return strings.Contains(m, name) && strings.Contains(m, "ALARM")
		}) {
			return "", nil
		}
		return "its message", err
	})
}

// parkedOnes is how many deliveries are parked. Their drain takes more steps than the sixteen after which Lambda ends a
// chain of messages that nobody has allowed.
const parkedOnes = 40

func park(ctx context.Context, w *walk) (string, error) {
	if err := w.answer(ctx, http.StatusInternalServerError); err != nil {
		return "", err
	}
	for range parkedOnes {
		id, err := w.customer(ctx)
		if err != nil {
			return "", err
		}
		w.customers = append(w.customers, id)
	}
	return fmt.Sprint(parkedOnes, " are parked"), eventually(ctx, 3*time.Second, func() (string, error) {
		n, err := w.deliveries(ctx, "parked")
		if n < parkedOnes {
			return fmt.Sprint(n, " are parked"), err
		}
		return "", nil
	})
}

func drain(ctx context.Context, w *walk) (string, error) {
	if err := w.answer(ctx, http.StatusOK); err != nil {
		return "", err
	}
	began := time.Now()
	for _, id := range w.customers {
		if err := w.hear(ctx, "customerCreate", id); err != nil {
			return "", fmt.Errorf("the webhook about %s: %w", id, err)
		}
	}
	if err := eventually(ctx, 3*time.Second, func() (string, error) {
		n, err := w.deliveries(ctx, "parked")
		if n > 0 {
			return fmt.Sprint(n, " are parked"), nil
		}
		return "", err
	}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d came in %.0f s, and no dead letter", len(w.customers), time.Since(began).Seconds()),
		w.noDeadLetters(ctx)
}
