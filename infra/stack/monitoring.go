package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
	"eshop/shared/webhook"
)

// Monitoring is the stack of alarms, and of the dashboard with a graph for each. The alarms that CodeDeploy reads are
// made with the rollout. Without this stack the platform works as before, and nobody is told.
type Monitoring struct {
	Stack awscdk.Stack

	environment string
	topic       awssns.ITopic
	graphs      []awscloudwatch.IWidget
}

// MonitoringProps are what NewMonitoring is told.
type MonitoringProps struct {
	awscdk.StackProps
	Functions []host.Function
	Services  *Services
	Data      *Data
	Backup    *Backup // nil without a second place
	Settings  Settings
}

// NewMonitoring makes the stack. Its references to the services are weak: with strong ones CloudFormation could not
// take a function out of the services as long as an alarm here names it.
func NewMonitoring(scope constructs.Construct, id string, props *MonitoringProps) *Monitoring {
	stack, x, d, s := awscdk.NewStack(scope, &id, &props.StackProps), props.Services, props.Data, props.Settings
	for _, c := range *x.Stack.Node().FindAll(constructs.ConstructOrder_PREORDER) {
		if r, is := c.(awscdk.CfnResource); is {
			r.ApplyCrossStackReferenceStrength(awscdk.ReferenceStrength_WEAK)
		}
	}
	m := &Monitoring{Stack: stack, environment: s.Environment, topic: x.Alarms}
	if s.AlarmEmail != "" {
		m.budget(s)
	}
	m.gateway(x.Gateway)
	m.pipeline(props.Functions, x, d)
	m.tables(d)
	if props.Backup != nil {
		m.copies(props.Backup)
	}
	m.account(s)
	m.versions(x)
	m.calls(x)
	m.functions(x)
	awscloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		Widgets: &[]*[]awscloudwatch.IWidget{&m.graphs},
	})
	return m
}

// alarmTopic is what all alarms publish to. SNS's default policy would let the account's alarms publish; a topic's own
// policy replaces it, so this one says so again.
func alarmTopic(stack awscdk.Stack, s Settings) awssns.Topic {
	topic := awssns.NewTopic(stack, jsii.String("Alarms"), &awssns.TopicProps{EnforceSSL: jsii.Bool(true)})
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{
			awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)},
		Actions: jsii.Strings("sns:Publish"), Resources: &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]*string{"aws:SourceAccount": stack.Account()}},
	}))
	allow(topic, "AwsSolutions-SNS2", "It carries names and numbers of alarms, "+
		"and CloudWatch cannot send to a topic under AWS's own key.")
	if s.AlarmEmail != "" {
		topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&s.AlarmEmail, nil))
	}
	return topic
}

// AlarmProps say when an alarm rings.
type AlarmProps struct {
	Topic   awssns.ITopic // hears of it
	Why     string        // what the people are told who hear of it
	Metric  awscloudwatch.IMetric
	AtLeast float64 // the alarm rings at this value or above
	Periods float64 // for as many periods of the metric in a row
	Silence bool    // the alarm rings, instead, when nothing was counted for that long
}

// NewAlarm makes an alarm. What to do when it rings is in the operations guide (functions/docs/operations.md).
func NewAlarm(scope constructs.Construct, id string, props *AlarmProps) awscloudwatch.Alarm {
	p := &awscloudwatch.AlarmProps{
		// The description is in the message that people get, so it says where to read on.
		AlarmDescription: jsii.String(props.Why + " What to do: /docs/operations"),
		Metric:           props.Metric, Threshold: &props.AtLeast, EvaluationPeriods: &props.Periods,
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		// A minute without a value is one in which nothing happened.
		TreatMissingData: awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if props.Silence {
		p.Threshold, p.ComparisonOperator = jsii.Number(1), awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
		// Here a minute without a value is the fault itself.
		p.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
	}
	a := awscloudwatch.NewAlarm(scope, &id, p)
	a.AddAlarmAction(awscloudwatchactions.NewSnsAction(props.Topic))
	return a
}

// alarm makes an alarm with its graph.
func (m *Monitoring) alarm(id string, props AlarmProps) {
	props.Topic = m.topic
	NewAlarm(m.Stack, id, &props)
	m.graph(id, props.Metric)
}

// graph puts metrics on the dashboard.
func (m *Monitoring) graph(title string, metrics ...awscloudwatch.IMetric) {
	m.graphs = append(m.graphs, awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: &title, Left: &metrics, Width: jsii.Number(8), Height: jsii.Number(5),
	}))
}

// perMinute is a metric of one minute.
func perMinute(statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: &statistic, Period: awscdk.Duration_Minutes(jsii.Number(1))}
}

// platformMetric is the sum of a figure of the platform's own in each minute: a function's, or with function "" one of
// the whole environment. Nothing is found under dimensions that the figure does not have.
func (m *Monitoring) platformMetric(name, function string) awscloudwatch.Metric {
	if whole := host.FigureOf(name).Of == host.OfEnvironment; whole != (function == "") {
		panic("infra: " + name + " is a figure of something else")
	}
	of := map[string]*string{lambda.InEnvironment: &m.environment}
	if function != "" {
		of[lambda.OfFunction] = &function
	}
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String(lambda.Namespace),
		MetricName: &name, Statistic: jsii.String("Sum"), DimensionsMap: &of,
		Period: awscdk.Duration_Minutes(jsii.Number(1))})
}

// gateway watches what clients of the API see: answers of 5xx, how long answers take, and limits that do not hold.
func (m *Monitoring) gateway(g Gateway) {
	m.alarm("ServerErrors", AlarmProps{Why: "Requests are answered with our own faults.",
		Metric: g.Stage.MetricServerError(perMinute("Sum")), AtLeast: 5, Periods: 3})
	m.alarm("SlowAnswers", AlarmProps{Why: "One request in a hundred takes over a second.",
		Metric: g.Stage.MetricLatency(perMinute("p99")), AtLeast: 1000, Periods: 5})
	m.alarm("CountersUnreachable", AlarmProps{
		Why:    "Requests are served without being counted: the limits do not hold.",
		Metric: m.platformMetric(api.UncountedRequests, ""), AtLeast: 1, Periods: 1})
	m.graph("Requests", g.Stage.MetricCount(perMinute("Sum")))
}

// pipeline watches everything between a change and its webhooks.
func (m *Monitoring) pipeline(list []host.Function, x *Services, d *Data) {
	for _, name := range names(x, feeds) {
		m.alarm(title(name)+"Late", AlarmProps{
			Why:     "Changes wait for more than a minute before the function has handled them.",
			Metric:  x.Functions[name].Alias.Metric(jsii.String("IteratorAge"), perMinute("Maximum")),
			AtLeast: 60_000, Periods: 3})
	}
	for _, q := range host.QueuesOf(list) {
		name := title(string(q.Resource))
		m.alarm(name+"Late", AlarmProps{Why: "Bells wait in the queue for longer than they should, in seconds.",
			Metric:  d.Queues[q.Resource].MetricApproximateAgeOfOldestMessage(perMinute("Maximum")),
			AtLeast: q.AlarmAfter.Seconds(), Periods: 5})
		m.alarm(name+"Dead", AlarmProps{Why: "Bells that nobody could handle.", Metric: waiting(d.Dead[q.Resource]),
			AtLeast: 1, Periods: 1})
	}
	m.alarm("Unheard", AlarmProps{
		Why:    "Changes that a function has given up: webhooks are not sent, or searches do not find them.",
		Metric: givenUp(x), AtLeast: 1, Periods: 1})
}

// givenUp is how many changes readers of the stream have given up, those that could not be put into the bucket, too.
func givenUp(x *Services) awscloudwatch.IMetric {
	using, sum := map[string]awscloudwatch.IMetric{}, []string{}
	for _, name := range names(x, feeds) {
		for _, metric := range []string{"OnFailureDestinationDeliveredEventCount", "DroppedEventCount"} {
			id := fmt.Sprintf("m%d", len(sum))
			using[id] = awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String("AWS/Lambda"),
				MetricName: &metric, Statistic: jsii.String("Sum"), Period: awscdk.Duration_Minutes(jsii.Number(1)),
				DimensionsMap: &map[string]*string{"EventSourceMappingUUID": x.Streams[name].EventSourceMappingId()}})
			sum = append(sum, "FILL("+id+",0)")
		}
	}
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(strings.Join(sum, "+")), UsingMetrics: &using,
		Period: awscdk.Duration_Minutes(jsii.Number(1))})
}

// waiting is how many messages are in a queue.
func waiting(q awssqs.Queue) awscloudwatch.IMetric {
	return q.MetricApproximateNumberOfMessagesVisible(perMinute("Maximum"))
}

// calls shows what becomes of webhooks. No alarm rings for it, because receivers may fail as they like.
func (m *Monitoring) calls(x *Services) {
	batcher, delivery := firstName(x, feeds), firstName(x, messages)
	of := func(name string) awscloudwatch.Metric { return m.platformMetric(name, delivery) }
	both := func(name string) awscloudwatch.IMetric { return m.queuedToo(name, batcher, delivery) }
	m.graph("Calls", of(webhook.CallsDelivered), both(webhook.CallsParked), both(webhook.CallsExhausted),
		of(webhook.CallsCancelled))
	m.graph("Failed attempts", of(webhook.AttemptsFailed))
	m.graph("Age of calls", of(webhook.CallAge).With(perMinute("p50")), of(webhook.CallAge).With(perMinute("p99")))
}

// queuedToo is a figure of calls that have come into a state at an attempt or as they were queued.
func (m *Monitoring) queuedToo(name, batcher, delivery string) awscloudwatch.IMetric {
	queued, attempted := "queued"+name, "attempted"+name // a graph tells its metrics apart by these
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: &name, Expression: jsii.String("FILL(" + queued + ", 0) + FILL(" + attempted + ", 0)"),
		Period: awscdk.Duration_Minutes(jsii.Number(1)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			queued: m.platformMetric(name, batcher), attempted: m.platformMetric(name, delivery)},
	})
}

// tables watches what DynamoDB turns away, of each table and its indexes. A table grows into any load, but not at once,
// and a single key takes no more than a thousand writes a second.
func (m *Monitoring) tables(d *Data) {
	for _, r := range []host.Resource{host.Main, host.Pipeline, host.Counters} {
		table := d.Tables[r].TableName()
		parts := []map[string]*string{{"TableName": table}}
		if r != host.Counters {
			for _, i := range []store.Index{store.Index1, store.Index2} {
				parts = append(parts, map[string]*string{"TableName": table,
					"GlobalSecondaryIndexName": jsii.String(dynamo.IndexName(i))})
			}
		}
		using, ids := map[string]awscloudwatch.IMetric{}, []string{}
		for i, of := range parts {
			for _, kind := range []string{"Read", "Write"} {
				id := strings.ToLower(kind) + strconv.Itoa(i)
				using[id] = awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String("AWS/DynamoDB"),
					MetricName: jsii.String(kind + "ThrottleEvents"), DimensionsMap: &of,
					Statistic: jsii.String("Sum")})
				ids = append(ids, id)
			}
		}
		m.alarm(title(string(r))+"Throttled", AlarmProps{Why: "DynamoDB turns calls to a table away.",
			Metric: sum("throttled", ids, using), AtLeast: 1, Periods: 3})
	}
}

// sum adds up metrics, by their ids, in each minute. One without a value is 0.
func sum(label string, ids []string, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: &label, Expression: jsii.String("FILL(" + strings.Join(ids, ", 0) + FILL(") + ", 0)"),
		UsingMetrics: &using, Period: awscdk.Duration_Minutes(jsii.Number(1))})
}

// copies watches what brings the data to the second place. AWS does not say by which of both vaults it counts a copy
// that fails, so both are asked.
func (m *Monitoring) copies(b *Backup) {
	using, ids := map[string]awscloudwatch.IMetric{}, []string{}
	for _, of := range []struct{ id, metric, vault string }{
		{"failed", "BackupJobsFailed", b.Here}, {"aborted", "BackupJobsAborted", b.Here},
		{"expired", "BackupJobsExpired", b.Here},
		{"here", "CopyJobsFailed", b.Here}, {"there", "CopyJobsFailed", b.There}} {
		using[of.id] = awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String("AWS/Backup"),
			MetricName: jsii.String("NumberOf" + of.metric), Statistic: jsii.String("Sum"),
			DimensionsMap: &map[string]*string{"BackupVaultName": &of.vault}})
		ids = append(ids, of.id)
	}
	m.alarm("CopiesFailed", AlarmProps{Why: "The data is not copied to the second place.",
		Metric: sum("failed", ids, using), AtLeast: 1, Periods: 1})
}

// account watches what all environments of the account share: concurrent executions. Beyond them Lambda turns calls of
// every environment away.
func (m *Monitoring) account(s Settings) {
	claimed := &awscloudwatch.MetricProps{Namespace: jsii.String("AWS/Lambda"),
		MetricName: jsii.String("ClaimedAccountConcurrency"), Statistic: jsii.String("Maximum"),
		Period: awscdk.Duration_Minutes(jsii.Number(1))}
	m.alarm("AccountConcurrency", AlarmProps{
		Why:    "Four fifths of Lambda's concurrent executions of the account are taken.",
		Metric: awscloudwatch.NewMetric(claimed), AtLeast: s.Concurrency * 4 / 5, Periods: 2})
}

// budget tells the alarms' address when the month has cost four fifths of what it may, and when it will cost more than
// all of it. AWS knows the environment's costs by the tag environment, once that is a cost allocation tag of the
// account.
func (m *Monitoring) budget(s Settings) {
	notify := func(kind string, percent float64) *awsbudgets.CfnBudget_NotificationWithSubscribersProperty {
		return &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
			Notification: &awsbudgets.CfnBudget_NotificationProperty{NotificationType: &kind, Threshold: &percent,
				ThresholdType: jsii.String("PERCENTAGE"), ComparisonOperator: jsii.String("GREATER_THAN")},
			Subscribers: []any{&awsbudgets.CfnBudget_SubscriberProperty{
				SubscriptionType: jsii.String("EMAIL"), Address: &s.AlarmEmail}},
		}
	}
	awsbudgets.NewCfnBudget(m.Stack, jsii.String("Budget"), &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetType: jsii.String("COST"), TimeUnit: jsii.String("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{Amount: &s.Budget, Unit: jsii.String("USD")},
			CostFilters: map[string]any{"TagKeyValue": []string{"user:environment$" + s.Environment}},
		},
		NotificationsWithSubscribers: []any{notify("ACTUAL", 80), notify("FORECASTED", 100)},
	})
}

// versions shows which alarms of new versions ring.
func (m *Monitoring) versions(x *Services) {
	m.graphs = append(m.graphs, awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("New versions"), Alarms: &x.newVersions, Width: jsii.Number(8), Height: jsii.Number(5),
	}))
}

// functions watches the Lambdas, whatever their versions: calls that Lambda turns away, errors that no caller sees, our
// own faults, and clocks that stand still.
func (m *Monitoring) functions(x *Services) {
	for _, name := range names(x, func(host.Function) bool { return true }) {
		f := x.Functions[name]
		threshold, periods := f.errors()
		m.alarm(title(name)+"Throttles", AlarmProps{Why: "Lambda turns calls away.",
			Metric: f.Code.MetricThrottles(perMinute("Sum")), AtLeast: 1, Periods: 3})
		m.alarm(title(name)+"Errors", AlarmProps{Why: "The function ends in errors or at its timeout.",
			Metric: f.Alias.MetricErrors(f.perCall("Sum")), AtLeast: threshold, Periods: periods})
		if f.HTTP != nil || f.Feed != nil || f.Messages != nil {
			m.alarm(title(name)+"Faults", AlarmProps{
				Why:    "The function's answers are our own faults, or its batches are not handled whole.",
				Metric: m.platformMetric(host.Faults, name), AtLeast: 3, Periods: 3})
		}
		if f.Tick != nil {
			periods := f.still()
			m.alarm(title(name)+"Still", AlarmProps{Why: fmt.Sprintf(
				"The clock stands still: nothing has run for %d minutes.", int(periods*f.period().Minutes())),
				Metric: f.Alias.MetricInvocations(f.perCall("Sum")), Silence: true, Periods: periods})
		}
		m.graph(name, f.Code.MetricInvocations(perMinute("Sum")), f.Code.MetricErrors(perMinute("Sum")),
			f.Code.MetricDuration(perMinute("p99")))
	}
}

// period is the least in which a function that a clock calls has a call: a minute, or what the clock has.
func (l Lambda) period() time.Duration {
	if l.Tick == nil {
		return time.Minute
	}
	return max(l.Tick.Every, time.Minute)
}

// perCall is a metric of that period.
func (l Lambda) perCall(statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: &statistic, Period: duration(l.period())}
}

// still is for how many periods in a row a clock may call nothing: five of a minute, three of longer ones.
func (l Lambda) still() float64 {
	if l.period() > time.Minute {
		return 3
	}
	return 5
}

// errors is how many errors in a period are too many, and for how many periods in a row: of an upload any error, of
// what a clock calls three calls that fail, or two if they are more than a minute apart, of all others three errors in
// each of three minutes.
func (l Lambda) errors() (threshold, periods float64) {
	switch {
	case l.period() > time.Minute:
		return 1, 2
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

// feeds says whether changes trigger the function.
func feeds(f host.Function) bool { return f.Feed != nil }

// messages says whether queues trigger the function.
func messages(f host.Function) bool { return f.Messages != nil }

// firstName is the name of the first function that matches, "" when the list has none.
func firstName(x *Services, match func(host.Function) bool) string {
	for _, name := range names(x, match) {
		return name
	}
	return ""
}
