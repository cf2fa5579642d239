package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// rollBack deploys functions that look for their deliveries in a table that there is not. Those that need it fail their
// rehearsals, so CloudFormation has to put all of them back.
func rollBack(ctx context.Context, w *walk) (string, error) {
	main, err := w.named(ctx, w.stack("-Data"), "Main")
	if err != nil {
		return "", err
	}
	var stream string
	if err := w.place.Ask(ctx, &stream, "dynamodb", "describe-table", "--table-name", main, "--query",
		"Table.LatestStreamArn"); err != nil {
		return "", err
	}
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx) // which ends the deployment, too, if a request is not answered
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- w.place.Deploy(ctx, "mainStream="+stream, "pipelineTable="+w.stack("-no-such-table")) }()
	asked, err := w.answers(ctx, ended)
	if err != nil {
		return "", err
	}
	if err := w.becomes(ctx, "UPDATE_ROLLBACK_COMPLETE", w.stack("")); err != nil {
		return "", err
	}
	if err := w.rehearsed(ctx, began); err != nil {
		return "", err
	}
	id, err := w.customer(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d requests meanwhile, all answered", asked), w.hear(ctx, "customerCreate", id)
}

// answers asks the API until a deployment has ended, which must fail, and counts the requests. Each must be answered.
func (w *walk) answers(ctx context.Context, ended <-chan error) (asked int, err error) {
	for {
		select {
		case err := <-ended:
			if err == nil {
				return asked, errors.New("the deployment of a broken version has succeeded")
			}
			return asked, ctx.Err()
		case <-time.After(2 * time.Second):
		}
		if err := w.addon.ask(ctx, 200, "GET /api-engine/customers?itemsPerPage=1", nil, nil); err != nil {
			return asked, fmt.Errorf("after %d requests: %w", asked, err)
		}
		asked++
	}
}

// rehearsed looks whether a rehearsal has failed since then, so that nothing else was what has ended a deployment.
func (w *walk) rehearsed(ctx context.Context, since time.Time) error {
	log, err := w.named(ctx, w.stack(""), "RehearsalLog")
	if err != nil {
		return err
	}
	return eventually(ctx, 10*time.Second, func() (string, error) {
		var lines []string
		err := w.place.Ask(ctx, &lines, "logs", "filter-log-events", "--log-group-name", log, "--start-time",
			fmt.Sprint(since.UnixMilli()), "--filter-pattern", `"fails its rehearsal"`, "--query", "events[].message")
		if len(lines) == 0 {
			return "no rehearsal says in its log that it has failed", err
		}
		return "", nil
	})
}

// restore restores both tables to one second, deploys with them, and looks for a customer made before it and for one
// made after it. It closes no door before, unlike the guide: nobody else is here who writes.
func restore(ctx context.Context, w *walk) (string, error) {
	before, err := w.customer(ctx)
	if err != nil {
		return "", err
	}
	if err := w.hear(ctx, "customerCreate", before); err != nil {
		return "", err
	}
	when := time.Now().Add(time.Second).UTC().Truncate(time.Second)
	main, err := w.restoreTable(ctx, "Main", when)
	if err != nil {
		return "", err
	}
	pipeline, err := w.restoreTable(ctx, "Pipeline", when)
	if err != nil {
		return "", err
	}
	after, err := w.customer(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range []string{main, pipeline} {
		if err := w.active(ctx, name); err != nil {
			return "", err
		}
	}
	var stream string
	if err := w.place.Ask(ctx, &stream, "dynamodb", "update-table", "--table-name", main, "--stream-specification",
		"StreamEnabled=true,StreamViewType=NEW_IMAGE", "--query", "TableDescription.LatestStreamArn"); err != nil {
		return "", err
	}
	if err := w.active(ctx, main); err != nil {
		return "", err
	}
	if err := w.place.Deploy(ctx, "mainStream="+stream, "pipelineTable="+pipeline); err != nil {
		return "", err
	}
	return when.Format(time.RFC3339), w.isAsOf(ctx, before, after)
}

// isAsOf holds that the platform knows the shop and the customer made before, and not the one made after, that an
// add-on hears of what is made now, and that nothing of all the day is a dead letter.
func (w *walk) isAsOf(ctx context.Context, before, after string) error {
	if err := eventually(ctx, 2*time.Second, func() (string, error) {
		return text(w.addon.ask(ctx, 404, "GET /api-engine/customers/"+after, nil, nil)), nil
	}); err != nil {
		return err
	}
	if err := w.addon.ask(ctx, 200, "GET /api-engine/customers/"+before, nil, nil); err != nil {
		return err
	}
	if err := w.operator.ask(ctx, 200, "GET /operator/shops/"+w.shop, nil, nil); err != nil {
		return err
	}
	id, err := w.customer(ctx)
	if err != nil {
		return err
	}
	return errors.Join(w.hear(ctx, "customerCreate", id), w.noDeadLetters(ctx))
}

// restoreTable restores a table of the stack into a new one. DynamoDB refuses a second that is not five minutes past,
// so it asks until it does so no more.
func (w *walk) restoreTable(ctx context.Context, name string, when time.Time) (string, error) {
	from, err := w.named(ctx, w.stack("-Data"), name)
	if err != nil {
		return "", err
	}
	to := w.stack("-Restored-"+name) + when.Format("-20060102150405")
	w.restored = append(w.restored, to)
	return to, eventually(ctx, 20*time.Second, func() (string, error) {
		err := w.place.Ask(ctx, nil, "dynamodb", "restore-table-to-point-in-time", "--source-table-name", from,
			"--target-table-name", to, "--restore-date-time", when.Format(time.RFC3339))
		if err != nil && strings.Contains(err.Error(), "InvalidRestoreTime") {
			return err.Error(), nil
		}
		return "", err
	})
}

// active waits until a table is.
func (w *walk) active(ctx context.Context, table string) error {
	return eventually(ctx, 10*time.Second, func() (string, error) {
		var status string
		err := w.place.Ask(ctx, &status, "dynamodb", "describe-table", "--table-name", table, "--query",
			"Table.TableStatus")
		if status == "ACTIVE" {
			return "", nil
		}
		return fmt.Sprintf("the table %s is %s", table, status), err
	})
}

// destroy takes down what was made, the receiver first, which has subscribed to the alarms' topic. Of the stacks that
// are gone nothing is kept but versions, which are gone with their functions; of the stack of the data everything is.
func destroy(ctx context.Context, w *walk) (string, error) {
	gone := map[string]string{} // ids by which CloudFormation knows stacks that are gone
	for _, of := range []string{"-Monitoring", "", "-Smoke"} {
		var id string
		if err := w.place.Ask(ctx, &id, "cloudformation", "describe-stacks", "--stack-name", w.stack(of), "--query",
			"Stacks[0].StackId"); err != nil {
			return "", err
		}
		gone[w.stack(of)] = id
	}
	for _, does := range [][]string{{"delete-stack"}, {"wait", "stack-delete-complete"}} {
		command := append(append([]string{"cloudformation"}, does...), "--stack-name", w.stack("-Smoke"))
		if err := w.place.Ask(ctx, nil, command...); err != nil {
			return "", err
		}
	}
	if err := w.place.Destroy(ctx); err != nil {
		return "", err
	}
	for name, id := range gone {
		if err := w.gone(ctx, name, id); err != nil {
			return "", err
		}
	}
	for _, table := range w.restored {
		if err := w.place.Ask(ctx, nil, "dynamodb", "delete-table", "--table-name", table); err != nil {
			return "", err
		}
	}
	left, err := w.stacks(ctx)
	if err != nil {
		return "", err
	}
	if !slices.Equal(left, []string{w.stack("-Data")}) {
		return "", fmt.Errorf("%s are left", strings.Join(left, ", "))
	}
	return w.kept(ctx)
}

// becomes waits until CloudFormation has done with a stack, and holds that it has this status then.
func (w *walk) becomes(ctx context.Context, status, stack string) error {
	return eventually(ctx, 5*time.Second, func() (string, error) {
		var is string
		err := w.place.Ask(ctx, &is, "cloudformation", "describe-stacks", "--stack-name", stack, "--query",
			"Stacks[0].StackStatus")
		switch {
		case err != nil || is == status:
			return "", err
		case strings.HasSuffix(is, "_IN_PROGRESS"):
			return fmt.Sprintf("the stack %s is %s", stack, is), nil
		}
		return "", fmt.Errorf("the stack %s is %s, and not %s", stack, is, status)
	})
}

// gone holds that a stack is, and has left nothing behind.
func (w *walk) gone(ctx context.Context, name, id string) error {
	if err := w.becomes(ctx, "DELETE_COMPLETE", id); err != nil {
		return err
	}
	var left [][]string
	if err := w.place.Ask(ctx, &left, "cloudformation", "describe-stack-events", "--stack-name", id, "--query",
		"StackEvents[?ResourceStatus=='DELETE_SKIPPED' && ResourceType!='AWS::Lambda::Version']."+
			"[ResourceType,PhysicalResourceId]"); err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("the stack %s has left %v", name, left)
	}
	return nil
}

// kept names what is left: tables, queues, the bucket and the key, each in a line.
func (w *walk) kept(ctx context.Context) (string, error) {
	all, err := w.resources(ctx, w.stack("-Data"))
	said, n := "", 0
	for _, r := range all {
		if !strings.HasSuffix(r.ResourceType, "Policy") && !strings.Contains(r.ResourceType, "CDK") {
			said += fmt.Sprintf("\n    %s %s", r.ResourceType, r.PhysicalResourceId)
			n++
		}
	}
	return fmt.Sprintf("%d resources are kept:%s", n, said), err
}
