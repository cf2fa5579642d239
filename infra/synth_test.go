//go:build synth

// The tests of the stack. They need Node, and a first build of CDK's packages takes a minute: they are apart from the quick
// ones, by the tag synth.
package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"
	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/host"
)

// template is a stack as CloudFormation is given it.
type template struct {
	Resources  map[string]resource
	Parameters map[string]map[string]any
	Rules      map[string]any
}

type resource struct {
	Type           string
	Properties     map[string]any
	DeletionPolicy string
	UpdatePolicy   map[string]any
}

// made is the platform of THE list, synthesised once for all tests.
var made struct {
	Platform
	folder         string
	data, services template
}

const dataStack, servicesStack = "Eshop-test-Data", "Eshop-test"

func TestMain(m *testing.M) {
	code := func() int {
		defer jsii.Close()
		folder, err := os.MkdirTemp("", "synth")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		synthesise(folder)
		return m.Run()
	}()
	os.Exit(code)
}

// synthesise makes the templates with programs of one byte: what is in them is no matter of the stack's.
func synthesise(folder string) {
	for _, f := range functions.List {
		at := filepath.Join(folder, "build", f.Name)
		if err := os.MkdirAll(at, 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(at, "bootstrap"), []byte{0}, 0o755); err != nil {
			panic(err)
		}
	}
	made.folder = filepath.Join(folder, "out")
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: &made.folder})
	made.Platform = Build(app, functions.List, filepath.Join(folder, "build"), Settings{Environment: "test"})
	app.Synth(nil)
	made.data, made.services = read(dataStack), read(servicesStack)
}

func read(stack string) (t template) {
	b, err := os.ReadFile(filepath.Join(made.folder, stack+".template.json"))
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(b, &t); err != nil {
		panic(err)
	}
	return t
}

// all are the template's resources of a type, by their logical ids.
func (t template) all(kind string) map[string]resource {
	found := map[string]resource{}
	for id, r := range t.Resources {
		if r.Type == kind {
			found[id] = r
		}
	}
	return found
}

// one is the template's resource of a type whose logical id is the name and CDK's eight characters.
func (t template) one(tt *testing.T, kind, name string) resource {
	for id, r := range t.all(kind) {
		if strings.HasPrefix(id, name) && len(id) == len(name)+8 {
			return r
		}
	}
	require.Fail(tt, "not in the template", "%s %s", kind, name)
	return resource{}
}

// at is what lies at a path of properties, nil when there is nothing.
func (r resource) at(path ...any) any {
	var v any = r.Properties
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// text is a value as JSON: good enough to look for whom it names.
func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestRoutesAreTheLists(t *testing.T) {
	want := map[string]string{"$default": "Storefront", "ANY /": "Storefront"}
	for _, f := range functions.List {
		for _, r := range f.Routes() {
			if r != "/" {
				want["ANY "+r], want["ANY "+r+"/{proxy+}"] = title(f.Name), title(f.Name)
			}
		}
	}
	got := map[string]string{}
	for _, r := range made.services.all("AWS::ApiGatewayV2::Route") {
		target := text(r.at("Target"))
		for id, i := range made.services.all("AWS::ApiGatewayV2::Integration") {
			if strings.Contains(target, `"`+id+`"`) {
				require.Equal(t, "2.0", i.at("PayloadFormatVersion"))
				alias := i.at("IntegrationUri", "Ref").(string)
				got[r.at("RouteKey").(string)] = alias[:strings.Index(alias, "Live")]
			}
		}
	}
	require.Equal(t, want, got)
	require.Less(t, len(got), 300, "an HTTP API has at most 300 routes")
}

func TestFunctionsAreTheLists(t *testing.T) {
	require.Len(t, made.services.all("AWS::Lambda::Function"), len(functions.List))
	for _, f := range functions.List {
		l := made.services.one(t, "AWS::Lambda::Function", title(f.Name)+"Function")
		require.Equal(t, []any{"arm64"}, l.at("Architectures"))
		require.Equal(t, "provided.al2023", l.at("Runtime"))
		require.EqualValues(t, f.Memory, l.at("MemorySize"))
		require.EqualValues(t, f.Timeout.Seconds(), l.at("Timeout"))
		require.Equal(t, "WARN", l.at("LoggingConfig", "SystemLogLevel"))
		log := made.services.one(t, "AWS::Logs::LogGroup", title(f.Name)+"Log")
		require.EqualValues(t, 30, log.at("RetentionInDays"))
		require.Equal(t, "live", made.services.one(t, "AWS::Lambda::Alias", title(f.Name)+"Live").at("Name"))

		env := l.at("Environment", "Variables").(map[string]any)
		want := []string{"ENVIRONMENT", "BASE_URL", "DOOR_URL"}
		require.Contains(t, text(env["DOOR_URL"]), `"ApiEndpoint"`, "the API is never a receiver, by whatever name")
		for _, n := range f.Needs {
			want = append(want, map[host.Resource]string{host.Main: "MAIN_TABLE", host.Pipeline: "PIPELINE_TABLE", host.Counters: "COUNTER_TABLE",
				host.Fresh: "FRESH_QUEUE", host.Retry: "RETRY_QUEUE", host.Secrets: "SECRETS_KEY", host.Files: "FILES_BUCKET"}[n.Resource])
		}
		if f.HTTP != nil || f.Upload != nil {
			want = append(want, "RESERVED_SLUGS")
		}
		if f.Name == "operator" {
			want = append(want, "OPERATOR_TOKEN_HASH")
		}
		var names []string
		for name := range env {
			names = append(names, name)
		}
		require.ElementsMatch(t, want, names, f.Name)
	}
}

// granted is what a need comes to, written down once more by hand.
var granted = map[host.Action]map[string][]string{
	host.Read: {"table": {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"}, "counters": {"dynamodb:BatchGetItem", "dynamodb:GetItem"},
		"files": {"s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket", "s3:ListBucketVersions"}},
	host.Write: {"table": {"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
		"counters": {"dynamodb:UpdateItem"}, "files": {"s3:DeleteObject", "s3:PutObject"}},
	host.Send: {"queue": {"sqs:SendMessage"}},
	host.Seal: {"key": {"kms:GenerateDataKey"}},
	host.Open: {"key": {"kms:Decrypt"}},
}

// kinds say what each resource is to granted.
var kinds = map[host.Resource]string{host.Main: "table", host.Pipeline: "table", host.Counters: "counters",
	host.Fresh: "queue", host.Retry: "queue", host.Secrets: "key", host.Files: "files"}

func TestGrantsAreTheListsNeedsAndNothingElse(t *testing.T) {
	require.Len(t, made.services.all("AWS::IAM::Role"), len(functions.List)+1, "one role a function, and the rollout's")
	require.Len(t, made.services.all("AWS::IAM::Policy"), len(functions.List))
	for _, f := range functions.List {
		role := made.services.one(t, "AWS::IAM::Role", title(f.Name)+"Role")
		require.Nil(t, role.at("ManagedPolicyArns"), "AWS's own policies allow more than we need")
		want := []string{"logs:CreateLogStream on " + title(f.Name) + "Log", "logs:PutLogEvents on " + title(f.Name) + "Log"}
		for _, n := range f.Needs {
			for _, does := range n.Does {
				for _, action := range granted[does][kinds[n.Resource]] {
					want = append(want, action+" on "+title(string(n.Resource)))
					if n.Resource == host.Files {
						want = append(want, action+" on Files/*")
					}
					if kinds[n.Resource] == "table" && does == host.Read {
						want = append(want, action+" on "+title(string(n.Resource))+"/index/gsi1", action+" on "+title(string(n.Resource))+"/index/gsi2")
					}
				}
			}
		}
		if f.Feed != nil {
			want = append(want, "dynamodb:DescribeStream on MainStream", "dynamodb:GetRecords on MainStream", "dynamodb:GetShardIterator on MainStream",
				"dynamodb:ListStreams on Main/stream/*", "sqs:SendMessage on Unheard", "sqs:GetQueueAttributes on Unheard", "sqs:GetQueueUrl on Unheard")
		}
		for _, q := range host.QueuesOf([]host.Function{f}) {
			for _, action := range []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"} {
				want = append(want, action+" on "+title(string(q.Resource)))
			}
		}
		got := grants(t, made.services.one(t, "AWS::IAM::Policy", title(f.Name)+"RoleDefaultPolicy"))
		slices.Sort(want)
		require.Equal(t, slices.Compact(want), got, f.Name)
	}
}

// TestThePublicPagesAreGrantedNothing: what is open to everybody, and the same for everybody, reaches no table and no
// key.
func TestThePublicPagesAreGrantedNothing(t *testing.T) {
	require.Equal(t, []string{"logs:CreateLogStream on DocsLog", "logs:PutLogEvents on DocsLog"},
		grants(t, made.services.one(t, "AWS::IAM::Policy", "DocsRoleDefaultPolicy")))
	require.NotContains(t, text(made.services.one(t, "AWS::Lambda::Function", "DocsFunction").at("Environment")), "Secrets")
	require.NotContains(t, text(made.data.all("AWS::KMS::Key")), "Docs")
}

// grants are a policy's as "action on resource", sorted.
func grants(t *testing.T, policy resource) []string {
	var all []string
	for _, s := range policy.at("PolicyDocument", "Statement").([]any) {
		s := s.(map[string]any)
		require.Equal(t, "Allow", s["Effect"])
		for _, action := range several(s["Action"]) {
			require.NotContains(t, action, "*", "actions are named")
			for _, r := range several(s["Resource"]) {
				all = append(all, action.(string)+" on "+named(t, r))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func several(v any) []any {
	if l, is := v.([]any); is {
		return l
	}
	return []any{v}
}

// named is the resource of a reference, with what is written behind it.
func named(t *testing.T, v any) string {
	s := text(v)
	suffix := ""
	if _, rest, is := strings.Cut(s, `},"/`); is {
		suffix = "/" + rest[:strings.Index(rest, `"`)]
	}
	for _, name := range []string{"Main", "Pipeline", "Counters", "FreshDead", "RetryDead", "Fresh", "Retry", "Unheard", "Secrets", "Files"} {
		if strings.Contains(s, "GetAtt"+name) {
			if strings.Contains(s, "StreamArn") {
				return name + "Stream"
			}
			return name + suffix
		}
	}
	for _, f := range functions.List {
		if log := title(f.Name) + "Log"; strings.Contains(s, `"`+log) {
			return log
		}
	}
	require.Fail(t, "a grant on something unknown", s)
	return ""
}

// TestAnEmptyOperatorsTokenIsRefused: CloudFormation asks pattern and rule before it makes or changes anything.
func TestAnEmptyOperatorsTokenIsRefused(t *testing.T) {
	hash := func(token string) string { b := host.TokenHash(token); return hex.EncodeToString(b[:]) }
	p := made.services.Parameters["OperatorTokenHash"]
	require.NotContains(t, p, "Default")
	whole := regexp.MustCompile("^(?:" + p["AllowedPattern"].(string) + ")$") // as CloudFormation matches it
	good := hash("a token of the operator's")
	require.True(t, whole.MatchString(good))
	for _, bad := range []string{"", "no hash", good[1:], good + "0", strings.ToUpper(good), "g" + good[1:], " " + good} {
		require.False(t, whole.MatchString(bad), "%q", bad)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	require.Contains(t, text(made.services.Rules["OperatorTokenIsNotEmpty"]),
		`"Assert":{"Fn::Not":[{"Fn::Equals":[{"Ref":"OperatorTokenHash"},"`+empty+`"]}]}`)
}

func TestTriggersAreTheLists(t *testing.T) {
	streams, queues, clocks, uploads := 0, 0, 0, 0
	for _, f := range functions.List {
		name := title(f.Name) + "Function"
		switch {
		case f.Feed != nil:
			streams++
			m := made.services.one(t, "AWS::Lambda::EventSourceMapping", name+"Stream")
			require.Contains(t, text(m.at("EventSourceArn")), "GetAttMain")
			require.Contains(t, text(m.at("FunctionName")), title(f.Name)+"Live")
			require.Equal(t, `{"dynamodb":{"NewImage":{"ch":{"S":[{"exists":true}]}}}}`, m.at("FilterCriteria", "Filters", 0, "Pattern"))
			require.EqualValues(t, 500, m.at("BatchSize"))
			require.EqualValues(t, 1, m.at("MaximumBatchingWindowInSeconds"))
			require.EqualValues(t, 10, m.at("ParallelizationFactor"))
			require.EqualValues(t, 5, m.at("MaximumRetryAttempts"))
			require.EqualValues(t, 6*60*60, m.at("MaximumRecordAgeInSeconds"))
			require.Equal(t, true, m.at("BisectBatchOnFunctionError"))
			require.Equal(t, []any{"ReportBatchItemFailures"}, m.at("FunctionResponseTypes"))
			require.Contains(t, text(m.at("DestinationConfig", "OnFailure", "Destination")), "GetAttUnheard")
			require.Equal(t, "TRIM_HORIZON", m.at("StartingPosition"), "a new stack misses nothing")
		case f.Messages != nil:
			for _, q := range host.QueuesOf([]host.Function{f}) {
				queues++
				m := made.services.one(t, "AWS::Lambda::EventSourceMapping", name+title(string(q.Resource)))
				require.Contains(t, text(m.at("EventSourceArn")), "GetAtt"+title(string(q.Resource)))
				require.Contains(t, text(m.at("FunctionName")), title(f.Name)+"Live")
				require.EqualValues(t, 10, m.at("BatchSize"))
				require.Equal(t, []any{"ReportBatchItemFailures"}, m.at("FunctionResponseTypes"))
				require.EqualValues(t, map[host.Resource]int{host.Fresh: 400, host.Retry: 20}[q.Resource], m.at("ScalingConfig", "MaximumConcurrency"))
			}
		case f.Upload != nil:
			uploads++
			r := made.services.one(t, "AWS::Events::Rule", name+"Put")
			require.Equal(t, []any{"aws.s3"}, r.at("EventPattern", "source"))
			require.Equal(t, []any{"Object Created"}, r.at("EventPattern", "detail-type"))
			require.Equal(t, f.Upload.Prefix, r.at("EventPattern", "detail", "object", "key", 0, "prefix"))
			require.Contains(t, text(r.at("EventPattern", "detail", "bucket", "name")), "Files")
			require.Contains(t, text(r.at("Targets", 0, "Arn")), title(f.Name)+"Live")
		case f.Tick != nil:
			clocks++
			r := made.services.one(t, "AWS::Events::Rule", name+"Clock")
			require.Equal(t, "rate(1 minute)", r.at("ScheduleExpression"))
			require.Contains(t, text(r.at("Targets", 0, "Arn")), title(f.Name)+"Live")
		}
	}
	require.Len(t, made.services.all("AWS::Lambda::EventSourceMapping"), streams+queues)
	require.Len(t, made.services.all("AWS::Events::Rule"), clocks+uploads)
	require.Equal(t, []int{1, 2, 1, 1}, []int{streams, queues, clocks, uploads}, "a change has one way to the add-ons")
}

func TestTables(t *testing.T) {
	require.Len(t, made.data.all("AWS::DynamoDB::GlobalTable"), 3)
	for _, name := range []string{"Main", "Pipeline", "Counters"} {
		table := made.data.one(t, "AWS::DynamoDB::GlobalTable", name)
		require.Equal(t, "Retain", table.DeletionPolicy, name)
		require.Equal(t, "PAY_PER_REQUEST", table.at("BillingMode"))
		require.Equal(t, true, table.at("Replicas", 0, "DeletionProtectionEnabled"), name)
		require.Equal(t, true, table.at("Replicas", 0, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"), name)
		require.Equal(t, map[string]any{"AttributeName": "ttl", "Enabled": true}, table.at("TimeToLiveSpecification"))
		if name == "Counters" {
			require.JSONEq(t, `[{"AttributeName":"pk","KeyType":"HASH"}]`, text(table.at("KeySchema")))
			require.Nil(t, table.at("GlobalSecondaryIndexes"))
			continue
		}
		require.JSONEq(t, `[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]`, text(table.at("KeySchema")))
		require.JSONEq(t, `[
			{"IndexName":"gsi1","KeySchema":[{"AttributeName":"g1p","KeyType":"HASH"},{"AttributeName":"g1s","KeyType":"RANGE"}],
			 "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["parts"]}},
			{"IndexName":"gsi2","KeySchema":[{"AttributeName":"g2p","KeyType":"HASH"},{"AttributeName":"g2s","KeyType":"RANGE"}],
			 "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["parts"]}}]`, text(table.at("GlobalSecondaryIndexes")))
	}
	require.Equal(t, "NEW_IMAGE", made.data.one(t, "AWS::DynamoDB::GlobalTable", "Main").at("StreamSpecification", "StreamViewType"))
	for _, name := range []string{"Pipeline", "Counters"} {
		require.Nil(t, made.data.one(t, "AWS::DynamoDB::GlobalTable", name).at("StreamSpecification"), "only the main table tells")
	}
}

func TestQueuesLoseNothing(t *testing.T) {
	require.Len(t, made.data.all("AWS::SQS::Queue"), 5)
	for _, name := range []string{"Fresh", "Retry"} {
		q := made.data.one(t, "AWS::SQS::Queue", name)
		require.EqualValues(t, 5, q.at("RedrivePolicy", "maxReceiveCount"))
		require.Contains(t, text(q.at("RedrivePolicy", "deadLetterTargetArn")), name+"Dead")
	}
	for _, name := range []string{"FreshDead", "RetryDead", "Unheard"} {
		require.EqualValues(t, 14*24*60*60, made.data.one(t, "AWS::SQS::Queue", name).at("MessageRetentionPeriod"))
	}
	for id, q := range made.data.all("AWS::SQS::Queue") {
		require.Equal(t, "Retain", q.DeletionPolicy, id)
	}
	require.Len(t, made.data.all("AWS::SQS::QueuePolicy"), 5, "none without TLS")
}

// TestTimesAreInOrder: a message stays out of sight for longer than its function may run; else attempts double. That the
// function may run for longer than an attempt with its writes is delivery's own test, for both hosts.
func TestTimesAreInOrder(t *testing.T) {
	for _, f := range functions.List {
		for _, q := range host.QueuesOf([]host.Function{f}) {
			visible := made.data.one(t, "AWS::SQS::Queue", title(string(q.Resource))).at("VisibilityTimeout")
			require.EqualValues(t, q.Visibility.Seconds(), visible)
			require.Greater(t, q.Visibility, f.Timeout)
		}
	}
}

func TestDataOutlivesItsStack(t *testing.T) {
	stateful := []string{"AWS::DynamoDB::GlobalTable", "AWS::SQS::Queue", "AWS::KMS::Key", "AWS::S3::Bucket"}
	for _, kind := range stateful {
		for id, r := range made.data.all(kind) {
			require.Equal(t, "Retain", r.DeletionPolicy, id)
		}
		require.Empty(t, made.services.all(kind), "what holds state is in the other stack")
	}
	require.Equal(t, true, made.data.one(t, "AWS::KMS::Key", "Secrets").at("EnableKeyRotation"))
	b := made.data.one(t, "AWS::S3::Bucket", "Files")
	require.JSONEq(t, `{"BlockPublicAcls":true,"BlockPublicPolicy":true,"IgnorePublicAcls":true,"RestrictPublicBuckets":true}`,
		text(b.at("PublicAccessBlockConfiguration")))
	require.Equal(t, true, b.at("NotificationConfiguration", "EventBridgeConfiguration", "EventBridgeEnabled"), "uploads are heard of")
	require.Contains(t, text(made.data.all("AWS::S3::BucketPolicy")), `"aws:SecureTransport":"false"`)
}

func TestSomebodyIsTold(t *testing.T) {
	var metrics []string
	for id, a := range made.services.all("AWS::CloudWatch::Alarm") {
		require.Len(t, a.at("AlarmActions"), 1, id)
		metrics = append(metrics, text(a.at("MetricName")))
	}
	for _, m := range []string{"5xx", "Latency", "IteratorAge", "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible", "Throttles", "Errors"} {
		require.Contains(t, metrics, `"`+m+`"`)
	}
	require.Len(t, made.services.all("AWS::CloudWatch::Dashboard"), 1)
	board := strings.ReplaceAll(text(made.services.one(t, "AWS::CloudWatch::Dashboard", "Dashboard").Properties), `\`, "")
	for _, f := range []string{"batcher", "delivery"} {
		require.Contains(t, board, `"CallsParked","Function","`+f+`"`, "parked as it was queued, and at an attempt")
	}
	for _, f := range functions.List {
		if f.HTTP != nil {
			filter := made.services.one(t, "AWS::Logs::MetricFilter", title(f.Name)+"LogUncounted")
			require.Equal(t, `{ $.msg = "limit: counters unreachable, request served" }`, filter.at("FilterPattern"))
		}
	}
}

// TestNewVersionsComeInByAndBy: a tenth of the calls first, and back when the function's alarms ring.
func TestNewVersionsComeInByAndBy(t *testing.T) {
	groups := made.services.all("AWS::CodeDeploy::DeploymentGroup")
	require.Len(t, groups, len(functions.List))
	alarms := made.services.all("AWS::CloudWatch::Alarm")
	for _, f := range functions.List {
		g := made.services.one(t, "AWS::CodeDeploy::DeploymentGroup", title(f.Name)+"LiveRollout")
		require.Equal(t, "CodeDeployDefault.LambdaCanary10Percent5Minutes", g.at("DeploymentConfigName"))
		require.Equal(t, true, g.at("AutoRollbackConfiguration", "Enabled"))
		require.Contains(t, g.at("AutoRollbackConfiguration", "Events"), "DEPLOYMENT_STOP_ON_ALARM")
		watched := text(g.at("AlarmConfiguration", "Alarms"))
		for id, a := range alarms {
			errors := strings.HasPrefix(id, title(f.Name)+"Errors")
			faults := f.HTTP != nil && strings.HasPrefix(id, title(f.Name)+"Faults")
			require.Equal(t, errors || faults, strings.Contains(watched, `"`+id+`"`), "%s of %s", id, f.Name)
			if faults {
				require.Equal(t, []any{map[string]any{"Name": "Function", "Value": f.Name}}, a.at("Dimensions"))
			}
		}
		alias, found := "", false
		for id, r := range made.services.all("AWS::Lambda::Alias") {
			if strings.HasPrefix(id, title(f.Name)+"Live") {
				alias, found = id, r.UpdatePolicy["CodeDeployLambdaAliasUpdate"] != nil
			}
		}
		require.True(t, found, "CodeDeploy moves %s", alias)
	}
}

func TestARunOfTheClockThatFailsRings(t *testing.T) {
	for _, f := range functions.List {
		if f.Tick != nil {
			require.EqualValues(t, 1, made.services.one(t, "AWS::CloudWatch::Alarm", title(f.Name)+"Errors").at("Threshold"), "it runs once a minute")
		}
	}
}

func TestCdkNagFindsNothingWithoutAReason(t *testing.T) {
	for _, stack := range []awscdk.Stack{made.Data.Stack, made.Services.Stack} {
		said := assertions.Annotations_FromStack(stack)
		errors := said.FindError(jsii.String("*"), assertions.Match_StringLikeRegexp(jsii.String("AwsSolutions-.*")))
		warnings := said.FindWarning(jsii.String("*"), assertions.Match_StringLikeRegexp(jsii.String("AwsSolutions-.*")))
		require.Empty(t, *errors)
		require.Empty(t, *warnings)
	}
	reports, err := filepath.Glob(filepath.Join(made.folder, "AwsSolutions-*-NagReport.csv"))
	require.NoError(t, err)
	require.Len(t, reports, 2, "both stacks were looked at")
	for _, path := range reports {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(b), "Non-Compliant")
		require.Contains(t, string(b), "Suppressed")
	}
}

// linter is cfn-lint in a folder of its own beside the engines.
const linter = "cfn-lint==1.58.0"

func TestCfnLintFindsNothing(t *testing.T) {
	venv, err := filepath.Abs(filepath.Join("..", ".cache", "cfn-lint-1.58.0"))
	require.NoError(t, err)
	bin := filepath.Join(venv, "bin")
	if _, err := os.Stat(filepath.Join(bin, "cfn-lint")); err != nil {
		run(t, "python3", "-m", "venv", venv)
		run(t, filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check", linter)
	}
	// W3005: CDK writes down dependencies that follow from references, too.
	run(t, filepath.Join(bin, "cfn-lint"), "-i", "W3005", "--", filepath.Join(made.folder, dataStack+".template.json"),
		filepath.Join(made.folder, servicesStack+".template.json"))
}

func run(t *testing.T, name string, args ...string) {
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, string(out))
}
