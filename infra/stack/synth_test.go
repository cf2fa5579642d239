//go:build synth

// The tests of the stack. They need Node, and a first build of CDK's packages takes a minute: they are apart from the
// quick ones, by the tag synth.
package main

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
)

// template is a stack as CloudFormation is given it.
type template struct {
	Resources  map[string]resource
	Parameters map[string]map[string]any
	Rules      map[string]any
	Outputs    map[string]struct {
		Value  any
		Export map[string]any
	}

	bytes int // of its file
}

type resource struct {
	Type           string
	Properties     map[string]any
	Metadata       map[string]any
	DeletionPolicy string
	UpdatePolicy   map[string]any
	DependsOn      any

	// Set by cloudOf: the logical name, and those of DependsOn.
	id        string
	dependsOn map[string]bool
}

// installation is the platform of THE list as one environment has it.
type installation struct {
	Platform
	folder                                   string // of the templates
	data, services, monitoring, backup, edge string // their files; "" where none is
	said
}

// said is what is said of an installation: its environment's name, its settings, and what CDK's command line adds to
// the context and the shell to the environment's variables.
type said struct {
	environment       string
	settings, context map[string]any
	variables         map[string]string
}

// made is the platform synthesised once for all tests, with nothing but the name of its environment. whole is the
// platform with all that can be said of an installation.
var made struct {
	Platform
	data, services, monitoring template
	alone, whole               installation
}

// listed are the functions of THE list that run wherever nothing is said: all but the canary.
var listed = Settings{}.runs(functions.List)

// canaryNames are a shop and a package.
const canaryNames = "01KAZ3Q7V8J9RYXQ2W4T6B8C0D/01KAZ3Q7V8J9RYXQ2W4T6B8C0E"

// What is said of both.
var (
	alone = said{environment: "test"}
	whole = said{environment: "production", settings: map[string]any{"domain": "example.com",
		"alarmEmail": "ops@example.com", "noticeEmail": "team@example.com",
		"budget": 750, "concurrency": 3000,
		"backupVault":  "arn:aws:backup:eu-west-1:123456789012:backup-vault:eshop",
		"secondRegion": "eu-west-1", "canary": canaryNames}, variables: map[string]string{"FAST": "1"}}
)

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
	names := []string{"rehearsal"}
	for _, f := range functions.List {
		names = append(names, f.Name)
	}
	for _, name := range names {
		at := filepath.Join(folder, "build", name)
		if err := os.MkdirAll(at, 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(at, "bootstrap"), []byte{0}, 0o755); err != nil {
			panic(err)
		}
	}
	programs = filepath.Join(folder, "build")
	made.alone, made.whole = install(filepath.Join(folder, "alone"), alone),
		install(filepath.Join(folder, "whole"), whole)
	made.Platform, made.data, made.services = made.alone.Platform, read(made.alone.data), read(made.alone.services)
	made.monitoring = read(made.alone.monitoring)
}

// programs is the folder of the programs.
var programs string

// install synthesises the platform as the program does.
func install(folder string, said said) installation {
	app, err := newApp("../../cdk.json", &folder, said.context)
	if err != nil {
		panic(err)
	}
	b, err := json.Marshal(said.settings)
	if err != nil {
		panic(err)
	}
	s, err := said.read(string(b))
	if err != nil {
		panic(err)
	}
	i := installation{folder: folder, said: said,
		Platform: Build(app, functions.List, programs, s)}
	app.Synth(nil)
	file := func(stack awscdk.Stack) string { return filepath.Join(folder, *stack.StackName()+".template.json") }
	i.data, i.services, i.monitoring = file(i.Data.Stack), file(i.Services.Stack), file(i.Monitoring.Stack)
	if i.Backup != nil {
		i.backup = file(i.Backup.Stack)
	}
	if i.Edge != nil {
		i.edge = file(i.Edge.Stack)
	}
	return i
}

// read reads settings as the program does, from the text of a file.
func (s said) read(text string) (Settings, error) {
	file := filepath.Join(filepath.Dir(programs), s.environment+".json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return settings(func(name string) string {
		return cmp.Or(map[string]string{"ENV": s.environment, "SETTINGS": file}[name], s.variables[name])
	})
}

func read(file string) (t template) {
	b, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(b, &t); err != nil {
		panic(err)
	}
	t.bytes = len(b)
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
	for _, f := range listed {
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
	require.Len(t, made.services.all("AWS::Lambda::Function"), len(listed)+1, "and the rehearsal")
	for _, f := range listed {
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
			if n.Resource == host.Main && len(n.Keys) > 0 {
				continue // it stands there twice
			}
			if n.Resource == host.Files && slices.Contains(want, "FILES_BUCKET") {
				continue
			}
			want = append(want, map[host.Resource]string{host.Main: "MAIN_TABLE", host.Pipeline: "PIPELINE_TABLE",
				host.Counters: "COUNTER_TABLE",
				host.Fresh:    "FRESH_QUEUE", host.Retry: "RETRY_QUEUE", host.Secrets: "SECRETS_KEY",
				host.Signing: "SIGNING_KEY", host.Files: "FILES_BUCKET"}[n.Resource])
		}
		if f.HTTP != nil || f.Upload != nil {
			want = append(want, "RESERVED_SLUGS")
		}
		if f.Name == "operator" {
			want = append(want, "OPERATOR_TOKEN_HASH", "SECRETS")
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
	host.Read: {"table": {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"},
		"counters": {"dynamodb:BatchGetItem", "dynamodb:GetItem"},
		"files":    {"s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket", "s3:ListBucketVersions"}},
	host.Write: {"table": {"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem",
		"dynamodb:UpdateItem"},
		"counters": {"dynamodb:UpdateItem"}, "files": {"s3:AbortMultipartUpload", "s3:DeleteObject",
			"s3:PutObject"}},
	host.Note: {"table": {"dynamodb:UpdateItem"}},
	host.Send: {"queue": {"sqs:SendMessage"}},
	host.Seal: {"key": {"kms:GenerateDataKey"}},
	host.Open: {"key": {"kms:Decrypt"}},
}

// kinds say what each resource is to granted.
var kinds = map[host.Resource]string{host.Main: "table", host.Pipeline: "table", host.Counters: "counters",
	host.Fresh: "queue", host.Retry: "queue", host.Secrets: "key", host.Signing: "key", host.Files: "files"}

func TestGrantsAreTheListsNeedsAndNothingElse(t *testing.T) {
	require.Len(t, made.services.all("AWS::IAM::Role"), len(listed)+2,
		"one role a function, the rehearsal's and the rollout's")
	require.Len(t, made.services.all("AWS::IAM::Policy"), len(listed)+2)
	for _, f := range listed {
		role := made.services.one(t, "AWS::IAM::Role", title(f.Name)+"Role")
		require.Nil(t, role.at("ManagedPolicyArns"), "AWS's own policies allow more than we need")
		want := []string{"logs:CreateLogStream on " + title(f.Name) + "Log",
			"logs:PutLogEvents on " + title(f.Name) + "Log"}
		for _, n := range f.Needs {
			for _, does := range n.Does {
				for _, action := range granted[does][kinds[n.Resource]] {
					if kinds[n.Resource] == "key" {
						want = append(want,
							action+" on Secrets where kms:EncryptionContext:eshop is "+string(n.Resource))
						continue
					}
					if n.Resource == host.Main && len(n.Keys) > 0 {
						limited := action + " on " + title(string(n.Resource)) + " where dynamodb:LeadingKeys is " +
							strings.Join(n.Keys, " or ")
						if does == host.Note {
							limited += " and dynamodb:Attributes is pk or sk or ch or n." + strings.Join(n.Numbers, " ")
						}
						want = append(want, limited)
						continue
					}
					want = append(want, action+" on "+title(string(n.Resource)))
					if n.Resource == host.Files {
						for _, key := range n.Keys {
							want = append(want, action+" on Files/"+key)
						}
					}
					if kinds[n.Resource] == "table" && does == host.Read {
						want = append(want, action+" on "+title(string(n.Resource))+"/index/gsi1",
							action+" on "+title(string(n.Resource))+"/index/gsi2")
					}
				}
			}
		}
		if f.Feed != nil {
			want = append(want, "dynamodb:DescribeStream on MainStream", "dynamodb:GetRecords on MainStream",
				"dynamodb:GetShardIterator on MainStream",
				"dynamodb:ListStreams on Main/stream/*", "s3:ListBucket on Files", "s3:PutObject on Files/aws/lambda/*")
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

// TestWhoLetsPeopleInIsSaid: a guarded partition is written by those alone whom this table names, by no index or
// transaction either, since each item of one is asked for by itself. The emulator knows no leading keys.
func TestWhoLetsPeopleInIsSaid(t *testing.T) {
	const shop = "S#01KAZ3Q7V8J9RYXQ2W4T6B8C0D#"
	services := read(made.whole.services)
	for key, want := range map[string]string{
		"T#8f":               "admin canary developer operator sweeper tokens",
		"IC#8f":              "delivery developer tokens",
		"PKG#01":             "developer operator",
		"PCODE#gifts":        "developer operator",
		"DEV#01":             "developer operator sweeper",
		"DT#8f":              "developer operator sweeper",
		"OP#01":              "operator",
		"OT#8f":              "operator",
		shop + "ADMIN#01":    "admin developer operator sweeper",
		shop + "ALINK#8f":    "admin developer operator sweeper",
		shop + "ASESSION#8f": "admin",
		shop + "SESSION#8f":  "storefront",
		shop + "LINK#8f":     "admin storefront",
	} {
		for _, action := range []string{"PutItem", "DeleteItem", "UpdateItem"} {
			var got []string
			for _, f := range functions.List {
				policy := services.one(t, "AWS::IAM::Policy", title(f.Name)+"RoleDefaultPolicy")
				if mayWrite(policy, "dynamodb:"+action, key, "pk", "sk", "doc") {
					got = append(got, f.Name)
				}
			}
			slices.Sort(got)
			require.Equal(t, want, strings.Join(got, " "), "%s of %s", action, key)
		}
	}
	storefront := services.one(t, "AWS::IAM::Policy", "StorefrontRoleDefaultPolicy")
	require.True(t, mayWrite(storefront, "dynamodb:UpdateItem", "T#8f", "pk", "sk", "ch", "n.used"), "a token's use")
	products := services.one(t, "AWS::IAM::Policy", "ProductsRoleDefaultPolicy")
	for _, key := range []string{shop + "=XP#a#ADMIN#b", shop + "P#01", "S#01", shop + "ADMINS"} {
		require.True(t, mayWrite(products, "dynamodb:PutItem", key, "pk", "sk", "doc"), "%s is not guarded", key)
	}
}

// mayWrite says whether a role's policy lets it write an item of the main table with these attributes, as IAM decides.
func mayWrite(policy resource, action, key string, attributes ...string) (allowed bool) {
	asked := map[string][]string{"dynamodb:LeadingKeys": {key}, "dynamodb:Attributes": attributes}
	like := func(pattern any, value string) bool {
		whole := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern.(string)))
		return regexp.MustCompile("^" + whole + "$").MatchString(value)
	}
	holds := func(operator, name string, patterns []any) bool {
		matches := func(value string) bool {
			return slices.ContainsFunc(patterns, func(p any) bool { return like(p, value) })
		}
		switch operator {
		case "ForAllValues:StringLike":
			return !slices.ContainsFunc(asked[name], func(value string) bool { return !matches(value) })
		case "ForAnyValue:StringLike":
			return slices.ContainsFunc(asked[name], matches)
		case "ForAnyValue:StringNotLike":
			return slices.ContainsFunc(asked[name], func(value string) bool { return !matches(value) })
		}
		panic("an operator that the test does not know: " + operator)
	}
	for _, s := range policy.at("PolicyDocument", "Statement").([]any) {
		s := s.(map[string]any)
		applies := slices.Contains(several(s["Action"]), any(action)) &&
			strings.Contains(text(s["Resource"]), "GetAttMain")
		for operator, of := range conditionsOf(s) {
			for name, patterns := range of.(map[string]any) {
				applies = applies && holds(operator, name, several(patterns))
			}
		}
		if applies && s["Effect"] == "Deny" {
			return false
		}
		allowed = allowed || applies
	}
	return allowed
}

func conditionsOf(statement map[string]any) map[string]any {
	c, _ := statement["Condition"].(map[string]any)
	return c
}

// TestThePublicPagesAreGrantedNothing: what is open to everybody, and the same for everybody, reaches no table and no
// key.
func TestThePublicPagesAreGrantedNothing(t *testing.T) {
	require.Equal(t, []string{"logs:CreateLogStream on DocsLog", "logs:PutLogEvents on DocsLog"},
		grants(t, made.services.one(t, "AWS::IAM::Policy", "DocsRoleDefaultPolicy")))
	require.NotContains(t, text(made.services.one(t, "AWS::Lambda::Function",
		"DocsFunction").at("Environment")), "Secrets")
	require.NotContains(t, text(made.data.all("AWS::KMS::Key")), "Docs")
}

// TestOnlyDeliveryOpensSigningKeys: who opens them signs in the platform's name.
func TestOnlyDeliveryOpensSigningKeys(t *testing.T) {
	for _, f := range listed {
		may := slices.Contains(grants(t, made.services.one(t, "AWS::IAM::Policy", title(f.Name)+"RoleDefaultPolicy")),
			"kms:Decrypt on Secrets where kms:EncryptionContext:eshop is signing")
		require.Equal(t, f.Name == "delivery", may, f.Name)
	}
}

// TestAReaderMakesAndDeletesNothing: whoever puts a token's row, or an update of its fields, opens a shop to himself.
func TestAReaderMakesAndDeletesNothing(t *testing.T) {
	for _, grant := range grants(t, made.services.one(t, "AWS::IAM::Policy", "ChangesRoleDefaultPolicy")) {
		for _, action := range []string{"PutItem", "DeleteItem", "GenerateDataKey"} {
			require.NotContains(t, grant, action)
		}
		if action, on, _ := strings.Cut(grant, " on "); action == "dynamodb:UpdateItem" && on != "Counters" {
			require.Equal(t, "Main where dynamodb:LeadingKeys is T#* and "+
				"dynamodb:Attributes is pk or sk or ch or n.used", on)
		}
	}
}

// grants are a policy's as "action on resource", with its condition if it has one, sorted.
func grants(t *testing.T, policy resource) []string {
	var all []string
	for _, s := range policy.at("PolicyDocument", "Statement").([]any) {
		s := s.(map[string]any)
		if s["Effect"] == "Deny" {
			continue // see TestWhoLetsPeopleInIsSaid
		}
		for _, action := range several(s["Action"]) {
			require.NotContains(t, action, "*", "actions are named")
			for _, r := range several(s["Resource"]) {
				all = append(all, action.(string)+" on "+named(t, r)+where(t, s["Condition"]))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// where is a condition, of the two kinds that we have.
func where(t *testing.T, condition any) string {
	if condition == nil {
		return ""
	}
	one := condition.(map[string]any)
	require.Len(t, one, 1)
	if like, is := one["ForAllValues:StringLike"].(map[string]any); is {
		alternatives := func(key string) string {
			of := strings.Trim(fmt.Sprintf("%s", several(like[key])), "[]")
			return key + " is " + strings.ReplaceAll(of, " ", " or ")
		}
		if like["dynamodb:Attributes"] == nil {
			require.Len(t, like, 1)
			return " where " + alternatives("dynamodb:LeadingKeys")
		}
		require.Len(t, like, 2)
		return " where " + alternatives("dynamodb:LeadingKeys") + " and " + alternatives("dynamodb:Attributes")
	}
	for key, value := range one["StringEquals"].(map[string]any) {
		return " where " + key + " is " + value.(string)
	}
	return ""
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
	for _, name := range []string{"Main", "Pipeline", "Counters", "FreshDead", "RetryDead", "Fresh", "Retry", "Secrets",
		"Files"} {
		if strings.Contains(s, "GetAtt"+name) {
			if strings.Contains(s, "StreamArn") {
				return name + "Stream"
			}
			return name + suffix
		}
	}
	for _, f := range listed {
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
	for _, bad := range []string{"", "no hash", good[1:], good + "0", strings.ToUpper(good), "g" + good[1:],
		" " + good} {
		require.False(t, whole.MatchString(bad), "%q", bad)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	require.Contains(t, text(made.services.Rules["OperatorTokenIsNotEmpty"]),
		`"Assert":{"Fn::Not":[{"Fn::Equals":[{"Ref":"OperatorTokenHash"},"`+empty+`"]}]}`)
}

func TestTriggersAreTheLists(t *testing.T) {
	streams, queues, clocks, uploads := 0, 0, 0, 0
	for _, f := range listed {
		name := title(f.Name) + "Function"
		switch {
		case f.Feed != nil:
			streams++
			m := made.services.one(t, "AWS::Lambda::EventSourceMapping", name+"Stream")
			require.Contains(t, text(m.at("EventSourceArn")), "GetAttMain")
			require.Contains(t, text(m.at("FunctionName")), title(f.Name)+"Live")
			require.Equal(t, `{"dynamodb":{"NewImage":{"ch":{"S":[{"exists":true}]}}}}`,
				m.at("FilterCriteria", "Filters", 0, "Pattern"))
			require.EqualValues(t, 500, m.at("BatchSize"))
			require.EqualValues(t, 1, m.at("MaximumBatchingWindowInSeconds"))
			require.EqualValues(t, f.Feed.Parallel, m.at("ParallelizationFactor"))
			require.EqualValues(t, 1000, m.at("MaximumRetryAttempts"))
			require.EqualValues(t, 23*60*60, m.at("MaximumRecordAgeInSeconds"), "the stream forgets after 24 hours")
			require.Equal(t, true, m.at("BisectBatchOnFunctionError"))
			require.Equal(t, []any{"ReportBatchItemFailures"}, m.at("FunctionResponseTypes"))
			require.Contains(t, text(m.at("DestinationConfig", "OnFailure", "Destination")), "GetAttFiles")
			require.Equal(t, "TRIM_HORIZON", m.at("StartingPosition"), "a new stack misses nothing")
		case f.Messages != nil:
			for _, q := range host.QueuesOf([]host.Function{f}) {
				queues++
				m := made.services.one(t, "AWS::Lambda::EventSourceMapping", name+title(string(q.Resource)))
				require.Contains(t, text(m.at("EventSourceArn")), "GetAtt"+title(string(q.Resource)))
				require.Contains(t, text(m.at("FunctionName")), title(f.Name)+"Live")
				require.EqualValues(t, map[host.Resource]int{host.Fresh: 100, host.Retry: 10}[q.Resource],
					m.at("BatchSize"))
				require.EqualValues(t, map[host.Resource]int{host.Fresh: 1, host.Retry: 0}[q.Resource],
					m.at("MaximumBatchingWindowInSeconds"))
				require.Equal(t, []any{"ReportBatchItemFailures"}, m.at("FunctionResponseTypes"))
				require.EqualValues(t, map[host.Resource]int{host.Fresh: 400, host.Retry: 20}[q.Resource],
					m.at("ScalingConfig", "MaximumConcurrency"))
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
	require.Equal(t, []int{2, 2, 1, 2}, []int{streams, queues, clocks, uploads},
		"a change has one way to the add-ons, and one to the index of searches")
}

func TestTables(t *testing.T) {
	require.Len(t, made.data.all("AWS::DynamoDB::GlobalTable"), 3)
	for _, name := range []string{"Main", "Pipeline", "Counters"} {
		table := made.data.one(t, "AWS::DynamoDB::GlobalTable", name)
		require.Equal(t, "Retain", table.DeletionPolicy, name)
		require.Equal(t, "PAY_PER_REQUEST", table.at("BillingMode"))
		kept := map[bool]any{true: true}[name != "Counters"] // nil: what counts for a day needs no restoring
		require.Equal(t, kept, table.at("Replicas", 0, "DeletionProtectionEnabled"), name)
		require.Equal(t, kept, table.at("Replicas", 0, "PointInTimeRecoverySpecification",
			"PointInTimeRecoveryEnabled"), name)
		require.Equal(t, map[string]any{"AttributeName": "ttl", "Enabled": true}, table.at("TimeToLiveSpecification"))
		if name == "Counters" {
			require.JSONEq(t, `[{"AttributeName":"pk","KeyType":"HASH"}]`, text(table.at("KeySchema")))
			require.Nil(t, table.at("GlobalSecondaryIndexes"))
			continue
		}
		require.JSONEq(t, `[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]`,
			text(table.at("KeySchema")))
		require.JSONEq(t, `[
			{"IndexName":"gsi1","KeySchema":[{"AttributeName":"g1p","KeyType":"HASH"},{"AttributeName":"g1s","KeyType":"RANGE"}],
			 "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["parts"]}},
			{"IndexName":"gsi2","KeySchema":[{"AttributeName":"g2p","KeyType":"HASH"},{"AttributeName":"g2s","KeyType":"RANGE"}],
			 "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["parts"]}}]`, text(table.at("GlobalSecondaryIndexes")))
	}
	require.Equal(t, "NEW_AND_OLD_IMAGES", made.data.one(t, "AWS::DynamoDB::GlobalTable", "Main").at(
		"StreamSpecification", "StreamViewType"), "DynamoDB replicates by them")
	for _, name := range []string{"Pipeline", "Counters"} {
		require.Nil(t, made.data.one(t, "AWS::DynamoDB::GlobalTable", name).at("StreamSpecification"),
			"only the main table tells")
	}
}

func TestQueuesLoseNothing(t *testing.T) {
	require.Len(t, made.data.all("AWS::SQS::Queue"), 4)
	for _, name := range []string{"Fresh", "Retry"} {
		q := made.data.one(t, "AWS::SQS::Queue", name)
		require.EqualValues(t, 1000, q.at("RedrivePolicy", "maxReceiveCount"))
		require.Contains(t, text(q.at("RedrivePolicy", "deadLetterTargetArn")), name+"Dead")
	}
	for _, name := range []string{"FreshDead", "RetryDead"} {
		require.EqualValues(t, 14*24*60*60, made.data.one(t, "AWS::SQS::Queue", name).at("MessageRetentionPeriod"))
	}
	for id, q := range made.data.all("AWS::SQS::Queue") {
		require.Equal(t, "Retain", q.DeletionPolicy, id)
	}
	require.Len(t, made.data.all("AWS::SQS::QueuePolicy"), 4, "none without TLS")
}

// TestTimesAreInOrder: a message stays out of sight for longer than its function may run; else attempts double. That
// the function may run for longer than an attempt with its writes is delivery's own test, for both hosts.
func TestTimesAreInOrder(t *testing.T) {
	for _, f := range listed {
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
	require.Equal(t, true, b.at("NotificationConfiguration", "EventBridgeConfiguration", "EventBridgeEnabled"),
		"uploads are heard of")
	require.Contains(t, text(made.data.all("AWS::S3::BucketPolicy")), `"aws:SecureTransport":"false"`)
}

// TestFilesEndInTime: by the days after which an object of a prefix ends, and a version behind it. What stands for a
// deleted one ends with the last version, which S3 takes in no rule that ends objects.
func TestFilesEndInTime(t *testing.T) {
	got := map[string]string{}
	rules := made.data.one(t, "AWS::S3::Bucket", "Files").at("LifecycleConfiguration", "Rules").([]any)
	for _, r := range rules {
		r := resource{Properties: r.(map[string]any)}
		prefix, _ := r.at("Prefix").(string)
		got[prefix] = text([]any{r.at("ExpirationInDays"), r.at("NoncurrentVersionExpiration", "NoncurrentDays"),
			r.at("ExpiredObjectDeleteMarker")})
	}
	require.Equal(t, map[string]string{"": "[null,30,true]", "imports/": "[30,null,null]",
		"exports/": "[30,null,null]", "drafts/": "[1,1,null]", "exported/": "[1,1,null]",
		"aws/lambda/": "[30,30,null]"}, got)
}

// TestNewVersionsComeInByAndBy: a tenth of the calls first, and back when the alarm of that version rings. The alarms
// that tell of the function whatever its version stop no deployment: it may be what ends them.
func TestNewVersionsComeInByAndBy(t *testing.T) {
	groups := made.services.all("AWS::CodeDeploy::DeploymentGroup")
	require.Len(t, groups, len(listed))
	for _, f := range listed {
		g := made.services.one(t, "AWS::CodeDeploy::DeploymentGroup", title(f.Name)+"LiveRollout")
		require.Equal(t, "CodeDeployDefault.LambdaCanary10Percent15Minutes", g.at("DeploymentConfigName"))
		require.Equal(t, true, g.at("AutoRollbackConfiguration", "Enabled"))
		require.Contains(t, g.at("AutoRollbackConfiguration", "Events"), "DEPLOYMENT_STOP_ON_ALARM")
		require.Equal(t, true, g.at("AlarmConfiguration", "Enabled"))
		watched := text(g.at("AlarmConfiguration", "Alarms"))
		for id, a := range made.services.all("AWS::CloudWatch::Alarm") {
			its := strings.HasPrefix(id, title(f.Name)+"NewVersion")
			require.Equal(t, its, strings.Contains(watched, `"`+id+`"`), "%s of %s", id, f.Name)
			if !its {
				continue
			}
			require.EqualValues(t, lambda.RolloutFailures(f), a.at("Threshold"))
			require.EqualValues(t, 1, a.at("EvaluationPeriods"))
			metrics := a.at("Metrics").([]any)
			require.Equal(t, "IF((FILL(errors, 0) + FILL(faults, 0)) * 100 >= FILL(calls, 0) * 1, (FILL(errors, "+
				"0) + FILL(faults, 0)), 0)",
				metrics[0].(map[string]any)["Expression"])
			require.Len(t, metrics, 4)
			for _, m := range metrics[1:] {
				require.Contains(t, text(m), `"Fn::GetAtt":["`+title(f.Name)+"FunctionCurrentVersion",
					"of that version alone")
				require.Contains(t, text(m), `"Period":300`)
				require.Contains(t, text(m), `"Stat":"Sum"`)
			}
		}
		fast := fileOf(t, made.whole.services).one(t, "AWS::CodeDeploy::DeploymentGroup", title(f.Name)+"LiveRollout")
		require.Equal(t, "CodeDeployDefault.LambdaAllAtOnce", fast.at("DeploymentConfigName"), "FAST=1 is the way back")
		require.Equal(t, false, fast.at("AlarmConfiguration", "Enabled"), "whatever alarms ring")
		alias, found := "", false
		for id, r := range made.services.all("AWS::Lambda::Alias") {
			if strings.HasPrefix(id, title(f.Name)+"Live") {
				alias, found = id, r.UpdatePolicy["CodeDeployLambdaAliasUpdate"] != nil
			}
		}
		require.True(t, found, "CodeDeploy moves %s", alias)
		update := made.services.Resources[alias].UpdatePolicy["CodeDeployLambdaAliasUpdate"].(map[string]any)
		require.Contains(t, text(update["BeforeAllowTrafficHook"]), "RehearsalFunction",
			"it is called once before anybody else calls it")
	}
}

// TestTheRehearsalMayCallNewVersionsOnly: each by its own number, and it may tell CodeDeploy of them.
func TestTheRehearsalMayCallNewVersionsOnly(t *testing.T) {
	called := map[string]bool{}
	for _, s := range made.services.one(t, "AWS::IAM::Policy", "RehearsalRoleDefaultPolicy").at("PolicyDocument",
		"Statement").([]any) {
		s := s.(map[string]any)
		switch actions := text(s["Action"]); {
		case strings.Contains(actions, "lambda:"):
			require.Equal(t, `"lambda:InvokeFunction"`, actions)
			for _, on := range several(s["Resource"]) {
				id, _ := on.(map[string]any)["Ref"].(string)
				require.Equal(t, "AWS::Lambda::Version", made.services.Resources[id].Type, id)
				called[id[:strings.Index(id, "FunctionCurrentVersion")]] = true
			}
		case strings.Contains(actions, "codedeploy:"):
			require.JSONEq(t, `["codedeploy:BatchGetDeploymentTargets","codedeploy:ListDeploymentTargets",`+
				`"codedeploy:PutLifecycleEventHookExecutionStatus"]`, actions)
			require.Len(t, s["Resource"], len(listed))
		default:
			require.JSONEq(t, `["logs:CreateLogStream","logs:PutLogEvents"]`, actions)
		}
	}
	require.Len(t, called, len(listed))
	names := text(made.services.one(t, "AWS::Lambda::Function", "RehearsalFunction").at("Environment", "Variables",
		"FUNCTIONS"))
	for _, f := range listed {
		require.Contains(t, names, `\"`+f.Name+`\":\"",{"Ref":"`+title(f.Name)+"Function")
	}
}

// TestTheCanaryIsThereWhereItIsAskedFor, and its new versions come into use at once: it fails when the platform does.
func TestTheCanaryIsThereWhereItIsAskedFor(t *testing.T) {
	full := fileOf(t, made.whole.services)
	l := full.one(t, "AWS::Lambda::Function", "CanaryFunction")
	require.Equal(t, canaryNames, l.at("Environment", "Variables", "CANARY"))
	require.EqualValues(t, 1, l.at("ReservedConcurrentExecutions"), "no two runs at a time")
	require.Equal(t, "rate(5 minutes)",
		full.one(t, "AWS::Events::Rule", "CanaryFunctionClock").at("ScheduleExpression"))
	require.Len(t, full.all("AWS::CodeDeploy::DeploymentGroup"), len(listed))
	for id := range full.Resources {
		require.False(t, strings.HasPrefix(id, "CanaryNewVersion"), id)
	}
}

// fileOf is the template in a file.
func fileOf(t *testing.T, file string) template {
	t.Helper()
	require.FileExists(t, file)
	return read(file)
}

// TestTwoEnvironmentsShareNothing: what has a name of its own in one, or is found under one, is another's in the other.
// They share what is the account's: its limit of concurrent executions.
func TestTwoEnvironmentsShareNothing(t *testing.T) {
	for file, environment := range map[string]string{made.alone.services: "test", made.alone.data: "test",
		made.alone.monitoring: "test", made.whole.services: "production", made.whole.data: "production",
		made.whole.monitoring: "production", made.whole.edge: "production", made.whole.backup: "production"} {
		for id, r := range fileOf(t, file).Resources {
			for property, v := range r.Properties {
				name, is := v.(string)
				// AWS's own names, that of a part of a role, and what the settings say
				inner := []string{"DeploymentConfigName", "MetricName", "PolicyName", "DomainName"}
				if is && strings.HasSuffix(property, "Name") && !slices.Contains(inner, property) &&
					!slices.Contains([]string{"live", "$default"}, name) {
					require.Contains(t, name, environment, "%s of %s", property, id)
				}
			}
			if r.Type == "AWS::CloudWatch::Alarm" || r.Type == "AWS::CloudWatch::Dashboard" {
				ofEnvironment(t, id, environment, r)
			}
			require.NotContains(t, text(r.Properties),
				map[string]string{"test": "Eshop-production", "production": "Eshop-test"}[environment], id)
		}
	}
}

// ofEnvironment holds each metric of an alarm or of the dashboard against the environment's name.
func ofEnvironment(t *testing.T, id, environment string, r resource) {
	if strings.HasPrefix(id, "AccountConcurrency") {
		return
	}
	said := strings.ReplaceAll(text(r.Properties), `\`, "")
	for _, own := range regexp.MustCompile(`\["Eshop",[^\]]*`).FindAllString(said, -1) { // of the dashboard
		require.Contains(t, own, `"Environment","`+environment+`"`, id)
	}
	metrics, _ := r.at("Metrics").([]any)
	for _, m := range append(metrics, r.Properties) {
		m, _ := m.(map[string]any)
		if stat, is := m["MetricStat"].(map[string]any); is {
			m = stat["Metric"].(map[string]any)
		}
		switch m["Namespace"] {
		case "Eshop":
			require.Contains(t, text(m["Dimensions"]), `{"Name":"Environment","Value":"`+environment+`"}`, id)
		case "AWS/WAFV2":
			require.Contains(t, text(m["Dimensions"]), `{"Name":"WebACL","Value":"Eshop-`+environment+`"}`, id)
		case "AWS/Lambda", "AWS/SQS", "AWS/DynamoDB", "AWS/ApiGateway":
			require.Regexp(t, `"Ref"|"Fn::GetAtt"|"Fn::ImportValue"|"Fn::GetStackOutput"`, text(m["Dimensions"]),
				"%s watches what is the stack's own", id)
		}
	}
}

// TestWhoeverRunsTheProgramGetsTheSameTemplates: CDK's command line hands on a context of its own.
func TestWhoeverRunsTheProgramGetsTheSameTemplates(t *testing.T) {
	cli := install(filepath.Join(filepath.Dir(made.alone.folder), "cli"), said{environment: "test",
		context: map[string]any{"aws:cdk:bundling-stacks": []string{"**"}, "aws:cdk:version-reporting": true}})
	for a, b := range map[string]string{made.alone.data: cli.data, made.alone.services: cli.services,
		made.alone.monitoring: cli.monitoring} {
		want, err := os.ReadFile(a)
		require.NoError(t, err)
		got, err := os.ReadFile(b)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}

	destroyed, err := exec.CommandContext(t.Context(), "make", "-C", "../..", "--no-print-directory", "-n", "destroy",
		"ENV=staging", "CONFIRM=Eshop-staging").CombinedOutput()
	require.NoError(t, err, string(destroyed))
	require.Regexp(t, `cdk destroy .*--exclusively .* Eshop-staging-Monitoring Eshop-staging\n`, string(destroyed),
		"the stack of the data stays")

	for _, target := range []string{"synth", "diff"} {
		out, err := exec.CommandContext(t.Context(), "make", "-C", "../..", "--no-print-directory", "-n", target,
			"ENV=staging").CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "go run ./infra/stack/build/cmd")
		require.Contains(t, string(out), "ENV=staging CDK_OUTDIR=infra/cdk.out go run ./infra/stack")
		if target != "synth" {
			require.Contains(t, string(out), "cdk "+target+" --app infra/cdk.out",
				"what was synthesised, and nothing else, is deployed")
		}
	}
}

// TestEachProgramIsFoundByItsTemplate: `sam local invoke` looks there.
func TestEachProgramIsFoundByItsTemplate(t *testing.T) {
	for id, f := range made.services.all("AWS::Lambda::Function") {
		path, _ := f.Metadata["aws:asset:path"].(string)
		require.NotEmpty(t, path, id)
		require.Equal(t, "Code", f.Metadata["aws:asset:property"], id)
		require.FileExists(t, filepath.Join(made.alone.folder, path, "bootstrap"), id)
	}
}

// TestTheDocumentationIsSmall: it is the first that a stranger calls, and all in its program. A program that runs
// templates keeps every method that one could call, and is twice as big.
func TestTheDocumentationIsSmall(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bootstrap")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w", "-o", out,
		"eshop/functions/docs/lambda")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	file, err := os.Stat(out)
	require.NoError(t, err)
	require.Less(t, file.Size(), int64(16_000_000))
}

// TestASecondPlaceHasTheData, where the settings name one: it is copied as the guide says, and somebody is told when it
// is not.
func TestASecondPlaceHasTheData(t *testing.T) {
	require.Nil(t, made.Backup, "without a setting there is none of it")
	require.NotContains(t, text(made.monitoring.Resources), "AWS/Backup")
	backup := fileOf(t, made.whole.backup)
	plan := backup.Resources[onlyOne(t, backup, "AWS::Backup::BackupPlan")]
	rule := func(path ...any) any { return plan.at(append([]any{"BackupPlan", "BackupPlanRule", 0}, path...)...) }
	require.Equal(t, whole.settings["backupVault"], rule("CopyActions", 0, "DestinationBackupVaultArn"))
	require.EqualValues(t, 14, rule("CopyActions", 0, "Lifecycle", "DeleteAfterDays"))
	require.EqualValues(t, 2, rule("Lifecycle", "DeleteAfterDays"), "until there is the next one")
	require.Equal(t, "cron(0 0 * * ? *)", rule("ScheduleExpression"))
	selected := backup.Resources[onlyOne(t, backup, "AWS::Backup::BackupSelection")]
	require.Len(t, selected.at("BackupSelection", "Resources"), 2)
	for _, of := range []string{"Main", "Files"} {
		require.Contains(t, text(selected.at("BackupSelection", "Resources")), "FnGetAtt"+of)
	}
	data := fileOf(t, made.whole.data)
	for _, name := range []string{"Main", "Pipeline", "Counters"} {
		replicas := data.one(t, "AWS::DynamoDB::GlobalTable", name).at("Replicas").([]any)
		if name != "Main" {
			require.Len(t, replicas, 1, name)
			continue
		}
		require.JSONEq(t, `{"Region":"eu-west-1","DeletionProtectionEnabled":true,
			"Tags":[{"Key":"environment","Value":"production"}],
			"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}`, text(replicas[1]))
		require.Equal(t, map[string]any{"Ref": "AWS::Region"}, replicas[0].(map[string]any)["Region"])
	}
	role := backup.Resources[onlyOne(t, backup, "AWS::IAM::Role")]
	for _, may := range []string{"service-role/AWSBackupServiceRolePolicyForBackup", "S3Backup"} {
		require.Contains(t, text(role.at("ManagedPolicyArns")), may)
	}
	rings := text(fileOf(t, made.whole.monitoring).one(t, "AWS::CloudWatch::Alarm", "CopiesFailed").at("Metrics"))
	for _, vault := range []string{"Eshop-production", "eshop"} {
		require.Contains(t, rings, `{"Name":"BackupVaultName","Value":"`+vault+`"}`)
	}
}

// TestTheKeyCanHaveAReplica, in each installation: CloudFormation refuses to make a key such a one later.
func TestTheKeyCanHaveAReplica(t *testing.T) {
	require.Equal(t, true, made.data.one(t, "AWS::KMS::Key", "Secrets").at("MultiRegion"))
}

// What restored tables are known by, and a key that opens what is in them.
const (
	stream = "arn:aws:dynamodb:eu-central-1:123456789012:table/main-of-monday/stream/2026-11-23T00:00:00.000"
	key    = "arn:aws:kms:eu-central-1:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab"
)

// TestRestoredTablesStandBehindTheFunctions: the functions, their grants, the stream's mapping and the alarms are of
// them, and the key is the one that opens what is in them. The stack of the data is the same, so that a deployment goes
// there and back.
func TestRestoredTablesStandBehindTheFunctions(t *testing.T) {
	restored := install(filepath.Join(filepath.Dir(made.alone.folder), "restored"), said{environment: "test",
		settings: map[string]any{"mainStream": stream, "pipelineTable": "pipeline-of-monday", "secretsKey": key}})
	was, err := os.ReadFile(made.alone.data)
	require.NoError(t, err)
	is, err := os.ReadFile(restored.data)
	require.NoError(t, err)
	require.Equal(t, string(was), string(is))

	services := fileOf(t, restored.services)
	for id, r := range services.Resources {
		require.NotRegexp(t, `ImportValue":"[^"]*(Main|Pipeline|Secrets)`, text(r.Properties), id)
	}
	for id, f := range services.all("AWS::Lambda::Function") {
		env, _ := f.at("Environment", "Variables").(map[string]any)
		for variable, is := range map[string]string{"MAIN_TABLE": "main-of-monday",
			"PIPELINE_TABLE": "pipeline-of-monday", "SECRETS_KEY": key, "SIGNING_KEY": key} {
			if env[variable] != nil {
				require.Equal(t, is, env[variable], id)
			}
		}
	}
	require.Contains(t, text(services.one(t, "AWS::IAM::Policy", "DeliveryRoleDefaultPolicy").Properties),
		`"Action":"kms:Decrypt","Condition":{"StringEquals":{"kms:EncryptionContext:eshop":"signing"}},`+
			`"Effect":"Allow","Resource":"`+key+`"`)
	require.Contains(t, text(services.all("AWS::Lambda::EventSourceMapping")), stream)
	for id, r := range fileOf(t, restored.monitoring).Resources {
		require.NotRegexp(t, `ImportValue":"[^"]*(Main|Pipeline)[A-F0-9]{8}`, text(r.Properties), id)
	}
}

// TestAReplicaStandsBehindTheFunctions with the pipeline that the stack there has of its own.
func TestAReplicaStandsBehindTheFunctions(t *testing.T) {
	there := fileOf(t, install(filepath.Join(filepath.Dir(made.alone.folder), "there"), said{environment: "test",
		settings: map[string]any{"mainStream": stream, "secretsKey": key}}).services)
	env := there.one(t, "AWS::Lambda::Function", "DeliveryFunction").at("Environment", "Variables").(map[string]any)
	require.Equal(t, "main-of-monday", env["MAIN_TABLE"])
	require.Contains(t, text(env["PIPELINE_TABLE"]), "Pipeline")
	require.Contains(t, text(env["PIPELINE_TABLE"]), "Fn::ImportValue")
}

func onlyOne(t *testing.T, in template, kind string) string {
	all := in.all(kind)
	require.Len(t, all, 1)
	for id := range all {
		return id
	}
	return ""
}

func TestTheDoorIsBounded(t *testing.T) {
	for _, in := range []template{made.services, fileOf(t, made.whole.services)} {
		require.EqualValues(t, 5000, in.one(t, "AWS::ApiGatewayV2::Stage", "Stage").at("DefaultRouteSettings",
			"ThrottlingRateLimit"))
		require.EqualValues(t, 2500, in.one(t, "AWS::ApiGatewayV2::Stage", "Stage").at("DefaultRouteSettings",
			"ThrottlingBurstLimit"))
	}
}

// TestAClosedInstallationAnswersNobody, and nothing calls its functions; its functions are those of before.
func TestAClosedInstallationAnswersNobody(t *testing.T) {
	closed := fileOf(t, install(filepath.Join(filepath.Dir(made.alone.folder), "closed"), said{environment: "test",
		variables: map[string]string{"CLOSED": "1"}}).services)
	stage := closed.one(t, "AWS::ApiGatewayV2::Stage", "Stage").at("DefaultRouteSettings")
	require.Equal(t, map[string]any{"ThrottlingRateLimit": 0.0, "ThrottlingBurstLimit": 0.0}, stage)
	for in, open := range map[*template]bool{&closed: false, &made.services: true} {
		for id, m := range in.all("AWS::Lambda::EventSourceMapping") {
			require.Equal(t, open, m.at("Enabled"), id)
		}
		for id, r := range in.all("AWS::Events::Rule") {
			require.Equal(t, map[bool]string{true: "ENABLED", false: "DISABLED"}[open], r.at("State"), id)
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(made.services.all("AWS::Lambda::Version"))),
		slices.Sorted(maps.Keys(closed.all("AWS::Lambda::Version"))))
}

// TestWhatTheEdgeDoesBeforeItLooksIntoTheCache runs its programs: the gateway is told the host and the visitor's
// address, whatever the visitor says of them, and a width that no image has is not in the cache's key.
func TestWhatTheEdgeDoesBeforeItLooksIntoTheCache(t *testing.T) {
	const asked = `{"host":{"value":"tea.example.com"},"x-viewer-host":{"value":"coffee.example.com",
		"multiValue":[{"value":"coffee.example.com"},{"value":"x"}]},"x-viewer-address":{"value":"10.0.0.1"}}`
	const told = `{"host":{"value":"tea.example.com"},"x-viewer-host":{"value":"tea.example.com"},
		"x-viewer-address":{"value":"198.51.100.7"}}`
	edge := fileOf(t, made.whole.edge)
	programs := edge.all("AWS::CloudFront::Function")
	require.Len(t, programs, 2)
	for id, program := range programs {
		for query, want := range map[string]string{
			`{}`:                    `{}`,
			`{"w":{"value":"320"}}`: `{"w":{"value":"320"}}`,
			`{"w":{"value":"1280"},"x":{"value":"1"}}`: `{"w":{"value":"1280"}}`,
			`{"w":{"value":"321"}}`:                    `{}`,
			`{"w":{"value":"0320"}}`:                   `{}`,
			`{"w":{"value":""}}`:                       `{}`,
			`{"x":{"value":"320"}}`:                    `{}`,
			`{"w":{"value":"320","multiValue":[{"value":"320"},{"value":"1"}]}}`: `{}`,
		} {
			if !strings.HasPrefix(id, "Widths") {
				want = query
			}
			run := exec.Command("node", "-e", program.at("FunctionCode").(string)+
				`;console.log(JSON.stringify(handler({viewer:{ip:"198.51.100.7"},request:{uri:"/",querystring:`+query+
				`,headers:`+asked+`}})))`)
			got, err := run.Output()
			require.NoError(t, err)
			require.JSONEq(t, `{"uri":"/","querystring":`+want+`,"headers":`+told+`}`, string(got), id+query)
		}
	}
}

// TestADomainHasAnEdgeInFront, without which no function answers: requests reach the door with the host that they were
// sent to, and the edge's secret. No shop has a name in it.
func TestADomainHasAnEdgeInFront(t *testing.T) {
	edge, services := fileOf(t, made.whole.edge), fileOf(t, made.whole.services)
	d := edge.one(t, "AWS::CloudFront::Distribution", "Distribution")
	front := func(path ...any) any { return d.at(append([]any{"DistributionConfig"}, path...)...) }
	names := []any{"*.example.com", "*.admin.example.com"}
	require.Equal(t, "tenant-only", front("ConnectionMode"))
	for _, refused := range []string{"Aliases", "IPV6Enabled", "PriceClass", "Staging", "AnycastIpListId"} {
		require.Nil(t, front(refused), "CloudFront knows it of a distribution with names of its own")
	}
	certificate := onlyOne(t, edge, "AWS::CertificateManager::Certificate")
	require.Equal(t, map[string]any{"AcmCertificateArn": map[string]any{"Ref": certificate},
		"MinimumProtocolVersion": "TLSv1.2_2021", "SslSupportMethod": "sni-only"}, front("ViewerCertificate"))
	require.Equal(t, names[0], edge.Resources[certificate].at("DomainName"))
	require.Equal(t, names[1:], edge.Resources[certificate].at("SubjectAlternativeNames"))
	group := onlyOne(t, edge, "AWS::CloudFront::ConnectionGroup")
	ofGroup := map[string]any{"Fn::GetAtt": []any{group, "Id"}}
	itself := map[string]any{"Ref": onlyOne(t, edge, "AWS::CloudFront::Distribution")}
	tenant := edge.Resources[onlyOne(t, edge, "AWS::CloudFront::DistributionTenant")]
	require.Equal(t, names, tenant.at("Domains"))
	require.Equal(t, ofGroup, tenant.at("ConnectionGroupId"))
	require.Equal(t, itself, tenant.at("DistributionId"))
	require.Equal(t, "Eshop-production-Edge", tenant.at("Name"))
	require.Equal(t, true, edge.Resources[group].at("Ipv6Enabled"))
	for name, value := range map[string]any{"DistributionId": itself, "ConnectionGroupId": ofGroup,
		"Edge": map[string]any{"Fn::GetAtt": []any{group, "RoutingEndpoint"}}} {
		require.Equal(t, value, edge.Outputs[name].Value, "make shop-domain reads it")
	}
	require.Equal(t, map[string]any{"Ref": "Origin"}, front("Origins", 0, "DomainName"))
	require.JSONEq(t, `{"Fn::Select":[2,{"Fn::Split":["/",{"Fn::GetAtt":["`+
		onlyOne(t, services, "AWS::ApiGatewayV2::Api")+`","ApiEndpoint"]}]}]}`, text(services.Outputs["Origin"].Value))
	require.Equal(t, "https-only", front("Origins", 0, "CustomOriginConfig", "OriginProtocolPolicy"))
	require.JSONEq(t, `[{"HeaderName":"X-Origin-Secret","HeaderValue":{"Ref":"EdgeSecret"}}]`,
		text(front("Origins", 0, "OriginCustomHeaders")))
	require.Equal(t, "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", front("DefaultCacheBehavior", "CachePolicyId"),
		"AWS's policy CachingDisabled")
	require.Equal(t, "b689b0a8-53d0-40ab-baf2-68738e2966ac", front("DefaultCacheBehavior", "OriginRequestPolicyId"),
		"AWS's policy AllViewerExceptHostHeader: the gateway is found by its own host")
	kept := edge.Resources[onlyOne(t, edge, "AWS::CloudFront::CachePolicy")]
	inKey := func(path ...any) any {
		return kept.at(append([]any{"CachePolicyConfig", "ParametersInCacheKeyAndForwardedToOrigin"}, path...)...)
	}
	require.Equal(t, []any{"X-Viewer-Host"}, inKey("HeadersConfig", "Headers"), "each shop has its own answers")
	require.Equal(t, "none", inKey("CookiesConfig", "CookieBehavior"), "no answer to somebody's cookie is kept")
	require.Equal(t, []any{"w"}, inKey("QueryStringsConfig", "QueryStrings"))
	require.Zero(t, kept.at("CachePolicyConfig", "MinTTL"), "nothing is kept for longer than it says")
	require.Zero(t, kept.at("CachePolicyConfig", "DefaultTTL"))
	var statuses []int
	for _, e := range front("CustomErrorResponses").([]any) {
		require.Zero(t, e.(map[string]any)["ErrorCachingMinTTL"], "what one is refused nobody else is shown")
		statuses = append(statuses, int(e.(map[string]any)["ErrorCode"].(float64)))
	}
	require.Equal(t, []int{400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504}, statuses,
		"all that CloudFront would keep")
	policy := onlyOne(t, edge, "AWS::CloudFront::ResponseHeadersPolicy")
	require.Equal(t, map[string]any{"Override": true}, edge.Resources[policy].at("ResponseHeadersPolicyConfig",
		"SecurityHeadersConfig", "ContentTypeOptions"), "on CloudFront's and the gateway's own answers, too")
	require.Equal(t, map[string]any{"AccessControlMaxAgeSec": 31536000.0, "Override": true}, edge.Resources[policy].at(
		"ResponseHeadersPolicyConfig", "SecurityHeadersConfig", "StrictTransportSecurity"))
	require.Contains(t, text(edge.Resources[onlyOne(t, edge, "AWS::WAFv2::WebACL")].at("Rules")),
		`{"Name":"Strict-Transport-Security","Value":"max-age=31536000"}`, "on the firewall's own answer")
	behaviours := append([]any{front("DefaultCacheBehavior")}, front("CacheBehaviors").([]any)...)
	for _, b := range behaviours {
		b := b.(map[string]any)
		require.Equal(t, map[string]any{"Ref": policy}, b["ResponseHeadersPolicyId"])
		plain := "redirect-to-https"
		if path, _ := b["PathPattern"].(string); slices.Contains(tokensOnly, path) {
			plain = "https-only" // who sends a token in the clear is to find out at once
			require.Contains(t, b["AllowedMethods"], "PATCH")
			require.Equal(t, front("DefaultCacheBehavior", "CachePolicyId"), b["CachePolicyId"], "nothing is kept")
		}
		require.Equal(t, plain, b["ViewerProtocolPolicy"], b["PathPattern"])
		first := "Says"
		if b["CachePolicyId"] != front("DefaultCacheBehavior", "CachePolicyId") {
			first = "Widths"
			require.Nil(t, b["OriginRequestPolicyId"], "nothing goes on but what is in the key")
		}
		require.Regexp(t, `^\[{"EventType":"viewer-request","FunctionARN":{"Fn::GetAtt":\["`+first+
			`[0-9A-F]+","FunctionARN"\]}}\]$`, text(b["FunctionAssociations"]), "the host is the edge's word: %s",
			b["PathPattern"])
	}
	require.Len(t, behaviours, 1+len(cached)+len(tokensOnly))
	require.Contains(t, text(front("WebACLId")), onlyOne(t, edge, "AWS::WAFv2::WebACL"))
	for _, f := range listed {
		env := services.one(t, "AWS::Lambda::Function", title(f.Name)+"Function").at("Environment",
			"Variables").(map[string]any)
		require.Equal(t, "https://api.example.com", env["BASE_URL"])
		require.Equal(t, "example.com", env["DOMAIN"])
		if f.Name == "docs" { // and nobody is named without a domain
			require.Equal(t, "mailto:security@example.com", env["SECURITY_CONTACT"])
		}
		if f.HTTP != nil {
			require.Equal(t, map[string]any{"Ref": "EdgeSecretHashes"}, env["EDGE_SECRET_HASHES"], f.Name)
		} else {
			require.NotContains(t, env, "EDGE_SECRET_HASHES", f.Name)
		}
	}
	require.Empty(t, services.all("AWS::ApiGatewayV2::DomainName"), "the gateway has no names")
	require.NotContains(t, made.services.Parameters, "EdgeSecretHashes")
}

// TestANewSecretIsANewVersion: what has the alias keeps the old value of a parameter until there is another version.
func TestANewSecretIsANewVersion(t *testing.T) {
	versions := func(token string) []string {
		in := read(install(filepath.Join(t.TempDir(), "secrets"), said{environment: "test",
			variables: map[string]string{"OPERATOR_TOKEN": token}}).services)
		return slices.Sorted(maps.Keys(in.all("AWS::Lambda::Version")))
	}
	a, b := versions("a"), versions("b")
	changed := 0
	for i := range a {
		if a[i] != b[i] {
			changed++
			require.True(t, strings.HasPrefix(a[i], "Operator"), a[i])
		}
	}
	require.Equal(t, 1, changed, "the operator's token is the function operator's alone")
}

// hashed are paths that say which content is there.
var hashed = regexp.MustCompile(`[/.][0-9a-f]{16,}[/.]`)

// TestTheEdgeKeepsWhatIsTheSameForEverybody: each file with an address by its content, and nothing that somebody's
// token or session opens.
func TestTheEdgeKeepsWhatIsTheSameForEverybody(t *testing.T) {
	covered := func(path string) bool {
		return slices.ContainsFunc(cached, func(pattern string) bool {
			begin, any := strings.CutSuffix(pattern, "*")
			return path == pattern || any && strings.HasPrefix(path, begin)
		})
	}
	files := 0
	for _, f := range listed {
		if f.HTTP == nil {
			continue
		}
		a := api.New(api.Config{})
		f.HTTP(&host.Platform{}, a)
		for _, pattern := range a.Patterns() {
			method, path, _ := strings.Cut(pattern, " ")
			if hashed.MatchString(path) {
				files++
				require.True(t, covered(path), pattern)
			}
			if covered(path) {
				require.Equal(t, "GET", method, pattern)
			}
		}
		for path := range a.OpenAPI(api.Newest()).Paths {
			require.False(t, covered(path), "the operation at %s", path)
		}
	}
	require.NotZero(t, files)
}

// TestWhatMustRunHasRoom: who looks after the rest is not turned away when requests take up the account, and those that
// can wait do not take it up.
func TestWhatMustRunHasRoom(t *testing.T) {
	kept, full := 0, fileOf(t, made.whole.services)
	for _, f := range listed {
		function := title(f.Name) + "Function"
		require.Nil(t, made.services.one(t, "AWS::Lambda::Function", function).at("ReservedConcurrentExecutions"),
			"an account of which nothing is said is new, and Lambda refuses to reserve anything of it")
		got := full.one(t, "AWS::Lambda::Function", function).at("ReservedConcurrentExecutions")
		if f.ReservedConcurrency == 0 {
			require.Nil(t, got, f.Name)
			continue
		}
		require.EqualValues(t, f.ReservedConcurrency, got, f.Name)
		kept += f.ReservedConcurrency
		require.Zero(t, f.Messages, "the mappings of queues bound those")
	}
	behind := 0.0 // the most calls at once of all that no request waits for
	for _, f := range listed {
		if f.Tick != nil || f.Upload != nil || f.Feed != nil || f.Name == "operator" {
			require.NotZero(t, f.ReservedConcurrency, f.Name)
			behind += full.one(t, "AWS::Lambda::Function", title(f.Name)+"Function").
				at("ReservedConcurrentExecutions").(float64)
		}
		if f.Messages != nil {
			for _, q := range f.Messages.From {
				behind += full.one(t, "AWS::Lambda::EventSourceMapping", title(f.Name)+"Function"+
					title(string(q.Resource))).at("ScalingConfig", "MaximumConcurrency").(float64)
			}
		}
	}
	require.LessOrEqual(t, behind, 500.0, "of Lambda's usual 1,000 the door has half, whatever is behind it")
	require.LessOrEqual(t, 3*kept, leastForReserving-leastUnreserved, "three environments share an account")
}

// TestCallsOfEventBridgeAreRetriedByTheFunction: EventBridge's own retries end when Lambda has taken the call over.
func TestCallsOfEventBridgeAreRetriedByTheFunction(t *testing.T) {
	want := map[string][2]float64{}
	for _, f := range listed {
		switch {
		case f.Tick != nil:
			want[title(f.Name)] = [2]float64{0, 60}
		case f.Upload != nil:
			want[title(f.Name)] = [2]float64{2, 3600}
		}
	}
	got := map[string][2]float64{}
	for id, c := range made.services.all("AWS::Lambda::EventInvokeConfig") {
		name, _, found := strings.Cut(id, "Live")
		require.True(t, found, "it is the alias's, by which EventBridge calls: %s", id)
		require.Contains(t, text(c.at("Qualifier")), name+"Live")
		got[name] = [2]float64{c.at("MaximumRetryAttempts").(float64), c.at("MaximumEventAgeInSeconds").(float64)}
	}
	require.Equal(t, want, got)
}

func TestCdkNagFindsNothingWithoutAReason(t *testing.T) {
	for _, stack := range []awscdk.Stack{made.Data.Stack, made.Services.Stack, made.Monitoring.Stack,
		made.whole.Data.Stack, made.whole.Services.Stack, made.whole.Monitoring.Stack, made.whole.Backup.Stack,
		made.whole.Edge.Stack} {
		said := assertions.Annotations_FromStack(stack)
		errors := said.FindError(jsii.String("*"), assertions.Match_StringLikeRegexp(jsii.String("AwsSolutions-.*")))
		warnings := said.FindWarning(jsii.String("*"),
			assertions.Match_StringLikeRegexp(jsii.String("AwsSolutions-.*")))
		require.Empty(t, *errors)
		require.Empty(t, *warnings)
	}
	reports, err := filepath.Glob(filepath.Join(filepath.Dir(made.alone.folder), "[aw]*",
		"AwsSolutions-*-NagReport.csv"))
	require.NoError(t, err)
	require.Len(t, reports, 8, "all stacks were looked at")
	for _, path := range reports {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(b), "Non-Compliant")
		if !strings.Contains(path, "Monitoring") { // an alarm has nothing that is to be allowed
			require.Contains(t, string(b), "Suppressed")
		}
	}
}

// linter is cfn-lint in a folder of its own beside the engines.
const linter = "cfn-lint==1.58.0"

func TestCfnLintFindsNothing(t *testing.T) {
	venv, err := filepath.Abs(filepath.Join("..", "..", ".cache", "cfn-lint-1.58.0"))
	require.NoError(t, err)
	bin := filepath.Join(venv, "bin")
	if _, err := os.Stat(filepath.Join(bin, "cfn-lint")); err != nil {
		run(t, "python3", "-m", "venv", venv)
		run(t, filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check", linter)
	}
	// W3005: CDK writes down dependencies that follow from references, too.
	run(t, filepath.Join(bin, "cfn-lint"), "-i", "W3005", "--", made.alone.data, made.alone.services,
		made.alone.monitoring, made.whole.data, made.whole.services, made.whole.monitoring, made.whole.backup,
		made.whole.edge)
}

func run(t *testing.T, name string, args ...string) {
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, string(out))
}
