package main

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"eshop/functions"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
)

// Services is the stack of all that holds no state: functions, their gateway and their triggers.
type Services struct {
	Stack     awscdk.Stack
	Gateway   Gateway
	Functions map[string]Lambda
	Streams   map[string]awslambda.EventSourceMapping // of the functions that are fed by the main table's stream
	Alarms    Topics                                  // whom alarms tell, those of Monitoring, too

	data     *Data
	settings Settings
	programs string // the folder of the programs' folders
	operator awscdk.CfnParameter
	edge     awscdk.CfnParameter // nil: no edge stands in front of the gateway

	newVersions []interfacesawscloudwatch.IAlarmRef // the alarms that take new versions back
}

// Lambda is a function of the list in AWS. Callers and triggers reach it by its alias, so that a version is live
// whole or not at all.
type Lambda struct {
	host.Function
	Machine
	Alias awslambda.Alias
}

// NewServices makes the stack: a Lambda for each function of the list, with its role, its routes or trigger, and its
// rollout. The secrets come as hashes in parameters, so no template holds one.
func NewServices(app awscdk.App, list []host.Function, programs string, data *Data, settings Settings) *Services {
	stack := newStack(app, settings, "", "The e-shop platform: functions, front door, triggers, rollout",
		awscdk.StackProps{})
	x := &Services{Stack: stack, Functions: map[string]Lambda{}, Streams: map[string]awslambda.EventSourceMapping{},
		data: data, settings: settings, programs: programs}
	x.operator = awscdk.NewCfnParameter(stack, jsii.String("OperatorTokenHash"), &awscdk.CfnParameterProps{
		Description:    jsii.String("SHA-256 of the operator's token in hex"),
		AllowedPattern: jsii.String("[0-9a-f]{64}"), NoEcho: jsii.Bool(true),
	})
	set := awscdk.CfnRuleAssertion{
		Assert: awscdk.Fn_ConditionNot(awscdk.Fn_ConditionEquals(x.operator.ValueAsString(), noToken())),
		AssertDescription: jsii.String("OperatorTokenHash is that of an empty text: " +
			"no token was set when it was made."),
	}
	awscdk.NewCfnRule(stack, jsii.String("OperatorTokenIsNotEmpty"), &awscdk.CfnRuleProps{
		Assertions: &[]*awscdk.CfnRuleAssertion{&set},
	})
	if settings.Domain != "" {
		x.edge = awscdk.NewCfnParameter(stack, jsii.String("EdgeSecretHashes"), &awscdk.CfnParameterProps{
			Description: jsii.String("SHA-256 of the edge's secret in hex; while it is changed, of two with " +
				"a comma between"), AllowedPattern: jsii.String("[0-9a-f]{64}(,[0-9a-f]{64})?"),
			NoEcho: jsii.Bool(true),
		})
	}
	awscdk.NewCfnOutput(stack, jsii.String("Settings"), &awscdk.CfnOutputProps{
		Value:       jsii.String(settings.foundation()),
		Description: jsii.String("What the installation stands on, as it was deployed last")})
	if settings.Concurrency < leastForReserving {
		awscdk.Annotations_Of(stack).AddWarningV2(jsii.String("eshop:concurrency"),
			jsii.String("Nothing is kept for what must run when requests take up all else. Say concurrency in the "+
				"environment's file where the account has 300 concurrent executions or more."))
	}
	x.Gateway = NewGateway(stack, settings)
	for _, f := range list {
		l := x.function(f)
		x.Functions[f.Name] = l
		x.Gateway.AddRoutes(l)
		x.trigger(l)
	}
	x.Alarms = newTopics(stack, settings)
	// After all functions are made: the rehearsal must know every one of them.
	x.rollOut()
	return x
}

// noToken is the hash of an empty text.
func noToken() string {
	hash := host.TokenHash("")
	return hex.EncodeToString(hash[:])
}

// function makes a Lambda with its own role and log. Its alias is what callers and triggers reach.
func (x *Services) function(function host.Function) Lambda {
	props := awslambda.FunctionProps{
		Description: &function.Doc, MemorySize: jsii.Number(function.Memory), Timeout: duration(function.Timeout),
		Environment:           x.environment(function),
		ApplicationLogLevelV2: awslambda.ApplicationLogLevel_INFO,
		// Lambda's START, END and REPORT lines of each call would cost more than our own
		SystemLogLevelV2: awslambda.SystemLogLevel_WARN, ReservedConcurrentExecutions: x.reserved(function),
		RecursiveLoop: recursion(function),
	}
	l := Lambda{Function: function, Machine: x.newMachine(function.Name, props)}
	x.grantNeeds(l)
	l.Alias = awslambda.NewAlias(l.Construct, jsii.String("Live"), &awslambda.AliasProps{
		AliasName: jsii.String(lambda.Live), Version: l.Code.CurrentVersion(),
	})
	return l
}

// leastForReserving is the concurrency from which on some of it is reserved. Lambda refuses a reservation that leaves
// the account less than 100. The list reserves 58, so 300 has room for three environments.
const leastForReserving = 300

// reserved is what the list reserves for the function; nil in an account with little concurrency, where nothing is.
func (x *Services) reserved(f host.Function) *float64 {
	if f.ReservedConcurrency == 0 || x.settings.Concurrency < leastForReserving {
		return nil
	}
	return jsii.Number(f.ReservedConcurrency)
}

// recursion lets a function call itself through what triggers it, if the list has it so: the delivery sends each next
// step of a drain or replay to its own queue, and an importer wakes the next one by a file. Lambda counts the calls of
// such a chain and ends it after 16, unless the function allows it.
func recursion(f host.Function) awslambda.RecursiveLoop {
	sends := func(to host.Resource, does host.Action) bool {
		return slices.ContainsFunc(f.Needs, func(n host.Need) bool {
			return n.Resource == to && slices.Contains(n.Does, does)
		})
	}
	loops := f.Upload != nil && sends(host.Files, host.Write)
	for _, q := range host.QueuesOf([]host.Function{f}) {
		loops = loops || sends(q.Resource, host.Send)
	}
	if loops {
		return awslambda.RecursiveLoop_ALLOW
	}
	return awslambda.RecursiveLoop_TERMINATE
}

// environment is what the function's Lambda host reads: the names of what the function needs, and no others.
func (x *Services) environment(function host.Function) *map[string]*string {
	env := map[string]*string{lambda.Environment: &x.settings.Environment, lambda.BaseURL: x.Gateway.Base,
		lambda.DoorURL: x.Gateway.Address}
	if x.settings.Canary != "" {
		env[lambda.Canary] = &x.settings.Canary
	}
	if x.settings.Domain != "" {
		env[lambda.Domain] = &x.settings.Domain
	}
	if x.settings.TestDomain != "" {
		env[lambda.TestDomain] = &x.settings.TestDomain
	}
	for _, n := range function.Needs {
		env[lambda.Variable[n.Resource]] = x.address(n.Resource)
	}
	if function.HTTP != nil || function.Upload != nil { // rows of files get addresses, too
		env[lambda.ReservedSlugs] = jsii.String(strings.Join(functions.ReservedSlugs(), ","))
	}
	if function.HTTP != nil && x.edge != nil {
		env[lambda.EdgeSecretHashes] = x.edge.ValueAsString()
	}
	for _, r := range function.Routes() {
		switch {
		case r == "/operator": // only the function that serves the operator gets the hash of the operator's token
			env[lambda.OperatorTokenHash] = x.operator.ValueAsString()
		case r == "/.well-known" && x.settings.SecurityContact != "":
			env[lambda.SecurityContact] = &x.settings.SecurityContact
		}
	}
	if env[lambda.OperatorTokenHash] != nil || env[lambda.EdgeSecretHashes] != nil {
		// A parameter's new value makes no new version of a function, only a template with another text does.
		env["SECRETS"] = &x.settings.Secrets
	}
	return &env
}

// address is how the Lambda host finds a resource.
func (x *Services) address(r host.Resource) *string {
	if t, is := x.data.Tables[r]; is {
		return t.TableName()
	}
	if q, is := x.data.Queues[r]; is {
		return q.QueueUrl()
	}
	if r == host.Files {
		return x.data.Files.BucketName()
	}
	return x.data.Key.KeyArn()
}
