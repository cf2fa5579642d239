//go:build synth

package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/host"
)

// Rules hold what emulators of AWS do not ask and AWS does: each arrow from one resource to another has the policy that
// lets it, each loop is allowed, and each quota has room. A rule goes over all templates of an installation at once,
// says in sentences what breaks it, and has a way to spoil the templates that it must find.
//
// A new rule is a line here and a function below.
var rules = []rule{
	{"an alarm may publish to its topic", alarmsPublish, edited("AWS::SNS::TopicPolicy", func(r resource) {
		statements := r.at("PolicyDocument").(map[string]any)
		statements["Statement"] = slices.DeleteFunc(statements["Statement"].([]any), func(s any) bool {
			return s.(map[string]any)["Effect"] == "Allow"
		})
	})},
	{"an EventBridge rule may call its targets", schedulesCall, edited("AWS::Lambda::Permission",
		func(r resource) { delete(r.Properties, "SourceArn") })},
	{"a mapping may read its source and tell its destination", mappingsRead, edited("AWS::IAM::Policy",
		func(r resource) { r.Properties["Roles"] = nil })},
	{"a deployment may call its hook, and the hook the new version", deploymentsRehearse, edited("AWS::IAM::Policy",
		func(r resource) { r.Properties["Roles"] = nil })},
	{"an alias moves after what its rollout needs is there", aliasesWait, edited("AWS::Lambda::Alias",
		func(r resource) { clear(r.dependsOn) })},
	{"a bucket tells of its objects and may call whom it tells", bucketsTell, edited("AWS::S3::Bucket",
		func(r resource) { delete(r.Properties, "NotificationConfiguration") })},
	{"API Gateway may call its integrations", gatewayCalls, edited("AWS::Lambda::Permission",
		func(r resource) { r.Properties["Principal"] = "events.amazonaws.com" })},
	{"a function in a loop is allowed to be, and no other", loopsAreAllowed, edited("AWS::Lambda::Function",
		func(r resource) { delete(r.Properties, "RecursiveLoop") })},
	{"reservations leave the account what Lambda wants", reservationsFit, func(c *cloud) { c.concurrency = 100 }},
	{"a stack has room for more resources", stacksHaveRoom, func(c *cloud) {
		for _, s := range c.stacks {
			for i := range mostResources {
				s.Resources[strconv.Itoa(i)] = resource{Type: "AWS::SNS::Topic"}
			}
		}
	}},
	{"a template has room for more text", templatesHaveRoom, func(c *cloud) {
		for name, s := range c.stacks {
			s.bytes += mostBytes
			c.stacks[name] = s
		}
	}},
	{"no template has a shop's name, and both wildcards have a certificate and lead here", namesAreNoShops,
		edited("AWS::CloudFront::DistributionTenant",
			func(r resource) { r.Properties["Domains"] = []any{"*.example.com", "tea.example.com"} })},
	{"no resource waits for itself", nothingWaitsForItself, edited("AWS::IAM::Role",
		func(r resource) { r.Properties["Description"] = map[string]any{"Ref": r.id} })},
}

type rule struct {
	name   string
	broken func(c cloud) []string // what breaks it
	spoil  func(c *cloud)         // breaks it
}

func TestTheTemplatesKeepTheRules(t *testing.T) {
	for _, i := range []installation{made.alone, made.whole} {
		c := cloudOf(i)
		for _, r := range rules {
			t.Run(i.environment+": "+r.name, func(t *testing.T) { require.Empty(t, r.broken(c)) })
		}
	}
}

func TestARuleFindsWhatBreaksIt(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			c := cloudOf(made.whole)
			r.spoil(&c)
			require.NotEmpty(t, r.broken(c))
		})
	}
}

// edited spoils all resources of a type.
func edited(kind string, edit func(r resource)) func(c *cloud) {
	return func(c *cloud) {
		for _, p := range c.all(kind) {
			edit(p.resource)
			c.stacks[p.stack].Resources[p.id] = p.resource
		}
	}
}

// alarmsPublish: CloudWatch publishes as itself. SNS's default policy lets it, and a policy that a template gives the
// topic replaces the default one.
func alarmsPublish(c cloud) (broken []string) {
	for _, alarm := range c.all("AWS::CloudWatch::Alarm") {
		actions := c.refers(alarm.stack, []any{alarm.at("AlarmActions"), alarm.at("OKActions"),
			alarm.at("InsufficientDataActions")})
		if len(actions) == 0 {
			broken = append(broken, alarm.String()+" tells nobody")
		}
		for _, topic := range actions {
			policies := slices.DeleteFunc(c.all("AWS::SNS::TopicPolicy"), func(p part) bool {
				return !has(c.refers(p.stack, p.at("Topics")), topic)
			})
			lets := func(p part) bool {
				return slices.ContainsFunc(c.statements(p), func(s statement) bool {
					return s.allows("sns:Publish", topic) && s.service("cloudwatch.amazonaws.com") &&
						strings.Contains(text(s.of["Condition"]), `"aws:SourceAccount"`)
				})
			}
			if len(policies) > 0 && !slices.ContainsFunc(policies, lets) {
				broken = append(broken, fmt.Sprintf("%s may not publish to %s", alarm, topic))
			}
		}
	}
	return broken
}

func schedulesCall(c cloud) (broken []string) {
	for _, r := range c.all("AWS::Events::Rule") {
		for _, target := range r.at("Targets").([]any) {
			for _, called := range c.refers(r.stack, target.(map[string]any)["Arn"]) {
				broken = append(broken, c.mayCall(called, "events.amazonaws.com", r)...)
			}
		}
	}
	return broken
}

// mappingsRead: Lambda reads the source, and tells the destination, with the role of the function.
func mappingsRead(c cloud) (broken []string) {
	reads := map[string][]string{
		"AWS::SQS::Queue": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
		"AWS::DynamoDB::GlobalTable": {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator",
			"dynamodb:ListStreams"},
	}
	for _, m := range c.all("AWS::Lambda::EventSourceMapping") {
		role := c.role(c.one(m, "FunctionName"))
		source := c.one(m, "EventSourceArn")
		if reads[source.Type] == nil {
			broken = append(broken, fmt.Sprintf("%s reads %s, which the rule does not know", m, source))
		}
		broken = append(broken, c.may(role, source, reads[source.Type]...)...)
		for _, told := range c.refers(m.stack, m.at("DestinationConfig", "OnFailure", "Destination")) {
			broken = append(broken, c.may(role, told, "s3:PutObject", "s3:ListBucket")...)
		}
	}
	return broken
}

// movesAtOnce says whether an alias is of a function that tries the platform from outside.
func movesAtOnce(alias part) bool {
	return slices.ContainsFunc(functions.List, func(f host.Function) bool {
		return f.Outside && strings.HasPrefix(alias.id, title(f.Name)+"Live")
	})
}

// deploymentsRehearse: CodeDeploy's own policy lets it call functions of another name only than our hook's.
func deploymentsRehearse(c cloud) (broken []string) {
	for _, alias := range c.all("AWS::Lambda::Alias") {
		update, _ := alias.UpdatePolicy["CodeDeployLambdaAliasUpdate"].(map[string]any)
		if movesAtOnce(alias) {
			continue
		}
		if update == nil {
			broken = append(broken, alias.String()+" moves all at once")
			continue
		}
		group := c.refers(alias.stack, update["DeploymentGroupName"])[0]
		hook := c.refers(alias.stack, update["BeforeAllowTrafficHook"])[0]
		role := c.one(group, "ServiceRoleArn")
		broken = append(broken, c.may(role, hook, "lambda:InvokeFunction")...)
		if !strings.Contains(text(role.at("ManagedPolicyArns")), "AWSCodeDeployRoleForLambda") {
			broken = append(broken, role.String()+" may not move an alias and read alarms")
		}
		broken = append(broken, c.may(c.role(hook), group, "codedeploy:PutLifecycleEventHookExecutionStatus")...)
		broken = append(broken, c.may(c.role(hook), c.one(alias, "FunctionVersion"), "lambda:InvokeFunction")...)
	}
	return broken
}

// aliasesWait: what an UpdatePolicy refers to is no dependency that CloudFormation documents.
func aliasesWait(c cloud) (broken []string) {
	for _, alias := range c.all("AWS::Lambda::Alias") {
		if movesAtOnce(alias) {
			continue
		}
		update, _ := alias.UpdatePolicy["CodeDeployLambdaAliasUpdate"].(map[string]any)
		hook := c.refers(alias.stack, update["BeforeAllowTrafficHook"])[0]
		needs := c.refers(alias.stack, []any{update["ApplicationName"], update["DeploymentGroupName"]})
		needs = append(needs, hook)
		for _, group := range c.refers(alias.stack, update["DeploymentGroupName"]) {
			needs = append(needs, c.refers(group.stack, group.at("AlarmConfiguration", "Alarms"))...)
			needs = append(needs, c.policies(c.one(group, "ServiceRoleArn"))...)
		}
		needs = append(needs, c.policies(c.role(hook))...)
		before := reached(c.waits(alias.stack), alias.String())
		for _, n := range needs {
			if !before[n.String()] {
				broken = append(broken, fmt.Sprintf("%s does not wait for %s", alias, n))
			}
		}
	}
	return broken
}

func bucketsTell(c cloud) (broken []string) {
	for _, b := range c.all("AWS::S3::Bucket") {
		calls, _ := b.at("NotificationConfiguration", "LambdaConfigurations").([]any)
		for _, call := range calls {
			for _, called := range c.refers(b.stack, call) {
				broken = append(broken, c.mayCall(called, "s3.amazonaws.com", b)...)
			}
		}
	}
	for _, r := range c.all("AWS::Events::Rule") {
		for _, b := range c.refers(r.stack, r.at("EventPattern", "detail", "bucket")) {
			if b.at("NotificationConfiguration", "EventBridgeConfiguration", "EventBridgeEnabled") != true {
				broken = append(broken, fmt.Sprintf("%s does not tell EventBridge, where %s listens", b, r))
			}
		}
	}
	return broken
}

func gatewayCalls(c cloud) (broken []string) {
	for _, i := range c.all("AWS::ApiGatewayV2::Integration") {
		for _, called := range c.refers(i.stack, i.at("IntegrationUri")) {
			broken = append(broken, c.mayCall(called, "apigateway.amazonaws.com", c.one(i, "ApiId"))...)
		}
	}
	return broken
}

// loopsAreAllowed: Lambda ends a chain of calls that comes back to a function through a queue or a bucket 16 times,
// unless the function allows it. One that is in no loop keeps the protection.
func loopsAreAllowed(c cloud) (broken []string) {
	calls := map[string][]string{} // functions by those that call them through a queue or a bucket
	arrow := func(through, to part, action string) {
		for _, f := range c.all("AWS::Lambda::Function") {
			if len(c.may(c.role(f), through, action)) == 0 {
				calls[f.String()] = append(calls[f.String()], c.function(to).String())
			}
		}
	}
	for _, m := range c.all("AWS::Lambda::EventSourceMapping") {
		if q := c.one(m, "EventSourceArn"); q.Type == "AWS::SQS::Queue" {
			arrow(q, c.one(m, "FunctionName"), "sqs:SendMessage")
		}
	}
	for _, r := range c.all("AWS::Events::Rule") {
		for _, b := range c.refers(r.stack, r.at("EventPattern", "detail", "bucket")) {
			arrow(b, c.refers(r.stack, r.at("Targets"))[0], "s3:PutObject")
		}
	}
	for _, f := range c.all("AWS::Lambda::Function") {
		if _, loops := reached(calls, f.String())[f.String()]; loops != (f.at("RecursiveLoop") == "Allow") {
			broken = append(broken, fmt.Sprintf("%s: it is %t that it calls itself through a queue or a bucket, and "+
				"RecursiveLoop is %v", f, loops, f.at("RecursiveLoop")))
		}
	}
	return broken
}

// Lambda refuses reservations that leave an account less than 100 of its concurrency; a new account may have 10 in all.
const (
	leastUnreserved = 100
	ofNewAccount    = 10
)

func reservationsFit(c cloud) []string {
	reserved := 0.0
	for _, f := range c.all("AWS::Lambda::Function") {
		n, _ := f.at("ReservedConcurrentExecutions").(float64)
		reserved += n
	}
	if reserved > 0 && reserved > c.concurrency-leastUnreserved {
		return []string{fmt.Sprintf("%v are reserved of an account with %v", reserved, c.concurrency)}
	}
	return nil
}

// How much may be in a template. CloudFormation takes 500 resources and 1,000,000 bytes; a new function has about 16
// and 18,000. The room between is for whoever divides a stack in two.
const (
	mostResources = 400
	mostBytes     = 800_000
)

func stacksHaveRoom(c cloud) (broken []string) {
	for name, s := range c.stacks {
		if len(s.Resources) > mostResources {
			broken = append(broken, fmt.Sprintf("%s has %d resources", name, len(s.Resources)))
		}
	}
	return broken
}

// namesAreNoShops: what a shop adds is data. With a shop in it a template has an end, and each shop is a deployment.
func namesAreNoShops(c cloud) (broken []string) {
	for name, s := range c.stacks {
		for id, r := range s.Resources {
			for _, below := range belowDomain.FindAllString(text(r.Properties), -1) {
				if !slices.Contains([]string{"*.example.com", "*.admin.example.com", "api.example.com"}, below) {
					broken = append(broken, fmt.Sprintf("%s of %s has the name %s", id, name, below))
				}
			}
		}
	}
	both := []any{"*.example.com", "*.admin.example.com"}
	for _, tenant := range c.all("AWS::CloudFront::DistributionTenant") {
		if !reflect.DeepEqual(both, tenant.at("Domains")) {
			broken = append(broken, fmt.Sprintf("%s has the names %v", tenant, tenant.at("Domains")))
		}
	}
	for _, proof := range c.all("AWS::CertificateManager::Certificate") {
		names := append([]any{proof.at("DomainName")}, proof.at("SubjectAlternativeNames").([]any)...)
		if !reflect.DeepEqual(both, names) {
			broken = append(broken, fmt.Sprintf("%s has the names %v", proof, names))
		}
	}
	return broken
}

// belowDomain matches a name below the domain of the whole installation.
var belowDomain = regexp.MustCompile(`[a-z0-9*.-]*\.example\.com`)

func templatesHaveRoom(c cloud) (broken []string) {
	for name, s := range c.stacks {
		if s.bytes > mostBytes {
			broken = append(broken, fmt.Sprintf("the template of %s has %d bytes", name, s.bytes))
		}
	}
	return broken
}

func nothingWaitsForItself(c cloud) (broken []string) {
	for name := range c.stacks {
		waits := c.waits(name)
		for id := range waits {
			if reached(waits, id)[id] {
				broken = append(broken, id+" waits for itself")
			}
		}
	}
	return broken
}

// cloud is the templates of an installation as AWS has them: together, and in an account.
type cloud struct {
	stacks      map[string]template // by their names
	concurrency float64             // Lambda's concurrent executions of the account
}

// part is a resource of a stack.
type part struct {
	stack string
	resource
}

func (p part) String() string { return p.stack + "/" + p.id }

// cloudOf reads the templates of an installation. An account of which nothing is said is a new one.
func cloudOf(i installation) cloud {
	c := cloud{stacks: map[string]template{}, concurrency: ofNewAccount}
	if said, is := i.settings["concurrency"].(int); is {
		c.concurrency = float64(said)
	}
	files, _ := filepath.Glob(filepath.Join(i.folder, "*.template.json"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".template.json")
		t := read(file)
		for id, r := range t.Resources {
			r.id, r.dependsOn = id, map[string]bool{}
			for _, on := range several(r.DependsOn) {
				if id, is := on.(string); is {
					r.dependsOn[id] = true
				}
			}
			t.Resources[id] = r
		}
		c.stacks[name] = t
	}
	return c
}

// all are the resources of a type, in one order.
func (c cloud) all(kind string) (all []part) {
	for _, name := range slices.Sorted(maps.Keys(c.stacks)) {
		found := c.stacks[name].all(kind)
		for _, id := range slices.Sorted(maps.Keys(found)) {
			all = append(all, part{name, found[id]})
		}
	}
	return all
}

// refers are the resources to which a value of a stack refers, through other stacks' outputs, too.
func (c cloud) refers(stack string, v any) (all []part) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			all = append(all, c.refers(stack, one)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch key {
			case "Ref":
				all = append(all, c.named(stack, v[key].(string))...)
			case "Fn::GetAtt":
				all = append(all, c.named(stack, several(v[key])[0].(string))...)
			case "Fn::ImportValue":
				all = append(all, c.exported(v[key])...)
			case "Fn::GetStackOutput":
				of := v[key].(map[string]any)
				from := of["StackName"].(string)
				all = append(all, c.refers(from, c.stacks[from].Outputs[of["OutputName"].(string)].Value)...)
			default:
				all = append(all, c.refers(stack, v[key])...)
			}
		}
	}
	return all
}

// named is the resource of a logical name; a parameter's is none.
func (c cloud) named(stack, id string) []part {
	if r, is := c.stacks[stack].Resources[id]; is {
		return []part{{stack, r}}
	}
	return nil
}

// exported are the resources of what a stack exports by a name.
func (c cloud) exported(name any) []part {
	for stack, t := range c.stacks {
		for _, o := range t.Outputs {
			if o.Export["Name"] == name {
				return c.refers(stack, o.Value)
			}
		}
	}
	panic(fmt.Sprintf("nothing exports %v", name))
}

// one is the resource to which a property refers.
func (c cloud) one(p part, property string) part {
	all := c.refers(p.stack, p.at(property))
	if len(all) == 0 {
		panic(p.String() + " refers to nothing in " + property)
	}
	return all[0]
}

// function is the function of an alias or a version, or itself.
func (c cloud) function(p part) part {
	if p.Type != "AWS::Lambda::Function" {
		return c.one(p, "FunctionName")
	}
	return p
}

// role is that of a function, by itself or its alias.
func (c cloud) role(p part) part { return c.one(c.function(p), "Role") }

// mayCall says when a service, on behalf of a resource, may not call a function or an alias: its own policy decides.
func (c cloud) mayCall(called part, service string, source part) []string {
	for _, p := range c.all("AWS::Lambda::Permission") {
		on, from := c.refers(p.stack, p.at("FunctionName")), c.refers(p.stack, p.at("SourceArn"))
		if p.at("Principal") == service && p.at("Action") == "lambda:InvokeFunction" &&
			has(on, called) && has(from, source) {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s may not call %s for %s", service, called, source)}
}

// may says which of the actions the policies of a role do not allow on a resource.
func (c cloud) may(role, on part, actions ...string) (broken []string) {
	for _, action := range actions {
		if !slices.ContainsFunc(c.policies(role), func(p part) bool {
			return slices.ContainsFunc(c.statements(p), func(s statement) bool { return s.allows(action, on) })
		}) {
			broken = append(broken, fmt.Sprintf("%s may not %s on %s", role, action, on))
		}
	}
	return broken
}

// policies are those of a role.
func (c cloud) policies(role part) []part {
	return slices.DeleteFunc(c.all("AWS::IAM::Policy"), func(p part) bool {
		return !has(c.refers(p.stack, p.at("Roles")), role)
	})
}

// statement is one of a policy, and the resources that it is on.
type statement struct {
	of map[string]any
	on []part
}

func (c cloud) statements(policy part) (all []statement) {
	for _, s := range several(policy.at("PolicyDocument", "Statement")) {
		of := s.(map[string]any)
		all = append(all, statement{of, c.refers(policy.stack, of["Resource"])})
	}
	return all
}

func (s statement) allows(action string, on part) bool {
	return s.of["Effect"] == "Allow" && slices.Contains(several(s.of["Action"]), any(action)) &&
		(s.of["Resource"] == "*" || has(s.on, on))
}

// service says whether the statement is for a service of AWS.
func (s statement) service(name string) bool {
	principal, _ := s.of["Principal"].(map[string]any)
	return slices.Contains(several(principal["Service"]), any(name))
}

// waits are, by the resources of a stack, those that are made before: what one refers to and what it depends on. What
// an UpdatePolicy refers to is left out.
func (c cloud) waits(stack string) map[string][]string {
	before := map[string][]string{}
	for _, r := range c.stacks[stack].Resources {
		of := part{stack, r}.String()
		for id := range r.dependsOn {
			before[of] = append(before[of], stack+"/"+id)
		}
		for _, on := range c.refers(stack, r.Properties) {
			before[of] = append(before[of], on.String())
		}
	}
	return before
}

// reached is what one comes to by these arrows, with one arrow at least.
func reached(arrows map[string][]string, from string) map[string]bool {
	found, next := map[string]bool{}, arrows[from]
	for len(next) > 0 {
		to := next[0]
		next = next[1:]
		if !found[to] {
			found[to] = true
			next = append(next, arrows[to]...)
		}
	}
	return found
}

// has says whether a resource is among others.
func has(all []part, one part) bool {
	return slices.ContainsFunc(all, func(p part) bool { return p.String() == one.String() })
}
