package main

import (
	"cmp"
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
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
	"eshop/shared/webhook"
)

// Monitoring is the stack of alarms, and of a dashboard. The alarms that CodeDeploy reads are made with the rollout.
// Without this stack the platform works as before, and nobody is told. What wakes somebody is what callers see; causes,
// and what may wait for the morning, are read. What to do at each is in functions/docs/operations.md.
type Monitoring struct {
	Stack awscdk.Stack

	environment string
	topics      Topics
	alarms      []interfacesawscloudwatch.IAlarmRef
	graphs      []awscloudwatch.IWidget
}

// NewMonitoring makes the stack, which watches all others but the edge. Its references to the services are weak: with
// strong ones CloudFormation could not take a function out of the services as long as an alarm here names it.
func NewMonitoring(app awscdk.App, list []host.Function, all Platform, s Settings) *Monitoring {
	stack := newStack(app, s, "-Monitoring", "The e-shop platform's alarms and dashboard", awscdk.StackProps{})
	x := all.Services
	for _, c := range *x.Stack.Node().FindAll(constructs.ConstructOrder_PREORDER) {
		if r, is := c.(awscdk.CfnResource); is {
			r.ApplyCrossStackReferenceStrength(awscdk.ReferenceStrength_WEAK)
		}
	}
	if s.Domain != "" && s.Canary == "" {
		awscdk.Annotations_Of(stack).AddWarningV2(jsii.String("eshop:canary"), jsii.String("Nobody tries the platform "+
			"from outside. `.bin/eshop shop new canary."+s.Domain+" --email <yours> --url https://api."+s.Domain+
			"` makes a shop and a package: name both in canary, and `make deploy ENV="+s.Environment+"`."))
	}
	m := &Monitoring{Stack: stack, environment: s.Environment, topics: x.Alarms}
	if s.NoticeEmail != "" {
		m.budget(s)
	}
	m.gateway(x.Gateway, s)
	m.functions(x)
	m.pipeline(list, x, all.Data)
	m.webhooks(x)
	m.tables(all.Data)
	if all.Backup != nil {
		m.copies(all.Backup)
	}
	alarms := append(m.alarms, x.newVersions...)
	m.graphs = append(m.graphs, awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &alarms, Width: jsii.Number(8), Height: jsii.Number(5),
	}))
	awscloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		Widgets: &[]*[]awscloudwatch.IWidget{&m.graphs},
	})
	return m
}

// Topics are whom alarms tell.
type Topics struct {
	Wakes awssns.Topic // of what somebody gets up for, and when it is over
	Reads awssns.Topic // of what is read in the morning
}

// newTopics makes both, and whoever is named in the settings hears of them. An alarm tells topics of its own region
// only. SNS's default policy would let the account's alarms publish; a topic's own policy replaces it, so this one says
// so again.
func newTopics(stack awscdk.Stack, settings Settings) Topics {
	topic := func(id, address string) awssns.Topic {
		t := awssns.NewTopic(stack, &id, &awssns.TopicProps{EnforceSSL: jsii.Bool(true)})
		t.GrantPublish(awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]*string{"aws:SourceAccount": stack.Account()}}}))
		allow(t, "AwsSolutions-SNS2", "It carries names and numbers of alarms, "+
			"and CloudWatch cannot send to a topic under AWS's own key.")
		if address != "" {
			t.AddSubscription(awssnssubscriptions.NewEmailSubscription(&address, nil))
		}
		return t
	}
	return Topics{Wakes: topic("Alarms", settings.AlarmEmail), Reads: topic("Notices", settings.NoticeEmail)}
}

// AlarmProps say when an alarm rings, and whom it tells.
type AlarmProps struct {
	Topics Topics
	Reads  bool   // it is read in the morning; else it wakes somebody, and tells when it is over
	Why    string // what the people are told who hear of it
	Row    string // its name in the guide, "": its own
	Metric awscloudwatch.IMetric

	AtLeast float64 // the alarm rings at this value or above
	Below   float64 // it rings, instead, below this one
	Silence bool    // a period without a value rings, too: else nothing happened in it
	Periods float64 // for so many periods of the metric
	Of      float64 // out of so many; 0: in a row
}

// NewAlarm makes an alarm. Its description is in the message that people get, so it says where to read on.
func NewAlarm(scope constructs.Construct, id string, props *AlarmProps) awscloudwatch.Alarm {
	made := &awscloudwatch.AlarmProps{
		AlarmDescription: jsii.String(props.Why + " What to do: " + cmp.Or(props.Row, id) +
			" in /docs/operations#alarms"),
		Metric: props.Metric, Threshold: &props.AtLeast, DatapointsToAlarm: &props.Periods,
		EvaluationPeriods:  jsii.Number(max(props.Periods, props.Of)),
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if props.Below > 0 {
		made.Threshold, made.ComparisonOperator = &props.Below, awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
	}
	if props.Silence {
		made.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
	}
	a, tell := awscloudwatch.NewAlarm(scope, &id, made), awscloudwatchactions.NewSnsAction(props.Topics.Reads)
	if !props.Reads {
		tell = awscloudwatchactions.NewSnsAction(props.Topics.Wakes)
		a.AddOkAction(tell)
	}
	a.AddAlarmAction(tell)
	return a
}

// alarm makes an alarm of this stack.
func (m *Monitoring) alarm(id string, props AlarmProps) {
	props.Topics = m.topics
	m.alarms = append(m.alarms, NewAlarm(m.Stack, id, &props))
}

// graph puts metrics on the dashboard.
func (m *Monitoring) graph(title string, metrics ...awscloudwatch.IMetric) {
	m.graphs = append(m.graphs, awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: &title, Left: &metrics, Width: jsii.Number(8), Height: jsii.Number(5),
	}))
}

// minutes is a metric of so many minutes.
func minutes(n float64, statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: &statistic, Period: awscdk.Duration_Minutes(&n)}
}

// metric is a metric by its name, of so many minutes.
func metric(namespace, name string, of map[string]*string, n float64, statistic string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: &namespace, MetricName: &name,
		DimensionsMap: &of, Statistic: &statistic, Period: awscdk.Duration_Minutes(&n)})
}

// using are metrics by their names in an expression.
type using = map[string]awscloudwatch.IMetric

// formula is what an expression makes of metrics of so many minutes.
func formula(label string, n float64, metrics using, expression string) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{Label: &label, Expression: &expression,
		UsingMetrics: &metrics, Period: awscdk.Duration_Minutes(&n)})
}

// sum adds metrics up. In the sum of an array one without a value is left out.
func sum(label string, n float64, metrics ...awscloudwatch.IMetric) awscloudwatch.IMetric {
	of, ids := using{}, []string{}
	for i, m := range metrics {
		ids = append(ids, label+strconv.Itoa(i)) // a graph tells its metrics apart by these
		of[ids[i]] = m
	}
	return formula(label, n, of, "SUM(["+strings.Join(ids, ", ")+"])")
}

// share is what percentage of all one part is, 0 as long as all is less than the least. What is divided by 0 has no
// value.
func share(n, least float64, part, all string, metrics using) awscloudwatch.IMetric {
	return formula("share", n, metrics, fmt.Sprintf("IF(%s >= %v, 100 * %s / %s, 0)", all, least, part, all))
}

// platformMetric is the sum of a figure of the platform's own, of a function unless it is the whole environment's.
func (m *Monitoring) platformMetric(name, function string, n float64) awscloudwatch.Metric {
	of := map[string]*string{lambda.InEnvironment: &m.environment}
	if host.FigureOf(name).Of != host.OfEnvironment {
		of[lambda.OfFunction] = &function
	}
	return metric(lambda.Namespace, name, of, n, "Sum")
}

// gateway watches what clients of the API see.
func (m *Monitoring) gateway(gateway Gateway, settings Settings) {
	m.alarm("ServerErrors", AlarmProps{Why: "Requests are answered with our own faults.",
		Metric: share(1, 50, "faults", "requests", using{"faults": gateway.Stage.MetricServerError(minutes(1, "Sum")),
			"requests": gateway.Stage.MetricCount(minutes(1, "Sum"))}), AtLeast: failing, Periods: 3, Of: 5})
	// Single callers are refused all the time, and who searches for holes is refused for some minutes.
	m.alarm("ClientErrors", AlarmProps{Why: "Most requests are refused: 401, 403, 404 or 429.",
		Metric: share(5, 50, "refused", "requests", using{"refused": gateway.Stage.MetricClientError(minutes(5, "Sum")),
			"requests": gateway.Stage.MetricCount(minutes(5, "Sum"))}), AtLeast: 50, Periods: 3})
	if settings.Domain != "" || settings.Canary != "" {
		// A canary makes some every five minutes. Without one a quiet night may ring it.
		m.alarm("NoRequests", AlarmProps{Why: "No request has come for half an hour.",
			Metric: gateway.Stage.MetricCount(minutes(5, "Sum")), Below: 1, Silence: true, Periods: 6})
	}
	m.alarm("SlowAnswers", AlarmProps{Why: "One request in a hundred takes over a second.", Reads: true,
		Metric: gateway.Stage.MetricLatency(minutes(1, "p99")), AtLeast: 1000, Periods: 5})
	m.alarm("CountersUnreachable", AlarmProps{
		Why: "Requests are served without being counted: the limits do not hold.", Reads: true,
		Metric: m.platformMetric(api.UncountedRequests, "", 1), AtLeast: 1, Periods: 1})
	// All environments of the account share these. Beyond them Lambda turns calls of every environment away.
	m.alarm("AccountConcurrency", AlarmProps{Reads: true, AtLeast: settings.Concurrency * 4 / 5, Periods: 2,
		Why:    "Four fifths of Lambda's concurrent executions of the account are taken.",
		Metric: metric("AWS/Lambda", "ClaimedAccountConcurrency", nil, 1, "Maximum")})
	m.graph("Requests", gateway.Stage.MetricCount(minutes(1, "Sum")),
		gateway.Stage.MetricClientError(minutes(1, "Sum")), gateway.Stage.MetricServerError(minutes(1, "Sum")))
	m.graph("Latency", gateway.Stage.MetricLatency(minutes(1, "p50")), gateway.Stage.MetricLatency(minutes(1, "p99")))
}

// failing is what percentage of calls or answers may not fail.
const failing = 2

// functions watches the Lambdas, whatever their versions: their failures, and clocks that stand still.
//
// One that few call may fail each time, and not be called in each period: so a share counts and not a number, in two
// periods of three. Ten metrics are the most of an alarm, which are three functions. A query of Metrics Insights could
// watch all at once; but it has no ratio, and knows neither lists nor beginnings of names, so it cannot tell the
// functions of two environments apart.
func (m *Monitoring) functions(x *Services) {
	for group := range slices.Chunk(names(x, inSteps), 3) {
		of, fail, all := using{}, []string{}, ""
		for _, name := range group {
			all += title(name)
			code, failed := x.Functions[name].Code, name+"Errors"
			of[failed] = code.MetricErrors(minutes(5, "Sum"))
			of[name+"Calls"] = code.MetricInvocations(minutes(5, "Sum"))
			if answers(x.Functions[name].Function) {
				of[name+"Faults"] = m.platformMetric(host.Faults, name, 5)
				failed = "SUM([" + failed + ", " + name + "Faults])"
			}
			fail = append(fail, fmt.Sprintf("IF(100 * %s / %sCalls >= %d, 1, 0)", failed, name, failing))
		}
		m.alarm("Failing"+all, AlarmProps{Row: "Failing",
			Why:    "A function fails, which is one of these: " + strings.Join(group, ", ") + ".",
			Metric: formula("fail", 5, of, "SUM(["+strings.Join(fail, ", ")+"])"), AtLeast: 1, Periods: 2, Of: 3})
	}
	for _, name := range names(x, func(f host.Function) bool { return f.Tick != nil }) {
		f := x.Functions[name]
		every := max(f.Tick.Every, time.Minute).Minutes()
		if f.Outside { // and so not among the others
			m.alarm(title(name)+"Fails", AlarmProps{Why: "The platform fails whoever comes from outside.",
				Metric: f.Code.MetricErrors(minutes(every, "Sum")), AtLeast: 1, Periods: 2, Of: 3})
		}
		m.alarm(title(name)+"Still", AlarmProps{Why: "The clock stands still: nothing has run for many minutes.",
			Metric: f.Code.MetricInvocations(minutes(every, "Sum")), Below: 1, Silence: true, Periods: max(3, 5/every)})
	}
	for _, graph := range [][2]string{
		{"Invocations", "Sum"}, {"Errors", "Sum"}, {"Throttles", "Sum"}, {"Duration", "p99"}} {
		var all []awscloudwatch.IMetric
		for _, name := range names(x, func(host.Function) bool { return true }) {
			of := minutes(1, graph[1])
			of.Label = &name
			all = append(all, x.Functions[name].Code.Metric(&graph[0], of))
			if graph[0] == "Errors" && answers(x.Functions[name].Function) {
				all = append(all, m.platformMetric(host.Faults, name, 1))
			}
		}
		m.graph(graph[0], all...)
	}
}

// answers says whether the function counts answers that are our own faults.
func answers(f host.Function) bool { return f.HTTP != nil || f.Feed != nil || f.Messages != nil }

// pipeline watches everything between a change and its webhooks.
func (m *Monitoring) pipeline(list []host.Function, x *Services, data *Data) {
	var late, dead, unheard []awscloudwatch.IMetric
	for _, name := range names(x, feeds) {
		// delivered to the bucket, or lost on the way there
		for _, counted := range []string{"OnFailureDestinationDeliveredEventCount", "DroppedEventCount"} {
			unheard = append(unheard, metric("AWS/Lambda", counted,
				map[string]*string{"EventSourceMappingUUID": x.Streams[name].EventSourceMappingId()}, 1, "Sum"))
		}
		age := x.Functions[name].Alias.Metric(jsii.String("IteratorAge"), minutes(1, "Maximum"))
		m.alarm(title(name)+"Late", AlarmProps{
			Why:    "Changes wait for more than a minute before the function has handled them.",
			Metric: age, AtLeast: 60_000, Periods: 3})
		late = append(late, age)
	}
	for _, q := range host.QueuesOf(list) {
		age := data.Queues[q.Resource].MetricApproximateAgeOfOldestMessage(minutes(1, "Maximum"))
		m.alarm(title(string(q.Resource))+"Late", AlarmProps{
			Why: "Bells wait in the queue for longer than they should, in seconds.",
			// What may wait for minutes may wait for the morning.
			Metric: age, AtLeast: q.AlarmAfter.Seconds(), Periods: 5, Reads: q.AlarmAfter > time.Minute})
		late = append(late, age)
		dead = append(dead, data.Dead[q.Resource].MetricApproximateNumberOfMessagesVisible(minutes(1, "Maximum")))
	}
	m.alarm("DeadLetters", AlarmProps{Why: "Bells that nobody could handle.", Reads: true,
		Metric: sum("dead", 1, dead...), AtLeast: 1, Periods: 1})
	m.alarm("Unheard", AlarmProps{
		Why:    "Changes that a function has given up: webhooks are not sent, or searches do not find them.",
		Metric: sum("unheard", 1, unheard...), AtLeast: 1, Periods: 1})
	m.graph("Waiting", late...)
	m.graph("Given up", append(dead, unheard...)...)
}

// webhooks watches whether any arrive: one receiver may fail as it likes, and then waits.
func (m *Monitoring) webhooks(x *Services) {
	batcher, delivery := names(x, feeds)[0], names(x, messages)[0]
	of := func(name string, n float64) awscloudwatch.Metric { return m.platformMetric(name, delivery, n) }
	m.alarm("WebhooksFail", AlarmProps{Why: "Nearly all attempts at webhooks fail.",
		Metric: share(5, 50, "failed", "SUM([failed, delivered])", using{"failed": of(webhook.AttemptsFailed, 5),
			"delivered": of(webhook.CallsDelivered, 5)}), AtLeast: 90, Periods: 2, Of: 3})
	m.graph("Webhooks", of(webhook.CallsDelivered, 1), of(webhook.AttemptsFailed, 1),
		// as it was queued, and at an attempt
		sum("parked", 1, m.platformMetric(webhook.CallsParked, batcher, 1), of(webhook.CallsParked, 1)),
		sum("exhausted", 1, m.platformMetric(webhook.CallsExhausted, batcher, 1), of(webhook.CallsExhausted, 1)))
	m.graph("Age of webhooks", of(webhook.CallAge, 1).With(minutes(1, "p50")),
		of(webhook.CallAge, 1).With(minutes(1, "p99")))
}

// tables watches what DynamoDB turns away, of all tables and their indexes. A table grows into any load, but not at
// once, and a single key takes no more than a thousand writes a second.
func (m *Monitoring) tables(d *Data) {
	var throttled []awscloudwatch.IMetric
	for _, kind := range []string{"Read", "Write"} {
		parts := []awscloudwatch.IMetric{metric("AWS/DynamoDB", kind+"ThrottleEvents",
			map[string]*string{"TableName": d.Tables[host.Counters].TableName()}, 1, "Sum")}
		for _, r := range []host.Resource{host.Main, host.Pipeline} {
			for _, index := range []string{"", dynamo.IndexName(store.Index1), dynamo.IndexName(store.Index2)} {
				of := map[string]*string{"TableName": d.Tables[r].TableName()}
				if index != "" {
					of["GlobalSecondaryIndexName"] = &index
				}
				parts = append(parts, metric("AWS/DynamoDB", kind+"ThrottleEvents", of, 1, "Sum"))
			}
		}
		throttled = append(throttled, sum(strings.ToLower(kind), 1, parts...))
		m.alarm(kind+"sThrottled", AlarmProps{Why: "DynamoDB turns calls away.", Reads: true,
			Metric: throttled[len(throttled)-1], AtLeast: 1, Periods: 3})
	}
	m.graph("Throttled tables", throttled...)
}

// copies watches what brings the data to the second place. AWS does not say by which of both vaults it counts a copy,
// so both are asked. A copy a day is late at times, so a day and a half without one is too long.
func (m *Monitoring) copies(b *Backup) {
	of := func(vault, name string, n float64) awscloudwatch.IMetric {
		return metric("AWS/Backup", "NumberOf"+name, map[string]*string{"BackupVaultName": &vault}, n, "Sum")
	}
	m.alarm("CopiesFailed", AlarmProps{Why: "The data is not copied to the second place.", Reads: true,
		Metric: sum("failed", 5, of(b.Here, "BackupJobsFailed", 5), of(b.Here, "BackupJobsAborted", 5),
			of(b.Here, "BackupJobsExpired", 5), of(b.Here, "CopyJobsFailed", 5), of(b.There, "CopyJobsFailed", 5)),
		AtLeast: 1, Periods: 1})
	m.alarm("CopiesStopped", AlarmProps{Why: "No copy has come to the second place for a day and a half.",
		Metric: sum("copied", 60, of(b.Here, "CopyJobsCompleted", 60), of(b.There, "CopyJobsCompleted", 60)),
		Below:  1, Silence: true, Periods: 36, Reads: true})
}

// watchEdge makes the alarms of what stands in front, in the region where its metrics are. AWS renews a certificate
// more than a month before its end, as long as the entry is there by which it was proven.
func watchEdge(stack awscdk.Stack, s Settings, daysToExpiry awscloudwatch.IMetric) {
	topics := newTopics(stack, s)
	of := func(name string) awscloudwatch.IMetric {
		return metric("AWS/WAFV2", name, map[string]*string{"WebACL": jsii.String("Eshop-" + s.Environment),
			"Rule": jsii.String("ALL")}, 5, "Sum")
	}
	NewAlarm(stack, "FirewallBlocks", &AlarmProps{Topics: topics, Why: "The firewall turns nearly everybody away.",
		Metric: share(5, 100, "blocked", "SUM([blocked, allowed])", using{"blocked": of("BlockedRequests"),
			"allowed": of("AllowedRequests")}), AtLeast: 90, Periods: 3})
	NewAlarm(stack, "CertificateEnds", &AlarmProps{Topics: topics, Reads: true,
		Why:    "The certificate ends within three weeks, and was not renewed.",
		Metric: daysToExpiry, Below: 21, Periods: 1})
}

// budget tells who reads notices when the month has cost four fifths of what it may, and when it will cost more than
// all of it. AWS knows the environment's costs once the tag environment is a cost allocation tag of the account.
func (m *Monitoring) budget(settings Settings) {
	notify := func(kind string, percent float64) *awsbudgets.CfnBudget_NotificationWithSubscribersProperty {
		return &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
			Notification: &awsbudgets.CfnBudget_NotificationProperty{NotificationType: &kind, Threshold: &percent,
				ThresholdType: jsii.String("PERCENTAGE"), ComparisonOperator: jsii.String("GREATER_THAN")},
			Subscribers: []any{&awsbudgets.CfnBudget_SubscriberProperty{
				SubscriptionType: jsii.String("EMAIL"), Address: &settings.NoticeEmail}},
		}
	}
	awsbudgets.NewCfnBudget(m.Stack, jsii.String("Budget"), &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetType: jsii.String("COST"), TimeUnit: jsii.String("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{Amount: &settings.Budget, Unit: jsii.String("USD")},
			CostFilters: map[string]any{"TagKeyValue": []string{"user:environment$" + settings.Environment}},
		},
		NotificationsWithSubscribers: []any{notify("ACTUAL", 80), notify("FORECASTED", 100)},
	})
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
