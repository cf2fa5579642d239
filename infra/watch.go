package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/lambdahost"
	"eshop/shared/store"
	"eshop/shared/store/dynamo"
	"eshop/shared/webhook"
)

// Watch is the alarms, which all go to one topic, and the dashboard with a graph for each of them and more.
type Watch struct {
	stack       awscdk.Stack
	environment string
	topic       awssns.Topic
	graphs      []awscloudwatch.IWidget
}

// NewWatch makes the alarms and the dashboard.
func NewWatch(stack awscdk.Stack, list []host.Function, x *Services, d *Data) {
	w := &Watch{stack: stack, environment: x.settings.Environment, topic: awssns.NewTopic(stack, jsii.String("Alarms"),
		&awssns.TopicProps{EnforceSSL: jsii.Bool(true)})}
	allow(w.topic, "AwsSolutions-SNS2", "It carries names and numbers of alarms, "+
		"and CloudWatch cannot send to a topic under AWS's own key.", "")
	if x.settings.AlarmEmail != "" {
		w.topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&x.settings.AlarmEmail, nil))
		w.budget(x.settings)
	}
	w.door(x.Door)
	w.pipeline(list, x, d)
	w.tables(d)
	w.account(x.settings)
	w.calls(x)
	w.functions(x)
	awscloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		Widgets: &[]*[]awscloudwatch.IWidget{&w.graphs},
	})
}

// alarm rings when the metric is at or above the threshold for so many of its periods in a row.
func (w *Watch) alarm(name, why string, m awscloudwatch.IMetric, threshold, periods float64) awscloudwatch.IAlarm {
	return w.rings(name, m, &awscloudwatch.AlarmProps{
		AlarmDescription: &why, Threshold: &threshold, EvaluationPeriods: &periods,
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	})
}

// still rings when the metric has counted nothing for five minutes, or is not there at all.
func (w *Watch) still(name, why string, m awscloudwatch.IMetric) awscloudwatch.IAlarm {
	return w.rings(name, m, &awscloudwatch.AlarmProps{
		AlarmDescription: &why, Threshold: jsii.Number(1), EvaluationPeriods: jsii.Number(5),
		ComparisonOperator: awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_BREACHING,
	})
}

// rings makes an alarm and its graph. What to do when it rings is in the operations guide
// (functions/docs/operations.md).
func (w *Watch) rings(name string, m awscloudwatch.IMetric, p *awscloudwatch.AlarmProps) awscloudwatch.IAlarm {
	p.Metric, p.AlarmDescription = m, jsii.String(*p.AlarmDescription+" What to do: /docs/operations")
	a := awscloudwatch.NewAlarm(w.stack, &name, p)
	a.AddAlarmAction(awscloudwatchactions.NewSnsAction(w.topic))
	w.graph(name, m)
	return a
}

// graph puts metrics on the dashboard.
func (w *Watch) graph(title string, metrics ...awscloudwatch.IMetric) {
	w.graphs = append(w.graphs, awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: &title, Left: &metrics, Width: jsii.Number(8), Height: jsii.Number(5),
	}))
}

// each is a metric of one minute.
func each(statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: &statistic, Period: awscdk.Duration_Minutes(jsii.Number(1))}
}

// own is a metric of the platform's own in each minute: a function's, or one of the whole environment.
func (w *Watch) own(name, statistic, function string) awscloudwatch.IMetric {
	of := map[string]*string{lambdahost.InEnvironment: &w.environment}
	if function != "" {
		of[lambdahost.OfFunction] = &function
	}
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String(lambdahost.Namespace),
		MetricName: &name, Statistic: &statistic, Period: awscdk.Duration_Minutes(jsii.Number(1)), DimensionsMap: &of})
}

// door watches what clients of the API see.
func (w *Watch) door(d Door) {
	w.alarm("ServerErrors", "Requests are answered with our own faults.", d.Stage.MetricServerError(each("Sum")), 5, 3)
	w.alarm("SlowAnswers", "One request in a hundred takes over a second.", d.Stage.MetricLatency(each("p99")), 1000, 5)
	w.alarm("CountersUnreachable", "Requests are served without being counted: the limits do not hold.",
		w.own(api.UncountedRequests, "Sum", ""), 1, 1)
	w.graph("Requests", d.Stage.MetricCount(each("Sum")))
}

// pipeline watches what stands between a change and its webhooks.
func (w *Watch) pipeline(list []host.Function, x *Services, d *Data) {
	for _, name := range names(x, feeds) {
		w.alarm("ChangesLate", "Changes wait for more than a minute before they are cut into calls.",
			x.Functions[name].Alias.Metric(jsii.String("IteratorAge"), each("Maximum")), 60_000, 3)
	}
	for _, q := range host.QueuesOf(list) {
		name := title(string(q.Resource))
		w.alarm(name+"Late", "Bells wait in the queue for longer than they should, in seconds.",
			d.Queues[q.Resource].MetricApproximateAgeOfOldestMessage(each("Maximum")), q.AlarmAfter.Seconds(), 5)
		w.alarm(name+"Dead", "Bells that nobody could handle.",
			d.Dead[q.Resource].MetricApproximateNumberOfMessagesVisible(each("Maximum")), 1, 1)
	}
	w.alarm("Unheard", "Changes that could not be cut into calls: their webhooks are not sent.",
		d.Unheard.MetricApproximateNumberOfMessagesVisible(each("Maximum")), 1, 1)
}

// calls shows what becomes of webhooks. None of it alarms: receivers fail as they like.
func (w *Watch) calls(x *Services) {
	batcher, delivery := the(x, feeds), the(x, messages)
	of := func(name, statistic string) awscloudwatch.IMetric { return w.own(name, statistic, delivery) }
	both := func(name string) awscloudwatch.IMetric { return w.queuedToo(name, batcher, delivery) }
	w.graph("Calls", of(webhook.CallsDelivered, "Sum"), both(webhook.CallsParked), both(webhook.CallsExhausted),
		of(webhook.CallsCancelled, "Sum"))
	w.graph("Failed attempts", of(webhook.AttemptsFailed, "Sum"))
	w.graph("Age of calls", of(webhook.CallAge, "p50"), of(webhook.CallAge, "p99"))
}

// queuedToo is a figure of calls that have come into a state at an attempt or as they were queued.
func (w *Watch) queuedToo(name, batcher, delivery string) awscloudwatch.IMetric {
	queued, attempted := "queued"+name, "attempted"+name // a graph tells its metrics apart by these
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: &name, Expression: jsii.String("FILL(" + queued + ", 0) + FILL(" + attempted + ", 0)"),
		Period: awscdk.Duration_Minutes(jsii.Number(1)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			queued: w.own(name, "Sum", batcher), attempted: w.own(name, "Sum", delivery)},
	})
}

// tables watch what DynamoDB turns away of a table and its indexes. It grows into any load, but not at once, and no
// single key may have more than a thousand writes a second.
func (w *Watch) tables(d *Data) {
	for _, r := range []host.Resource{host.Main, host.Pipeline, host.Counters} {
		table := d.Tables[r].TableName()
		parts := []map[string]*string{{"TableName": table}}
		if r != host.Counters {
			for _, i := range []store.Index{store.Index1, store.Index2} {
				parts = append(parts, map[string]*string{"TableName": table,
					"GlobalSecondaryIndexName": jsii.String(dynamo.IndexName(i))})
			}
		}
		using, sum := map[string]awscloudwatch.IMetric{}, []string{}
		for i, of := range parts {
			for _, kind := range []string{"Read", "Write"} {
				id := strings.ToLower(kind) + strconv.Itoa(i)
				using[id] = awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String("AWS/DynamoDB"),
					MetricName: jsii.String(kind + "ThrottleEvents"), DimensionsMap: &of, Statistic: jsii.String("Sum")})
				sum = append(sum, "FILL("+id+", 0)")
			}
		}
		w.alarm(title(string(r))+"Throttled", "DynamoDB turns calls to a table away.",
			awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
				Label: jsii.String("throttled"), Expression: jsii.String(strings.Join(sum, " + ")), UsingMetrics: &using,
				Period: awscdk.Duration_Minutes(jsii.Number(1))}), 1, 3)
	}
}

// account watches what all environments of the account share: beyond it Lambda turns calls of each of them away.
func (w *Watch) account(s Settings) {
	claimed := &awscloudwatch.MetricProps{Namespace: jsii.String("AWS/Lambda"),
		MetricName: jsii.String("ClaimedAccountConcurrency"), Statistic: jsii.String("Maximum"),
		Period: awscdk.Duration_Minutes(jsii.Number(1))}
	w.alarm("AccountConcurrency", "Four fifths of Lambda's concurrent executions of the account are taken.",
		awscloudwatch.NewMetric(claimed), s.Concurrency*4/5, 2)
}

// budget tells the same address as the alarms when the environment's month costs more than four fifths of what it
// may, and when it will cost more than all of it. It goes by the tag environment, once that is a cost allocation tag
// of the account.
func (w *Watch) budget(s Settings) {
	tell := func(kind string, percent float64) *awsbudgets.CfnBudget_NotificationWithSubscribersProperty {
		return &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
			Notification: &awsbudgets.CfnBudget_NotificationProperty{NotificationType: &kind, Threshold: &percent,
				ThresholdType: jsii.String("PERCENTAGE"), ComparisonOperator: jsii.String("GREATER_THAN")},
			Subscribers: []any{&awsbudgets.CfnBudget_SubscriberProperty{
				SubscriptionType: jsii.String("EMAIL"), Address: &s.AlarmEmail}},
		}
	}
	awsbudgets.NewCfnBudget(w.stack, jsii.String("Budget"), &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetType: jsii.String("COST"), TimeUnit: jsii.String("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{Amount: &s.Budget, Unit: jsii.String("USD")},
			CostFilters: map[string]any{"TagKeyValue": []string{"user:environment$" + s.Environment}},
		},
		NotificationsWithSubscribers: []any{tell("ACTUAL", 80), tell("FORECASTED", 100)},
	})
}

// functions watches the Lambdas: what Lambda turns away, errors that no caller sees, what is our own fault, and
// clocks that stand still. Beside these, which tell of a function whatever its versions, is the alarm that takes a
// new version back.
func (w *Watch) functions(x *Services) {
	rollout := NewRollout(x)
	for _, name := range names(x, func(host.Function) bool { return true }) {
		f := x.Functions[name]
		threshold, minutes := f.errors()
		w.alarm(title(name)+"Throttles", "Lambda turns calls away.", f.Code.MetricThrottles(each("Sum")), 1, 3)
		w.alarm(title(name)+"Errors", "The function ends in errors or at its timeout.",
			f.Alias.MetricErrors(each("Sum")), threshold, minutes)
		if f.HTTP != nil || f.Feed != nil || f.Messages != nil {
			w.alarm(title(name)+"Faults", "The function's answers are our own faults, or its batches are not handled whole.",
				w.own(host.Faults, "Sum", name), 3, 3)
		}
		if f.Tick != nil {
			w.still(title(name)+"Still", "The clock stands still: nothing has run for five minutes.",
				f.Alias.MetricInvocations(each("Sum")))
		}
		rollout.Of(f, w.alarm(title(name)+"NewVersion", "A new version of the function fails: it is taken back.",
			w.failures(f), float64(lambdahost.CanaryFailures(f.Function)), 1))
		w.graph(name, f.Code.MetricInvocations(each("Sum")), f.Code.MetricErrors(each("Sum")),
			f.Code.MetricDuration(each("p99")))
	}
}

// errors are how many a minute are too many, and for how many minutes in a row. Of what the clock calls that is one
// of its one run, minute after minute; of an upload it is any.
func (l Lambda) errors() (threshold, minutes float64) {
	switch {
	case l.Tick != nil:
		return 1, 3
	case l.Upload != nil:
		return 1, 1
	}
	return 3, 3
}

// names are those of the functions that match, sorted.
func names(x *Services, match func(host.Function) bool) []string {
	var all []string
	for name, f := range x.Functions {
		if match(f.Function) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// What triggers functions.
func feeds(f host.Function) bool    { return f.Feed != nil }
func messages(f host.Function) bool { return f.Messages != nil }

// the is the name of the first function that matches, "" when the list has none.
func the(x *Services, match func(host.Function) bool) string {
	for _, name := range names(x, match) {
		return name
	}
	return ""
}
