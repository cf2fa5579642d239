package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/lambdahost"
	"eshop/shared/webhook"
)

// Watch is the alarms, which all go to one topic, and the dashboard with a graph for each of them and more.
type Watch struct {
	stack  awscdk.Stack
	topic  awssns.Topic
	graphs []awscloudwatch.IWidget
}

// NewWatch makes the alarms and the dashboard.
func NewWatch(stack awscdk.Stack, list []host.Function, x *Services, d *Data) {
	w := &Watch{stack: stack, topic: awssns.NewTopic(stack, jsii.String("Alarms"),
		&awssns.TopicProps{EnforceSSL: jsii.Bool(true)})}
	allow(w.topic, "AwsSolutions-SNS2", "It carries names and numbers of alarms, "+
		"and CloudWatch cannot send to a topic under AWS's own key.", "")
	if x.settings.AlarmEmail != "" {
		w.topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&x.settings.AlarmEmail, nil))
	}
	w.door(x.Door)
	w.pipeline(list, x, d)
	w.calls(x)
	w.functions(x)
	awscloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		Widgets: &[]*[]awscloudwatch.IWidget{&w.graphs},
	})
}

// alarm rings when the metric is at or above the threshold for so many minutes in a row.
func (w *Watch) alarm(name, why string, m awscloudwatch.IMetric, threshold, minutes float64) awscloudwatch.IAlarm {
	a := awscloudwatch.NewAlarm(w.stack, jsii.String(name), &awscloudwatch.AlarmProps{
		AlarmDescription: &why, Metric: m, Threshold: &threshold, EvaluationPeriods: &minutes,
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	})
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

// own is a metric of the platform's own in each minute: a function's, or one without a function.
func own(name, statistic, function string) awscloudwatch.IMetric {
	p := &awscloudwatch.MetricProps{Namespace: jsii.String(lambdahost.Namespace), MetricName: &name, Statistic: &statistic,
		Period: awscdk.Duration_Minutes(jsii.Number(1))}
	if function != "" {
		p.DimensionsMap = &map[string]*string{"Function": &function}
	}
	return awscloudwatch.NewMetric(p)
}

// door watches what clients of the API see.
func (w *Watch) door(d Door) {
	w.alarm("ServerErrors", "Requests are answered with our own faults.", d.Stage.MetricServerError(each("Sum")), 5, 3)
	w.alarm("SlowAnswers", "One request in a hundred takes over a second.", d.Stage.MetricLatency(each("p99")), 1000, 5)
	w.alarm("CountersUnreachable", "Requests are served without being counted: the limits do not hold.",
		own(uncountedRequests, "Sum", ""), 1, 1)
	w.graph("Requests", d.Stage.MetricCount(each("Sum")))
}

// uncountedRequests is the metric of requests that were served while the counters were away.
const uncountedRequests = "UncountedRequests"

// uncounted makes that metric of the lines of a function's log.
func uncounted(log awslogs.LogGroup) {
	log.AddMetricFilter(jsii.String("Uncounted"), &awslogs.MetricFilterOptions{
		FilterPattern: awslogs.FilterPattern_StringValue(jsii.String("$.msg"), jsii.String("="),
			jsii.String(api.CountersUnreachable)),
		MetricNamespace: jsii.String(lambdahost.Namespace), MetricName: jsii.String(uncountedRequests),
		MetricValue: jsii.String("1"),
	})
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
			d.Queues[q.Resource].MetricApproximateAgeOfOldestMessage(each("Maximum")), q.Late.Seconds(), 5)
		w.alarm(name+"Dead", "Bells that nobody could handle.",
			d.Dead[q.Resource].MetricApproximateNumberOfMessagesVisible(each("Maximum")), 1, 1)
	}
	w.alarm("Unheard", "Changes that could not be cut into calls: their webhooks are not sent.",
		d.Unheard.MetricApproximateNumberOfMessagesVisible(each("Maximum")), 1, 1)
}

// calls shows what becomes of webhooks. None of it alarms: receivers fail as they like.
func (w *Watch) calls(x *Services) {
	batcher, delivery := the(x, feeds), the(x, messages)
	of := func(name, statistic string) awscloudwatch.IMetric { return own(name, statistic, delivery) }
	both := func(name string) awscloudwatch.IMetric { return queuedToo(name, batcher, delivery) }
	w.graph("Calls", of(webhook.CallsDelivered, "Sum"), both(webhook.CallsParked), both(webhook.CallsExhausted),
		of(webhook.CallsCancelled, "Sum"))
	w.graph("Failed attempts", of(webhook.AttemptsFailed, "Sum"))
	w.graph("Age of calls", of(webhook.CallAge, "p50"), of(webhook.CallAge, "p99"))
}

// queuedToo is a figure of calls that have come into a state at an attempt or as they were queued.
func queuedToo(name, batcher, delivery string) awscloudwatch.IMetric {
	queued, attempted := "queued"+name, "attempted"+name // a graph tells its metrics apart by these
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: &name, Expression: jsii.String("FILL(" + queued + ", 0) + FILL(" + attempted + ", 0)"),
		Period: awscdk.Duration_Minutes(jsii.Number(1)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			queued: own(name, "Sum", batcher), attempted: own(name, "Sum", delivery)},
	})
}

// functions watches the Lambdas: what Lambda turns away, errors that no caller sees, and answers that are our own
// fault. A new version that makes the last two ring is taken back.
func (w *Watch) functions(x *Services) {
	rollout := NewRollout(w.stack)
	for _, name := range names(x, func(host.Function) bool { return true }) {
		f := x.Functions[name]
		w.alarm(title(name)+"Throttles", "Lambda turns calls away.", f.Code.MetricThrottles(each("Sum")), 1, 3)
		alarms := []interfacesawscloudwatch.IAlarmRef{
			w.alarm(title(name)+"Errors", "The function ends in errors or at its timeout.",
				f.Alias.MetricErrors(each("Sum")), f.errors(), 3)}
		if f.HTTP != nil {
			alarms = append(alarms,
				w.alarm(title(name)+"Faults", "The function's answers are our own faults.",
					own(lambdahost.Faults, "Sum", name), 3, 3))
		}
		rollout.Of(f, alarms...)
		w.graph(name, f.Code.MetricInvocations(each("Sum")), f.Code.MetricErrors(each("Sum")),
			f.Code.MetricDuration(each("p99")))
	}
}

// errors are how many a minute are too many.
func (l Lambda) errors() float64 {
	if l.Tick != nil {
		return 1 // of the one run
	}
	return 3
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
